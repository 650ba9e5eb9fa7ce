import Basics
import DER
import RSA
import SHA
import TestSupport
import Testing

struct SignatureTests {
    let key: PublicKey

    init() throws {
        key = try PublicKey(modulus: TestKey.modulus, exponent: TestKey.exponent)
    }

    func code(_ signature: [UInt8], _ digest: Digest = TestKey.digest) -> Refusal.Code? {
        refusal { () throws(Refusal) in try key.verify(signature, digest: digest) }?.code
    }

    @Test("accepts a genuine signature, and accepts it again")
    func genuine() {
        #expect(code(TestKey.signature) == nil)
        #expect(code(TestKey.signature) == nil)
    }

    @Test(
        "refuses a genuine signature for another digest or another hash algorithm",
        arguments: [
            HashAlgorithm.sha256.digest(of: Array("abd".utf8)),
            HashAlgorithm.sha1.digest(of: Array("abc".utf8)),
            HashAlgorithm.sha384.digest(of: Array("abc".utf8)),
            HashAlgorithm.sha512.digest(of: Array("abc".utf8)),
        ]
    )
    func otherDigest(digest: Digest) {
        #expect(code(TestKey.signature, digest) == .signatureMismatch)
    }

    @Test("refuses a genuine signature under another key")
    func otherKey() throws {
        var modulus = TestKey.modulus
        modulus[60] ^= 4
        let other = try PublicKey(modulus: modulus, exponent: TestKey.exponent)
        let otherExponent = try PublicKey(modulus: TestKey.modulus, exponent: [3])
        for key in [other, otherExponent] {
            let error = refusal { () throws(Refusal) in
                try key.verify(TestKey.signature, digest: TestKey.digest)
            }
            #expect(error?.code == .signatureMismatch)
        }
    }

    // MARK: The signature as a number (RFC 8017 §5.2.2)

    static let zero = [UInt8](repeating: 0, count: 128)
    static let refusedSignatures: [(String, [UInt8], Refusal.Code)] = [
        ("empty", [], .signatureLength),
        ("one octet short", Array(TestKey.signature.dropLast()), .signatureLength),
        ("without its first octet", Array(TestKey.signature.dropFirst()), .signatureLength),
        ("with an octet behind", TestKey.signature + [0], .signatureLength),
        ("with a zero in front", [0] + TestKey.signature, .signatureLength),
        ("twice as long", zero + TestKey.signature, .signatureLength),
        ("zero", zero, .signatureMismatch),
        ("one", zero.dropLast() + [1], .signatureMismatch),
        ("n - 1", TestKey.modulus.dropLast() + [0xD0], .signatureMismatch),
        ("n", TestKey.modulus, .signatureOutOfRange),
        ("n + 1", TestKey.modulus.dropLast() + [0xD2], .signatureOutOfRange),
        ("n + s", sum(TestKey.modulus, TestKey.signature), .signatureOutOfRange),
        ("n - s", difference(TestKey.modulus, TestKey.signature), .signatureMismatch),
        ("all ones", [UInt8](repeating: 0xFF, count: 128), .signatureOutOfRange),
    ]

