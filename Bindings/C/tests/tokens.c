/* tokens VECTORS: every token of tokens/tokens.tsv gets its verdict; the mistakes of callers. */
#include "tokens.h"

static app_receipt_status creation_status(app_receipt_policy *policy) {
    app_receipt_token_validator *validator = NULL;
    app_receipt_status status = app_receipt_token_validator_create(policy, &validator);
    CHECK((status == APP_RECEIPT_OK) == (validator != NULL));
    app_receipt_token_validator_release(validator);
    app_receipt_policy_release(policy);
    return status;
}

/* ---- Verdicts ---- */

/* A root that is known by its certificate may be missing in x5c, or be another certificate with its key. */
static int is_accepted(const struct row *row) {
    return !strcmp(row->step, "accept") || !strcmp(row->name, "root missing") ||
           !strcmp(row->name, "the root issued anew with its key");
}

static void check_verdicts(void) {
    app_receipt_cache *cache;
    size_t index, accepted = 0;
    CHECK(app_receipt_cache_create(&allocator, &cache) == APP_RECEIPT_OK);
    for (index = 0; index < row_count; index++) {
        const struct row *row = &rows[index];
        app_receipt_token_validator *validator = open_tokens(policy_of(row));
        char *token = token_of(row);
        app_receipt_input inputs[2];
        app_receipt_token_result *results[3];
        app_receipt_error error;
        const char *nested = NULL;
        int round;
        inputs[0].bytes = inputs[1].bytes = (const uint8_t *)token;
        inputs[0].length = inputs[1].length = strlen(token);
        /* Alone, and twice with a cache that other tokens filled. */
        CHECK(app_receipt_token_validate(validator, NULL, kind_of(row), inputs[0].bytes, inputs[0].length, results) ==
              (is_accepted(row) ? APP_RECEIPT_OK : APP_RECEIPT_REFUSED));
        CHECK(app_receipt_token_validate_many(validator, cache, kind_of(row), inputs, 2, results + 1) ==
              APP_RECEIPT_OK);
        for (round = 0; round < 3; round++) {
            char *one = token_json_of(results[0]), *other = token_json_of(results[round]);
            CHECK(strcmp(one, other) == 0);
            free(one);
            free(other);
            if (is_accepted(row)) {
                CHECK(app_receipt_token_result_verdict(results[round]) == APP_RECEIPT_OK);
                CHECK(app_receipt_token_result_error(results[round], &error) == APP_RECEIPT_ABSENT);
            } else {
                CHECK(app_receipt_token_result_verdict(results[round]) == APP_RECEIPT_REFUSED);
                CHECK(app_receipt_token_result_error(results[round], &error) == APP_RECEIPT_OK);
                if (strcmp(error.step, row->step) || strcmp(error.name, row->code)) {
                    fprintf(stderr, "%s: %s %s, expected %s %s\n", row->name, error.step, error.name, row->step,
                            row->code);
                    exit(1);
                }
                CHECK(error.offset >= 0 && (size_t)error.offset <= strlen(token) && error.code > 0);
                if (strstr(row->name, "nested") && !strstr(row->name, "header")) {
                    CHECK(app_receipt_token_result_nested_token(results[round], &nested) == APP_RECEIPT_OK);
                    CHECK(!strcmp(nested, strstr(row->name, "renewal information with") ||
                                                  strstr(row->name, "renewal information of")
                                              ? "signedRenewalInfo"
                                          : strstr(row->name, "app transaction") ? "signedAppTransactionInfo"
                                                                                 : "signedTransactionInfo"));
                } else {
                    CHECK(app_receipt_token_result_nested_token(results[round], &nested) == APP_RECEIPT_ABSENT);
                }
            }
        }
        for (round = 0; round < 3; round++) app_receipt_token_result_release(results[round]);
        accepted += is_accepted(row);
        free(token);
        app_receipt_token_validator_release(validator);
    }
    CHECK(accepted > 20 && row_count - accepted > 200);
    app_receipt_cache_release(cache);
    CHECK(live == 0);
    printf("tokens: %zu have their verdict, %zu of them are valid\n", row_count, accepted);
}

/* ---- Mistakes ---- */

