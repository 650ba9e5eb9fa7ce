import Basics
import DER
import RSA
import TestSupport
import Testing

struct PublicKeyTests {
    /// A number of this many bits. All bits are set, except the lowest bit of an even number.
    static func number(bits: Int, even: Bool = false) -> [UInt8] {
        var number = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
        number[0] >>= UInt8((8 - bits % 8) % 8)
        if even { number[number.count - 1] -= 1 }
        return number
    }

    @Test("reads the length of the modulus and the exponent from a SubjectPublicKeyInfo")
    func subjectPublicKeyInfo() throws {
        let key = try PublicKey(subjectPublicKeyInfo: TestKey.subjectPublicKeyInfo)
        #expect(key.modulusBitCount == 1024)
        #expect(key.modulusByteCount == 128)
        #expect(key.exponent == 65537)
        try key.verify(TestKey.signature, digest: TestKey.digest)
    }

    @Test("reads a SubjectPublicKeyInfo inside a larger buffer, with offsets from the buffer's start")
    func subrange() throws {
        let info = TestKey.subjectPublicKeyInfo
        var buffer = [UInt8](repeating: 0xAA, count: 7) + info + [0xBB]
        let key = try PublicKey(subjectPublicKeyInfo: buffer, in: 7..<(7 + info.count))
        #expect(key.modulusBitCount == 1024)
        let long = refusal { () throws(Refusal) in
            try PublicKey(subjectPublicKeyInfo: buffer, in: 7..<(8 + info.count))
        }
        #expect(long?.code == .trailingBytes)
        #expect(long?.offset == 7 + info.count)
        buffer[7 + 10] ^= 1
        let algorithm = refusal { () throws(Refusal) in
            try PublicKey(subjectPublicKeyInfo: buffer, in: 7..<(7 + info.count))
        }
        #expect(algorithm?.code == .notAnRSAKey)
        #expect(algorithm?.offset == 7 + 7)
    }

    @Test(
        "accepts a modulus of any length from 1024 bits to the limit",
        arguments: [1024, 1025, 1031, 2047, 8191, 8192]
    )
    func modulusLength(bits: Int) throws {
        let key = try PublicKey(modulus: Self.number(bits: bits), exponent: [3])
        #expect(key.modulusBitCount == bits)
        #expect(key.modulusByteCount == (bits + 7) / 8)
    }

    static let refusedModuli: [([UInt8], Refusal.Code)] = [
        ([], .modulusTooSmall),
        ([0], .modulusTooSmall),
        ([1], .modulusTooSmall),
        (number(bits: 1023), .modulusTooSmall),
        ([0, 0] + number(bits: 1023), .modulusTooSmall),
        ([UInt8](repeating: 0, count: 128), .modulusTooSmall),
        (number(bits: 1024, even: true), .modulusEven),
        (number(bits: 2048, even: true), .modulusEven),
        (number(bits: 8193), .modulusTooLarge),
        (number(bits: 65536), .modulusTooLarge),
    ]

    @Test("refuses a modulus that is even, too small or too large", arguments: refusedModuli)
    func refusedModulus(modulus: [UInt8], code: Refusal.Code) {
        let error = refusal { () throws(Refusal) in try PublicKey(modulus: modulus, exponent: [1, 0, 1]) }
        #expect(error?.code == code)
    }

    @Test(
        "accepts an odd exponent from 3 to 2³³ - 1",
        arguments: ["03", "11", "010001", "ffffffff", "01ffffffff", "0000010001"]
    )
    func allowedExponent(digits: String) throws {
        let key = try PublicKey(modulus: TestKey.modulus, exponent: hex(digits))
        #expect(key.exponent == UInt64(digits, radix: 16))
    }

    static let refusedExponents: [(String, Refusal.Code)] = [
        ("", .exponentTooSmall), ("00", .exponentTooSmall), ("01", .exponentTooSmall), ("02", .exponentEven),
        ("04", .exponentEven), ("010000", .exponentEven), ("01fffffffe", .exponentEven),
        ("0200000000", .exponentTooLarge), ("0200000001", .exponentTooLarge),
        ("010000000000010001", .exponentTooLarge),
    ]

