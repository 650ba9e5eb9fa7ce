#include "judge.h"
#include "../common/base64.h"
#include "../libcrypto/token.h"
#include "../libcrypto/verifier.h"
#include "token_result.h"

#include <stdlib.h>
#include <unistd.h>

// Checks base64, container, signature, and the path to the root at the creation date. It checks nothing else,
// so some kinds of bad receipts that `mint-corpus` makes are valid here: missing-marker,
// wrong-bundle and wrong-environment.

struct judge {
    struct verifier *verifier;
    struct token_verifier *tokens; // NULL if the lines are receipts
    struct hasher *hasher;
    uint8_t *receipt;
    size_t room;
};

struct judge *judge_new(struct octets root, bool tokens)
{
    struct judge *judge = calloc(1, sizeof *judge);
    if (judge == NULL)
        return NULL;
    judge->verifier = verifier_new(root);
    judge->hasher = hasher_new();
    if (tokens && (judge->tokens = token_verifier_new(root)) == NULL)
        return NULL;
    return judge->verifier == NULL || judge->hasher == NULL ? NULL : judge;
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
    text_append_number(text, number, 1);
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
    APPEND(output, "\"status\":\"valid\",\"step\":null,\"code\":null,\"not_checked\":[\"revocation\",\"environment\","
                   "\"bundle-identifier\",\"app-version\",\"device-hash\",\"expiration-date\"],"
                   "\"receipt\":{\"receipt_type\":");
    text_append_string_or_null(output, payload->environment);
    APPEND(output, ",\"bundle_id\":");
    text_append_string_or_null(output, payload->bundle_identifier);
    APPEND(output, ",\"application_version\":");
    text_append_string_or_null(output, payload->app_version);
    APPEND(output, ",\"receipt_creation_date\":");
    text_append_string_or_null(output, payload->creation_date);
    APPEND(output, ",\"app_item_id\":");
    append_item_or_null(output, payload->item);
    APPEND(output, ",\"in_app_count\":");
    text_append_number(output, payload->purchases, 1);
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
        text_no_memory();
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
        text_no_memory();
    free(message);
    APPEND(output, "{\"key\":\"");
    text_append_hexadecimal(output, digest, 16);
    APPEND(output, "\",\"source\":");
    append(output, record->source, strlen(record->source));
    APPEND(output, ",\"record\":");
    text_append_number(output, record->number, 1);
    APPEND(output, ",\"offset\":");
    text_append_number(output, record->offset, 1);
    APPEND(output, ",\"sha256\":");
}

static enum status judge_token(struct judge *judge, const struct record *record, struct text *output)
{
    uint8_t digest[64];
    struct octets payload;
    const char *reason;
    if (!hasher_digest(judge->hasher, DIGEST_SHA256, record->line, digest))
        text_no_memory();
    append_head(judge, record, digest, output);
    APPEND(output, "\"");
    text_append_hexadecimal(output, digest, 32);
    APPEND(output, "\",");
    if (!token_verify(judge->tokens, record->line, true, &payload, &reason))
        return invalid(output, STEP_SIGNATURE);
    text_append_transaction(output, payload);
    return STATUS_VALID;
}

enum status judge_record(struct judge *judge, const struct record *record, struct text *output)
{
    if (judge->tokens != NULL)
        return judge_token(judge, record, output);
    if (judge->room < base64_room(record->line.count)) {
        judge->room = base64_room(record->line.count) * 2;
        free(judge->receipt);
        judge->receipt = malloc(judge->room);
        if (judge->receipt == NULL)
            text_no_memory();
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
        text_no_memory();
    append_head(judge, record, digest, output);
    APPEND(output, "\"");
    text_append_hexadecimal(output, digest, 32);
    APPEND(output, "\",");

    struct payload payload;
    struct refusal refusal;
    if (!verifier_verify_remembered(judge->verifier, receipt, &payload, &refusal))
        return invalid(output, refusal.step);
    return valid(output, &payload);
}
