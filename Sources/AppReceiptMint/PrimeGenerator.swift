import Bytes
import RSA

/// Finds primes for RSA keys. The same seed gives the same primes.
///
/// The candidates are the numbers ≡ 3 mod 4, starting at a random one. A sieve removes candidates with a
/// small factor, and the Miller–Rabin test decides about the rest. For a candidate n ≡ 3 mod 4, (n-1)/2 is
/// odd, so that one power is enough for each base a: unless a^((n-1)/2) is 1 or -1, n is composite.
struct PrimeGenerator {
    private var generator: SeededGenerator
    /// The odd primes below 2^16. If none of them divides a number of 1024 bits, one such number in 32 is
    /// prime.
    private let smallPrimes: [UInt32]
    /// e. A prime p is used only if p - 1 and e have no common factor (RFC 8017 §3.1).
    private let exponent: UInt32

    /// The number of bases that each candidate is tested with.
    ///
    /// FIPS 186-5 §C.1 gives the bound (the estimate of Damgård, Landrock and Pomerance), and OpenSSL
    /// tabulates it in `bn.h`: 5 bases from 476 bits on, and fewer from 1345 bits on.
    private static let rounds = 5
    /// The number of candidates in one sieve. They cover a range of twelve times the mean distance between
    /// primes of 1024 bits.
    private static let sieveCount = 4096

    /// Prepares a search.
    ///
    /// - Parameters:
    ///   - exponent: the public exponent of the key.
    ///   - seed: the seed of the random numbers.
    init(exponent: UInt32, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        self.exponent = exponent
        smallPrimes = Self.oddPrimes(below: 1 << 16)
    }

    /// Finds the next prime.
    ///
    /// The two leading bits of the prime are set, so that the product of two such primes has exactly twice
    /// as many bits.
    ///
    /// - Parameter bits: the length of the prime, 256 or more.
    mutating func prime(bits: Int) -> Natural {
        while true {
            let start = randomStart(bits: bits)
            let hasSmallFactor = sieve(from: start)
            for index in 0..<Self.sieveCount where !hasSmallFactor[index] {
                let candidate = start.adding(Natural(limbs: [4 * UInt64(index)]))
                let remainder = candidate.remainder(dividedBy: UInt64(exponent))
                guard inverse(of: remainder + UInt64(exponent) - 1, modulo: exponent) != nil,
                    isPrime(candidate, bits: bits)
                else { continue }
                return candidate
            }
        }
    }

    /// A random number ≡ 3 mod 4 whose two leading bits are set.
    private mutating func randomStart(bits: Int) -> Natural {
        var start = randomNumber(bits: bits)
        for bit in [bits - 1, bits - 2, 1, 0] { start.limbs[bit / 64] |= 1 << UInt64(bit % 64) }
        return start
    }

    /// A random number of at most `bits` bits.
    private mutating func randomNumber(bits: Int) -> Natural {
        var limbs = (0..<(bits + 63) / 64).map { _ in generator.next() }
        limbs[limbs.count - 1] >>= UInt64(64 * limbs.count - bits)
        return Natural(limbs: limbs)
    }

    /// Returns, for each index, whether the number `start + 4 · index` has a small factor.
    private func sieve(from start: Natural) -> [Bool] {
        var hasSmallFactor = [Bool](repeating: false, count: Self.sieveCount)
        for prime in smallPrimes {
            let prime = UInt64(prime)
            let half = (prime + 1) / 2
            let quarter = half * half % prime
            // The prime divides start + 4 · index for every index ≡ -start / 4.
            var index = Int((prime - start.remainder(dividedBy: prime)) * quarter % prime)
            while index < Self.sieveCount {
                hasSmallFactor[index] = true
                index += Int(prime)
            }
        }
        return hasSmallFactor
    }

    /// The Miller–Rabin test (FIPS 186-5 §B.3.1) for a candidate ≡ 3 mod 4.
    private mutating func isPrime(_ candidate: Natural, bits: Int) -> Bool {
        let octets = candidate.octets(count: (bits + 7) / 8)
        guard let modulus = MontgomeryModulus(bigEndian: octets.borrowedSpan) else { return false }
        let half = candidate.halved
        let one = modulus.number(ofMontgomeryForm: modulus.montgomeryForm(of: [1]))
        let minusOne = Natural(limbs: candidate.limbs + Self.zeros(modulus.count - candidate.limbs.count))
            .subtracting(Natural(limbs: [1])).limbs
        for _ in 0..<Self.rounds {
            // The base is below the candidate, whose leading bit is set. The chance that the base is 0 or 1
            // is negligible.
            let base = randomNumber(bits: bits - 1)
            let power = modulus.power(base.limbs, half.limbs)
            guard power == one || power == minusOne else { return false }
        }
        return true
    }

    private static func zeros(_ count: Int) -> [UInt64] { [UInt64](repeating: 0, count: count) }

    /// The odd primes below a bound, by the sieve of Eratosthenes over the odd numbers.
    private static func oddPrimes(below bound: Int) -> [UInt32] {
        var isComposite = [Bool](repeating: false, count: bound / 2)
        var primes: [UInt32] = []
        for index in 1..<(bound / 2) where !isComposite[index] {
            let prime = 2 * index + 1
            primes.append(UInt32(prime))
            var multiple = (prime * prime - 1) / 2
            while multiple < bound / 2 {
                isComposite[multiple] = true
                multiple += prime
            }
        }
        return primes
    }
}
