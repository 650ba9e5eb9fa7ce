import Basics
import DER
import TestSupport
import Testing

@Suite("BER headers (X.690 §8.1.2, §8.1.3)")
struct BERHeaderTests {
    private static func header(_ digits: String) throws(Refusal) -> BERHeader {
        let input = hex(digits)
        return try BERHeader(input.span, in: 0..<input.count)
    }

    @Test(
        "a header gives the tag, the start of the contents and their length before any bytes",
        arguments: [
            ("0201", DER.Tag.integer, 2, 1, true),
            ("3000", .sequence, 2, 0, true),
            ("027f", .integer, 2, 127, true),
            ("028180", .integer, 3, 128, true),
            ("02817f", .integer, 3, 127, false),
            ("02820080", .integer, 4, 128, false),
            ("0288 0000000000000001", .integer, 10, 1, false),
            ("0284ffffffff", .integer, 6, 4_294_967_295, true),
            ("bf8f7f00", .constructed(2047), 4, 0, true),
            ("0000", DER.Tag(.universal, 0), 2, 0, true),
            ("2000", DER.Tag(.universal, 0, constructed: true), 2, 0, true),
        ]
    )
    func definite(_ digits: String, _ tag: DER.Tag, _ contents: Int, _ length: Int, _ isMinimal: Bool) throws
    {
        let header = try Self.header(digits)
        #expect(header.tag == tag && header.start == 0 && header.contents == contents)
        #expect(header.length == length && header.end == contents + length)
        #expect(header.isMinimal == isMinimal)
    }

    @Test("an indefinite length has no end and is not minimal")
    func indefinite() throws {
        let input = hex("ff 3080 0000")
        let header = try BERHeader(input.span, in: 1..<5)
        #expect(header.tag == .sequence && header.start == 1 && header.contents == 3)
        #expect(header.end == nil && header.length == nil && !header.isMinimal)
    }

    @Test(
        "refuses a header that is cut short or has a reserved form, at its place",
        arguments: [
            ("", Refusal.Code.truncated, 0),
            ("30", .truncated, 1),
            ("3f", .truncated, 1),
            ("3081", .truncated, 2),
            ("308201", .truncated, 3),
            ("0280", .indefiniteLength, 1),
            ("0080", .indefiniteLength, 1),
            ("02850100000000", .lengthTooLarge, 1),
            ("02ff" + String(repeating: "00", count: 127), .lengthTooLarge, 1),
            ("1f1e00", .nonMinimalTag, 0),
            ("1f801f00", .nonMinimalTag, 0),
            ("1f9080808000", .tagNumberTooLarge, 0),
        ]
    )
    func refused(_ digits: String, _ code: Refusal.Code, _ offset: Int) {
        refuses(code, at: offset) { () throws(Refusal) in try Self.header(digits) }
    }
}
