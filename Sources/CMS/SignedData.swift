import Basics
import DER
import PKIX

/// A signed message (RFC 5652 §5.1; PKCS #7, RFC 2315 §9.1): the ranges of its parts in a buffer that the
/// caller keeps.
///
/// Certificates are not decoded yet. ``view(in:)`` pairs the message with its buffer.
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
/// Members of `digestAlgorithms`, `certificates` and `crls` may come in any order, because genuine receipts
/// do not sort their certificates. A message without `eContent` is refused.
public struct SignedData: Sendable {
    /// The version: 1, 3, 4 or 5. Nothing else depends on it.
    package let version: Int64
    /// The range in the buffer of the contents of `digestAlgorithms`, a SET OF AlgorithmIdentifier.
    package let digestAlgorithms: Range<Int>
    /// The range in the buffer of the contents octets of `eContentType`.
    package let contentTypeRange: Range<Int>
    /// `eContentType`; nil if it has more than the sixteen octets that an `ObjectIdentifier` can hold.
    public let contentType: ObjectIdentifier?
    /// The range in the buffer of the signed content: the octets of `eContent`, without their header.
    public let content: Range<Int>
    /// The range in the buffer of the contents of the set of certificates; empty if there is no such set.
    public let certificates: Range<Int>
    /// The SignerInfo of the message's only signer.
    public let signer: SignerInfo

    /// Decodes a ContentInfo in DER that fills the buffer.
    ///
    /// Members of `crls` are checked for their form and skipped. Unsigned attributes are checked for their
    /// form and their types and skipped. Exactly one signer is accepted.
    ///
    /// - Throws: `Refusal` with codes of `DER`, of `PKIX` and of this module.
    public init(_ bytes: Span<UInt8>, limits: EncodingLimits = .standard) throws(Refusal) {
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
        content = try explicitContent.read(.octetString, "eContent")
        try explicitContent.finish("eContent")
        try encapsulated.finish("encapContentInfo")

        let afterContent = signedData.offset
        certificates =
            try signedData.readIfNext(.constructed(0), "certificates") ?? afterContent..<afterContent
        try signedData.skipRevocationInfo(limit: limits.elements)
        var signerInfos = try signedData.nested(.set, "signerInfos")
        try signedData.finish("SignedData")
        guard !signerInfos.isAtEnd else {
            throw Refusal(.noSigner, at: signerInfos.offset, reading: "signerInfos")
        }
        signer = try SignerInfo(&signerInfos, limits: limits)
        guard signerInfos.isAtEnd else {
            throw Refusal(.severalSigners, at: signerInfos.offset, reading: "signerInfos")
        }
        try checkDigestAlgorithms(bytes)
    }

    /// Checks `digestAlgorithms`: the signer's digest algorithm is listed, and the parameters of each
    /// algorithm are NULL or absent (RFC 5754 §2).
    ///
    /// RFC 5652 §5.1 allows refusing a message whose signer uses a digest algorithm that is not listed.
    private func checkDigestAlgorithms(_ bytes: Span<UInt8>) throws(Refusal) {
        var reader = Reader(bytes, in: digestAlgorithms)
        var isListed = false
        while !reader.isAtEnd {
            let listed = try AlgorithmIdentifier(&reader, "digestAlgorithms")
            guard listed.parameters != .other else {
                throw Refusal(
                    .invalidAlgorithmParameters,
                    at: listed.range.lowerBound,
                    reading: "digestAlgorithms"
                )
            }
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

    /// Decodes the contents of a set of certificates in their order.
    ///
    /// Attribute certificates and other formats are checked for their form and skipped, because they cannot
    /// take part in a path.
    ///
    /// - Parameters:
    ///   - bytes: a buffer that holds the contents of the set.
    ///   - range: the range of the contents in the buffer.
    ///   - certificates: an empty array, to which the decoded certificates are appended. If one is refused,
    ///     the array's count is the index that it would have had in the array.
    /// - Throws: `.tooManyCertificates`, what decoding a `Certificate` throws, and codes of `DER` for other
    ///   formats.
    package static func decodeCertificates(
        _ bytes: Span<UInt8>,
        in range: Range<Int>,
        limits: MessageLimits = .standard,
        into certificates: inout [Certificate]
    ) throws(Refusal) {
        var reader = Reader(bytes, in: range, depth: limits.encoding.depth)
        // Apple's messages have three.
        certificates.reserveCapacity(3)
        while !reader.isAtEnd {
            guard reader.isNext(.sequence) else {
                try reader.skipOtherCertificate(limit: limits.encoding.elements)
                continue
            }
            guard certificates.count < limits.certificates else {
                throw Refusal(.tooManyCertificates, at: reader.offset, reading: "certificates")
            }
            certificates.append(try Certificate(&reader, limits: limits.certificate))
        }
    }

    /// Decodes the contents of a set of certificates, as the overload with `into:` does, and returns the
    /// certificates in their order. Attribute certificates and other formats are skipped.
    public static func decodeCertificates(
        _ bytes: Span<UInt8>,
        in range: Range<Int>,
        limits: MessageLimits = .standard
    ) throws(Refusal) -> [Certificate] {
        var certificates: [Certificate] = []
        try decodeCertificates(bytes, in: range, limits: limits, into: &certificates)
        return certificates
    }
}

extension ObjectIdentifier {
    /// `id-signedData`, the content type of a signed message (RFC 5652 §5.1).
    static var signedData: Self { Self(1, 2, 840, 113549, 1, 7, 2) }
    /// `id-data` (RFC 5652 §4), the content type of a receipt.
    package static var data: Self { Self(1, 2, 840, 113549, 1, 7, 1) }
}
