import CAppReceipt
import Testing

/// Runs the body with a new policy that accepts the receipts of any app, or that expects nothing yet.
func withPolicy<Value>(
    forAnyApp isForAnyApp: Bool = true,
    _ body: (OpaquePointer?) throws -> Value
) rethrows -> Value {
    var policy: OpaquePointer?
    #expect(unsafe app_receipt_policy_create(nil, &policy) == 0)
    defer { unsafe app_receipt_policy_release(policy) }
    if isForAnyApp {
        #expect(unsafe app_receipt_policy_accept_any_environment(policy) == 0)
        #expect(unsafe app_receipt_policy_accept_any_bundle_identifier(policy) == 0)
    }
    return try unsafe body(policy)
}

/// Returns the status of creating a validator from a policy.
func createValidator(_ policy: OpaquePointer?) -> Int32 {
    var validator: OpaquePointer?
    defer { unsafe app_receipt_validator_release(validator) }
    return unsafe app_receipt_validator_create(policy, &validator)
}
