import DER
import PKIX
import RSA
import SHA

/// One signature over the content, and who made it (RFC 5652 §5.3).
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
    /// `sid`: what names the signer's certificate (§5.3).
    public enum Identifier: Sendable {
        /// The whole Name, and the contents octets of the serial number.
        case issuerAndSerialNumber(issuer: Range<Int>, serialNumber: Range<Int>)
        case subjectKeyIdentifier(Range<Int>)
    }

    /// The whole encoding.
    public let range: Range<Int>
    /// `sid`; ``certificate(among:in:bytes:)`` finds the certificate it names.
    public let identifier: Identifier
    /// The hash over the content; ``hashAlgorithm()`` checks that it is supported.
    public let digestAlgorithm: AlgorithmIdentifier
    /// The whole encoding, header included.
    public let signedAttributes: Range<Int>?
    /// What `signature` was made with: `rsaEncryption`, or an algorithm that names its hash too.
    public let signatureAlgorithm: AlgorithmIdentifier
    /// The octets of the signature: over the signed attributes where there are any, else over the content
    /// (§5.4).
    public let signature: Range<Int>

    init(_ reader: inout Reader) throws(Refusal) {
        let start = reader.offset
        var signerInfo = try reader.nested(.sequence, "SignerInfo")
        range = start..<reader.offset
        let versionOffset = signerInfo.offset
        let version = try signerInfo.readInteger("SignerInfo.version")
        if let keyIdentifier = try signerInfo.readIfNext(.primitive(0), "subjectKeyIdentifier") {
            identifier = .subjectKeyIdentifier(keyIdentifier)
            guard version == 3 else {
                throw Refusal(.signerInfoVersion, at: versionOffset, reading: "SignerInfo.version")
            }
        } else {
            var both = try signerInfo.nested(.sequence, "issuerAndSerialNumber")
            let issuerStart = both.offset
            _ = try both.read(.sequence, "issuer")
            let issuer = issuerStart..<both.offset
            identifier = .issuerAndSerialNumber(
                issuer: issuer,
                serialNumber: try both.readIntegerContents("serialNumber")
            )
            try both.finish("issuerAndSerialNumber")
            guard version == 1 else {
                throw Refusal(.signerInfoVersion, at: versionOffset, reading: "SignerInfo.version")
            }
        }
        digestAlgorithm = try AlgorithmIdentifier(&signerInfo, "digestAlgorithm")
        let attributesStart = signerInfo.offset
        signedAttributes =
            try signerInfo.readIfNext(.constructed(0), "signedAttrs").map { attributesStart..<$0.upperBound }
        signatureAlgorithm = try AlgorithmIdentifier(&signerInfo, "signatureAlgorithm")
        signature = try signerInfo.readOctetString("signature")
        _ = try signerInfo.readIfNext(.constructed(1), "unsignedAttrs")
        try signerInfo.finish("SignerInfo")
    }

    /// The index of the signer's certificate.
    ///
    /// - Parameters:
    ///   - certificates: read from `certificateBytes`; those of another buffer may trap.
    ///   - bytes: the buffer that this was read from; another one may trap.
    /// - Throws: `.signerCertificateNotFound`, `.ambiguousSigner`.
    public func certificate(
        among certificates: [Certificate],
        in certificateBytes: Span<UInt8>,
        bytes: Span<UInt8>
    ) throws(Refusal) -> Int {
        var found: Int?
        for (index, certificate) in certificates.enumerated() {
            let isNamed: Bool
            switch identifier {
            case .issuerAndSerialNumber(let issuer, let serialNumber):
                isNamed =
                    bytes.holds(serialNumber, sameAs: certificateBytes, certificate.serialNumber)
                    && bytes.holds(issuer, sameAs: certificateBytes, certificate.issuer.range)
            case .subjectKeyIdentifier(let wanted):
                isNamed =
                    certificate.subjectKeyIdentifier.map { bytes.holds(wanted, sameAs: certificateBytes, $0) }
                    ?? false
            }
            guard isNamed else { continue }
            guard found == nil else { throw Refusal(.ambiguousSigner, at: range.lowerBound, reading: "sid") }
            found = index
        }
        guard let found else {
            throw Refusal(.signerCertificateNotFound, at: range.lowerBound, reading: "sid")
        }
        return found
    }
}

// MARK: Algorithms

extension SignerInfo {
    /// The hash over the content: what `digestAlgorithm` says, unless `signatureAlgorithm` contradicts it.
    ///
    /// The digest's parameters are NULL or absent (RFC 5754 §2). The signature algorithm is rsaEncryption
    /// with NULL (RFC 3370 §3.2), or one that names its hash.
    public func hashAlgorithm() throws(Refusal) -> HashAlgorithm {
        let digestOffset = digestAlgorithm.range.lowerBound
        guard let hash = HashAlgorithm(digestAlgorithm: digestAlgorithm.algorithm) else {
            throw Refusal(.unsupportedDigestAlgorithm, at: digestOffset, reading: "digestAlgorithm")
        }
        guard digestAlgorithm.parameters != .other else {
            throw Refusal(.invalidAlgorithmParameters, at: digestOffset, reading: "digestAlgorithm")
        }
        let signatureOffset = signatureAlgorithm.range.lowerBound
        guard signatureAlgorithm.algorithm == .rsaEncryption else {
            guard try HashAlgorithm(rsaSignatureAlgorithm: signatureAlgorithm) == hash else {
                throw Refusal(.contradictingAlgorithms, at: signatureOffset, reading: "signatureAlgorithm")
            }
            return hash
        }
        guard signatureAlgorithm.parameters == .null else {
            throw Refusal(.invalidAlgorithmParameters, at: signatureOffset, reading: "signatureAlgorithm")
        }
        return hash
    }
}

extension HashAlgorithm {
    /// From the identifiers of RFC 3370 §2.1 and RFC 5754 §2.
    public init?(digestAlgorithm identifier: ObjectIdentifier?) {
        switch identifier {
        case ObjectIdentifier(1, 3, 14, 3, 2, 26)?: self = .sha1
        case ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 1)?: self = .sha256
        case ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 2)?: self = .sha384
        case ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 3)?: self = .sha512
        default: return nil
        }
    }
}
