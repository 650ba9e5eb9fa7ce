import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import Processor
import SHA
import TestSupport
import Testing

private typealias Builder = CertificateBuilder

/// An algorithm that no standard defines. The signature is the digest of the key's octets and the signed
/// digest, so anyone can sign.
///
/// It shows that `PKIX` and `CMS` accept a signature algorithm that they do not know.
private struct ToyKey: SignatureKey {
    struct Algorithm: SignatureAlgorithm {
        static var identifier: ObjectIdentifier { ObjectIdentifier(1, 3, 6, 1, 4, 1, 55738, 2) }
        let hash: HashAlgorithm

        init(ofCertificate identifier: AlgorithmIdentifier) throws(Refusal) {
            try self.init(identifier, .sha512)
        }

        init(ofSigner identifier: AlgorithmIdentifier, digest: HashAlgorithm) throws(Refusal) {
            try self.init(identifier, digest)
        }

        private init(_ identifier: AlgorithmIdentifier, _ hash: HashAlgorithm) throws(Refusal) {
            let offset = identifier.range.lowerBound
            guard identifier.algorithm == Self.identifier else {
                throw Refusal(.unsupportedSignatureAlgorithm, at: offset, reading: "signatureAlgorithm")
            }
            // The parameters must be absent, unlike RSA's.
            guard identifier.parameters == .absent else {
                throw Refusal(.invalidAlgorithmParameters, at: offset, reading: "signatureAlgorithm")
            }
            self.hash = hash
        }
    }

    struct Requirements: Sendable, Hashable {
        var minimumByteCount = 4
    }

    let octets: [UInt8]
    var checkWeight: Int { 1 }

    init(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>,
        requirements: Requirements
    ) throws(Refusal) {
        var reader = Reader(bytes, in: range)
        var info = try reader.nested(.sequence, "SubjectPublicKeyInfo")
        _ = try AlgorithmIdentifier(&info, "algorithm")
        octets = [UInt8](bytes, in: try info.readOctetAlignedBitString("subjectPublicKey"))
        guard octets.count >= requirements.minimumByteCount else {
            throw Refusal(.keyTooSmall, at: range.lowerBound, reading: "subjectPublicKeyInfo")
        }
    }

    static func checkEncoding(ofSubjectPublicKeyInfo bytes: Span<UInt8>, in range: Range<Int>) {}

    func verify(
        _ signature: Span<UInt8>,
        of digest: Digest,
        by algorithm: Algorithm,
        acceleration: Acceleration
    ) throws(Refusal) {
        guard Self.sign(digest, by: octets).span.holds(0..<32, sameAs: signature, 0..<signature.count) else {
            throw Refusal(.toyMismatch, at: 0, reading: "signature")
        }
    }

    static func sign(_ digest: Digest, by key: [UInt8]) -> [UInt8] {
        HashAlgorithm.sha256.digest(of: (key + digest.bytes).span).bytes
    }
}

extension Refusal.Code {
    /// A code of the toy algorithm's own.
    fileprivate static var toyMismatch: Self {
        .init(900, "toy.signature-mismatch", "The signature is not the one that the toy key makes.")
    }
}

@Suite("A signature algorithm that PKIX and CMS do not know")
struct OtherAlgorithmTests {
    private static let algorithm = Builder.algorithm(ToyKey.Algorithm.identifier, parameters: [])

    /// A certificate signed by the toy algorithm, by the key with the issuer's name.
    private static func signed(_ builder: CertificateBuilder, by key: String) throws -> [UInt8] {
        let unsigned = builder.with { $0.signature = algorithm }
        let bytes = unsigned.encoding
        var reader = Reader(bytes.span)
        let tbs = try Certificate(&reader).tbsCertificate
        let digest = HashAlgorithm.sha512.digest(of: bytes.span.extracting(tbs))
        return unsigned.with { $0.signatureValue = ToyKey.sign(digest, by: [UInt8](key.utf8)) }.encoding
    }

    private static func chain() throws -> [[UInt8]] {
        [
            try signed(Builder("Signer", issuer: "Authority"), by: "Authority"),
            try signed(Builder.authority("Authority", issuer: "Root"), by: "Root"),
            try signed(Builder.authority("Root", issuer: "Root"), by: "Root"),
        ]
    }

