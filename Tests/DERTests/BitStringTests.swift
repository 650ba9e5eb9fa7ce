import Basics
import DER
import TestSupport
import Testing

@Suite("BIT STRING, OCTET STRING and NULL (X.690 §8.6, §8.7, §8.8, §11.2)")
struct BitStringTests {
    private static func bits(_ digits: String) throws(Refusal) -> BitString {
        let input = hex(digits)
        var reader = Reader(input.span)
        let string = try reader.readBitString("BIT STRING")
        try reader.finish("BIT STRING")
        return string
    }

    @Test(
        "reads the octets and the count of unused bits",
        arguments: [
            ("030100", 3..<3, 0), ("030200ff", 3..<4, 0), ("03020780", 3..<4, 7), ("03020700", 3..<4, 7),
            ("030206c0", 3..<4, 6), ("030201fe", 3..<4, 1), ("0304066e5dc0", 3..<6, 6),
        ]
    )
    func bits(_ digits: String, _ octets: Range<Int>, _ unusedBits: Int) throws {
        let string = try Self.bits(digits)
        #expect(string.octets == octets && string.unusedBits == unusedBits)
    }

    @Test(
        "refuses an unused bit that is set and an impossible count of unused bits",
        arguments: [
            ("0300", Refusal.Code.emptyContents, 2),
            ("030101", .invalidBitString, 2),
            ("030107", .invalidBitString, 2),
            ("0301ff", .invalidBitString, 2),
            ("03020800", .invalidBitString, 2),
            ("0302ff00", .invalidBitString, 2),
            ("03020781", .invalidBitString, 3),
            ("030207c0", .invalidBitString, 3),
            ("03020101", .invalidBitString, 3),
            ("030306ffe0", .invalidBitString, 4),
            ("0304066e5de0", .invalidBitString, 5),
            ("230403020001", .unexpectedTag, 0),
            ("2380030200010000", .unexpectedTag, 0),
            ("040100", .unexpectedTag, 0),
            ("030300ff", .truncated, 4),
            ("030200ff00", .trailingBytes, 4),
        ]
    )
    func refused(_ digits: String, _ code: Refusal.Code, _ offset: Int) {
        refuses(code, at: offset) { () throws(Refusal) in try Self.bits(digits) }
    }

    @Test("every unused bit must be zero", arguments: 1...7)
    func unusedBits(_ count: Int) throws {
        for bit in 0..<8 {
            let octet = String((1 << bit) + 256, radix: 16).dropFirst()
            if bit < count {
                refuses(.invalidBitString, at: 3) { () throws(Refusal) in
                    try Self.bits("03020\(count)\(octet)")
                }
            } else {
                #expect(try Self.bits("03020\(count)\(octet)").unusedBits == count)
            }
        }
    }

    @Test("reads a key or a signature as whole octets")
    func aligned() throws {
        let input = hex("0303000102")
        var reader = Reader(input.span)
        let octets = try reader.readOctetAlignedBitString("signature")
        #expect(octets == 3..<5)
        refuses(.invalidBitString, at: 2) { () throws(Refusal) in
            let input = hex("0303010102")
            var reader = Reader(input.span)
            _ = try reader.readOctetAlignedBitString("signature")
        }
        refuses(.invalidBitString, at: 2) { () throws(Refusal) in
            let input = hex("0303040110")
            var reader = Reader(input.span)
            _ = try reader.readOctetAlignedBitString("signature")
        }
    }

    @Test("reads an OCTET STRING of any octets, and refuses segments")
    func octets() throws {
        let input = hex("0400040200ff24030401ff")
        var reader = Reader(input.span)
        let (empty, two) = (try reader.read(.octetString, "empty"), try reader.read(.octetString, "two"))
        #expect(empty == 2..<2 && two == 4..<6)
        refuses(.unexpectedTag, at: 6) { () throws(Refusal) in
            var reader = Reader(input.span, in: 6..<input.count)
            _ = try reader.read(.octetString, "segments")
        }
    }

    @Test(
        "a NULL has no contents",
        arguments: [
            ("050100", Refusal.Code.invalidNull, 2), ("0502", .truncated, 2),
            ("058100", .nonMinimalLength, 1),
            ("250000", .unexpectedTag, 0), ("05", .truncated, 1), ("0580", .indefiniteLength, 1),
        ]
    )
    func null(_ digits: String, _ code: Refusal.Code, _ offset: Int) throws {
        let null = hex("0500")
        var reader = Reader(null.span)
        try reader.readNull("NULL")
        try reader.finish("NULL")
        refuses(code, at: offset) { () throws(Refusal) in
            let input = hex(digits)
            var reader = Reader(input.span)
            try reader.readNull("NULL")
        }
    }
}
