import CAppReceipt
import TestSupport
import Testing

/// What a policy asks of evidence. `Bindings/C/test` tests the verdicts from C.
@Suite struct EvidenceTests {
    /// 2026-06-15T12:00:00Z, when the pieces of `Vectors/revocation/evidence.tsv` are fresh.
    private static let now: Int64 = 1_781_524_800_000

    /// The status of the receipt `sandbox-sha256.der` by an OCSP response about a certificate of its path.
    private func status(_ certificate: String, _ status: String, _ requirement: Int?) throws -> Int32 {
        let row = try #require(
            try Row.table(vector("revocation/evidence.tsv")).first { row in
                row["path"] == "receipt" && row["certificate"] == certificate && row["kind"] == "ocsp"
                    && row["status"] == status && row["signer"] == "issuer"
            }
        )
        let (piece, root) = (hex(row["piece"]), try vector("certificates/root.der"))
        let receipt = try vector("receipts/sandbox-sha256.der")
        var policy: OpaquePointer?
        var validator: OpaquePointer?
        var result: OpaquePointer?
        #expect(unsafe app_receipt_policy_create(nil, &policy) == 0)
        #expect(unsafe app_receipt_policy_accept_any_environment(policy) == 0)
        #expect(unsafe app_receipt_policy_accept_any_bundle_identifier(policy) == 0)
        #expect(unsafe app_receipt_policy_trust_root(policy, root, root.count) == 0)
        #expect(unsafe app_receipt_policy_add_ocsp_response(policy, piece, piece.count) == 0)
        #expect(unsafe app_receipt_validator_create(policy, &validator) == -5)
        #expect(unsafe app_receipt_policy_set_now(policy, Self.now) == 0)
        if let requirement {
            #expect(unsafe app_receipt_policy_set_revocation(policy, Int32(requirement)) == 0)
        }
        #expect(unsafe app_receipt_validator_create(policy, &validator) == 0)
        let found = unsafe app_receipt_validate(validator, nil, receipt, receipt.count, &result)
        unsafe app_receipt_result_release(result)
        unsafe app_receipt_validator_release(validator)
        unsafe app_receipt_policy_release(policy)
        return found
    }

    @Test func missingEvidenceRefusesUnlessItIsUsedIfPresent() throws {
        #expect(try status("0", "good", nil) == 1)
        #expect(try status("0", "good", APP_RECEIPT_REVOCATION_REQUIRED) == 1)
        #expect(try status("0", "good", APP_RECEIPT_REVOCATION_IF_PRESENT) == 0)
    }

    @Test(arguments: [nil, APP_RECEIPT_REVOCATION_REQUIRED, APP_RECEIPT_REVOCATION_IF_PRESENT])
    func aRevokedCertificateRefuses(_ requirement: Int?) throws {
        #expect(try status("0", "revoked", requirement) == 1)
        #expect(try status("1", "revoked", requirement) == 1)
    }
}
