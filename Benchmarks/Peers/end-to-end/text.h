// A growing buffer of output, and what results write into it. Every function exits if memory runs out.
#ifndef TEXT_H
#define TEXT_H

#include "../common/octets.h"

struct text {
    char *at;
    size_t count, capacity;
};

_Noreturn void text_no_memory(void);

/// Returns the end of the text, with room for `count` characters after it.
char *text_room(struct text *text, size_t count);

static inline void append(struct text *text, const char *what, size_t count)
{
    memcpy(text_room(text, count), what, count);
    text->count += count;
}

#define APPEND(text, literal) append(text, literal, sizeof(literal) - 1)

/// Appends decimal digits, with zeros before them up to `least` digits.
void text_append_number(struct text *text, uint64_t number, int least);

void text_append_hexadecimal(struct text *text, const uint8_t *octets, size_t count);

/// Appends a JSON string, quotes included. Escapes quotes, backslashes and control characters. UTF-8 is copied
/// unchanged.
void text_append_json(struct text *text, struct octets string);

/// Appends a JSON string, or null if the string is empty.
void text_append_string_or_null(struct text *text, struct octets string);

#endif
