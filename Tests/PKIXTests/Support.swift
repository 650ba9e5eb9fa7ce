import AppReceipt
import Basics
import DER
import PKIX
import Processor
import RSA
import SHA
import TestSupport
import Testing

/// Several certificates in one buffer, as in a message.
struct Bag {
    let bytes: [UInt8]
    let certificates: [Certificate]

    init(encodings: [[UInt8]], limits: CertificateLimits = .standard) throws(Refusal) {
        let bytes = encodings.flatMap { $0 }
        var reader = Reader(bytes.span)
        var certificates: [Certificate] = []
        while !reader.isAtEnd { certificates.append(try Certificate(&reader, limits: limits)) }
        self.bytes = bytes
        self.certificates = certificates
    }

    init(_ builders: [CertificateBuilder]) throws(Refusal) {
        try self.init(encodings: builders.map(\.encoding))
    }

    /// The path from the first certificate.
    func path(
        to anchors: [TrustAnchor],
        from signer: Int = 0,
        at time: Timestamp = noon,
        policy: PathPolicy = .any(),
        keys: inout KeyCache<some SignatureKey>
    ) throws(Refusal) -> CertificationPath {
        try CertificationPath.find(
            from: signer,
            among: CertificateList(certificates, in: bytes.span),
            at: time,
            to: anchors,
            policy: policy,
            keys: &keys
        )
    }

    func path(
        to anchors: [TrustAnchor],
        from signer: Int = 0,
        at time: Timestamp = noon,
        policy: PathPolicy = .any()
    ) throws(Refusal) -> CertificationPath {
        var keys = KeyCache<NameKey>()
        return try path(to: anchors, from: signer, at: time, policy: policy, keys: &keys)
    }
}

/// 2020-01-01T12:00:00Z, when the certificates of `CertificateBuilder` are valid.
let noon = Timestamp(millisecondsSince1970: 1_577_880_000_000)

extension PathPolicy {
    /// Up to ten certificates for any purpose.
    static func any(
        _ count: ClosedRange<Int> = 1...10,
        purpose: Purpose = .permitted(.anyExtendedKeyUsage),
        minimumHash: HashAlgorithm = .sha1
    ) -> PathPolicy {
        PathPolicy(certificateCount: count, purpose: purpose, minimumHash: minimumHash)
    }
}

extension CertificateBuilder {
    /// The anchor that only a fingerprint names.
    var pinned: TrustAnchor {
        get throws { try #require(TrustAnchor(fingerprint: HashAlgorithm.sha256.digest(of: encoding.span))) }
    }
    /// The anchor whose certificate is at hand.
    var given: TrustAnchor { get throws { try TrustAnchor(certificate: encoding) } }
}

/// Counts the signature checks of keys, and keeps the digests they were asked about.
///
/// Tests use one log on one thread.
final class SignatureLog: @unchecked Sendable, Hashable {
    var digests: [Digest] = []

    static func == (one: SignatureLog, other: SignatureLog) -> Bool { one === other }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentity(self)) }
}

private typealias ObjectIdentity = Swift.ObjectIdentifier

/// A key that accepts its own name as the signature. The keys of `CertificateBuilder` are names.
struct NameKey: SignatureKey {
    typealias Algorithm = SigningKey.Algorithm

    let name: [UInt8]
    let log: SignatureLog

    init(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>,
        requirements: SignatureLog
    ) throws(Refusal) {
        var reader = Reader(bytes, in: range)
        var info = try reader.nested(.sequence, "SubjectPublicKeyInfo")
        _ = try AlgorithmIdentifier(&info, "algorithm")
        name = [UInt8](bytes, in: try info.readOctetAlignedBitString("subjectPublicKey"))
        log = requirements
    }

    /// The number that the name ends with after a space and "x"; 1 without such a number.
    var checkWeight: Int {
        let words = name.split(separator: UInt8(ascii: " "))
        guard let last = words.last, last.first == UInt8(ascii: "x") else { return 1 }
        return Int(String(decoding: last.dropFirst(), as: UTF8.self)) ?? 1
    }

    static func checkEncoding(ofSubjectPublicKeyInfo bytes: Span<UInt8>, in range: Range<Int>) {}

    func verify(
        _ signature: Span<UInt8>,
        of digest: Digest,
        by algorithm: Algorithm,
        acceleration: Acceleration
    ) throws(Refusal) {
        log.digests.append(digest)
        guard signature.holds(0..<signature.count, sameAs: name.span, 0..<name.count) else {
            throw Refusal(.signatureMismatch, at: 0, reading: "signature")
        }
    }
}

extension KeyCache where Key == NameKey {
    init() { self.init(SignatureLog()) }

    /// How many signatures were checked.
    var calls: Int { requirements.digests.count }
    /// The digests that were checked.
    var digests: [Digest] { requirements.digests }
}

extension KeyCache where Key == SigningKey {
    init(minimumModulusBits: Int = 2048) {
        var requirements = SigningKey.Requirements()
        requirements.minimumModulusBits = minimumModulusBits
        self.init(requirements)
    }
}
