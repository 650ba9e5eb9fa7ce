/// A date of the Gregorian calendar and a time of day, in UTC.
package struct CalendarDate: Sendable, Hashable {
    /// The year: 0 is the year before 1, and earlier years are negative.
    package let year: Int64
    /// 1 to 12.
    package let month: Int64
    /// 1 to 31.
    package let day: Int64
    /// 0 to 86,399,999.
    package let millisecondOfDay: Int64
    /// The days since 1970-01-01, which was a Thursday.
    package let daysSince1970: Int64

    /// The day of the week: 0 for Sunday to 6 for Saturday.
    package var dayOfWeek: Int64 { Self.floorDivide(daysSince1970 + 4, 7).remainder }

    /// The date of a time.
    ///
    /// The years of this calculation begin in March, so that the leap day is the last day of its year. An era
    /// is 400 years with 146,097 days.
    init(_ time: Timestamp) {
        (daysSince1970, millisecondOfDay) = Self.floorDivide(time.millisecondsSince1970, 86_400_000)
        let (era, dayOfEra) = Self.floorDivide(daysSince1970 + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// The quotient rounded down, and the remainder, which is not negative.
    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Timestamp {
    /// The date and the time of day, in UTC.
    package var calendarDate: CalendarDate { CalendarDate(self) }
}
