import AppReceiptMint
import Processor
import RSA
import TestSupport
import Testing

/// Why tests that compare the kernels with portable code are skipped.
private let noKernels: Comment = "this build or this processor has no AVX2"

@Suite("RSA with the processor's own instructions")
struct AccelerationTests {
    /// How many moduli a test takes. Optimised builds take less time for each, so they take more.
    #if DEBUG
        private static let count = 20
    #else
        private static let count = 1500
    #endif

    /// Kinds of odd moduli of 2048 bits.
    enum Modulus: CaseIterable {
        case random
        case runs
        case sparse
        case aboveHalf
        case ones
        case belowLimit

        func limbs(_ random: inout SeededGenerator) -> [UInt64] {
            var limbs: [UInt64]
            switch self {
            case .random: limbs = random.number(32)
            case .runs: limbs = random.runs(32)
            case .sparse:
                limbs = [UInt64](repeating: 0, count: 32)
                for _ in 0..<3 { limbs[Int(random.next() % 32)] |= 1 << (random.next() % 64) }
            case .aboveHalf:
                limbs = [UInt64](repeating: 0, count: 32)
                limbs[0] = random.next() >> (random.next() % 64)
            case .ones: limbs = [UInt64](repeating: .max, count: 32)
            case .belowLimit:
                limbs = [UInt64](repeating: .max, count: 32)
                limbs[0] -= random.next() >> (random.next() % 64)
            }
            limbs[0] |= 1
            limbs[31] |= 1 << 63
            return limbs
        }
    }

    @Test(
        "a power is the one that the portable code computes, for moduli and bases of all kinds",
        .enabled(if: !accelerations.isEmpty, noKernels),
        arguments: Modulus.allCases,
        [65537, 3, 5, 17, 257, 1 << 32 + 1]
    )
    func powers(_ kind: Modulus, exponent: UInt64) throws {
        var random = SeededGenerator(seed: exponent)
        // 2^32 + 1 takes many squarings, so exponents other than 65537 get fewer moduli.
        for _ in 0..<(exponent == 65537 ? 4 * Self.count : Self.count / 4) {
            let limbs = kind.limbs(&random)
            let modulus = try #require(MontgomeryModulus(bigEndian: octets(limbs)))
            var zero = [UInt64](repeating: 0, count: 32)
            var bases = [zero, random.number(32), random.runs(32), random.runs(32)]
            zero[0] = 1
            bases.append(zero)
            bases.append([limbs[0] - 1] + limbs.dropFirst())
            // 2^k: its powers have few bits set before they exceed n.
            zero[0] = 0
            zero[Int(random.next() % 32)] = 1 << (random.next() % 64)
            bases.append(zero)
            for base in bases {
                let wanted = modulus.power(base, exponent, .none)
                let isBelow = base.reversed().lexicographicallyPrecedes(limbs.reversed())
                for acceleration in accelerations {
                    let power = modulus.power(base, exponent, acceleration)
                    guard power == wanted && (power != nil) == isBelow else {
                        let found = "\(String(describing: power)), \(acceleration)"
                        Issue.record("\(base) modulo \(limbs): \(found), not \(wanted ?? [])")
                        return
                    }
                }
            }
        }
    }

    @Test("refuses a base that is not below the modulus", arguments: Modulus.allCases)
    func refused(_ kind: Modulus) throws {
        var random = SeededGenerator(seed: 2)
        let limbs = kind.limbs(&random)
        let modulus = try #require(MontgomeryModulus(bigEndian: octets(limbs)))
        for acceleration in [.none] + accelerations {
            #expect(modulus.power(limbs, 65537, acceleration) == nil)
            #expect(modulus.power([UInt64](repeating: .max, count: 32), 65537, acceleration) == nil)
        }
    }

