import ECDSA
import SHA
import TestSupport
import Testing

@testable import AppReceiptMint

@Suite("Keys and signatures on P-256 and P-384")
struct ECPrivateKeyTests {
    /// A row of RFC 6979 §A.2.5 or §A.2.6.
    struct Published: Sendable {
        let hash: HashAlgorithm
        let message, r, s: String
    }

    /// The private key and the public key of RFC 6979 §A.2.5, P-256.
    static let p256 = (
        d: "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721",
        x: "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6",
        y: "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
    )
    /// The private key and the public key of RFC 6979 §A.2.6, P-384.
    static let p384 = (
        d: """
        6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA
        9AA47740787137D896D5724E4C70A825F872C9EA60D2EDF5
        """,
        x: """
        EC3A4E415B4E19A4568618029F427FA5DA9A8BC4AE92E02E
        06AAE5286B300C64DEF8F0EA9055866064A254515480BC13
        """,
        y: """
        8015D9B72D7D57244EA8EF9AC0C621896708A59367F9DFB9
        F54CA84B3F1C9DB1288B231C3AE0D4FE7344FD2533264720
        """
    )

    static let p256Signatures = [
        Published(
            hash: .sha1,
            message: "sample",
            r: "61340C88C3AAEBEB4F6D667F672CA9759A6CCAA9FA8811313039EE4A35471D32",
            s: "6D7F147DAC089441BB2E2FE8F7A3FA264B9C475098FDCF6E00D7C996E1B8B7EB"
        ),
        Published(
            hash: .sha256,
            message: "sample",
            r: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
            s: "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
        ),
        Published(
            hash: .sha384,
            message: "sample",
            r: "0EAFEA039B20E9B42309FB1D89E213057CBF973DC0CFC8F129EDDDC800EF7719",
            s: "4861F0491E6998B9455193E34E7B0D284DDD7149A74B95B9261F13ABDE940954"
        ),
        Published(
            hash: .sha512,
            message: "sample",
            r: "8496A60B5E9B47C825488827E0495B0E3FA109EC4568FD3F8D1097678EB97F00",
            s: "2362AB1ADBE2B8ADF9CB9EDAB740EA6049C028114F2460F96554F61FAE3302FE"
        ),
        Published(
            hash: .sha256,
            message: "test",
            r: "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
            s: "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"
        ),
        Published(
            hash: .sha384,
            message: "test",
            r: "83910E8B48BB0C74244EBDF7F07A1C5413D61472BD941EF3920E623FBCCEBEB6",
            s: "8DDBEC54CF8CD5874883841D712142A56A8D0F218F5003CB0296B6B509619F2C"
        ),
    ]

    static let p384Signatures = [
        Published(
            hash: .sha256,
            message: "sample",
            r: """
                21B13D1E013C7FA1392D03C5F99AF8B30C570C6F98D4EA8E
                354B63A21D3DAA33BDE1E888E63355D92FA2B3C36D8FB2CD
                """,
            s: """
                F3AA443FB107745BF4BD77CB3891674632068A10CA67E3D4
                5DB2266FA7D1FEEBEFDC63ECCD1AC42EC0CB8668A4FA0AB0
                """
        ),
        Published(
            hash: .sha384,
            message: "sample",
            r: """
                94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA7
                3D64C4EA95AD133C81A648152E44ACF96E36DD1E80FABE46
                """,
            s: """
                99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526
                203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8
                """
        ),
        Published(
            hash: .sha384,
            message: "test",
            r: """
                8203B63D3C853E8D77227FB377BCF7B7B772E97892A80F36
                AB775D509D7A5FEB0542A7F0812998DA8F1DD3CA3CF023DB
                """,
            s: """
                DDD0760448D42D8A43AF45AF836FCE4DE8BE06B485E9B61B
                827C2F13173923E06A739F040649A667BF3B828246BAA5A5
                """
        ),
    ]

