/* threads VECTORS: eight threads share a validator of receipts and one of tokens. Each has a cache. */
#include <pthread.h>

#include "support.h"

static app_receipt_validator *validator;
static app_receipt_token_validator *tokens;
static app_receipt_result *shared;
static uint8_t *bytes;
static size_t length;

static void *work(void *place) {
    app_receipt_cache *cache;
    int round;
    (void)place;
    CHECK(app_receipt_cache_create(NULL, &cache) == APP_RECEIPT_OK);
    for (round = 0; round < 200; round++) {
        app_receipt_result *result;
        app_receipt_token_result *token;
        char buffer[64];
        size_t count;
        CHECK(app_receipt_validate(validator, round % 3 ? cache : NULL, bytes, length, &result) == APP_RECEIPT_OK);
        CHECK(app_receipt_result_text(shared, APP_RECEIPT_APP_VERSION, buffer, 64, &count) == APP_RECEIPT_OK);
        CHECK(count == 2 && memcmp(buffer, "42", 2) == 0);
        app_receipt_result_release(result);
        /* The receipt is no token. The cache serves both. */
        CHECK(app_receipt_token_validate(tokens, round % 3 ? cache : NULL, APP_RECEIPT_TOKEN_TRANSACTION, bytes, length,
                                         &token) == APP_RECEIPT_REFUSED);
        app_receipt_token_result_release(token);
    }
    app_receipt_cache_release(cache);
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[8];
    char path[4096];
    app_receipt_policy *policy;
    int index;
    if (count != 2) return 2;
    snprintf(path, sizeof path, "%s/certificates/root.der", arguments[1]);
    policy = open_policy(NULL, path);
    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
    CHECK(app_receipt_token_validator_create(policy, &tokens) == APP_RECEIPT_OK);
    app_receipt_policy_release(policy);
    snprintf(path, sizeof path, "%s/receipts/sandbox-sha256.der", arguments[1]);
    bytes = read_file(path, &length);
    CHECK(app_receipt_validate(validator, NULL, bytes, length, &shared) == APP_RECEIPT_OK);
    for (index = 0; index < 8; index++) CHECK(pthread_create(&threads[index], NULL, work, NULL) == 0);
    for (index = 0; index < 8; index++) CHECK(pthread_join(threads[index], NULL) == 0);
    app_receipt_result_release(shared);
    app_receipt_validator_release(validator);
    app_receipt_token_validator_release(tokens);
    free(bytes);
    puts("eight threads: 1600 receipts are valid");
    return 0;
}
