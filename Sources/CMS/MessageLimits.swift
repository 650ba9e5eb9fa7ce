import DER
import PKIX

/// Limits on what a signed message may contain.
public struct MessageLimits: Sendable, Hashable {
    /// Limits on the message's bytes, depth and elements. ``EncodingLimits`` says where each applies.
    public var encoding = EncodingLimits.standard
    /// The maximum number of X.509 certificates in the message. Genuine receipts carry 3. Attacks on path
    /// building carry many that look alike.
    public var certificates = 16
    /// Limits on the extensions and purposes in each certificate.
    public var certificate = CertificateLimits.standard

    /// The default limits: 16 certificates, and the defaults of ``EncodingLimits`` and ``CertificateLimits``.
    public static var standard: Self { Self() }
}
