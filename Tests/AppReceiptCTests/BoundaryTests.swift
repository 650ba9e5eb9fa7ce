import CAppReceipt
import Testing

@testable import AppReceiptC

/// The checks of arguments. `Bindings/C/test` tests every function from C.
@Suite struct BoundaryTests {
    @Test func aPolicyNamesEnvironmentAndBundleIdentifier() {
        unsafe withPolicy(forAnyApp: false) { policy in
            #expect(unsafe createValidator(policy) == -5)
            #expect(unsafe app_receipt_policy_accept_any_environment(policy) == 0)
            #expect(unsafe createValidator(policy) == -5)
            #expect(unsafe app_receipt_policy_accept_any_bundle_identifier(policy) == 0)
            #expect(unsafe createValidator(policy) == 0)
        }
    }

    @Test func applesRootsAreNotTrustedWithoutMarkers() {
        unsafe withPolicy { policy in
            #expect(unsafe app_receipt_policy_omit_markers(policy) == 0)
            #expect(unsafe createValidator(policy) == -5)
            var endpoint: OpaquePointer?
            #expect(unsafe app_receipt_endpoint_create(policy, 0, 0, &endpoint) == -5 && endpoint == nil)
        }
    }

    @Test func evidenceNeedsATimeAndAPiece() {
        unsafe withPolicy { policy in
            #expect(unsafe createValidator(policy) == 0)
            let required = Int32(APP_RECEIPT_REVOCATION_REQUIRED)
            #expect(unsafe app_receipt_policy_set_revocation(policy, required) == 0)
            #expect(unsafe createValidator(policy) == -5)
            #expect(unsafe app_receipt_policy_set_now(policy, 0) == 0)
            #expect(unsafe createValidator(policy) == -5)
        }
    }

    @Test(arguments: 0..<7) func refusedEvidenceMakesNoValidator(_ mistake: Int) {
        unsafe withPolicy { policy in
            #expect(unsafe app_receipt_policy_set_now(policy, 0) == 0)
            #expect(unsafe createValidator(policy) == 0)
            let status =
                switch mistake {
                case 5: unsafe app_receipt_policy_add_ocsp_response(policy, nil, 0)
                case 6: unsafe app_receipt_policy_add_revocation_list(policy, [0x30, 0], 2)
                default: unsafe app_receipt_policy_set_revocation(policy, [.min, -1, 0, 3, .max][mistake])
                }
            #expect(status == -3)
            #expect(unsafe createValidator(policy) == -5)
        }
    }

    @Test func textThatIsNotUTF8IsRefused() {
        unsafe withPolicy { policy in
            let name: [CChar] = [CChar(bitPattern: 0xFF)]
            #expect(unsafe app_receipt_policy_accept_bundle_identifier(policy, name, 1) == -3)
        }
    }

    @Test func aResultThatDoesNotFitIsNotWritten() {
        let json = Array(#"{"certificates":[]}"#.utf8)
        var needed = 0
        for capacity in [0, json.count - 1, json.count] {
            var buffer = [CChar](repeating: 7, count: json.count + 1)
            let fits = capacity >= json.count
            let status = unsafe app_receipt_inspect_unverified(nil, 0, &buffer, capacity, &needed)
            #expect(status == (fits ? 0 : -4) && needed == json.count)
            #expect(buffer == (fits ? json.map { CChar($0) } : Array(repeating: 7, count: json.count)) + [7])
        }
    }
}
