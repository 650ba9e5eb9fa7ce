import Foundation
import TestSupport
import Testing

@testable import Processor

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
                (["sha_ni", "sse4_1"], "SHA extensions"), (["avx2", "bmi1", "bmi2"], "AVX2"),
                (["avx512bw", "avx512vl", "bmi1", "bmi2"], "AVX-512 VL"),
                (["avx512f", "avx512ifma"], "AVX-512 IFMA"),
                (["avx512bw", "avx512vbmi"], "AVX-512 VBMI"),
            ]
        #else
            private static let line = "Features"
            private static let names = [
                (["sha1", "sha2"], "FEAT_SHA256"), (["asimd"], "Advanced SIMD"),
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

    #if Accelerated && arch(x86_64)
        /// Bits of CPUID leaf 1, register ECX (Intel 64 and IA-32 Architectures Software Developer's Manual,
        /// volume 2, CPUID): FMA, SSE4.1, POPCNT, OSXSAVE and F16C.
        private static let featureBits: [UInt32] = [12, 19, 23, 27, 29]
        /// Bits of leaf 7, register EBX: BMI1, AVX2, BMI2, AVX512F, AVX512_IFMA, SHA, AVX512BW and AVX512VL.
        private static let extendedBits: [UInt32] = [3, 5, 8, 16, 21, 29, 30, 31]
        /// Bits of XCR0 (volume 1, section 13.3): SSE, AVX, opmask, ZMM_Hi256 and Hi16_ZMM.
        private static let stateBits: [UInt32] = [1, 2, 5, 6, 7]

        private static func sets(
            features: [UInt32] = Self.featureBits,
            extended: [UInt32] = Self.extendedBits,
            vbmi: Bool = true,
            states: [UInt32] = Self.stateBits
        ) -> InstructionSets {
            func number(_ bits: [UInt32]) -> UInt32 { bits.reduce(0) { $0 | 1 << $1 } }
            return InstructionSets(
                Leaf(ebx: 0, ecx: number(features)),
                // AVX512_VBMI is bit 1 of ECX.
                Leaf(ebx: number(extended), ecx: vbmi ? 2 : 0),
                states: { UInt64(number(states)) }
            )
        }

        private static let all: InstructionSets = [
            .shaExtensions, .avx2, .avx512VL, .avx512IFMA, .avx512VBMI,
        ]

        @Test("an instruction set needs each of its bits, and a system that saves its registers")
        func bits() {
            #expect(Self.sets() == Self.all)
            for bit in Self.featureBits {
                let left: InstructionSets =
                    switch bit {
                    case 12, 29: [.shaExtensions, .avx2]
                    case 19: Self.all.subtracting(.shaExtensions)
                    default: .shaExtensions
                    }
                #expect(Self.sets(features: Self.featureBits.filter { $0 != bit }) == left, "\(bit)")
            }
            for bit in Self.extendedBits {
                let lost: InstructionSets =
                    switch bit {
                    case 3, 8: [.avx2, .avx512VL]
                    case 5: [.avx2, .avx512VL, .avx512IFMA, .avx512VBMI]
                    case 31: .avx512VL
                    case 21: .avx512IFMA
                    case 29: .shaExtensions
                    case 30: [.avx512VL, .avx512VBMI]
                    default: [.avx512VL, .avx512IFMA, .avx512VBMI]
                    }
                let sets = Self.sets(extended: Self.extendedBits.filter { $0 != bit })
                #expect(sets == Self.all.subtracting(lost), "\(bit)")
            }
            #expect(Self.sets(vbmi: false) == Self.all.subtracting(.avx512VBMI))
            for bit in Self.stateBits {
                let left: InstructionSets = bit <= 2 ? .shaExtensions : [.shaExtensions, .avx2]
                #expect(Self.sets(states: Self.stateBits.filter { $0 != bit }) == left, "\(bit)")
            }
        }

        @Test("without OSXSAVE, XCR0 is not read; without a leaf, there is no instruction set")
        func absent() {
            let leaf = Leaf(ebx: .max, ecx: .max)
            let without = Leaf(ebx: .max, ecx: ~(1 << 27))
            var reads = 0
            let sets = InstructionSets(
                without,
                leaf,
                states: {
                    reads += 1
                    return .max
                }
            )
            #expect(sets == .shaExtensions && reads == 0)
            #expect(InstructionSets(nil, leaf, states: { .max }) == [])
            #expect(InstructionSets(leaf, nil, states: { .max }) == [])
            // No processor has leaves up to this number.
            #expect(Leaf(0x7FFF_FFFF) == nil)
        }
    #endif
}
