/// Instruction sets for which this package has kernels (`Sources/Kernels`), on x86-64 and Arm64.
///
/// A set stands for everything its kernel target is compiled with, so a kernel may run exactly when its set
/// is present.
package struct InstructionSets: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    #if arch(x86_64)
        /// The SHA extensions of x86-64 for SHA-1 and SHA-256, together with SSE4.1.
        package static var shaExtensions: Self { Self(rawValue: 1 << 0) }
        /// AVX-512 F, BW and VL, with BMI1 and BMI2.
        package static var avx512VL: Self { Self(rawValue: 1 << 1) }
        /// AVX-512 F and IFMA: fused multiply-add of 52-bit integers.
        package static var avx512IFMA: Self { Self(rawValue: 1 << 2) }
        /// AVX-512 F, BW and VBMI: byte permutations.
        package static var avx512VBMI: Self { Self(rawValue: 1 << 3) }
        /// AVX2, with BMI1 and BMI2.
        package static var avx2: Self { Self(rawValue: 1 << 4) }

        /// Every set with its name, and its flag in Linux's /proc/cpuinfo, in the order of `description`.
        static var names: [(set: Self, name: String, flag: String)] {
            [
                (.shaExtensions, "SHA extensions", "sha_ni"), (.avx2, "AVX2", "avx2"),
                (.avx512VL, "AVX-512 VL", "avx512vl"), (.avx512IFMA, "AVX-512 IFMA", "avx512ifma"),
                (.avx512VBMI, "AVX-512 VBMI", "avx512vbmi"),
            ]
        }
    #elseif arch(arm64)
        /// The instructions for SHA-1 and SHA-256: both FEAT_SHA1 and FEAT_SHA256.
        package static var sha256: Self { Self(rawValue: 1 << 0) }
        /// Advanced SIMD, which every Arm64 processor has.
        package static var advancedSIMD: Self { Self(rawValue: 1 << 1) }

        /// Every set with its name, and its flag in Linux's /proc/cpuinfo, in the order of `description`.
        static var names: [(set: Self, name: String, flag: String)] {
            [(.sha256, "FEAT_SHA256", "sha2"), (.advancedSIMD, "Advanced SIMD", "asimd")]
        }
    #else
        static var names: [(set: Self, name: String, flag: String)] { [] }
    #endif
}

extension InstructionSets: CustomStringConvertible {
    /// The names of the sets, separated by a comma and a space, or `portable` if there is none.
    package var description: String {
        let names = Self.names.filter { contains($0.set) }.map { $0.name }
        return names.isEmpty ? "portable" : names.joined(separator: ", ")
    }
}
