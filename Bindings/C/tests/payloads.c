/* payloads VECTORS: the values of tokens. */
#include "tokens.h"

static void check_text(const app_receipt_token_result *result, const char *member, const char *expected) {
    char buffer[256];
    size_t length = 0, wanted = strlen(expected), name = strlen(member);
    CHECK(app_receipt_payload_text(result, member, name, NULL, 0, &length) == APP_RECEIPT_BUFFER_TOO_SMALL);
    CHECK(length == wanted);
    memset(buffer, '#', sizeof buffer);
    CHECK(app_receipt_payload_text(result, member, name, buffer, wanted - 1, &length) ==
          APP_RECEIPT_BUFFER_TOO_SMALL);
    CHECK(buffer[0] == '#');
    CHECK(app_receipt_payload_text(result, member, name, buffer, wanted, &length) == APP_RECEIPT_OK);
    CHECK(memcmp(buffer, expected, wanted) == 0 && buffer[wanted] == '#');
}

static app_receipt_status integer(const app_receipt_token_result *result, const char *member, int64_t *value) {
    return app_receipt_payload_integer(result, member, strlen(member), value);
}

static app_receipt_status text_status(const app_receipt_token_result *result, const char *member) {
    char buffer[4096];
    size_t length;
    return app_receipt_payload_text(result, member, strlen(member), buffer, sizeof buffer, &length);
}

static void check_field(const app_receipt_token_result *result, int32_t field, const char *expected) {
    char buffer[256];
    size_t length;
    CHECK(app_receipt_token_result_text(result, field, buffer, sizeof buffer, &length) == APP_RECEIPT_OK);
    CHECK(length == strlen(expected) && memcmp(buffer, expected, length) == 0);
}

/* The expected values stand in Vectors/tokens/make. */
static void check_transaction(void) {
    const struct row *row = row_named("every member of a transaction");
    app_receipt_token_validator *validator = open_tokens(policy_of(row));
    app_receipt_token_result *result = valid(validator, row), *refused;
    uint8_t octets[64];
    size_t length;
    int64_t number = 7;
    app_receipt_error error;
    const char *name;
    char *json;

    /* A result outlives its validator. */
    app_receipt_token_validator_release(validator);
    check_field(result, APP_RECEIPT_BUNDLE_IDENTIFIER, "com.example.app");
    check_field(result, APP_RECEIPT_ENVIRONMENT, "Sandbox");
    check_field(result, APP_RECEIPT_NOT_CHECKED, "revocation,app-apple-id,device-verification,age");
    CHECK(app_receipt_token_result_text(result, APP_RECEIPT_APP_VERSION, (char *)octets, 64, &length) ==
          APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_token_result_text(result, INT32_MIN, (char *)octets, 64, &length) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_token_result_text(result, APP_RECEIPT_NOT_CHECKED, (char *)octets, 3, &length) ==
          APP_RECEIPT_BUFFER_TOO_SMALL);
    CHECK(length == strlen("revocation,app-apple-id,device-verification,age"));

    check_text(result, "transactionId", "2000000000000002");
    check_text(result, "originalTransactionId", "2000000000000001");
    check_text(result, "productId", "com.example.app.pro");
    CHECK(integer(result, "expiresDate", &number) == APP_RECEIPT_OK && number == 1750086400000);
    CHECK(integer(result, "price", &number) == APP_RECEIPT_OK && number == 10990);
    CHECK(integer(result, "isUpgraded", &number) == APP_RECEIPT_OK && number == 1);
    CHECK(integer(result, "commitmentInfo.totalBillingPeriods", &number) == APP_RECEIPT_OK && number == 12);
    number = 7;
    CHECK(integer(result, "transactionId", &number) == APP_RECEIPT_BAD_VALUE);
    CHECK(integer(result, "commitmentInfo", &number) == APP_RECEIPT_BAD_VALUE);
    CHECK(integer(result, "pric", &number) == APP_RECEIPT_ABSENT);
    CHECK(integer(result, "Price", &number) == APP_RECEIPT_ABSENT);
    CHECK(integer(result, "", &number) == APP_RECEIPT_ABSENT);
    CHECK(integer(result, ".", &number) == APP_RECEIPT_ABSENT);
    CHECK(integer(result, "price.", &number) == APP_RECEIPT_ABSENT);
    CHECK(integer(result, "commitmentInfo..totalBillingPeriods", &number) == APP_RECEIPT_ABSENT);
    CHECK(app_receipt_payload_integer(result, "price\0", 6, &number) == APP_RECEIPT_ABSENT && number == 7);
    CHECK(app_receipt_payload_integer(result, "\xff", 1, &number) == APP_RECEIPT_BAD_VALUE);
    CHECK(app_receipt_payload_integer(result, "price", 5, NULL) == APP_RECEIPT_NULL_ARGUMENT);
    CHECK(app_receipt_payload_integer(result, NULL, 5, &number) == APP_RECEIPT_NULL_ARGUMENT);
    CHECK(app_receipt_payload_integer(result, "price", SIZE_MAX, &number) == APP_RECEIPT_OUT_OF_RANGE);
    CHECK(text_status(result, "price") == APP_RECEIPT_BAD_VALUE);
    CHECK(text_status(result, "gracePeriodExpiresDate") == APP_RECEIPT_ABSENT);
    CHECK(app_receipt_payload_text(result, TEXT("type"), NULL, 1, &length) == APP_RECEIPT_NULL_ARGUMENT);
    CHECK(app_receipt_payload_text(result, TEXT("type"), (char *)octets, 64, NULL) == APP_RECEIPT_NULL_ARGUMENT);
    CHECK(app_receipt_payload_text(result, TEXT("type"), (char *)octets, SIZE_MAX, &length) ==
          APP_RECEIPT_OUT_OF_RANGE);
    CHECK(app_receipt_token_result_error(result, &error) == APP_RECEIPT_ABSENT);
    CHECK(app_receipt_token_result_nested_token(result, &name) == APP_RECEIPT_ABSENT);
    CHECK(app_receipt_token_result_nested_token(result, NULL) == APP_RECEIPT_NULL_ARGUMENT);
    json = token_json_of(result);
    CHECK(strstr(json, "\"kind\":\"transaction\",\"payload\":{\"transactionId\":\"2000000000000002\"") != NULL);
    free(json);
    app_receipt_token_result_release(result);

    /* The same token for another app: its values are claims, and no accessor gives them. */
    {
        app_receipt_policy *policy;
        char *token = token_of(row);
        CHECK(app_receipt_policy_create(&allocator, &policy) == APP_RECEIPT_OK);
        CHECK(app_receipt_policy_accept_token_environment(policy, TEXT("Sandbox")) == APP_RECEIPT_OK);
        CHECK(app_receipt_policy_accept_bundle_identifier(policy, TEXT("com.example.app2")) == APP_RECEIPT_OK);
        CHECK(app_receipt_policy_trust_root(policy, root, root_length) == APP_RECEIPT_OK);
        validator = open_tokens(policy);
        CHECK(app_receipt_token_validate(validator, NULL, APP_RECEIPT_TOKEN_TRANSACTION, (const uint8_t *)token,
                                         strlen(token), &refused) == APP_RECEIPT_REFUSED);
        free(token);
    }
    CHECK(app_receipt_token_result_error(refused, &error) == APP_RECEIPT_OK);
    CHECK(!strcmp(error.step, "bundle-identifier") && !strcmp(error.name, "payload.bundle-identifier-mismatch"));
    CHECK(text_status(refused, "transactionId") == APP_RECEIPT_ABSENT);
    CHECK(integer(refused, "price", &number) == APP_RECEIPT_ABSENT);
    CHECK(app_receipt_token_result_text(refused, APP_RECEIPT_BUNDLE_IDENTIFIER, (char *)octets, 64, &length) ==
          APP_RECEIPT_ABSENT);
    CHECK(app_receipt_token_result_text(refused, APP_RECEIPT_NOT_CHECKED, (char *)octets, 64, &length) ==
          APP_RECEIPT_ABSENT);
    json = token_json_of(refused);
    CHECK(strstr(json, "\"found\":\"com.example.app\",\"expected\":[\"com.example.app2\"]") != NULL);
    CHECK(strstr(json, "2000000000000002") == NULL);
    free(json);
    app_receipt_token_result_release(refused);
    app_receipt_token_validator_release(validator);
    CHECK(live == 0);
}

