import Basics
import DER
import PKIX
import SHA

/// The information about one signer (RFC 5652 §5.3): the identifier of its certificate, the algorithms, and
/// its signature over the content.
///
/// ```
/// SignerInfo ::= SEQUENCE {
///     version             INTEGER,
///     sid                 CHOICE { issuerAndSerialNumber SEQUENCE { issuer Name, serialNumber INTEGER },
///                                  subjectKeyIdentifier  [0] OCTET STRING },
///     digestAlgorithm     AlgorithmIdentifier,
///     signedAttrs         [0] IMPLICIT SET SIZE (1..MAX) OF Attribute OPTIONAL,
///     signatureAlgorithm  AlgorithmIdentifier,
///     signature           OCTET STRING,
///     unsignedAttrs       [1] IMPLICIT SET SIZE (1..MAX) OF Attribute OPTIONAL }
/// ```
public struct SignerInfo: Sendable {
    /// `sid`: the identifier of the signer's certificate (§5.3).
    package enum Identifier: Sendable {
        /// The ranges in the buffer of the whole issuer Name and of the contents octets of the serial number.
        case issuerAndSerialNumber(issuer: Range<Int>, serialNumber: Range<Int>)
        /// The range in the buffer of the octets of the subject key identifier.
        case subjectKeyIdentifier(Range<Int>)
    }

    /// The range in the buffer of the whole SignerInfo, header included.
    package let range: Range<Int>
    /// `sid`, which names the signer's certificate. ``SignedDataView/signerIndex(among:)`` finds it.
    package let identifier: Identifier
    /// The algorithm that hashed the content. ``hashAlgorithm()`` checks that it is supported.
    public let digestAlgorithm: AlgorithmIdentifier
    /// The range of the signed attributes in the buffer, with the header of their tag [0]; nil if absent.
    public let signedAttributes: Range<Int>?
    /// The algorithm that made `signature`. ``algorithm(for:)`` checks that it is supported.
    @usableFromInline package let signatureAlgorithm: AlgorithmIdentifier
    /// The range in the buffer of the signature's octets. The signature covers the signed attributes if there
    /// are any, and the content otherwise (§5.4).
    public let signature: Range<Int>

    init(_ reader: inout Reader, limits: EncodingLimits) throws(Refusal) {
        let start = reader.offset
        var signerInfo = try reader.nested(.sequence, "SignerInfo")
        range = start..<reader.offset
        let versionOffset = signerInfo.offset
        let version = try signerInfo.readInteger("SignerInfo.version")
        let versionOfIdentifier: Int64
        if let keyIdentifier = try signerInfo.readIfNext(.primitive(0), "subjectKeyIdentifier") {
            identifier = .subjectKeyIdentifier(keyIdentifier)
            versionOfIdentifier = 3
        } else {
            var both = try signerInfo.nested(.sequence, "issuerAndSerialNumber")
            identifier = .issuerAndSerialNumber(
                issuer: try Name(&both, "issuer").range,
                serialNumber: try both.readIntegerContents("serialNumber")
            )
            try both.finish("issuerAndSerialNumber")
            versionOfIdentifier = 1
        }
        guard version == versionOfIdentifier else {
            throw Refusal(.signerInfoVersion, at: versionOffset, reading: "SignerInfo.version")
        }
        digestAlgorithm = try AlgorithmIdentifier(&signerInfo, "digestAlgorithm")
        let attributesStart = signerInfo.offset
        signedAttributes =
            try signerInfo.readIfNext(.constructed(0), "signedAttrs").map { attributesStart..<$0.upperBound }
        signatureAlgorithm = try AlgorithmIdentifier(&signerInfo, "signatureAlgorithm")
        signature = try signerInfo.read(.octetString, "signature")
        try signerInfo.skipUnsignedAttributes(limit: limits.elements)
        try signerInfo.finish("SignerInfo")
    }
}

// MARK: Algorithms

extension SignerInfo {
    /// The hash algorithm of the content, from `digestAlgorithm`.
    ///
    /// The algorithm's parameters are NULL or absent (RFC 5754 §2).
    ///
    /// - Throws: `.unsupportedDigestAlgorithm`, `.invalidAlgorithmParameters`.
    @usableFromInline
    package func hashAlgorithm() throws(Refusal) -> HashAlgorithm {
        let offset = digestAlgorithm.range.lowerBound
        guard let hash = HashAlgorithm(digestAlgorithm: digestAlgorithm.algorithm) else {
            throw Refusal(.unsupportedDigestAlgorithm, at: offset, reading: "digestAlgorithm")
        }
        guard digestAlgorithm.parameters != .other else {
            throw Refusal(.invalidAlgorithmParameters, at: offset, reading: "digestAlgorithm")
        }
        return hash
    }

    /// The signature algorithm, which must agree with the digest algorithm.
    ///
    /// - Parameter key: the type of the key that is to verify the signature.
    /// - Throws: what ``hashAlgorithm()`` and the decoding of the signature algorithm throw, and
    ///   `.contradictingAlgorithms` if the signature algorithm names another hash algorithm than
    ///   `digestAlgorithm`.
    @inlinable
    package func algorithm<Key: SignatureKey>(for key: Key.Type) throws(Refusal) -> Key.Algorithm {
        let hash = try hashAlgorithm()
        let algorithm = try Key.Algorithm(ofSigner: signatureAlgorithm, digest: hash)
        guard algorithm.hash == hash else { throw contradictingAlgorithms }
        return algorithm
    }

    /// The refusal of a signature algorithm that names another hash algorithm than `digestAlgorithm` does.
    @usableFromInline var contradictingAlgorithms: Refusal {
        let offset = signatureAlgorithm.range.lowerBound
        return Refusal(.contradictingAlgorithms, at: offset, reading: "signatureAlgorithm")
    }
}
