import DER

extension Timestamp {
    /// A date as receipts write it (RFC 3339 §5.6), and as Xcode does: `2023-02-22T14:30:15Z`, with a fraction
    /// of a second, with an offset `+03:00`, or one without its colon, `+0300`.
    ///
    /// Digits of the fraction beyond milliseconds are dropped. Nil where the bytes are anything else.
    ///
    /// - Parameter range: inside `bytes`.
    public init?(rfc3339 bytes: Span<UInt8>, in range: Range<Int>) {
        var text = Scanner(bytes: bytes, offset: range.lowerBound, end: range.upperBound)
        guard let year = text.number(4), text.skip("-"), let month = text.number(2), text.skip("-"),
            let day = text.number(2), text.skip("T"), let hour = text.number(2), text.skip(":"),
            let minute = text.number(2), text.skip(":"), let second = text.number(2)
        else { return nil }
        var millisecond = 0
        if text.skip(".") {
            guard let first = text.number(1) else { return nil }
            millisecond = first * 100
            var weight = 10
            while let digit = text.number(1) {
                millisecond += digit * weight
                weight /= 10
            }
        }
        guard
            let local = Timestamp(
                year: year,
                month: month,
                day: day,
                hour: hour,
                minute: minute,
                second: second,
                millisecond: millisecond
            ),
            let offset = text.zone(), text.offset == text.end
        else { return nil }
        self.init(millisecondsSince1970: local.millisecondsSince1970 - Int64(offset) * 60_000)
    }

    /// A date that somebody typed, in the same forms.
    public init?(rfc3339 text: String) {
        let utf8 = [UInt8](text.utf8)
        self.init(rfc3339: utf8.span, in: 0..<utf8.count)
    }
}

private struct Scanner: ~Escapable {
    let bytes: Span<UInt8>
    var offset: Int
    let end: Int

    @_lifetime(copy bytes)
    init(bytes: Span<UInt8>, offset: Int, end: Int) {
        self.bytes = bytes
        self.offset = offset
        self.end = end
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard offset < end, bytes[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// The value of exactly so many digits.
    mutating func number(_ digits: Int) -> Int? {
        guard end - offset >= digits else { return nil }
        var value = 0
        for index in offset..<(offset + digits) {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        offset += digits
        return value
    }

    /// Minutes ahead of UTC.
    mutating func zone() -> Int? {
        if skip("Z") { return 0 }
        let isAhead = skip("+")
        guard isAhead || skip("-"), let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return (isAhead ? 1 : -1) * (hours * 60 + minutes)
    }
}
