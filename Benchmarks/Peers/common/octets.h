// Borrowed bytes, and a reader of DER.
#ifndef OCTETS_H
#define OCTETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// A range of bytes that the struct does not own.
struct octets {
    const uint8_t *at;
    size_t count;
};

static inline bool octets_equal(struct octets a, struct octets b)
{
    return a.count == b.count && (a.count == 0 || memcmp(a.at, b.at, a.count) == 0);
}

/// The tags of ITU-T X.690 that a receipt uses.
enum {
    TAG_INTEGER = 0x02,
    TAG_OCTET_STRING = 0x04,
    TAG_OBJECT_IDENTIFIER = 0x06,
    TAG_UTF8_STRING = 0x0c,
    TAG_IA5_STRING = 0x16,
    TAG_SEQUENCE = 0x30,
    TAG_SET = 0x31,
    TAG_CONTEXT_0 = 0xa0,
    TAG_CONTEXT_1 = 0xa1,
};

/// Takes one element off the front of `rest`. Accepts tags of one octet and definite lengths of up to four
/// octets.
static inline bool der_next(struct octets *rest, uint8_t *tag, struct octets *contents)
{
    if (rest->count < 2 || (rest->at[0] & 0x1f) == 0x1f)
        return false;
    size_t header = 2, length = rest->at[1];
    if (length & 0x80) {
        size_t octets = length & 0x7f;
        if (octets == 0 || octets > 4 || rest->count - 2 < octets)
            return false;
        length = 0;
        for (size_t i = 0; i < octets; i++)
            length = length << 8 | rest->at[2 + i];
        header += octets;
    }
    if (rest->count - header < length)
        return false;
    *tag = rest->at[0];
    *contents = (struct octets){rest->at + header, length};
    rest->at += header + length;
    rest->count -= header + length;
    return true;
}

/// Takes one element that must have the given tag.
static inline bool der_take(struct octets *rest, uint8_t tag, struct octets *contents)
{
    uint8_t found;
    return rest->count > 0 && rest->at[0] == tag && der_next(rest, &found, contents);
}

/// Takes one element that must have the given tag. `whole` includes the element's tag and length.
static inline bool der_take_whole(struct octets *rest, uint8_t tag, struct octets *whole)
{
    const uint8_t *start = rest->at;
    struct octets contents;
    if (!der_take(rest, tag, &contents))
        return false;
    *whole = (struct octets){start, (size_t)(rest->at - start)};
    return true;
}

static inline bool der_begins_with(struct octets rest, uint8_t tag)
{
    return rest.count > 0 && rest.at[0] == tag;
}

#endif
