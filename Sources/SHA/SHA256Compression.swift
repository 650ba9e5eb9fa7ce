// The compression function of SHA-256 (FIPS 180-4 §4.1.2, §4.2.2, §6.2).
//
// A block is sixteen words W(0) … W(15) of 32 bits. The message schedule extends them to sixty-four:
//
//     W(t) = σ1(W(t − 2)) + W(t − 7) + σ0(W(t − 15)) + W(t − 16)
//
// Eight working variables start with the hash value. Each of the sixty-four rounds uses one word and one
// constant K(t): the first 32 bits of the fractional part of the cube root of the (t + 1)-th prime.
//
//     T1 = h + Σ1(e) + Ch(e, f, g) + K(t) + W(t)        T2 = Σ0(a) + Maj(a, b, c)
//     (a, b, c, d, e, f, g, h) ← (T1 + T2, a, b, c, d + T1, e, f, g)
//
// After the last round the variables are added to the hash value. All sums are modulo 2^32.
//
// The rounds are unrolled. The variables then stay in their registers, only sixteen words are stored at a
// time, and the constants are part of the code.

/// SHA-256 (FIPS 180-4 §6.2).
enum SHA256 {
    /// The initial hash value H(0) of SHA-256, eight words (FIPS 180-4 §5.3.3).
    static var initialHashValue: SIMD8<UInt32> {
        SIMD8(
            lowHalf: SIMD4(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a),
            highHalf: SIMD4(0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19)
        )
    }

