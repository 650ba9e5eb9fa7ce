import Basics
import DER
import SHA

/// A root certificate that the caller trusts, known by its fingerprint alone or with its certificate.
public struct TrustAnchor: Sendable, Hashable {
    /// The SHA-256 digest of the root's whole certificate.
    public let fingerprint: Digest
    /// The root's certificate, for messages that do not carry it; nil if only the fingerprint is known.
    package let certificate: OwnedCertificate?
    /// Whether the root's certificate itself is known. If it is, a message need not carry it.
    package var isAtHand: Bool { certificate != nil }

    /// A root that is known by its fingerprint. The message must carry the certificate.
    ///
    /// Returns nil unless the digest is one of SHA-256.
    package init?(fingerprint: Digest) {
        guard fingerprint.algorithm == .sha256 else { return nil }
        self.fingerprint = fingerprint
        certificate = nil
    }

    /// A root that is known by the bytes of its fingerprint, which is the SHA-256 digest of its certificate.
    ///
    /// Returns nil unless there are 32 bytes. The message must carry the certificate.
    public init?(sha256 bytes: [UInt8]) {
        guard let digest = Digest(.sha256, bytes: bytes.borrowedSpan) else { return nil }
        self.init(fingerprint: digest)
    }

    /// A root whose certificate is known. The message may carry the certificate or leave it out.
    ///
    /// - Throws: `Refusal` unless the bytes are exactly one certificate within the limits.
    public init(certificate bytes: [UInt8], limits: CertificateLimits = .standard) throws(Refusal) {
        var reader = Reader(bytes.borrowedSpan)
        let fields = try Certificate(&reader, limits: limits)
        try reader.finish("Certificate")
        fingerprint = HashAlgorithm.sha256.digest(of: bytes.borrowedSpan)
        certificate = OwnedCertificate(bytes: bytes, fields: fields)
    }
}

/// A certificate with a buffer of its own.
///
/// Two of them are equal if their bytes are. Hashing one adds nothing, because a ``TrustAnchor`` also hashes
/// its fingerprint, which stands for the bytes.
package struct OwnedCertificate: Sendable, Hashable {
    let bytes: [UInt8]
    let fields: Certificate

    /// The decoded certificate together with its buffer.
    package var view: CertificateView {
        @_lifetime(borrow self)
        get { fields.view(in: bytes.borrowedSpan) }
    }

    /// Whether two certificates have the same bytes.
    package static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }

    /// Adds nothing of the certificate to the hasher.
    package func hash(into hasher: inout Hasher) {}
}
