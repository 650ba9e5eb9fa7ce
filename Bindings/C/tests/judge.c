/*
 * judge [OPTION...] FILE...: writes a line of JSON for each file.
 *
 * The options are named as in `app-receipt verify`: --root FILE, --issuer FILE, --environment NAME, --bundle-id ID,
 * --app-version TEXT, --device-id HEXADECIMAL, --now DATE (RFC 3339, in UTC and without a fraction), --xcode-testing,
 * --distrust FINGERPRINT, --ocsp FILE, --crl FILE (both in DER) and --revocation required|if-present. Without --root it
 * trusts Apple's roots. `any` stands for every environment, and for every app.
 *
 * With --kind NAME, as the first option, the files hold tokens. Further options: --app-apple-id NUMBER,
 * --device-verification-id UUID and --max-age SECONDS.
 */
#include "support.h"

/* The milliseconds from 1970 to a date in UTC. A year is counted from March, so that a leap day is its last. */
static int64_t milliseconds(const char *text) {
    int year, month, day, hour, minute, second;
    int64_t days;
    CHECK(sscanf(text, "%d-%d-%dT%d:%d:%dZ", &year, &month, &day, &hour, &minute, &second) == 6);
    if (month < 3) {
        month += 12;
        year -= 1;
    }
    days = 365 * (int64_t)year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day - 719469;
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000;
}

static size_t octets(const char *digits, uint8_t *bytes, size_t room) {
    size_t count = 0;
    unsigned int octet;
    for (; *digits; digits += 2) {
        CHECK(count < room && sscanf(digits, "%2x", &octet) == 1);
        bytes[count++] = (uint8_t)octet;
    }
    return count;
}

/* The kind of the tokens; 0 for receipts. */
static int32_t kind;

static int32_t kind_named(const char *name) {
    static const char *names[] = {"transaction", "renewal-info", "notification", "app-transaction", "realtime-request"};
    int32_t index = 0;
    while (strcmp(names[index], name)) CHECK(++index < 5);
    return index + 1;
}

static app_receipt_status apply(app_receipt_policy *policy, const char *option, const char *value) {
    uint8_t bytes[32], *file;
    size_t length = strlen(value);
    app_receipt_status status;
    if (!strcmp(option, "--kind")) {
        kind = kind_named(value);
        return APP_RECEIPT_OK;
    }
    if (!strcmp(option, "--environment") && !strcmp(value, "any"))
        return app_receipt_policy_accept_any_environment(policy);
    if (!strcmp(option, "--environment"))
        return kind ? app_receipt_policy_accept_token_environment(policy, value, length)
                    : app_receipt_policy_accept_environment(policy, value, length);
    if (!strcmp(option, "--app-apple-id"))
        return app_receipt_policy_require_app_apple_id(policy, strtoll(value, NULL, 10));
    if (!strcmp(option, "--device-verification-id"))
        return app_receipt_policy_require_device_verification(policy, value, length);
    if (!strcmp(option, "--max-age"))
        return app_receipt_policy_set_maximum_age(policy, strtoll(value, NULL, 10) * 1000);
    if (!strcmp(option, "--distrust"))
        return app_receipt_policy_distrust(policy, bytes, octets(value, bytes, sizeof bytes));
    if (!strcmp(option, "--bundle-id"))
        return strcmp(value, "any") ? app_receipt_policy_accept_bundle_identifier(policy, value, length)
                                    : app_receipt_policy_accept_any_bundle_identifier(policy);
    if (!strcmp(option, "--app-version")) return app_receipt_policy_require_app_version(policy, value, length);
    if (!strcmp(option, "--now")) return app_receipt_policy_set_now(policy, milliseconds(value));
    if (!strcmp(option, "--device-id"))
        return app_receipt_policy_accept_device(policy, bytes, octets(value, bytes, sizeof bytes));
    if (!strcmp(option, "--revocation"))
        return app_receipt_policy_set_revocation(policy, strcmp(value, "required") ? APP_RECEIPT_REVOCATION_IF_PRESENT
                                                                                   : APP_RECEIPT_REVOCATION_REQUIRED);
    file = read_file(value, &length);
    if (!strcmp(option, "--ocsp")) {
        status = app_receipt_policy_add_ocsp_response(policy, file, length);
    } else if (!strcmp(option, "--crl")) {
        status = app_receipt_policy_add_revocation_list(policy, file, length);
    } else if (!strcmp(option, "--issuer")) {
        status = app_receipt_policy_add_issuer(policy, file, length);
    } else {
        CHECK(!strcmp(option, "--root"));
        status = app_receipt_policy_trust_root(policy, file, length);
    }
    free(file);
    return status;
}

