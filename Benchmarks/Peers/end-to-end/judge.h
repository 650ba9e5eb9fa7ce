// Judges one record: reads a line of base64 and writes a line of JSON.
#ifndef JUDGE_H
#define JUDGE_H

#include "../common/octets.h"

enum status { STATUS_VALID, STATUS_INVALID, STATUS_UNREADABLE, STATUSES };

/// The state of one thread: its own trust store, known chains and buffers.
struct judge;

/// Returns NULL if the root is not a certificate or memory runs out.
struct judge *judge_new(struct octets root);

/// A growing buffer of output lines.
struct text {
    char *at;
    size_t count, capacity;
};

struct record {
    const char *name;   ///< the name of the source
    const char *source; ///< the name as a JSON string, quotes included
    uint64_t number, offset;
    struct octets line; ///< without the line end
};

/// Appends one line to `output`. Exits if memory runs out.
enum status judge_record(struct judge *judge, const struct record *record, struct text *output);

/// Appends a JSON string, quotes included. Exits if memory runs out.
void text_append_json(struct text *text, struct octets string);

#endif
