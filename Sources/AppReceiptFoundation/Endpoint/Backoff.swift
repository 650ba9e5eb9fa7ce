import AppReceipt
import Basics

/// The number of attempts for one request, and the pauses between them.
///
/// Each pause is twice as long as the one before it, up to a maximum. A random part is taken off, so that
/// servers that failed together do not return together.
public struct Backoff: Sendable, Hashable {
    /// The number of attempts, the first included. At least one is made.
    public let attempts: Int
    /// The pause after the first attempt.
    public let firstPause: TimeSpan
    /// The longest pause.
    public let longestPause: TimeSpan
    /// The part of a pause that chance may take off, from 0 to 1.
    public let jitter: Double

    /// Creates a policy.
    public init(attempts: Int, firstPause: TimeSpan, longestPause: TimeSpan, jitter: Double = 0.5) {
        self.attempts = attempts
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.jitter = jitter.isFinite ? min(max(jitter, 0), 1) : 0
    }

    /// Four attempts. The pauses are at most 0.5, 1 and 2 seconds.
    public static var standard: Self {
        Self(attempts: 4, firstPause: .milliseconds(500), longestPause: .seconds(8))
    }

    /// One attempt.
    public static var never: Self { Self(attempts: 1, firstPause: .zero, longestPause: .zero) }

    /// The pause after an attempt, counted from 1.
    func pause(afterAttempt attempt: Int) -> TimeSpan {
        let longest = max(longestPause, .zero)
        var pause = min(max(firstPause, .zero), longest)
        // 63 doublings exceed every span.
        for _ in 1..<max(1, min(attempt, 64)) { pause = min(pause + pause, longest) }
        guard jitter > 0 else { return pause }
        let part = 1 - Double.random(in: 0...jitter)
        // Beyond 2^53 ms, which is 285,000 years, milliseconds are not exact.
        return .milliseconds(Int64(Double(min(pause.milliseconds, 1 << 53)) * part))
    }
}
