// The compression function of SHA-512 and SHA-384 (FIPS 180-4 §4.1.3, §4.2.3, §6.4, §6.5).
//
// A block is sixteen words W(0) … W(15) of 64 bits. The message schedule extends them to eighty:
//
//     W(t) = σ1(W(t − 2)) + W(t − 7) + σ0(W(t − 15)) + W(t − 16)
//
// Eight working variables start with the hash value. Each of the eighty rounds uses one word and one
// constant K(t): the first 64 bits of the fractional part of the cube root of the t-th prime.
//
//     T1 = h + Σ1(e) + Ch(e, f, g) + K(t) + W(t)        T2 = Σ0(a) + Maj(a, b, c)
//     (a, b, c, d, e, f, g, h) ← (T1 + T2, a, b, c, d + T1, e, f, g)
//
// After the last round the variables are added to the hash value. All sums are modulo 2^64.
//
// The rounds are unrolled. The variables then stay in their registers, only sixteen words are stored at a
// time, and the constants are part of the code.

/// The hash value of SHA-512 or SHA-384, which differ only in H(0) (FIPS 180-4 §5.3.4, §5.3.5).
struct SHA512State: HashState {
    typealias Word = UInt64

    var h0, h1, h2, h3, h4, h5, h6, h7: UInt64

    var words: SIMD8<UInt64> { SIMD8(h0, h1, h2, h3, h4, h5, h6, h7) }
}