    static let orders: [(curve: Curve, order: [UInt8])] = [
        (.p256, hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")),
        (
            .p384,
            hex(
                """
                ffffffffffffffffffffffffffffffffffffffffffffffff
                c7634d81f4372ddf581a0db248b0a77aecec196accc52973
                """
            )
        ),
    ]

    static let keys = [ECPrivateKey(seed: 1), ECPrivateKey(.p384, seed: 1), ECPrivateKey(seed: 2)]

    private func check(_ curve: Curve, _ d: String, _ x: String, _ y: String, _ rows: [Published]) throws {
        let key = try #require(ECPrivateKey(curve, octets: hex(d)))
        #expect(key.point == [0x04] + hex(x) + hex(y))
        for row in rows {
            let digest = row.hash.digest(of: Array(row.message.utf8))
            #expect(key.signConcatenated(digest) == hex(row.r) + hex(row.s), "\(row)")
        }
    }

    @Test("makes the signatures of RFC 6979 §A.2.5, octet for octet")
    func publishedP256() throws {
        try check(.p256, Self.p256.d, Self.p256.x, Self.p256.y, Self.p256Signatures)
    }

    @Test("makes the signatures of RFC 6979 §A.2.6, octet for octet")
    func publishedP384() throws {
        try check(.p384, Self.p384.d, Self.p384.x, Self.p384.y, Self.p384Signatures)
    }

    @Test("refuses a private key that is zero, not below n, or of another length", arguments: orders)
    func privateKeys(_ curve: Curve, _ order: [UInt8]) throws {
        let count = order.count
        var below = order
        below[count - 1] -= 1
        #expect(ECPrivateKey(curve, octets: [UInt8](repeating: 0, count: count)) == nil)
        #expect(ECPrivateKey(curve, octets: order) == nil)
        #expect(ECPrivateKey(curve, octets: [UInt8](repeating: 0xFF, count: count)) == nil)
        #expect(ECPrivateKey(curve, octets: []) == nil)
        #expect(ECPrivateKey(curve, octets: [0] + below) == nil)
        #expect(ECPrivateKey(curve, octets: Array(below.dropFirst())) == nil)
        // The points of 1 and of n - 1 are G and -G.
        let one = [UInt8](repeating: 0, count: count - 1) + [1]
        let base = try #require(ECPrivateKey(curve, octets: one)?.point)
        let opposite = try #require(ECPrivateKey(curve, octets: below)?.point)
        #expect(base[1...count] == opposite[1...count] && base != opposite)
    }

    @Test("refuses a number k that is zero or not below n", arguments: orders)
    func nonces(_ curve: Curve, _ order: [UInt8]) throws {
        let key = Array(repeating: 7, count: order.count) as [UInt8]
        let decoded = PrivateScalar(curve, octets: key.span)
        let scalar = try #require(decoded)
        let digest = HashAlgorithm.sha256.digest(of: Array("abc".utf8))
        let zero = [UInt8](repeating: 0, count: order.count)
        for nonce in [zero, order, Array(order.dropLast()), [0] + order] {
            let signature = scalar.signature(of: digest, nonce: nonce.span, base: .ofBasePoint)
            #expect(signature == nil)
        }
        let signature = scalar.signature(of: digest, nonce: key.span, base: .ofBasePoint)
        #expect(signature?.count == 2 * order.count)
    }

    @Test("a signature is valid only for its digest and key", arguments: keys, HashAlgorithm.allCases)
    func signatures(_ key: ECPrivateKey, _ hash: HashAlgorithm) throws {
        let info = key.subjectPublicKeyInfo
        let publicKey = try ECPublicKey(subjectPublicKeyInfo: info.span, in: info.indices)
        let other = try ECPublicKey(key.curve, point: ECPrivateKey(key.curve, seed: 9).point.span)
        for index in 0..<20 {
            let digest = hash.digest(of: Array("message \(index)".utf8))
            let (der, both) = (key.sign(digest), key.signConcatenated(digest))
            try publicKey.verify(der.span, digest: digest)
            try publicKey.verify(concatenated: both.span, digest: digest)
            let wrong = hash.digest(of: Array("message".utf8))
            #expect(throws: (any Error).self) { try publicKey.verify(der.span, digest: wrong) }
            #expect(throws: (any Error).self) { try other.verify(der.span, digest: digest) }
        }
    }

    @Test("the same seed makes the same key, and another seed or curve another one")
    func seeds() {
        #expect(ECPrivateKey(seed: 1).point == ECPrivateKey(.p256, seed: 1).point)
        #expect(ECPrivateKey(seed: 1).point != ECPrivateKey(seed: 2).point)
        #expect(ECPrivateKey(.p384, seed: 1).point.count == 97)
        #expect(ECPrivateKey(.p384, seed: 1).point != ECPrivateKey(.p384, seed: 2).point)
        #expect("\(ECPrivateKey(.p384, seed: 1))" == "ECDSA test key, P-384")
        #expect("\(ECPrivateKey(seed: 1))" == "ECDSA test key, P-256")
    }
}

@Suite(
    "Keys on P-256 and P-384, checked by openssl",
    .enabled(if: OpenSSL.isExpected, "openssl is not installed")
)
struct ECPrivateKeyOpenSSLTests {
    @Test("openssl finds a private key sound, and derives its public key", arguments: ECPrivateKeyTests.keys)
    func keys(_ key: ECPrivateKey) async throws {
        let check = try await OpenSSL.run(
            "pkey -check -inform DER -in key -noout",
            files: ["key": key.privateKeyInfo]
        )
        #expect(check.status == 0 && check.text.contains("Key is valid"), "\(check.text)")
        let outcome = try await OpenSSL.run(
            "pkey -inform DER -in key -pubout -outform DER -out output",
            files: ["key": key.privateKeyInfo]
        )
        #expect(outcome.output == key.subjectPublicKeyInfo, "\(outcome.text)")
    }

    @Test("openssl accepts a signature", arguments: ECPrivateKeyTests.keys, HashAlgorithm.allCases)
    func signatures(_ key: ECPrivateKey, _ hash: HashAlgorithm) async throws {
        let message = Array("What was signed".utf8)
        let outcome = try await OpenSSL.run(
            "dgst -\(hash) -verify key -keyform DER -signature signature message",
            files: [
                "key": key.subjectPublicKeyInfo, "message": message,
                "signature": key.sign(hash.digest(of: message)),
            ]
        )
        #expect(outcome.status == 0 && outcome.text.contains("Verified OK"), "\(outcome.text)")
    }
}
