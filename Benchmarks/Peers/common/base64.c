#include "base64.h"

#include <pthread.h>

// The value of each character in each of the four places of a group, with its bits where a little-endian
// store of the group needs them. A character that is not base64 has the bit NOT_BASE64, which no group uses.
enum { NOT_BASE64 = 1 << 24 };
typedef uint32_t places[4][256];
static places alphabets[2];

static void places_fill(places places, const char *alphabet)
{
    for (size_t place = 0; place < 4; place++)
        for (size_t i = 0; i < 256; i++)
            places[place][i] = NOT_BASE64;
    for (uint32_t i = 0; i < 64; i++) {
        uint8_t character = (uint8_t)alphabet[i];
        places[0][character] = i << 2;
        places[1][character] = i >> 4 | (i & 15) << 12;
        places[2][character] = (i >> 2) << 8 | (i & 3) << 22;
        places[3][character] = i << 16;
    }
}

static void alphabets_fill(void)
{
    places_fill(alphabets[BASE64], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    places_fill(alphabets[BASE64URL], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
}

static inline uint32_t group(const places places, const uint8_t *text)
{
    return places[0][text[0]] | places[1][text[1]] | places[2][text[2]] | places[3][text[3]];
}

static inline void store(uint8_t *result, uint32_t group)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(result, &group, sizeof group);
#else
    for (int i = 0; i < 3; i++)
        result[i] = (uint8_t)(group >> 8 * i);
#endif
}

bool base64_decode(struct octets text, enum base64 alphabet, uint8_t *result, size_t *count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, alphabets_fill);
    const uint32_t(*places)[256] = (const uint32_t(*)[256])alphabets[alphabet];
    size_t rest = text.count % 4;
    if (alphabet == BASE64 ? rest != 0 : rest == 1)
        return false;
    *count = text.count / 4 * 3 + (rest == 0 ? 0 : rest - 1);
    if (text.count == 0)
        return true;

    // Decodes all groups except the last, four at a time. Errors are collected in `all` and tested at the
    // end.
    size_t last_count = rest == 0 ? 4 : rest;
    const uint8_t *at = text.at, *last = text.at + text.count - last_count;
    uint32_t all = 0;
    for (; last - at >= 16; at += 16, result += 12) {
        uint32_t a = group(places, at), b = group(places, at + 4), c = group(places, at + 8),
                 d = group(places, at + 12);
        all |= a | b | c | d;
        store(result, a);
        store(result + 3, b);
        store(result + 6, c);
        store(result + 9, d);
    }
    for (; at < last; at += 4, result += 3) {
        uint32_t a = group(places, at);
        all |= a;
        store(result, a);
    }

    uint8_t tail[4] = {'A', 'A', 'A', 'A'};
    memcpy(tail, last, last_count);
    if (alphabet == BASE64 && tail[3] == '=') {
        bool two = tail[2] == '=';
        *count -= two ? 2 : 1;
        tail[3] = 'A';
        if (two)
            tail[2] = 'A';
    }
    uint32_t a = group(places, tail);
    all |= a;
    store(result, a);
    return (all & NOT_BASE64) == 0;
}
