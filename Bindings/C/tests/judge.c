/* judge ROOT FILE...: writes a line of JSON for each file. ROOT is a certificate in DER, or - for Apple's roots. */
#include "support.h"

int main(int count, char **arguments) {
    app_receipt_policy *policy;
    app_receipt_validator *validator;
    app_receipt_cache *cache;
    int index;
    if (count < 2) return 2;
    policy = open_policy(NULL, strcmp(arguments[1], "-") ? arguments[1] : NULL);
    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
    CHECK(app_receipt_cache_create(NULL, &cache) == APP_RECEIPT_OK);
    app_receipt_policy_release(policy);
    for (index = 2; index < count; index++) {
        app_receipt_result *alone, *cached;
        size_t length;
        uint8_t *bytes = read_file(arguments[index], &length);
        char *json, *again;
        app_receipt_status verdict = app_receipt_validate(validator, NULL, bytes, length, &alone);
        CHECK(verdict == APP_RECEIPT_OK || verdict == APP_RECEIPT_REFUSED);
        CHECK(app_receipt_validate(validator, cache, bytes, length, &cached) == verdict);
        free(bytes);
        CHECK(app_receipt_result_verdict(alone) == verdict);
        json = json_of(alone);
        again = json_of(cached);
        CHECK(strcmp(json, again) == 0);
        printf("%s\n", json);
        free(json);
        free(again);
        app_receipt_result_release(alone);
        app_receipt_result_release(cached);
    }
    app_receipt_cache_release(cache);
    app_receipt_validator_release(validator);
    return 0;
}
