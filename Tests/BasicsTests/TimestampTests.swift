import Basics
import DER
import Testing

@Suite("Timestamp (the Gregorian calendar, RFC 3339)")
struct TimestampTests {
    /// Computed with CPython's `datetime`. The three days of year 0, which `datetime` lacks, were counted by
    /// hand.
    private static let dates: [(String, Int64)] = [
        ("0000-01-01T00:00:00Z", -62_167_219_200_000),
        ("0000-02-29T00:00:00Z", -62_162_121_600_000),
        ("0000-03-01T00:00:00Z", -62_162_035_200_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000),
        ("0001-12-31T23:59:59.999Z", -62_104_060_800_001),
        ("0004-02-29T00:00:00Z", -62_035_891_200_000),
        ("0100-02-28T00:00:00Z", -59_006_448_000_000),
        ("0100-03-01T00:00:00Z", -59_006_361_600_000),
        ("0400-02-29T00:00:00Z", -49_539_340_800_000),
        ("1000-06-15T01:02:03Z", -30_595_964_277_000),
        ("1582-10-04T00:00:00Z", -12_220_243_200_000),
        ("1582-10-15T00:00:00Z", -12_219_292_800_000),
        ("1600-02-29T00:00:00Z", -11_670_998_400_000),
        ("1600-12-31T00:00:00Z", -11_644_560_000_000),
        ("1700-02-28T23:59:59Z", -8_515_238_401_000),
        ("1700-03-01T00:00:00Z", -8_515_238_400_000),
        ("1752-09-03T00:00:00Z", -6_858_172_800_000),
        ("1800-03-01T00:00:00Z", -5_359_564_800_000),
        ("1899-12-31T23:59:59Z", -2_208_988_801_000),
        ("1900-01-01T00:00:00Z", -2_208_988_800_000),
        ("1900-02-28T23:59:59.999Z", -2_203_891_200_001),
        ("1900-03-01T00:00:00Z", -2_203_891_200_000),
        ("1949-12-31T23:59:59Z", -631_152_001_000),
        ("1950-01-01T00:00:00Z", -631_152_000_000),
        ("1968-02-29T12:00:00Z", -58_017_600_000),
        ("1969-01-01T00:00:00Z", -31_536_000_000),
        ("1969-12-31T00:00:00Z", -86_400_000),
        ("1969-12-31T23:59:59Z", -1000),
        ("1969-12-31T23:59:59.999Z", -1),
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.001Z", 1),
        ("1972-02-29T06:30:00Z", 68_193_000_000),
        ("1999-12-31T23:59:59Z", 946_684_799_000),
        ("2000-01-01T00:00:00Z", 946_684_800_000),
        ("2000-02-29T00:00:00Z", 951_782_400_000),
        ("2000-02-29T23:59:59.999Z", 951_868_799_999),
        ("2000-03-01T00:00:00Z", 951_868_800_000),
        ("2001-09-09T01:46:40Z", 1_000_000_000_000),
        ("2016-12-31T23:59:59Z", 1_483_228_799_000),
        ("2020-10-08T11:17:49.131Z", 1_602_155_869_131),
        ("2023-02-22T14:30:15Z", 1_677_076_215_000),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000),
        ("2024-12-31T23:59:59.010Z", 1_735_689_599_010),
        ("2035-02-09T21:40:36Z", 2_054_670_036_000),
        ("2038-01-19T03:14:07Z", 2_147_483_647_000),
        ("2038-01-19T03:14:08Z", 2_147_483_648_000),
        ("2049-12-31T23:59:59Z", 2_524_607_999_000),
        ("2050-01-01T00:00:00Z", 2_524_608_000_000),
        ("2099-12-31T00:00:00Z", 4_102_358_400_000),
        ("2100-02-28T23:59:59Z", 4_107_542_399_000),
        ("2100-03-01T00:00:00Z", 4_107_542_400_000),
        ("2106-02-07T06:28:16Z", 4_294_967_296_000),
        ("2400-02-29T00:00:00Z", 13_574_563_200_000),
        ("4001-01-01T00:00:00Z", 64_092_211_200_000),
        ("8000-02-29T00:00:00Z", 190_293_494_400_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ]

