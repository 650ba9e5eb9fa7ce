public import AppReceiptMint

/// The RSA keys that the tests share. `FixedKeys.swift` stores their primes.
public enum Keys {
    /// One key each of 1024, 2048, 3072 and 4096 bits.
    public static let all = [bits1024, bits2048, bits3072, bits4096]

    /// The keys of the PKI that most tests use.
    public static let pki = PrivatePKI.Keys(root: bits2048, intermediate: intermediate, leaf: leaf)

    /// Other keys, for receipts of an impostor.
    public static let impostors = PrivatePKI.Keys(
        root: impostorRoot,
        intermediate: impostorIntermediate,
        leaf: impostorLeaf
    )

    /// Every key of `FixedKeys.swift` except the one of 8192 bits, with the seed it was generated from.
    ///
    /// Of a few hundred seeds that were tried, these find their primes soonest. Only the key with e = 3 has
    /// an arbitrary seed.
    public static let seeds: [(key: PrivateKey, seed: UInt64)] = [
        (bits1024, 45), (bits2048, 92), (bits3072, 181), (bits4096, 152), (intermediate, 411), (leaf, 429),
        (upperIntermediate, 400), (impostorRoot, 401), (impostorIntermediate, 362), (impostorLeaf, 80),
        (exponent3, 1),
    ]
}
