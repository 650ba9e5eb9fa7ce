import Basics
import Foundation

extension Timestamp {
    /// The present time of the system's clock.
    ///
    /// The customer can change the clock of a device. A time from a server is safer where one is at hand.
    public static var now: Timestamp { Timestamp(Date()) }

    /// Creates a time from a date, rounded to the nearest millisecond.
    ///
    /// A date beyond the range of ``millisecondsSince1970`` becomes the nearest end of that range. A date
    /// that is not a number becomes the latest time, so that a receipt with an expiration date is expired at
    /// it.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // 2^63 is the first number beyond the range, and -2^63 is inside.
        if milliseconds < -0x1p63 {
            self.init(millisecondsSince1970: .min)
        } else if milliseconds < 0x1p63 {
            self.init(millisecondsSince1970: Int64(milliseconds))
        } else {
            self.init(millisecondsSince1970: .max)
        }
    }
}

extension Date {
    /// Creates a date from a time. It is exact to the millisecond in the years 0 to 9999.
    public init(_ time: Timestamp) {
        self.init(timeIntervalSince1970: Double(time.millisecondsSince1970) / 1000)
    }
}

extension TimeSpan {
    /// The length of this span in seconds; negative for a negative span. It is exact to the millisecond for
    /// spans of up to 100,000 years.
    public var timeInterval: TimeInterval { Double(milliseconds) / 1000 }
}