    /// Updates `hash` with the whole 64-byte blocks in `blocks` (FIPS 180-4 §6.2.2). Ignores other bytes.
    static func compress(_ hash: inout SIMD8<UInt32>, _ blocks: RawSpan) {
        var (h0, h1, h2, h3) = (hash[0], hash[1], hash[2], hash[3])
        var (h4, h5, h6, h7) = (hash[4], hash[5], hash[6], hash[7])
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

            var a = h0, b = h1, c = h2, d = h3, e = h4, f = h5, g = h6, h = h7
            round(a, b, c, &d, e, f, g, &h, 0x428a2f98, w0)
            round(h, a, b, &c, d, e, f, &g, 0x71374491, w1)
            round(g, h, a, &b, c, d, e, &f, 0xb5c0fbcf, w2)
            round(f, g, h, &a, b, c, d, &e, 0xe9b5dba5, w3)
            round(e, f, g, &h, a, b, c, &d, 0x3956c25b, w4)
            round(d, e, f, &g, h, a, b, &c, 0x59f111f1, w5)
            round(c, d, e, &f, g, h, a, &b, 0x923f82a4, w6)
            round(b, c, d, &e, f, g, h, &a, 0xab1c5ed5, w7)
            round(a, b, c, &d, e, f, g, &h, 0xd807aa98, w8)
            round(h, a, b, &c, d, e, f, &g, 0x12835b01, w9)
            round(g, h, a, &b, c, d, e, &f, 0x243185be, w10)
            round(f, g, h, &a, b, c, d, &e, 0x550c7dc3, w11)
            round(e, f, g, &h, a, b, c, &d, 0x72be5d74, w12)
            round(d, e, f, &g, h, a, b, &c, 0x80deb1fe, w13)
            round(c, d, e, &f, g, h, a, &b, 0x9bdc06a7, w14)
            round(b, c, d, &e, f, g, h, &a, 0xc19bf174, w15)
            round(a, b, c, &d, e, f, g, &h, 0xe49b69c1, schedule(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0xefbe4786, schedule(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x0fc19dc6, schedule(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x240ca1cc, schedule(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x2de92c6f, schedule(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x4a7484aa, schedule(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x5cb0a9dc, schedule(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x76f988da, schedule(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0x983e5152, schedule(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0xa831c66d, schedule(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0xb00327c8, schedule(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0xbf597fc7, schedule(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0xc6e00bf3, schedule(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xd5a79147, schedule(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0x06ca6351, schedule(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0x14292967, schedule(&w15, w0, w8, w13))
            round(a, b, c, &d, e, f, g, &h, 0x27b70a85, schedule(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0x2e1b2138, schedule(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x4d2c6dfc, schedule(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x53380d13, schedule(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x650a7354, schedule(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x766a0abb, schedule(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x81c2c92e, schedule(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x92722c85, schedule(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0xa2bfe8a1, schedule(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0xa81a664b, schedule(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0xc24b8b70, schedule(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0xc76c51a3, schedule(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0xd192e819, schedule(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xd6990624, schedule(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0xf40e3585, schedule(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0x106aa070, schedule(&w15, w0, w8, w13))
            round(a, b, c, &d, e, f, g, &h, 0x19a4c116, schedule(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0x1e376c08, schedule(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x2748774c, schedule(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x34b0bcb5, schedule(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x391c0cb3, schedule(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x4ed8aa4a, schedule(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x5b9cca4f, schedule(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x682e6ff3, schedule(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0x748f82ee, schedule(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0x78a5636f, schedule(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0x84c87814, schedule(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0x8cc70208, schedule(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0x90befffa, schedule(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xa4506ceb, schedule(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0xbef9a3f7, schedule(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0xc67178f2, schedule(&w15, w0, w8, w13))

            h0 &+= a
            h1 &+= b
            h2 &+= c
            h3 &+= d
            h4 &+= e
            h5 &+= f
            h6 &+= g
            h7 &+= h
            block &+= 64
        }
        hash = SIMD8(h0, h1, h2, h3, h4, h5, h6, h7)
    }
}

/// One round of SHA-256. It changes two variables: d, which is the next e, and h, which is the next a.
///
/// The variables keep their place, as in SHA-1, and the call of the next round shifts the arguments.
@_transparent
private func round(
    _ a: UInt32,
    _ b: UInt32,
    _ c: UInt32,
    _ d: inout UInt32,
    _ e: UInt32,
    _ f: UInt32,
    _ g: UInt32,
    _ h: inout UInt32,
    _ constant: UInt32,
    _ word: UInt32
) {
    let t1 = h &+ bigSigma1(e) &+ choose(e, f, g) &+ constant &+ word
    let t2 = bigSigma0(a) &+ majority(a, b, c)
    d &+= t1
    h = t1 &+ t2
}

/// Replaces W(t − 16) by W(t) and returns W(t), which also depends on W(t − 15), W(t − 7) and W(t − 2).
@_transparent
private func schedule(_ w16: inout UInt32, _ w15: UInt32, _ w7: UInt32, _ w2: UInt32) -> UInt32 {
    w16 = smallSigma1(w2) &+ w7 &+ smallSigma0(w15) &+ w16
    return w16
}

/// Σ0 of SHA-256 (FIPS 180-4 §4.1.2): ROTR²(x) ⊕ ROTR¹³(x) ⊕ ROTR²²(x).
@_transparent
func bigSigma0(_ x: UInt32) -> UInt32 {
    x.rotatedRight(2) ^ x.rotatedRight(13) ^ x.rotatedRight(22)
}

/// Σ1 of SHA-256 (FIPS 180-4 §4.1.2): ROTR⁶(x) ⊕ ROTR¹¹(x) ⊕ ROTR²⁵(x).
@_transparent
func bigSigma1(_ x: UInt32) -> UInt32 {
    x.rotatedRight(6) ^ x.rotatedRight(11) ^ x.rotatedRight(25)
}

/// σ0 of SHA-256 (FIPS 180-4 §4.1.2): ROTR⁷(x) ⊕ ROTR¹⁸(x) ⊕ SHR³(x).
@_transparent
func smallSigma0(_ x: UInt32) -> UInt32 { x.rotatedRight(7) ^ x.rotatedRight(18) ^ (x &>> 3) }

/// σ1 of SHA-256 (FIPS 180-4 §4.1.2): ROTR¹⁷(x) ⊕ ROTR¹⁹(x) ⊕ SHR¹⁰(x).
@_transparent
func smallSigma1(_ x: UInt32) -> UInt32 { x.rotatedRight(17) ^ x.rotatedRight(19) ^ (x &>> 10) }
