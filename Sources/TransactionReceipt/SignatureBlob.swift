import Basics
import DER

/// The version of a transaction receipt's signature. It alone decides the hash algorithm, the length of the
/// signer's key, and the markers of the certificates.
public enum SignatureVersion: UInt8, Sendable, Hashable, CaseIterable {
    /// A signature of 128 octets by a "PurchaseReceiptCertificate" with an RSA key of 1024 bits, which the
    /// iTunes Store's authority issued. Seen in receipts from 2012 to 2015.
    case two = 2
    /// A signature of 256 octets by the certificate that signs app receipts, which Apple's Worldwide
    /// Developer Relations authority issued. Seen in receipts from 2018 on.
    case three = 3
    /// As version 3, and the signature covers SHA-256. Seen in receipts from 2023 on.
    case four = 4

    /// The hash algorithm of the signature, which covers the version octet and the purchase-info. The
    /// receipt does not name it.
    public var digestAlgorithm: HashAlgorithm {
        switch self {
        case .two, .three: .sha1
        case .four: .sha256
        }
    }

    /// The length of the signature, in octets.
    var signatureByteCount: Int { self == .two ? 128 : 256 }

    /// The minimum length of the signer's RSA modulus, in bits. No other key in the path may be as short as
    /// the key of version 2.
    var minimumModulusBits: Int { 8 * signatureByteCount }

    /// The marker extension of the signer's certificate.
    package var leafMarker: ObjectIdentifier { self == .two ? .purchaseReceiptMarker : .receiptSigningMarker }

    /// The marker extension of the intermediate certificate.
    package var intermediateMarker: ObjectIdentifier {
        self == .two ? .iTunesStoreMarker : .intermediateMarker
    }
}

/// The parts of the decoded entry `signature`, as ranges of its bytes.
///
/// ```
/// version (1 octet) || signature (128 or 256 octets)
///     || length of the certificate (4 octets, the most significant first) || certificate (DER)
/// ```
struct SignatureBlob: Sendable {
    let version: SignatureVersion
    let signature: Range<Int>
    let certificate: Range<Int>

    /// Reads the blob, which must end with the certificate.
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
