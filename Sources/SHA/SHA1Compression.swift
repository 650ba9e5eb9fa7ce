// The compression function of SHA-1 (FIPS 180-4 §4.1.1, §4.2.1, §6.1).
//
// A block is sixteen words W(0) … W(15) of 32 bits. The message schedule extends them to eighty:
//
//     W(t) = ROTL¹(W(t − 3) ⊕ W(t − 8) ⊕ W(t − 14) ⊕ W(t − 16))
//
// Five working variables start with the hash value. Each of the eighty rounds uses one word:
//
//     (a, b, c, d, e) ← (ROTL⁵(a) + f(b, c, d) + e + K + W(t), a, ROTL³⁰(b), c, d)
//
// f and K change every twenty rounds: f is Ch, Parity, Maj, Parity, and K is √2, √3, √5, √10 times 2^30.
// After the last round the variables are added to the hash value. All sums are modulo 2^32.
//
// The rounds are unrolled. The variables then stay in their registers, only sixteen words are stored at a
// time, and the constants are part of the code.

/// SHA-1 (FIPS 180-4 §6.1). Collisions can be made, so it must not protect anything new.
enum SHA1 {
    /// The initial hash value H(0) (FIPS 180-4 §5.3.1): five words, and three zeros.
    static var initialHashValue: SIMD8<UInt32> {
        SIMD8(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0, 0, 0, 0)
    }