extension SHA512State {
    /// Computes the SHA-512 hash value (FIPS 180-4 §6.4.2) over the whole blocks in `blocks`.
    mutating func compress(_ blocks: RawSpan) {
        var block = 0
        // Each word is in bounds: 128 bytes are left from `block` on.
        while blocks.byteCount &- block >= 128 {
            var w0 = unsafe UInt64(blocks, uncheckedAt: block)
            var w1 = unsafe UInt64(blocks, uncheckedAt: block &+ 8)
            var w2 = unsafe UInt64(blocks, uncheckedAt: block &+ 16)
            var w3 = unsafe UInt64(blocks, uncheckedAt: block &+ 24)
            var w4 = unsafe UInt64(blocks, uncheckedAt: block &+ 32)
            var w5 = unsafe UInt64(blocks, uncheckedAt: block &+ 40)
            var w6 = unsafe UInt64(blocks, uncheckedAt: block &+ 48)
            var w7 = unsafe UInt64(blocks, uncheckedAt: block &+ 56)
            var w8 = unsafe UInt64(blocks, uncheckedAt: block &+ 64)
            var w9 = unsafe UInt64(blocks, uncheckedAt: block &+ 72)
            var w10 = unsafe UInt64(blocks, uncheckedAt: block &+ 80)
            var w11 = unsafe UInt64(blocks, uncheckedAt: block &+ 88)
            var w12 = unsafe UInt64(blocks, uncheckedAt: block &+ 96)
            var w13 = unsafe UInt64(blocks, uncheckedAt: block &+ 104)
            var w14 = unsafe UInt64(blocks, uncheckedAt: block &+ 112)
            var w15 = unsafe UInt64(blocks, uncheckedAt: block &+ 120)

            var a = h0, b = h1, c = h2, d = h3, e = h4, f = h5, g = h6, h = h7
            round(a, b, c, &d, e, f, g, &h, 0x428a_2f98_d728_ae22, w0)
            round(h, a, b, &c, d, e, f, &g, 0x7137_4491_23ef_65cd, w1)
            round(g, h, a, &b, c, d, e, &f, 0xb5c0_fbcf_ec4d_3b2f, w2)
            round(f, g, h, &a, b, c, d, &e, 0xe9b5_dba5_8189_dbbc, w3)
            round(e, f, g, &h, a, b, c, &d, 0x3956_c25b_f348_b538, w4)
            round(d, e, f, &g, h, a, b, &c, 0x59f1_11f1_b605_d019, w5)
            round(c, d, e, &f, g, h, a, &b, 0x923f_82a4_af19_4f9b, w6)
            round(b, c, d, &e, f, g, h, &a, 0xab1c_5ed5_da6d_8118, w7)
            round(a, b, c, &d, e, f, g, &h, 0xd807_aa98_a303_0242, w8)
            round(h, a, b, &c, d, e, f, &g, 0x1283_5b01_4570_6fbe, w9)
            round(g, h, a, &b, c, d, e, &f, 0x2431_85be_4ee4_b28c, w10)
            round(f, g, h, &a, b, c, d, &e, 0x550c_7dc3_d5ff_b4e2, w11)
            round(e, f, g, &h, a, b, c, &d, 0x72be_5d74_f27b_896f, w12)
            round(d, e, f, &g, h, a, b, &c, 0x80de_b1fe_3b16_96b1, w13)
            round(c, d, e, &f, g, h, a, &b, 0x9bdc_06a7_25c7_1235, w14)
            round(b, c, d, &e, f, g, h, &a, 0xc19b_f174_cf69_2694, w15)
            round(a, b, c, &d, e, f, g, &h, 0xe49b_69c1_9ef1_4ad2, schedule(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0xefbe_4786_384f_25e3, schedule(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x0fc1_9dc6_8b8c_d5b5, schedule(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x240c_a1cc_77ac_9c65, schedule(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x2de9_2c6f_592b_0275, schedule(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x4a74_84aa_6ea6_e483, schedule(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x5cb0_a9dc_bd41_fbd4, schedule(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x76f9_88da_8311_53b5, schedule(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0x983e_5152_ee66_dfab, schedule(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0xa831_c66d_2db4_3210, schedule(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0xb003_27c8_98fb_213f, schedule(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0xbf59_7fc7_beef_0ee4, schedule(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0xc6e0_0bf3_3da8_8fc2, schedule(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xd5a7_9147_930a_a725, schedule(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0x06ca_6351_e003_826f, schedule(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0x1429_2967_0a0e_6e70, schedule(&w15, w0, w8, w13))
            round(a, b, c, &d, e, f, g, &h, 0x27b7_0a85_46d2_2ffc, schedule(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0x2e1b_2138_5c26_c926, schedule(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x4d2c_6dfc_5ac4_2aed, schedule(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x5338_0d13_9d95_b3df, schedule(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x650a_7354_8baf_63de, schedule(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x766a_0abb_3c77_b2a8, schedule(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x81c2_c92e_47ed_aee6, schedule(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x9272_2c85_1482_353b, schedule(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0xa2bf_e8a1_4cf1_0364, schedule(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0xa81a_664b_bc42_3001, schedule(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0xc24b_8b70_d0f8_9791, schedule(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0xc76c_51a3_0654_be30, schedule(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0xd192_e819_d6ef_5218, schedule(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xd699_0624_5565_a910, schedule(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0xf40e_3585_5771_202a, schedule(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0x106a_a070_32bb_d1b8, schedule(&w15, w0, w8, w13))
            round(a, b, c, &d, e, f, g, &h, 0x19a4_c116_b8d2_d0c8, schedule(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0x1e37_6c08_5141_ab53, schedule(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x2748_774c_df8e_eb99, schedule(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x34b0_bcb5_e19b_48a8, schedule(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x391c_0cb3_c5c9_5a63, schedule(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x4ed8_aa4a_e341_8acb, schedule(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x5b9c_ca4f_7763_e373, schedule(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x682e_6ff3_d6b2_b8a3, schedule(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0x748f_82ee_5def_b2fc, schedule(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0x78a5_636f_4317_2f60, schedule(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0x84c8_7814_a1f0_ab72, schedule(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0x8cc7_0208_1a64_39ec, schedule(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0x90be_fffa_2363_1e28, schedule(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xa450_6ceb_de82_bde9, schedule(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0xbef9_a3f7_b2c6_7915, schedule(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0xc671_78f2_e372_532b, schedule(&w15, w0, w8, w13))
            round(a, b, c, &d, e, f, g, &h, 0xca27_3ece_ea26_619c, schedule(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0xd186_b8c7_21c0_c207, schedule(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0xeada_7dd6_cde0_eb1e, schedule(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0xf57d_4f7f_ee6e_d178, schedule(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x06f0_67aa_7217_6fba, schedule(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x0a63_7dc5_a2c8_98a6, schedule(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x113f_9804_bef9_0dae, schedule(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x1b71_0b35_131c_471b, schedule(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0x28db_77f5_2304_7d84, schedule(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0x32ca_ab7b_40c7_2493, schedule(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0x3c9e_be0a_15c9_bebc, schedule(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0x431d_67c4_9c10_0d4c, schedule(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0x4cc5_d4be_cb3e_42b6, schedule(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0x597f_299c_fc65_7e2a, schedule(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0x5fcb_6fab_3ad6_faec, schedule(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0x6c44_198c_4a47_5817, schedule(&w15, w0, w8, w13))

            h0 &+= a
            h1 &+= b
            h2 &+= c
            h3 &+= d
            h4 &+= e
            h5 &+= f
            h6 &+= g
            h7 &+= h
            block &+= 128
        }
    }
}

/// One round.
///
/// The standard renames every working variable after a round: a becomes b, b becomes c, and so on. Here the
/// variables keep their place, and the call of the next round shifts the arguments instead. A round changes
/// two variables: d, which is the next e, and h, which is the next a.
@_transparent
private func round(
    _ a: UInt64,
    _ b: UInt64,
    _ c: UInt64,
    _ d: inout UInt64,
    _ e: UInt64,
    _ f: UInt64,
    _ g: UInt64,
    _ h: inout UInt64,
    _ constant: UInt64,
    _ word: UInt64
) {
    let t1 = h &+ bigSigma1(e) &+ choose(e, f, g) &+ constant &+ word
    let t2 = bigSigma0(a) &+ majority(a, b, c)
    d &+= t1
    h = t1 &+ t2
}

/// Replaces W(t − 16) by W(t), which also depends on W(t − 15), W(t − 7) and W(t − 2).
@_transparent
private func schedule(_ w16: inout UInt64, _ w15: UInt64, _ w7: UInt64, _ w2: UInt64) -> UInt64 {
    w16 = smallSigma1(w2) &+ w7 &+ smallSigma0(w15) &+ w16
    return w16
}

/// Σ0 (FIPS 180-4 §4.1.3).
@_transparent
func bigSigma0(_ x: UInt64) -> UInt64 {
    x.rotatedRight(28) ^ x.rotatedRight(34) ^ x.rotatedRight(39)
}

/// Σ1 (FIPS 180-4 §4.1.3).
@_transparent
func bigSigma1(_ x: UInt64) -> UInt64 {
    x.rotatedRight(14) ^ x.rotatedRight(18) ^ x.rotatedRight(41)
}

/// σ0 (FIPS 180-4 §4.1.3).
@_transparent
func smallSigma0(_ x: UInt64) -> UInt64 { x.rotatedRight(1) ^ x.rotatedRight(8) ^ (x &>> 7) }

/// σ1 (FIPS 180-4 §4.1.3).
@_transparent
func smallSigma1(_ x: UInt64) -> UInt64 { x.rotatedRight(19) ^ x.rotatedRight(61) ^ (x &>> 6) }
