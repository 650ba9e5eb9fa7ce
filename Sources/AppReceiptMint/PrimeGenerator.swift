import RSA

/// Finds primes for RSA keys, the same ones from the same seed.
///
/// Candidates are the numbers ≡ 3 mod 4 from a random one on. A sieve strikes out those with a small
/// factor; what is left is tested after Miller and Rabin. Of such a candidate n, half of n - 1 is odd, so
/// that one power tells: a^((n-1)/2) is 1 or -1, or n is composite.
struct PrimeGenerator {
    private var generator: SeededGenerator
    /// The odd primes below 2^16: of the numbers that none of them divides, one in 32 of 1024 bits is
    /// prime.
    private let smallPrimes: [UInt32]
    /// e: a prime p is of use only if p - 1 and e have no common factor (RFC 8017 §3.1).
    private let exponent: UInt32

    /// How many bases are tried. The bound of FIPS 186-5 §C.1 (the estimate of Damgård, Landrock and
    /// Pomerance), which OpenSSL tabulates in `bn.h`, asks for 5 from 476 bits on, and for fewer from
    /// 1345 on.
    private static let rounds = 5
    /// How many candidates are sieved at once: twelve times the mean distance of primes of 1024 bits.
    private static let sieveCount = 4096

    init(exponent: UInt32, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        self.exponent = exponent
        smallPrimes = Self.oddPrimes(below: 1 << 16)
    }

    /// A prime of so many bits, the two leading ones set, so that the product of two has twice as many.
    ///
    /// - Parameter bits: 256 or more.
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

    private mutating func randomStart(bits: Int) -> Natural {
        var start = randomNumber(bits: bits)
        for bit in [bits - 1, bits - 2, 1, 0] { start.limbs[bit / 64] |= 1 << UInt64(bit % 64) }
        return start
    }

    private mutating func randomNumber(bits: Int) -> Natural {
        var limbs = (0..<(bits + 63) / 64).map { _ in generator.next() }
        limbs[limbs.count - 1] >>= UInt64(64 * limbs.count - bits)
        return Natural(limbs: limbs)
    }

    /// Which of the numbers `start + 4 · index` have a small factor.
    private func sieve(from start: Natural) -> [Bool] {
        var hasSmallFactor = [Bool](repeating: false, count: Self.sieveCount)
        for prime in smallPrimes {
            let prime = UInt64(prime)
            let half = (prime + 1) / 2
            let quarter = half * half % prime
            // start + 4 · index ≡ 0, for an index ≡ -start / 4.
            var index = Int((prime - start.remainder(dividedBy: prime)) * quarter % prime)
            while index < Self.sieveCount {
                hasSmallFactor[index] = true
                index += Int(prime)
            }
        }
        return hasSmallFactor
    }

    /// Miller–Rabin (FIPS 186-5 §B.3.1) for a candidate ≡ 3 mod 4.
    private mutating func isPrime(_ candidate: Natural, bits: Int) -> Bool {
        let octets = candidate.octets(count: (bits + 7) / 8)
        guard let modulus = MontgomeryModulus(bigEndian: octets.span) else { return false }
        let half = candidate.halved
        let one = modulus.number(ofMontgomeryForm: modulus.montgomeryForm(of: [1]))
        let minusOne = Natural(limbs: candidate.limbs + Self.zeros(modulus.count - candidate.limbs.count))
            .subtracting(Natural(limbs: [1])).limbs
        for _ in 0..<Self.rounds {
            // Below the candidate, which has its leading bit. That it be 0 or 1 is beyond all chance.
            let base = randomNumber(bits: bits - 1)
            let power = modulus.power(base.limbs, half.limbs)
            guard power == one || power == minusOne else { return false }
        }
        return true
    }

    private static func zeros(_ count: Int) -> [UInt64] { [UInt64](repeating: 0, count: count) }

    /// By the sieve of Eratosthenes, over the odd numbers.
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