static app_receipt_validator *receipts;
static app_receipt_token_validator *tokens;

/* Validates alone and with a cache, and writes the JSON of both, which must be equal. */
static void judge(app_receipt_cache *cache, const char *name) {
    size_t length;
    uint8_t *bytes = read_file(name, &length);
    char *json, *again;
    if (kind) {
        app_receipt_token_result *alone, *cached;
        app_receipt_status verdict = app_receipt_token_validate(tokens, NULL, kind, bytes, length, &alone);
        CHECK(verdict == APP_RECEIPT_OK || verdict == APP_RECEIPT_REFUSED);
        CHECK(app_receipt_token_validate(tokens, cache, kind, bytes, length, &cached) == verdict);
        CHECK(app_receipt_token_result_verdict(alone) == verdict);
        json = token_json_of(alone);
        again = token_json_of(cached);
        app_receipt_token_result_release(alone);
        app_receipt_token_result_release(cached);
    } else {
        app_receipt_result *alone, *cached;
        app_receipt_status verdict = app_receipt_validate(receipts, NULL, bytes, length, &alone);
        CHECK(verdict == APP_RECEIPT_OK || verdict == APP_RECEIPT_REFUSED);
        CHECK(app_receipt_validate(receipts, cache, bytes, length, &cached) == verdict);
        CHECK(app_receipt_result_verdict(alone) == verdict);
        json = json_of(alone);
        again = json_of(cached);
        app_receipt_result_release(alone);
        app_receipt_result_release(cached);
    }
    free(bytes);
    CHECK(strcmp(json, again) == 0);
    printf("%s\n", json);
    free(json);
    free(again);
}

int main(int count, char **arguments) {
    app_receipt_policy *policy;
    app_receipt_cache *cache;
    int index, has_root = 0, is_xcode = 0;
    CHECK(app_receipt_policy_create(NULL, &policy) == APP_RECEIPT_OK);
    for (index = 1; index < count && arguments[index][0] == '-'; index++) {
        if (!strcmp(arguments[index], "--xcode-testing")) {
            CHECK(app_receipt_policy_trust_xcode_testing(policy) == APP_RECEIPT_OK);
            is_xcode = 1;
        } else {
            CHECK(index + 1 < count);
            has_root |= !strcmp(arguments[index], "--root");
            CHECK(apply(policy, arguments[index], arguments[index + 1]) == APP_RECEIPT_OK);
            index++;
        }
    }
    if (kind && is_xcode && !has_root)
        CHECK(app_receipt_policy_trust_any_self_signed_proving_integrity_only(policy) == APP_RECEIPT_OK);
    CHECK((kind ? app_receipt_token_validator_create(policy, &tokens)
                : app_receipt_validator_create(policy, &receipts)) == APP_RECEIPT_OK);
    CHECK(app_receipt_cache_create(NULL, &cache) == APP_RECEIPT_OK);
    app_receipt_policy_release(policy);
    for (; index < count; index++) judge(cache, arguments[index]);
    app_receipt_cache_release(cache);
    app_receipt_token_validator_release(tokens);
    app_receipt_validator_release(receipts);
    return 0;
}
