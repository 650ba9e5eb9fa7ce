// The way to the SHA extensions of x86-64, where a program is built with them: the hash values of SHA-1 and
// SHA-256 are handed to them as vectors.
#if Accelerated && arch(x86_64)
    import SHAExtensions

    extension SHA1State {
        mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration) {
            guard acceleration.hasSHAExtensions else { return compress(blocks) }
            var h0to3 = SIMD4(h0, h1, h2, h3)
            // The processor has said that it has these instructions.
            unsafe compressSHA1(&h0to3, &h4, blocks)
            (h0, h1, h2, h3) = (h0to3[0], h0to3[1], h0to3[2], h0to3[3])
        }
    }

    extension SHA256State {
        mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration) {
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
