import DER
import PKIX

/// A signed message (RFC 5652 §5.1; PKCS #7, RFC 2315 §9.1): where its parts lie in a buffer that somebody
/// else keeps. Certificates are not decoded yet.
///
/// ```
/// ContentInfo ::= SEQUENCE {
///     contentType  OBJECT IDENTIFIER,
///     content      [0] EXPLICIT ANY DEFINED BY contentType }
/// SignedData ::= SEQUENCE {
///     version           INTEGER,
///     digestAlgorithms  SET OF AlgorithmIdentifier,
///     encapContentInfo  SEQUENCE {
///         eContentType  OBJECT IDENTIFIER,
///         eContent      [0] EXPLICIT OCTET STRING OPTIONAL },
///     certificates      [0] IMPLICIT SET OF CertificateChoices OPTIONAL,
///     crls              [1] IMPLICIT SET OF RevocationInfoChoice OPTIONAL,
///     signerInfos       SET OF SignerInfo }
/// ```
///
/// The order within the sets is not enforced: genuine receipts do not sort their certificates.
public struct SignedData: Sendable {
    /// 1, 3, 4 or 5. Nothing else depends on it.
    public let version: Int64
    /// The contents of the SET OF AlgorithmIdentifier.
    public let digestAlgorithms: Range<Int>
    /// The contents octets of `eContentType`.
    public let contentTypeRange: Range<Int>
    /// `eContentType`; nil where it is too long to be one of those known here.
    public let contentType: ObjectIdentifier?
    /// The octets that were signed, or digested and signed.
    public let content: Range<Int>
    /// The contents of the set of certificates; empty where there is none.
    public let certificates: Range<Int>
    /// The one who signed.
    public let signer: SignerInfo

    /// Decodes a ContentInfo in DER that fills the buffer.
    ///
    /// Exactly one signer is accepted: what several signatures over one content would mean is nowhere
    /// defined, and no receipt has them.
    ///
    /// - Throws: `Refusal` with codes of `DER` and of this module.
    public init(_ bytes: Span<UInt8>, limits: Limits = .standard) throws(Refusal) {
        guard bytes.count <= limits.inputBytes else {
            throw Refusal(.inputTooLarge, at: 0, reading: "ContentInfo")
        }
        var input = Reader(bytes, depth: limits.depth)
        var contentInfo = try input.nested(.sequence, "ContentInfo")
        try input.finish("ContentInfo")
        let typeOffset = contentInfo.offset
        let type = try contentInfo.readObjectIdentifier("contentType")
        guard ObjectIdentifier(bytes, in: type) == .signedData else {
            throw Refusal(.notSignedData, at: typeOffset, reading: "contentType")
        }
        var explicit = try contentInfo.nested(.constructed(0), "content")
        try contentInfo.finish("ContentInfo")
        var signedData = try explicit.nested(.sequence, "SignedData")
        try explicit.finish("content")

        let versionOffset = signedData.offset
        version = try signedData.readInteger("SignedData.version")
        switch version {
        case 1, 3, 4, 5: break
        default: throw Refusal(.signedDataVersion, at: versionOffset, reading: "SignedData.version")
        }
        digestAlgorithms = try signedData.read(.set, "digestAlgorithms")

        var encapsulated = try signedData.nested(.sequence, "encapContentInfo")
        contentTypeRange = try encapsulated.readObjectIdentifier("eContentType")
        contentType = ObjectIdentifier(bytes, in: contentTypeRange)
        guard !encapsulated.isAtEnd else {
            throw Refusal(.contentDetached, at: encapsulated.offset, reading: "eContent")
        }
        var explicitContent = try encapsulated.nested(.constructed(0), "eContent")
        content = try explicitContent.readOctetString("eContent")
        try explicitContent.finish("eContent")
        try encapsulated.finish("encapContentInfo")

        let afterContent = signedData.offset
        certificates =
            try signedData.readIfNext(.constructed(0), "certificates") ?? afterContent..<afterContent
        _ = try signedData.readIfNext(.constructed(1), "crls")
        var signerInfos = try signedData.nested(.set, "signerInfos")
        try signedData.finish("SignedData")
        guard !signerInfos.isAtEnd else {
            throw Refusal(.noSigner, at: signerInfos.offset, reading: "signerInfos")
        }
        signer = try SignerInfo(&signerInfos)
        guard signerInfos.isAtEnd else {
            throw Refusal(.severalSigners, at: signerInfos.offset, reading: "signerInfos")
        }
        try checkDigestAlgorithms(bytes)
    }

    /// RFC 5652 §5.1 lets a message be refused whose signer uses a digest that is not listed; so it is here.
    private func checkDigestAlgorithms(_ bytes: Span<UInt8>) throws(Refusal) {
        var reader = Reader(bytes, in: digestAlgorithms)
        var isListed = false
        while !reader.isAtEnd {
            let listed = try AlgorithmIdentifier(&reader, "digestAlgorithms")
            if bytes.holds(listed.algorithmRange, sameAs: bytes, signer.digestAlgorithm.algorithmRange) {
                isListed = true
            }
        }
        guard isListed else {
            throw Refusal(
                .digestAlgorithmNotListed,
                at: signer.digestAlgorithm.range.lowerBound,
                reading: "digestAlgorithm"
            )
        }
    }

    /// Decodes the certificates, in the order of the message. Attribute certificates and other formats, which
    /// cannot take part in a path, are passed over.
    ///
    /// - Parameters:
    ///   - bytes: the buffer that the message was read from, or one that holds the contents of the set at
    ///     `range`.
    ///   - certificates: what is decoded is appended here, so that where one is refused, its index is known.
    public static func decodeCertificates(
        _ bytes: Span<UInt8>,
        in range: Range<Int>,
        limits: Limits = .standard,
        into certificates: inout [Certificate]
    ) throws(Refusal) {
        var reader = Reader(bytes, in: range, depth: limits.depth)
        while !reader.isAtEnd {
            guard certificates.count < limits.certificates else {
                throw Refusal(.tooManyCertificates, at: reader.offset, reading: "certificates")
            }
            if reader.isNext(.sequence) {
                certificates.append(try Certificate(&reader, limits: limits))
                continue
            }
            let other = try reader.readElement("certificates")
            guard other.tag.number < 4, other.tag == .constructed(other.tag.number) else {
                throw Refusal(.unexpectedTag, at: other.start, reading: "certificates")
            }
        }
    }

    /// The same, of which the certificates are the result.
    public static func decodeCertificates(
        _ bytes: Span<UInt8>,
        in range: Range<Int>,
        limits: Limits = .standard
    ) throws(Refusal) -> [Certificate] {
        var certificates: [Certificate] = []
        try decodeCertificates(bytes, in: range, limits: limits, into: &certificates)
        return certificates
    }
}

extension ObjectIdentifier {
    /// `id-signedData` (RFC 5652 §5.1).
    static var signedData: Self { Self(1, 2, 840, 113549, 1, 7, 2) }
    /// `id-data` (RFC 5652 §4).
    public static var data: Self { Self(1, 2, 840, 113549, 1, 7, 1) }
}
