import Foundation
import Processor

/// The instruction sets that this build and this machine can use.
///
/// If there are none, the accelerated path and the portable path are the same code.
public let acceleration = Acceleration.detected(
    auxiliaryVector: [UInt8](FileManager.default.contents(atPath: "/proc/self/auxv") ?? Data())
)

#if Accelerated && arch(x86_64)
    /// The instructions of this machine, then the sets that it has in common with older processors: from
    /// Skylake-SP on, which have AVX-512 without SHA, IFMA and VBMI, and from Haswell on, which have AVX2.
    ///
    /// Each is another set of kernels. Portable code is not among them.
    public let accelerations: [Acceleration] = {
        var (different, one): ([Acceleration], Acceleration) = ([acceleration], acceleration)
        for flags in [["sha_ni", "avx512ifma", "avx512vbmi"], ["avx512vl"]] {
            one = flags.reduce(one) { $0.without($1) ?? $0 }
            if !different.contains(one) { different.append(one) }
        }
        return different.filter { $0 != .none }
    }()
#else
    /// The instructions of this machine, unless it has none.
    public let accelerations = acceleration == .none ? [] : [acceleration]
#endif
