import DER
import PKIX

/// Limits on what a signed message may contain.
public struct MessageLimits: Sendable, Hashable {
    /// Limits on the encoding of the message.
    public var encoding = EncodingLimits.standard
    /// The maximum number of certificates. Genuine receipts carry 3. Attacks on path building carry many that
    /// look alike.
    public var certificates = 16
    /// Limits on each certificate.
    public var certificate = CertificateLimits.standard

    /// The default limits.
    public static var standard: Self { Self() }
}
