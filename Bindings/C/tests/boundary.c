/* boundary VECTORS: the mistakes of callers, the accessors, and the caller's allocator. */
#include "support.h"

static char path[4096];

static const char *vector(const char *root, const char *name) {
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

/* ---- An allocator that counts ---- */

struct counts {
    size_t live, calls, bytes;
};

static void *count_allocate(void *context, size_t size, size_t alignment) {
    struct counts *counts = (struct counts *)context;
    CHECK(alignment >= sizeof(void *) && (alignment & (alignment - 1)) == 0);
    counts->live++;
    counts->calls++;
    counts->bytes += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void count_deallocate(void *context, void *memory) {
    struct counts *counts = (struct counts *)context;
    CHECK(memory != NULL && counts->live > 0);
    counts->live--;
    free(memory);
}

/* ---- Mistakes ---- */

static void check_null(void) {
    app_receipt_policy *policy = NULL;
    app_receipt_validator *validator = NULL;
    app_receipt_result *result = NULL;
    app_receipt_endpoint *endpoint = NULL;
    app_receipt_answer *answer = NULL;
    app_receipt_error error;
    app_receipt_input input = {NULL, 1};
    const char *text;
    char buffer[4];
    size_t length = 7;
    int64_t number = 7;
    const app_receipt_allocator half = {NULL, count_allocate, NULL};
    app_receipt_status null = APP_RECEIPT_NULL_ARGUMENT;

    CHECK(app_receipt_policy_create(NULL, NULL) == null);
    CHECK(app_receipt_policy_create(&half, &policy) == null && policy == NULL);
    CHECK(app_receipt_policy_accept_environment(NULL, "Xcode", 5) == null);
    CHECK(app_receipt_policy_accept_any_environment(NULL) == null);
    CHECK(app_receipt_policy_accept_bundle_identifier(NULL, "a", 1) == null);
    CHECK(app_receipt_policy_accept_any_bundle_identifier(NULL) == null);
    CHECK(app_receipt_policy_require_app_version(NULL, "1", 1) == null);
    CHECK(app_receipt_policy_accept_device(NULL, (const uint8_t *)"123456", 6) == null);
    CHECK(app_receipt_policy_trust_root(NULL, NULL, 0) == null);
    CHECK(app_receipt_policy_omit_markers(NULL) == null);
    CHECK(app_receipt_policy_trust_xcode_testing(NULL) == null);
    CHECK(app_receipt_policy_add_issuer(NULL, NULL, 0) == null);
    CHECK(app_receipt_policy_set_now(NULL, 0) == null);
    CHECK(app_receipt_policy_set_path_time(NULL, 0) == null);
    CHECK(app_receipt_policy_add_latest_receipt_info(NULL) == null);
    CHECK(app_receipt_policy_set_minimum_digest(NULL, 256) == null);
    CHECK(app_receipt_policy_set_limit(NULL, APP_RECEIPT_LIMIT_DEPTH, 1) == null);
    CHECK(app_receipt_validator_create(NULL, &validator) == null && validator == NULL);
    CHECK(app_receipt_cache_create(NULL, NULL) == null);
    CHECK(app_receipt_validate(NULL, NULL, NULL, 0, &result) == null && result == NULL);
    CHECK(app_receipt_validate_many(NULL, NULL, NULL, 0, NULL) == null);
    CHECK(app_receipt_result_verdict(NULL) == null);
    CHECK(app_receipt_result_error(NULL, &error) == null);
    CHECK(app_receipt_result_text(NULL, APP_RECEIPT_APP_VERSION, buffer, 4, &length) == null && length == 7);
    CHECK(app_receipt_result_octets(NULL, APP_RECEIPT_SHA1_HASH, NULL, 0, &length) == null);
    CHECK(app_receipt_result_integer(NULL, APP_RECEIPT_PLATFORM, &number) == null && number == 7);
    CHECK(app_receipt_result_purchase_count(NULL, &length) == null);
    CHECK(app_receipt_purchase_text(NULL, 0, APP_RECEIPT_PRODUCT_IDENTIFIER, buffer, 4, &length) == null);
    CHECK(app_receipt_purchase_integer(NULL, 0, APP_RECEIPT_QUANTITY, &number) == null);
    CHECK(app_receipt_result_json(NULL, buffer, 4, &length) == null);
    CHECK(app_receipt_inspect_unverified(NULL, 3, buffer, 4, &length) == null);
    CHECK(app_receipt_decode(NULL, 3, NULL, 0, &length) == null);
    CHECK(app_receipt_decode(NULL, 0, NULL, 0, NULL) == null);
    CHECK(app_receipt_endpoint_create(NULL, 0, 0, &endpoint) == null);
    CHECK(app_receipt_endpoint_create_with_secrets(NULL, 0, 0, NULL, 0, &endpoint) == null);
    CHECK(app_receipt_endpoint_answer(NULL, NULL, NULL, 0, 0, &answer) == null);
    CHECK(app_receipt_answer_status(NULL) == null);
    CHECK(app_receipt_answer_body(NULL, &text, &length) == null);
    CHECK(app_receipt_answer_error(NULL, &error) == null);

    CHECK(app_receipt_policy_create(NULL, &policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_accept_environment(policy, NULL, 5) == null);
    CHECK(app_receipt_endpoint_create(policy, 0, 0, NULL) == null);
    CHECK(app_receipt_endpoint_create_with_secrets(policy, 0, 0, &input, 1, &endpoint) == null);
    CHECK(app_receipt_policy_accept_any_environment(policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_accept_any_bundle_identifier(policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_validator_create(policy, NULL) == null);
    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
    CHECK(app_receipt_validate(validator, NULL, NULL, 1, &result) == null);
    CHECK(app_receipt_validate(validator, NULL, NULL, 0, NULL) == null);
    CHECK(app_receipt_validate_many(validator, NULL, NULL, 1, &result) == null);
    CHECK(app_receipt_validate_many(validator, NULL, &input, 1, &result) == null && result == NULL);
    CHECK(app_receipt_validate_many(validator, NULL, NULL, 0, NULL) == APP_RECEIPT_OK);

    app_receipt_policy_release(NULL);
    app_receipt_validator_release(NULL);
    app_receipt_cache_release(NULL);
    app_receipt_result_release(NULL);
    app_receipt_endpoint_release(NULL);
    app_receipt_answer_release(NULL);
    app_receipt_policy_release(policy);
    app_receipt_validator_release(validator);
}

static void check_values(void) {
    app_receipt_policy *policy;
    app_receipt_validator *validator = NULL;
    app_receipt_endpoint *endpoint = NULL;
    app_receipt_result *result = NULL;
    app_receipt_input input = {(const uint8_t *)"", SIZE_MAX};
    app_receipt_status bad = APP_RECEIPT_BAD_VALUE, range = APP_RECEIPT_OUT_OF_RANGE;

    CHECK(app_receipt_abi() == APP_RECEIPT_ABI);
    CHECK(app_receipt_policy_create(NULL, &policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_INCOMPLETE_POLICY);
    CHECK(app_receipt_policy_accept_environment(policy, "production", 10) == bad);
    CHECK(app_receipt_policy_accept_environment(policy, "Production", 9) == bad);
    CHECK(app_receipt_policy_accept_environment(policy, "Production", SIZE_MAX) == range);
    CHECK(app_receipt_policy_accept_environment(policy, "Production", 10) == APP_RECEIPT_OK);
    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_INCOMPLETE_POLICY);
    CHECK(app_receipt_policy_accept_bundle_identifier(policy, "\xff", 1) == bad);
    CHECK(app_receipt_policy_accept_bundle_identifier(policy, "com.example.receipts", 20) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_require_app_version(policy, "\xc3", 1) == bad);
    CHECK(app_receipt_policy_accept_device(policy, (const uint8_t *)"12345", 5) == bad);
    CHECK(app_receipt_policy_trust_root(policy, (const uint8_t *)"12345", 5) == bad);
    CHECK(app_receipt_policy_add_issuer(policy, (const uint8_t *)"12345", 5) == bad);
    CHECK(app_receipt_policy_set_minimum_digest(policy, 128) == bad);
    CHECK(app_receipt_policy_set_limit(policy, 0, 1) == bad);
    CHECK(app_receipt_policy_set_limit(policy, APP_RECEIPT_LIMIT_SIGNATURE_CHECKS + 1, 1) == bad);
    CHECK(app_receipt_policy_set_limit(policy, APP_RECEIPT_LIMIT_DEPTH, 0) == bad);
    CHECK(app_receipt_policy_set_limit(policy, APP_RECEIPT_LIMIT_DEPTH, INT64_MAX) == bad);
    CHECK(app_receipt_policy_set_limit(policy, APP_RECEIPT_LIMIT_DEPTH, INT64_MIN) == bad);
    CHECK(app_receipt_endpoint_create(policy, 2, 0, &endpoint) == bad && endpoint == NULL);
    CHECK(app_receipt_endpoint_create(policy, 0, -1, &endpoint) == bad);
    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
    CHECK(app_receipt_validate(validator, NULL, (const uint8_t *)"", SIZE_MAX, &result) == range);
    CHECK(app_receipt_validate_many(validator, NULL, &input, 1, &result) == range && result == NULL);
    CHECK(app_receipt_validate_many(validator, NULL, &input, SIZE_MAX, &result) == range);
    /* Markers may be left out only under roots of the caller. */
    CHECK(app_receipt_policy_omit_markers(policy) == APP_RECEIPT_OK);
    app_receipt_validator_release(validator);
    validator = NULL;
    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_INCOMPLETE_POLICY);
    app_receipt_policy_release(policy);
}

/* ---- Accessors ---- */

static void check_text(const app_receipt_result *result, int32_t field, const char *expected) {
    char buffer[256];
    size_t length = 0, wanted = strlen(expected);
    CHECK(app_receipt_result_text(result, field, NULL, 0, &length) == APP_RECEIPT_BUFFER_TOO_SMALL);
    CHECK(length == wanted);
    memset(buffer, '#', sizeof buffer);
    CHECK(app_receipt_result_text(result, field, buffer, wanted - 1, &length) == APP_RECEIPT_BUFFER_TOO_SMALL);
    CHECK(buffer[0] == '#');
    CHECK(app_receipt_result_text(result, field, buffer, wanted, &length) == APP_RECEIPT_OK);
    CHECK(memcmp(buffer, expected, wanted) == 0 && buffer[wanted] == '#');
    CHECK(app_receipt_result_text(result, field, NULL, 1, &length) == APP_RECEIPT_NULL_ARGUMENT);
    CHECK(app_receipt_result_text(result, field, buffer, SIZE_MAX, &length) == APP_RECEIPT_OUT_OF_RANGE);
    CHECK(app_receipt_result_text(result, field, buffer, sizeof buffer, NULL) == APP_RECEIPT_NULL_ARGUMENT);
}

/* The expected values were read with openssl asn1parse. */
static void check_accessors(const char *vectors) {
    struct counts counts = {0, 0, 0};
    const app_receipt_allocator allocator = {&counts, count_allocate, count_deallocate};
    app_receipt_policy *policy = open_policy(&allocator, vector(vectors, "certificates/root.der"));
    app_receipt_validator *validator;
    app_receipt_cache *cache;
    app_receipt_result *result, *refused;
    app_receipt_error error;
    size_t length, count, calls;
    uint8_t *bytes = read_file(vector(vectors, "receipts/sandbox-sha256.der"), &length);
    uint8_t octets[64];
    char buffer[256];
    int64_t number;

    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
    app_receipt_policy_release(policy);
    CHECK(app_receipt_cache_create(&allocator, &cache) == APP_RECEIPT_OK);
    CHECK(app_receipt_validate(validator, cache, bytes, length, &result) == APP_RECEIPT_OK);

    calls = counts.calls;
    check_text(result, APP_RECEIPT_ENVIRONMENT, "ProductionSandbox");
    check_text(result, APP_RECEIPT_BUNDLE_IDENTIFIER, "com.example.receipts");
    check_text(result, APP_RECEIPT_APP_VERSION, "42");
    check_text(result, APP_RECEIPT_ORIGINAL_APP_VERSION, "1.0");
    check_text(result, APP_RECEIPT_NOT_CHECKED,
               "revocation,environment,bundle-identifier,app-version,device-hash,expiration-date");
    CHECK(app_receipt_result_integer(result, APP_RECEIPT_CREATION_DATE, &number) == APP_RECEIPT_OK);
    CHECK(number == 1749988800000); /* 2025-06-15T12:00:00Z */
    CHECK(app_receipt_result_integer(result, APP_RECEIPT_EXPIRATION_DATE, &number) == APP_RECEIPT_ABSENT);
    CHECK(app_receipt_result_octets(result, APP_RECEIPT_SHA1_HASH, octets, 64, &count) == APP_RECEIPT_OK);
    CHECK(count == 20 && octets[0] == 0x21 && octets[19] == 0x7c);
    CHECK(app_receipt_result_purchase_count(result, &count) == APP_RECEIPT_OK && count == 2);
    CHECK(app_receipt_purchase_text(result, 0, APP_RECEIPT_TRANSACTION_IDENTIFIER, buffer, 256, &count) ==
          APP_RECEIPT_OK);
    CHECK(count == 16 && memcmp(buffer, "2000000100000001", 16) == 0);
    CHECK(app_receipt_purchase_integer(result, 0, APP_RECEIPT_PURCHASE_DATE, &number) == APP_RECEIPT_OK);
    CHECK(number == 1748765730000); /* 2025-06-01T08:15:30Z */
    CHECK(app_receipt_purchase_integer(result, 0, APP_RECEIPT_OWNERSHIP, &number) == APP_RECEIPT_OK && number == 0);
    CHECK(app_receipt_purchase_integer(result, 0, APP_RECEIPT_EXPIRES_DATE, &number) == APP_RECEIPT_ABSENT);
    CHECK(app_receipt_purchase_integer(result, 2, APP_RECEIPT_QUANTITY, &number) == APP_RECEIPT_OUT_OF_RANGE);
    CHECK(app_receipt_purchase_integer(result, SIZE_MAX, APP_RECEIPT_QUANTITY, &number) ==
          APP_RECEIPT_OUT_OF_RANGE);
    /* A field of another kind, or no field. */
    CHECK(app_receipt_result_integer(result, APP_RECEIPT_APP_VERSION, &number) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_result_text(result, APP_RECEIPT_PLATFORM, buffer, 256, &count) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_result_octets(result, APP_RECEIPT_APP_VERSION, octets, 64, &count) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_result_text(result, APP_RECEIPT_QUANTITY, buffer, 256, &count) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_purchase_text(result, 0, APP_RECEIPT_APP_VERSION, buffer, 256, &count) ==
          APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_result_text(result, 0, buffer, 256, &count) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_result_text(result, INT32_MIN, buffer, 256, &count) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_purchase_integer(result, 0, INT32_MIN, &number) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_purchase_integer(result, 0, INT32_MAX, &number) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_result_error(result, &error) == APP_RECEIPT_ABSENT);
    CHECK(app_receipt_result_error(result, NULL) == APP_RECEIPT_NULL_ARGUMENT);
    /* The accessors allocated nothing. Only the digest of the content does. */
    CHECK(counts.calls == calls);
    CHECK(app_receipt_result_octets(result, APP_RECEIPT_CONTENT_SHA256, octets, 64, &count) == APP_RECEIPT_OK);
    CHECK(count == 32 && octets[0] == 0xd6 && octets[31] == 0x21);

    bytes[length - 1] ^= 1;
    CHECK(app_receipt_validate(validator, cache, bytes, length, &refused) == APP_RECEIPT_REFUSED);
    CHECK(app_receipt_result_verdict(refused) == APP_RECEIPT_REFUSED);
    CHECK(app_receipt_result_error(refused, &error) == APP_RECEIPT_OK);
    CHECK(strcmp(error.step, "signature") == 0 && strcmp(error.kind, "invalid") == 0);
    CHECK(error.code > 0 && error.offset >= 0 && error.certificate == -1);
    CHECK(strlen(error.name) > 0 && strlen(error.message) > 0 && strlen(error.reading) > 0);
    CHECK(app_receipt_result_text(refused, APP_RECEIPT_BUNDLE_IDENTIFIER, buffer, 256, &count) ==
          APP_RECEIPT_ABSENT);
    CHECK(app_receipt_result_purchase_count(refused, &count) == APP_RECEIPT_OK && count == 0);

    /* A result outlives its validator. */
    app_receipt_validator_release(validator);
    check_text(result, APP_RECEIPT_BUNDLE_IDENTIFIER, "com.example.receipts");
    app_receipt_result_release(result);
    app_receipt_result_release(refused);
    app_receipt_cache_release(cache);
    CHECK(counts.live == 0 && counts.calls > 0);
    free(bytes);
}

/* Every length of a receipt, and many at once with an allocator each. */
static void check_lengths(const char *vectors) {
    struct counts counts = {0, 0, 0}, others = {0, 0, 0};
    const app_receipt_allocator allocator = {&counts, count_allocate, count_deallocate};
    const app_receipt_allocator other = {&others, count_allocate, count_deallocate};
    app_receipt_policy *policy = open_policy(&allocator, vector(vectors, "certificates/root.der"));
    app_receipt_validator *validator;
    app_receipt_cache *cache;
    app_receipt_input inputs[3];
    app_receipt_result *results[3];
    size_t length, cut;
    uint8_t *bytes = read_file(vector(vectors, "receipts/sandbox-sha256.der"), &length);

    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
    CHECK(app_receipt_cache_create(&other, &cache) == APP_RECEIPT_OK);
    for (cut = 0; cut < length; cut += 37) {
        app_receipt_result *result;
        /* A copy of its own, so that a sanitizer sees a read beyond the end. */
        uint8_t *part = (uint8_t *)malloc(cut + 1);
        uint8_t *exact = (uint8_t *)realloc(part, cut ? cut : 1);
        memcpy(exact, bytes, cut);
        CHECK(app_receipt_validate(validator, cut % 2 ? cache : NULL, exact, cut, &result) == APP_RECEIPT_REFUSED);
        app_receipt_result_release(result);
        free(exact);
    }
    inputs[0].bytes = bytes;
    inputs[0].length = length;
    inputs[1].bytes = NULL;
    inputs[1].length = 0;
    inputs[2] = inputs[0];
    CHECK(app_receipt_validate_many(validator, cache, inputs, 3, results) == APP_RECEIPT_OK);
    CHECK(app_receipt_result_verdict(results[0]) == APP_RECEIPT_OK);
    CHECK(app_receipt_result_verdict(results[1]) == APP_RECEIPT_REFUSED);
    CHECK(app_receipt_result_verdict(results[2]) == APP_RECEIPT_OK);
    for (cut = 0; cut < 3; cut++) app_receipt_result_release(results[cut]);
    app_receipt_policy_release(policy);
    app_receipt_validator_release(validator);
    app_receipt_cache_release(cache);
    CHECK(counts.live == 0 && others.live == 0);
    free(bytes);
}

/* ---- The endpoint and inspection ---- */

/* Every time has an answer, the first and the last 64-bit number included. */
static void check_times(const app_receipt_endpoint *endpoint, const char *vectors) {
    const int64_t times[] = {INT64_MIN, -62135596800001, -1, 0, 253402300800000, INT64_MAX};
    size_t length, index, kept = 0;
    uint8_t *text = read_file(vector(vectors, "receipts/sandbox-sha256.b64"), &length);
    char *request = (char *)malloc(length + 32);
    /* The endpoint takes no line breaks in base64. */
    for (index = 0; index < length; index++)
        if (text[index] > ' ') text[kept++] = text[index];
    snprintf(request, length + 32, "{\"receipt-data\":\"%.*s\"}", (int)kept, (const char *)text);
    for (index = 0; index < sizeof times / sizeof *times; index++) {
        app_receipt_answer *answer;
        CHECK(app_receipt_endpoint_answer(endpoint, NULL, (const uint8_t *)request, strlen(request), times[index],
                                          &answer) == APP_RECEIPT_OK);
        CHECK(app_receipt_answer_status(answer) == 0);
        app_receipt_answer_release(answer);
    }
    free(request);
    free(text);
}

static void check_endpoint(const char *vectors) {
    app_receipt_policy *policy = open_policy(NULL, vector(vectors, "certificates/root.der"));
    app_receipt_endpoint *endpoint;
    app_receipt_answer *answer;
    app_receipt_error error;
    const char *body;
    size_t length;
    const char *request = "{\"receipt-data\":\"MA==\"}";
    CHECK(app_receipt_endpoint_create(policy, 1, 0, &endpoint) == APP_RECEIPT_OK);
    CHECK(app_receipt_endpoint_answer(endpoint, NULL, (const uint8_t *)request, strlen(request), 0, &answer) ==
          APP_RECEIPT_OK);
    CHECK(app_receipt_answer_status(answer) == 21002);
    CHECK(app_receipt_answer_body(answer, &body, &length) == APP_RECEIPT_OK);
    CHECK(length == 16 && memcmp(body, "{\"status\":21002}", 16) == 0);
    CHECK(app_receipt_answer_error(answer, &error) == APP_RECEIPT_OK && strcmp(error.step, "container") == 0);
    app_receipt_answer_release(answer);
    check_times(endpoint, vectors);
    CHECK(app_receipt_endpoint_answer(endpoint, NULL, (const uint8_t *)"", 0, 0, &answer) == APP_RECEIPT_OK);
    CHECK(app_receipt_answer_status(answer) == 21002 || app_receipt_answer_status(answer) == 21000);
    CHECK(app_receipt_answer_error(answer, &error) == APP_RECEIPT_OK && strcmp(error.step, "request") == 0);
    app_receipt_answer_release(answer);
    app_receipt_endpoint_release(endpoint);
    app_receipt_policy_release(policy);
}

static void check_inspection(const char *vectors) {
    size_t length, needed, again;
    uint8_t *bytes = read_file(vector(vectors, "receipts/sandbox-sha256.der"), &length);
    char *json;
    CHECK(app_receipt_inspect_unverified(bytes, length, NULL, 0, &needed) == APP_RECEIPT_BUFFER_TOO_SMALL);
    json = (char *)malloc(needed + 1);
    CHECK(app_receipt_inspect_unverified(bytes, length, json, needed, &again) == APP_RECEIPT_OK);
    json[needed] = 0;
    CHECK(again == needed && strstr(json, "{\"unverified_receipt\":{") == json);
    CHECK(strstr(json, "\"certificates\":[{") != NULL);
    CHECK(app_receipt_inspect_unverified(NULL, 0, json, needed, &again) == APP_RECEIPT_OK);
    CHECK(again == 19 && memcmp(json, "{\"certificates\":[]}", 19) == 0);
    free(json);
    free(bytes);
}

static void check_decoding(void) {
    const char *text = "{\"receipt-data\":\"MAMEAgA=\"}";
    const uint8_t *input = (const uint8_t *)text;
    static const uint8_t expected[] = {0x30, 0x03, 0x04, 0x02, 0x00};
    uint8_t buffer[6] = {9, 9, 9, 9, 9, 9};
    size_t needed = 0;
    CHECK(app_receipt_decode(input, strlen(text), NULL, 0, &needed) == APP_RECEIPT_BUFFER_TOO_SMALL && needed == 5);
    CHECK(app_receipt_decode(input, strlen(text), buffer, 4, &needed) == APP_RECEIPT_BUFFER_TOO_SMALL && buffer[0] == 9);
    CHECK(app_receipt_decode(input, strlen(text), buffer, 5, &needed) == APP_RECEIPT_OK && needed == 5);
    CHECK(memcmp(buffer, expected, 5) == 0 && buffer[5] == 9);
    CHECK(app_receipt_decode(input, strlen(text) - 1, buffer, 5, &needed) == APP_RECEIPT_ABSENT);
    CHECK(app_receipt_decode(NULL, 0, buffer, 5, &needed) == APP_RECEIPT_ABSENT);

    /* A SEQUENCE of 8 MiB with its header is whole, and one a byte longer is absent. */
    const size_t limit = (size_t)8 << 20;
    uint8_t *large = (uint8_t *)calloc(limit + 1, 1);
    if (large == NULL) exit(1);
    memcpy(large, "\x30\x83\x7F\xFF\xFB\x04\x83\x7F\xFF\xF6", 10);
    CHECK(app_receipt_decode(large, limit, NULL, 0, &needed) == APP_RECEIPT_BUFFER_TOO_SMALL && needed == limit);
    memcpy(large, "\x30\x83\x7F\xFF\xFC\x04\x83\x7F\xFF\xF7", 10);
    CHECK(app_receipt_decode(large, limit + 1, NULL, 0, &needed) == APP_RECEIPT_ABSENT);
    free(large);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    check_null();
    check_values();
    check_accessors(arguments[1]);
    check_lengths(arguments[1]);
    check_endpoint(arguments[1]);
    check_decoding();
    check_inspection(arguments[1]);
    puts("mistakes, accessors, allocators, endpoint and inspection: as the header says");
    return 0;
}
