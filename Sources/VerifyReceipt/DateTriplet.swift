import Bytes
import DER

/// The three members that an answer has for every date: in UTC, in milliseconds, and on the wall clock of
/// Los Angeles. Its text has zeros in place of the digits.
///
/// ```
/// "NAME":"0000-00-00 00:00:00 Etc/GMT",
/// "NAME_ms":"0000000000000",
/// "NAME_pst":"0000-00-00 00:00:00 America/Los_Angeles",
/// ```
struct DateTriplet {
    let text: StaticString
    /// The length of the name.
    private let name: Int

    /// - Parameters:
    ///   - text: the text above in one line, with its comma at the end.
    init(_ text: StaticString) {
        self.text = text
        // Three times the name, and 104 other characters.
        name = (text.utf8CodeUnitCount - 104) / 3
    }

    /// The offset of the date in UTC in the text.
    var utc: Int { name + 4 }
    /// The offset of the milliseconds in the text.
    var milliseconds: Int { 2 * name + 40 }
    /// The offset of the date in Los Angeles in the text.
    var losAngeles: Int { 3 * name + 63 }

    static var receiptCreationDate: Self {
        Self(
            """
            "receipt_creation_date":"0000-00-00 00:00:00 Etc/GMT",\
            "receipt_creation_date_ms":"0000000000000",\
            "receipt_creation_date_pst":"0000-00-00 00:00:00 America/Los_Angeles",
            """
        )
    }
    static var requestDate: Self {
        Self(
            """
            "request_date":"0000-00-00 00:00:00 Etc/GMT",\
            "request_date_ms":"0000000000000",\
            "request_date_pst":"0000-00-00 00:00:00 America/Los_Angeles",
            """
        )
    }
    static var originalPurchaseDate: Self {
        Self(
            """
            "original_purchase_date":"0000-00-00 00:00:00 Etc/GMT",\
            "original_purchase_date_ms":"0000000000000",\
            "original_purchase_date_pst":"0000-00-00 00:00:00 America/Los_Angeles",
            """
        )
    }
    static var preorderDate: Self {
        Self(
            """
            "preorder_date":"0000-00-00 00:00:00 Etc/GMT",\
            "preorder_date_ms":"0000000000000",\
            "preorder_date_pst":"0000-00-00 00:00:00 America/Los_Angeles",
            """
        )
    }
    static var expirationDate: Self {
        Self(
            """
            "expiration_date":"0000-00-00 00:00:00 Etc/GMT",\
            "expiration_date_ms":"0000000000000",\
            "expiration_date_pst":"0000-00-00 00:00:00 America/Los_Angeles",
            """
        )
    }
    static var purchaseDate: Self {
        Self(
            """
            "purchase_date":"0000-00-00 00:00:00 Etc/GMT",\
            "purchase_date_ms":"0000000000000",\
            "purchase_date_pst":"0000-00-00 00:00:00 America/Los_Angeles",
            """
        )
    }
    static var expiresDate: Self {
        Self(
            """
            "expires_date":"0000-00-00 00:00:00 Etc/GMT",\
            "expires_date_ms":"0000000000000",\
            "expires_date_pst":"0000-00-00 00:00:00 America/Los_Angeles",
            """
        )
    }
    static var cancellationDate: Self {
        Self(
            """
            "cancellation_date":"0000-00-00 00:00:00 Etc/GMT",\
            "cancellation_date_ms":"0000000000000",\
            "cancellation_date_pst":"0000-00-00 00:00:00 America/Los_Angeles",
            """
        )
    }
}

extension AnswerText {
    /// Writes the three members of a date, or nothing for nil.
    ///
    /// The date strings have no fraction of the second; it is cut off. The milliseconds keep it.
    mutating func member(_ triplet: DateTriplet, _ time: Timestamp?) {
        guard let time else { return }
        // Milliseconds of 13 digits: from 2001-09-09 to 2286-11-20.
        guard (1_000_000_000_000..<10_000_000_000_000).contains(time.millisecondsSince1970) else {
            return unusualMember(triplet, time)
        }
        let utc = time.calendarDate
        let behind = UInt64(bitPattern: LosAngeles.hoursBehindUTC(at: utc))
        let start = bytes.count
        bytes.append(utf8: triplet.text)
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
    }

    /// Puts the digits of a date over the zeros of `0000-00-00 00:00:00`. The year has four digits.
    ///
    /// - Parameters:
    ///   - date: the date with the year and the month.
    ///   - day: the day of the month.
    ///   - second: any number of seconds after a full hour.
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

    /// Writes a date whose milliseconds do not have 13 digits.
    @inline(never)
    private mutating func unusualMember(_ triplet: DateTriplet, _ time: Timestamp) {
        // Copies the text around the digits.
        let pattern = triplet.text.description.utf8.map { $0 }
        let utc = time.calendarDate
        let behind = TimeSpan.hours(LosAngeles.hoursBehindUTC(at: utc))
        bytes += pattern[..<triplet.utc]
        write(utc)
        bytes += pattern[(triplet.utc + 19)..<triplet.milliseconds]
        digits(time.millisecondsSince1970)
        bytes += pattern[(triplet.milliseconds + 13)..<triplet.losAngeles]
        write((time - behind).calendarDate)
        bytes += pattern[(triplet.losAngeles + 19)...]
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
