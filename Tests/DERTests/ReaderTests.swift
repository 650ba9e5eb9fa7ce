import DER
import TestSupport
import Testing

@Suite("DER reader (X.690 §8.1, §10)")
struct ReaderTests {
    @Test(
        "an element's header gives its tag and where its contents lie",
        arguments: [
            ("020105", DER.Tag.integer, 2..<3),
            ("3000", .sequence, 2..<2),
            ("a003020105", .constructed(0), 2..<5),
            ("9f1f0100", DER.Tag(.contextSpecific, 31), 3..<4),
            ("5f8f7f00", DER.Tag(.application, 2047), 4..<4),
            ("df8fffffff7f00", DER.Tag(.private, 0xFFFF_FFFF), 7..<7),
            ("04818000" + String(repeating: "00", count: 127), .octetString, 3..<131),
        ]
    )
    func header(_ digits: String, _ tag: DER.Tag, _ contents: Range<Int>) throws {
        let input = hex(digits)
        var reader = Reader(input.span)
        let element = try reader.readElement("element")
        #expect(element.tag == tag && element.contents == contents && element.range == 0..<input.count)
        try reader.finish("element")
    }

    @Test(
        "what is not DER is refused, at its place",
        arguments: [
            ("", Refusal.Code.truncated, 0),
            ("02", .truncated, 1),
            ("0202", .truncated, 2),
            ("020205", .truncated, 3),
            ("0281", .truncated, 2),
            ("028201", .truncated, 3),
            ("308000", .indefiniteLength, 1),
            ("028001", .indefiniteLength, 1),
            ("02810105", .nonMinimalLength, 1),
            ("0282000105", .nonMinimalLength, 1),
            ("02817f05", .nonMinimalLength, 1),
            ("0285000000000105", .nonMinimalLength, 1),
            ("02850100000000", .lengthTooLarge, 1),
            ("0284ffffffff05", .truncated, 7),
            ("02847fffffff05", .truncated, 7),
            ("0288ffffffffffffffff", .lengthTooLarge, 1),
            ("02ff01", .truncated, 3),
            ("1f1e00", .nonMinimalTag, 0),
            ("1f801f00", .nonMinimalTag, 0),
            ("1f", .truncated, 1),
            ("1fff", .truncated, 2),
            ("1f9080808000", .tagNumberTooLarge, 0),
        ]
    )
    func refused(_ digits: String, _ code: Refusal.Code, _ offset: Int) {
        let input = hex(digits)
        refuses(code, at: offset) { () throws(Refusal) in
            var reader = Reader(input.span)
            _ = try reader.readElement("element")
        }
    }

    @Test("another tag than the one asked for is refused, and left where it is when only asked about")
    func tags() throws {
        let input = hex("0201059f1f0100")
        var reader = Reader(input.span)
        let (absent, isInteger, isHigh) = (
            try reader.readIfNext(.boolean, "x"), reader.isNext(.integer),
            reader.isNext(DER.Tag(.contextSpecific, 31))
        )
        #expect(absent == nil && isInteger && !isHigh)
        refuses(.unexpectedTag, at: 0) { () throws(Refusal) in
            var reader = Reader(input.span)
            _ = try reader.read(.boolean, "x")
        }
        refuses(.unexpectedTag, at: 0) { () throws(Refusal) in
            var reader = Reader(input.span)
            _ = try reader.read(DER.Tag(.contextSpecific, 31), "x")
        }
        let low = try reader.read(.integer, "x")
        let high = try reader.read(DER.Tag(.contextSpecific, 31), "x")
        #expect(low == 2..<3 && high == 6..<7)
        let isMore = reader.isNext(.integer)
        #expect(!isMore)
    }

    @Test("a nested reader ends where its element does, and says when something follows")
    func nesting() throws {
        let input = hex("3006020101020102")
        var reader = Reader(input.span)
        var sequence = try reader.nested(.sequence, "outer")
        try reader.finish("input")
        let first = try sequence.readInteger("first")
        refuses(.trailingBytes, at: 5) { () throws(Refusal) in
            var reader = Reader(input.span, in: 2..<8)
            _ = try reader.readInteger("first")
            try reader.finish("sequence")
        }
        let second = try sequence.readInteger("second")
        try sequence.finish("sequence")
        #expect(first == 1 && second == 2)
    }

    @Test("nesting to the limit is read, one level deeper is refused")
    func depth() throws {
        let input = hex("30063004300230003000")
        refuses(.tooDeep, at: 4) { () throws(Refusal) in
            var reader = Reader(input.span, depth: 2)
            var first = try reader.nested(.sequence, "1")
            var second = try first.nested(.sequence, "2")
            _ = try second.nested(.sequence, "3")
        }
        var reader = Reader(input.span, depth: 3)
        var first = try reader.nested(.sequence, "1")
        var second = try first.nested(.sequence, "2")
        _ = try second.nested(.sequence, "3")
    }

    @Test("a range beyond the buffer is cut to it")
    func clamped() {
        let input = hex("020105")
        let reader = Reader(input.span, in: 1..<900)
        let bounds = reader.offset..<reader.end
        #expect(bounds == 1..<3)
    }
}
