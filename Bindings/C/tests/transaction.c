/*
 * transaction FILE [ROOT ISSUER]: validates a transaction receipt and writes the values of its purchase, one on each line
 * with the name that results have. Without ROOT it trusts Apple's roots.
 */
#include "support.h"

static const struct {
    const char *name;
    int32_t field;
    int is_text;
} fields[] = {
    {"quantity", APP_RECEIPT_QUANTITY, 0},
    {"product_id", APP_RECEIPT_PRODUCT_IDENTIFIER, 1},
    {"transaction_id", APP_RECEIPT_TRANSACTION_IDENTIFIER, 1},
    {"original_transaction_id", APP_RECEIPT_ORIGINAL_TRANSACTION_IDENTIFIER, 1},
    {"purchase_date", APP_RECEIPT_PURCHASE_DATE, 0},
    {"original_purchase_date", APP_RECEIPT_ORIGINAL_PURCHASE_DATE, 0},
    {"expires_date", APP_RECEIPT_EXPIRES_DATE, 0},
    {"is_trial_period", APP_RECEIPT_IS_TRIAL_PERIOD, 0},
    {"is_in_intro_offer_period", APP_RECEIPT_IS_IN_INTRODUCTORY_OFFER_PERIOD, 0},
    {"in_app_ownership_type", APP_RECEIPT_OWNERSHIP, 0},
    {"subscription_group_identifier", APP_RECEIPT_SUBSCRIPTION_GROUP_IDENTIFIER, 1},
};

int main(int count, char **arguments) {
    app_receipt_policy *policy;
    app_receipt_validator *validator;
    app_receipt_result *result;
    size_t length, index;
    uint8_t *bytes;
    CHECK(count == 2 || count == 4);
    policy = open_policy(NULL, count == 4 ? arguments[2] : NULL);
    if (count == 4) {
        bytes = read_file(arguments[3], &length);
        CHECK(app_receipt_policy_add_issuer(policy, bytes, length) == APP_RECEIPT_OK);
        free(bytes);
    }
    CHECK(app_receipt_policy_set_minimum_digest(policy, 256) == APP_RECEIPT_OK);
    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
    app_receipt_policy_release(policy);
    bytes = read_file(arguments[1], &length);
    CHECK(app_receipt_validate(validator, NULL, bytes, length, &result) == APP_RECEIPT_OK);
    free(bytes);
    for (index = 0; index < sizeof fields / sizeof *fields; index++) {
        char text[256];
        int64_t number = 0;
        app_receipt_status status =
            fields[index].is_text
                ? app_receipt_purchase_text(result, 0, fields[index].field, text, sizeof text, &length)
                : app_receipt_purchase_integer(result, 0, fields[index].field, &number);
        if (status == APP_RECEIPT_ABSENT) continue;
        CHECK(status == APP_RECEIPT_OK);
        if (fields[index].is_text)
            printf("%s %.*s\n", fields[index].name, (int)length, text);
        else
            printf("%s %lld\n", fields[index].name, (long long)number);
    }
    app_receipt_result_release(result);
    app_receipt_validator_release(validator);
    return 0;
}
