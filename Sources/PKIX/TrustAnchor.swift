import DER
import SHA

/// A root that is trusted because somebody said so: by its fingerprint alone, or by its certificate.
public struct TrustAnchor: Sendable {
    /// SHA-256 of the whole certificate.
    public let fingerprint: Digest
    /// The certificate, for messages that do not carry it.
    let certificate: (bytes: [UInt8], decoded: Certificate)?
    /// Whether the certificate is known, so that a message need not carry it.
    public var isAtHand: Bool { certificate != nil }

    /// A root that the message itself must carry.
    ///
    /// Nil unless the digest is one of SHA-256.
    public init?(fingerprint: Digest) {
        guard fingerprint.algorithm == .sha256 else { return nil }
        self.fingerprint = fingerprint
        certificate = nil
    }

    /// A root whose certificate is at hand, so that it may be missing from the message.
    ///
    /// - Throws: `Refusal` where the bytes are not one certificate.
    public init(certificate bytes: [UInt8], limits: Limits = .standard) throws(Refusal) {
        var reader = Reader(bytes.span, depth: limits.depth)
        let decoded = try Certificate(&reader, limits: limits)
        try reader.finish("Certificate")
        fingerprint = HashAlgorithm.sha256.digest(of: bytes.span)
        certificate = (bytes, decoded)
    }
}
