// What the processor says of itself, where a program is built with instructions to use: on x86-64 to whoever
// asks (CPUID in Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2), on Arm64 to the
// system.
#if Accelerated && arch(x86_64)
    import IFMA
    import _Builtin_intrinsics.intel.cpuid

    extension Acceleration {
        /// What the processor has of what the program was built with.
        static func ofProcessor() -> Self {
            guard let features = Leaf(1), let extended = Leaf(7) else { return .none }
            // The registers that the SHA extensions use are those of SSE, which every system saves.
            let hasSHAExtensions =
                features.ecx & UInt32(bit_SSE41) != 0 && extended.ebx & UInt32(bit_SHA) != 0
            // Those of AVX-512 it need not save. Which it does is said in XCR0, and that this may be read by
            // OSXSAVE: SSE, AVX, and of AVX-512 the masks, the upper halves of sixteen vectors, and sixteen
            // more (volume 1, section 15.2).
            let states: UInt64 = 0b1110_0110
            let savesVectors =
                features.ecx & UInt32(bit_OSXSAVE) != 0 && (unsafe enabledStates()) & states == states
            // What the compiler takes AVX-512 to bring along, as it does on every processor there is.
            let usual = UInt32(bit_FMA) | UInt32(bit_F16C) | UInt32(bit_POPCNT)
            let vectors = UInt32(bit_AVX512F) | UInt32(bit_AVX2)
            let hasAVX512 =
                savesVectors && features.ecx & usual == usual && extended.ebx & vectors == vectors
            let beside = UInt32(bit_AVX512VL) | UInt32(bit_BMI) | UInt32(bit_BMI2)
            return Self(
                hasSHA256: hasSHAExtensions,
                hasSHA512: hasAVX512 && extended.ebx & beside == beside,
                hasIFMA: hasAVX512 && extended.ebx & UInt32(bit_AVX512IFMA) != 0,
                // Its bytes are loaded, compared and multiplied by instructions of AVX-512 BW.
                hasBase64: hasAVX512 && extended.ebx & UInt32(bit_AVX512BW) != 0
                    && extended.ecx & UInt32(bit_AVX512VBMI) != 0
            )
        }
    }

    /// A leaf of CPUID; nil if the processor does not know it.
    private struct Leaf {
        private(set) var ebx: UInt32 = 0
        private(set) var ecx: UInt32 = 0

        init?(_ number: UInt32) {
            var (eax, edx): (UInt32, UInt32) = (0, 0)
            // Each register is written to a place of its own, and to no other, before the call returns.
            guard unsafe __get_cpuid_count(number, 0, &eax, &ebx, &ecx, &edx) != 0 else { return nil }
        }
    }
#elseif Accelerated && arch(arm64)
    extension Acceleration {
        /// What every processor of Apple's for Arm64 has, those of its Macs more than the others; elsewhere
        /// what the system says: its HWCAP_SHA1 and HWCAP_SHA2, and HWCAP_SHA512, with those two and
        /// HWCAP_SHA3 that the compiler takes it to bring along ("ARM64 ELF hwcaps" of Linux).
        static func ofSystem(_ auxiliaryVector: [UInt8]) -> Self {
            #if os(macOS)
                let (hasSHA256, hasSHA512) = (true, true)
            #elseif canImport(Darwin)
                let (hasSHA256, hasSHA512) = (true, false)
            #else
                let capabilities = hardwareCapabilities(auxiliaryVector)
                let sha256: UInt64 = 1 << 5 | 1 << 6
                let sha512: UInt64 = sha256 | 1 << 17 | 1 << 21
                let hasSHA256 = capabilities & sha256 == sha256
                let hasSHA512 = capabilities & sha512 == sha512
            #endif
            // Advanced SIMD is part of every Arm64.
            return Self(hasSHA256: hasSHA256, hasSHA512: hasSHA512, hasIFMA: false, hasBase64: true)
        }
    }

    /// The value of AT_HWCAP, which is type 16, in pairs of a type and a value; 0 if it is not there.
    private func hardwareCapabilities(_ auxiliaryVector: [UInt8]) -> UInt64 {
        var rest = auxiliaryVector[...]
        while rest.count >= 16 {
            let (type, value) = (word(rest.prefix(8)), word(rest.dropFirst(8).prefix(8)))
            if type == 16 { return value }
            rest = rest.dropFirst(16)
        }
        return 0
    }

    /// Eight bytes, the least significant first.
    private func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
#endif
