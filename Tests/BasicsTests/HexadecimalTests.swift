import Basics
import Testing

@Suite("Hexadecimal text")
struct HexadecimalTests {
    @Test("writes two digits for each byte in lower case")
    func writes() {
        let none = Hexadecimal.digits(of: Span())
        #expect(none == "")
        let bytes: [UInt8] = [0x00, 0x09, 0x0A, 0x7F, 0xAB, 0xFF]
        let digits = Hexadecimal.digits(of: bytes.borrowedSpan)
        #expect(digits == "00090a7fabff")
        var text = Array("x".utf8)
        Hexadecimal.append(bytes.borrowedSpan.extracting(last: 2), to: &text)
        #expect(text == Array("xabff".utf8))
    }

    @Test("every byte can be read back, in either case")
    func readsBack() {
        let bytes = (0...255).map { UInt8($0) }
        let digits = Hexadecimal.digits(of: bytes.borrowedSpan)
        #expect(Hexadecimal.bytes(of: digits.utf8) == bytes)
        #expect(Hexadecimal.bytes(of: digits.uppercased().utf8) == bytes)
    }

    @Test(
        "refuses other characters and an odd number of digits",
        arguments: ["0", "abc", "0g", "/0", "0:", "@0", "00 "]
    )
    func refuses(_ text: String) {
        #expect(Hexadecimal.bytes(of: text.utf8) == nil)
    }

    @Test("only the 22 ASCII digits have a value")
    func values() {
        let digits = (0...255).map { UInt8($0) }.filter { Hexadecimal.value(of: $0) != nil }
        #expect(digits == Array("0123456789ABCDEFabcdef".utf8))
        for value in 0..<16 as Range<UInt8> {
            #expect(Hexadecimal.value(of: Hexadecimal.digit(of: value)) == value)
        }
    }
}
