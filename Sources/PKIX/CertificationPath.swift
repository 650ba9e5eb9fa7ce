import Basics
import Processor

/// A validated certification path (RFC 5280 §6, without revocation, name constraints and policies): each
/// certificate is signed by the next one, and the last one is trusted.
public struct CertificationPath: Sendable {
    /// The path's certificates, the signer's first, as indices into the offered certificates. A root that was
    /// not offered has no index and is left out.
    public let indices: [Int]
    /// The index of the path's trust anchor in the list of trusted roots that the search was given.
    public let anchor: Int
    /// Whether the root is a trust anchor's own certificate that was not offered; ``indices`` leaves it out.
    package let endsOutside: Bool

    /// How many certificates the path has, the root included.
    package var count: Int { indices.count + (endsOutside ? 1 : 0) }

    /// Finds a path from one certificate to a trust anchor and validates it.
    ///
    /// The certificates may come in any order. Certificates that do not belong to the path are ignored, but a
    /// malformed key in one of them is refused. If several certificates may be the issuer by name and key
    /// identifiers, they are tried in turn until one leads to a path. The number of signature checks is
    /// limited. A root's own signature proves nothing and is not checked. Revocation and name constraints are
    /// not processed, and no certificate policy is required. Name constraints, policy mappings, policy
    /// constraints and inhibitAnyPolicy count as unknown extensions: a certificate in which one of them is
    /// critical cannot be part of a path.
    ///
    /// - Parameters:
    ///   - signer: the index of the certificate where the path begins. Precondition: a valid index.
    ///   - certificates: the offered certificates.
    ///   - time: every certificate of the path, the root included, must be valid at this time.
    ///   - anchors: the trusted roots.
    ///   - policy: what the path must satisfy.
    ///   - keys: decodes the issuers' keys, and remembers them. Its `Key` verifies the signatures.
    ///   - acceleration: the instruction sets used for digests and signatures. They do not change the result.
    /// - Throws: `Refusal`: first for a malformed key, then for the signer's certificate, then for the
    ///   search, and last if the extended key usage of the signer's certificate does not suffice. If the
    ///   limit on signature checks ends the search, the code is `.tooManySignatureChecks`. If the search
    ///   refuses all candidate paths, the error is the refusal that was found where the path was longest; of
    ///   several such refusals it is the first.
    public static func find<Key: SignatureKey>(
        from signer: Int,
        among certificates: CertificateList,
        at time: Timestamp,
        to anchors: [TrustAnchor],
        policy: PathPolicy,
        keys: inout KeyCache<Key>,
        acceleration: Acceleration = .none
    ) throws(Refusal) -> CertificationPath {
        for index in certificates.indices {
            let key = certificates.fields[index].subjectPublicKeyInfo
            try Key.checkEncoding(ofSubjectPublicKeyInfo: certificates.bytes, in: key)
        }
        var search = PathSearch<Key>(
            from: signer,
            among: certificates,
            at: time,
            to: anchors,
            policy: policy,
            acceleration: acceleration
        )
        try search.checkSigner()
        guard let path = try search.extend(from: certificates[signer], &keys) else {
            throw search.furthest.refusal
        }
        // Last, so that a signer under another root is refused for its root first.
        try search.checkSignerPurpose()
        return path
    }

    /// Whether each offered certificate, and each known certificate of a root, is valid at both times or at
    /// neither. If so, a search at one time finds the path that a search at the other time finds.
    ///
    /// A search uses the time only to decide which certificates are valid. Certificates that are not part of
    /// the path matter too: they decide which path is found first and how many signatures are checked.
    ///
    /// - Parameters:
    ///   - certificates: the offered certificates.
    ///   - anchors: the trusted roots.
    package static func findsSamePath(
        at time: Timestamp,
        as other: Timestamp,
        among certificates: [Certificate],
        to anchors: [TrustAnchor]
    ) -> Bool {
        certificates.allSatisfy { $0.validity.holds(at: time) == $0.validity.holds(at: other) }
            && anchors.allSatisfy {
                guard let validity = $0.certificate?.fields.validity else { return true }
                return validity.holds(at: time) == validity.holds(at: other)
            }
    }
}
