import Basics
import DER
import TestSupport
import Testing

@Suite("DER reader (X.690 §8.1, §10)")
struct ReaderTests {
    @Test(
        "reads the tag and the range of the contents from a header",
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
        "accepts an element whose contents are whole elements, at every level",
        arguments: [
            "0500", "3000", "0403ffffff", "8003ffffff", "3006 3004 0402ffff", "a006 0500 8102 ffff",
            "3004a0023100", "3007 010103 02020001",
        ]
    )
    func wellFormed(_ digits: String) throws {
        let input = hex(digits)
        var reader = Reader(input.span)
        #expect(try reader.readWellFormedElement("element").range == 0..<input.count)
    }

    @Test(
        "refuses an element that contains anything but whole elements, at its place",
        arguments: [
            ("3003ffffff", Refusal.Code.truncated, 5), ("300104", .truncated, 3),
            ("3003040561", .truncated, 5), ("3005 3003 040561", .truncated, 7),
            ("3004 0500 0000", .invalidEndOfContents, 4), ("3004 30800000", .indefiniteLength, 3),
            ("a004 04810100", .nonMinimalLength, 3), ("3002 2400", .unexpectedTag, 2),
            ("bf1f04 3002 1000", .unexpectedTag, 5), ("3004 0500 3001", .truncated, 6),
        ]
    )
    func illFormed(_ digits: String, _ code: Refusal.Code, _ offset: Int) throws {
        let input = hex(digits)
        refuses(code, at: offset) { () throws(Refusal) in
            var reader = Reader(input.span)
            return try reader.readWellFormedElement("element")
        }
    }

    @Test("bounds the levels and the elements of an element of unknown shape")
    func bounds() throws {
        // Each SEQUENCE contains the next one.
        var input: [UInt8] = [0x30, 0x00]
        for _ in 1..<5 { input = [0x30, UInt8(input.count)] + input }
        for (depth, limit, code, offset) in [
            (5, 4, nil, 0), (4, 4, .tooDeep, 8), (0, 4, .tooDeep, 0), (5, 3, .tooManyElements, 8),
            (5, Int.min, .tooManyElements, 2),
        ] as [(Int, Int, Refusal.Code?, Int)] {
            func read() throws(Refusal) {
                var reader = Reader(input.span, depth: depth)
                _ = try reader.readWellFormedElement("element", limit: limit)
            }
            if let code { refuses(code, at: offset) { () throws(Refusal) in try read() } } else { try read() }
        }
    }