    @Test("converts dates to milliseconds and back as CPython does", arguments: dates)
    func conversions(_ text: String, _ milliseconds: Int64) throws {
        let fields = text.split { !$0.isNumber }.compactMap { Int($0) }
        let time = try #require(
            Timestamp(
                year: fields[0],
                month: fields[1],
                day: fields[2],
                hour: fields[3],
                minute: fields[4],
                second: fields[5],
                millisecond: fields.count > 6 ? fields[6] : 0
            )
        )
        #expect(time.millisecondsSince1970 == milliseconds)
        #expect(Timestamp(millisecondsSince1970: milliseconds).description == text)
    }

    /// Computed with CPython's `datetime.isoweekday`, modulo 7.
    @Test(
        "knows the day of the week, from the first millisecond of a day to the last",
        arguments: [
            (-62_135_596_800_000, 1), (-12_219_292_800_000, 5), (-2_203_891_200_000, 4), (-345_600_000, 0),
            (-86_400_000, 3), (0, 4), (259_200_000, 0), (951_782_400_000, 2), (1_710_028_800_000, 0),
            (2_147_472_000_000, 2), (253_402_214_400_000, 5),
        ] as [(Int64, Int64)]
    )
    func daysOfTheWeek(_ milliseconds: Int64, _ day: Int64) {
        for offset: Int64 in [0, 1, 43_200_000, 86_399_999] {
            let time = Timestamp(millisecondsSince1970: milliseconds + offset)
            #expect(time.calendarDate.dayOfWeek == day)
        }
    }

    @Test("every month of the years 0 to 9999 has the right number of days, and dates are consecutive")
    func months() throws {
        var next = try #require(Timestamp(year: 0, month: 1, day: 1)).millisecondsSince1970
        for year in 0...9999 {
            let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
            for (month, days) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                let first = Timestamp(year: year, month: month + 1, day: 1)
                let last = Timestamp(year: year, month: month + 1, day: days)
                let beyond = Timestamp(year: year, month: month + 1, day: days + 1)
                let isRight =
                    first?.millisecondsSince1970 == next && beyond == nil
                    && last?.millisecondsSince1970 == next + Int64(days - 1) * 86_400_000
                if !isRight { Issue.record("year \(year), month \(month + 1)") }
                next += Int64(days) * 86_400_000
            }
        }
    }

    @Test(
        "refuses a date or a time of day that does not exist",
        arguments: [
            (-1, 1, 1, 0, 0, 0, 0), (10_000, 1, 1, 0, 0, 0, 0), (2020, 0, 1, 0, 0, 0, 0),
            (2020, 13, 1, 0, 0, 0, 0), (2020, 1, 0, 0, 0, 0, 0), (2020, 1, 32, 0, 0, 0, 0),
            (2020, 2, 30, 0, 0, 0, 0), (2019, 2, 29, 0, 0, 0, 0), (1900, 2, 29, 0, 0, 0, 0),
            (2100, 2, 29, 0, 0, 0, 0), (2020, 4, 31, 0, 0, 0, 0), (2020, 1, 1, 24, 0, 0, 0),
            (2020, 1, 1, -1, 0, 0, 0), (2020, 1, 1, 0, 60, 0, 0), (2020, 1, 1, 0, -1, 0, 0),
            (2016, 12, 31, 23, 59, 60, 0), (2020, 1, 1, 0, 0, -1, 0), (2020, 1, 1, 0, 0, 0, 1000),
            (2020, 1, 1, 0, 0, 0, -1), (Int.max, 1, 1, 0, 0, 0, 0), (Int.min, 1, 1, 0, 0, 0, 0),
            (2020, Int.max, 1, 0, 0, 0, 0), (2020, 1, Int.min, 0, 0, 0, 0), (2020, 1, 1, Int.max, 0, 0, 0),
        ]
    )
    func refused(_ fields: (Int, Int, Int, Int, Int, Int, Int)) {
        let time = Timestamp(
            year: fields.0,
            month: fields.1,
            day: fields.2,
            hour: fields.3,
            minute: fields.4,
            second: fields.5,
            millisecond: fields.6
        )
        #expect(time == nil)
    }

    @Test("describes the first and the last time that 64 bits can hold")
    func extremes() {
        let (first, last) = (Timestamp(millisecondsSince1970: .min), Timestamp(millisecondsSince1970: .max))
        #expect(first.description == "-292275055-05-16T16:47:04.192Z")
        #expect(last.description == "292278994-08-17T07:12:55.807Z")
        // One millisecond before year 0, and the first millisecond of year 10000.
        let (before, after) = (-62_167_219_200_001 as Int64, 253_402_300_800_000 as Int64)
        #expect(Timestamp(millisecondsSince1970: before).description == "-0001-12-31T23:59:59.999Z")
        #expect(Timestamp(millisecondsSince1970: after).description == "10000-01-01T00:00:00Z")
        #expect(first < last && !(last < first) && !(first < first))
    }
}
