import DER
import PKIX
import RSA

/// What is worth remembering between receipts: the constants of keys, and paths that held.
///
/// A path is remembered under the exact bytes of the certificates and the policy it held under, and only once
/// it, the markers and the signature over the content have held. When the same certificates come again, their
/// signatures and markers are not checked again; the signature over the content is. The path serves only
/// where the same certificate signed, and exactly those are valid at the new receipt's time that were at the
/// former's: a search would then find the same path. A value without locks: each worker owns one and passes
/// it in. Bounded: the oldest path gives way.
public struct ValidationCache: Sendable {
    struct RememberedPath: Sendable {
        /// The contents of the message's set of certificates.
        let encoding: [UInt8]
        /// Read from `encoding`.
        let certificates: [Certificate]
        let path: CertificationPath
        /// When it was found valid.
        let time: Timestamp
        /// The signer's.
        let key: PublicKey
    }

    var verifier = RSAVerifier()
    private(set) var paths: [RememberedPath] = []
    private var oldest = 0
    private var policy: (trust: TrustPolicy, path: PathPolicy)?
    /// Whether another receipt may come, for which it is worth the work to remember a path.
    private let keepsPaths: Bool

    /// The most paths remembered. Apple has had a handful of signing chains at any one time; a corpus over
    /// all years about a dozen.
    static let capacity = 64
    /// The most bytes of certificates remembered for one path. Three of Apple's take 4 KB. Nobody signs the
    /// set of certificates, so that a genuine receipt may be made to carry megabytes.
    static let capacityOfPath = 16 << 10

    /// A cache that remembers nothing yet.
    public init() { self.init(keepsPaths: true) }

    init(keepsPaths: Bool) { self.keepsPaths = keepsPaths }

    /// Forgets everything that was learnt under another policy.
    mutating func prepare(for trust: TrustPolicy, _ path: PathPolicy, minimumModulusBits: Int) {
        if let policy, policy.trust.isSame(as: trust), policy.path == path,
            verifier.minimumModulusBits == minimumModulusBits
        {
            return
        }
        self = ValidationCache(keepsPaths: keepsPaths)
        verifier = RSAVerifier(minimumModulusBits: minimumModulusBits, limits: path.limits)
        policy = (trust, path)
    }

    /// Whether a path for these certificates is worth remembering.
    func keeps(_ certificates: Range<Int>) -> Bool {
        keepsPaths && certificates.count <= Self.capacityOfPath
    }

    /// Where a path for these certificates is remembered.
    func index(of certificates: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        for index in 0..<paths.count {
            let encoding = paths[index].encoding
            if bytes.holds(certificates, sameAs: encoding.span, 0..<encoding.count) { return index }
        }
        return nil
    }

    mutating func remember(_ remembered: RememberedPath) {
        // The same certificates with another signer among them: one entry for both.
        if let index = index(of: 0..<remembered.encoding.count, in: remembered.encoding.span) {
            paths[index] = remembered
        } else if paths.count < Self.capacity {
            paths.append(remembered)
        } else {
            paths[oldest] = remembered
            oldest = (oldest + 1) % Self.capacity
        }
    }
}
