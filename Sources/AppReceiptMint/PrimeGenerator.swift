/// Finds primes for RSA keys. The same seed, public exponent and lengths give the same primes.
///
/// The candidates are the numbers ≡ 3 mod 4, starting at a random one. A division by each small prime removes
/// most candidates, and the public exponent e removes each n for which n - 1 and e have a common factor. The
/// Miller–Rabin test decides about the rest. For a candidate n ≡ 3 mod 4, (n-1)/2 is odd, so that one
/// power is enough for each base a: unless a^((n-1)/2) is 1 or -1, n is composite.
struct PrimeGenerator {
    private var generator: SeededGenerator
    /// The public exponent e. A prime p is used only if p - 1 and e have no common factor (RFC 8017 §3.1).
    private let exponent: Natural

    /// The odd primes below 2^16, in ascending order.
    private static let smallPrimes = {
        var primes: [UInt64] = []
        for number in stride(from: 3 as UInt64, to: 1 << 16, by: 2) {
            let isPrime = primes.lazy.prefix { $0 * $0 <= number }.allSatisfy { number % $0 != 0 }
            if isPrime { primes.append(number) }
        }
        return primes
    }()
    /// The number of bases for which a candidate must pass the Miller–Rabin test to count as prime.
    ///
    /// It is the same for all sizes: five suffice for primes of 476 bits and more. FIPS 186-5 §C.1 gives the
    /// bound (the estimate of Damgård, Landrock and Pomerance), and OpenSSL tabulates it in `bn.h`.
    private static let rounds = 5
    /// The number of candidates from one random start on, before a new start is drawn.
    private static let candidateCount: UInt64 = 4096

    /// Prepares a search for the primes of one key.
    ///
    /// - Parameters:
    ///   - exponent: the public exponent of the key.
    ///   - seed: the seed of the random numbers.
    init(exponent: UInt32, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        self.exponent = Natural(UInt64(exponent))
    }

    /// Returns candidate `index` of the next random start, without a test: it is known to be prime.
    ///
    /// - Parameter tests: how many random bases the search for the key's previous prime drew, 0 for the first
    ///   prime. This call draws and ignores as many.
    mutating func prime(bits: Int, after tests: Int, at index: UInt64) -> Natural {
        for _ in 0..<tests { _ = randomLimbs(bits: bits - 1) }
        return randomStart(bits: bits) + Natural(4 * index)
    }

    /// Finds a prime, which is ≡ 3 mod 4. Further calls find further primes. The two leading bits of the
    /// prime are set, so that the product of two such primes has exactly twice as many bits.
    ///
    /// - Parameter bits: the length of the prime in bits, 512 or more.
    mutating func prime(bits: Int) -> Natural {
        while true {
            let start = randomStart(bits: bits)
            for index in 0..<Self.candidateCount {
                let candidate = start + Natural(4 * index)
                if Self.smallPrimes.allSatisfy({ candidate % $0 != 0 }),
                    exponent.inverse(modulo: candidate - Natural(1)) != nil, isPrime(candidate, bits: bits)
                {
                    return candidate
                }
            }
        }
    }

    /// A random number ≡ 3 mod 4 of exactly `bits` bits. Its two leading bits are set.
    private mutating func randomStart(bits: Int) -> Natural {
        var limbs = randomLimbs(bits: bits)
        for bit in [bits - 1, bits - 2, 1, 0] { limbs[bit / 64] |= 1 << UInt64(bit % 64) }
        return Natural(limbs: limbs)
    }

    /// The limbs of a random number of at most `bits` bits, the least significant limb first.
    private mutating func randomLimbs(bits: Int) -> [UInt64] {
        var limbs = (0..<(bits + 63) / 64).map { _ in generator.next() }
        limbs[limbs.count - 1] >>= UInt64(64 * limbs.count - bits)
        return limbs
    }

    /// Whether a candidate ≡ 3 mod 4 of `bits` bits passes Miller–Rabin tests (FIPS 186-5 §B.3.1) for
    /// ``rounds`` random bases. Stops at the first base that shows that the candidate is composite.
    private mutating func isPrime(_ candidate: Natural, bits: Int) -> Bool {
        let half = candidate.divided(by: Natural(2)).quotient
        for _ in 0..<Self.rounds {
            // The base is below the candidate, whose leading bit is set. The chance that the base is 0 or 1
            // is negligible.
            let power = Natural(limbs: randomLimbs(bits: bits - 1)).power(half, modulo: candidate)
            guard power == Natural(1) || power + Natural(1) == candidate else { return false }
        }
        return true
    }
}
