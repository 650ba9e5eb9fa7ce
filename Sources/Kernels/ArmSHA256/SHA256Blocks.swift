// The compression function of SHA-256 (FIPS 180-4 §6.2.2) with FEAT_SHA256 of Arm64. SHA256Compression.swift
// of the module SHA defines the function in portable code.
//
// One vector holds the working variables a, b, c, d, a second holds e, f, g, h, and a third holds
// W(t) … W(t + 3). The first element is in the lowest lane. Four instructions do the work (Arm Architecture
// Reference Manual for A-profile, C7.2):
//
//     SHA256H    (a, b, c, d), (e, f, g, h), (W(t) + K(t), W(t + 1) + K(t + 1), …)
//                (a, b, c, d) after four rounds
//     SHA256H2   (e, f, g, h), (a, b, c, d), (W(t) + K(t), …)
//                (e, f, g, h) after the same four rounds
//     SHA256SU0  (W(t − 16), …), (W(t − 12), …)
//                W(t − 16) + σ0(W(t − 15)), and likewise for the next three words
//     SHA256SU1  (W(t − 16) + σ0(W(t − 15)), …), (W(t − 8), …), (W(t − 4), …)
//                adds W(t − 7) and σ1(W(t − 2)): W(t) … W(t + 3). The last two words need the first two,
//                which the instruction computes first.
#if Accelerated && arch(arm64)
    import Builtin

    /// A hash value of SHA-256 or the working variables a to h, a and e in the lowest lanes.
    private typealias HashValue = (abcd: SIMD4<UInt32>, efgh: SIMD4<UInt32>)

    /// Updates a hash value of SHA-256 with whole blocks of 64 bytes, in order. Bytes after the last whole
    /// block are ignored.
    ///
    /// Unsafe: the processor must have FEAT_SHA256. Otherwise the program crashes.
    ///
    /// - Parameters:
    ///   - value: the words H0 to H7.
    ///   - blocks: the blocks.
    @unsafe
    @inline(never)
    // Embedded Swift would compile this function again in its callers, without the flags of this target.
    #if hasAttribute(export)
        @export(interface)
    #endif
    public func compressSHA256(_ value: inout SIMD8<UInt32>, _ blocks: RawSpan) {
        var hash: HashValue = (
            SIMD4(value[0], value[1], value[2], value[3]), SIMD4(value[4], value[5], value[6], value[7])
        )
        var offset = 0
        // 64 bytes are left from `offset` on.
        while blocks.byteCount &- offset >= 64 {
            var (words, working) = unsafe (block(blocks, offset), hash)
            forEachStep { step(&working, &words, $0, makesWords: $1) }
            hash = (hash.abcd &+ working.abcd, hash.efgh &+ working.efgh)
            offset &+= 64
        }
        value = SIMD8(lowHalf: hash.abcd, highHalf: hash.efgh)
    }

    /// Calls `body` for the sixty-four rounds, four at a time, with their constants K(t) (FIPS 180-4 §4.2.2)
    /// and whether the message schedule needs four more words.
    @inline(__always)
    private func forEachStep(_ body: (_ constants: SIMD4<UInt32>, _ makesWords: Bool) -> Void) {
        body(SIMD4(0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5), true)
        body(SIMD4(0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5), true)
        body(SIMD4(0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3), true)
        body(SIMD4(0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174), true)
        body(SIMD4(0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc), true)
        body(SIMD4(0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da), true)
        body(SIMD4(0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7), true)
        body(SIMD4(0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967), true)
        body(SIMD4(0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13), true)
        body(SIMD4(0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85), true)
        body(SIMD4(0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3), true)
        body(SIMD4(0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070), true)
        body(SIMD4(0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5), false)
        body(SIMD4(0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3), false)
        body(SIMD4(0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208), false)
        body(SIMD4(0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2), false)
    }

    /// Four rounds with the first four of 16 words. Moves the other twelve words to the front. If
    /// `makesWords` is true, puts the next four words of the schedule after them. Otherwise the last four
    /// are meaningless.
    @inline(__always)
    private func step(
        _ working: inout HashValue,
        _ words: inout Words,
        _ constants: SIMD4<UInt32>,
        makesWords: Bool
    ) {
        rounds(&working, words.w0 &+ constants)
        let next = makesWords ? schedule(words) : words.w0
        words = (words.w4, words.w8, words.w12, next)
    }

    /// Updates the working variables by four rounds. `sums` holds W(t) + K(t) for each round.
    @inline(__always)
    private func rounds(_ working: inout HashValue, _ sums: SIMD4<UInt32>) {
        let (abcd, efgh) = working
        working.abcd._storage._value = Builtin.int_aarch64_crypto_sha256h(
            abcd._storage._value,
            efgh._storage._value,
            sums._storage._value
        )
        working.efgh._storage._value = Builtin.int_aarch64_crypto_sha256h2(
            efgh._storage._value,
            abcd._storage._value,
            sums._storage._value
        )
    }

    /// W(t) … W(t + 3) of the message schedule, computed from `words`, which are W(t − 16) … W(t − 1).
    @inline(__always)
    private func schedule(_ words: Words) -> SIMD4<UInt32> {
        var next = words.w0
        next._storage._value = Builtin.int_aarch64_crypto_sha256su0(
            words.w0._storage._value,
            words.w4._storage._value
        )
        next._storage._value = Builtin.int_aarch64_crypto_sha256su1(
            next._storage._value,
            words.w8._storage._value,
            words.w12._storage._value
        )
        return next
    }
#endif
