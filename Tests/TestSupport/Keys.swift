public import AppReceiptMint

/// Keys that the tests share. These seeds, of a few hundred that were tried, find their primes soonest: any
/// other makes as good a key, but a debug build takes seconds for it.
public enum Keys {
    public static let bits1024 = PrivateKey(.rsa1024, seed: 45)
    public static let bits2048 = PrivateKey(.rsa2048, seed: 92)
    public static let bits3072 = PrivateKey(.rsa3072, seed: 181)
    public static let bits4096 = PrivateKey(.rsa4096, seed: 152)
    public static let all = [bits1024, bits2048, bits3072, bits4096]

    public static let pki = PrivatePKI.Keys(
        root: bits2048,
        intermediate: PrivateKey(.rsa2048, seed: 411),
        leaf: PrivateKey(.rsa2048, seed: 429)
    )
    public static let upperIntermediate = PrivateKey(.rsa2048, seed: 400)
    /// For whoever pretends.
    public static let impostors = PrivatePKI.Keys(
        root: PrivateKey(.rsa2048, seed: 401),
        intermediate: PrivateKey(.rsa2048, seed: 362),
        leaf: PrivateKey(.rsa2048, seed: 80)
    )
}
