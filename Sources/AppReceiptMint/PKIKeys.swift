import ECDSA

// The keys of private PKIs, made from seeds.

extension KeyedPKI.Keys where Key == PrivateKey {
    /// Makes the keys of root, intermediate and leaf from one seed. There is no upper intermediate.
    ///
    /// For ``KeyParameters/rsa2048``, the keys of the seeds 1 and 2 ship with this module; other keys are
    /// generated.
    public init(_ parameters: KeyParameters = .rsa2048, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        self.init(
            root: PrivateKey(parameters, seed: generator.next()),
            intermediate: PrivateKey(parameters, seed: generator.next()),
            leaf: PrivateKey(parameters, seed: generator.next())
        )
    }
}

extension KeyedPKI where Key == PrivateKey {
    /// Makes three RSA keys of 2048 bits from a seed, and certificates for the keys.
    ///
    /// The keys of the seeds 1 and 2 ship with this module; other keys are generated.
    public init(seed: UInt64, options: Options = Options()) { self.init(Keys(seed: seed), options: options) }
}

extension KeyedPKI.Keys where Key == ECPrivateKey {
    /// Makes the keys of root, intermediate and leaf from one seed, on the curves of Apple's keys for tokens:
    /// P-384, P-384 and P-256. There is no upper intermediate.
    public init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        self.init(
            root: ECPrivateKey(.p384, seed: generator.next()),
            intermediate: ECPrivateKey(.p384, seed: generator.next()),
            leaf: ECPrivateKey(.p256, seed: generator.next())
        )
    }
}

extension KeyedPKI where Key == ECPrivateKey {
    /// Makes the keys of root (P-384), intermediate (P-384) and leaf (P-256) from a seed, and certificates
    /// for the keys.
    public init(seed: UInt64, options: Options = Options()) { self.init(Keys(seed: seed), options: options) }
}
