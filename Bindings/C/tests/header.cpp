// The header in C++: a validator that releases itself.
#include <cstdio>
#include <memory>

#include "support.h"

struct Release {
    void operator()(app_receipt_policy *policy) const { app_receipt_policy_release(policy); }
    void operator()(app_receipt_validator *validator) const { app_receipt_validator_release(validator); }
    void operator()(app_receipt_result *result) const { app_receipt_result_release(result); }
};

int main() {
    std::unique_ptr<app_receipt_policy, Release> policy(open_policy(nullptr, nullptr));
    app_receipt_validator *made = nullptr;
    CHECK(app_receipt_validator_create(policy.get(), &made) == APP_RECEIPT_OK);
    std::unique_ptr<app_receipt_validator, Release> validator(made);
    app_receipt_result *verdict = nullptr;
    const uint8_t bytes[] = {0x30, 0x80};
    CHECK(app_receipt_validate(validator.get(), nullptr, bytes, sizeof bytes, &verdict) == APP_RECEIPT_REFUSED);
    std::unique_ptr<app_receipt_result, Release> result(verdict);
    app_receipt_error error;
    CHECK(app_receipt_result_error(result.get(), &error) == APP_RECEIPT_OK);
    std::printf("C++: %s at %lld, %s\n", error.name, static_cast<long long>(error.offset), error.message);
}
