import AppReceipt
import Basics
import CAppReceipt
import PKIX
import Revocation
import SignedPayloads

/// The evidence about revocation that a policy was given, and what the policy asks of it.
final class Evidence {
    /// The OCSP responses and the revocation lists that were added.
    var pieces = RevocationEvidence(limits: .standard)
    /// Whether each certificate of a path except the root's needs evidence that it is not revoked. If false,
    /// missing evidence is no reason to refuse a path, but evidence of a revocation is.
    var isRequired = true
    /// Makes the policy of revocation for receipts from the evidence and the present time.
    let ofReceipts: (Evidence, Timestamp) -> RevocationPolicy<SigningKey>
    /// Makes the policy of revocation for tokens from the evidence and the present time.
    let ofTokens: (Evidence, Timestamp) -> RevocationPolicy<ECDSASignatureKey>

    init() { (ofReceipts, ofTokens) = (Evidence.policy, Evidence.policy) }

    private static func policy<Key>(_ evidence: Evidence, _ now: Timestamp) -> RevocationPolicy<Key> {
        evidence.isRequired ? .required(evidence.pieces, now: now) : .ifPresent(evidence.pieces, now: now)
    }
}

extension Policy {
    /// The policy of revocation; nil if ``evidence`` is nil. Throws `incompletePolicy` if ``evidence`` is
    /// there and has no OCSP response and no revocation list, or if it is there and the present time is
    /// missing.
    ///
    /// - Parameter make: `ofReceipts` or `ofTokens` of the evidence; nil if ``evidence`` is nil.
    func revocation<Key>(
        _ make: ((Evidence, Timestamp) -> RevocationPolicy<Key>)?
    ) throws(Status) -> RevocationPolicy<Key>? {
        guard let evidence, let make else { return nil }
        guard let now = policy.now, !evidence.pieces.isEmpty else { throw .incompletePolicy }
        return make(evidence, now)
    }
}

/// Runs `body` to change the evidence of the policy behind a pointer. From then on, the policy asks for a
/// check of revocation, even if `body` throws. Returns the status as a number.
private func changeEvidence(
    _ policy: OpaquePointer?,
    _ body: (Evidence) throws(Status) -> Void
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        let evidence = policy.evidence ?? Evidence()
        // Before `body`: without a piece that can be read, the policy is incomplete and makes no validator.
        policy.evidence = evidence
        try body(evidence)
    }
}

@c @implementation
public func app_receipt_policy_add_ocsp_response(
    _ policy: OpaquePointer?,
    _ response: UnsafePointer<UInt8>?,
    _ length: Int
) -> Int32 {
    unsafe changeEvidence(policy) { (evidence) throws(Status) in
        let bytes = try unsafe copy(response, length)
        do throws(Refusal) { try evidence.pieces.add(ocspResponse: bytes) } catch { throw .badValue }
    }
}

@c @implementation
public func app_receipt_policy_add_revocation_list(
    _ policy: OpaquePointer?,
    _ list: UnsafePointer<UInt8>?,
    _ length: Int
) -> Int32 {
    unsafe changeEvidence(policy) { (evidence) throws(Status) in
        let bytes = try unsafe copy(list, length)
        do throws(Refusal) { try evidence.pieces.add(revocationList: bytes) } catch { throw .badValue }
    }
}

@c @implementation
public func app_receipt_policy_set_revocation(_ policy: OpaquePointer?, _ requirement: Int32) -> Int32 {
    unsafe changeEvidence(policy) { (evidence) throws(Status) in
        switch requirement {
        case 1: evidence.isRequired = true
        case 2: evidence.isRequired = false
        default: throw .badValue
        }
    }
}
