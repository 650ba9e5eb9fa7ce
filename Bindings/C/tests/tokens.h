/* Shared by the tests of tokens: the rows of Vectors/tokens/tokens.tsv, and a validator for each. */
#ifndef TOKENS_H
#define TOKENS_H

#include "support.h"

#define TEXT(literal) literal, sizeof literal - 1

static const char *kinds[] = {"transaction", "renewal-info", "notification", "app-transaction", "realtime-request"};
static size_t live;

static inline void *allocate(void *context, size_t size, size_t alignment) {
    (void)context;
    live++;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void deallocate(void *context, void *memory) {
    (void)context;
    live--;
    free(memory);
}

static const app_receipt_allocator allocator = {NULL, allocate, deallocate};

/* ---- The table ---- */

/* A row. Every text ends in a zero byte. */
struct row {
    const char *name, *kind, *trust, *root, *device, *now, *step, *code, *token;
};

static uint8_t *root;
static size_t root_length;
static char *table, *header;
static struct row rows[512];
static size_t row_count;

static inline char *read_text(const char *vectors, const char *name) {
    char path[4096];
    size_t length;
    char *text;
    snprintf(path, sizeof path, "%s/tokens/%s", vectors, name);
    text = (char *)read_file(path, &length);
    text[length] = 0;
    return text;
}

static inline void read_table(const char *vectors) {
    char path[4096], *line, *next;
    snprintf(path, sizeof path, "%s/tokens/root.der", vectors);
    root = read_file(path, &root_length);
    header = read_text(vectors, "header.txt");
    header[strcspn(header, "\n")] = 0;
    table = read_text(vectors, "tokens.tsv");
    for (line = strchr(table, '\n') + 1; *line; line = next) {
        char *fields[9];
        size_t field;
        next = line + strcspn(line, "\n");
        CHECK(*next == '\n' && row_count < sizeof rows / sizeof *rows);
        *next++ = 0;
        for (field = 0; field < 9; field++) {
            fields[field] = line;
            line += strcspn(line, "\t");
            if (field < 8) *line++ = 0;
        }
        memcpy(&rows[row_count++], fields, sizeof fields);
    }
}

static inline const struct row *row_named(const char *name) {
    size_t index;
    for (index = 0; index < row_count; index++)
        if (!strcmp(rows[index].name, name)) return &rows[index];
    fprintf(stderr, "no row %s\n", name);
    exit(1);
}

/* The characters of a token, which the caller frees. `~` stands for the text of header.txt. */
static inline char *token_of(const struct row *row) {
    size_t length = 1;
    const char *place;
    char *token, *end;
    for (place = row->token; *place; place++) length += *place == '~' ? strlen(header) : 1;
    token = end = (char *)malloc(length);
    CHECK(token != NULL);
    for (place = row->token; *place; place++) {
        if (*place == '~') {
            memcpy(end, header, strlen(header));
            end += strlen(header);
        } else {
            *end++ = *place;
        }
    }
    *end = 0;
    return token;
}

static inline int32_t kind_of(const struct row *row) {
    int32_t kind;
    for (kind = 0; kind < 5; kind++)
        if (!strcmp(row->kind, kinds[kind])) return kind + 1;
    fprintf(stderr, "no kind %s\n", row->kind);
    exit(1);
}

static inline size_t decode_base64(const char *text, uint8_t *bytes, size_t room) {
    const char *alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    size_t count = 0, pending = 0;
    for (; *text && *text != '='; text++) {
        const char *digit = strchr(alphabet, *text);
        CHECK(digit != NULL);
        bits = bits << 6 | (uint32_t)(digit - alphabet);
        pending += 6;
        if (pending >= 8) {
            pending -= 8;
            CHECK(count < room);
            bytes[count++] = (uint8_t)(bits >> pending);
        }
    }
    return count;
}

/* ---- Policies ---- */

static inline app_receipt_policy *expect_app(void) {
    app_receipt_policy *policy;
    CHECK(app_receipt_policy_create(&allocator, &policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_accept_token_environment(policy, TEXT("Production")) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_accept_token_environment(policy, TEXT("Sandbox")) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_accept_bundle_identifier(policy, TEXT("com.example.app")) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_require_app_apple_id(policy, 1234567890) == APP_RECEIPT_OK);
    return policy;
}

static inline app_receipt_policy *policy_of(const struct row *row) {
    static uint8_t other[8192];
    app_receipt_policy *policy = expect_app();
    if (strcmp(row->trust, "pinned")) {
        CHECK(app_receipt_policy_accept_token_environment(policy, TEXT("Xcode")) == APP_RECEIPT_OK);
        CHECK(app_receipt_policy_accept_token_environment(policy, TEXT("LocalTesting")) == APP_RECEIPT_OK);
    }
    if (!strcmp(row->trust, "self-signed")) {
        CHECK(app_receipt_policy_trust_any_self_signed_proving_integrity_only(policy) == APP_RECEIPT_OK);
    } else if (*row->root) {
        size_t length = decode_base64(row->root, other, sizeof other);
        CHECK(app_receipt_policy_trust_root(policy, other, length) == APP_RECEIPT_OK);
    } else {
        CHECK(app_receipt_policy_trust_root(policy, root, root_length) == APP_RECEIPT_OK);
    }
    if (!strcmp(row->trust, "xcode")) CHECK(app_receipt_policy_trust_xcode_testing(policy) == APP_RECEIPT_OK);
    if (*row->device)
        CHECK(app_receipt_policy_require_device_verification(policy, row->device, strlen(row->device)) ==
              APP_RECEIPT_OK);
    if (*row->now) {
        CHECK(app_receipt_policy_set_now(policy, strtoll(row->now, NULL, 10)) == APP_RECEIPT_OK);
        CHECK(app_receipt_policy_set_maximum_age(policy, 3600 * 1000) == APP_RECEIPT_OK);
    }
    return policy;
}

static inline app_receipt_token_validator *open_tokens(app_receipt_policy *policy) {
    app_receipt_token_validator *validator;
    CHECK(app_receipt_token_validator_create(policy, &validator) == APP_RECEIPT_OK);
    app_receipt_policy_release(policy);
    return validator;
}

/* Validates the token of a row, and checks that it is valid. */
static inline app_receipt_token_result *valid(app_receipt_token_validator *validator, const struct row *row) {
    app_receipt_token_result *result;
    char *token = token_of(row);
    CHECK(app_receipt_token_validate(validator, NULL, kind_of(row), (const uint8_t *)token, strlen(token), &result) ==
          APP_RECEIPT_OK);
    free(token);
    return result;
}

#endif
