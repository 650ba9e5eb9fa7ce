import AppReceipt
import AppReceiptFoundation
import DER

import class Foundation.NSLock

/// A clock that stands still until a test moves it.
public final class FakeClock: ReceiptClock, @unchecked Sendable {
    private let lock = NSLock()
    // Only read and written while the lock is held.
    private var time: Timestamp

    /// Creates a clock that shows a time.
    public init(_ now: Timestamp = .forTests) { time = now }

    /// The time that the clock shows. A test may set it.
    public var now: Timestamp {
        get { change { $0 } }
        set { change { $0 = newValue } }
    }

    /// Moves the clock forward, or backward if the span is negative.
    public func advance(by span: TimeSpan) { change { $0 = $0 + span } }

    private func change<Result>(_ body: (inout Timestamp) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&time)
    }
}
