import SHA
import Testing

@Suite("Digests")
struct DigestTests {
    @Test(
        "a digest has the length that FIPS 180-4, figure 1, gives for its algorithm",
        arguments: zip(HashAlgorithm.allCases, [20, 32, 48, 64])
    )
    func length(_ algorithm: HashAlgorithm, _ count: Int) {
        let digest = algorithm.digest(of: message(3))
        #expect(algorithm.digestByteCount == count)
        #expect(digest.algorithm == algorithm)
        #expect(digest.count == count)
        #expect(digest.bytes.count == count)
    }

    @Test(
        "creates a digest from bytes of the right length, and returns the bytes",
        arguments: HashAlgorithm.allCases
    )
    func rightLength(_ algorithm: HashAlgorithm) throws {
        let bytes = message(algorithm.digestByteCount)
        let digest = try #require(Digest(algorithm, bytes: bytes))
        #expect(digest.bytes == bytes)
        #expect(bytes.indices.allSatisfy { digest[$0] == bytes[$0] })
    }

    @Test("refuses bytes of any other length", arguments: HashAlgorithm.allCases)
    func wrongLength(_ algorithm: HashAlgorithm) {
        for count in 0...200 where count != algorithm.digestByteCount {
            #expect(Digest(algorithm, bytes: message(count)) == nil, "\(count) bytes")
        }
    }

    @Test("a digest from bytes equals the computed digest", arguments: HashAlgorithm.allCases)
    func equality(_ algorithm: HashAlgorithm) {
        let computed = algorithm.digest(of: message(9))
        let made = Digest(algorithm, bytes: computed.bytes)
        #expect(made == computed)
        #expect(made.hashValue == Optional(computed).hashValue)
        #expect(computed.equals(computed.bytes))
    }

    @Test("digests that differ in any one bit are not equal", arguments: HashAlgorithm.allCases)
    func oneBit(_ algorithm: HashAlgorithm) {
        let digest = algorithm.digest(of: message(9))
        for bit in 0..<(8 * digest.count) {
            var bytes = digest.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(!digest.equals(bytes), "bit \(bit)")
            #expect(Digest(algorithm, bytes: bytes) != digest, "bit \(bit)")
        }
    }

    @Test(
        "a digest equals neither its prefix nor itself with further bytes",
        arguments: HashAlgorithm.allCases
    )
    func otherLengths(_ algorithm: HashAlgorithm) {
        let digest = algorithm.digest(of: message(9))
        for count in 0..<digest.count { #expect(!digest.equals(Array(digest.bytes.prefix(count)))) }
        #expect(!digest.equals(digest.bytes + [0]))
        #expect(!digest.equals(digest.bytes + digest.bytes))
    }

    @Test("SHA-384 is not a prefix of SHA-512")
    func distinctInitialValues() {
        let long = HashAlgorithm.sha512.digest(of: message(9))
        #expect(
            !HashAlgorithm.sha384.digest(of: message(9)).equals(Array(long.bytes.prefix(48)))
        )
    }

    @Test("describes a digest in lower-case hexadecimal with leading zeros")
    func text() throws {
        let bytes: [UInt8] = [0x00, 0x01, 0x0A, 0x10, 0x9F, 0xA0, 0xFF] + [UInt8](repeating: 0, count: 13)
        let digest = try #require(Digest(.sha1, bytes: bytes))
        #expect(digest.description == "00010a109fa0ff" + "00000000000000000000000000")
    }
}
