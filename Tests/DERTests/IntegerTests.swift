import Basics
import DER
import TestSupport
import Testing

@Suite("INTEGER and BOOLEAN (X.690 §8.2, §8.3, §11.1)")
struct IntegerTests {
    private static func integer(_ digits: String) throws(Refusal) -> Int64 {
        let input = hex(digits)
        var reader = Reader(input.span)
        let value = try reader.readInteger("INTEGER")
        try reader.finish("INTEGER")
        return value
    }

    private static func unsigned(_ digits: String) throws(Refusal) -> [UInt8] {
        let input = hex(digits)
        var reader = Reader(input.span)
        let magnitude = try reader.readUnsignedInteger("INTEGER")
        return Array(input.span, in: magnitude)
    }

    private static func boolean(_ digits: String) throws(Refusal) -> Bool {
        let input = hex(digits)
        var reader = Reader(input.span)
        return try reader.readBoolean("BOOLEAN")
    }

    @Test(
        "reads the value from the fewest octets of two's complement",
        arguments: [
            ("020100", 0), ("020101", 1), ("02017f", 127), ("02020080", 128), ("020200ff", 255),
            ("02020100", 256), ("02027fff", 32767), ("0203008000", 32768), ("0201ff", -1), ("020180", -128),
            ("0202ff7f", -129), ("0202ff00", -256), ("02028000", -32768), ("0203ff7fff", -32769),
            ("02047fffffff", 2_147_483_647), ("02050080000000", 2_147_483_648),
            ("020480000000", -2_147_483_648),
            ("0205ff7fffffff", -2_147_483_649),
            ("02080123456789abcdef", 81_985_529_216_486_895),
            ("02087fffffffffffffff", Int64.max),
            ("02088000000000000000", Int64.min),
        ] as [(String, Int64)]
    )
    func values(_ digits: String, _ value: Int64) throws {
        #expect(try Self.integer(digits) == value)
    }

    @Test(
        "refuses an INTEGER that is empty, padded or too long, and another type",
        arguments: [
            ("0200", Refusal.Code.emptyContents, 2),
            ("02020000", .nonMinimalInteger, 2),
            ("02020001", .nonMinimalInteger, 2),
            ("0202007f", .nonMinimalInteger, 2),
            ("0202ff80", .nonMinimalInteger, 2),
            ("0202ffff", .nonMinimalInteger, 2),
            ("0209ffffffffffffffffff", .nonMinimalInteger, 2),
            ("0209008000000000000000", .integerOutOfRange, 2),
            ("0209ff7fffffffffffffff", .integerOutOfRange, 2),
            ("020a01000000000000000000", .integerOutOfRange, 2),
            ("0203ff", .truncated, 3),
            ("02", .truncated, 1),
            ("", .truncated, 0),
            ("0a0101", .unexpectedTag, 0),
            ("220101", .unexpectedTag, 0),
            ("820101", .unexpectedTag, 0),
            ("02810101", .nonMinimalLength, 1),
            ("0280", .indefiniteLength, 1),
            ("02010100", .trailingBytes, 3),
        ]
    )
    func refused(_ digits: String, _ code: Refusal.Code, _ offset: Int) {
        refuses(code, at: offset) { () throws(Refusal) in try Self.integer(digits) }
    }

    @Test("reads an INTEGER of 200 octets, and refuses a redundant octet in it")
    func long() throws {
        let octets = String(repeating: "ab", count: 199)
        #expect(try Self.unsigned("0281c800" + octets) == hex(octets))
        refuses(.nonMinimalInteger, at: 3) { () throws(Refusal) in
            try Self.unsigned("0281c80000" + octets.dropFirst(2))
        }
        refuses(.integerOutOfRange, at: 3) { () throws(Refusal) in try Self.integer("0281c800" + octets) }
    }

    @Test(
        "the magnitude is the contents without the sign octet",
        arguments: [
            ("020100", "00"), ("02017f", "7f"), ("02020080", "80"), ("0203010000", "010000"),
            ("020900ffffffffffffffff", "ffffffffffffffff"), ("0203008000", "8000"),
        ]
    )
    func magnitude(_ digits: String, _ magnitude: String) throws {
        #expect(try Self.unsigned(digits) == hex(magnitude))
    }

    @Test(
        "a negative INTEGER has no magnitude",
        arguments: [
            ("0201ff", Refusal.Code.negativeInteger), ("020180", .negativeInteger),
            ("0202ff7f", .negativeInteger), ("0202ff80", .nonMinimalInteger), ("0200", .emptyContents),
        ]
    )
    func negative(_ digits: String, _ code: Refusal.Code) {
        refuses(code, at: 2) { () throws(Refusal) in try Self.unsigned(digits) }
    }

    @Test("a BOOLEAN is 00 or FF and none of the other 254 octets")
    func booleans() throws {
        #expect(try !Self.boolean("010100"))
        #expect(try Self.boolean("0101ff"))
        for octet in 1..<255 {
            let digits = String(octet + 256, radix: 16).dropFirst()
            refuses(.invalidBoolean, at: 2) { () throws(Refusal) in try Self.boolean("0101\(digits)") }
        }
    }

    @Test(
        "a BOOLEAN is one octet",
        arguments: [
            ("0100", Refusal.Code.invalidBoolean, 2), ("0102ffff", .invalidBoolean, 2),
            ("01020000", .invalidBoolean, 2), ("0101", .truncated, 2), ("0201ff", .unexpectedTag, 0),
        ]
    )
    func booleanRefused(_ digits: String, _ code: Refusal.Code, _ offset: Int) {
        refuses(code, at: offset) { () throws(Refusal) in try Self.boolean(digits) }
    }
}
