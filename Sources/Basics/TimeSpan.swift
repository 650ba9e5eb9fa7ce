/// A signed length of time in milliseconds.
///
/// Spans range over the 64-bit integers, which is 292 million years either way. Arithmetic and conversions
/// never trap: a result beyond that range becomes the nearest end of it.
///
/// The standard library's `Duration` needs iOS 16; this type runs on every system that the package supports.
public struct TimeSpan: Sendable, Hashable {
    /// The length in milliseconds; negative for a span into the past.
    public let milliseconds: Int64

    @inlinable
    init(_ milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The span of `count` units of `unit` milliseconds; beyond 64 bits, the nearest end of their range.
    @inlinable
    init(_ count: some BinaryInteger, of unit: Int64) {
        let count = Int64(clamping: count)
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        milliseconds = overflow ? (count < 0 ? .min : .max) : product
    }

    /// The span of zero milliseconds.
    @inlinable public static var zero: Self { Self(0) }

    /// A span of this many milliseconds. A count beyond 64 bits becomes the nearest end of their range.
    @inlinable public static func milliseconds(_ count: some BinaryInteger) -> Self { Self(count, of: 1) }

    /// A span of this many seconds. Beyond 64 bits of milliseconds, it is the nearest end of their range.
    @inlinable public static func seconds(_ count: some BinaryInteger) -> Self { Self(count, of: 1000) }

    /// A span of this many minutes of 60 seconds.
    ///
    /// A span beyond 64 bits of milliseconds becomes the nearest end of their range.
    @inlinable public static func minutes(_ count: some BinaryInteger) -> Self { Self(count, of: 60_000) }

    /// A span of this many hours of 60 minutes.
    ///
    /// A span beyond 64 bits of milliseconds becomes the nearest end of their range.
    @inlinable public static func hours(_ count: some BinaryInteger) -> Self { Self(count, of: 3_600_000) }

    /// A span of this many days of 24 hours.
    ///
    /// A span beyond 64 bits of milliseconds becomes the nearest end of their range.
    @inlinable public static func days(_ count: some BinaryInteger) -> Self { Self(count, of: 86_400_000) }

    /// The sum of two spans. A sum beyond 64 bits of milliseconds becomes the nearest end of their range.
    @inlinable
    public static func + (one: Self, other: Self) -> Self {
        let (sum, overflow) = one.milliseconds.addingReportingOverflow(other.milliseconds)
        return Self(overflow ? (other.milliseconds < 0 ? .min : .max) : sum)
    }

    /// The first span minus the second. A result beyond 64 bits becomes the nearest end of their range.
    @inlinable
    public static func - (one: Self, other: Self) -> Self {
        let (difference, overflow) = one.milliseconds.subtractingReportingOverflow(other.milliseconds)
        return Self(overflow ? (other.milliseconds < 0 ? .max : .min) : difference)
    }

    /// The span with its sign reversed. The lowest span, which has no such span, becomes the greatest.
    @inlinable public static prefix func - (span: Self) -> Self { zero - span }
}

extension TimeSpan: Comparable {
    /// Whether the first span has fewer milliseconds than the second; a negative span has fewer than zero.
    @inlinable
    public static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }
}

extension TimeSpan: CustomStringConvertible {
    /// The length in milliseconds, such as `-1500 ms`.
    public var description: String { "\(milliseconds) ms" }
}

extension Timestamp {
    /// The time that lies a span later, or earlier if the span is negative.
    ///
    /// A time beyond ``millisecondsSince1970``'s range becomes the nearest end of that range.
    @inlinable
    public static func + (time: Timestamp, span: TimeSpan) -> Timestamp {
        Timestamp(millisecondsSince1970: (TimeSpan(time.millisecondsSince1970) + span).milliseconds)
    }

    /// The time that lies a span earlier, or later if the span is negative.
    ///
    /// A time beyond ``millisecondsSince1970``'s range becomes the nearest end of that range.
    @inlinable
    public static func - (time: Timestamp, span: TimeSpan) -> Timestamp {
        Timestamp(millisecondsSince1970: (TimeSpan(time.millisecondsSince1970) - span).milliseconds)
    }

    /// The span from the second time to the first; negative if the first time is earlier.
    ///
    /// A span beyond ``TimeSpan/milliseconds``' range becomes the nearest end of that range.
    @inlinable
    public static func - (time: Timestamp, other: Timestamp) -> TimeSpan {
        TimeSpan(time.millisecondsSince1970) - TimeSpan(other.millisecondsSince1970)
    }
}
