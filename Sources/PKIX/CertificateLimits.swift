/// Limits on what a certificate may contain.
public struct CertificateLimits: Sendable, Hashable {
    /// The maximum number of extensions in a certificate. Apple's certificates have up to 9. The limit bounds
    /// the search for duplicates, which is quadratic at worst.
    public var extensions = 64
    /// The maximum number of purposes in an extended key usage. RFC 5280 §4.2.1.12 defines six and
    /// `anyExtendedKeyUsage`. The path search may read the list many times, and the limit bounds this work.
    public var purposes = 64

    /// The default limits: 64 extensions, and 64 purposes in an extended key usage.
    public static var standard: Self { Self() }
}