static void check_null(void) {
    app_receipt_policy *policy = expect_app();
    app_receipt_token_validator *validator = NULL;
    app_receipt_token_result *result = NULL;
    app_receipt_input input = {NULL, 1};
    app_receipt_error error;
    const char *name = NULL;
    char buffer[4];
    size_t length = 7;
    int64_t number = 7;
    app_receipt_status null = APP_RECEIPT_NULL_ARGUMENT;
    const int32_t kind = APP_RECEIPT_TOKEN_TRANSACTION;

    CHECK(app_receipt_policy_accept_token_environment(NULL, TEXT("Sandbox")) == null);
    CHECK(app_receipt_policy_accept_token_environment(policy, NULL, 7) == null);
    CHECK(app_receipt_policy_require_app_apple_id(NULL, 1) == null);
    CHECK(app_receipt_policy_require_device_verification(NULL, NULL, 36) == null);
    CHECK(app_receipt_policy_require_device_verification(policy, NULL, 36) == null);
    CHECK(app_receipt_policy_set_maximum_age(NULL, 1) == null);
    CHECK(app_receipt_policy_distrust(NULL, root, 32) == null);
    CHECK(app_receipt_policy_distrust(policy, NULL, 32) == null);
    CHECK(app_receipt_policy_trust_any_self_signed_proving_integrity_only(NULL) == null);
    CHECK(app_receipt_policy_set_token_limit(NULL, APP_RECEIPT_TOKEN_LIMIT_BYTES, 1) == null);
    CHECK(app_receipt_token_validator_create(NULL, &validator) == null && validator == NULL);
    CHECK(app_receipt_token_validator_create(policy, NULL) == null);
    CHECK(app_receipt_token_validate(NULL, NULL, kind, NULL, 0, &result) == null && result == NULL);
    CHECK(app_receipt_token_validate_many(NULL, NULL, kind, NULL, 0, NULL) == null);
    validator = open_tokens(policy);
    CHECK(app_receipt_token_validate(validator, NULL, kind, NULL, 1, &result) == null && result == NULL);
    CHECK(app_receipt_token_validate(validator, NULL, kind, root, 1, NULL) == null);
    CHECK(app_receipt_token_validate_many(validator, NULL, kind, NULL, 1, &result) == null);
    CHECK(app_receipt_token_validate_many(validator, NULL, kind, &input, 1, &result) == null && result == NULL);
    CHECK(app_receipt_token_validate_many(validator, NULL, kind, NULL, 0, NULL) == APP_RECEIPT_OK);
    CHECK(app_receipt_token_result_nested_token(NULL, &name) == null && name == NULL);
    CHECK(app_receipt_token_result_verdict(NULL) == null);
    CHECK(app_receipt_token_result_error(NULL, &error) == null);
    CHECK(app_receipt_token_result_text(NULL, APP_RECEIPT_ENVIRONMENT, buffer, 4, &length) == null && length == 7);
    CHECK(app_receipt_token_result_json(NULL, buffer, 4, &length) == null && length == 7);
    CHECK(app_receipt_payload_text(NULL, TEXT("type"), buffer, 4, &length) == null && length == 7);
    CHECK(app_receipt_payload_integer(NULL, TEXT("price"), &number) == null && number == 7);
    CHECK(app_receipt_inspect_token_unverified(kind, NULL, 3, buffer, 4, &length) == null);
    app_receipt_token_validator_release(NULL);
    app_receipt_token_result_release(NULL);
    app_receipt_token_validator_release(validator);
}

/* A policy that accepts every environment and every app. */
static app_receipt_policy *any(void) { return open_policy(&allocator, NULL); }

