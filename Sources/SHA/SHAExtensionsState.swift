// The way to the SHA extensions of x86-64, where a program is built with them: the processor is asked whether
// it has them, and the hash values of SHA-1 and SHA-256 are handed to them as vectors.
#if Accelerated && arch(x86_64)
    import SHAExtensions
    import _Builtin_intrinsics.intel.cpuid

    extension HashAcceleration {
        /// What the processor says of itself (CPUID in Intel 64 and IA-32 Architectures Software Developer's
        /// Manual, volume 2). The registers that the SHA extensions use are those of SSE, which every system
        /// saves.
        static var processorHasSHAExtensions: Bool {
            var (eax, ebx, ecx, edx): (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
            // Each register is written to a place of its own, and to no other, before the call returns. Of a
            // leaf that the processor does not know, nothing is written.
            guard unsafe __get_cpuid_count(1, 0, &eax, &ebx, &ecx, &edx) != 0 else { return false }
            let hasSSE41 = ecx & UInt32(bit_SSE41) != 0
            guard unsafe __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 else { return false }
            return hasSSE41 && ebx & UInt32(bit_SHA) != 0
        }
    }

    extension SHA1State {
        mutating func compress(_ blocks: RawSpan, _ acceleration: HashAcceleration) {
            guard acceleration.hasSHAExtensions else { return compress(blocks) }
            var h0to3 = SIMD4(h0, h1, h2, h3)
            // The processor has said that it has these instructions.
            unsafe compressSHA1(&h0to3, &h4, blocks)
            (h0, h1, h2, h3) = (h0to3[0], h0to3[1], h0to3[2], h0to3[3])
        }
    }

    extension SHA256State {
        mutating func compress(_ blocks: RawSpan, _ acceleration: HashAcceleration) {
            guard acceleration.hasSHAExtensions else { return compress(blocks) }
            var h0to3 = SIMD4(h0, h1, h2, h3)
            var h4to7 = SIMD4(h4, h5, h6, h7)
            // The processor has said that it has these instructions.
            unsafe compressSHA256(&h0to3, &h4to7, blocks)
            (h0, h1, h2, h3) = (h0to3[0], h0to3[1], h0to3[2], h0to3[3])
            (h4, h5, h6, h7) = (h4to7[0], h4to7[1], h4to7[2], h4to7[3])
        }
    }
#endif
