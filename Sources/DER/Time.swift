import Basics

/// Reading UTCTime and GeneralizedTime in the one form that DER allows (X.690 §11.7, §11.8).
extension Reader {
    /// Reads a UTCTime: `YYMMDDhhmmssZ` (X.690 §11.8).
    ///
    /// Years 50 to 99 are 1950 to 1999, and years 00 to 49 are 2000 to 2049 (RFC 5280 §4.1.2.5.1).
    ///
    /// - Throws: `.invalidTime` for another form, for a time that does not exist and for a leap second, and
    ///   the refusals of ``read(_:_:)``.
    @_lifetime(self: copy self)
    public mutating func readUTCTime(_ reading: StaticString) throws(Refusal) -> Timestamp {
        let contents = try read(.utcTime, reading)
        guard contents.count == 13, let year = digits(2, at: contents.lowerBound),
            let time = timestamp(year: year + (year < 50 ? 2000 : 1900), at: contents.lowerBound + 2),
            bytes[contents.upperBound - 1] == UInt8(ascii: "Z")
        else { throw Refusal(.invalidTime, at: contents.lowerBound, reading: reading) }
        return time
    }

    /// Reads a GeneralizedTime: `YYYYMMDDhhmmss[.f…]Z` (X.690 §11.7).
    ///
    /// A fraction must not end in zero (§11.7.3). Digits after the third are dropped.
    ///
    /// - Throws: `.invalidTime` for another form, for a time that does not exist and for a leap second, and
    ///   the refusals of ``read(_:_:)``.
    @_lifetime(self: copy self)
    public mutating func readGeneralizedTime(_ reading: StaticString) throws(Refusal) -> Timestamp {
        let contents = try read(.generalizedTime, reading)
        guard contents.count >= 15, let year = digits(4, at: contents.lowerBound),
            let time = timestamp(year: year, at: contents.lowerBound + 4),
            bytes[contents.upperBound - 1] == UInt8(ascii: "Z"),
            let milliseconds = fraction(in: (contents.lowerBound + 14)..<(contents.upperBound - 1))
        else { throw Refusal(.invalidTime, at: contents.lowerBound, reading: reading) }
        return Timestamp(millisecondsSince1970: time.millisecondsSince1970 + Int64(milliseconds))
    }

    /// Reads `MMDDhhmmss` of a year, in UTC, at an offset in the buffer. Nil if this is not a time that
    /// exists, or is a leap second. Precondition: ten octets follow from the offset on.
    private func timestamp(year: Int, at offset: Int) -> Timestamp? {
        guard let month = digits(2, at: offset), let day = digits(2, at: offset + 2),
            let hour = digits(2, at: offset + 4), let minute = digits(2, at: offset + 6),
            let second = digits(2, at: offset + 8)
        else { return nil }
        return Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// Milliseconds of `.f…`, cut after three digits. 0 for an empty range; nil for other text or a last 0.
    private func fraction(in range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return 0 }
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "."),
            bytes[range.upperBound - 1] != UInt8(ascii: "0")
        else { return nil }
        var milliseconds = 0
        var weight = 100
        for index in (range.lowerBound + 1)..<range.upperBound {
            guard let digit = digits(1, at: index) else { return nil }
            milliseconds += digit * weight
            weight /= 10
        }
        return milliseconds
    }

    /// The number in `count` decimal digits at a buffer offset. Nil if one of the octets is not a digit.
    private func digits(_ count: Int, at offset: Int) -> Int? {
        var value = 0
        for index in offset..<(offset + count) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else { return nil }
            value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        }
        return value
    }
}
