import AppReceiptMint
import Basics
import Processor
import Testing

@testable import RSA

@Suite("Products of halves of limbs give the results of 64-bit instructions")
struct HalfLimbTests {
    /// Limbs with halves at the ends of their range.
    static let limbs: [UInt64] = {
        let halves: [UInt64] = [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF]
        return halves.flatMap { high in halves.map { low in high << 32 | low } }
    }()

    @Test("the product of two limbs")
    func products() {
        var random = SeededGenerator(seed: 17)
        let limbs = Self.limbs + random.number(200) + random.runs(200)
        for one in limbs {
            for other in limbs {
                let (high, low) = productOfHalves(one, other)
                let product = one.multipliedFullWidth(by: other)
                if high != product.high || low != product.low {
                    Issue.record("\(one) · \(other) is not \(high)·2⁶⁴ + \(low)")
                }
            }
        }
    }

    /// Four limbs or more at the ends of the range of a number, random, or with long runs.
    static func numbers(_ count: Int, _ random: inout SeededGenerator) -> [[UInt64]] {
        [
            [UInt64](repeating: 0, count: count), [UInt64](repeating: .max, count: count),
            random.number(count), random.runs(count), random.runs(count),
        ]
    }

    /// The sum and the four limbs above it, computed by a strip.
    private static func add(
        _ strip: (MutableLimbs, FourLimbs, Limbs, Int, FourLimbs) -> FourLimbs,
        _ sum: [UInt64],
        _ multiplier: [UInt64],
        _ factor: [UInt64],
        _ carried: [UInt64]
    ) -> [UInt64] {
        var sum = sum
        // In bounds: the multiplier and the carried number have four limbs, and the sum and the factor have
        // `factor.count`.
        let above = unsafe sum.withUnsafeMutableBufferPointer { sum in
            unsafe factor.withUnsafeBufferPointer { factor in
                unsafe strip(
                    sum.baseAddress.unsafelyUnwrapped,
                    FourLimbs(multiplier),
                    factor.baseAddress.unsafelyUnwrapped,
                    factor.count,
                    FourLimbs(carried)
                )
            }
        }
        return sum + [above.limb0, above.limb1, above.limb2, above.limb3]
    }

    @Test("a strip is the sum by the plain definition", arguments: [1, 2, 3, 4, 7, 16, 31, 32, 48, 64, 128])
    func strips(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        for sum in Self.numbers(count, &random) {
            for factor in Self.numbers(count, &random) {
                for multiplier in Self.numbers(4, &random) {
                    for carried in Self.numbers(4, &random) {
                        // The carried number has the weight 1: it is added to the product.
                        var expected = sum + [UInt64](repeating: 0, count: 4)
                        Plain.add(1, carried, to: &expected)
                        for (place, limb) in multiplier.enumerated() {
                            var shifted = Array(expected[place...])
                            Plain.add(limb, factor, to: &shifted)
                            expected.replaceSubrange(place..., with: shifted)
                        }
                        let halves = unsafe Self.add(addStripOfHalves, sum, multiplier, factor, carried)
                        let limbs = unsafe Self.add(addStrip, sum, multiplier, factor, carried)
                        #expect(halves == expected)
                        #expect(limbs == expected)
                    }
                }
            }
        }
    }

    @Test("powers modulo random numbers of 1024 to 4096 bits", arguments: [16, 24, 32, 40, 48, 64])
    func powers(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        for var limbs in [random.number(count), random.runs(count)] {
            limbs[0] |= 1
            limbs[count - 1] |= 1 << 63
            let modulus = try #require(MontgomeryModulus(bigEndian: octets(limbs)))
            var base = random.number(count)
            base[count - 1] >>= 1
            let power = modulus.withPower(octets(base).span, 65537, acceleration: .none) { power in
                power.indices.map { power[$0] }
            }
            #expect(power == Self.power65537(base, limbs))
        }
    }

    /// `base` to the power of 65537 modulo n, with strips and products of halves.
    ///
    /// Four limbs are removed at a time by Montgomery's definition, with one quotient of four limbs.
    private static func power65537(_ base: [UInt64], _ modulus: [UInt64]) -> [UInt64] {
        let count = modulus.count
        let inverse = FourLimbs(modulus).negatedInverse
        let zeros: [UInt64] = [0, 0, 0, 0]
        func product(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
            var sum = [UInt64](repeating: 0, count: count)
            for row in stride(from: 0, to: count, by: 4) {
                let digit = Array(one[row..<(row + 4)])
                var next = unsafe add(addStripOfHalves, sum, digit, other, zeros)
                let quotient = FourLimbs(next).lowProduct(inverse)
                let four = [quotient.limb0, quotient.limb1, quotient.limb2, quotient.limb3]
                let above = Array(next[count...])
                next = unsafe add(addStripOfHalves, Array(next[..<count]), four, modulus, zeros)
                // The sum of two products below R·B⁴ may have a carry beyond.
                next.append(0)
                var high = Array(next[count...])
                Plain.add(1, above, to: &high)
                sum = Plain.reduced(Array(next[4..<count]) + high, modulus)
            }
            return sum
        }
        var form = base
        for _ in 0..<(64 * count) { form = Plain.doubled(form, modulus) }
        var power = form
        for _ in 0..<16 { power = product(power, power) }
        return product(power, base)
    }
}

extension FourLimbs {
    /// The first four limbs of an array.
    fileprivate init(_ limbs: [UInt64]) {
        self.init(limb0: limbs[0], limb1: limbs[1], limb2: limbs[2], limb3: limbs[3])
    }
}
