import Basics

/// The byte offsets of the digits in the three members of a date in an answer: in UTC, in milliseconds since
/// 1970, and on the wall clock of Los Angeles. The members are written with zeros, which digits then replace,
/// and without the line breaks shown here.
///
/// ```
/// "NAME":"0000-00-00 00:00:00 Etc/GMT",
/// "NAME_ms":"0000000000000",
/// "NAME_pst":"0000-00-00 00:00:00 America/Los_Angeles",
/// ```
private struct DateTriplet {
    /// The length of NAME, the name of the first member, in bytes.
    let name: Int

    /// The byte offset of the first digit of the date in UTC, from the start of the three members.
    var utc: Int { name + 4 }
    /// The byte offset of the first digit of the milliseconds, from the start of the three members.
    var milliseconds: Int { 2 * name + 40 }
    /// The byte offset of the first digit of the date in Los Angeles, from the start of the three members.
    var losAngeles: Int { 3 * name + 63 }
}

extension AnswerText {
    /// Writes the three members `name`, `name_ms` and `name_pst` of a date, or nothing for nil.
    mutating func member(date name: StaticString, _ time: Timestamp?) {
        guard let time else { return }
        let start = bytes.count
        triplet(name)
        put(time, name, over: start)
    }

    /// Writes the three members `name`, `name_ms` and `name_pst` of a date after another member, but not the
    /// closing quote and the comma of the third.
    ///
    /// - Parameter zeros: the closing quote of the member before, a comma, and the text that ``triplet(_:)``
    ///   writes for the name, without its last two bytes.
    mutating func member(date name: StaticString, _ time: Timestamp, zeros: Span<UInt8>) {
        let start = bytes.count
        bytes.append(copying: zeros)
        if !put(time, name, over: start + 2) { bytes.removeLast(2) }
    }

    /// Writes the three members `name`, `name_ms` and `name_pst` of a date, with zeros for all digits.
    mutating func triplet(_ name: StaticString) {
        beginMember(name, "\":\"0000-00-00 00:00:00 Etc/GMT\",")
        beginMember(name, "_ms\":\"0000000000000\",")
        beginMember(name, "_pst\":\"0000-00-00 00:00:00 America/Los_Angeles\",")
    }

    /// Puts the digits of a date over the zeros of its three members: all bytes from the offset `start` on.
    ///
    /// The date strings have no fraction of the second; it is cut off. The milliseconds keep it. If the
    /// milliseconds are negative or do not have 13 digits, the three members are removed and written anew,
    /// with a closing quote and a comma.
    ///
    /// - Returns: whether the milliseconds are positive and have 13 digits.
    @discardableResult
    private mutating func put(_ time: Timestamp, _ name: StaticString, over start: Int) -> Bool {
        // Milliseconds of 13 digits: from 2001-09-09 to 2286-11-20.
        guard (1_000_000_000_000..<10_000_000_000_000).contains(time.millisecondsSince1970) else {
            bytes.removeLast(bytes.count - start)
            unusualMember(name, time)
            return false
        }
        let triplet = DateTriplet(name: name.utf8CodeUnitCount)
        let utc = time.calendarDate
        let behind = UInt64(bitPattern: LosAngeles.hoursBehindUTC(at: utc))
        var text = bytes.borrowedMutableSpan
        let second = UInt64(bitPattern: utc.millisecondOfDay) / 1000
        let hour = second / 3600
        Self.put(utc, utc.day, hour, second, &text, at: start + triplet.utc)
        let milliseconds = UInt64(bitPattern: time.millisecondsSince1970)
        // The first eight digits of 13 and the last eight have three in common.
        text.put(EightDigits(milliseconds / 100_000).text, at: start + triplet.milliseconds)
        text.put(EightDigits(milliseconds % 100_000_000).text, at: start + triplet.milliseconds + 5)
        // Minutes and seconds are the same in Los Angeles. The month differs on its first day only.
        var (there, day, hourThere) = (utc, utc.day, hour + 24 - behind)
        if hourThere >= 24 {
            hourThere -= 24
        } else if day > 1 {
            day -= 1
        } else {
            there = (time - .hours(Int64(behind))).calendarDate
            day = there.day
        }
        Self.put(there, day, hourThere, second, &text, at: start + triplet.losAngeles)
        return true
    }

    /// Puts the digits of a date over the zeros of `0000-00-00 00:00:00`. The year has four digits.
    ///
    /// - Parameters:
    ///   - date: the date with the year and the month.
    ///   - day: the day of the month.
    ///   - hour: the hour of the day, 0 to 23.
    ///   - second: the seconds since any full hour. Only the minute and the second are taken from it.
    ///   - offset: the offset of the first digit.
    @inline(__always)
    @_lifetime(text: copy text)
    private static func put(
        _ date: CalendarDate,
        _ day: Int64,
        _ hour: UInt64,
        _ second: UInt64,
        _ text: inout MutableSpan<UInt8>,
        at offset: Int
    ) {
        let (year, month) = (UInt64(bitPattern: date.year), UInt64(bitPattern: date.month))
        let day = EightDigits(
            pairs: year / 100 | (year % 100) << 16 | month << 32 | UInt64(bitPattern: day) << 48
        ).text
        text.put(UInt32(truncatingIfNeeded: day), at: offset)
        text.put(UInt16(truncatingIfNeeded: day >> 32), at: offset + 5)
        text.put(UInt16(truncatingIfNeeded: day >> 48), at: offset + 8)
        let clock = EightDigits(pairs: hour | (second / 60 % 60) << 16 | (second % 60) << 32).text
        text.put(UInt16(truncatingIfNeeded: clock), at: offset + 11)
        text.put(UInt16(truncatingIfNeeded: clock >> 16), at: offset + 14)
        text.put(UInt16(truncatingIfNeeded: clock >> 32), at: offset + 17)
    }

    /// Writes the three members of a date whose milliseconds since 1970 are negative or do not have 13
    /// digits.
    @inline(never)
    private mutating func unusualMember(_ name: StaticString, _ time: Timestamp) {
        let utc = time.calendarDate
        let behind = TimeSpan.hours(LosAngeles.hoursBehindUTC(at: utc))
        beginMember(name, "\":\"")
        write(utc)
        key(" Etc/GMT\",")
        beginMember(name, "_ms\":\"")
        digits(time.millisecondsSince1970)
        key("\",")
        beginMember(name, "_pst\":\"")
        write((time - behind).calendarDate)
        key(" America/Los_Angeles\",")
    }

    private mutating func write(_ date: CalendarDate) {
        let second = date.millisecondOfDay / 1000
        digits(date.year, atLeast: 4)
        for (separator, number) in [
            ("-", date.month), ("-", date.day), (" ", second / 3600), (":", second / 60 % 60),
            (":", second % 60),
        ] as [(Unicode.Scalar, Int64)] {
            bytes.append(UInt8(ascii: separator))
            digits(number, atLeast: 2)
        }
    }
}