static void check_notification(void) {
    const struct row *row = row_named("a notification with data");
    app_receipt_token_validator *validator = open_tokens(policy_of(row));
    app_receipt_token_result *result = valid(validator, row);
    size_t needed;
    char *token = token_of(row), *json;
    check_text(result, "notificationType", "DID_RENEW");
    check_text(result, "data.bundleId", "com.example.app");
    check_text(result, "data.signedTransactionInfo.transactionId", "2000000000000002");
    CHECK(text_status(result, "signedTransactionInfo.transactionId") == APP_RECEIPT_ABSENT);
    CHECK(text_status(result, "data.signedTransactionInfo.transactionId.x") == APP_RECEIPT_ABSENT);
    CHECK(text_status(result, "data.signedAppTransactionInfo.bundleId") == APP_RECEIPT_ABSENT);
    CHECK(text_status(result, "data") == APP_RECEIPT_BAD_VALUE);
    check_field(result, APP_RECEIPT_BUNDLE_IDENTIFIER, "com.example.app");
    app_receipt_token_result_release(result);
    app_receipt_token_validator_release(validator);

    /* A function of its own returns the token's claims, whatever the signature is. */
    token[strlen(token) - 3] ^= 1;
    CHECK(app_receipt_inspect_token_unverified(APP_RECEIPT_TOKEN_NOTIFICATION, (const uint8_t *)token, strlen(token),
                                               NULL, 0, &needed) == APP_RECEIPT_BUFFER_TOO_SMALL);
    json = (char *)malloc(needed + 1);
    CHECK(app_receipt_inspect_token_unverified(APP_RECEIPT_TOKEN_NOTIFICATION, (const uint8_t *)token, strlen(token),
                                               json, needed, &needed) == APP_RECEIPT_OK);
    json[needed] = 0;
    CHECK(strstr(json, "{\"unverified_payload\":{\"notificationType\":\"DID_RENEW\"") == json);
    CHECK(strstr(json, "\"certificates\":[{") != NULL);
    CHECK(app_receipt_inspect_token_unverified(APP_RECEIPT_TOKEN_APP_TRANSACTION, NULL, 0, json, needed, &needed) ==
          APP_RECEIPT_OK);
    CHECK(needed == 19 && memcmp(json, "{\"certificates\":[]}", 19) == 0);
    free(json);
    free(token);
    CHECK(live == 0);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    read_table(arguments[1]);
    check_transaction();
    check_notification();
    free(root);
    free(table);
    free(header);
    puts("values of tokens: as the header says");
    return 0;
}
