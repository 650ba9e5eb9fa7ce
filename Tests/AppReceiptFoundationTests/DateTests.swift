import AppReceipt
import AppReceiptFoundation
import Foundation
import Testing

@Suite("Dates")
struct DateTests {
    @Test(
        "a time and its date are the same instant, to the millisecond, in every year that a receipt can name"
    )
    func roundTrips() {
        for milliseconds: Int64 in [
            0, 1, -1, 1_717_243_200_123, 253_402_300_799_999, -62_167_219_200_000, -62_167_219_199_999,
        ] {
            let time = Timestamp(millisecondsSince1970: milliseconds)
            #expect(Timestamp(Date(time)) == time)
        }
    }

    @Test("the date of a time is the date that Foundation's formatter reads")
    func formatter() throws {
        let text = "2024-06-01T12:00:00Z"
        let date = try #require(ISO8601DateFormatter().date(from: text))
        #expect(Timestamp(date).description == text)
        #expect(Date(Timestamp(date)) == date)
    }

    @Test("a date beyond the range becomes the nearest end of the range")
    func saturates() {
        #expect(Timestamp(Date(timeIntervalSince1970: 1e300)).millisecondsSince1970 == .max)
        #expect(Timestamp(Date(timeIntervalSince1970: .infinity)).millisecondsSince1970 == .max)
        #expect(Timestamp(Date(timeIntervalSince1970: -1e300)).millisecondsSince1970 == .min)
        #expect(Timestamp(Date(timeIntervalSince1970: -.infinity)).millisecondsSince1970 == .min)
    }

    @Test("the first date beyond the range becomes the latest time, and the first of the range stays")
    func boundary() {
        let date = Date(timeIntervalSince1970: 0x1p63 / 1000)
        #expect((date.timeIntervalSince1970 * 1000).rounded() == 0x1p63)
        #expect(Timestamp(date).millisecondsSince1970 == .max)
        #expect(Timestamp(Date(timeIntervalSince1970: -0x1p63 / 1000)).millisecondsSince1970 == .min)
    }

    @Test("a date that is not a number is later than every expiration date")
    func notANumber() {
        #expect(Timestamp(Date(timeIntervalSince1970: .nan)).millisecondsSince1970 == .max)
    }

    @Test("the present time lies between two readings of the system's clock")
    func now() {
        let before = Timestamp(Date())
        let now = Timestamp.now
        #expect(before <= now && now <= Timestamp(Date()))
    }

    @Test("a span has its length in seconds")
    func span() {
        #expect(TimeSpan.milliseconds(-1500).timeInterval == -1.5)
        #expect(TimeSpan.days(1).timeInterval == 86_400)
    }
}
