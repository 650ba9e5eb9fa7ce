import Basics
import PKIX
import Processor

/// Policies of revocation that judge a path by OCSP responses and revocation lists from the caller.
///
/// ```swift
/// let evidence = try RevocationEvidence(ocspResponses: [ofLeaf, ofIntermediate])
/// policy.revocation = .required(evidence, now: now)
/// ```
extension RevocationPolicy {
    /// Refuses a path unless fresh evidence proves for each certificate except the root's that the
    /// certificate is not revoked.
    ///
    /// A validator judges the certificates at the step `revocation`, the signer's first. At a revoked
    /// certificate it throws `.certificateRevoked`. At a certificate whose evidence needs more signature
    /// checks than the limit allows, it throws `.tooManyEvidenceChecks`. If neither occurs, but evidence
    /// is missing, it throws the code that says why the first certificate without usable evidence has
    /// none. If several pieces about this certificate are unusable, the code is that of the error that
    /// ``RevocationEvidence``'s `status` gives.
    ///
    /// - Parameters:
    ///   - evidence: OCSP responses and revocation lists.
    ///   - now: the time at which the evidence must be fresh: the present time. The policy keeps this time,
    ///     so make another policy when time has passed.
    public static func required(_ evidence: RevocationEvidence, now: Timestamp) -> RevocationPolicy {
        judging(evidence, now, isRequired: true)
    }

    /// Refuses a path only if evidence says that a certificate other than the root's is revoked, or if the
    /// pieces about such a certificate need more signature checks than the limit allows, because a piece
    /// that was not judged might say so. If such a certificate has no fresh and usable evidence, `notChecked`
    /// of the result lists the step `revocation`.
    ///
    /// - Parameters:
    ///   - evidence: OCSP responses and revocation lists.
    ///   - now: the time at which the evidence must be fresh: the present time. The policy keeps this time,
    ///     so make another policy when time has passed.
    public static func ifPresent(_ evidence: RevocationEvidence, now: Timestamp) -> RevocationPolicy {
        judging(evidence, now, isRequired: false)
    }

    /// Makes a policy that judges paths by evidence, which must be fresh at the time `now`. `isRequired`
    /// says whether a path is refused if evidence is missing.
    private static func judging(
        _ evidence: RevocationEvidence,
        _ now: Timestamp,
        isRequired: Bool
    ) -> RevocationPolicy {
        RevocationPolicy { (path, certificates, anchors, distrusted, keys, acceleration) throws(Refusal) in
            var missing: Refusal?
            try path.forEachIssued(among: certificates, to: anchors) {
                (certificate, issuer) throws(Refusal) in
                let verdict = keys.revocationVerdict(about: certificate, issuedBy: issuer) { keys in
                    let status = evidence.status(
                        of: certificate,
                        issuedBy: issuer,
                        now: now,
                        keys: &keys,
                        acceleration: acceleration,
                        distrusted: distrusted
                    )
                    return switch status {
                    case .good: .good
                    case .revoked: .revoked
                    case .unknown(let error): .unknown(error.refusal.code)
                    }
                }
                switch verdict {
                case .good: break
                // A revocation counts also if evidence about a certificate before this one is missing.
                case .revoked: throw certificate.refusal(.certificateRevoked, "certificate")
                case .unknown(let code):
                    let refusal = certificate.refusal(code, "certificate")
                    if code == .tooManyEvidenceChecks { throw refusal }
                    missing = missing ?? refusal
                }
            }
            if isRequired, let missing { throw missing }
            return missing == nil
        }
    }
}
