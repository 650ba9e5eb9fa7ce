import AppReceiptMint
import RSA
import SHA
import TestSupport
import Testing

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

    @Test("SplitMix64 gives its published numbers")
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
        "lengths that are odd, too short or too long, and exponents that are even or below 3, are refused",
        arguments: [
            (1022, 65537), (1023, 65537), (1025, 65537), (0, 65537), (-2048, 65537), (Int.min, 65537),
            (16386, 65537), (Int.max, 65537), (2048, 0), (2048, 1), (2048, 2), (2048, 65536),
        ] as [(Int, UInt32)]
    )
    func parameters(_ bits: Int, _ exponent: UInt32) {
        #expect(KeyParameters(bits: bits, exponent: exponent) == nil)
    }

    @Test(
        "a key has the length and the exponent that were asked for",
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

    @Test("the same seed makes the same key, and another seed another one")
    func determinism() {
        #expect(PrivateKey(.rsa1024, seed: 45).rsaPrivateKey == Keys.bits1024.rsaPrivateKey)
        #expect(PrivateKey(.rsa1024, seed: 50).rsaPrivateKey != Keys.bits1024.rsaPrivateKey)
        #expect(
            Keys.all.map { String(sha256($0.rsaPrivateKey).prefix(16)) } == [
                "118dbc26a1d0bd40", "eb94997db7dd0a59", "a743072a2b8e764f", "331d6320e0c3dbcf",
            ]
        )
    }

    @Test(
        "a signature is as long as the modulus, and holds for its digest and key alone",
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

    @Test("a raw signature of the encoded message is the signature, and of a forged one none")
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

    @Test("a message beyond the modulus counts modulo it")
    func modularMessage() {
        // 2^1024 - 1 is below 2n, so what it leaves is 2^1024 - 1 - n: the modulus with all bits turned.
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
    "Keys and signatures, as openssl sees them",
    .enabled(if: OpenSSL.isExpected, "openssl is not installed")
)
struct PrivateKeyOpenSSLTests {
    @Test("a private key is sound, in either encoding", arguments: Keys.all)
    func check(_ key: PrivateKey) throws {
        for encoding in [key.privateKeyInfo, key.rsaPrivateKey] {
            let outcome = try OpenSSL.run(
                "rsa -check -inform DER -in key -noout",
                files: ["key": encoding]
            )
            #expect(outcome.status == 0 && outcome.text.contains("RSA key ok"), "\(outcome.text)")
        }
    }

    @Test("its public key is the same", arguments: Keys.all)
    func publicKey(_ key: PrivateKey) throws {
        let outcome = try OpenSSL.run(
            "rsa -inform DER -in key -pubout -outform DER -out output",
            files: ["key": key.privateKeyInfo]
        )
        #expect(outcome.output == key.subjectPublicKeyInfo, "\(outcome.text)")
    }

    @Test("it signs as the key does, octet for octet", arguments: Keys.all, HashAlgorithm.allCases)
    func signatures(_ key: PrivateKey, _ hash: HashAlgorithm) throws {
        let message = Array("What was signed".utf8)
        let outcome = try OpenSSL.run(
            "dgst -\(hash) -sign key -keyform DER -out output message",
            files: ["key": key.privateKeyInfo, "message": message]
        )
        #expect(outcome.output == key.sign(hash.digest(of: message)), "\(outcome.text)")
    }
}
