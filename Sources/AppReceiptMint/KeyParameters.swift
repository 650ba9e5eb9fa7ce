/// The size of an RSA key: the length of its modulus, and its public exponent.
public struct KeyParameters: Sendable, Hashable {
    /// The length of the modulus in bits: an even number from 1024 to 16384.
    public let bits: Int
    /// The public exponent e, which is odd and 3 or more.
    public let exponent: UInt32

    /// Checks the parameters of a key.
    ///
    /// Returns nil unless the modulus has an even number of bits from 1024 to 16384 (OpenSSL's bound), and
    /// the exponent is odd and 3 or more.
    public init?(bits: Int, exponent: UInt32 = 65537) {
        guard (1024...16384).contains(bits), bits % 2 == 0, exponent >= 3, exponent % 2 == 1 else {
            return nil
        }
        self.init(checkedBits: bits, exponent: exponent)
    }

    private init(checkedBits bits: Int, exponent: UInt32 = 65537) {
        self.bits = bits
        self.exponent = exponent
    }

    /// 1024 bits, e = 65537: the validator of app receipts accepts no signature by so short a key.
    public static var rsa1024: Self { Self(checkedBits: 1024) }
    /// 2048 bits, e = 65537: the shortest key whose signatures the validator of app receipts accepts.
    public static var rsa2048: Self { Self(checkedBits: 2048) }
    /// 3072 bits, e = 65537.
    public static var rsa3072: Self { Self(checkedBits: 3072) }
    /// 4096 bits, e = 65537: the length of the key of Apple Root CA - G2.
    public static var rsa4096: Self { Self(checkedBits: 4096) }
}
