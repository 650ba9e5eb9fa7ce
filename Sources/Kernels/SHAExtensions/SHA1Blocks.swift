// The compression function of SHA-1 (FIPS 180-4 §6.1.2) with the SHA extensions of x86-64.
// SHA1Compression.swift of the module SHA defines the function in portable code.
//
// One vector holds the working variables a, b, c, d, and another holds W(t) … W(t + 3). The first element is
// in the highest lane. The variable e is not stored: in four rounds it will be ROTL³⁰ of the present a. Four
// instructions do the work (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2):
//
//     SHA1RNDS4  (a, b, c, d), (W(t) + e, W(t + 1), …), i
//                four rounds, with f and K of the rounds 20·i to 20·i + 19
//     SHA1NEXTE  (a, …), (W(t + 4), …)
//                adds ROTL³⁰(a), which is e four rounds later, to W(t + 4), and keeps the other words
//     SHA1MSG1   (W(t − 16), …), (W(t − 12), …)
//                W(t − 16) ⊕ W(t − 14), and likewise for the next three words
//     SHA1MSG2   (W(t − 16) ⊕ W(t − 14) ⊕ W(t − 8), …), (W(t − 4), …)
//                adds W(t − 3) and rotates: W(t) … W(t + 3). W(t + 3) needs W(t), which the instruction
//                computes first.
//
// Each SHA1RNDS4 waits for the previous one, and only this bounds the speed. The processor computes the
// schedule and loads the words of the next block at the same time.
#if Accelerated && arch(x86_64)
    import Builtin

    /// Updates a hash value of SHA-1 with whole blocks of 64 bytes, in order. Bytes after the last whole
    /// block are ignored.
    ///
    /// Unsafe: the processor must have the SHA extensions and SSE4.1. Otherwise the program crashes.
    ///
    /// - Parameters:
    ///   - value: the words H0 to H4 of the hash value, and three zeros.
    ///   - blocks: the blocks.
    @unsafe
    @inline(never)
    public func compressSHA1(_ value: inout SIMD8<UInt32>, _ blocks: RawSpan) {
        var hash = SIMD4(value[3], value[2], value[1], value[0])
        var hashE = SIMD4(0, 0, 0, value[4])
        var block = 0
        // Each vector is in bounds: at least 64 bytes are left from `block` on.
        while blocks.byteCount &- block >= 64 {
            var w0 = unsafe words(blocks, block)
            var w1 = unsafe words(blocks, block &+ 16)
            var w2 = unsafe words(blocks, block &+ 32)
            var w3 = unsafe words(blocks, block &+ 48)

            var abcd = hash
            var before = abcd
            abcd = rounds0to19(abcd, hashE &+ w0)
            rounds(&abcd, &before, w1, rounds0to19)
            rounds(&abcd, &before, w2, rounds0to19)
            rounds(&abcd, &before, w3, rounds0to19)
            rounds(&abcd, &before, schedule(&w0, w1, w2, w3), rounds0to19)
            rounds(&abcd, &before, schedule(&w1, w2, w3, w0), rounds20to39)
            rounds(&abcd, &before, schedule(&w2, w3, w0, w1), rounds20to39)
            rounds(&abcd, &before, schedule(&w3, w0, w1, w2), rounds20to39)
            rounds(&abcd, &before, schedule(&w0, w1, w2, w3), rounds20to39)
            rounds(&abcd, &before, schedule(&w1, w2, w3, w0), rounds20to39)
            rounds(&abcd, &before, schedule(&w2, w3, w0, w1), rounds40to59)
            rounds(&abcd, &before, schedule(&w3, w0, w1, w2), rounds40to59)
            rounds(&abcd, &before, schedule(&w0, w1, w2, w3), rounds40to59)
            rounds(&abcd, &before, schedule(&w1, w2, w3, w0), rounds40to59)
            rounds(&abcd, &before, schedule(&w2, w3, w0, w1), rounds40to59)
            rounds(&abcd, &before, schedule(&w3, w0, w1, w2), rounds60to79)
            rounds(&abcd, &before, schedule(&w0, w1, w2, w3), rounds60to79)
            rounds(&abcd, &before, schedule(&w1, w2, w3, w0), rounds60to79)
            rounds(&abcd, &before, schedule(&w2, w3, w0, w1), rounds60to79)
            rounds(&abcd, &before, schedule(&w3, w0, w1, w2), rounds60to79)

            hashE = next(before, hashE)
            hash = abcd &+ hash
            block &+= 64
        }
        value = SIMD8(hash[3], hash[2], hash[1], hash[0], hashE[3], 0, 0, 0)
    }

    /// Updates a to d by four rounds. e comes from the a in `before`, a to d of four rounds ago. `before`
    /// becomes a to d as they were before the call.
    @inline(__always)
    private func rounds(
        _ abcd: inout SIMD4<UInt32>,
        _ before: inout SIMD4<UInt32>,
        _ words: SIMD4<UInt32>,
        _ fourRounds: (SIMD4<UInt32>, SIMD4<UInt32>) -> SIMD4<UInt32>
    ) {
        let wordsAndE = next(before, words)
        before = abcd
        abcd = fourRounds(abcd, wordsAndE)
    }

    /// Computes W(t) … W(t + 3) of the message schedule from W(t − 16) … W(t − 1). Stores the four
    /// new words in `w16`, in place of W(t − 16) … W(t − 13), and returns the new words.
    @inline(__always)
    private func schedule(
        _ w16: inout SIMD4<UInt32>,
        _ w12: SIMD4<UInt32>,
        _ w8: SIMD4<UInt32>,
        _ w4: SIMD4<UInt32>
    ) -> SIMD4<UInt32> {
        var words = w16
        words._storage._value = Builtin.int_x86_sha1msg1(w16._storage._value, w12._storage._value)
        words ^= w8
        words._storage._value = Builtin.int_x86_sha1msg2(words._storage._value, w4._storage._value)
        w16 = words
        return words
    }

    /// SHA1NEXTE: adds ROTL³⁰ of the a in `before` to the first word, in the highest lane.
    @inline(__always)
    private func next(_ before: SIMD4<UInt32>, _ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        var sum = words
        sum._storage._value = Builtin.int_x86_sha1nexte(before._storage._value, words._storage._value)
        return sum
    }

    // SHA1RNDS4 encodes the choice of f and K in the instruction, so the choice cannot be a variable.

    /// SHA1RNDS4: a to d after four of the rounds 0 to 19. The first word already contains e.
    @inline(__always)
    private func rounds0to19(_ abcd: SIMD4<UInt32>, _ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        var next = abcd
        next._storage._value = Builtin.int_x86_sha1rnds4(
            abcd._storage._value,
            words._storage._value,
            (0 as Int8)._value
        )
        return next
    }

    /// SHA1RNDS4: a to d after four of the rounds 20 to 39. The first word already contains e.
    @inline(__always)
    private func rounds20to39(_ abcd: SIMD4<UInt32>, _ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        var next = abcd
        next._storage._value = Builtin.int_x86_sha1rnds4(
            abcd._storage._value,
            words._storage._value,
            (1 as Int8)._value
        )
        return next
    }

    /// SHA1RNDS4: a to d after four of the rounds 40 to 59. The first word already contains e.
    @inline(__always)
    private func rounds40to59(_ abcd: SIMD4<UInt32>, _ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        var next = abcd
        next._storage._value = Builtin.int_x86_sha1rnds4(
            abcd._storage._value,
            words._storage._value,
            (2 as Int8)._value
        )
        return next
    }

    /// SHA1RNDS4: a to d after four of the rounds 60 to 79. The first word already contains e.
    @inline(__always)
    private func rounds60to79(_ abcd: SIMD4<UInt32>, _ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        var next = abcd
        next._storage._value = Builtin.int_x86_sha1rnds4(
            abcd._storage._value,
            words._storage._value,
            (3 as Int8)._value
        )
        return next
    }

    /// Loads four big-endian words, the first in the highest lane.
    ///
    /// Unsafe: 16 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    private func words(_ blocks: RawSpan, _ offset: Int) -> SIMD4<UInt32> {
        var words = unsafe blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD4<UInt32>.self)
        words._storage._value = Builtin.int_bswap_Vec4xInt32(words._storage._value)
        return reversed(words)
    }

    /// The lanes in reverse order.
    @inline(__always)
    private func reversed(_ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        SIMD4(words[3], words[2], words[1], words[0])
    }
#endif
