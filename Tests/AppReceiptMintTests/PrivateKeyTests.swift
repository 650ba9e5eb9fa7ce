import Foundation
import RSA
import SHA
import TestSupport
import Testing

@testable import AppReceiptMint

/// A key whose primes are stored, and the seed that generates it.
struct StoredKey: Sendable, CustomTestStringConvertible {
    let key: PrivateKey
    let seed: UInt64

    var testDescription: String { "\(key), seed \(seed)" }

    /// By default some of the stored keys, because a debug build takes up to a second for each. With the
    /// environment variable `STRESS` all of them.
    static let all: [StoredKey] = {
        let shipped = ShippedKey.all.map { StoredKey(key: PrivateKey(seed: $0.seed), seed: $0.seed) }
        let shared = Keys.seeds.map { StoredKey(key: $0.key, seed: $0.seed) }
        guard ProcessInfo.processInfo.environment["STRESS"] == nil else { return shipped + shared }
        return Array(shipped.prefix(3) + shared.prefix(2))
    }()
}

@Suite("Keys and signatures")
struct PrivateKeyTests {
    static let digests = HashAlgorithm.allCases.map { $0.digest(of: Array("abc".utf8)) }

    private func publicKey(_ key: PrivateKey) throws -> PublicKey {
        let info = key.subjectPublicKeyInfo
        return try PublicKey(subjectPublicKeyInfo: info.span)
    }

    private func isSignature(_ signature: [UInt8], of digest: Digest, by key: PublicKey) -> Bool {
        do {
            try key.verify(signature.span, digest: digest)
            return true
        } catch {
            return false
        }
    }

