import AppReceiptMint
import Processor
import RSA
import TestSupport
import Testing

/// Plain and slow arithmetic, one limb at a time, for comparison.
enum Plain {
    /// `one · other / B^count mod n`, below n, computed by the definition with one limb of `one` at a time.
    static func montgomeryProduct(_ one: [UInt64], _ other: [UInt64], _ modulus: [UInt64]) -> [UInt64] {
        let count = modulus.count
        var inverse: UInt64 = 1
        for _ in 0..<6 { inverse = inverse &* (2 &- modulus[0] &* inverse) }
        var sum = [UInt64](repeating: 0, count: count + 2)
        for limb in one {
            add(limb, other, to: &sum)
            add(sum[0] &* (0 &- inverse), modulus, to: &sum)
            sum.removeFirst()
            sum.append(0)
        }
        return reduced(sum, modulus)
    }

    static func add(_ factor: UInt64, _ number: [UInt64], to sum: inout [UInt64]) {
        var carry: UInt64 = 0
        for index in sum.indices {
            let product = factor.multipliedFullWidth(by: index < number.count ? number[index] : 0)
            let (low, first) = product.low.addingReportingOverflow(carry)
            let (result, second) = sum[index].addingReportingOverflow(low)
            sum[index] = result
            carry = product.high + (first ? 1 : 0) + (second ? 1 : 0)
        }
    }

    /// Reduces a number below about 2n to a number below n by subtraction.
    static func reduced(_ number: [UInt64], _ modulus: [UInt64]) -> [UInt64] {
        var number = number
        let padded = modulus + [UInt64](repeating: 0, count: number.count - modulus.count)
        while !number.reversed().lexicographicallyPrecedes(padded.reversed()) {
            number = difference(number, padded)
        }
        return Array(number.prefix(modulus.count))
    }

    /// `one - other`. Both have the same number of limbs, and `other` is not greater.
    static func difference(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
        var borrow = false
        return zip(one, other).map { one, other in
            let (partial, first) = one.subtractingReportingOverflow(other)
            let (result, second) = partial.subtractingReportingOverflow(borrow ? 1 : 0)
            borrow = first || second
            return result
        }
    }

    /// `number · 2 mod n`.
    static func doubled(_ number: [UInt64], _ modulus: [UInt64]) -> [UInt64] {
        var double = [UInt64](repeating: 0, count: number.count + 1)
        add(2, number, to: &double)
        return reduced(double, modulus)
    }
}

/// Random limbs, the same in each run.
extension SeededGenerator {
    mutating func number(_ count: Int) -> [UInt64] { (0..<count).map { _ in next() } }

    /// Long runs of zeros and ones, in which carries travel far.
    mutating func runs(_ count: Int) -> [UInt64] {
        (0..<count).map { _ in
            let limb = next()
            return switch limb % 4 {
            case 0: 0
            case 1: .max
            case 2: UInt64.max << (limb >> 58)
            default: UInt64.max >> (limb >> 58)
            }
        }
    }
}

struct MontgomeryTests {
    /// Moduli with a number of limbs: random, all ones, the smallest and the largest odd number, long runs.
    static func moduli(_ count: Int) -> [[UInt64]] {
        var random = SeededGenerator(seed: UInt64(count))
        let ones = [UInt64](repeating: .max, count: count)
        var smallest = [UInt64](repeating: 0, count: count)
        (smallest[0], smallest[count - 1]) = (1, 1)
        var halved = smallest
        halved[count - 1] = 1 << 63
        var runs = random.runs(count)
        (runs[0], runs[count - 1]) = (runs[0] | 1, runs[count - 1] | 1)
        var any = random.number(count)
        any[0] |= 1
        var short = random.number(count)
        (short[0], short[count - 1]) = (short[0] | 1, short[count - 1] >> 40 | 1)
        return [any, short, ones, smallest, halved, runs]
    }

    static let counts = [8, 9, 15, 16, 17, 18, 19, 20, 24, 31, 32, 33, 36, 40, 48, 63, 64, 65, 96, 127, 128]

