import Bytes
import DER

extension Timestamp {
    /// Reads a date of RFC 3339 (§5.6), such as `2023-02-22T14:30:15Z`.
    ///
    /// The date may have a fraction of a second and an offset such as `+03:00`. Xcode omits the colon of the
    /// offset, so `+0300` is accepted as well. Digits of the fraction beyond milliseconds are dropped.
    /// Returns nil for other bytes, and for a date that its offset moves out of the years 0000 to 9999 (§1).
    ///
    /// - Precondition: the range lies inside `bytes`.
    public init?(rfc3339 bytes: Span<UInt8>, in range: Range<Int>) {
        if let usual = Self(usual: bytes.extracting(range)) {
            self = usual
        } else if let other = Self.read(bytes, in: range) {
            self = other
        } else {
            return nil
        }
    }

    /// Reads a date of any form that is accepted.
    @inline(never)
    private static func read(_ bytes: Span<UInt8>, in range: Range<Int>) -> Timestamp? {
        var text = DigitReader(bytes: bytes, offset: range.lowerBound, end: range.upperBound)
        let year = text.number(4)
        text.expect("-")
        let month = text.number(2)
        text.expect("-")
        let day = text.number(2)
        text.expect("T")
        let hour = text.number(2)
        text.expect(":")
        let minute = text.number(2)
        text.expect(":")
        let second = text.number(2)
        let millisecond = text.fraction()
        let minutesAhead = text.zone()
        guard text.isWellFormed, text.offset == text.end,
            let local = Timestamp(
                year: year,
                month: month,
                day: day,
                hour: hour,
                minute: minute,
                second: second,
                millisecond: millisecond
            )
        else { return nil }
        let milliseconds = local.millisecondsSince1970 - Int64(minutesAhead) * 60_000
        guard years.contains(milliseconds) else { return nil }
        return Timestamp(millisecondsSince1970: milliseconds)
    }

    /// The milliseconds of the years 0000 to 9999. They begin 719,528 days before 1970 and end 2,932,897 days
    /// after its start.
    private static var years: Range<Int64> { (-719_528 * 86_400_000)..<(2_932_897 * 86_400_000) }

    /// Reads the form that nearly all dates have, `2023-02-22T14:30:15Z`. Returns nil for every other form.
    @inline(__always)
    init?(usual text: Span<UInt8>) {
        guard text.count == 20,
            // The patterns are `0000-00-` and `00T00:00`, written from the last character to the first.
            let date = DigitPairs(text.word(at: 0), 0x2D30_302D_3030_3030, 0xFF00_00FF_0000_0000),
            let time = DigitPairs(text.word(at: 8), 0x3030_3A30_3054_3030, 0x0000_FF00_00FF_0000),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "Z")
        else { return nil }
        let (tens, ones) = (text[17] &- UInt8(ascii: "0"), text[18] &- UInt8(ascii: "0"))
        guard tens < 10, ones < 10 else { return nil }
        self.init(
            year: date[0] * 100 + date[2],
            month: date[5],
            day: time[0],
            hour: time[3],
            minute: time[6],
            second: Int(tens * 10 + ones)
        )
    }

    /// Reads a date of RFC 3339 from a string, in the forms that the initialiser for bytes accepts.
    public init?(rfc3339 text: String) {
        let utf8 = [UInt8](utf8: text)
        self.init(rfc3339: utf8.borrowedSpan, in: 0..<utf8.count)
    }
}

/// The two-digit numbers in a text of eight characters, with digits and separators at known places.
///
/// The characters are read as one little-endian word.
private struct DigitPairs {
    /// Each byte holds ten times its own digit plus the next digit.
    private let pairs: UInt64

    /// Returns nil unless each character is a digit or the separator of its place.
    ///
    /// - Parameters:
    ///   - text: the eight characters.
    ///   - pattern: the character `0` at the places of digits, and the separators at their places.
    ///   - separators: FF in each byte of a separator, 00 in each byte of a digit.
    @inline(__always)
    init?(_ text: UInt64, _ pattern: UInt64, _ separators: UInt64) {
        let digits = text ^ pattern
        // The XOR turns digits into 0 to 9 and matching separators into 0. The addition sets the highest bit
        // of each byte above 9, or above 0 for a separator. A carry into the next byte needs a byte that had
        // its highest bit set before, which the OR finds.
        let room = 0x7676_7676_7676_7676 | 0x7F7F_7F7F_7F7F_7F7F & separators
        guard (digits | (digits &+ room)) & 0x8080_8080_8080_8080 == 0 else { return nil }
        pairs = digits &* 10 &+ digits >> 8
    }

    /// The number that begins at a place from 0 to 6: ten times the digit there plus the next digit. A
    /// separator counts as the digit zero.
    subscript(index: Int) -> Int { Int(truncatingIfNeeded: pairs >> UInt64(8 * index) & 0xFF) }
}

/// Reads the parts of a date one after the other. A wrong character clears `isWellFormed`, which the caller
/// checks once at the end.
private struct DigitReader: ~Escapable {
    let bytes: Span<UInt8>
    var offset: Int
    let end: Int
    var isWellFormed = true

    @_lifetime(copy bytes)
    init(bytes: Span<UInt8>, offset: Int, end: Int) {
        self.bytes = bytes
        self.offset = offset
        self.end = end
    }

    /// The next character. At the end it is zero, which no part of a date accepts.
    private mutating func next() -> UInt8 {
        guard offset < end else { return 0 }
        offset += 1
        return bytes[offset - 1]
    }

    /// Reads a character that must be there.
    @_lifetime(self: copy self)
    mutating func expect(_ character: Unicode.Scalar) {
        if next() != UInt8(ascii: character) { isWellFormed = false }
    }

    /// Reads a character if it is there. Returns whether it is.
    @_lifetime(self: copy self)
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard offset < end, bytes[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// The number that exactly `count` digits stand for. At most four.
    @_lifetime(self: copy self)
    mutating func number(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            let digit = next() &- UInt8(ascii: "0")
            if digit > 9 { isWellFormed = false }
            value = value * 10 + Int(digit)
        }
        return value
    }

    /// The milliseconds of the fraction of a second; zero if the date has no fraction.
    mutating func fraction() -> Int {
        guard skip(".") else { return 0 }
        var value = number(1) * 100
        var weight = 10
        while offset < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) {
            value += number(1) * weight
            weight /= 10
        }
        return value
    }

    /// The offset from UTC in minutes, positive east of Greenwich.
    mutating func zone() -> Int {
        if skip("Z") { return 0 }
        let isAhead = skip("+")
        if !isAhead { expect("-") }
        let hours = number(2)
        _ = skip(":")
        let minutes = number(2)
        if hours > 23 || minutes > 59 { isWellFormed = false }
        return (isAhead ? 1 : -1) * (hours * 60 + minutes)
    }
}
