import Basics
import DER
import TestSupport
import Testing

@Suite("Comparing and copying borrowed bytes")
struct BytesTests {
    @Test("ranges hold equal bytes only if no byte differs, at any place")
    func holds() {
        let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for count in Array(0...80) + [127, 128, 129, 136, 190] {
            let copy = [0xEE] + bytes[3..<(3 + count)]
            let isSame = bytes.span.holds(3..<(3 + count), sameAs: copy.span, 1..<copy.count)
            let isLonger = bytes.span.holds(3..<(4 + count), sameAs: copy.span, 1..<copy.count)
            #expect(isSame && !isLonger)
            for index in 1..<copy.count {
                var other = copy
                other[index] ^= 0x80
                let isSame = bytes.span.holds(3..<(3 + count), sameAs: other.span, 1..<other.count)
                if isSame { Issue.record("a difference at \(index) of \(count) bytes is not found") }
            }
        }
    }

    @Test(
        "a SET OF is ordered by octets, the shorter encoding padded with zeros (X.690 §11.6)",
        arguments: [
            ("020101", "020102", true), ("020102", "020101", false), ("020101", "020101", true),
            ("020102", "02020001", true), ("0101ff", "020100", true), ("80", "7f", false), ("7f", "80", true),
            ("fe", "ff", true), ("0480", "04ff", true),
            ("", "00", true), ("00", "", true), ("", "01", true), ("01", "", false), ("0100", "01", true),
            ("0101", "01", false), ("01", "0101", true),
        ]
    )
    func ascending(_ first: String, _ second: String, _ isAscending: Bool) {
        let (one, other) = (hex(first), hex(second))
        let both = one + other
        let result = both.span.isAscending(0..<one.count, one.count..<both.count)
        #expect(result == isAscending)
    }

    @Test("a number is put with its least significant byte first, and no other byte changes")
    func put() {
        var bytes = [UInt8](repeating: 0xEE, count: 10)
        var span = bytes.borrowedMutableSpan
        span.put(0x0102_0304_0506_0708 as UInt64, at: 1)
        #expect(bytes == [0xEE, 8, 7, 6, 5, 4, 3, 2, 1, 0xEE])
        span = bytes.borrowedMutableSpan
        span.put(0xABCD as UInt16, at: 8)
        #expect(bytes == [0xEE, 8, 7, 6, 5, 4, 3, 2, 0xCD, 0xAB])
    }

    @Test("a copy holds exactly the bytes of the range")
    func copy() {
        let bytes: [UInt8] = [1, 2, 3, 4]
        for range in [1..<3, 4..<4, 0..<4, 0..<1] {
            let copy = Array(bytes.span, in: range)
            #expect(copy == Array(bytes[range]))
        }
    }

    @Test("reads the first byte of every 64 in the range, and no other byte")
    func touched() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 7) }
        for start in [0, 1, 63, 64, 500] {
            for end in [start, start + 1, start + 63, start + 64, start + 65, 999, 1000] where end >= start {
                let wanted = stride(from: start, to: end, by: 64).reduce(UInt8(0)) { $0 ^ bytes[$1] }
                #expect(bytes.borrowedSpan.touch(start..<end) == wanted, "\(start)..<\(end)")
            }
        }
    }

    @Test("finds the first matching byte anywhere in the range, and none outside of the range")
    func firstIndex() {
        for place in 0..<70 {
            for count in place..<71 { check(place, of: count) }
        }
        for place in [0, 31, 32, 255, 256, 257, 287, 288, 511, 512, 543, 600] {
            for count in [0, 1, 255, 256, 257, 288, 289, 512, 513, 544, 600, 601] where place <= count {
                check(place, of: count)
            }
        }
        func check(_ place: Int, of count: Int) {
            var bytes = [UInt8](repeating: 0xA0, count: count + 5)
            (bytes[1], bytes[2 + count]) = (0x20, 0x20)
            #expect(bytes.span.firstIndex(of: 0x20, in: 2..<(2 + count)) == nil)
            guard place < count else { return }
            bytes[2 + place] = 0x20
            bytes[1 + count] = 0x20
            #expect(bytes.span.firstIndex(of: 0x20, in: 2..<(2 + count)) == 2 + place)
        }
    }
}
