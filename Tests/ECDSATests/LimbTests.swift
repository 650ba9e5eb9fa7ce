import Basics
import TestSupport
import Testing

@testable import ECDSA

// The expected numbers were computed with Python's integers.

@Suite("Limbs")
struct LimbTests {
    static let limbs: [UInt64] = [
        0, 1, 2, 0xFFFF_FFFE, 0xFFFF_FFFF, 1 << 32, 1 << 63, .max - 1, .max, 0xFFFF_FFFF_0000_0000,
        0x0123_4567_89AB_CDEF,
    ]

    @Test("products of halves are the products of limbs", arguments: limbs)
    func halves(one: UInt64) {
        for other in Self.limbs {
            #expect(productOfHalves(one, other) == one.multipliedFullWidth(by: other))
        }
    }

    @Test("products of halves are the products of limbs, for any limbs")
    func anyHalves() {
        var generator = SplitMix()
        for _ in 0..<100_000 {
            // Runs of ones and zeros make carries at every place.
            let (one, other) = (generator.limb(), generator.limb())
            #expect(productOfHalves(one, other) == one.multipliedFullWidth(by: other))
        }
    }

    /// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, 2014).
    struct SplitMix {
        private var state: UInt64 = 0

        private mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
            return bits ^ bits >> 31
        }

        /// Any limb, or one of two runs of equal bits.
        mutating func limb() -> UInt64 {
            let bits = next()
            guard bits & 1 == 0 else { return next() }
            let run = UInt64.max << (bits >> 8 & 63)
            return bits & 2 == 0 ? run : run &+ 1 &- bits >> 62
        }
    }

    /// A number, and the limbs of its square.
    struct Square: Sendable {
        let number, high, low: String
    }

    static func check<Number: Limbs>(_ type: Number.Type, _ squares: [Square]) {
        for row in squares {
            let one: Number = number(row.number)
            for product in [one.squared(), one.multiplied(by: one)] {
                #expect(product.high == number(row.high) && product.low == number(row.low))
            }
        }
        var generator = SplitMix()
        for _ in 0..<20_000 {
            var one = Number()
            for index in 0..<Number.count { one[index] = generator.limb() }
            #expect(one.squared() == one.multiplied(by: one))
        }
        for bit in 0..<Number.bitCount {
            var power = Number()
            power[bit / 64] = 1 << UInt64(bit % 64)
            var (high, low) = (Number(), Number())
            if bit < Number.bitCount / 2 {
                low[bit / 32] = 1 << UInt64(2 * bit % 64)
            } else {
                high[bit / 32 - Number.count] = 1 << UInt64(2 * bit % 64)
            }
            #expect(power.squared() == (high, low))
        }
    }

    @Test("squares of four limbs")
    func fourLimbs() {
        Self.check(
            FourLimbs.self,
            [
                Square(
                    number: "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                    high: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe",
                    low: "0000000000000000000000000000000000000000000000000000000000000001"
                ),
                Square(
                    number: "8000000000000000ffffffffffffffff80000000000000000000000000000001",
                    high: "400000000000000100000000000000007fffffffffffffff0000000000000001",
                    low: "4000000000000001ffffffffffffffff00000000000000000000000000000001"
                ),
                Square(
                    number: "ffffffffffffffff0000000000000001ffffffff00000000fffffffffffffffe",
                    high: "fffffffffffffffe0000000000000004fffffffdfffffffe00000001fffffffd",
                    low: "fffffffc00000008fffffffdfffffff900000003fffffffc0000000000000004"
                ),
                Square(
                    number: "fedcba9876543210ffffffffffffffff00000000000000000123456789abcdef",
                    high: "fdbac097c8dc5acedca5e20890f2a51f02468acf13579bde0243f4015aefae85",
                    low: "46b43beede1ab5bdfdb97530eca8642200014b66dc33f6acdca5e20890f2a521"
                ),
            ]
        )
    }

    @Test("squares of six limbs")
    func sixLimbs() {
        Self.check(
            SixLimbs.self,
            [
                Square(
                    number:
                        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                    high:
                        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe",
                    low:
                        "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001"
                ),
                Square(
                    number:
                        "8000000000000000ffffffffffffffff8000000000000000ffffffffffffffff80000000000000000000000000000001",
                    high:
                        "4000000000000001000000000000000080000000000000000000000000000001bffffffffffffffe0000000000000002",
                    low:
                        "8000000000000000ffffffffffffffff4000000000000001ffffffffffffffff00000000000000000000000000000001"
                ),
                Square(
                    number:
                        "ffffffffffffffff0000000000000000ffffffffffffffff0000000000000001ffffffff00000000fffffffffffffffe",
                    high:
                        "fffffffffffffffe0000000000000002fffffffffffffffc0000000000000006fffffffdfffffffc00000001fffffffe",
                    low:
                        "fffffffe0000000200000001fffffffdfffffffc00000008fffffffdfffffff900000003fffffffc0000000000000004"
                ),
                Square(
                    number:
                        "ffffffffffffffff8000000080000000fedcba9876543210ffffffffffffffff00000000000000000123456789abcdef",
                    high:
                        "ffffffffffffffff00000001000000023db975306ca864214123456888888886740ef2a8c8dc5acfdeec6cd6a44a40fd",
                    low:
                        "012345678acf13568befc1f05aefae8546b43beede1ab5bdfdb97530eca8642200014b66dc33f6acdca5e20890f2a521"
                ),
            ]
        )
    }

    @Test("sums and differences keep the carry", arguments: limbs)
    func carries(one: UInt64) {
        for other in Self.limbs {
            for bit in [false, true] {
                var (carry, borrow) = (bit, bit)
                let total = sum(one, other, &carry)
                #expect(difference(total, other, &borrow) == one && borrow == carry)
                #expect(carry == (bit ? one >= ~other : one > ~other))
            }
        }
    }
}

/// The number of hexadecimal digits.
func number<Number: Limbs>(_ digits: String) -> Number { Number(hex(digits).span) }