    /// Updates `hash` with the whole 64-byte blocks in `blocks` (FIPS 180-4 §6.1.2). Ignores other bytes.
    static func compress(_ hash: inout SIMD8<UInt32>, _ blocks: RawSpan) {
        var (h0, h1, h2, h3, h4) = (hash[0], hash[1], hash[2], hash[3], hash[4])
        var block = 0
        // Each word is in bounds: 64 bytes are left from `block` on.
        while blocks.byteCount &- block >= 64 {
            var w0 = unsafe UInt32(blocks, uncheckedAt: block)
            var w1 = unsafe UInt32(blocks, uncheckedAt: block &+ 4)
            var w2 = unsafe UInt32(blocks, uncheckedAt: block &+ 8)
            var w3 = unsafe UInt32(blocks, uncheckedAt: block &+ 12)
            var w4 = unsafe UInt32(blocks, uncheckedAt: block &+ 16)
            var w5 = unsafe UInt32(blocks, uncheckedAt: block &+ 20)
            var w6 = unsafe UInt32(blocks, uncheckedAt: block &+ 24)
            var w7 = unsafe UInt32(blocks, uncheckedAt: block &+ 28)
            var w8 = unsafe UInt32(blocks, uncheckedAt: block &+ 32)
            var w9 = unsafe UInt32(blocks, uncheckedAt: block &+ 36)
            var w10 = unsafe UInt32(blocks, uncheckedAt: block &+ 40)
            var w11 = unsafe UInt32(blocks, uncheckedAt: block &+ 44)
            var w12 = unsafe UInt32(blocks, uncheckedAt: block &+ 48)
            var w13 = unsafe UInt32(blocks, uncheckedAt: block &+ 52)
            var w14 = unsafe UInt32(blocks, uncheckedAt: block &+ 56)
            var w15 = unsafe UInt32(blocks, uncheckedAt: block &+ 60)

            var a = h0, b = h1, c = h2, d = h3, e = h4
            chooseRound(a, &b, c, d, &e, w0)
            chooseRound(e, &a, b, c, &d, w1)
            chooseRound(d, &e, a, b, &c, w2)
            chooseRound(c, &d, e, a, &b, w3)
            chooseRound(b, &c, d, e, &a, w4)
            chooseRound(a, &b, c, d, &e, w5)
            chooseRound(e, &a, b, c, &d, w6)
            chooseRound(d, &e, a, b, &c, w7)
            chooseRound(c, &d, e, a, &b, w8)
            chooseRound(b, &c, d, e, &a, w9)
            chooseRound(a, &b, c, d, &e, w10)
            chooseRound(e, &a, b, c, &d, w11)
            chooseRound(d, &e, a, b, &c, w12)
            chooseRound(c, &d, e, a, &b, w13)
            chooseRound(b, &c, d, e, &a, w14)
            chooseRound(a, &b, c, d, &e, w15)
            chooseRound(e, &a, b, c, &d, schedule(&w0, w2, w8, w13))
            chooseRound(d, &e, a, b, &c, schedule(&w1, w3, w9, w14))
            chooseRound(c, &d, e, a, &b, schedule(&w2, w4, w10, w15))
            chooseRound(b, &c, d, e, &a, schedule(&w3, w5, w11, w0))
            parityRound(a, &b, c, d, &e, 0x6ed9eba1, schedule(&w4, w6, w12, w1))
            parityRound(e, &a, b, c, &d, 0x6ed9eba1, schedule(&w5, w7, w13, w2))
            parityRound(d, &e, a, b, &c, 0x6ed9eba1, schedule(&w6, w8, w14, w3))
            parityRound(c, &d, e, a, &b, 0x6ed9eba1, schedule(&w7, w9, w15, w4))
            parityRound(b, &c, d, e, &a, 0x6ed9eba1, schedule(&w8, w10, w0, w5))
            parityRound(a, &b, c, d, &e, 0x6ed9eba1, schedule(&w9, w11, w1, w6))
            parityRound(e, &a, b, c, &d, 0x6ed9eba1, schedule(&w10, w12, w2, w7))
            parityRound(d, &e, a, b, &c, 0x6ed9eba1, schedule(&w11, w13, w3, w8))
            parityRound(c, &d, e, a, &b, 0x6ed9eba1, schedule(&w12, w14, w4, w9))
            parityRound(b, &c, d, e, &a, 0x6ed9eba1, schedule(&w13, w15, w5, w10))
            parityRound(a, &b, c, d, &e, 0x6ed9eba1, schedule(&w14, w0, w6, w11))
            parityRound(e, &a, b, c, &d, 0x6ed9eba1, schedule(&w15, w1, w7, w12))
            parityRound(d, &e, a, b, &c, 0x6ed9eba1, schedule(&w0, w2, w8, w13))
            parityRound(c, &d, e, a, &b, 0x6ed9eba1, schedule(&w1, w3, w9, w14))
            parityRound(b, &c, d, e, &a, 0x6ed9eba1, schedule(&w2, w4, w10, w15))
            parityRound(a, &b, c, d, &e, 0x6ed9eba1, schedule(&w3, w5, w11, w0))
            parityRound(e, &a, b, c, &d, 0x6ed9eba1, schedule(&w4, w6, w12, w1))
            parityRound(d, &e, a, b, &c, 0x6ed9eba1, schedule(&w5, w7, w13, w2))
            parityRound(c, &d, e, a, &b, 0x6ed9eba1, schedule(&w6, w8, w14, w3))
            parityRound(b, &c, d, e, &a, 0x6ed9eba1, schedule(&w7, w9, w15, w4))
            majorityRound(a, &b, c, d, &e, schedule(&w8, w10, w0, w5))
            majorityRound(e, &a, b, c, &d, schedule(&w9, w11, w1, w6))
            majorityRound(d, &e, a, b, &c, schedule(&w10, w12, w2, w7))
            majorityRound(c, &d, e, a, &b, schedule(&w11, w13, w3, w8))
            majorityRound(b, &c, d, e, &a, schedule(&w12, w14, w4, w9))
            majorityRound(a, &b, c, d, &e, schedule(&w13, w15, w5, w10))
            majorityRound(e, &a, b, c, &d, schedule(&w14, w0, w6, w11))
            majorityRound(d, &e, a, b, &c, schedule(&w15, w1, w7, w12))
            majorityRound(c, &d, e, a, &b, schedule(&w0, w2, w8, w13))
            majorityRound(b, &c, d, e, &a, schedule(&w1, w3, w9, w14))
            majorityRound(a, &b, c, d, &e, schedule(&w2, w4, w10, w15))
            majorityRound(e, &a, b, c, &d, schedule(&w3, w5, w11, w0))
            majorityRound(d, &e, a, b, &c, schedule(&w4, w6, w12, w1))
            majorityRound(c, &d, e, a, &b, schedule(&w5, w7, w13, w2))
            majorityRound(b, &c, d, e, &a, schedule(&w6, w8, w14, w3))
            majorityRound(a, &b, c, d, &e, schedule(&w7, w9, w15, w4))
            majorityRound(e, &a, b, c, &d, schedule(&w8, w10, w0, w5))
            majorityRound(d, &e, a, b, &c, schedule(&w9, w11, w1, w6))
            majorityRound(c, &d, e, a, &b, schedule(&w10, w12, w2, w7))
            majorityRound(b, &c, d, e, &a, schedule(&w11, w13, w3, w8))
            parityRound(a, &b, c, d, &e, 0xca62c1d6, schedule(&w12, w14, w4, w9))
            parityRound(e, &a, b, c, &d, 0xca62c1d6, schedule(&w13, w15, w5, w10))
            parityRound(d, &e, a, b, &c, 0xca62c1d6, schedule(&w14, w0, w6, w11))
            parityRound(c, &d, e, a, &b, 0xca62c1d6, schedule(&w15, w1, w7, w12))
            parityRound(b, &c, d, e, &a, 0xca62c1d6, schedule(&w0, w2, w8, w13))
            parityRound(a, &b, c, d, &e, 0xca62c1d6, schedule(&w1, w3, w9, w14))
            parityRound(e, &a, b, c, &d, 0xca62c1d6, schedule(&w2, w4, w10, w15))
            parityRound(d, &e, a, b, &c, 0xca62c1d6, schedule(&w3, w5, w11, w0))
            parityRound(c, &d, e, a, &b, 0xca62c1d6, schedule(&w4, w6, w12, w1))
            parityRound(b, &c, d, e, &a, 0xca62c1d6, schedule(&w5, w7, w13, w2))
            parityRound(a, &b, c, d, &e, 0xca62c1d6, schedule(&w6, w8, w14, w3))
            parityRound(e, &a, b, c, &d, 0xca62c1d6, schedule(&w7, w9, w15, w4))
            parityRound(d, &e, a, b, &c, 0xca62c1d6, schedule(&w8, w10, w0, w5))
            parityRound(c, &d, e, a, &b, 0xca62c1d6, schedule(&w9, w11, w1, w6))
            parityRound(b, &c, d, e, &a, 0xca62c1d6, schedule(&w10, w12, w2, w7))
            parityRound(a, &b, c, d, &e, 0xca62c1d6, schedule(&w11, w13, w3, w8))
            parityRound(e, &a, b, c, &d, 0xca62c1d6, schedule(&w12, w14, w4, w9))
            parityRound(d, &e, a, b, &c, 0xca62c1d6, schedule(&w13, w15, w5, w10))
            parityRound(c, &d, e, a, &b, 0xca62c1d6, schedule(&w14, w0, w6, w11))
            parityRound(b, &c, d, e, &a, 0xca62c1d6, schedule(&w15, w1, w7, w12))

            h0 &+= a
            h1 &+= b
            h2 &+= c
            h3 &+= d
            h4 &+= e
            block &+= 64
        }
        hash = SIMD8(h0, h1, h2, h3, h4, 0, 0, 0)
    }
}

