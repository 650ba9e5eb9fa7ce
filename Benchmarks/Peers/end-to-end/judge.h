// One record: a line of base64 in, a line of JSON out.
#ifndef JUDGE_H
#define JUDGE_H

#include "../common/octets.h"

enum status { STATUS_VALID, STATUS_INVALID, STATUS_UNREADABLE, STATUSES };

/// What one thread needs: its own trust store, what it remembers, and its buffers.
struct judge;

/// NULL where the root is not a certificate, or without memory.
struct judge *judge_new(struct octets root);

/// Lines of output one after the other.
struct text {
    char *at;
    size_t count, capacity;
};

struct record {
    const char *source; ///< a JSON string, quotes included
    uint64_t number, offset;
    struct octets line; ///< without its end
};

/// Appends one line to `output`. Exits without memory.
enum status judge_record(struct judge *judge, const struct record *record, struct text *output);

/// Appends a JSON string, quotes included. Exits without memory.
void text_append_json(struct text *text, struct octets string);

#endif
