// The compression function of SHA-1 (FIPS 180-4 §6.1.2) by the SHA extensions of x86-64. The function itself
// is defined, and written out plainly, in SHA1Compression.swift of the module SHA.
//
// The working variables a, b, c, d lie in one vector, W(t) … W(t + 3) in another, both with the first in the
// highest lane. The variable e is never moved by itself: four rounds later it is ROTL³⁰ of what a is now.
// Four instructions do the work (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2):
//
//     SHA1RNDS4  (a, b, c, d), (W(t) + e, W(t + 1), …), i
//                four rounds, with f and K of the rounds 20 i to 20 i + 19
//     SHA1NEXTE  (a, …), (W(t + 4), …)
//                ROTL³⁰(a), which is e four rounds on, added to W(t + 4), the other words as they are
//     SHA1MSG1   (W(t − 16), …), (W(t − 12), …)
//                W(t − 16) ⊕ W(t − 14), and so the next three
//     SHA1MSG2   (W(t − 16) ⊕ W(t − 14) ⊕ W(t − 8), …), (W(t − 4), …)
//                with W(t − 3) as well, rotated: W(t) … W(t + 3), the last by way of the first
//
// Each SHA1RNDS4 waits for the one before, which is all that bounds the speed: the schedule, the next block's
// words among it, is made meanwhile.
#if Accelerated && arch(x86_64)
    import Builtin

    /// Takes the hash value of SHA-1, H0 to H3 in a vector and H4, past whole blocks of 64 bytes, in order.
    /// Bytes after the last whole block are not looked at.
    ///
    /// Unsafe: the processor must have the SHA extensions and SSE4.1, or the program ends.
    @unsafe
    @inline(never)
    public func compressSHA1(_ h0to3: inout SIMD4<UInt32>, _ h4: inout UInt32, _ blocks: RawSpan) {
        var hash = reversed(h0to3)
        var hashE = SIMD4(0, 0, 0, h4)
        var block = 0
        // Each vector is in bounds: 64 bytes are left from `block` on.
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
        h0to3 = reversed(hash)
        h4 = hashE[3]
    }

    /// Four rounds: `before` is what the variables were four rounds ago, from which their e comes.
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

    /// W(t) … W(t + 3), put in the place of W(t − 16) … W(t − 13), from the twelve words after those.
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

    /// SHA1NEXTE.
    @inline(__always)
    private func next(_ before: SIMD4<UInt32>, _ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        var sum = words
        sum._storage._value = Builtin.int_x86_sha1nexte(before._storage._value, words._storage._value)
        return sum
    }

    // SHA1RNDS4 has the choice of f and K in the instruction: it cannot be a variable.

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

    /// Four words, big-endian, the first in the highest lane. Not checked: 16 bytes are left from the offset
    /// on.
    @inline(__always)
    @unsafe
    private func words(_ blocks: RawSpan, _ offset: Int) -> SIMD4<UInt32> {
        var words = unsafe blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD4<UInt32>.self)
        words._storage._value = Builtin.int_bswap_Vec4xInt32(words._storage._value)
        return reversed(words)
    }

    @inline(__always)
    private func reversed(_ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        SIMD4(words[3], words[2], words[1], words[0])
    }
#endif
