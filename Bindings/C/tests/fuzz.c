/* A fuzz target across the boundary: whatever the bytes are, no call traps, and all memory comes back. */
#include "support.h"

static size_t live;

static void *allocate(void *context, size_t size, size_t alignment) {
    (void)context;
    live++;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void deallocate(void *context, void *memory) {
    (void)context;
    live--;
    free(memory);
}

/* Judges the bytes as a token under Apple's root, of a kind that their length selects. */
static void judge_token(const app_receipt_allocator *allocator, const uint8_t *bytes, size_t length) {
    static const char *members[] = {"notificationType", "signedDate", "data.signedTransactionInfo.transactionId", "."};
    app_receipt_policy *policy = open_policy(allocator, NULL);
    app_receipt_token_validator *validator;
    app_receipt_cache *cache;
    app_receipt_input inputs[2] = {{bytes, length}, {bytes, length}};
    app_receipt_token_result *alone, *many[2];
    app_receipt_status verdict;
    app_receipt_error error;
    const int32_t kind = 1 + (int32_t)(length % 5);
    const char *nested;
    char text[32], *one, *other;
    size_t needed, index;
    int64_t number;
    (void)app_receipt_policy_accept_token_environment(policy, (const char *)bytes, length < 7 ? length : 7);
    (void)app_receipt_policy_require_device_verification(policy, (const char *)bytes, length < 36 ? length : 36);
    CHECK(app_receipt_token_validator_create(policy, &validator) == APP_RECEIPT_OK);
    CHECK(app_receipt_cache_create(allocator, &cache) == APP_RECEIPT_OK);
    verdict = app_receipt_token_validate(validator, NULL, kind, bytes, length, &alone);
    CHECK(verdict == APP_RECEIPT_OK || verdict == APP_RECEIPT_REFUSED);
    CHECK(app_receipt_token_validate_many(validator, cache, kind, inputs, 2, many) == APP_RECEIPT_OK);
    for (index = 0; index < 2; index++) {
        one = token_json_of(alone);
        other = token_json_of(many[index]);
        CHECK(strcmp(one, other) == 0);
        free(one);
        free(other);
        app_receipt_token_result_release(many[index]);
    }
    CHECK(app_receipt_token_result_error(alone, &error) == (verdict == APP_RECEIPT_OK ? APP_RECEIPT_ABSENT : APP_RECEIPT_OK));
    (void)app_receipt_token_result_nested_token(alone, &nested);
    for (index = 0; index < sizeof members / sizeof *members; index++) {
        (void)app_receipt_payload_text(alone, members[index], strlen(members[index]), text, sizeof text, &needed);
        (void)app_receipt_payload_integer(alone, members[index], strlen(members[index]), &number);
    }
    /* The bytes are a name, too. */
    (void)app_receipt_payload_integer(alone, (const char *)bytes, length, &number);
    (void)app_receipt_token_result_text(alone, APP_RECEIPT_ENVIRONMENT, text, sizeof text, &needed);
    (void)app_receipt_inspect_token_unverified(kind, bytes, length, text, sizeof text, &needed);
    app_receipt_token_result_release(alone);
    app_receipt_cache_release(cache);
    app_receipt_token_validator_release(validator);
    app_receipt_policy_release(policy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    const app_receipt_allocator allocator = {NULL, allocate, deallocate};
    app_receipt_policy *policy = open_policy(&allocator, getenv("APP_RECEIPT_FUZZ_ROOT"));
    app_receipt_validator *validator;
    app_receipt_cache *cache;
    app_receipt_result *alone, *cached;
    app_receipt_endpoint *endpoint;
    app_receipt_answer *answer;
    app_receipt_status verdict;
    app_receipt_error error;
    size_t count, needed, index;
    int64_t number;
    int32_t field;
    char text[32], *one, *other;

    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
    CHECK(app_receipt_cache_create(&allocator, &cache) == APP_RECEIPT_OK);
    CHECK(app_receipt_endpoint_create(policy, (int32_t)(length & 1), (int32_t)(length >> 1 & 1), &endpoint) ==
          APP_RECEIPT_OK);
    /* The first bytes are a policy, too. */
    (void)app_receipt_policy_accept_environment(policy, (const char *)bytes, length < 10 ? length : 10);
    (void)app_receipt_policy_require_app_version(policy, (const char *)bytes, length < 4 ? length : 4);
    (void)app_receipt_policy_add_issuer(policy, bytes, length);
    (void)app_receipt_policy_add_ocsp_response(policy, bytes, length);
    (void)app_receipt_policy_add_revocation_list(policy, bytes, length);

    verdict = app_receipt_validate(validator, NULL, bytes, length, &alone);
    CHECK(verdict == APP_RECEIPT_OK || verdict == APP_RECEIPT_REFUSED);
    CHECK(app_receipt_validate(validator, cache, bytes, length, &cached) == verdict);
    one = json_of(alone);
    other = json_of(cached);
    CHECK(strcmp(one, other) == 0);
    free(one);
    free(other);
    CHECK(app_receipt_result_error(alone, &error) == (verdict == APP_RECEIPT_OK ? APP_RECEIPT_ABSENT : APP_RECEIPT_OK));
    CHECK(app_receipt_result_purchase_count(alone, &count) == APP_RECEIPT_OK);
    for (field = 0; field < 128; field++) {
        CHECK(app_receipt_result_text(alone, field, text, sizeof text, &needed) != APP_RECEIPT_NULL_ARGUMENT);
        (void)app_receipt_result_integer(alone, field, &number);
        for (index = 0; index <= count && index < 3; index++) {
            (void)app_receipt_purchase_text(alone, index, field, text, sizeof text, &needed);
            (void)app_receipt_purchase_integer(alone, index, field, &number);
        }
    }
    (void)app_receipt_inspect_unverified(bytes, length, text, sizeof text, &needed);
    (void)app_receipt_decode(bytes, length, (uint8_t *)text, sizeof text, &needed);
    CHECK(app_receipt_endpoint_answer(endpoint, cache, bytes, length, 0, &answer) == APP_RECEIPT_OK);
    CHECK(app_receipt_answer_status(answer) >= 0);
    judge_token(&allocator, bytes, length);

    app_receipt_answer_release(answer);
    app_receipt_result_release(alone);
    app_receipt_result_release(cached);
    app_receipt_endpoint_release(endpoint);
    app_receipt_cache_release(cache);
    app_receipt_validator_release(validator);
    app_receipt_policy_release(policy);
    CHECK(live == 0);
    return 0;
}
