/// A point in time: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative for earlier times.
    public let millisecondsSince1970: Int64

    /// Creates a time from milliseconds since 1970-01-01T00:00:00Z, negative for earlier times.
    @inlinable
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Creates a time from a date of the Gregorian calendar and a time of day, in UTC.
    ///
    /// Nil unless the year is 0 to 9999 and the date and the time of day exist. Second 60 does not exist.
    @inlinable
    public init?(
        year: Int,
        month: Int,
        day: Int,
        hour: Int = 0,
        minute: Int = 0,
        second: Int = 0,
        millisecond: Int = 0
    ) {
        guard (0...9999).contains(year), (1...12).contains(month) else { return nil }
        guard day >= 1, day <= Self.days(inMonth: month, of: year) else { return nil }
        guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second),
            (0..<1000).contains(millisecond)
        else { return nil }
        let seconds = (Int64(hour) * 60 + Int64(minute)) * 60 + Int64(second)
        millisecondsSince1970 =
            (Self.daysSince1970(year, month, day) * 86_400 + seconds) * 1000 + Int64(millisecond)
    }

    /// Whether the first time is earlier than the second.
    @inlinable
    public static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.millisecondsSince1970 < other.millisecondsSince1970
    }

    /// The number of days in a month, 1 to 12, of a year of the Gregorian calendar.
    @inlinable
    static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The number of days from 1970-01-01 to a Gregorian date from year 0 on; negative for earlier dates.
    ///
    /// The years of this calculation begin in March, so that the leap day is the last day of its year and
    /// every five months from March on have 153 days. Days are counted from 400 years before year 0, which
    /// have 146,097 days, so that no intermediate number is negative.
    @inlinable @inline(__always)
    static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let isBeforeMarch = month <= 2
        let marchYear = UInt32(truncatingIfNeeded: year + 400 - (isBeforeMarch ? 1 : 0))
        let marchMonth = UInt32(truncatingIfNeeded: month + (isBeforeMarch ? 9 : -3))
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        let dayOfYear = (153 * marchMonth + 2) / 5 + UInt32(truncatingIfNeeded: day) - 1
        return Int64(marchYear * 365 + leapDays + dayOfYear) - (719_468 + 146_097)
    }
}

extension Timestamp: CustomStringConvertible {
    /// The time in RFC 3339 form and UTC, such as `2023-02-22T14:30:15Z`. Milliseconds that are not zero
    /// follow as three digits: `15.250Z`. Years below 0 have a minus sign, years above 9999 more than four
    /// digits.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(24)
        append(to: &text)
        return String(utf8: text.borrowedSpan)
    }

    /// Appends the time in RFC 3339 form and UTC, as in ``description``, to ASCII text.
    package func append(to text: inout [UInt8]) {
        let date = calendarDate
        let inDay = date.millisecondOfDay
        // Writes at least as many digits as the power of ten `leading` has, then the character `next`.
        func append(_ value: Int64, _ leading: UInt64, _ next: Unicode.Scalar?) {
            if value < 0 { text.append(UInt8(ascii: "-")) }
            var power = leading
            while value.magnitude / power >= 10 { power *= 10 }
            while power > 0 {
                text.append(UInt8(ascii: "0") + UInt8(value.magnitude / power % 10))
                power /= 10
            }
            if let next { text.append(UInt8(ascii: next)) }
        }
        append(date.year, 1000, "-")
        append(date.month, 10, "-")
        append(date.day, 10, "T")
        append(inDay / 3_600_000, 10, ":")
        append(inDay / 60_000 % 60, 10, ":")
        append(inDay / 1000 % 60, 10, inDay % 1000 == 0 ? "Z" : ".")
        if inDay % 1000 != 0 { append(inDay % 1000, 100, "Z") }
    }
}
