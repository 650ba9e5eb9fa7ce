// Base64 as RFC 4648 section 4 has it, without line breaks.
#ifndef BASE64_H
#define BASE64_H

#include "../common/octets.h"

/// Room for what that many characters decode to, and for a last store that is wider than what it stores.
static inline size_t base64_room(size_t characters)
{
    return characters / 4 * 3 + 4;
}

/// False where a character is not of base64, or their number is not that of whole groups with their padding.
bool base64_decode(struct octets text, uint8_t *result, size_t *count);

#endif
