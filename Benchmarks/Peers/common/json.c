#include "json.h"

static const uint8_t *skip_blanks(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

// Returns the place behind the closing quote of the string whose first character is at `at`, or NULL.
static const uint8_t *skip_string(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *start = at;
    while ((at = memchr(at, '"', (size_t)(end - at))) != NULL) {
        size_t backslashes = 0;
        while (at - backslashes > start && at[-1 - (ptrdiff_t)backslashes] == '\\')
            backslashes++;
        at++;
        if (backslashes % 2 == 0)
            return at;
    }
    return NULL;
}

// Returns the place behind the value, or NULL if it does not end.
static const uint8_t *skip_value(const uint8_t *at, const uint8_t *end)
{
    size_t depth = 0;
    while (at < end) {
        uint8_t character = *at;
        if (character == '"') {
            at = skip_string(at + 1, end);
            if (at == NULL || depth == 0)
                return at;
            continue;
        }
        if (character == '{' || character == '[') {
            depth++;
        } else if (character == '}' || character == ']') {
            if (depth == 0)
                return at;
            if (--depth == 0)
                return at + 1;
        } else if (depth == 0 && (character == ',' || skip_blanks(at, at + 1) != at)) {
            return at;
        }
        at++;
    }
    return depth == 0 ? at : NULL;
}

bool json_next_member(struct octets *rest, struct octets *name, struct octets *value)
{
    const uint8_t *end = rest->at + rest->count, *at = skip_blanks(rest->at, end);
    if (at == end || (*at != '{' && *at != ','))
        return false;
    at = skip_blanks(at + 1, end);
    if (at == end || *at++ != '"')
        return false;
    const uint8_t *start = at;
    if ((at = skip_string(at, end)) == NULL)
        return false;
    *name = (struct octets){start, (size_t)(at - start) - 1};
    at = skip_blanks(at, end);
    if (at == end || *at++ != ':')
        return false;
    start = skip_blanks(at, end);
    if ((at = skip_value(start, end)) == NULL)
        return false;
    *value = (struct octets){start, (size_t)(at - start)};
    *rest = (struct octets){at, (size_t)(end - at)};
    return true;
}

bool json_member(struct octets object, const char *name, struct octets *value)
{
    struct octets wanted = {(const uint8_t *)name, strlen(name)}, found;
    while (json_next_member(&object, &found, value))
        if (octets_equal(found, wanted))
            return true;
    return false;
}

bool json_next_string(struct octets *rest, struct octets *contents)
{
    const uint8_t *end = rest->at + rest->count, *at = skip_blanks(rest->at, end);
    if (at == end || (*at != '[' && *at != ','))
        return false;
    at = skip_blanks(at + 1, end);
    if (at == end || *at != '"')
        return false;
    const uint8_t *start = ++at;
    if ((at = skip_string(at, end)) == NULL)
        return false;
    *contents = (struct octets){start, (size_t)(at - start) - 1};
    *rest = (struct octets){at, (size_t)(end - at)};
    return true;
}

bool json_string(struct octets value, struct octets *contents)
{
    if (value.count < 2 || value.at[0] != '"' || value.at[value.count - 1] != '"')
        return false;
    *contents = (struct octets){value.at + 1, value.count - 2};
    return true;
}