    private static func path(_ encodings: [[UInt8]], root: [UInt8]) throws(Refusal) -> CertificationPath {
        let bytes = encodings.flatMap { $0 }
        let certificates = try SignedData.decodeCertificates(bytes.span, in: 0..<bytes.count)
        var keys = KeyCache<ToyKey>(ToyKey.Requirements())
        return try CertificationPath.find(
            from: 0,
            among: CertificateList(certificates, in: bytes.span),
            at: Timestamp(millisecondsSince1970: 1_577_880_000_000),
            to: [try TrustAnchor(certificate: root)],
            policy: PathPolicy(certificateCount: 3...3, purpose: .permitted(.anyExtendedKeyUsage)),
            keys: &keys
        )
    }

    @Test("a path of certificates signed by it is validated, with the root offered or at hand")
    func path() throws {
        let chain = try Self.chain()
        #expect(try Self.path(chain, root: chain[2]).indices == [0, 1, 2])
        #expect(try Self.path(Array(chain.prefix(2)), root: chain[2]).endsOutside)
    }

    @Test("a wrong signature, another algorithm, wrong parameters and a small key are refused")
    func wrongPaths() throws {
        let chain = try Self.chain()
        var forged = chain
        forged[0] = try Self.signed(Builder("Signer", issuer: "Authority"), by: "Impostor")
        refuses(.toyMismatch) { () throws(Refusal) in try Self.path(forged, root: chain[2]) }
        var other = chain
        other[0] = Builder("Signer", issuer: "Authority").encoding
        refuses(.unsupportedSignatureAlgorithm) { () throws(Refusal) in try Self.path(other, root: chain[2]) }
        other[0] =
            Builder("Signer", issuer: "Authority")
            .with { $0.signature = Builder.algorithm(ToyKey.Algorithm.identifier) }.encoding
        refuses(.invalidAlgorithmParameters) { () throws(Refusal) in try Self.path(other, root: chain[2]) }
        var small = chain
        small[0] = try Self.signed(Builder("Signer", issuer: "Authority"), by: "Key")
        small[1] = try Self.signed(Builder.authority("Authority", issuer: "Root", key: "Key"), by: "Root")
        refuses(.keyTooSmall) { () throws(Refusal) in try Self.path(small, root: chain[2]) }
    }

    /// A message that the first certificate's key signed.
    private static func message(_ change: (inout MessageBuilder) -> Void = { _ in }) throws -> [UInt8] {
        var message = MessageBuilder()
        message.certificates = try chain()
        message.signers[0].identifier = SignerBuilder.issuerAndSerialNumber("Authority", [1])
        message.signers[0].signatureAlgorithm = algorithm
        message.signers[0].signedAttributes = [SignerBuilder.contentType(), SignerBuilder.messageDigest()]
        let attributes = message.signers[0].signedAttributes ?? []
        let set = Builder.encode { $0.write(.set, attributes.flatMap { $0 }) }
        let digest = HashAlgorithm.sha256.digest(of: set.span)
        message.signers[0].signature = ToyKey.sign(digest, by: [UInt8]("Signer".utf8))
        change(&message)
        return message.encoding
    }

    @Test("a message signed by it is verified, and a changed message is refused")
    func message() throws {
        var keys = KeyCache<ToyKey>(ToyKey.Requirements())
        #expect(try verify(Self.message(), &keys) == [UInt8]("content".utf8))
        let changed = try Self.message { $0.content = [UInt8]("Content".utf8) }
        refuses(.messageDigestMismatch) { () throws(Refusal) in try verify(changed, &keys) }
        let forged = try Self.message { $0.signers[0].signature[0] ^= 1 }
        refuses(.toyMismatch) { () throws(Refusal) in try verify(forged, &keys) }
        let other = try Self.message {
            $0.signers[0].signatureAlgorithm = Builder.algorithm(Builder.rsaEncryption)
        }
        refuses(.unsupportedSignatureAlgorithm) { () throws(Refusal) in try verify(other, &keys) }
    }
}
