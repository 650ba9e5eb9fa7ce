/* notification ENVIRONMENT BUNDLE-IDENTIFIER <BODY: says what a notification of the App Store is about.
 *
 * BODY is what Apple sends to a server: {"signedPayload":"..."}. ENVIRONMENT is Production or Sandbox. */
#include <app_receipt.h>
#include <stdio.h>
#include <string.h>

static const char *text(const app_receipt_token_result *result, const char *member) {
    static char value[256];
    size_t length;
    if (app_receipt_payload_text(result, member, strlen(member), value, sizeof value - 1, &length)) length = 0;
    value[length] = 0;
    return value;
}

int main(int count, char **arguments) {
    static uint8_t body[1 << 18];
    app_receipt_policy *policy;
    app_receipt_token_validator *validator;
    app_receipt_token_result *result;
    app_receipt_error error;
    size_t length;
    if (count != 3) {
        fprintf(stderr, "usage: notification ENVIRONMENT BUNDLE-IDENTIFIER <BODY\n");
        return 2;
    }
    length = fread(body, 1, sizeof body, stdin);

    if (app_receipt_policy_create(NULL, &policy) ||
        app_receipt_policy_accept_token_environment(policy, arguments[1], strlen(arguments[1])) ||
        app_receipt_policy_accept_bundle_identifier(policy, arguments[2], strlen(arguments[2])) ||
        app_receipt_token_validator_create(policy, &validator))
        return 2;

    switch (app_receipt_token_validate(validator, NULL, APP_RECEIPT_TOKEN_NOTIFICATION, body, length, &result)) {
    case APP_RECEIPT_OK:
        printf("%s: ", text(result, "notificationType"));
        printf("%s of ", text(result, "data.signedTransactionInfo.transactionId"));
        printf("%s\n", text(result, "data.signedTransactionInfo.productId"));
        return 0;
    case APP_RECEIPT_REFUSED:
        if (app_receipt_token_result_error(result, &error)) return 2;
        printf("%s, %s: %s\n", error.kind, error.step, error.message);
        return 1;
    }
    return 2;
}
