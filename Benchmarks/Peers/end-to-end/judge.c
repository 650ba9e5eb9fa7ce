#include "judge.h"
#include "../common/base64.h"
#include "../libcrypto/verifier.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Checks base64, container, signature, and the path to the root at the creation date. It checks nothing else,
// so some kinds of bad receipts that `mint-corpus` makes are valid here: missing-marker,
// wrong-bundle and wrong-environment.

struct judge {
    struct verifier *verifier;
    struct hasher *hasher;
    uint8_t *receipt;
    size_t room;
};

struct judge *judge_new(struct octets root)
{
    struct judge *judge = calloc(1, sizeof *judge);
    if (judge == NULL)
        return NULL;
    judge->verifier = verifier_new(root);
    judge->hasher = hasher_new();
    return judge->verifier == NULL || judge->hasher == NULL ? NULL : judge;
}

static _Noreturn void no_memory(void)
{
    fputs("no memory\n", stderr);
    _exit(3);
}

// Output

static inline char *text_room(struct text *text, size_t count)
{
    if (text->capacity - text->count < count) {
        text->capacity = (text->capacity + count) * 2;
        text->at = realloc(text->at, text->capacity);
        if (text->at == NULL)
            no_memory();
    }
    return text->at + text->count;
}

static inline void append(struct text *text, const char *what, size_t count)
{
    memcpy(text_room(text, count), what, count);
    text->count += count;
}

#define APPEND(text, literal) append(text, literal, sizeof(literal) - 1)

static void append_number(struct text *text, uint64_t number)
{
    char digits[20], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    append(text, at, (size_t)(digits + sizeof digits - at));
}

static const char hexadecimal[] = "0123456789abcdef";

static void append_hexadecimal(struct text *text, const uint8_t *octets, size_t count)
{
    char *at = text_room(text, count * 2);
    for (size_t i = 0; i < count; i++) {
        at[2 * i] = hexadecimal[octets[i] >> 4];
        at[2 * i + 1] = hexadecimal[octets[i] & 15];
    }
    text->count += count * 2;
}

// Escapes quotes, backslashes and control characters. UTF-8 is copied unchanged.
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

static void append_string_or_null(struct text *text, struct octets string)
{
    if (string.count == 0)
        APPEND(text, "null");
    else
        text_append_json(text, string);
}

// An identifier is text in JSON, because it may have 63 bits.
static void append_item_or_null(struct text *text, struct octets item)
{
    uint64_t number = 0;
    for (size_t i = 0; i < item.count; i++)
        number = number << 8 | item.at[i];
    if (item.count == 0) {
        APPEND(text, "null");
        return;
    }
    APPEND(text, "\"");
    append_number(text, number);
    APPEND(text, "\"");
}

// Judging

static enum status unreadable(struct text *output, const char *code)
{
    APPEND(output, "null,\"status\":\"unreadable\",\"step\":\"input\",\"code\":\"input.");
    append(output, code, strlen(code));
    APPEND(output, "\",\"not_checked\":null}\n");
    return STATUS_UNREADABLE;
}

// The library's own reason is not written, because it differs when the chain is already known. The results
// must be the same with any number of threads.
static enum status invalid(struct text *output, enum step refused)
{
    static const char *const steps[] = {"container", "creation-date", "certificate-path", "signature",
                                        "payload"};
    const char *step = steps[refused];
    APPEND(output, "\"status\":\"invalid\",\"step\":\"");
    append(output, step, strlen(step));
    APPEND(output, "\",\"code\":\"libcrypto.");
    append(output, step, strlen(step));
    APPEND(output, "\",\"not_checked\":null}\n");
    return STATUS_INVALID;
}

static enum status valid(struct text *output, const struct payload *payload)
{
    // `app-receipt corpus verify --environment any --bundle-id any` does not check these either.
    APPEND(output, "\"status\":\"valid\",\"step\":null,\"code\":null,\"not_checked\":[\"environment\","
                   "\"bundle-identifier\",\"app-version\",\"device-hash\",\"expiration-date\"],"
                   "\"receipt\":{\"receipt_type\":");
    append_string_or_null(output, payload->environment);
    APPEND(output, ",\"bundle_id\":");
    append_string_or_null(output, payload->bundle_identifier);
    APPEND(output, ",\"application_version\":");
    append_string_or_null(output, payload->app_version);
    APPEND(output, ",\"receipt_creation_date\":");
    append_string_or_null(output, payload->creation_date);
    APPEND(output, ",\"app_item_id\":");
    append_item_or_null(output, payload->item);
    APPEND(output, ",\"in_app_count\":");
    append_number(output, payload->purchases);
    APPEND(output, "}}\n");
    return STATUS_VALID;
}

// Writes the members before the status. The key is the first half of a SHA-256 over the source's name, zero octets up
// to the next multiple of 64 (at least one), the record's number and offset in eight octets each, and an octet 1 and the
// receipt's SHA-256, or an octet 0 and the line if it has no receipt.
static void append_head(struct judge *judge, const struct record *record, const uint8_t *sha256,
                        struct text *output)
{
    size_t name = strlen(record->name) / 64 * 64 + 64;
    size_t rest = sha256 == NULL ? record->line.count : 32;
    uint8_t *message = malloc(name + 17 + rest), digest[64];
    if (message == NULL)
        no_memory();
    memset(message, 0, name);
    memcpy(message, record->name, strlen(record->name));
    for (int i = 0; i < 8; i++) {
        message[name + (size_t)i] = (uint8_t)(record->number >> (56 - 8 * i));
        message[name + 8 + (size_t)i] = (uint8_t)(record->offset >> (56 - 8 * i));
    }
    message[name + 16] = sha256 != NULL;
    if (rest > 0)
        memcpy(message + name + 17, sha256 == NULL ? record->line.at : sha256, rest);
    struct octets octets = {message, name + 17 + rest};
    if (!hasher_digest(judge->hasher, DIGEST_SHA256, octets, digest))
        no_memory();
    free(message);
    APPEND(output, "{\"key\":\"");
    append_hexadecimal(output, digest, 16);
    APPEND(output, "\",\"source\":");
    append(output, record->source, strlen(record->source));
    APPEND(output, ",\"record\":");
    append_number(output, record->number);
    APPEND(output, ",\"offset\":");
    append_number(output, record->offset);
    APPEND(output, ",\"sha256\":");
}

enum status judge_record(struct judge *judge, const struct record *record, struct text *output)
{
    if (judge->room < base64_room(record->line.count)) {
        judge->room = base64_room(record->line.count) * 2;
        free(judge->receipt);
        judge->receipt = malloc(judge->room);
        if (judge->receipt == NULL)
            no_memory();
    }
    size_t count;
    bool empty = record->line.count == 0;
    if (empty || !base64_decode(record->line, BASE64, judge->receipt, &count)) {
        append_head(judge, record, NULL, output);
        return unreadable(output, empty ? "empty" : "not-base64");
    }

    struct octets receipt = {judge->receipt, count};
    uint8_t digest[64];
    if (!hasher_digest(judge->hasher, DIGEST_SHA256, receipt, digest))
        no_memory();
    append_head(judge, record, digest, output);
    APPEND(output, "\"");
    append_hexadecimal(output, digest, 32);
    APPEND(output, "\",");

    struct payload payload;
    struct refusal refusal;
    if (!verifier_verify_remembered(judge->verifier, receipt, &payload, &refusal))
        return invalid(output, refusal.step);
    return valid(output, &payload);
}
