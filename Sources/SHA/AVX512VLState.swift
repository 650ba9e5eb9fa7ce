// The way to AVX-512 VL of x86-64, where a program is built with it: the hash value of SHA-512 and SHA-384 is
// handed to it as a vector.
#if Accelerated && arch(x86_64)
    import AVX512VL

    extension SHA512State {
        mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration) {
            guard acceleration.hasAVX512VL else { return compress(blocks) }
            var hash = words
            // The processor has said that it has these instructions, and that the system keeps the registers.
            unsafe compressSHA512(&hash, blocks)
            (h0, h1, h2, h3) = (hash[0], hash[1], hash[2], hash[3])
            (h4, h5, h6, h7) = (hash[4], hash[5], hash[6], hash[7])
        }
    }
#endif
