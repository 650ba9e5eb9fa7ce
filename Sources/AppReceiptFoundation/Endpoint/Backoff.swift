import AppReceipt
import Basics

/// The maximum number of attempts for one request, and the pauses between them.
///
/// Each pause is twice as long as the one before it, up to a maximum. Then a random part of each is taken
/// off.
public struct Backoff: Sendable, Hashable {
    /// The maximum number of attempts for one request, the first included. A number below 1 counts as 1.
    public let attempts: Int
    /// The pause after the first attempt, before ``longestPause`` limits it and chance shortens it. A
    /// negative pause counts as zero.
    public let firstPause: TimeSpan
    /// The upper limit of each pause. A negative limit counts as zero.
    public let longestPause: TimeSpan
    /// The largest part of a pause that chance may take off, from 0 (nothing) to 1 (the whole pause).
    public let jitter: Double

    /// Creates a policy. Moves `jitter` into the range 0 to 1; a `jitter` that is not finite becomes 0.
    public init(attempts: Int, firstPause: TimeSpan, longestPause: TimeSpan, jitter: Double = 0.5) {
        self.attempts = attempts
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.jitter = jitter.isFinite ? min(max(jitter, 0), 1) : 0
    }

    /// Four attempts. The pauses are at most 0.5, 1 and 2 seconds; chance takes off up to half of each.
    public static var standard: Self {
        Self(attempts: 4, firstPause: .milliseconds(500), longestPause: .seconds(8))
    }

    /// One attempt: a request is never repeated.
    public static var never: Self { Self(attempts: 1, firstPause: .zero, longestPause: .zero) }

    /// The pause after an attempt, whose number counts from 1. Each call draws its random part anew.
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