    static func sum(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
        var carry = 0
        let sum = zip(one, other).reversed().map { one, other in
            carry += Int(one) + Int(other)
            defer { carry >>= 8 }
            return UInt8(carry & 0xFF)
        }
        return sum.reversed()
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

    @Test(
        "refuses a signature of another length, and one that is not below the modulus",
        arguments: refusedSignatures
    )
    func refusedSignature(what: String, signature: [UInt8], code: Refusal.Code) {
        let error = refusal { () throws(Refusal) in try key.verify(signature, digest: TestKey.digest) }
        #expect(error?.code == code)
        #expect(error?.offset == 0)
    }

    @Test("requires a signature as long as the modulus, even if its number has leading zeros")
    func leadingZeros() throws {
        // 2 to the power of 3 is 8, which is not an encoded message. The comparison follows the length check.
        let key = try PublicKey(modulus: TestKey.modulus, exponent: [3])
        let two = Self.zero.dropLast() + [2]
        let error = refusal { () throws(Refusal) in try key.verify(Array(two), digest: TestKey.digest) }
        #expect(error?.code == .signatureMismatch)
    }

    @Test("refuses a signature with any one bit flipped", arguments: 0..<79)
    func flipped(sample: Int) {
        let bit = sample * 13
        var signature = TestKey.signature
        signature[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(code(signature) != nil)
    }

    // MARK: The encoded message (RFC 8017 §9.2)

    /// The DigestInfo of SHA-256 with NULL parameters, up to the digest.
    static let prefix = hex("3031300d060960864801650304020105000420")
    static let hash = hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")

    /// `00 01 FF … FF 00 T`, as long as the modulus.
    static func encoded(
        _ info: [UInt8] = prefix + hash,
        start: [UInt8] = [0x00, 0x01],
        padding: UInt8 = 0xFF,
        separator: [UInt8] = [0x00],
        behind: [UInt8] = []
    ) -> [UInt8] {
        let count = 128 - start.count - separator.count - info.count - behind.count
        return start + [UInt8](repeating: padding, count: count) + separator + info + behind
    }

    static func encoded(changing index: Int, to octet: UInt8) -> [UInt8] {
        var message = encoded()
        message[index] = octet
        return message
    }

    static let genuineMessages: [(String, HashAlgorithm)] = [
        ("3021300906052b0e03021a05000414", .sha1),
        ("3031300d060960864801650304020105000420", .sha256),
        ("3041300d060960864801650304020205000430", .sha384),
        ("3051300d060960864801650304020305000440", .sha512),
    ]

    @Test(
        "the encoded message of each hash algorithm is the one in RFC 8017 §9.2, note 1",
        arguments: genuineMessages
    )
    func genuineMessage(prefix: String, algorithm: HashAlgorithm) {
        let digest = algorithm.digest(of: Array("abc".utf8))
        #expect(code(TestKey.sign(Self.encoded(hex(prefix) + digest.bytes)), digest) == nil)
    }

    @Test("the tests make the signature that OpenSSL makes")
    func sign() {
        #expect(TestKey.sign(Self.encoded()) == TestKey.signature)
    }

    @Test("refuses an encoded message with any one octet changed, padding included", arguments: 0..<128)
    func everyOctet(index: Int) {
        let message = Self.encoded(changing: index, to: Self.encoded()[index] ^ 0x01)
        // A changed first octet makes the number larger than the modulus. Its remainder is signed.
        #expect(code(TestKey.sign(message)) == .signatureMismatch)
    }

    static let forgedMessages: [(String, [UInt8])] = [
        ("block type 2", encoded(start: [0x00, 0x02])),
        ("block type 0", encoded(start: [0x00, 0x00])),
        ("block type 0 padded with zeros", encoded(start: [0x00, 0x00], padding: 0x00)),
        ("a first octet that is not zero", encoded(start: [0x01, 0x01])),
        ("no first octet", encoded(start: [0x01])),
        ("padding of 00", encoded(padding: 0x00)),
        ("padding of FE", encoded(padding: 0xFE)),
        ("one octet of padding changed", encoded(changing: 40, to: 0xFE)),
        ("the first octet of padding changed", encoded(changing: 2, to: 0x00)),
        ("the last octet of padding changed", encoded(changing: 75, to: 0x7F)),
        ("no separator", encoded(separator: [])),
        ("a separator of 01", encoded(separator: [0x01])),
        ("two separators", encoded(separator: [0x00, 0x00])),
        ("octets behind the digest, padding shortened for them", encoded(behind: [0x00, 0x00])),
        ("padding of eight octets and garbage behind", encoded(behind: [UInt8](repeating: 0xA5, count: 66))),
        ("no padding and garbage behind", encoded(behind: [UInt8](repeating: 0xA5, count: 74))),
        ("parameters missing", encoded(hex("302f300b0609608648016503040201") + hex("0420") + hash)),
        ("parameters of another type", encoded(hex("3031300d060960864801650304020130000420") + hash)),
        ("garbage in the parameters", encoded(hex("3033300f06096086480165030402010502a5a50420") + hash)),
        ("SHA-384's identifier", encoded(hex("3031300d060960864801650304020205000420") + hash)),
        ("SHA-512/256's identifier", encoded(hex("3031300d060960864801650304020605000420") + hash)),
        ("a long-form outer length", encoded(hex("308131300d060960864801650304020105000420") + hash)),
        ("a long-form inner length", encoded(hex("303230810d060960864801650304020105000420") + hash)),
        ("a long-form digest length", encoded(hex("3032300d06096086480165030402010500048120") + hash)),
        ("a long-form NULL", encoded(hex("3032300e06096086480165030402010581000420") + hash)),
        (
            "an indefinite length",
            encoded(hex("3080300d060960864801650304020105000420") + hash + [0x00, 0x00])
        ),
        ("the digest alone", encoded(hash)),
        ("no DigestInfo", encoded([])),
        ("the digest one octet short", encoded(prefix + hash.dropLast())),
        ("the digest's first octet changed", encoded(changing: 96, to: 0xBB)),
        ("the digest's last octet changed", encoded(changing: 127, to: 0xAC)),
        (
            "an octet of garbage inside DigestInfo",
            encoded(hex("3032300d060960864801650304020105000420") + hash + [0])
        ),
    ]

    @Test("refuses a signature over a malformed encoded message", arguments: forgedMessages)
    func refusedMessage(what: String, message: [UInt8]) {
        #expect(message.count == 128)
        #expect(code(TestKey.sign(message)) == .signatureMismatch)
    }
}
