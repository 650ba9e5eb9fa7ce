// Judges one record: reads a line, a receipt in base64 or a token, and writes a line of JSON.
#ifndef JUDGE_H
#define JUDGE_H

#include "text.h"

enum status { STATUS_VALID, STATUS_INVALID, STATUS_UNREADABLE, STATUSES };

/// The state of one thread: its own trust store, known chains and buffers.
struct judge;

/// Returns NULL if the root is not a certificate or memory runs out.
///
/// @param tokens whether the lines are transactions of StoreKit 2 instead of receipts
struct judge *judge_new(struct octets root, bool tokens);

struct record {
    const char *name;   ///< the name of the source
    const char *source; ///< the name as a JSON string, quotes included
    uint64_t number, offset;
    struct octets line; ///< without the line end
};

/// Appends one line to `output`. Exits if memory runs out.
enum status judge_record(struct judge *judge, const struct record *record, struct text *output);

#endif
