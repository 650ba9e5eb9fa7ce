import Foundation
import SHA

/// What the processor has, asked for once.
let acceleration = Acceleration.detected(
    auxiliaryVector: [UInt8](FileManager.default.contents(atPath: "/proc/self/auxv") ?? Data())
)
