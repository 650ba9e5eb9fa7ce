// A decoder of base64 (RFC 4648 section 4), without line breaks.
#ifndef BASE64_H
#define BASE64_H

#include "../common/octets.h"

/// The size of the buffer for that many characters. It includes the width of the last store, which writes
/// more bytes than it has decoded.
static inline size_t base64_room(size_t characters)
{
    return characters / 4 * 3 + 4;
}

/// Decodes `text` into `result` and sets `count`. Returns false if a character is not base64, or if the
/// characters are not whole groups with padding.
bool base64_decode(struct octets text, uint8_t *result, size_t *count);

#endif
