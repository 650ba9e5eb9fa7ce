// The way to the processor's own instructions, where a program is built with them: hash values are handed to
// them as vectors. The modules of one architecture are called as those of the other.
#if Accelerated && arch(x86_64)
    import AVX512VL
    import SHAExtensions
#elseif Accelerated && arch(arm64)
    import ArmSHA256
    import ArmSHA512
#endif

#if Accelerated && (arch(x86_64) || arch(arm64))
    extension SHA1State {
        mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration) {
            guard acceleration.hasSHA256 else { return compress(blocks) }
            var h0to3 = SIMD4(h0, h1, h2, h3)
            // The processor has these instructions.
            unsafe compressSHA1(&h0to3, &h4, blocks)
            (h0, h1, h2, h3) = (h0to3[0], h0to3[1], h0to3[2], h0to3[3])
        }
    }

    extension SHA256State {
        mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration) {
            guard acceleration.hasSHA256 else { return compress(blocks) }
            var h0to3 = SIMD4(h0, h1, h2, h3)
            var h4to7 = SIMD4(h4, h5, h6, h7)
            // The processor has these instructions.
            unsafe compressSHA256(&h0to3, &h4to7, blocks)
            set(h0to3, h4to7)
        }

        private mutating func set(_ h0to3: SIMD4<UInt32>, _ h4to7: SIMD4<UInt32>) {
            (h0, h1, h2, h3) = (h0to3[0], h0to3[1], h0to3[2], h0to3[3])
            (h4, h5, h6, h7) = (h4to7[0], h4to7[1], h4to7[2], h4to7[3])
        }
    }

    extension SHA512State {
        mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration) {
            guard acceleration.hasSHA512 else { return compress(blocks) }
            var hash = words
            // The processor has these instructions, and the system keeps the registers.
            unsafe compressSHA512(&hash, blocks)
            (h0, h1, h2, h3) = (hash[0], hash[1], hash[2], hash[3])
            (h4, h5, h6, h7) = (hash[4], hash[5], hash[6], hash[7])
        }
    }
#endif

extension SHA256State {
    /// Takes the hash values of two messages past as many whole blocks as there are of both, if there
    /// are instructions for two at once.
    ///
    /// - Returns: how many bytes of each that was.
    mutating func compress(
        _ message: Span<UInt8>,
        with other: inout SHA256State,
        _ otherMessage: Span<UInt8>,
        _ acceleration: Acceleration
    ) -> Int {
        #if Accelerated && arch(x86_64)
            guard acceleration.hasSHA256 else { return 0 }
            var h0to3 = SIMD4(h0, h1, h2, h3)
            var h4to7 = SIMD4(h4, h5, h6, h7)
            var otherH0to3 = SIMD4(other.h0, other.h1, other.h2, other.h3)
            var otherH4to7 = SIMD4(other.h4, other.h5, other.h6, other.h7)
            // The processor has these instructions. A byte has no padding: the raw view of it is all
            // initialised.
            unsafe compressSHA256(
                &h0to3,
                &h4to7,
                message.bytes,
                &otherH0to3,
                &otherH4to7,
                otherMessage.bytes
            )
            set(h0to3, h4to7)
            other.set(otherH0to3, otherH4to7)
            return min(message.count, otherMessage.count) & ~63
        #else
            return 0
        #endif
    }
}
