import Foundation
import SHA

/// What this build and this machine have. Where that is nothing, both roads are the portable one.
public let acceleration = Acceleration.detected(
    auxiliaryVector: [UInt8](FileManager.default.contents(atPath: "/proc/self/auxv") ?? Data())
)
