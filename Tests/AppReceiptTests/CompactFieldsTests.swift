import DER
import Testing

@testable import AppReceipt

@Suite("Fields in eight bytes")
struct CompactFieldsTests {
    private struct Fields {
        @CompactRange var range: Range<Int>?
        @CompactNumber var number: Int64?
        @CompactTime var time: Timestamp?
    }

    @Test("return the value that was set, and nil before")
    func kept() {
        #expect(MemoryLayout<Fields>.size == 24)
        var fields = Fields()
        #expect(fields.range == nil && fields.number == nil && fields.time == nil)
        for range in [0..<0, 7..<7, 0..<1, 5..<9, 0..<Int(UInt32.max), Int(UInt32.max)..<Int(UInt32.max)] {
            fields.range = range
            #expect(fields.range == range)
        }
        for number in [0, 1, .max, -1, .min + 1] as [Int64] {
            fields.number = number
            fields.time = Timestamp(millisecondsSince1970: number)
            #expect(fields.number == number && fields.time?.millisecondsSince1970 == number)
        }
        (fields.range, fields.number, fields.time) = (nil, nil, nil)
        #expect(fields.range == nil && fields.number == nil && fields.time == nil)
    }
}
