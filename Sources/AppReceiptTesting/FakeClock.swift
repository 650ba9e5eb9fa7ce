import AppReceiptFoundation
import Basics

/// A clock that stands still until a test moves it.
public final class FakeClock: Sendable {
    private let time: Locked<Timestamp>

    /// Creates a clock that shows `now` until a test moves it.
    public init(_ now: Timestamp = .forTests) { time = Locked(now) }

    /// The time that the clock shows. A test may set it to any time.
    public var now: Timestamp {
        get { time.access { $0 } }
        set { time.access { $0 = newValue } }
    }

    /// Moves the clock forward by a span, or backward if the span is negative.
    public func advance(by span: TimeSpan) { time.access { $0 = $0 + span } }
}
