import DER
import PKIX
import RSA
import SHA
import TestSupport
import Testing

/// Several certificates in one buffer, as in a message.
struct Bag {
    let bytes: [UInt8]
    let certificates: [Certificate]

    init(encodings: [[UInt8]], limits: Limits = .standard) throws(Refusal) {
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
        verifier: inout some SignatureVerifier
    ) throws(Refusal) -> CertificationPath {
        try CertificationPath.find(
            from: signer,
            among: certificates,
            in: bytes.span,
            at: time,
            to: anchors,
            policy: policy,
            verifier: &verifier
        )
    }

    func path(
        to anchors: [TrustAnchor],
        from signer: Int = 0,
        at time: Timestamp = noon,
        policy: PathPolicy = .any()
    ) throws(Refusal) -> CertificationPath {
        var verifier = NameVerifier()
        return try path(to: anchors, from: signer, at: time, policy: policy, verifier: &verifier)
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

/// A signature is right that is the name of the key. Counts how often it was asked.
struct NameVerifier: SignatureVerifier {
    var calls = 0
    var digests: [Digest] = []

    func hashAlgorithm(of signatureAlgorithm: AlgorithmIdentifier) throws(Refusal) -> HashAlgorithm {
        try HashAlgorithm(rsaSignatureAlgorithm: signatureAlgorithm)
    }

    mutating func verify(
        _ signature: Range<Int>,
        in bytes: Span<UInt8>,
        of digest: Digest,
        by subjectPublicKeyInfo: Range<Int>,
        in keyBytes: Span<UInt8>
    ) throws(Refusal) {
        calls += 1
        digests.append(digest)
        var reader = Reader(keyBytes, in: subjectPublicKeyInfo)
        var info = try reader.nested(.sequence, "SubjectPublicKeyInfo")
        _ = try AlgorithmIdentifier(&info, "algorithm")
        let name = try info.readOctetAlignedBitString("subjectPublicKey")
        guard bytes.holds(signature, sameAs: keyBytes, name) else {
            throw Refusal(.signatureMismatch, at: signature.lowerBound, reading: "signature")
        }
    }
}
