// The compression function of SHA-1 (FIPS 180-4 §6.1.2) by FEAT_SHA1 of Arm64. The function itself is
// defined, and written out plainly, in SHA1Compression.swift of the module SHA.
//
// The working variables a, b, c, d lie in one vector, W(t) … W(t + 3) in another, both with the first in the
// lowest lane. The variable e is a word by itself: four rounds later it is ROTL³⁰ of what a is now. Six
// instructions do the work (Arm Architecture Reference Manual for A-profile, C7.2):
//
//     SHA1C, SHA1P, SHA1M  (a, b, c, d), e, (W(t) + K(t), W(t + 1) + K(t + 1), …)
//                          four rounds, with f of the rounds 0 to 19 (Ch), of those from 20 on and from 60 on
//                          (Parity), and of the rounds 40 to 59 (Maj)
//     SHA1H                a
//                          ROTL³⁰(a), which is e four rounds on
//     SHA1SU0              (W(t − 16), …), (W(t − 12), …), (W(t − 8), …)
//                          W(t − 16) ⊕ W(t − 14) ⊕ W(t − 8), and so the next three
//     SHA1SU1              (W(t − 16) ⊕ W(t − 14) ⊕ W(t − 8), …), (W(t − 4), …)
//                          with W(t − 3) as well, rotated: W(t) … W(t + 3), the last by way of the first
#if Accelerated && arch(arm64)
    import Builtin

    /// Takes the hash value of SHA-1, H0 to H3 in a vector and H4, past whole blocks of 64 bytes, in order.
    /// Bytes after the last whole block are not looked at.
    ///
    /// Unsafe: the processor must have FEAT_SHA1, or the program ends.
    @unsafe
    @inline(never)
    // Embedded Swift would compile it again where it is called, without what this module is compiled with.
    #if hasAttribute(export)
        @export(interface)
    #endif
    public func compressSHA1(_ h0to3: inout SIMD4<UInt32>, _ h4: inout UInt32, _ blocks: RawSpan) {
        var (hash, hashE) = (h0to3, h4)
        var offset = 0
        // 64 bytes are left from `offset` on.
        while blocks.byteCount &- offset >= 64 {
            var words = unsafe block(blocks, offset)
            var (abcd, e) = (hash, hashE)
            // K(0) to K(79) are four, for twenty rounds each (§4.2.1).
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
        (h0to3, h4) = (hash, hashE)
    }

    /// Four rounds, and four words of the schedule.
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

    /// W(t) … W(t + 3), from the sixteen words before them.
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

    /// SHA1C.
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

    /// SHA1P.
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

    /// SHA1M.
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
