import AppReceiptMint
import Basics
import DER
import ECDSA
import SHA
import TestSupport
import Testing

@Suite("ECDSA signatures")
struct SignatureTests {
    /// ECDSA-Sig-Value with these contents octets of r and s.
    static func encoded(_ r: [UInt8], _ s: [UInt8], behind: [UInt8] = []) -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) {
            $0.write(.integer, r)
            $0.write(.integer, s)
            $0.writeEncoded(behind)
        }
        return writer.bytes
    }

    /// ECDSA-Sig-Value of two positive numbers.
    static func encoded(numbers r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) {
            $0.writeUnsignedInteger(r)
            $0.writeUnsignedInteger(s)
        }
        return writer.bytes
    }

    @Test("accepts a genuine signature in both encodings, and accepts it again", arguments: TestKey.all)
    func genuine(_ test: TestKey) throws {
        let key = try test.key()
        for _ in 0..<2 {
            try key.verify(Self.encoded(numbers: test.r, test.s))
            try key.verify(concatenated: test.r + test.s)
        }
    }

    @Test(
        "accepts signatures by another library for digests that are shorter or longer than n",
        arguments: [
            (
                TestKey.p256, HashAlgorithm.sha1,
                """
                3046022100b6bdaaf2bf5f6c412c39c8aaebe3ffa28cbed545b39ab1ae6d3d8523ee317f51
                022100cf9a064ca1d7abf2c6c6a73f35f50cf1fb217a0a2c5d535c064dcf79fe0b721a
                """
            ),
            (
                TestKey.p256, .sha512,
                """
                304402205992d2d87d5e1d549285282dbcc96d70f5675251efe5255934f25aa95a6c5b3f
                02201808421bed3519d7d164878d62a665791a7970472f7f50a4ac1408f5f3cdeacf
                """
            ),
            (
                TestKey.p384, .sha1,
                """
                3065023100e3b5a3f2c2765c9afe03e4c43a00cffec04f2848c1e55ef6b21daaccf315d44ee5a9b1faebd8a15076ff71f2
                bd1a19bc02307648135ebdc240f70d67630d05816af78eef00ac528c9d65dfba5bc3f1be38427c6d0866ae37a6a7566ae2
                fc364f8e1b
                """
            ),
            (
                TestKey.p384, .sha512,
                """
                3066023100dca5ca80e2cccc643639301e296018cb7e75442e48e15c7cb7d3086053427cd8c1ed484c9632a1bd86ace508
                6a5def37023100cbf5e322fbbcff660d13ddb0679ec1395b95ec28636c9bb5d12bf310a59d27ad91b1044278ce6a0d604d
                f141262b8a88
                """
            ),
        ]
    )
    func otherLengths(test: TestKey, algorithm: HashAlgorithm, signature: String) throws {
        let key = try test.key()
        try key.verify(hex(signature), digest: algorithm.digest(of: Array("abc".utf8).span))
        refuses(.ecSignatureMismatch) { () throws(Refusal) in
            try key.verify(hex(signature), digest: algorithm.digest(of: Array("abd".utf8).span))
        }
    }

    @Test("only the leftmost bits of a digest that is longer than n count")
    func leftmostBits() throws {
        // The first octets of the digest of another algorithm are the same number.
        let digest = TestKey.digest.bytes
        for (count, algorithm) in [(16, HashAlgorithm.sha384), (32, .sha512)] {
            let octets = digest + [UInt8](repeating: 0xA5, count: count)
            let longer = Digest(algorithm, bytes: octets.span)
            let (key, test) = (try TestKey.p256.key(), TestKey.p256)
            try key.verify(concatenated: test.r + test.s, digest: try #require(longer))
        }
    }

    @Test("refuses a genuine signature for another digest", arguments: TestKey.all)
    func otherDigest(_ test: TestKey) throws {
        let key = try test.key()
        for digest in [
            HashAlgorithm.sha256.digest(of: Array("abd".utf8).span),
            HashAlgorithm.sha1.digest(of: Array("abc".utf8).span),
            HashAlgorithm.sha384.digest(of: Array("abc".utf8).span),
            HashAlgorithm.sha512.digest(of: Array("abc".utf8).span),
        ] {
            refuses(.ecSignatureMismatch, at: 0) { () throws(Refusal) in
                try key.verify(concatenated: test.r + test.s, digest: digest)
            }
        }
    }

    @Test("refuses a genuine signature under another key", arguments: TestKey.all)
    func otherKey(_ test: TestKey) throws {
        // -Q has the same x.
        let negated = [0x04] + test.x + Self.difference(test.prime, test.y)
        let key = try ECPublicKey(test.curve, point: negated)
        refuses(.ecSignatureMismatch) { () throws(Refusal) in try key.verify(concatenated: test.r + test.s) }
        refuses(.ecSignatureMismatch) { () throws(Refusal) in
            try key.verify(Self.encoded(numbers: test.r, test.s))
        }
    }

    @Test("refuses a genuine signature with any one bit flipped", arguments: TestKey.all)
    func flipped(_ test: TestKey) throws {
        let key = try test.key()
        let signature = test.r + test.s
        for bit in signature.indices.map({ 8 * $0 + $0 % 8 }) {
            var flipped = signature
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(
                refusal { () throws(Refusal) in try key.verify(concatenated: flipped) } != nil,
                "bit \(bit)"
            )
        }
    }

    static func difference(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
        var borrow = 0
        let difference = zip(one, other).reversed().map { one, other in
            borrow += Int(one) - Int(other)
            defer { borrow >>= 8 }
            return UInt8(borrow & 0xFF)
        }
        return difference.reversed()
    }

    // MARK: r and s (FIPS 186-5 §6.4.2, step 1)

    @Test("refuses r and s that are zero, n or above n, in both encodings", arguments: TestKey.all)
    func outOfRange(_ test: TestKey) throws {
        let key = try test.key()
        let zero = [UInt8](repeating: 0, count: test.count)
        for wrong in [zero, test.order, sum(test.order, 1), test.prime, zero.map(~)] {
            for (r, s, start) in [(wrong, test.s, 0), (test.r, wrong, test.count), (wrong, wrong, 0)] {
                refuses(.ecSignatureOutOfRange, at: start) { () throws(Refusal) in
                    try key.verify(concatenated: r + s)
                }
                refuses(.ecSignatureOutOfRange) { () throws(Refusal) in
                    try key.verify(Self.encoded(numbers: r, s))
                }
            }
        }
    }

    @Test("takes r and s from 1 to n - 1, which are wrong here", arguments: TestKey.all)
    func inRange(_ test: TestKey) throws {
        let key = try test.key()
        let one = [UInt8](repeating: 0, count: test.count - 1) + [1]
        let last = sum(test.order, -1)
        for (r, s) in [
            (one, test.s), (test.r, one), (last, test.s), (test.r, last), (one, one), (last, last),
        ] {
            refuses(.ecSignatureMismatch, at: 0) { () throws(Refusal) in try key.verify(concatenated: r + s) }
            refuses(.ecSignatureMismatch, at: 0) { () throws(Refusal) in
                try key.verify(Self.encoded(numbers: r, s))
            }
        }
    }

    @Test("refuses r and s that are longer than n, however small they are modulo n", arguments: TestKey.all)
    func tooLong(_ test: TestKey) throws {
        let key = try test.key()
        let long = [1] + test.r
        refuses(.ecSignatureOutOfRange, at: 4) { () throws(Refusal) in
            try key.verify(Self.encoded(long, test.s.first! < 0x80 ? test.s : [0] + test.s))
        }
        let longest = [0x7F] + [UInt8](repeating: 0xFF, count: 5000)
        refuses(.ecSignatureOutOfRange) { () throws(Refusal) in try key.verify(Self.encoded(longest, longest))
        }
    }

    /// Keys under which s = 1 and r would be a signature for "abc" if r + n counted modulo p or modulo R: the
    /// point has x = (r + n) mod p or mod R. Python's integers made them from a point with a small x.
    static let wrapped: [(curve: Curve, point: String, r: String)] = [
        (
            .p256,
            "045436097271c19d2b079304b3e0419add9f82eaa40d8e2182016b2a81bb963e7e"
                + "62fec03b4159bc5e88e09dbb2b507ae106b437d3e2270fbd7ec3aece3ab9c128",
            "000000000000000000000000000000004319055358e8617b0c46353d039cdab3"
        ),
        (
            .p256,
            "04fc7bc0dfc44d70cc931c1fa846891f6761062271a337bebc23fc3ac4e34a7987"
                + "26743ecb76e5cf2224e546bc8d4ac88d4c449b9bfe63949161e4474194504baf",
            "00000000ffffffff00000000000000004319055258e8617b0c46353d039cdab4"
        ),
        (
            .p384,
            "04f926520f2b573f7c831528197a019fdf30f7c8645930b87f42b45dcdc8d0988b94d931607dce10cb884e5d4f18770860"
                + "c81245178474e10322587818034e25bba55bb9410941e5bb40dabfb57cfdf7908db0e4d5d8f112722c27e9e557d171d5",
            "000000000000000000000000000000000000000000000000389cb27e0bc8d21fa7e5f24cb74f58851313e696333ad68e"
        ),
        (
            .p384,
            "047935d77874127088ec1a17d46a0e06aba879612cf81599ef4797821c3c6e1ae42d8ad347f6e863506d9b90cfa020cc3d"
                + "9f70a07f1dbcdca1bbf9651e982de37b8fa249bfdb7ace9bd9a111a2dc6f24f1ef9df6888a939e921eaa26fd0a409368",
            "000000000000000000000000000000000000000000000000389cb27e0bc8d220a7e5f24db74f58851313e695333ad68f"
        ),
    ]

    @Test("refuses r if x is not r + n, but r + n modulo p or modulo R (step 6)", arguments: wrapped)
    func wrappedR(curve: Curve, point: String, r: String) throws {
        let key = try ECPublicKey(curve, point: hex(point))
        let one = [UInt8](repeating: 0, count: r.utf8.count / 2 - 1) + [1]
        refuses(.ecSignatureMismatch, at: 0) { () throws(Refusal) in
            try key.verify(concatenated: hex(r) + one)
        }
    }

    // MARK: Encodings

    @Test("refuses r ‖ s of another length", arguments: TestKey.all)
    func lengths(_ test: TestKey) throws {
        let key = try test.key()
        let signature = test.r + test.s
        let (der, other) = (
            Self.encoded(numbers: test.r, test.s), TestKey.all.first { $0.curve != test.curve }!
        )
        let wrongs: [[UInt8]] = [
            [], [0], signature.dropLast(), Array(signature.dropFirst()), signature + [0], [0] + signature,
            [0] + test.r + [0] + test.s, test.r, signature + signature, der, other.r + other.s,
        ]
        for wrong in wrongs {
            refuses(.ecSignatureLength, at: 0) { () throws(Refusal) in
                try key.verify(concatenated: wrong)
            }
        }
    }

    /// Encodings that are refused: what, the encoding, and the code.
    static let refusedEncodings: [(String, [UInt8], Refusal.Code)] = {
        let (r, s) = ([0] + TestKey.p256.r, [0] + TestKey.p256.s)
        let genuine = encoded(r, s)
        return [
            ("empty", [], .truncated),
            ("r ‖ s", TestKey.p256.r + TestKey.p256.s, .unexpectedTag),
            ("an octet behind", genuine + [0], .trailingBytes),
            ("an octet behind s", encoded(r, s, behind: [0]), .trailingBytes),
            ("a NULL behind s", encoded(r, s, behind: [5, 0]), .trailingBytes),
            ("a third number", encoded(r, s, behind: [2, 1, 1]), .trailingBytes),
            ("an end before the last octet", genuine.dropLast(), .truncated),
            ("no s", [0x30, 3, 2, 1, 1], .truncated),
            ("no numbers", [0x30, 0], .truncated),
            ("a SET", [0x31] + genuine.dropFirst(), .unexpectedTag),
            ("a long-form length", [0x30, 0x81] + genuine.dropFirst(), .nonMinimalLength),
            ("an indefinite length", [0x30, 0x80] + genuine.dropFirst(2) + [0, 0], .indefiniteLength),
            ("r with two leading zeros", encoded([0] + r, s), .nonMinimalInteger),
            ("s with two leading zeros", encoded(r, [0] + s), .nonMinimalInteger),
            ("1 with a leading zero", encoded([0, 1], s), .nonMinimalInteger),
            ("r without its leading zero", encoded(TestKey.p256.r, s), .negativeInteger),
            ("s without its leading zero", encoded(r, TestKey.p256.s), .negativeInteger),
            ("r is -1", encoded([0xFF], s), .negativeInteger),
            ("s is -1", encoded(r, [0xFF]), .negativeInteger),
            ("r without octets", encoded([], s), .emptyContents),
            ("s without octets", encoded(r, []), .emptyContents),
            ("r is zero", encoded([0], s), .ecSignatureOutOfRange),
            ("s is zero", encoded(r, [0]), .ecSignatureOutOfRange),
            ("both are zero", encoded([0], [0]), .ecSignatureOutOfRange),
            (
                "r is an OCTET STRING", [0x30] + [UInt8(genuine.count - 2)] + [4] + genuine.dropFirst(3),
                .unexpectedTag
            ),
        ]
    }()

    @Test("refuses an ECDSA-Sig-Value that is not DER", arguments: refusedEncodings)
    func refusedEncoding(what: String, encoding: [UInt8], code: Refusal.Code) throws {
        let key = try TestKey.p256.key()
        refuses(code) { () throws(Refusal) in try key.verify(encoding) }
    }
}
