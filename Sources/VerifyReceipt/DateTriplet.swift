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
        let behind = LosAngeles.hoursBehindUTC(at: utc)
        let start = bytes.count
        bytes.append(utf8: triplet.text)
        var text = bytes.borrowedMutableSpan
        let second = UInt32(truncatingIfNeeded: utc.millisecondOfDay) / 1000
        let clock = (hour: second / 3600, minute: second / 60 % 60, second: second % 60)
        Self.put(utc, day: utc.day, clock, &text, at: start + triplet.utc)
        Self.put(milliseconds: time.millisecondsSince1970, &text, at: start + triplet.milliseconds)
        // Minutes and seconds are the same in Los Angeles.
        var there = clock
        there.hour = (clock.hour + 24 - UInt32(truncatingIfNeeded: behind)) % 24
        let offset = start + triplet.losAngeles
        if there.hour < clock.hour {
            Self.put(utc, day: utc.day, there, &text, at: offset)
        } else if utc.day > 1 {
            Self.put(utc, day: utc.day - 1, there, &text, at: offset)
        } else {
            let date = (time - .hours(behind)).calendarDate
            Self.put(date, day: date.day, there, &text, at: offset)
        }
    }

    /// Puts the digits of a date with a year of four digits over zeros.
    ///
    /// - Parameters:
    ///   - date: the date with the year and the month.
    ///   - day: the day of the month.
    ///   - offset: the offset of the 19 characters of the date.
    @inline(__always)
    @_lifetime(text: copy text)
    private static func put(
        _ date: CalendarDate,
        day: Int64,
        _ clock: (hour: UInt32, minute: UInt32, second: UInt32),
        _ text: inout MutableSpan<UInt8>,
        at offset: Int
    ) {
        let year = UInt32(truncatingIfNeeded: date.year)
        put(year / 100, &text, at: offset)
        put(year % 100, &text, at: offset + 2)
        put(UInt32(truncatingIfNeeded: date.month), &text, at: offset + 5)
        put(UInt32(truncatingIfNeeded: day), &text, at: offset + 8)
        put(clock.hour, &text, at: offset + 11)
        put(clock.minute, &text, at: offset + 14)
        put(clock.second, &text, at: offset + 17)
    }

    /// Puts 13 digits over zeros.
    @inline(__always)
    @_lifetime(text: copy text)
    private static func put(milliseconds: Int64, _ text: inout MutableSpan<UInt8>, at offset: Int) {
        // The number has 13 digits: one digit, and three times four.
        let number = UInt64(bitPattern: milliseconds)
        let upper = UInt32(truncatingIfNeeded: number / 100_000_000)
        let lower = UInt32(truncatingIfNeeded: number % 100_000_000)
        text[offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: upper / 10_000)
        put(upper % 10_000 / 100, &text, at: offset + 1)
        put(upper % 100, &text, at: offset + 3)
        put(lower / 1_000_000, &text, at: offset + 5)
        put(lower / 10_000 % 100, &text, at: offset + 7)
        put(lower / 100 % 100, &text, at: offset + 9)
        put(lower % 100, &text, at: offset + 11)
    }

    /// Puts two digits of a number below 100.
    @inline(__always)
    @_lifetime(text: copy text)
    private static func put(_ number: UInt32, _ text: inout MutableSpan<UInt8>, at offset: Int) {
        text[offset] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10)
        text[offset + 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10)
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
