import AppReceipt
import Foundation

/// The processor's instruction sets, detected once.
let acceleration = Acceleration.detected(
    auxiliaryVector: [UInt8](FileManager.default.contents(atPath: "/proc/self/auxv") ?? Data())
)
