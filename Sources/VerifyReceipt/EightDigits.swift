/// Eight decimal digits in the bytes of one number, the first digit in the lowest byte.
///
/// All digits are computed at once. No product or difference of one lane reaches another lane.
struct EightDigits {
    /// The values of the digits, 0 to 9, one in each byte.
    private let values: UInt64

    /// The digits of a number below 100,000,000, with leading zeros.
    @inline(__always)
    init(_ number: UInt64) {
        // Two lanes of 32 bits with four digits each.
        let fours = number / 10_000 | (number % 10_000) << 32
        // 10486 / 2^20 is 1 / 100 rounded up. The quotient is exact for numbers below 10,000.
        let hundreds = (fours &* 10_486) >> 20 & 0x0000_007F_0000_007F
        self.init(pairs: hundreds | (fours &- hundreds &* 100) << 16)
    }

    /// The digits of four numbers below 100, two for each. The first number is in the lowest 16 bits.
    @inline(__always)
    init(pairs: UInt64) {
        // 103 / 2^10 is 1 / 10 rounded up. The quotient is exact for numbers below 100.
        let tens = (pairs &* 103) >> 10 & 0x000F_000F_000F_000F
        values = tens | (pairs &- tens &* 10) << 8
    }

    /// The ASCII characters of the digits, the first in the lowest byte.
    var text: UInt64 { values | 0x3030_3030_3030_3030 }
    /// The number of zeros before the first other digit: 0 to 8.
    var leadingZeros: Int { values.trailingZeroBitCount / 8 }
}
