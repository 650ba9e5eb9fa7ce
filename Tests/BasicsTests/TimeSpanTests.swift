import Basics
import Testing

@Suite("Time spans")
struct TimeSpanTests {
    @Test("a count of a unit is that many milliseconds")
    func units() {
        #expect(TimeSpan.milliseconds(7).milliseconds == 7)
        #expect(TimeSpan.seconds(7).milliseconds == 7000)
        #expect(TimeSpan.minutes(7).milliseconds == 420_000)
        #expect(TimeSpan.hours(7).milliseconds == 25_200_000)
        #expect(TimeSpan.days(7).milliseconds == 604_800_000)
        #expect(TimeSpan.days(-2) == .hours(-48) && TimeSpan.zero.milliseconds == 0)
        #expect(TimeSpan.minutes(UInt8(255)).milliseconds == 15_300_000)
    }

    @Test("spans are added, subtracted, negated and compared")
    func arithmetic() {
        #expect(TimeSpan.hours(1) + .minutes(30) == .minutes(90))
        #expect(TimeSpan.hours(1) - .minutes(90) == .minutes(-30))
        #expect(-TimeSpan.days(1) == .days(-1))
        #expect(TimeSpan.days(-1) < .zero && .zero < TimeSpan.milliseconds(1))
        #expect(Set([TimeSpan.hours(24), .days(1), .minutes(1440)]).count == 1)
        #expect(TimeSpan.milliseconds(-1500).description == "-1500 ms")
    }

    @Test("a time advances by a span, and two times differ by a span")
    func times() throws {
        let noon = try #require(Timestamp(year: 2024, month: 2, day: 28, hour: 12))
        #expect((noon + .days(1)).description == "2024-02-29T12:00:00Z")
        #expect((noon + .milliseconds(1)).description == "2024-02-28T12:00:00.001Z")
        #expect((noon - .hours(13)).description == "2024-02-27T23:00:00Z")
        #expect(noon + .days(2) - noon == .days(2) && noon - (noon + .seconds(1)) == .seconds(-1))
    }

    @Test("results out of range become the nearest end of the range")
    func saturation() {
        let (first, last) = (TimeSpan.milliseconds(Int64.min), TimeSpan.milliseconds(Int64.max))
        #expect(TimeSpan.seconds(Int64.max) == last && TimeSpan.days(Int64.min) == first)
        #expect(TimeSpan.milliseconds(UInt64.max) == last)
        #expect(last + .milliseconds(1) == last && first - .milliseconds(1) == first && -first == last)
        let (earliest, latest) = (
            Timestamp(millisecondsSince1970: .min), Timestamp(millisecondsSince1970: .max)
        )
        #expect(latest + .milliseconds(1) == latest && latest - .milliseconds(-1) == latest)
        #expect(earliest - .days(1) == earliest && earliest + first == earliest)
        #expect(earliest - first == Timestamp(millisecondsSince1970: 0))
        #expect(latest - earliest == last && earliest - latest == first)
    }
}
