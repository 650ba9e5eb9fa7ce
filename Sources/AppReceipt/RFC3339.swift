import DER

extension Timestamp {
    /// A date as receipts write it (RFC 3339 §5.6), and as Xcode does: `2023-02-22T14:30:15Z`, with a
    /// fraction of a second, with an offset `+03:00`, or one without its colon, `+0300`.
    ///
    /// Digits of the fraction beyond milliseconds are dropped. Nil where the bytes are anything else.
    ///
    /// - Parameter range: inside `bytes`.
    public init?(rfc3339 bytes: Span<UInt8>, in range: Range<Int>) {
        // The shortest form, and the part that all forms begin with but for its last character.
        guard range.count >= 20 else { return nil }
        if range.count == 20, let usual = Self(usual: bytes.extracting(range)) {
            self = usual
            return
        }
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
        self.init(millisecondsSince1970: local.millisecondsSince1970 - Int64(minutesAhead) * 60_000)
    }

    /// `2023-02-22T14:30:15Z`, as nearly all are written. Nil for everything else.
    @inline(__always)
    private init?(usual text: Span<UInt8>) {
        guard text.count == 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            text[19] == UInt8(ascii: "Z")
        else { return nil }
        let (century, year) = (text.twoDigits(at: 0), text.twoDigits(at: 2))
        let (month, day) = (text.twoDigits(at: 5), text.twoDigits(at: 8))
        let (hour, minute, second) = (text.twoDigits(at: 11), text.twoDigits(at: 14), text.twoDigits(at: 17))
        guard century | year | month | day | hour | minute | second < 128 else { return nil }
        self.init(
            year: century * 100 + year,
            month: month,
            day: day,
            hour: hour,
            minute: minute,
            second: second
        )
    }

    /// A date that somebody typed, in the same forms.
    public init?(rfc3339 text: String) {
        let utf8 = [UInt8](text.utf8)
        self.init(rfc3339: utf8.span, in: 0..<utf8.count)
    }
}

extension Span<UInt8> {
    /// The value of two digits; 128 where they are none.
    @inline(__always)
    fileprivate func twoDigits(at index: Int) -> Int {
        let (tens, ones) = (self[index] &- UInt8(ascii: "0"), self[index + 1] &- UInt8(ascii: "0"))
        return tens <= 9 && ones <= 9 ? Int(tens) * 10 + Int(ones) : 128
    }
}

/// Reads the parts of a date, and remembers if one was not what it must be, so that there is one question to
/// ask at the end.
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

    /// The next character; zero at the end, which is none of those looked for.
    private mutating func next() -> UInt8 {
        guard offset < end else { return 0 }
        offset += 1
        return bytes[offset - 1]
    }

    mutating func expect(_ character: Unicode.Scalar) {
        if next() != UInt8(ascii: character) { isWellFormed = false }
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard offset < end, bytes[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// The value of exactly so many digits, at most four.
    mutating func number(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            let digit = next() &- UInt8(ascii: "0")
            if digit > 9 { isWellFormed = false }
            value = value * 10 + Int(digit)
        }
        return value
    }

    /// The milliseconds of a fraction of a second, where there is one.
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

    /// Minutes ahead of UTC.
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