/// One of rounds 0 to 19 of SHA-1, with Ch(b, c, d). `word` is W(t).
///
/// The standard renames every working variable after a round: a becomes b, b becomes c, and so on. Here the
/// variables keep their place, and the call of the next round shifts the arguments instead. A round changes
/// two variables: b, which is the next c, and e, which is the next a.
@_transparent
private func chooseRound(
    _ a: UInt32,
    _ b: inout UInt32,
    _ c: UInt32,
    _ d: UInt32,
    _ e: inout UInt32,
    _ word: UInt32
) {
    e = e &+ 0x5a827999 &+ word &+ choose(b, c, d) &+ a.rotatedLeft(5)
    b = b.rotatedLeft(30)
}

/// One of rounds 20 to 39 or 60 to 79 of SHA-1, with Parity(b, c, d) = b ⊕ c ⊕ d. Changes b and e only.
@_transparent
private func parityRound(
    _ a: UInt32,
    _ b: inout UInt32,
    _ c: UInt32,
    _ d: UInt32,
    _ e: inout UInt32,
    _ constant: UInt32,
    _ word: UInt32
) {
    e = e &+ constant &+ word &+ (b ^ c ^ d) &+ a.rotatedLeft(5)
    b = b.rotatedLeft(30)
}

/// One of rounds 40 to 59 of SHA-1, with Maj(b, c, d) = (b ∧ c) + (d ∧ (b ⊕ c)). Changes b and e only.
///
/// The two terms have no bit in common, so a sum replaces their exclusive or.
@_transparent
private func majorityRound(
    _ a: UInt32,
    _ b: inout UInt32,
    _ c: UInt32,
    _ d: UInt32,
    _ e: inout UInt32,
    _ word: UInt32
) {
    e = e &+ 0x8f1bbcdc &+ word &+ (b & c) &+ (d & (b ^ c)) &+ a.rotatedLeft(5)
    b = b.rotatedLeft(30)
}

/// Replaces W(t − 16) by W(t) and returns W(t), which also depends on W(t − 14), W(t − 8) and W(t − 3).
@_transparent
private func schedule(_ w16: inout UInt32, _ w14: UInt32, _ w8: UInt32, _ w3: UInt32) -> UInt32 {
    w16 = (w3 ^ w8 ^ w14 ^ w16).rotatedLeft(1)
    return w16
}
