#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void text_no_memory(void)
{
    fputs("no memory\n", stderr);
    _exit(3);
}

char *text_room(struct text *text, size_t count)
{
    if (text->capacity - text->count < count) {
        text->capacity = (text->capacity + count) * 2;
        text->at = realloc(text->at, text->capacity);
        if (text->at == NULL)
            text_no_memory();
    }
    return text->at + text->count;
}

void text_append_number(struct text *text, uint64_t number, int least)
{
    char digits[20], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0 || digits + sizeof digits - at < least);
    append(text, at, (size_t)(digits + sizeof digits - at));
}

static const char hexadecimal[] = "0123456789abcdef";

void text_append_hexadecimal(struct text *text, const uint8_t *octets, size_t count)
{
    char *at = text_room(text, count * 2);
    for (size_t i = 0; i < count; i++) {
        at[2 * i] = hexadecimal[octets[i] >> 4];
        at[2 * i + 1] = hexadecimal[octets[i] & 15];
    }
    text->count += count * 2;
}

void text_append_json(struct text *text, struct octets string)
{
    char *start = text_room(text, string.count * 6 + 2), *at = start;
    *at++ = '"';
    for (size_t i = 0; i < string.count; i++) {
        uint8_t c = string.at[i];
        if (c == '"' || c == '\\') {
            *at++ = '\\';
            *at++ = (char)c;
        } else if (c < 0x20) {
            memcpy(at, "\\u00", 4);
            at[4] = hexadecimal[c >> 4];
            at[5] = hexadecimal[c & 15];
            at += 6;
        } else {
            *at++ = (char)c;
        }
    }
    *at++ = '"';
    text->count += (size_t)(at - start);
}

void text_append_string_or_null(struct text *text, struct octets string)
{
    if (string.count == 0)
        APPEND(text, "null");
    else
        text_append_json(text, string);
}
