import AppReceipt
import Foundation

/// The processor's instruction sets, detected once.
let acceleration = Acceleration.detected(
    auxiliaryVector: [UInt8](FileManager.default.contents(atPath: "/proc/self/auxv") ?? Data())
)

/// These instruction sets, and the sets that the processor has in common with older ones. Each is another set
/// of kernels.
let accelerations: [Acceleration] = [
    acceleration,
    acceleration.without("sha_ni")?.without("avx512ifma")?.without("avx512vbmi"),
    acceleration.without("sha_ni")?.without("avx512ifma")?.without("avx512vbmi")?.without("avx512vl"),
].compactMap { $0 }
