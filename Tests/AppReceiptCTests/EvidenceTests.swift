import CAppReceipt
import TestSupport
import Testing

/// What a policy asks of evidence. `Bindings/C/test` tests the verdicts from C.
@Suite struct EvidenceTests {
    /// 2026-06-15T12:00:00Z, when the pieces of `Vectors/revocation/evidence.tsv` are fresh.
    private static let now: Int64 = 1_781_524_800_000

    /// The OCSP response about a certificate in the path of the receipt `sandbox-sha256.der`.
    private func piece(_ certificate: Int, _ status: String) throws -> [UInt8] {
        let row = try #require(
            try Row.table(vector("revocation/evidence.tsv")).first { row in
                row["path"] == "receipt" && row["certificate"] == "\(certificate)" && row["kind"] == "ocsp"
                    && row["status"] == status && row["signer"] == "issuer"
            }
        )
        return hex(row["piece"])
    }

    /// The refusal of the receipt by one piece of evidence: its code, and the certificate's index in the
    /// message, which has the intermediate first and the leaf last. Nil if the receipt is valid.
    private func refusal(by piece: [UInt8], _ requirement: Int?) throws -> Refusal? {
        let root = try vector("certificates/root.der")
        let receipt = try vector("receipts/sandbox-sha256.der")
        return unsafe withPolicy { policy in
            #expect(unsafe app_receipt_policy_trust_root(policy, root, root.count) == 0)
            #expect(unsafe app_receipt_policy_add_ocsp_response(policy, piece, piece.count) == 0)
            #expect(unsafe app_receipt_policy_set_now(policy, Self.now) == 0)
            if let requirement {
                #expect(unsafe app_receipt_policy_set_revocation(policy, Int32(requirement)) == 0)
            }
            var validator: OpaquePointer?
            #expect(unsafe app_receipt_validator_create(policy, &validator) == 0)
            defer { unsafe app_receipt_validator_release(validator) }
            var result: OpaquePointer?
            let status = unsafe app_receipt_validate(validator, nil, receipt, receipt.count, &result)
            defer { unsafe app_receipt_result_release(result) }
            if status == 0 { return nil }
            var error = unsafe app_receipt_error()
            #expect(unsafe app_receipt_result_error(result, &error) == 0)
            return unsafe Refusal(code: String(cString: error.name), certificate: error.certificate)
        }
    }

    private struct Refusal: Equatable {
        let code: String
        let certificate: Int32
    }

    @Test func evidenceNeedsATime() throws {
        let piece = try piece(0, "good")
        unsafe withPolicy { policy in
            #expect(unsafe app_receipt_policy_add_ocsp_response(policy, piece, piece.count) == 0)
            #expect(unsafe createValidator(policy) == -5)
            #expect(unsafe app_receipt_policy_set_now(policy, Self.now) == 0)
            #expect(unsafe createValidator(policy) == 0)
        }
    }

    @Test func missingEvidenceRefusesUnlessItIsUsedIfPresent() throws {
        let missing = Refusal(code: "revocation.no-evidence", certificate: 0)
        let good = try piece(0, "good")
        #expect(try refusal(by: good, nil) == missing)
        #expect(try refusal(by: good, APP_RECEIPT_REVOCATION_REQUIRED) == missing)
        #expect(try refusal(by: good, APP_RECEIPT_REVOCATION_IF_PRESENT) == nil)
    }

    // Missing evidence about the other certificate refuses too, so the code matters.
    @Test(arguments: [nil, APP_RECEIPT_REVOCATION_REQUIRED, APP_RECEIPT_REVOCATION_IF_PRESENT])
    func aRevokedCertificateRefuses(_ requirement: Int?) throws {
        for (certificate, index) in [(0, 2), (1, 0)] as [(Int, Int32)] {
            let found = try refusal(by: piece(certificate, "revoked"), requirement)
            #expect(found == Refusal(code: "revocation.revoked", certificate: index))
        }
    }
}