    @Test(
        "refuses a header that is not DER at its place",
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
            ("1fffffffffffffffffffff7f00", .tagNumberTooLarge, 0),
            ("9f0000", .nonMinimalTag, 0),
            ("00", .invalidEndOfContents, 0),
            ("0000", .invalidEndOfContents, 0),
            ("2000", .invalidEndOfContents, 0),
            ("000100", .invalidEndOfContents, 0),
            ("0480", .indefiniteLength, 1),
            ("04820080" + String(repeating: "00", count: 128), .nonMinimalLength, 1),
            ("048180" + String(repeating: "00", count: 127), .truncated, 130),
            ("0483010000", .truncated, 5),
            ("0484010000000000", .truncated, 8),
            ("04ff" + String(repeating: "01", count: 127), .lengthTooLarge, 1),
        ]
    )
    func refused(_ digits: String, _ code: Refusal.Code, _ offset: Int) {
        let input = hex(digits)
        refuses(code, at: offset) { () throws(Refusal) in
            var reader = Reader(input.span)
            _ = try reader.readElement("element")
        }
    }

    @Test("refuses another tag than the required one, and skips an absent optional element")
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

    @Test("a nested reader ends with its element and refuses trailing bytes")
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

    @Test("reads nested elements up to the limit on depth, and refuses one more level")
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

    @Test("accepts a range inside the buffer; a range outside of the buffer ends the program")
    func rangeOutsideBuffer() async {
        let input = hex("020105")
        for range in [0..<3, 1..<3, 3..<3, 0..<0] {
            let reader = Reader(input.span, in: range)
            let bounds = reader.offset..<reader.end
            #expect(bounds == range)
        }
        // Exit tests need a system on which tests can start processes.
        #if os(Linux) || os(macOS)
            await #expect(processExitsWith: .failure) { _ = Reader(hex("020105").span, in: 1..<4).offset }
            await #expect(processExitsWith: .failure) { _ = Reader(hex("020105").span, in: 4..<4).offset }
            await #expect(processExitsWith: .failure) { _ = Reader(hex("020105").span, in: -1..<2).offset }
        #endif
    }

    @Test("reads a required tag that has a long length or many octets")
    func asked() throws {
        let input = hex("0481800000") + [UInt8](repeating: 0, count: 126) + hex("9f820003020105")
        var reader = Reader(input.span)
        let long = try reader.read(.octetString, "long")
        let isHigh = reader.isNext(.primitive(256))
        let high = try reader.readIfNext(.primitive(256), "high")
        try reader.finish("input")
        #expect(long == 3..<131 && isHigh && high == 135..<138)
    }

    @Test(
        "refuses an element with the required tag whose header is malformed",
        arguments: [
            ("", DER.Tag.integer, Refusal.Code.truncated, 0),
            ("02", .integer, .truncated, 1),
            ("0201", .integer, .truncated, 2),
            ("02ff", .integer, .truncated, 2),
            ("0280", .integer, .indefiniteLength, 1),
            ("028100", .integer, .nonMinimalLength, 1),
            ("1f801f00", .integer, .unexpectedTag, 0),
            ("0000", .integer, .unexpectedTag, 0),
            ("2201", .integer, .unexpectedTag, 0),
            ("9f2000", .primitive(31), .unexpectedTag, 0),
            ("bf1f00", .primitive(31), .unexpectedTag, 0),
            ("9f801f00", .primitive(31), .nonMinimalTag, 0),
            ("9f1f01", .primitive(31), .truncated, 3),
            ("9f1f", .primitive(31), .truncated, 2),
            ("9f", .primitive(31), .truncated, 1),
            ("", .primitive(31), .truncated, 0),
        ]
    )
    func askedRefused(_ digits: String, _ tag: DER.Tag, _ code: Refusal.Code, _ offset: Int) {
        let input = hex(digits)
        refuses(code, at: offset) { () throws(Refusal) in
            var reader = Reader(input.span)
            _ = try reader.read(tag, "element")
        }
        // Offsets include the bytes before the reader's range. The reader does not see the bytes after its
        // end.
        let around = hex("3000") + input + hex("00000000")
        refuses(code, at: offset + 2) { () throws(Refusal) in
            var reader = Reader(around.span, in: 2..<(2 + input.count))
            _ = try reader.read(tag, "element")
        }
    }

    @Test("looking at the next tag never throws and never moves the reader")
    func lookAhead() {
        for digits in ["", "1f", "1f801f", "1f9080808000", "00", "9f"] {
            let input = hex(digits)
            let reader = Reader(input.span)
            let isNext = reader.isNext(.primitive(31)) || reader.isNext(.integer)
            let offset = reader.offset
            #expect(!isNext && offset == 0)
        }
    }

    @Test("a universal type must have the one form that DER allows", arguments: UInt8(1)...30)
    func forms(_ number: UInt8) throws {
        // EXTERNAL, EMBEDDED PDV, SEQUENCE, SET and CHARACTER STRING are constructed.
        let right: UInt8 = [8, 11, 16, 17, 29].contains(number) ? 0x20 : 0
        let (allowed, forbidden) = ([number | right, 0x00], [number | (right ^ 0x20), 0x00])
        var reader = Reader(allowed.span)
        let element = try reader.readElement("element")
        #expect(element.tag.number == UInt32(number))
        refuses(.unexpectedTag, at: 0) { () throws(Refusal) in
            var reader = Reader(forbidden.span)
            _ = try reader.readElement("element")
        }
        for tagClass: UInt8 in [0x40, 0x60, 0x80, 0xA0, 0xC0, 0xE0] {
            let other = [tagClass | number, 0x00]
            var reader = Reader(other.span)
            _ = try reader.readElement("element")
        }
    }
}