static void check_policies(void) {
    app_receipt_policy *policy = any();
    app_receipt_validator *receipts = NULL;
    const char *device = "00112233-4455-6677-8899-aabbccddeeff";
    app_receipt_status bad = APP_RECEIPT_BAD_VALUE, incomplete = APP_RECEIPT_INCOMPLETE_POLICY;
    int setting;

    CHECK(app_receipt_policy_accept_token_environment(policy, TEXT("sandbox")) == bad);
    CHECK(app_receipt_policy_accept_token_environment(policy, TEXT("ProductionSandbox")) == bad);
    CHECK(app_receipt_policy_accept_environment(policy, TEXT("Sandbox")) == bad);
    CHECK(app_receipt_policy_accept_token_environment(policy, "Sandbox", SIZE_MAX) == APP_RECEIPT_OUT_OF_RANGE);
    CHECK(app_receipt_policy_require_app_apple_id(policy, 0) == bad);
    CHECK(app_receipt_policy_require_app_apple_id(policy, INT64_MIN) == bad);
    CHECK(app_receipt_policy_require_device_verification(policy, device, 35) == bad);
    CHECK(app_receipt_policy_require_device_verification(policy, TEXT("00112233445566778899aabbccddeeff")) == bad);
    CHECK(app_receipt_policy_require_device_verification(policy, TEXT("00112233-4455-6677-8899-aabbccddeefg")) == bad);
    CHECK(app_receipt_policy_set_maximum_age(policy, -1) == bad);
    CHECK(app_receipt_policy_distrust(policy, root, 20) == bad);
    CHECK(app_receipt_policy_distrust(policy, root, 0) == bad);
    CHECK(app_receipt_policy_set_token_limit(policy, APP_RECEIPT_TOKEN_LIMIT_BYTES, (1 << 17) + 1) == bad);
    CHECK(app_receipt_policy_set_token_limit(policy, APP_RECEIPT_TOKEN_LIMIT_MEMBERS, 257) == bad);
    CHECK(app_receipt_policy_set_token_limit(policy, APP_RECEIPT_TOKEN_LIMIT_MEMBERS, 0) == bad);
    CHECK(app_receipt_policy_set_token_limit(policy, 0, 1) == bad);
    CHECK(app_receipt_policy_set_token_limit(policy, 3, 1) == bad);
    /* No refused call changed the policy: it is one for receipts and tokens. */
    CHECK(app_receipt_validator_create(policy, &receipts) == APP_RECEIPT_OK);
    app_receipt_validator_release(receipts);
    CHECK(creation_status(policy) == APP_RECEIPT_OK);

    /* A validator of receipts refuses settings for tokens alone. A validator of tokens refuses settings for
     * receipts alone. */
    for (setting = 0; setting < 6; setting++) {
        policy = any();
        CHECK(app_receipt_policy_set_now(policy, 0) == APP_RECEIPT_OK);
        switch (setting) {
        case 0: CHECK(app_receipt_policy_require_app_apple_id(policy, 1) == APP_RECEIPT_OK); break;
        case 1: CHECK(app_receipt_policy_require_device_verification(policy, device, 36) == APP_RECEIPT_OK); break;
        case 2: CHECK(app_receipt_policy_set_maximum_age(policy, 0) == APP_RECEIPT_OK); break;
        case 3: CHECK(app_receipt_policy_require_app_version(policy, "1", 1) == APP_RECEIPT_OK); break;
        case 4: CHECK(app_receipt_policy_accept_device(policy, root, 16) == APP_RECEIPT_OK); break;
        default: CHECK(app_receipt_policy_set_minimum_digest(policy, 384) == APP_RECEIPT_OK);
        }
        receipts = NULL;
        CHECK(app_receipt_validator_create(policy, &receipts) == (setting < 3 ? bad : APP_RECEIPT_OK));
        app_receipt_validator_release(receipts);
        CHECK(creation_status(policy) == (setting < 3 ? APP_RECEIPT_OK : bad));
    }

    /* An environment of receipts is none of tokens. */
    CHECK(app_receipt_policy_create(&allocator, &policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_accept_environment(policy, TEXT("Production")) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_accept_any_bundle_identifier(policy) == APP_RECEIPT_OK);
    CHECK(creation_status(policy) == incomplete);
    CHECK(app_receipt_policy_create(&allocator, &policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_accept_token_environment(policy, TEXT("Production")) == APP_RECEIPT_OK);
    CHECK(creation_status(policy) == incomplete);
    policy = any();
    CHECK(app_receipt_policy_set_maximum_age(policy, 1) == APP_RECEIPT_OK);
    CHECK(creation_status(policy) == incomplete);
    policy = any();
    CHECK(app_receipt_policy_omit_markers(policy) == APP_RECEIPT_OK);
    CHECK(creation_status(policy) == incomplete);
    policy = any();
    CHECK(app_receipt_policy_trust_xcode_testing(policy) == APP_RECEIPT_OK);
    CHECK(creation_status(policy) == incomplete);
    policy = any();
    CHECK(app_receipt_policy_trust_any_self_signed_proving_integrity_only(policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_trust_root(policy, root, root_length) == APP_RECEIPT_OK);
    CHECK(creation_status(policy) == incomplete);
    policy = any();
    CHECK(app_receipt_policy_trust_any_self_signed_proving_integrity_only(policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_omit_markers(policy) == APP_RECEIPT_OK);
    CHECK(creation_status(policy) == APP_RECEIPT_OK);
    policy = any();
    CHECK(app_receipt_policy_trust_any_self_signed_proving_integrity_only(policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_trust_xcode_testing(policy) == APP_RECEIPT_OK);
    CHECK(creation_status(policy) == APP_RECEIPT_OK);
    CHECK(live == 0);
}

/* Validates what has a fault, and checks the step and the code of the refusal. */
static void refuse(app_receipt_token_validator *validator, int32_t kind, const char *text, size_t length,
                   const char *step, const char *code) {
    app_receipt_token_result *result;
    app_receipt_error error;
    CHECK(app_receipt_token_validate(validator, NULL, kind, (const uint8_t *)text, length, &result) ==
          APP_RECEIPT_REFUSED);
    CHECK(app_receipt_token_result_error(result, &error) == APP_RECEIPT_OK);
    if (strcmp(error.step, step) || strcmp(error.name, code)) {
        fprintf(stderr, "%s %s, expected %s %s\n", error.step, error.name, step, code);
        exit(1);
    }
    app_receipt_token_result_release(result);
}

/* Whatever has not exactly one token of the kind is refused, and a long input takes no more memory. */
static void check_inputs(void) {
    const struct row *good = row_named("every member of a transaction");
    const int32_t kind = APP_RECEIPT_TOKEN_TRANSACTION;
    app_receipt_token_validator *validator = open_tokens(policy_of(good));
    app_receipt_token_result *result = NULL;
    char *token = token_of(good), *body = (char *)malloc(strlen(token) + 100), *large;
    size_t length, cut;
    const uint8_t *bytes = (const uint8_t *)body;

    CHECK(app_receipt_token_validate(validator, NULL, 0, bytes, 1, &result) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_token_validate(validator, NULL, 6, bytes, 1, &result) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_token_validate(validator, NULL, kind, bytes, SIZE_MAX, &result) == APP_RECEIPT_OUT_OF_RANGE);
    CHECK(app_receipt_inspect_token_unverified(0, bytes, 1, body, 0, &length) == APP_RECEIPT_BAD_VALUE);
    CHECK(result == NULL);

    length = (size_t)sprintf(body, " {\"x\":1,\"signedTransactionInfo\":\"%s\"}\n", token);
    CHECK(app_receipt_token_validate(validator, NULL, kind, bytes, length, &result) == APP_RECEIPT_OK);
    app_receipt_token_result_release(result);
    /* The member of another kind is not taken. */
    refuse(validator, APP_RECEIPT_TOKEN_NOTIFICATION, body, length, "form", "jws.segments");
    refuse(validator, kind, "", 0, "form", "jws.segments");
    refuse(validator, kind, "{}", 2, "form", "jws.segments");
    refuse(validator, APP_RECEIPT_TOKEN_NOTIFICATION, token, strlen(token), "payload", "payload.other-kind");
    length = (size_t)sprintf(body, "{\"signedTransactionInfo\":\"%s\",\"signedTransactionInfo\":\"\"}", token);
    CHECK(app_receipt_token_validate(validator, NULL, kind, bytes, length, &result) == APP_RECEIPT_REFUSED);
    app_receipt_token_result_release(result);
    for (cut = 0; cut < strlen(token); cut += 101) {
        /* A copy of its own, so that a sanitizer sees a read beyond the end. */
        uint8_t *exact = (uint8_t *)malloc(cut ? cut : 1);
        memcpy(exact, token, cut);
        CHECK(app_receipt_token_validate(validator, NULL, kind, exact, cut, &result) == APP_RECEIPT_REFUSED);
        app_receipt_token_result_release(result);
        free(exact);
    }
    length = 64 << 20;
    large = (char *)malloc(length);
    memset(large, 'e', length);
    refuse(validator, kind, large, length, "form", "jws.too-large");
    refuse(validator, kind, large, (1 << 17) + 1, "form", "jws.too-large");
    refuse(validator, kind, large, 1 << 17, "form", "jws.segments");
    large[0] = '{';
    refuse(validator, kind, large, length, "form", "jws.too-large");
    free(large);
    free(body);
    free(token);
    app_receipt_token_validator_release(validator);
    CHECK(live == 0);
}

/* The fingerprint of root.der is that of `openssl x509 -fingerprint -sha256`. */
static void check_distrust(void) {
    static const uint8_t fingerprint[32] = {
        0x80, 0xdb, 0x88, 0x4f, 0xc0, 0x07, 0x55, 0x08, 0x32, 0x64, 0xff, 0x4b, 0x0e, 0x72, 0x2d, 0x08, 0x78, 0x84,
        0x65, 0x8d, 0x73, 0x5b, 0x64, 0x09, 0xe7, 0x5a, 0x20, 0x44, 0xd0, 0xae, 0xeb, 0x92};
    const struct row *row = row_named("every member of a transaction");
    app_receipt_policy *policy = policy_of(row);
    app_receipt_token_validator *validator;
    char *token = token_of(row);
    CHECK(app_receipt_policy_distrust(policy, fingerprint, 32) == APP_RECEIPT_OK);
    validator = open_tokens(policy);
    refuse(validator, APP_RECEIPT_TOKEN_TRANSACTION, token, strlen(token), "distrust", "pkix.distrusted");
    free(token);
    app_receipt_token_validator_release(validator);
    CHECK(live == 0);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    read_table(arguments[1]);
    check_null();
    check_policies();
    check_inputs();
    check_distrust();
    check_verdicts();
    free(root);
    free(table);
    free(header);
    puts("mistakes, policies and inputs: as the header says");
    return 0;
}
