/// Limits on the size of an RSA public key, which determines the cost of a signature check.
public struct KeyLimits: Sendable, Hashable {
    /// The maximum length of the modulus, in bits.
    ///
    /// Apple's keys have 2048 and 4096 bits. The cost of a check grows with the square of the bits.
    public var modulusBits = 8192
    /// The maximum length of the public exponent, in bits.
    ///
    /// RFC 8017 sets no bound. FIPS 186-5 requires less than 256 bits. The usual exponent, 65537, has 17
    /// bits, and BoringSSL allows 33.
    public var exponentBits = 33

    /// The default limits.
    public static var standard: Self { Self() }
}