    @Test("refuses an exponent that is even, below 3 or too large", arguments: refusedExponents)
    func refusedExponent(digits: String, code: Refusal.Code) {
        let error = refusal { () throws(Refusal) in
            try PublicKey(modulus: TestKey.modulus, exponent: hex(digits))
        }
        #expect(error?.code == code)
    }

    @Test("refuses an even number at its last octet, and any other number at its first")
    func offsets() {
        func offset(_ modulus: [UInt8], _ exponent: [UInt8]) -> Int? {
            refusal { () throws(Refusal) in try PublicKey(modulus: modulus, exponent: exponent) }?.offset
        }
        #expect(offset([0] + Self.number(bits: 1024, even: true), [3]) == 128)
        #expect(offset([0] + Self.number(bits: 1023), [3]) == 0)
        #expect(offset(Self.number(bits: 8193), [3]) == 0)
        #expect(offset(TestKey.modulus, [1, 0, 2]) == 2)
        #expect(offset(TestKey.modulus, [0, 1]) == 0)
        #expect(offset(TestKey.modulus, [2, 0, 0, 0, 1]) == 0)
    }

    @Test("applies the caller's limits")
    func limits() throws {
        var limits = KeyLimits.standard
        limits.modulusBits = 1024
        limits.exponentBits = 16
        let large = refusal { () throws(Refusal) in
            try PublicKey(modulus: Self.number(bits: 1025), exponent: [3], limits: limits)
        }
        #expect(large?.code == .modulusTooLarge)
        let long = refusal { () throws(Refusal) in
            try PublicKey(subjectPublicKeyInfo: TestKey.subjectPublicKeyInfo, limits: limits)
        }
        #expect(long?.code == .exponentTooLarge)
        limits.exponentBits = 100
        let wide = try PublicKey(
            modulus: TestKey.modulus,
            exponent: hex("ffffffffffffffff"),
            limits: limits
        )
        #expect(wide.exponent == .max)
        let wider = refusal { () throws(Refusal) in
            try PublicKey(modulus: TestKey.modulus, exponent: hex("010000000000000001"), limits: limits)
        }
        #expect(wider?.code == .exponentTooLarge)
    }

    // The costs are computed by hand. For 2048 bits and 65537 there are 18 products of 32 limbs, and the
    // reference has 18 of 64 limbs.
    @Test(
        "the cost of a check grows with the square of the modulus and with the exponent",
        arguments: [
            (1024, [3], 1), (2048, [1, 0, 1], 1), (4096, [1, 0, 1], 1), (4097, [1, 0, 1], 2),
            (4096, [1, 0, 0, 0, 1], 2), (8192, [3], 1), (8192, [1, 0, 1], 4), (8192, [1, 0, 0, 0, 1], 8),
            (8192, [1, 0xFF, 0xFF, 0xFF, 0xFF], 15),
        ] as [(Int, [UInt8], Int)]
    )
    func relativeCost(bits: Int, exponent: [UInt8], cost: Int) throws {
        #expect(try PublicKey(modulus: Self.number(bits: bits), exponent: exponent).relativeCost == cost)
    }

    // MARK: Malformed encodings

