// Detection of instruction sets. On x86-64 the program asks the processor (CPUID: Intel 64 and IA-32
// Architectures Software Developer's Manual, volume 2). On Arm64 it asks the operating system.
#if Accelerated && arch(x86_64)
    import XSAVE
    import _Builtin_intrinsics.intel.cpuid

    extension InstructionSets {
        /// The instruction sets that this processor has and whose registers the operating system saves.
        static func ofProcessor() -> Self {
            // The initialiser asks for the states only if OSXSAVE says that XCR0 may be read.
            Self(Leaf(1), Leaf(7), states: { unsafe enabledStates() })
        }

        /// The instruction sets that a processor and its operating system offer; none if a leaf is nil.
        /// - Parameters:
        ///   - features: the CPUID leaf 1; nil if the processor does not have it.
        ///   - extended: the CPUID leaf 7; nil if the processor does not have it.
        ///   - states: reads XCR0, whose bits tell which registers the operating system saves. Called only if
        ///     both leaves are present and OSXSAVE is set in `features`.
        init(_ features: Leaf?, _ extended: Leaf?, states: () -> UInt64) {
            self = []
            guard let features, let extended else { return }
            // The SHA extensions use SSE registers, which every operating system saves.
            if features.ecx & UInt32(bit_SSE41) != 0 && extended.ebx & UInt32(bit_SHA) != 0 {
                insert(.shaExtensions)
            }
            // An operating system need not save the registers of AVX. XCR0 says which it saves. OSXSAVE says
            // that XCR0 may be read (volume 1, section 15.2).
            guard features.ecx & UInt32(bit_OSXSAVE) != 0 else { return }
            let saved = states()
            // The registers of SSE and AVX. The compiler assumes POPCNT together with AVX2.
            let ofAVX: UInt64 = 0b110
            guard saved & ofAVX == ofAVX, features.ecx & UInt32(bit_POPCNT) != 0,
                extended.ebx & UInt32(bit_AVX2) != 0
            else { return }
            let bitManipulation = UInt32(bit_BMI) | UInt32(bit_BMI2)
            let hasBitManipulation = extended.ebx & bitManipulation == bitManipulation
            if hasBitManipulation { insert(.avx2) }
            // Also the masks, the upper halves of the first sixteen vectors, and the other sixteen vectors.
            // The compiler assumes FMA and F16C together with AVX-512 F.
            let ofAVX512: UInt64 = 0b1110_0110
            let implied = UInt32(bit_FMA) | UInt32(bit_F16C)
            guard saved & ofAVX512 == ofAVX512, features.ecx & implied == implied,
                extended.ebx & UInt32(bit_AVX512F) != 0
            else { return }
            if extended.ebx & UInt32(bit_AVX512IFMA) != 0 { insert(.avx512IFMA) }
            guard extended.ebx & UInt32(bit_AVX512BW) != 0 else { return }
            if hasBitManipulation && extended.ebx & UInt32(bit_AVX512VL) != 0 { insert(.avx512VL) }
            if extended.ecx & UInt32(bit_AVX512VBMI) != 0 { insert(.avx512VBMI) }
        }
    }

    /// The registers EBX and ECX that the processor returns for one CPUID leaf.
    struct Leaf {
        private(set) var ebx: UInt32 = 0
        private(set) var ecx: UInt32 = 0

        init(ebx: UInt32, ecx: UInt32) { (self.ebx, self.ecx) = (ebx, ecx) }

        /// Asks the processor for the leaf of this number, subleaf 0. Nil if it does not have the leaf.
        init?(_ number: UInt32) {
            var (eax, edx): (UInt32, UInt32) = (0, 0)
            // The call writes each register to its own variable, and to nothing else, before it returns.
            guard unsafe __get_cpuid_count(number, 0, &eax, &ebx, &ecx, &edx) != 0 else { return nil }
        }
    }
#elseif Accelerated && arch(arm64)
    extension InstructionSets {
        /// Advanced SIMD, and SHA-1 with SHA-256 if the processor has both. Every Apple processor for Arm64
        /// has them, so the vector is ignored there. Elsewhere AT_HWCAP in Linux's auxiliary vector must have
        /// both bits HWCAP_SHA1 and HWCAP_SHA2 ("ARM64 ELF hwcaps").
        static func ofSystem(_ auxiliaryVector: [UInt8]) -> Self {
            #if canImport(Darwin)
                return [.sha256, .advancedSIMD]
            #else
                let needed: UInt64 = 1 << 5 | 1 << 6
                let isReported = hardwareCapabilities(auxiliaryVector) & needed == needed
                return isReported ? [.sha256, .advancedSIMD] : .advancedSIMD
            #endif
        }
    }

    /// The value of AT_HWCAP (type 16) in the bytes of an auxiliary vector, whose entries are a type and a
    /// value of 8 bytes each. The first such entry counts; 0 if there is none.
    private func hardwareCapabilities(_ auxiliaryVector: [UInt8]) -> UInt64 {
        var rest = auxiliaryVector[...]
        while rest.count >= 16 {
            let (type, value) = (word(rest.prefix(8)), word(rest.dropFirst(8).prefix(8)))
            if type == 16 { return value }
            rest = rest.dropFirst(16)
        }
        return 0
    }

    /// The number in at most 8 bytes, the least significant byte first.
    private func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
#endif
