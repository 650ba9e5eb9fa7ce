import RSA
import Testing

@Suite("Division by a modulus whose quotient digits are hard to estimate (Knuth, algorithm D)")
struct DivisionTests {
    /// The 128 leading bits of moduli, the higher 64 first.
    static let leading: [(UInt64, UInt64)] = [
        (1 << 63, 0),
        (1 << 63, .max),
        (.max, 0),
        (.max, .max),
        (0xC90F_DAA2_2168_C234, 0xC4C6_628B_80DC_1CD1),
        // d = 2⁶³ + √2⁶¹. 2¹²⁸ mod d is nearly d, so the reciprocal, rounded down, is wrong by nearly one.
        (0x8000_0000_5A82_7999, 0),
    ]

    /// A modulus with a number of limbs and a number of vacant bits in the highest limb.
    static func modulus(
        _ count: Int,
        vacant: UInt64,
        leading: (UInt64, UInt64),
        rest: UInt64
    ) -> [UInt64] {
        let limbs = [UInt64](repeating: rest, count: count - 2) + [leading.1, leading.0]
        var shifted = limbs.indices.map { index in
            limbs[index] >> vacant | (index + 1 < count ? limbs[index + 1] << (64 - vacant) : 0)
        }
        shifted[0] |= 1
        return shifted
    }

    /// The last step of the division is 2⁶⁴·(t/2⁶⁴ mod n) = q·n + t. For a small t, the quotient digit q - 1
    /// leaves a remainder just above n. For -t, the quotient digit that is too large by 1 leaves a remainder
    /// just below 0.
    @Test(
        "the Montgomery form of t/R is t, and the Montgomery form of -t/R is n - t",
        arguments: leading,
        [4, 5, 8]
    )
    func form(leading: (UInt64, UInt64), count: Int) throws {
        for vacant: UInt64 in [0, 1, 31, 63] {
            for rest: UInt64 in [0, 0x9E37_79B9_7F4A_7C15, .max] {
                let limbs = Self.modulus(count, vacant: vacant, leading: leading, rest: rest)
                let modulus = try #require(MontgomeryModulus(bigEndian: octets(limbs)))
                let zeros = [UInt64](repeating: 0, count: modulus.count - 1)
                let padded = limbs + zeros.prefix(modulus.count - count)
                for t: UInt64 in [1, 2, 3, .max] {
                    let number = [t] + zeros
                    let quotient = Plain.montgomeryProduct(number, [1], padded)
                    #expect(modulus.montgomeryForm(of: quotient) == number)
                    #expect(
                        modulus.montgomeryForm(of: Plain.difference(padded, quotient))
                            == Plain.difference(padded, number)
                    )
                }
            }
        }
    }
}
