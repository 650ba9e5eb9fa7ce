import Foundation
import Processor
import SHA

/// The instruction sets that this build and this machine can use.
///
/// If there are none, the accelerated path and the portable path are the same code.
public let acceleration = Acceleration.detected(
    auxiliaryVector: [UInt8](FileManager.default.contents(atPath: "/proc/self/auxv") ?? Data())
)