    static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            switch contents.count {
            case ..<0x80: [UInt8(contents.count)]
            case ..<0x100: [0x81, UInt8(contents.count)]
            default: [0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)]
            }
        return [tag] + length + contents
    }

    static let rsaEncryption = hex("06092a864886f70d010101")
    static let null: [UInt8] = [0x05, 0x00]
    static let modulusInteger = element(0x02, [0] + TestKey.modulus)
    static let exponentInteger = element(0x02, TestKey.exponent)

    static func info(
        algorithm: [UInt8] = rsaEncryption + null,
        modulus: [UInt8] = modulusInteger,
        exponent: [UInt8] = exponentInteger,
        afterExponent: [UInt8] = [],
        unusedBits: UInt8 = 0,
        afterKey: [UInt8] = [],
        afterString: [UInt8] = []
    ) -> [UInt8] {
        let key = element(0x30, modulus + exponent + afterExponent)
        return element(
            0x30,
            element(0x30, algorithm) + element(0x03, [unusedBits] + key + afterKey) + afterString
        )
    }

    @Test("the parts of the malformed encodings make a key if they are assembled correctly")
    func wellFormed() throws {
        #expect(Self.info() == TestKey.subjectPublicKeyInfo)
    }

    static let malformedInfos: [(String, [UInt8], Refusal.Code)] = [
        ("nothing", [], .truncated),
        ("cut short", Array(info().dropLast()), .truncated),
        ("bytes behind it", info() + [0], .trailingBytes),
        ("no parameters", info(algorithm: rsaEncryption), .keyParameters),
        ("parameters that are no NULL", info(algorithm: rsaEncryption + [0x30, 0x00]), .keyParameters),
        ("a NULL with contents", info(algorithm: rsaEncryption + [0x05, 0x01, 0x00]), .invalidNull),
        ("a second NULL", info(algorithm: rsaEncryption + null + null), .trailingBytes),
        ("id-RSASSA-PSS", info(algorithm: hex("06092a864886f70d01010a") + null), .notAnRSAKey),
        ("sha256WithRSAEncryption", info(algorithm: hex("06092a864886f70d01010b") + null), .notAnRSAKey),
        ("id-ecPublicKey", info(algorithm: hex("06072a8648ce3d0201") + null), .notAnRSAKey),
        (
            "an identifier one arc longer", info(algorithm: hex("060a2a864886f70d01010100") + null),
            .notAnRSAKey
        ),
        ("an identifier cut short", info(algorithm: hex("06082a864886f70d0101") + null), .notAnRSAKey),
        ("a negative modulus", info(modulus: element(0x02, TestKey.modulus)), .negativeInteger),
        ("a padded modulus", info(modulus: element(0x02, [0, 0] + TestKey.modulus)), .nonMinimalInteger),
        ("an empty modulus", info(modulus: [0x02, 0x00]), .emptyContents),
        ("a modulus of zero", info(modulus: [0x02, 0x01, 0x00]), .modulusTooSmall),
        ("a modulus that is an OCTET STRING", info(modulus: element(0x04, TestKey.modulus)), .unexpectedTag),
        ("a negative exponent", info(exponent: [0x02, 0x01, 0x83]), .negativeInteger),
        ("a padded exponent", info(exponent: [0x02, 0x02, 0x00, 0x03]), .nonMinimalInteger),
        ("an empty exponent", info(exponent: [0x02, 0x00]), .emptyContents),
        ("an exponent of one", info(exponent: [0x02, 0x01, 0x01]), .exponentTooSmall),
        ("no exponent", info(exponent: []), .truncated),
        ("a third INTEGER", info(afterExponent: [0x02, 0x01, 0x00]), .trailingBytes),
        ("bytes behind RSAPublicKey", info(afterKey: [0x00]), .trailingBytes),
        ("bytes behind the BIT STRING", info(afterString: [0x05, 0x00]), .trailingBytes),
        ("unused bits", info(unusedBits: 1), .invalidBitString),
        ("eight unused bits", info(unusedBits: 8), .invalidBitString),
        ("an empty BIT STRING", hex("3012300d06092a864886f70d0101010500030100"), .truncated),
        ("a bare RSAPublicKey", element(0x30, modulusInteger + exponentInteger), .unexpectedTag),
    ]

    @Test("refuses a malformed SubjectPublicKeyInfo", arguments: malformedInfos)
    func malformed(what: String, info: [UInt8], code: Refusal.Code) {
        let error = refusal { () throws(Refusal) in try PublicKey(subjectPublicKeyInfo: info) }
        #expect(error?.code == code)
    }

    @Test("refuses every proper prefix of a SubjectPublicKeyInfo")
    func truncated() {
        let info = TestKey.subjectPublicKeyInfo
        for count in 0..<info.count {
            let error = refusal { () throws(Refusal) in
                try PublicKey(subjectPublicKeyInfo: info, in: 0..<count)
            }
            #expect(error?.code == .truncated)
            #expect(error.map { $0.offset <= count } == true)
        }
    }
}
