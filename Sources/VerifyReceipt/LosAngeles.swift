import Basics

/// The wall clock of the time zone America/Los_Angeles, in which Apple's answers repeat every date.
///
/// Since 2007 daylight saving time begins on the second Sunday of March at 2:00 standard time, and ends on
/// the first Sunday of November at 2:00 daylight saving time (Energy Policy Act of 2005, section 110). The
/// App Store opened in 2008. The rule is applied to earlier years as well, when the true changes were on
/// other days: a time of those years can be off by an hour.
enum LosAngeles {
    /// The hours that the wall clock is behind UTC at a date in UTC: 7 in daylight saving time, otherwise 8.
    static func hoursBehindUTC(at date: CalendarDate) -> Int64 { isDaylightSaving(at: date) ? 7 : 8 }

    private static func isDaylightSaving(at date: CalendarDate) -> Bool {
        switch date.month {
        case 4...10: return true
        case 3:
            // 2:00 standard time is 10:00 UTC.
            return isPast(sunday: 2, hour: 10, date)
        case 11:
            // 2:00 daylight saving time is 9:00 UTC.
            return !isPast(sunday: 1, hour: 9, date)
        default: return false
        }
    }

    /// Whether `date`, in UTC, is at or after the given hour of the given Sunday of its month.
    ///
    /// - Parameters:
    ///   - number: 1 for the first Sunday of the month.
    ///   - hour: the hour of that day, in UTC.
    private static func isPast(sunday number: Int64, hour: Int64, _ date: CalendarDate) -> Bool {
        // The day of the month of the latest Sunday, today included; at most 0 before the first one.
        let latest = date.day - date.dayOfWeek
        let sunday = (latest + 34) % 7 + 1 + 7 * (number - 1)
        return date.day > sunday || date.day == sunday && date.millisecondOfDay >= hour * 3_600_000
    }
}