    @Test("reduces a power that the kernel returns above the modulus and above 2048 bits")
    func excess() throws {
        // 2²⁰⁴⁸ - 1557 is prime, and `inverse` is the inverse of 65537 modulo the prime minus 1. A
        // kernel returns a number below n + n/2³¹. It does not return a small number, so it returns the
        // number plus n.
        let prime = [UInt64.max - 1556] + [UInt64](repeating: .max, count: 31)
        let inverse = [0xEFE3_101C_EFE3_0A69] + [UInt64](repeating: 0xEFE3_101C_EFE3_101C, count: 31)
        let modulus = try #require(MontgomeryModulus(bigEndian: octets(prime)))
        for small: UInt64 in [2, 3, 1555, 1556, 1557, 1558, 65537, 1 << 63, .max] {
            let power = [small] + [UInt64](repeating: 0, count: 31)
            let root = modulus.power(power, inverse)
            for acceleration in [.none] + accelerations {
                #expect(modulus.power(root, 65537, acceleration) == power, "\(acceleration)")
            }
        }
    }

    @Test("the cube of -y modulo y³ + x is x, even if a kernel returns more than 2048 bits")
    func excessLimbs() throws {
        let cube = Cube()
        let modulus = try #require(MontgomeryModulus(bigEndian: octets(cube.n)))
        for acceleration in [.none] + accelerations {
            #expect(modulus.power(cube.base, 3, acceleration) == cube.power, "\(acceleration)")
        }
    }

    /// A base n - y with n = y³ + x. Its cube modulo n is x.
    ///
    /// y³ is about 2²⁰⁴⁸ - 2²⁰¹¹·⁷ and x is about 2²⁰¹¹, so n + x is above 2²⁰⁴⁸ although the highest limb of
    /// n is not all ones. The kernels of IFMA return n + x, because they return no number as small as x.
    private struct Cube {
        let n: [UInt64]
        let base: [UInt64]
        let power: [UInt64]

        init() {
            let root: UInt64 = 0x0659_7FA9_4F40
            var cube = [UInt64](repeating: 0, count: 3)
            let square = root.multipliedFullWidth(by: root)
            Plain.add(root, [square.low, square.high], to: &cube)
            let zeros = [UInt64](repeating: 0, count: 29)
            power = [1] + zeros + [0, 1 << 27]
            n = [1] + zeros + [cube[0], cube[1] + 1 << 27]
            base = Plain.difference(n, zeros.prefix(10) + [root] + zeros.prefix(21))
        }
    }

    @Test(
        "eight numbers at once, each with its own modulus, have the powers that they have alone",
        .enabled(if: !accelerations.isEmpty, noKernels),
        arguments: [65537, 3, 257, 1 << 32 + 1] as [UInt64]
    )
    func eight(exponent: UInt64) throws {
        #if Accelerated && arch(x86_64)
            var random = SeededGenerator(seed: exponent)
            for round in 0..<(exponent == 65537 ? 4 * Self.count : Self.count / 4) {
                let moduli = (0..<(round % 9 == 0 ? round / 9 % 8 + 1 : 8)).map { _ in
                    Modulus.allCases[Int(random.next() % UInt64(Modulus.allCases.count))].limbs(&random)
                }
                let bases = moduli.map { Self.base(&random, $0) }
                guard try eightPowers(bases, moduli, exponent) else { return }
            }
        #endif
    }

    @Test(
        "reduces powers that the kernel returns above the modulus and above 2048 bits, in any of eight places",
        .enabled(if: !accelerations.isEmpty, noKernels),
        arguments: 0..<8
    )
    func eightExcesses(place: Int) throws {
        #if Accelerated && arch(x86_64)
            let prime = [UInt64.max - 1556] + [UInt64](repeating: .max, count: 31)
            let inverse = [0xEFE3_101C_EFE3_0A69] + [UInt64](repeating: 0xEFE3_101C_EFE3_101C, count: 31)
            let modulus = try #require(MontgomeryModulus(bigEndian: octets(prime)))
            var random = SeededGenerator(seed: UInt64(place))
            for small: UInt64 in [1, 2, 3, 1555, 1556, 1557, 1558, 65537, 1 << 63, .max] {
                let power = [small] + [UInt64](repeating: 0, count: 31)
                var moduli = (0..<8).map { _ in Modulus.random.limbs(&random) }
                var bases = moduli.map { Self.base(&random, $0) }
                moduli[place] = prime
                bases[place] = modulus.power(power, inverse)
                #expect(try eightPowers(bases, moduli, 65537))
            }
            let cube = Cube()
            var moduli = (0..<8).map { _ in Modulus.random.limbs(&random) }
            var bases = moduli.map { Self.base(&random, $0) }
            (moduli[place], bases[place]) = (cube.n, cube.base)
            #expect(try eightPowers(bases, moduli, 3))
        #endif
    }

