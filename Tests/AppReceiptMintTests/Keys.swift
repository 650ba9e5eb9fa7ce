import AppReceiptMint
import SHA

/// Keys that the tests share. These seeds, of a few hundred that were tried, find their primes soonest: any
/// other makes as good a key, but a debug build takes seconds for it.
enum Keys {
    static let bits1024 = PrivateKey(.rsa1024, seed: 45)
    static let bits2048 = PrivateKey(.rsa2048, seed: 92)
    static let bits3072 = PrivateKey(.rsa3072, seed: 181)
    static let bits4096 = PrivateKey(.rsa4096, seed: 152)
    static let all = [bits1024, bits2048, bits3072, bits4096]

    static let pki = PrivatePKI.Keys(
        root: bits2048,
        intermediate: PrivateKey(.rsa2048, seed: 411),
        leaf: PrivateKey(.rsa2048, seed: 429)
    )
    static let upperIntermediate = PrivateKey(.rsa2048, seed: 400)
    /// For whoever pretends.
    static let impostors = PrivatePKI.Keys(
        root: PrivateKey(.rsa2048, seed: 401),
        intermediate: PrivateKey(.rsa2048, seed: 362),
        leaf: PrivateKey(.rsa2048, seed: 80)
    )
}

// `#expect` takes its operands apart, and cannot hold a span: these borrow from an array on the other side.

func sha256(_ bytes: [UInt8]) -> String { SHA256.digest(of: bytes.span).description }

extension HashAlgorithm {
    func digest(of message: [UInt8]) -> Digest { digest(of: message.span) }
}
