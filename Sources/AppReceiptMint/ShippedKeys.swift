/// A test key of 2048 bits whose search for primes has a known outcome.
///
/// These private keys are published with the source code. **They protect nothing.** They exist so that a test
/// that mints receipts need not search for primes.
/// ``PrivateKey/init(generating:seed:)`` searches and finds the same keys; the tests compare the two.
struct ShippedKey {
    /// The seed of the generator that makes the key's primes.
    let seed: UInt64
    /// The index, from 0, of the key's first prime among the candidates of the first search.
    let first: UInt64
    /// How many bases the first search drew for Miller–Rabin tests, over all of its candidates.
    let tests: Int
    /// The index, from 0, of the key's second prime among the candidates of the second search.
    let second: UInt64

    /// The shipped key of a seed. Returns nil for a seed or parameters without a shipped key.
    static func key(_ parameters: KeyParameters, seed: UInt64) -> PrivateKey? {
        guard parameters == .rsa2048, let known = all.first(where: { $0.seed == seed }) else { return nil }
        var primes = PrimeGenerator(exponent: parameters.exponent, seed: seed)
        let first = primes.prime(bits: 1024, after: 0, at: known.first)
        return PrivateKey(parameters, first, primes.prime(bits: 1024, after: known.tests, at: known.second))
    }

    /// All shipped keys: root, intermediate and leaf of `PrivatePKI.Keys(seed: 1)` and of
    /// `PrivatePKI.Keys(seed: 2)`, whose seeds come from a ``SeededGenerator``, and `PrivateKey(seed: 1)` and
    /// `PrivateKey(seed: 2)`.
    static let all = [
        ShippedKey(seed: 0x910A_2DEC_8902_5CC1, first: 138, tests: 16, second: 300),
        ShippedKey(seed: 0xBEEB_8DA1_658E_EC67, first: 606, tests: 68, second: 204),
        ShippedKey(seed: 0xF893_A2EE_FB32_555E, first: 1115, tests: 118, second: 77),
        ShippedKey(seed: 0x9758_35DE_1C97_56CE, first: 608, tests: 65, second: 97),
        ShippedKey(seed: 0xBFC8_4610_0BFC_1E42, first: 64, tests: 12, second: 163),
        ShippedKey(seed: 0x987B_BCBF_DD7E_532F, first: 216, tests: 24, second: 111),
        ShippedKey(seed: 1, first: 707, tests: 73, second: 686),
        ShippedKey(seed: 2, first: 461, tests: 53, second: 275),
    ]
}
