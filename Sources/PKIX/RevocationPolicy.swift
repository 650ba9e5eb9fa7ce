import Basics
import Processor

/// The requirements of a validator about the revocation of a path's certificates.
///
/// The module `Revocation` makes a policy from OCSP responses, revocation lists, and the time at which they
/// must be fresh. A policy is an object: two policies are equal if they are the same object. A validation
/// cache forgets all that it remembers when it is used with another policy, so use the same policy until the
/// evidence or that time changes.
public final class RevocationPolicy<Key: SignatureKey>: Sendable {
    /// Judges every certificate of a path except the root's. Returns whether evidence proves for each of them
    /// that the certificate is not revoked. Throws if one is revoked, if required evidence is missing or
    /// unusable, or if judging the evidence takes more work than its limits allow, even if none is required.
    package typealias Judge =
        @Sendable (
            CertificationPath, CertificateList, [TrustAnchor],
            DistrustList, inout KeyCache<Key>, Acceleration
        ) throws(Refusal) -> Bool

    private let judge: Judge

    /// Creates a policy that judges paths with a closure.
    package init(_ judge: @escaping Judge) { self.judge = judge }

    /// Checks that no certificate of a path is revoked, as far as the policy asks. The root is not checked,
    /// because no authority could revoke it.
    ///
    /// - Parameters:
    ///   - path: a path that was found. No certificate of it is distrusted.
    ///   - certificates: the certificates that were offered to the search.
    ///   - anchors: the trusted roots of the search.
    ///   - distrusted: the certificates and keys that are distrusted. A response that one of them signed is
    ///     no evidence.
    ///   - keys: decoded keys, which this function uses and adds to.
    ///   - acceleration: the instruction sets that may be used. They do not change the result.
    /// - Returns: whether evidence proves for each certificate except the root's that the certificate is
    ///   not revoked.
    /// - Throws: `Refusal` with the offset of the certificate that is revoked, that lacks required evidence,
    ///   or whose evidence takes more work than its limits allow.
    package func check(
        _ path: CertificationPath,
        among certificates: CertificateList,
        to anchors: [TrustAnchor],
        distrusted: DistrustList,
        keys: inout KeyCache<Key>,
        acceleration: Acceleration
    ) throws(Refusal) -> Bool {
        try judge(path, certificates, anchors, distrusted, &keys, acceleration)
    }
}

extension RevocationPolicy: Hashable {
    /// Whether both are the same object.
    public static func == (one: RevocationPolicy, other: RevocationPolicy) -> Bool { one === other }

    /// Adds nothing to the hasher: few policies exist at one time.
    public func hash(into hasher: inout Hasher) {}
}

extension CertificationPath {
    /// Calls a function once for each certificate of the path except the root's, with that certificate and
    /// its issuer's certificate. The signer's certificate is the first.
    ///
    /// - Parameters:
    ///   - certificates: the certificates that were offered to the search.
    ///   - anchors: the trusted roots of the search.
    ///   - body: the function.
    /// - Throws: what `body` throws.
    package func forEachIssued(
        among certificates: CertificateList,
        to anchors: [TrustAnchor],
        _ body: (_ certificate: CertificateView, _ issuer: CertificateView) throws(Refusal) -> Void
    ) throws(Refusal) {
        for (child, issuer) in zip(indices, indices.dropFirst()) {
            try body(certificates[child], certificates[issuer])
        }
        guard endsOutside, let last = indices.last, let root = anchors[anchor].certificate else { return }
        try body(certificates[last], root.view)
    }
}
