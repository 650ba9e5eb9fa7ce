/* verify FILE BUNDLE-IDENTIFIER: says whether a receipt of the App Store is valid. */
#include <app_receipt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    static uint8_t bytes[1 << 20];
    app_receipt_policy *policy;
    app_receipt_validator *validator;
    app_receipt_result *result;
    app_receipt_error error;
    char version[64];
    size_t length;
    FILE *file = count == 3 ? fopen(arguments[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: verify FILE BUNDLE-IDENTIFIER\n");
        return 2;
    }
    length = fread(bytes, 1, sizeof bytes, file);

    /* With NULL as its allocator, the policy uses malloc and free. */
    if (app_receipt_policy_create(NULL, &policy) ||
        app_receipt_policy_accept_environment(policy, "Production", 10) ||
        app_receipt_policy_accept_environment(policy, "ProductionSandbox", 17) ||
        app_receipt_policy_accept_bundle_identifier(policy, arguments[2], strlen(arguments[2])) ||
        app_receipt_validator_create(policy, &validator))
        return 2;

    switch (app_receipt_validate(validator, NULL, bytes, length, &result)) {
    case APP_RECEIPT_OK:
        if (app_receipt_result_text(result, APP_RECEIPT_APP_VERSION, version, sizeof version, &length)) length = 0;
        printf("valid, version %.*s\n", (int)length, version);
        return 0;
    case APP_RECEIPT_REFUSED:
        if (app_receipt_result_error(result, &error)) return 2;
        printf("%s, %s: %s\n", error.kind, error.step, error.message);
        return 1;
    }
    return 2;
}
