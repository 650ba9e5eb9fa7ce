/// Limits on the size of an RSA public key, which determines the cost of a signature check.
public struct KeyLimits: Sendable, Hashable {
    /// The maximum length of the modulus, in bits. The minimum, 1024, does not depend on this limit.
    ///
    /// Apple's RSA keys have 2048 or 4096 bits. The cost of a check with the usual exponent grows with the
    /// square of the number of bits.
    public var modulusBits = 8192
    /// The maximum length of the public exponent, in bits. A limit above 64 counts as 64.
    ///
    /// RFC 8017 requires an exponent below the modulus, and FIPS 186-5 one below 2^256. The usual exponent,
    /// 65537, has 17 bits, and BoringSSL allows 33.
    public var exponentBits = 33

    /// The default limits: a modulus of 8192 bits, and an exponent of 33 bits.
    public static var standard: Self { Self() }
}
