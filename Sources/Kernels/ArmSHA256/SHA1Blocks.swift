// The compression function of SHA-1 (FIPS 180-4 §6.1.2) with FEAT_SHA1 of Arm64. SHA1Compression.swift of the
// module SHA defines the function in portable code.
//
// One vector holds the working variables a, b, c, d, and another holds W(t) … W(t + 3). The first element is
// in the lowest lane. The variable e is a separate word: in four rounds it will be ROTL³⁰ of the present a.
// Six instructions do the work (Arm Architecture Reference Manual for A-profile, C7.2):
//
//     SHA1C, SHA1P, SHA1M  (a, b, c, d), e, (W(t) + K(t), W(t + 1) + K(t + 1), …)
//                          four rounds, with f = Ch (rounds 0 to 19), f = Parity (rounds 20 to 39 and 60 to
//                          79), or f = Maj (rounds 40 to 59)
//     SHA1H                a
//                          ROTL³⁰(a), which is e four rounds later
//     SHA1SU0              (W(t − 16), …), (W(t − 12), …), (W(t − 8), …)
//                          W(t − 16) ⊕ W(t − 14) ⊕ W(t − 8), and likewise for the next three words
//     SHA1SU1              (W(t − 16) ⊕ W(t − 14) ⊕ W(t − 8), …), (W(t − 4), …)
//                          adds W(t − 3) and rotates: W(t) … W(t + 3). W(t + 3) needs W(t), which the
//                          instruction computes first.
#if Accelerated && arch(arm64)
    import Builtin

    /// Updates a hash value of SHA-1 with whole blocks of 64 bytes, in order. Bytes after the last whole
    /// block are ignored.
    ///
    /// Unsafe: the processor must have FEAT_SHA1. Otherwise the program crashes.
    ///
    /// - Parameters:
    ///   - value: the words H0 to H4 of the hash value, and three zeros.
    ///   - blocks: the blocks.
    @unsafe
    @inline(never)
    // Embedded Swift would compile this function again in its callers, without the flags of this target.
    #if hasAttribute(export)
        @export(interface)
    #endif
    public func compressSHA1(_ value: inout SIMD8<UInt32>, _ blocks: RawSpan) {
        var (hash, hashE) = (SIMD4(value[0], value[1], value[2], value[3]), value[4])
        var offset = 0
        // 64 bytes are left from `offset` on.
        while blocks.byteCount &- offset >= 64 {
            var words = unsafe block(blocks, offset)
            var (abcd, e) = (hash, hashE)
            // K(0) to K(79) take four values, each for twenty rounds (§4.2.1).
            rounds(&abcd, &e, &words, 0x5a827999, makesWords: true, choose)
            rounds(&abcd, &e, &words, 0x5a827999, makesWords: true, choose)
            rounds(&abcd, &e, &words, 0x5a827999, makesWords: true, choose)
            rounds(&abcd, &e, &words, 0x5a827999, makesWords: true, choose)
            rounds(&abcd, &e, &words, 0x5a827999, makesWords: true, choose)
            rounds(&abcd, &e, &words, 0x6ed9eba1, makesWords: true, parity)
            rounds(&abcd, &e, &words, 0x6ed9eba1, makesWords: true, parity)
            rounds(&abcd, &e, &words, 0x6ed9eba1, makesWords: true, parity)
            rounds(&abcd, &e, &words, 0x6ed9eba1, makesWords: true, parity)
            rounds(&abcd, &e, &words, 0x6ed9eba1, makesWords: true, parity)
            rounds(&abcd, &e, &words, 0x8f1bbcdc, makesWords: true, majority)
            rounds(&abcd, &e, &words, 0x8f1bbcdc, makesWords: true, majority)
            rounds(&abcd, &e, &words, 0x8f1bbcdc, makesWords: true, majority)
            rounds(&abcd, &e, &words, 0x8f1bbcdc, makesWords: true, majority)
            rounds(&abcd, &e, &words, 0x8f1bbcdc, makesWords: true, majority)
            rounds(&abcd, &e, &words, 0xca62c1d6, makesWords: true, parity)
            rounds(&abcd, &e, &words, 0xca62c1d6, makesWords: false, parity)
            rounds(&abcd, &e, &words, 0xca62c1d6, makesWords: false, parity)
            rounds(&abcd, &e, &words, 0xca62c1d6, makesWords: false, parity)
            rounds(&abcd, &e, &words, 0xca62c1d6, makesWords: false, parity)
            hash &+= abcd
            hashE &+= e
            offset &+= 64
        }
        value = SIMD8(hash[0], hash[1], hash[2], hash[3], hashE, 0, 0, 0)
    }

    /// Four rounds with the first four of 16 words. Moves the other twelve words to the front. If
    /// `makesWords` is true, puts the next four words of the schedule after them. Otherwise the last four
    /// are meaningless.
    @inline(__always)
    private func rounds(
        _ abcd: inout SIMD4<UInt32>,
        _ e: inout UInt32,
        _ words: inout Words,
        _ constant: UInt32,
        makesWords: Bool,
        _ fourRounds: (SIMD4<UInt32>, UInt32, SIMD4<UInt32>) -> SIMD4<UInt32>
    ) {
        let nextE = UInt32(Builtin.int_aarch64_crypto_sha1h(abcd[0]._value))
        abcd = fourRounds(abcd, e, words.w0 &+ SIMD4(repeating: constant))
        e = nextE
        let next = makesWords ? schedule(words) : words.w0
        words = (words.w4, words.w8, words.w12, next)
    }

    /// W(t) … W(t + 3) of the message schedule, computed from `words`, which are W(t − 16) … W(t − 1).
    @inline(__always)
    private func schedule(_ words: Words) -> SIMD4<UInt32> {
        var next = words.w0
        next._storage._value = Builtin.int_aarch64_crypto_sha1su0(
            words.w0._storage._value,
            words.w4._storage._value,
            words.w8._storage._value
        )
        next._storage._value = Builtin.int_aarch64_crypto_sha1su1(
            next._storage._value,
            words.w12._storage._value
        )
        return next
    }

    /// SHA1C: a to d after four rounds with f = Ch. `sums` holds W(t) + K(t) for each round.
    @inline(__always)
    private func choose(_ abcd: SIMD4<UInt32>, _ e: UInt32, _ sums: SIMD4<UInt32>) -> SIMD4<UInt32> {
        var next = abcd
        next._storage._value = Builtin.int_aarch64_crypto_sha1c(
            abcd._storage._value,
            e._value,
            sums._storage._value
        )
        return next
    }

    /// SHA1P: a to d after four rounds with f = Parity. `sums` holds W(t) + K(t) for each round.
    @inline(__always)
    private func parity(_ abcd: SIMD4<UInt32>, _ e: UInt32, _ sums: SIMD4<UInt32>) -> SIMD4<UInt32> {
        var next = abcd
        next._storage._value = Builtin.int_aarch64_crypto_sha1p(
            abcd._storage._value,
            e._value,
            sums._storage._value
        )
        return next
    }

    /// SHA1M: a to d after four rounds with f = Maj. `sums` holds W(t) + K(t) for each round.
    @inline(__always)
    private func majority(_ abcd: SIMD4<UInt32>, _ e: UInt32, _ sums: SIMD4<UInt32>) -> SIMD4<UInt32> {
        var next = abcd
        next._storage._value = Builtin.int_aarch64_crypto_sha1m(
            abcd._storage._value,
            e._value,
            sums._storage._value
        )
        return next
    }
#endif
