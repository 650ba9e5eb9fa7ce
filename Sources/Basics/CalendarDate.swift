/// A date of the Gregorian calendar, in any year, and a time of day in milliseconds, in UTC.
package struct CalendarDate: Sendable, Hashable {
    /// The year: 0 is the year before 1, and earlier years are negative.
    package let year: Int64
    /// The month of the year: 1 for January to 12.
    package let month: Int64
    /// The day of the month: 1 to 31.
    package let day: Int64
    /// The time of day: the milliseconds since midnight UTC, 0 to 86,399,999.
    package let millisecondOfDay: Int64
    /// The number of days from 1970-01-01, a Thursday, to this date; negative for earlier dates.
    package let daysSince1970: Int64

    /// The day of the week: 0 for Sunday to 6 for Saturday.
    package var dayOfWeek: Int64 { Self.floorDivide(daysSince1970 + 4, 7).remainder }

    /// Creates the date and the time of day, in UTC, of a point in time.
    ///
    /// An era is 400 years with 146,097 days. The years of this calculation begin in March, so that the leap
    /// day is the last day of its year. Within an era, the steps follow C. Neri and L. Schneider,
    /// "Euclidean affine functions and their application to calendar algorithms" (2023), figure 12: a
    /// division by the length of a year or a month is a multiplication and a shift.
    @inline(__always)
    init(_ time: Timestamp) {
        let (days, inDay) = Self.floorDivide(time.millisecondsSince1970, 86_400_000)
        let (era, dayOfEra) = Self.floorDivide(days + 719_468, 146_097)
        // Below 4 · 146,097, so the product below is less than 2^41.
        let quarters = 4 * UInt32(truncatingIfNeeded: dayOfEra) + 3
        let century = quarters / 146_097
        let inCentury = quarters % 146_097 | 3
        let product = UInt64(2_939_745) * UInt64(inCentury)
        let yearOfCentury = UInt32(truncatingIfNeeded: product >> 32)
        let dayOfYear = UInt32(truncatingIfNeeded: product) / (4 * 2_939_745)
        let monthAndDay = 2141 * dayOfYear + 197_913
        // January and February are the months 13 and 14 of the year before.
        let isNextYear = dayOfYear >= 306
        daysSince1970 = days
        millisecondOfDay = inDay
        day = Int64((monthAndDay & 0xFFFF) / 2141) + 1
        month = Int64(monthAndDay >> 16) - (isNextYear ? 12 : 0)
        year = era * 400 + Int64(100 * century + yearOfCentury) + (isNextYear ? 1 : 0)
    }

    /// The quotient rounded down, and the remainder, which is not negative. The divisor must be positive.
    ///
    /// Inlined with a constant divisor, so that the compiler replaces the division by a multiplication.
    @inline(__always)
    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Timestamp {
    /// The Gregorian date and the time of day, in UTC, of this point in time.
    package var calendarDate: CalendarDate { CalendarDate(self) }
}