    #if Accelerated && arch(x86_64)
        /// A base: zero, one, n - 1, n, a power of two, long runs, or random. Some are not below the modulus.
        private static func base(_ random: inout SeededGenerator, _ modulus: [UInt64]) -> [UInt64] {
            var base = [UInt64](repeating: 0, count: 32)
            switch random.next() % 8 {
            case 0: break
            case 1: base[0] = 1
            case 2: base = [modulus[0] - 1] + modulus.dropFirst()
            case 3: base[Int(random.next() % 32)] = 1 << (random.next() % 64)
            case 4: base = modulus
            case 5: base = random.runs(32)
            default: base = random.number(32)
            }
            return base
        }

        /// Compares the powers that the kernels of this machine and of older ones give with the results of
        /// portable code.
        private func eightPowers(_ bases: [[UInt64]], _ moduli: [[UInt64]], _ exponent: UInt64) throws -> Bool
        {
            let plain = try moduli.map { try #require(MontgomeryModulus(bigEndian: octets($0))) }
            let wanted = bases.indices.map { plain[$0].power(bases[$0], exponent, .none) }
            for acceleration in accelerations {
                guard let kernel = PowerKernel(acceleration) else {
                    // Only AVX2 and AVX-512 have kernels.
                    #expect(!acceleration.description.contains("AVX"))
                    continue
                }
                let constants = plain.map { LaneModulus($0, kernel) }
                let squarings = (exponent - 1).trailingZeroBitCount
                let powers = LaneModulus.powers(of: bases, constants, squarings)
                for index in bases.indices where powers[index] != wanted[index] {
                    let place = "place \(index) of \(bases.count), \(acceleration)"
                    Issue.record("\(bases[index]) modulo \(moduli[index]), \(place)")
                    return false
                }
            }
            return true
        }
    #endif

    @Test(
        "other lengths and exponents give the power that windowed exponentiation gives",
        arguments: [1024, 2047, 2048, 2049, 2560, 3072, 4096]
    )
    func others(bits: Int) throws {
        var random = SeededGenerator(seed: UInt64(bits))
        let count = (bits + 63) / 64
        let leading: UInt64 = 1 << ((bits - 1) % 64)
        var any = random.number(count)
        any[0] |= 1
        any[count - 1] = any[count - 1] % leading | leading
        let smallest = [1] + [UInt64](repeating: 0, count: count - 2) + [leading]
        for limbs in [any, smallest] {
            let modulus = try #require(MontgomeryModulus(bigEndian: octets(limbs)))
            #expect(modulus.bitCount == bits)
            for exponent: UInt64 in [3, 7, 11, 65537, 65539] {
                let base = random.number(count - 1) + [0]
                let power = modulus.power(base, exponent, acceleration)
                #expect(power == modulus.power(base, [exponent]))
            }
        }
    }
}

extension MontgomeryModulus {
    /// A number to the power of a public exponent. Nil if the number is not below n.
    fileprivate func power(_ base: [UInt64], _ exponent: UInt64, _ acceleration: Acceleration) -> [UInt64]? {
        withPower(octets(base).span, exponent, acceleration: acceleration) { power in
            power.indices.map { power[$0] }
        }
    }
}

#if Accelerated && arch(x86_64)
    extension LaneModulus {
        /// The power of each number, or nil if the number is not below its modulus.
        fileprivate static func powers(
            of bases: [[UInt64]],
            _ moduli: [LaneModulus],
            _ squarings: Int
        ) -> [[UInt64]?] {
            var powers = [[UInt64]?](repeating: nil, count: bases.count)
            let numbers = bases.flatMap { octets($0) }
            withPowers(of: numbers.span, ContiguousArray(moduli), squarings) { index, power in
                powers[index] = power.indices.map { power[$0] }
            }
            return powers
        }
    }
#endif
