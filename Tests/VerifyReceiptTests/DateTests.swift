import AppReceipt
import AppReceiptMint
import Basics
import Foundation
import TestSupport
import Testing
import VerifyReceipt

@Suite("The three members of a date")
struct DateTests {
    /// The members of `original_purchase_date` for a time.
    private func triplet(_ milliseconds: Int64) throws -> [String] {
        let receipt = try answered {
            $0.originalPurchaseDate = Timestamp(millisecondsSince1970: milliseconds)
        }
        return try ["", "_ms", "_pst"].map {
            try #require(receipt["original_purchase_date\($0)"]?.string)
        }
    }

    @Test(
        "are UTC, milliseconds, and the wall clock of Los Angeles with its daylight saving time",
        arguments: [
            // In every answer of the sandbox.
            ("2013-08-01 07:00:00", 1_375_340_400_000, "2013-08-01 00:00:00"),
            // Recorded: the day before, and the month before.
            ("2018-01-05 02:55:39", 1_515_120_939_866, "2018-01-04 18:55:39"),
            ("2014-09-02 03:29:06", 1_409_628_546_000, "2014-09-01 20:29:06"),
            // The last second of standard time, and the first of daylight saving time.
            ("2021-03-14 09:59:59", 1_615_715_999_000, "2021-03-14 01:59:59"),
            ("2021-03-14 10:00:00", 1_615_716_000_000, "2021-03-14 03:00:00"),
            // Two times of one wall time.
            ("2021-11-07 08:30:00", 1_636_273_800_000, "2021-11-07 01:30:00"),
            ("2021-11-07 09:30:00", 1_636_277_400_000, "2021-11-07 01:30:00"),
            // The year before.
            ("2024-01-01 07:59:59", 1_704_095_999_000, "2023-12-31 23:59:59"),
            // A leap day.
            ("2024-03-01 07:59:59", 1_709_279_999_000, "2024-02-29 23:59:59"),
        ] as [(String, Int64, String)]
    )
    func instant(_ utc: String, _ milliseconds: Int64, _ losAngeles: String) throws {
        #expect(
            try triplet(milliseconds) == [
                "\(utc) Etc/GMT", "\(milliseconds)", "\(losAngeles) America/Los_Angeles",
            ]
        )
    }

    @Test("cut the fraction of a second off, which the milliseconds keep")
    func fraction() throws {
        let expected = ["2018-01-05 02:55:39 Etc/GMT", "2018-01-04 18:55:39 America/Los_Angeles"]
        for milliseconds in [1_515_120_939_000, 1_515_120_939_001, 1_515_120_939_999] as [Int64] {
            let found = try triplet(milliseconds)
            #expect([found[0], found[2]] == expected && found[1] == "\(milliseconds)")
        }
    }

    @Test(
        "have as many digits as they need when the milliseconds do not have 13",
        arguments: [
            (0, "1970-01-01 00:00:00", "1969-12-31 16:00:00"),
            (-1, "1969-12-31 23:59:59", "1969-12-31 15:59:59"),
            (999_999_999_999, "2001-09-09 01:46:39", "2001-09-08 18:46:39"),
            (1_000_000_000_000, "2001-09-09 01:46:40", "2001-09-08 18:46:40"),
            (9_999_999_999_999, "2286-11-20 17:46:39", "2286-11-20 09:46:39"),
            (10_000_000_000_000, "2286-11-20 17:46:40", "2286-11-20 09:46:40"),
            (253_402_300_799_000, "9999-12-31 23:59:59", "9999-12-31 15:59:59"),
            (-62_167_219_200_000, "0000-01-01 00:00:00", "-0001-12-31 16:00:00"),
        ] as [(Int64, String, String)]
    )
    func unusual(_ milliseconds: Int64, _ utc: String, _ losAngeles: String) throws {
        #expect(
            try triplet(milliseconds) == [
                "\(utc) Etc/GMT", "\(milliseconds)", "\(losAngeles) America/Los_Angeles",
            ]
        )
    }

    @Test("of the request are those of the clock, whatever it says", arguments: [Int64.min, .max, 0])
    func request(_ milliseconds: Int64) throws {
        var cache = ValidationCache()
        let answer = Minted.production.answer(
            TestRequests.valid,
            at: Timestamp(millisecondsSince1970: milliseconds),
            cache: &cache
        )
        #expect(answer.status == .valid)
        #expect(try answer.receipt["request_date_ms"] == .string("\(milliseconds)"))
        let pst = try #require(try answer.receipt["request_date_pst"]?.string)
        #expect(pst.hasSuffix(" America/Los_Angeles"))
    }

    @Test("agree with Foundation's time zone at every change from 2007 to 2099, and at random times")
    func foundation() throws {
        let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var times: [Int64] = []
        var date = Date(timeIntervalSince1970: 1_167_609_600)
        while let change = zone.nextDaylightSavingTimeTransition(after: date),
            change.timeIntervalSince1970 < 4_070_908_800
        {
            let seconds = Int64(change.timeIntervalSince1970)
            times += [seconds - 3600, seconds - 1, seconds, seconds + 1, seconds + 3600]
            date = change
        }
        #expect(times.count == 5 * 2 * 92 || times.count == 5 * 2 * 93, "\(times.count)")
        var generator = SystemRandomNumberGenerator()
        times += (0..<2000).map { _ in Int64.random(in: 1_167_609_600..<4_070_908_800, using: &generator) }
        // A receipt has room for many purchases; each has one of the times.
        let receipt = try answered { payload in
            payload.purchases = times.map {
                PurchaseTemplate(
                    productIdentifier: "\($0)",
                    purchaseDate: Timestamp(millisecondsSince1970: $0 * 1000)
                )
            }
        }
        let purchases = receipt["in_app"]?.elements ?? []
        #expect(purchases.count == times.count)
        for purchase in purchases {
            let seconds = try #require(purchase["product_id"]?.string.flatMap { Int64($0) })
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second],
                from: Date(timeIntervalSince1970: TimeInterval(seconds))
            )
            let numbers = [parts.month, parts.day, parts.hour, parts.minute, parts.second].map {
                String("0\($0 ?? -1)".suffix(2))
            }
            let expected =
                "\(parts.year ?? -1)-\(numbers[0])-\(numbers[1]) \(numbers[2]):\(numbers[3]):\(numbers[4])"
            #expect(purchase["purchase_date_pst"] == .string("\(expected) America/Los_Angeles"))
            #expect(purchase["purchase_date_ms"] == .string("\(seconds)000"))
        }
    }
}

/// Requests that several suites use.
enum TestRequests {
    static let valid = request(Minted.receipt)
}
