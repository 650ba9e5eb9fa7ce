import Basics
import DER
import TestSupport
import Testing

@Suite("OBJECT IDENTIFIER (X.690 §8.19)")
struct ObjectIdentifierTests {
    private static func contents(_ digits: String) throws(Refusal) -> [UInt8] {
        let input = hex(digits)
        var reader = Reader(input.span)
        let contents = try reader.readObjectIdentifier("OBJECT IDENTIFIER")
        try reader.finish("OBJECT IDENTIFIER")
        return Array(input.span, in: contents)
    }

    @Test(
        "a constant has the right octets at both ends of every length of a subidentifier",
        arguments: [
            (ObjectIdentifier(0, 0), "00", "0.0"),
            (ObjectIdentifier(0, 39), "27", "0.39"),
            (ObjectIdentifier(1, 0), "28", "1.0"),
            (ObjectIdentifier(1, 39), "4f", "1.39"),
            (ObjectIdentifier(2, 0), "50", "2.0"),
            (ObjectIdentifier(2, 5, 4, 3), "550403", "2.5.4.3"),
            (ObjectIdentifier(2, 40), "78", "2.40"),
            (ObjectIdentifier(2, 47), "7f", "2.47"),
            (ObjectIdentifier(2, 48), "8100", "2.48"),
            (ObjectIdentifier(2, 100, 3), "813403", "2.100.3"),
            (ObjectIdentifier(2, 999, 3), "883703", "2.999.3"),
            (ObjectIdentifier(1, 2, 0), "2a00", "1.2.0"),
            (ObjectIdentifier(1, 2, 127), "2a7f", "1.2.127"),
            (ObjectIdentifier(1, 2, 128), "2a8100", "1.2.128"),
            (ObjectIdentifier(1, 2, 16_383), "2aff7f", "1.2.16383"),
            (ObjectIdentifier(1, 2, 16_384), "2a818000", "1.2.16384"),
            (ObjectIdentifier(1, 2, 2_097_151), "2affff7f", "1.2.2097151"),
            (ObjectIdentifier(1, 2, 2_097_152), "2a81808000", "1.2.2097152"),
            (ObjectIdentifier(1, 2, 268_435_455), "2affffff7f", "1.2.268435455"),
            (ObjectIdentifier(1, 2, 268_435_456), "2a8180808000", "1.2.268435456"),
            (ObjectIdentifier(1, 2, .max), "2a8fffffff7f", "1.2.4294967295"),
            (ObjectIdentifier(1, 2, 840, 113_549, 1, 7, 2), "2a864886f70d010702", "1.2.840.113549.1.7.2"),
            (ObjectIdentifier(1, 2, 840, 113_549, 1, 1, 11), "2a864886f70d01010b", "1.2.840.113549.1.1.11"),
            (
                ObjectIdentifier(1, 2, 840, 113_635, 100, 6, 11, 1), "2a864886f76364060b01",
                "1.2.840.113635.100.6.11.1"
            ),
            (
                ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 1), "608648016503040201",
                "2.16.840.1.101.3.4.2.1"
            ),
            (
                ObjectIdentifier(2, 25, .max, .max, .max), "698fffffff7f8fffffff7f8fffffff7f",
                "2.25.4294967295.4294967295.4294967295"
            ),
        ] as [(ObjectIdentifier, String, String)]
    )
    func constants(_ identifier: ObjectIdentifier, _ digits: String, _ dotted: String) throws {
        let octets = hex(digits)
        let read = ObjectIdentifier(octets.span, in: 0..<octets.count)
        let text = ObjectIdentifier.dotted(octets.span, in: 0..<octets.count)
        #expect(identifier.octets == octets && read == identifier && text == dotted)
        #expect(identifier.description == dotted)
        let length = String(octets.count + 256, radix: 16).dropFirst()
        #expect(try Self.contents("06\(length)\(digits)") == octets)
    }

    @Test("identifiers with different octets are not equal, even if they share a prefix")
    func unequal() {
        let identifiers = ["2a", "2a00", "2a0000", "2a01", "2a8100", "2a81", "", "00"].map { digits in
            let octets = hex(digits)
            return ObjectIdentifier(octets.span, in: 0..<octets.count)
        }
        for (index, one) in identifiers.enumerated() {
            for other in identifiers[(index + 1)...] { #expect(one != other) }
        }
        #expect(Set(identifiers).count == identifiers.count)
    }

    @Test("accepts sixteen octets, and returns nil for seventeen")
    func size() {
        let octets = [UInt8](1...17)
        let sixteen = ObjectIdentifier(octets.span, in: 0..<16)
        let last = ObjectIdentifier(octets.span, in: 1..<17)
        let seventeen = ObjectIdentifier(octets.span, in: 0..<17)
        #expect(sixteen?.octets == [UInt8](1...16))
        #expect(last?.octets == [UInt8](2...17))
        #expect(seventeen == nil)
    }

    @Test("accepts a constant of sixteen octets; a longer constant ends the program")
    func longConstant() async {
        #expect(ObjectIdentifier(1, 2, .max, .max, 16_384).octets.count == 14)
        #expect(ObjectIdentifier(1, 2, .max, .max, 268_435_456).octets.count == 16)
        // Exit tests need a system on which tests can start processes.
        #if os(Linux) || os(macOS)
            await #expect(processExitsWith: .failure) { _ = ObjectIdentifier(1, 2, 1, .max, .max, .max) }
        #endif
    }

    @Test(
        "refuses a subidentifier that is padded or cut short",
        arguments: [
            ("0600", Refusal.Code.invalidObjectIdentifier, 2),
            ("060180", .invalidObjectIdentifier, 2),
            ("060181", .invalidObjectIdentifier, 2),
            ("06028001", .invalidObjectIdentifier, 2),
            ("06032a8001", .invalidObjectIdentifier, 3),
            ("06042a810080", .invalidObjectIdentifier, 5),
            ("06052a81008001", .invalidObjectIdentifier, 5),
            ("06032a0383", .invalidObjectIdentifier, 2),
            ("06062affffffffff", .invalidObjectIdentifier, 2),
            ("06032a03", .truncated, 4),
            ("26012a", .unexpectedTag, 0),
            ("0d012a", .unexpectedTag, 0),
            ("06012a00", .trailingBytes, 3),
        ]
    )
    func refused(_ digits: String, _ code: Refusal.Code, _ offset: Int) {
        refuses(code, at: offset) { () throws(Refusal) in try Self.contents(digits) }
    }

    @Test("accepts an octet 80 inside a subidentifier, which is not padding")
    func inner() throws {
        #expect(try Self.contents("06052a81808000") == hex("2a81808000"))
        #expect(try Self.contents("06045502c000") == hex("5502c000"))
    }

    @Test(
        "writes an arc of 64 bits in dotted form, and returns nil for a longer arc",
        arguments: [
            ("2a81ffffffffffffffff7f", "1.2.18446744073709551615"),
            ("81ffffffffffffffff7f", "2.18446744073709551535"),
            ("2a82808080808080808000", nil),
            ("2a82808080808080808001", nil),
            ("2affffffffffffffffffff7f", nil),
            ("2a81", nil),
            ("", nil),
        ] as [(String, String?)]
    )
    func dotted(_ digits: String, _ dotted: String?) {
        let octets = hex(digits)
        let text = ObjectIdentifier.dotted(octets.span, in: 0..<octets.count)
        #expect(text == dotted)
        // An identifier without a dotted form is described as a question mark.
        if let identifier = ObjectIdentifier(octets.span, in: 0..<octets.count) {
            #expect(identifier.description == dotted ?? "?")
        }
    }
}