    @Test("the generator gives the published numbers of SplitMix64")
    func generator() {
        var generator = SeededGenerator(seed: 1_234_567)
        let numbers = (0..<5).map { _ in generator.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ]
        )
    }

    @Test(
        "refuses a length that is odd, too short or too long, and an exponent that is even or below 3",
        arguments: [
            (1022, 65537), (1023, 65537), (1025, 65537), (0, 65537), (-2048, 65537), (Int.min, 65537),
            (16386, 65537), (Int.max, 65537), (2048, 0), (2048, 1), (2048, 2), (2048, 65536),
        ] as [(Int, UInt32)]
    )
    func parameters(_ bits: Int, _ exponent: UInt32) {
        #expect(KeyParameters(bits: bits, exponent: exponent) == nil)
    }

    @Test(
        "a key has the requested length and exponent",
        arguments: [(1024, 3), (1024, 17), (1026, 65537), (1112, 65537), (1024, 4_294_967_295)]
            as [(Int, UInt32)]
    )
    func size(_ bits: Int, _ exponent: UInt32) throws {
        let parameters = try #require(KeyParameters(bits: bits, exponent: exponent))
        let key = PrivateKey(parameters, seed: 7)
        let verifier = try publicKey(key)
        #expect(verifier.modulusBitCount == bits && verifier.exponent == UInt64(exponent))
        #expect(key.modulusByteCount == (bits + 7) / 8)
        for digest in Self.digests {
            #expect(isSignature(key.sign(digest), of: digest, by: verifier))
        }
    }

    @Test("a stored key is the key that its seed generates", arguments: StoredKey.all)
    func storedKeys(_ stored: StoredKey) {
        let generated = PrivateKey(generating: stored.key.parameters, seed: stored.seed)
        #expect(generated.rsaPrivateKey == stored.key.rsaPrivateKey)
    }

    @Test("a shipped key is the key of its seed, and another length is generated")
    func shippedKeys() {
        for shipped in ShippedKey.all {
            let key = ShippedKey.key(.rsa2048, seed: shipped.seed)
            #expect(key?.rsaPrivateKey == PrivateKey(seed: shipped.seed).rsaPrivateKey)
            #expect(ShippedKey.key(.rsa1024, seed: shipped.seed) == nil)
        }
        let keys = [1, 2].map { PrivatePKI.Keys(seed: $0) }.flatMap { [$0.root, $0.intermediate, $0.leaf] }
        let others = [PrivateKey(seed: 1), PrivateKey(seed: 2)]
        #expect(
            (keys + others).map { sha256($0.rsaPrivateKey) }
                == ShippedKey.all.map { sha256(PrivateKey(seed: $0.seed).rsaPrivateKey) }
        )
    }

    @Test("the description of a key is short and has none of its numbers")
    func description() {
        #expect("\(Keys.bits2048)" == "RSA test key, 2048 bits")
        #expect("\(Keys.exponent3)" == "RSA test key, 2048 bits, e = 3")
    }

    @Test("another seed makes another key")
    func determinism() {
        #expect(PrivateKey(.rsa1024, seed: 50).rsaPrivateKey != Keys.bits1024.rsaPrivateKey)
        #expect(
            Keys.all.map { String(sha256($0.rsaPrivateKey).prefix(16)) } == [
                "118dbc26a1d0bd40", "eb94997db7dd0a59", "a743072a2b8e764f", "331d6320e0c3dbcf",
            ]
        )
    }

    @Test(
        "a signature has the length of the modulus and is valid only for its digest and key",
        arguments: Keys.all
    )
    func signatures(_ key: PrivateKey) throws {
        let verifier = try publicKey(key)
        let other = try publicKey(Keys.pki.leaf)
        for (index, digest) in Self.digests.enumerated() {
            let signature = key.sign(digest)
            #expect(signature.count == key.modulusByteCount)
            #expect(isSignature(signature, of: digest, by: verifier))
            #expect(!isSignature(signature, of: Self.digests[(index + 1) % 4], by: verifier))
            #expect(!isSignature(signature, of: digest, by: other))
        }
    }

    @Test("a raw signature of the encoded message is valid, and of a forged message invalid")
    func rawSignatures() throws {
        let key = Keys.bits1024
        let verifier = try publicKey(key)
        let digest = Self.digests[1]
        let message = key.encodedMessage(digest)
        #expect(message.count == 128 && message.starts(with: [0x00, 0x01, 0xFF]))
        #expect(key.rawSign(message) == key.sign(digest))
        for index in [1, 2, 75, 76, 77, 100, 127] {
            var forged = message
            forged[index] ^= 1
            let signature = key.rawSign(forged)
            #expect(signature.count == 128 && !isSignature(signature, of: digest, by: verifier))
        }
        #expect(key.rawSign([]) == [UInt8](repeating: 0, count: 128))
        #expect(key.rawSign([1]) == [UInt8](repeating: 0, count: 127) + [1])
    }

    @Test("a message beyond the modulus is reduced modulo it")
    func modularMessage() {
        // 2^1024 - 1 is below 2n, so the remainder is 2^1024 - 1 - n: the modulus with all bits flipped.
        let key = Keys.bits1024
        let modulus = [UInt8](key.subjectPublicKeyInfo[29..<157])
        let ones = [UInt8](repeating: 0xFF, count: 128)
        #expect(modulus[0] & 0x80 != 0)
        #expect(key.rawSign(ones) == key.rawSign(modulus.map { ~$0 }))
        #expect(key.rawSign(modulus) == key.rawSign([]))
        #expect(key.rawSign([0] + ones) == key.rawSign(ones))
    }

    @Test("the key identifier is SHA-1 of the bits of subjectPublicKey")
    func keyIdentifier() {
        let info = Keys.bits1024.subjectPublicKeyInfo
        #expect(Keys.bits1024.keyIdentifier == HashAlgorithm.sha1.digest(of: Array(info[22...])).bytes)
    }
}

@Suite(
    "Keys and signatures, checked by openssl",
    .enabled(if: OpenSSL.isExpected, "openssl is not installed")
)
struct PrivateKeyOpenSSLTests {
    @Test("openssl finds a private key sound, in both encodings", arguments: Keys.all)
    func check(_ key: PrivateKey) async throws {
        for encoding in [key.privateKeyInfo, key.rsaPrivateKey] {
            let outcome = try await OpenSSL.run(
                "rsa -check -inform DER -in key -noout",
                files: ["key": encoding]
            )
            #expect(outcome.status == 0 && outcome.text.contains("RSA key ok"), "\(outcome.text)")
        }
    }

    @Test("openssl derives the same public key", arguments: Keys.all)
    func publicKey(_ key: PrivateKey) async throws {
        let outcome = try await OpenSSL.run(
            "rsa -inform DER -in key -pubout -outform DER -out output",
            files: ["key": key.privateKeyInfo]
        )
        #expect(outcome.output == key.subjectPublicKeyInfo, "\(outcome.text)")
    }

    @Test("openssl makes the same signature, octet for octet", arguments: Keys.all, HashAlgorithm.allCases)
    func signatures(_ key: PrivateKey, _ hash: HashAlgorithm) async throws {
        let message = Array("What was signed".utf8)
        let outcome = try await OpenSSL.run(
            "dgst -\(hash) -sign key -keyform DER -out output message",
            files: ["key": key.privateKeyInfo, "message": message]
        )
        #expect(outcome.output == key.sign(hash.digest(of: message)), "\(outcome.text)")
    }
}
