import AppReceipt
import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import Processor
import RSA
import SHA
import TestSupport

/// A signed message written field by field (RFC 5652 §5), so that each can be wrong by itself.
///
/// There are no keys: the right signature is the digest itself. See ``DigestKey``.
struct MessageBuilder: Sendable {
    var type = ObjectIdentifier(1, 2, 840, 113549, 1, 7, 2)
    var version: Int64 = 1
    var digestAlgorithms = [CertificateBuilder.algorithm(sha256)]
    var contentType = ObjectIdentifier.data
    /// The octets; nil leaves them out.
    var content: [UInt8]? = [UInt8]("content".utf8)
    /// Encodings of the members; nil leaves the set out.
    var certificates: [[UInt8]]? = [CertificateBuilder("Signer", issuer: "Root").encoding]
    /// An encoding between certificates and signers.
    var crls: [UInt8] = []
    var signers = [SignerBuilder()]
    /// Encodings after the content, inside eContent and inside EncapsulatedContentInfo.
    var afterContent: [UInt8] = []
    var afterEncapsulatedContent: [UInt8] = []
    /// Encodings at the end of the SignedData, of the ContentInfo's content, and of the ContentInfo.
    var afterSigners: [UInt8] = []
    var afterSequence: [UInt8] = []
    var afterSignedData: [UInt8] = []

    static var sha256: ObjectIdentifier { ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 1) }

    var encoding: [UInt8] {
        CertificateBuilder.encode { writer in
            writer.nest(.sequence) { contentInfo in
                contentInfo.writeObjectIdentifier(type)
                contentInfo.nest(.constructed(0)) { content in
                    content.nest(.sequence) { write(&$0) }
                    content.writeEncoded(afterSequence)
                }
                contentInfo.writeEncoded(afterSignedData)
            }
        }
    }

    private func write(_ signedData: inout Writer) {
        signedData.writeInteger(version)
        signedData.write(.set, digestAlgorithms.flatMap { $0 })
        signedData.nest(.sequence) { encapsulated in
            encapsulated.writeObjectIdentifier(contentType)
            if let content {
                encapsulated.nest(.constructed(0)) {
                    $0.writeOctetString(content)
                    $0.writeEncoded(afterContent)
                }
            }
            encapsulated.writeEncoded(afterEncapsulatedContent)
        }
        if let certificates { signedData.write(.constructed(0), certificates.flatMap { $0 }) }
        signedData.writeEncoded(crls)
        signedData.write(.set, signers.flatMap(\.encoding))
        signedData.writeEncoded(afterSigners)
    }

    func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// The message with a right signature by its first signer.
    func signed(_ hash: HashAlgorithm = .sha256) -> Self {
        with { message in
            let attributes = signers[0].signedAttributes.map { $0.flatMap { $0 } }
            let set = attributes.map { attributes in CertificateBuilder.encode { $0.write(.set, attributes) }
            }
            message.signers[0].signature = digest(hash, set ?? content ?? [])
        }
    }
}

struct SignerBuilder: Sendable {
    var version: Int64 = 1
    /// The encoding of the identifier.
    var identifier = issuerAndSerialNumber("Root", [1])
    var digestAlgorithm = CertificateBuilder.algorithm(MessageBuilder.sha256)
    /// Encodings; nil leaves the set out.
    var signedAttributes: [[UInt8]]?
    var signatureAlgorithm = CertificateBuilder.algorithm(CertificateBuilder.rsaEncryption)
    var signature: [UInt8] = digest(.sha256, [UInt8]("content".utf8))
    /// An encoding.
    var unsignedAttributes: [UInt8] = []

    static func issuerAndSerialNumber(_ issuer: String, _ serialNumber: [UInt8]) -> [UInt8] {
        CertificateBuilder.encode { writer in
            writer.nest(.sequence) {
                $0.writeEncoded(CertificateBuilder.name(issuer))
                $0.write(.integer, serialNumber)
            }
        }
    }

    var encoding: [UInt8] {
        CertificateBuilder.encode { writer in
            writer.nest(.sequence) { signer in
                signer.writeInteger(version)
                signer.writeEncoded(identifier)
                signer.writeEncoded(digestAlgorithm)
                if let signedAttributes { signer.write(.constructed(0), signedAttributes.flatMap { $0 }) }
                signer.writeEncoded(signatureAlgorithm)
                signer.writeOctetString(signature)
                signer.writeEncoded(unsignedAttributes)
            }
        }
    }
}

// MARK: Signed attributes

extension SignerBuilder {
    static var contentTypeIdentifier: ObjectIdentifier { ObjectIdentifier(1, 2, 840, 113549, 1, 9, 3) }
    static var messageDigestIdentifier: ObjectIdentifier { ObjectIdentifier(1, 2, 840, 113549, 1, 9, 4) }

    /// - Parameter values: encodings.
    static func attribute(_ type: ObjectIdentifier, _ values: [UInt8]...) -> [UInt8] {
        CertificateBuilder.encode { writer in
            writer.nest(.sequence) {
                $0.writeObjectIdentifier(type)
                $0.write(.set, values.flatMap { $0 })
            }
        }
    }

    /// The contentType attribute.
    static func contentType(_ type: ObjectIdentifier = .data) -> [UInt8] {
        attribute(contentTypeIdentifier, CertificateBuilder.encode { $0.writeObjectIdentifier(type) })
    }

    /// The messageDigest attribute for some content.
    static func messageDigest(_ content: String = "content", _ hash: HashAlgorithm = .sha256) -> [UInt8] {
        let value = digest(hash, [UInt8](content.utf8))
        return attribute(messageDigestIdentifier, CertificateBuilder.encode { $0.writeOctetString(value) })
    }
}

/// The octets of a digest.
func digest(_ hash: HashAlgorithm, _ message: [UInt8]) -> [UInt8] { hash.digest(of: message.span).bytes }

// MARK: Verification

/// A key that accepts the digest itself as the signature.
struct DigestKey: SignatureKey {
    typealias Algorithm = SigningKey.Algorithm
    struct Requirements: Hashable, Sendable {}

    var checkWeight: Int { 1 }

    init(subjectPublicKeyInfo bytes: Span<UInt8>, in range: Range<Int>, requirements: Requirements) {}

    static func checkEncoding(ofSubjectPublicKeyInfo bytes: Span<UInt8>, in range: Range<Int>) {}

    func verify(
        _ signature: Span<UInt8>,
        of digest: Digest,
        by algorithm: Algorithm,
        acceleration: Acceleration
    ) throws(Refusal) {
        guard digest.equals(signature) else {
            throw Refusal(.signatureMismatch, at: 0, reading: "signature")
        }
    }
}

/// Takes every step of this module: reads the message, finds the signer, verifies the signature.
///
/// - Returns: the content.
@discardableResult
func verify(_ message: [UInt8], _ keys: inout KeyCache<some SignatureKey>) throws(Refusal) -> [UInt8] {
    let envelope = try Envelope(message.span)
    let bytes = envelope.der ?? message
    let signed = envelope.signedData.view(in: bytes.span)
    let certificates = try SignedData.decodeCertificates(bytes.span, in: signed.fields.certificates)
    let list = CertificateList(certificates, in: bytes.span)
    let signer = list[try signed.signerIndex(among: list)]
    try signed.verifySignature(by: keys.key(of: signer))
    return [UInt8](bytes[signed.fields.content])
}

@discardableResult
func verify(_ message: [UInt8]) throws(Refusal) -> [UInt8] {
    var keys = KeyCache<DigestKey>(DigestKey.Requirements())
    return try verify(message, &keys)
}
