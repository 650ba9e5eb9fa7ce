import Basics
import CMS
import PKIX

/// Results of earlier validations that later ones use: decoded keys, verdicts about revocation, and valid
/// certification paths.
///
/// A path is remembered under the exact bytes of the message's certificates, and only after the path, the
/// markers that the policy requires and the signature over the content were found valid. If a remembered path
/// serves again, the signatures, revocation and markers of its certificates are not checked again; the
/// signature over the content always is. A remembered path serves only if the same certificate signed, and if
/// each certificate of the message and each trusted root is valid at the new time exactly if it was valid at
/// the former time: a search would then find the same path.
///
/// The cache forgets everything when it is used under another trust policy, another list of distrusted
/// certificates, another policy of revocation, other requirements on paths or keys, or other limits. It is
/// bounded: once it is full, a new path replaces an older one. A cache is a value without locks: each worker
/// has its own and passes it in.
public struct ValidationCache: Sendable {
    /// A certification path that was found valid, with the certificates of its message.
    struct RememberedPath: Sendable {
        /// The octets of the message's set of certificates, without the set's header.
        let encoding: [UInt8]
        /// The certificates, decoded from `encoding`.
        let certificates: [Certificate]
        let found: FoundPath
        /// The public key of the signer's certificate.
        let key: SigningKey

        /// The certificates together with their bytes.
        var list: CertificateList {
            @_lifetime(borrow self)
            get { CertificateList(certificates, in: encoding.borrowedSpan) }
        }
    }

    /// Everything besides the certificates and the time that decides whether a path holds.
    struct Rules: Sendable, Hashable {
        let trust: TrustPolicy
        let distrusted: DistrustList
        let revocation: RevocationPolicy<SigningKey>?
        let path: PathPolicy
        let limits: Limits
        let key: SigningKey.Requirements
    }

    /// Decoded public keys, and verdicts about the revocation of certificates.
    var keys = KeyCache<SigningKey>(SigningKey.Requirements())
    private(set) var paths = RecentElements<RememberedPath>(capacity: Self.capacity)
    /// The rules of the validations that filled the cache; nil before the first receipt.
    private var rules: Shared<Rules>?
    /// Whether paths are remembered. It is not worth the work for a single receipt.
    private let keepsPaths: Bool

    /// The maximum number of paths remembered.
    static let capacity = 64
    /// The maximum number of bytes of certificates remembered for one path. The set of certificates is not
    /// signed, so anyone can add to it in a genuine receipt.
    static let capacityOfPath = 16 << 10

    /// Creates an empty cache.
    public init() { self.init(keepsPaths: true) }

    package init(keepsPaths: Bool) { self.keepsPaths = keepsPaths }

    /// Prepares the cache for a validation by these rules. Empties the cache if it was filled under other
    /// rules.
    mutating func prepare(for rules: Shared<Rules>) {
        // Most receipts come to one validator, which has its rules once.
        if let former = self.rules, former === rules || former.value == rules.value { return }
        self = ValidationCache(keepsPaths: keepsPaths)
        keys = KeyCache(rules.value.key)
        self.rules = rules
    }

    /// The index in `paths` of the path remembered for the certificates at a range of bytes; nil if none is.
    func index(of certificates: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        let paths = paths.elements.borrowedSpan
        for index in paths.indices {
            let encoding = paths[index].encoding.borrowedSpan
            if bytes.holds(certificates, sameAs: encoding, encoding.indices) { return index }
        }
        return nil
    }

    /// Remembers the certification path of a verified content, unless the path came from the cache, the
    /// certificates are too large, or the cache keeps no paths. The cache has at most one path for each set
    /// of certificates: the new path replaces an older one.
    mutating func remember(_ content: VerifiedContent, limits: MessageLimits) throws(Refusal) {
        let signed = content.signed
        let message = signed.message
        let range = message.fields.certificates
        guard keepsPaths, let found = signed.newPath, range.count <= Self.capacityOfPath else { return }
        let encoding = [UInt8](message.buffer.bytes.borrowedSpan, in: range)
        var certificates: [Certificate] = []
        let bytes = encoding.borrowedSpan
        try SignedData.decodeCertificates(bytes, in: bytes.indices, limits: limits, into: &certificates)
        let path = RememberedPath(
            encoding: encoding,
            certificates: certificates,
            found: found,
            key: signed.key
        )
        // The certificates are remembered already, but the old path did not serve: another of the
        // certificates signed, or a search at the new time finds another path. The new path replaces the old
        // one.
        if let index = index(of: 0..<encoding.count, in: encoding.borrowedSpan) {
            paths.elements[index] = path
        } else {
            paths.append(path)
        }
    }
}

/// A certification path and the time for which its certificates were judged.
struct FoundPath: Sendable {
    let path: CertificationPath
    let time: Timestamp
    /// Whether evidence proves that no certificate of the path is revoked; the root's is not asked about.
    /// False if the policy does not check revocation.
    let isProvenUnrevoked: Bool
}
