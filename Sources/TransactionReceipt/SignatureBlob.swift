import Basics
import DER

/// The version of a transaction receipt's signature: the first octet of the decoded entry `signature`. The
/// version alone decides the hash algorithm, the length of the signer's key, and the markers of the
/// certificates.
public enum SignatureVersion: UInt8, Sendable, Hashable, CaseIterable {
    /// A signature of 128 octets by a "PurchaseReceiptCertificate" with an RSA key of 1024 bits, which the
    /// iTunes Store's authority issued. Seen in receipts from 2012 to 2015.
    case two = 2
    /// A signature of 256 octets by the certificate that signs app receipts, which Apple's Worldwide
    /// Developer Relations authority issued. Seen in receipts from 2018 on.
    case three = 3
    /// A signature of 256 octets by the certificate that signs app receipts, as in version 3, but over
    /// SHA-256 instead of SHA-1. Seen in receipts from 2023 on.
    case four = 4

    /// The hash algorithm of the signature, which covers the version octet and the purchase-info. The
    /// receipt does not name it.
    public var digestAlgorithm: HashAlgorithm {
        switch self {
        case .two, .three: .sha1
        case .four: .sha256
        }
    }

    /// The length of the signature, in octets: 128 in version 2, and 256 in versions 3 and 4.
    var signatureByteCount: Int { self == .two ? 128 : 256 }

    /// The minimum length of the signer's RSA modulus, in bits: 1024 in version 2, otherwise 2048. No other
    /// key in the path may have 1024 bits.
    var minimumModulusBits: Int { 8 * signatureByteCount }

    /// The object identifier of the marker extension that the signer's certificate must have if the trust
    /// policy requires markers.
    package var leafMarker: ObjectIdentifier { self == .two ? .purchaseReceiptMarker : .receiptSigningMarker }

    /// The object identifier of the marker extension that the intermediate certificate must have if the
    /// trust policy requires markers.
    package var intermediateMarker: ObjectIdentifier {
        self == .two ? .iTunesStoreMarker : .intermediateMarker
    }
}

/// The version in the decoded entry `signature`, and the ranges of the signature and the certificate in it.
///
/// ```
/// version (1 octet) || signature (128 or 256 octets)
///     || length of the certificate (4 octets, the most significant first) || certificate (DER)
/// ```
struct SignatureBlob: Sendable {
    let version: SignatureVersion
    let signature: Range<Int>
    let certificate: Range<Int>

    /// Finds the version, the signature and the certificate in the decoded entry `signature`. Throws
    /// `.unsupportedSignatureVersion` unless the version is 2, 3 or 4. Throws `.truncatedSignature` if there
    /// are no bytes, and that or `.bytesAfterCertificate` unless the certificate, by the length before it,
    /// ends where the bytes end. The certificate is not decoded.
    init(_ bytes: Span<UInt8>) throws(Refusal) {
        guard bytes.count > 0 else { throw Refusal(.truncatedSignature, at: 0, reading: "version") }
        guard let version = SignatureVersion(rawValue: bytes[0]) else {
            throw Refusal(.unsupportedSignatureVersion, at: 0, reading: "version")
        }
        let end = 1 + version.signatureByteCount
        guard bytes.count >= end + 4 else {
            throw Refusal(.truncatedSignature, at: bytes.count, reading: "signature")
        }
        var length: UInt32 = 0
        for index in end..<(end + 4) { length = length << 8 | UInt32(bytes[index]) }
        let rest = bytes.count - end - 4
        // Compared as 64 bits, so that a length beyond 2^31 fits on systems with words of 32 bits.
        guard UInt64(length) <= UInt64(rest) else {
            throw Refusal(.truncatedSignature, at: end, reading: "certificate length")
        }
        guard UInt64(length) == UInt64(rest) else {
            throw Refusal(.bytesAfterCertificate, at: end + 4 + Int(length), reading: "signature")
        }
        self.version = version
        signature = 1..<end
        certificate = (end + 4)..<bytes.count
    }
}
