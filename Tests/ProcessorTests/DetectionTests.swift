import Foundation
import Processor
import TestSupport
import Testing

@Suite("Detection of instruction sets")
struct DetectionTests {
    @Test("without instructions in the build, nothing is detected and all code is portable")
    func portable() {
        #expect(Acceleration.none.description == "portable")
        #if !Accelerated || (!arch(x86_64) && !arch(arm64))
            #expect(acceleration == .none)
        #endif
    }

    #if Accelerated && os(Linux) && (arch(x86_64) || arch(arm64))
        /// The names of processor features in /proc/cpuinfo, and the instruction set that they make up
        /// together.
        #if arch(x86_64)
            private static let line = "flags"
            private static let names = [
                (["sha_ni", "sse4_1"], "SHA extensions"), (["avx512vl", "bmi1", "bmi2"], "AVX-512 VL"),
                (["avx512f", "avx512ifma"], "AVX-512 IFMA"),
                (["avx512bw", "avx512vbmi"], "AVX-512 VBMI"),
            ]
        #else
            private static let line = "Features"
            private static let names = [
                (["sha1", "sha2"], "FEAT_SHA256"), (["sha1", "sha2", "sha3", "sha512"], "FEAT_SHA512"),
                (["asimd"], "Advanced SIMD"),
            ]
        #endif

        private static var features: [Substring]? {
            let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
            return text?.split(separator: "\n").first { $0.hasPrefix(line) }?.split(separator: " ")
        }

        @Test(
            "detects the instruction sets that the operating system reports",
            .enabled(if: features != nil, "/proc/cpuinfo lists no features, as in some emulators")
        )
        func detected() throws {
            let features = try #require(Self.features)
            let names = Self.names.filter { needed, _ in
                needed.allSatisfy { features.contains(Substring($0)) }
            }.map(\.1)
            #expect(acceleration.description == (names.isEmpty ? "portable" : names.joined(separator: ", ")))
            #expect((acceleration == .none) == names.isEmpty)
        }
    #endif
}
