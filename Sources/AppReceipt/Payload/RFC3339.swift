import Basics

extension Timestamp {
    /// Reads a date of RFC 3339 (§5.6), such as `2023-02-22T14:30:15Z`.
    ///
    /// The date may have a fraction of a second and an offset such as `+03:00`. Xcode omits the colon of the
    /// offset, so `+0300` is accepted as well. Digits of the fraction beyond milliseconds are dropped. `T`
    /// and `Z` must be capital letters, and a leap second is not accepted. Returns nil for other bytes, and
    /// for a date that its offset moves out of the years 0000 to 9999 (§1).
    ///
    /// - Precondition: the range lies inside `bytes`.
    package init?(rfc3339 bytes: Span<UInt8>, in range: Range<Int>) {
        if let usual = Self(usual: bytes.extracting(range)) {
            self = usual
        } else if let other = Self.read(bytes, in: range) {
            self = other
        } else {
            return nil
        }
    }

    /// Reads a date of any accepted form; nil for other bytes, and outside of the years 0000 to 9999.
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

    /// The times of the years 0000 to 9999 in milliseconds since 1970. They begin 719,528 days before 1970
    /// and end 2,932,897 days after its start.
    private static var years: Range<Int64> { (-719_528 * 86_400_000)..<(2_932_897 * 86_400_000) }

    /// Reads a date of RFC 3339 such as `2023-02-22T14:30:15Z`, or with Xcode's `+0300`.
    ///
    /// Returns nil for other text, for `t` or `z` in lower case, for a leap second, and for a date that its
    /// offset moves out of the years 0000 to 9999.
    public init?(rfc3339 text: String) {
        let utf8 = [UInt8](utf8: text)
        self.init(rfc3339: utf8.borrowedSpan, in: 0..<utf8.count)
    }
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

    /// Reads the next character. Returns NUL (0x00) at the end, which no part of a date accepts.
    private mutating func next() -> UInt8 {
        guard offset < end else { return 0 }
        offset += 1
        return bytes[offset - 1]
    }

    /// Reads one character. Clears `isWellFormed` if it is not `character`.
    @_lifetime(self: copy self)
    mutating func expect(_ character: Unicode.Scalar) {
        if next() != UInt8(ascii: character) { isWellFormed = false }
    }

    /// Reads a character if it comes next. Returns whether it does.
    @_lifetime(self: copy self)
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard offset < end, bytes[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// Reads `count` characters as a number. Clears `isWellFormed` if one of them is not a digit.
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

    /// Reads the fraction of a second. Returns it in milliseconds, and drops further digits; 0 if there is
    /// none.
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

    /// Reads `Z` or an offset up to 23:59. Returns it in minutes from UTC, positive east of Greenwich. Clears
    /// `isWellFormed` for anything else.
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
