// A decoder of base64 (RFC 4648 section 4) and base64url (section 5), without line breaks.
#ifndef BASE64_H
#define BASE64_H

#include "octets.h"

enum base64 {
    BASE64,    ///< with padding
    BASE64URL, ///< without padding
};

/// The size of the buffer for that many characters. It includes the width of the last store, which writes
/// more bytes than it has decoded.
static inline size_t base64_room(size_t characters)
{
    return (characters + 3) / 4 * 3 + 4;
}

/// Decodes `text` into `result` and sets `count`. Returns false if a character is not of the alphabet, or if
/// the characters do not make whole octets.
bool base64_decode(struct octets text, enum base64 alphabet, uint8_t *result, size_t *count);

#endif
