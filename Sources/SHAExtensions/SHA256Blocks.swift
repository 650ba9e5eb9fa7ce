// The compression function of SHA-256 (FIPS 180-4 §6.2.2) by the SHA extensions of x86-64. The function
// itself is defined, and written out plainly, in SHA256Compression.swift of the module SHA.
//
// Of the working variables a, b, e, f lie in one vector and c, d, g, h in another, each with the first in the
// highest lane; W(t) … W(t + 3) lie with the first in the lowest. After two rounds c, d, g, h are what a, b,
// e, f were before, so that only the latter are made anew. Three instructions do the work (Intel 64 and IA-32
// Architectures Software Developer's Manual, volume 2):
//
//     SHA256RNDS2  (c, d, g, h), (a, b, e, f), (W(t) + K(t), W(t + 1) + K(t + 1))
//                  two rounds: (a, b, e, f) after them
//     SHA256MSG1   (W(t − 16), …), (W(t − 12), …)
//                  W(t − 16) + σ0(W(t − 15)), and so the next three
//     SHA256MSG2   (W(t − 16) + σ0(W(t − 15)) + W(t − 7), …), (W(t − 4), …)
//                  with σ1(W(t − 2)) as well: W(t) … W(t + 3), the last two by way of the first two
//
// Each SHA256RNDS2 waits for the one before, which is all that bounds the speed: the schedule, the next
// block's words among it, is made meanwhile.
#if Accelerated && arch(x86_64)
    import Builtin

    /// Takes the hash value of SHA-256, H0 to H3 and H4 to H7, past whole blocks of 64 bytes, in order. Bytes
    /// after the last whole block are not looked at.
    ///
    /// Unsafe: the processor must have the SHA extensions and SSE4.1, or the program ends.
    @unsafe
    @inline(never)
    public func compressSHA256(
        _ h0to3: inout SIMD4<UInt32>,
        _ h4to7: inout SIMD4<UInt32>,
        _ blocks: RawSpan
    ) {
        var hashABEF = SIMD4(h4to7[1], h4to7[0], h0to3[1], h0to3[0])
        var hashCDGH = SIMD4(h4to7[3], h4to7[2], h0to3[3], h0to3[2])
        var block = 0
        // Each vector is in bounds: 64 bytes are left from `block` on.
        while blocks.byteCount &- block >= 64 {
            var w0 = unsafe words(blocks, block)
            var w1 = unsafe words(blocks, block &+ 16)
            var w2 = unsafe words(blocks, block &+ 32)
            var w3 = unsafe words(blocks, block &+ 48)

            var abef = hashABEF
            var cdgh = hashCDGH
            rounds(&abef, &cdgh, w0, SIMD4(0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5))
            rounds(&abef, &cdgh, w1, SIMD4(0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5))
            rounds(&abef, &cdgh, w2, SIMD4(0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3))
            rounds(&abef, &cdgh, w3, SIMD4(0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174))
            schedule(&w0, w1, w2, w3)
            rounds(&abef, &cdgh, w0, SIMD4(0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc))
            schedule(&w1, w2, w3, w0)
            rounds(&abef, &cdgh, w1, SIMD4(0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da))
            schedule(&w2, w3, w0, w1)
            rounds(&abef, &cdgh, w2, SIMD4(0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7))
            schedule(&w3, w0, w1, w2)
            rounds(&abef, &cdgh, w3, SIMD4(0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967))
            schedule(&w0, w1, w2, w3)
            rounds(&abef, &cdgh, w0, SIMD4(0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13))
            schedule(&w1, w2, w3, w0)
            rounds(&abef, &cdgh, w1, SIMD4(0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85))
            schedule(&w2, w3, w0, w1)
            rounds(&abef, &cdgh, w2, SIMD4(0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3))
            schedule(&w3, w0, w1, w2)
            rounds(&abef, &cdgh, w3, SIMD4(0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070))
            schedule(&w0, w1, w2, w3)
            rounds(&abef, &cdgh, w0, SIMD4(0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5))
            schedule(&w1, w2, w3, w0)
            rounds(&abef, &cdgh, w1, SIMD4(0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3))
            schedule(&w2, w3, w0, w1)
            rounds(&abef, &cdgh, w2, SIMD4(0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208))
            schedule(&w3, w0, w1, w2)
            rounds(&abef, &cdgh, w3, SIMD4(0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2))

            hashABEF = abef &+ hashABEF
            hashCDGH = cdgh &+ hashCDGH
            block &+= 64
        }
        h0to3 = SIMD4(hashABEF[3], hashABEF[2], hashCDGH[3], hashCDGH[2])
        h4to7 = SIMD4(hashABEF[1], hashABEF[0], hashCDGH[1], hashCDGH[0])
    }

    /// Four rounds, with their words and their constants.
    @inline(__always)
    private func rounds(
        _ abef: inout SIMD4<UInt32>,
        _ cdgh: inout SIMD4<UInt32>,
        _ words: SIMD4<UInt32>,
        _ constants: SIMD4<UInt32>
    ) {
        let sum = words &+ constants
        // Two rounds make (a, b, e, f) in the place of what they leave, and the vectors change places; the
        // next two change them back.
        cdgh._storage._value = Builtin.int_x86_sha256rnds2(
            cdgh._storage._value,
            abef._storage._value,
            sum._storage._value
        )
        let upper = SIMD4(sum[2], sum[3], sum[2], sum[3])
        abef._storage._value = Builtin.int_x86_sha256rnds2(
            abef._storage._value,
            cdgh._storage._value,
            upper._storage._value
        )
    }

    /// W(t) … W(t + 3), put in the place of W(t − 16) … W(t − 13), from the twelve words after those.
    @inline(__always)
    private func schedule(
        _ w16: inout SIMD4<UInt32>,
        _ w12: SIMD4<UInt32>,
        _ w8: SIMD4<UInt32>,
        _ w4: SIMD4<UInt32>
    ) {
        w16._storage._value = Builtin.int_x86_sha256msg1(w16._storage._value, w12._storage._value)
        w16 &+= SIMD4(w8[1], w8[2], w8[3], w4[0])
        w16._storage._value = Builtin.int_x86_sha256msg2(w16._storage._value, w4._storage._value)
    }

    /// Four words, big-endian, the first in the lowest lane. Not checked: 16 bytes are left from the offset
    /// on.
    @inline(__always)
    @unsafe
    private func words(_ blocks: RawSpan, _ offset: Int) -> SIMD4<UInt32> {
        var words = unsafe blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD4<UInt32>.self)
        words._storage._value = Builtin.int_bswap_Vec4xInt32(words._storage._value)
        return words
    }
#endif