    @Test("computes products and squares as the plain definition does", arguments: counts)
    func products(count: Int) throws {
        var random = SeededGenerator(seed: 7)
        for limbs in Self.moduli(count) {
            let modulus = try #require(MontgomeryModulus(bigEndian: octets(limbs)))
            #expect(modulus.count == (count + 3) / 4 * 4)
            let padded = limbs + [UInt64](repeating: 0, count: modulus.count - count)
            let zeros = [UInt64](repeating: 0, count: modulus.count - 1)
            var minusOne = padded
            minusOne[0] -= 1
            var numbers = [[0] + zeros, [1] + zeros, minusOne]
            for number in [random.number(count), random.runs(count), random.runs(count)] {
                numbers.append(modulus.number(ofMontgomeryForm: modulus.montgomeryForm(of: number)))
            }
            for (index, one) in numbers.enumerated() {
                #expect(modulus.square(one) == Plain.montgomeryProduct(one, one, padded))
                let other = numbers[(index + 2) % numbers.count]
                #expect(modulus.multiply(one, other) == Plain.montgomeryProduct(one, other, padded))
            }
        }
    }

    @Test(
        "the Montgomery form is the number times R modulo n",
        arguments: [4, 8, 17, 32]
    )
    func form(count: Int) throws {
        var random = SeededGenerator(seed: 11)
        for limbs in Self.moduli(count) {
            let modulus = try #require(MontgomeryModulus(bigEndian: octets(limbs)))
            let padded = limbs + [UInt64](repeating: 0, count: modulus.count - count)
            // n - 1 has the leading bits of n, so the estimated quotient digit is as large as possible.
            let minusOne = [limbs[0] - 1] + limbs.dropFirst()
            for number in [random.number(count - 1), minusOne] {
                var shifted = number + [UInt64](repeating: 0, count: modulus.count - number.count)
                shifted = Plain.reduced(shifted, padded)
                for _ in 0..<(64 * modulus.count) { shifted = Plain.doubled(shifted, padded) }
                #expect(modulus.montgomeryForm(of: number) == shifted)
            }
        }
    }

    @Test("reduces a number that is longer than the modulus")
    func long() throws {
        let limbs = Self.moduli(16)[0]
        let modulus = try #require(MontgomeryModulus(bigEndian: octets(limbs)))
        // n·B⁵ + 42.
        let number = [42, 0, 0, 0, 0] + limbs
        #expect(
            modulus.number(ofMontgomeryForm: modulus.montgomeryForm(of: number)) == [42]
                + [UInt64](repeating: 0, count: 15)
        )
    }

    @Test("reads all octets of a number of any length", arguments: 0...15)
    func octetCount(zeros: Int) throws {
        let modulus = try #require(MontgomeryModulus(bigEndian: TestKey.modulus))
        // (2x + 1)³ = 8x³ + 12x² + 6x + 1, and x is a power of 256.
        let zeros = [UInt8](repeating: 0, count: zeros)
        let octets: [[UInt8]] = [[8], zeros, [12], zeros, [6], zeros, [1]]
        let cube = limbs([UInt8](octets.joined()))
        let power = modulus.withPower(([2] + zeros + [1]).span, 3, acceleration: .none) { power in
            power.indices.map { power[$0] }
        }
        #expect(power == cube + [UInt64](repeating: 0, count: modulus.count - cube.count))
    }

    @Test("Fermat's little theorem holds modulo the order of edwards25519, 2²⁵² + δ (RFC 8032 §5.1)")
    func fermat() throws {
        let prime: [UInt64] = [0x5812_631A_5CF5_D3ED, 0x14DE_F9DE_A2F7_9CD6, 0, 1 << 60]
        let modulus = try #require(MontgomeryModulus(bigEndian: octets(prime)))
        var random = SeededGenerator(seed: 13)
        let one: [UInt64] = [1, 0, 0, 0]
        for base in [one, [2, 0, 0, 0], random.number(3) + [0], random.number(3) + [0]] {
            #expect(modulus.power(base, [prime[0] - 1] + prime.dropFirst()) == one)
            #expect(modulus.power(base, prime) == base)
        }
    }

    @Test("refuses an even modulus and a modulus of 192 bits or fewer")
    func refused() {
        let ones = [UInt8](repeating: 0xFF, count: 24)
        #expect(MontgomeryModulus(bigEndian: ones + ones + [0xFE]) == nil)
        #expect(MontgomeryModulus(bigEndian: ones) == nil)
        #expect(MontgomeryModulus(bigEndian: [0, 0] + ones) == nil)
        #expect(MontgomeryModulus(bigEndian: []) == nil)
        #expect(MontgomeryModulus(bigEndian: [0]) == nil)
        #expect(MontgomeryModulus(bigEndian: [0, 1] + ones)?.bitCount == 193)
    }
}
