// The compression function of SHA-512 and SHA-384 (FIPS 180-4 §6.4.2) with AVX-512 VL of x86-64.
// SHA512Compression.swift of the module SHA defines the function in portable code.
//
// # Schedule
//
// One vector holds four words of the schedule, the first in the lowest lane. The next four words,
//
//     W(t) = σ1(W(t − 2)) + W(t − 7) + σ0(W(t − 15)) + W(t − 16)
//
// are computed from sixteen words at once, except σ1: the upper two words need σ1 of the lower two. The
// vector units also add K(t), sixteen rounds ahead. They work at the same time as the general registers,
// which compute the rounds.
//
// # Rounds
//
// Each round waits for the previous one. The sums of a round are ordered so that the longest chain of
// dependent operations has four of them, for a and for e. In the standard's order, T1 + T2 and d + T1 have
// five:
//
//     e′ = ((d + h + K(t) + W(t)) + Ch(e, f, g)) + Σ1(e)
//     a′ = ((e′ − d + (b ∧ c)) + (a ∧ (b ⊕ c))) + Σ0(a)
//
// This is correct because e′ − d is T1, and because no bit is set both in b ∧ c and in a ∧ (b ⊕ c), so that
// the sum of these two is Maj(a, b, c).
//
// # Instructions
//
// The compiler uses these instructions of AVX-512 VL, BMI1 and BMI2, which have no counterpart in SSE2 or in
// the baseline (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2):
//
//     VPROLQ       rotates words of 64 bits
//     VPTERNLOGQ   computes x ⊕ y ⊕ z in one operation
//     VALIGNQ      extracts four consecutive words of eight
//     RORX, ANDN   rotate, and compute ¬x ∧ y, without overwriting an operand
#if Accelerated && arch(x86_64)
    import Builtin

    /// A hash value or the working variables.
    private typealias HashValue = (
        a: UInt64, b: UInt64, c: UInt64, d: UInt64, e: UInt64, f: UInt64, g: UInt64, h: UInt64
    )
    /// Two words.
    private typealias Two = SIMD2<UInt64>
    /// Four words.
    private typealias Four = SIMD4<UInt64>
    /// Sixteen words, four to a vector.
    private typealias Sixteen = (t0: Four, t4: Four, t8: Four, t12: Four)

    /// Updates a hash value of SHA-512 with whole blocks of 128 bytes, in order. Bytes after the last whole
    /// block are ignored.
    ///
    /// Unsafe: the processor must have AVX-512 VL, BMI1 and BMI2, and the operating system must save the
    /// registers of AVX-512. Otherwise the program crashes.
    ///
    /// - Parameters:
    ///   - h0to7: the words H0 to H7, H0 in the lowest lane.
    ///   - blocks: the blocks.
    @unsafe
    @inline(never)
    public func compressSHA512(_ h0to7: inout SIMD8<UInt64>, _ blocks: RawSpan) {
        var hash: HashValue = (
            h0to7[0], h0to7[1], h0to7[2], h0to7[3], h0to7[4], h0to7[5], h0to7[6], h0to7[7]
        )
        unsafe withUnsafeBytes(of: constants()) { constants in
            let constants = unsafe constants.bytes
            var offset = 0
            // 128 bytes are left from `offset` on.
            while blocks.byteCount &- offset >= 128 {
                unsafe compress(&hash, block(blocks, offset), constants)
                offset &+= 128
            }
        }
        h0to7 = SIMD8(hash.a, hash.b, hash.c, hash.d, hash.e, hash.f, hash.g, hash.h)
    }

    /// Eighty rounds.
    ///
    /// This is a loop on purpose. Without the loop the compiler computes all words before the first round, so
    /// that they are no longer computed at the same time as the rounds.
    ///
    /// Unsafe: there must be eighty constants. This is not checked.
    @inline(__always)
    @unsafe
    private func compress(_ hash: inout HashValue, _ block: Sixteen, _ constants: RawSpan) {
        var (words, working) = (block, hash)
        var sums = unsafe (
            words.t0 &+ four(constants, 0), words.t4 &+ four(constants, 32),
            words.t8 &+ four(constants, 64), words.t12 &+ four(constants, 96)
        )
        // The offset in bytes of the next sixteen constants.
        var next = 128
        while next < 640 {
            rounds(&working, sums.0)
            sums.0 = unsafe makeWords(&words) &+ four(constants, next)
            rounds(&working, sums.1)
            sums.1 = unsafe makeWords(&words) &+ four(constants, next &+ 32)
            rounds(&working, sums.2)
            sums.2 = unsafe makeWords(&words) &+ four(constants, next &+ 64)
            rounds(&working, sums.3)
            sums.3 = unsafe makeWords(&words) &+ four(constants, next &+ 96)
            next &+= 128
        }
        rounds(&working, sums.0)
        rounds(&working, sums.1)
        rounds(&working, sums.2)
        rounds(&working, sums.3)
        add(&hash, working)
    }

    /// Four rounds, given the sums of their words and constants.
    @inline(__always)
    private func rounds(_ working: inout HashValue, _ sums: Four) {
        round(&working, sums[0])
        round(&working, sums[1])
        round(&working, sums[2])
        round(&working, sums[3])
    }

    /// One round, given the sum of its word and constant.
    @inline(__always)
    private func round(_ working: inout HashValue, _ sum: UInt64) {
        let (a, b, c, d, e, f, g, h) = working
        let nextE = addInOrder(addInOrder(d &+ h &+ sum, (e & f) ^ (~e & g)), bigSigma1(e))
        let nextA = addInOrder(addInOrder(nextE &- d &+ (b & c), a & (b ^ c)), bigSigma0(a))
        working = (nextA, a, b, c, nextE, e, f, g)
    }

    /// x + y, computed after x.
    ///
    /// The compiler reorders ordinary sums. It does not reorder this ADC without a carry, which it replaces
    /// by an ADD later.
    @inline(__always)
    private func addInOrder(_ x: UInt64, _ y: UInt64) -> UInt64 {
        UInt64(Builtin.int_x86_addcarry_64(UInt8(0)._value, x._value, y._value).1)
    }

    /// Computes the next four words, drops the first four of the sixteen, and appends the new ones.
    @inline(__always)
    private func makeWords(_ words: inout Sixteen) -> Four {
        let (t0, t4, t8, t12) = words
        let t1 = Four(t0[1], t0[2], t0[3], t4[0])
        let t9 = Four(t8[1], t8[2], t8[3], t12[0])
        let t16 = t0 &+ t9 &+ smallSigma0(t1)
        let lower = t16.lowHalf &+ smallSigma1(t12.highHalf)
        let upper = t16.highHalf &+ smallSigma1(lower)
        let next = Four(lowHalf: lower, highHalf: upper)
        words = (t4, t8, t12, next)
        return next
    }

    /// Adds the working variables to the hash value.
    @inline(__always)
    private func add(_ hash: inout HashValue, _ working: HashValue) {
        hash.a &+= working.a
        hash.b &+= working.b
        hash.c &+= working.c
        hash.d &+= working.d
        hash.e &+= working.e
        hash.f &+= working.f
        hash.g &+= working.g
        hash.h &+= working.h
    }

    /// Σ0 (FIPS 180-4 §4.1.3).
    @inline(__always)
    private func bigSigma0(_ x: UInt64) -> UInt64 {
        rotateRight(x, 28) ^ rotateRight(x, 34) ^ rotateRight(x, 39)
    }

    /// Σ1 (FIPS 180-4 §4.1.3).
    @inline(__always)
    private func bigSigma1(_ x: UInt64) -> UInt64 {
        rotateRight(x, 14) ^ rotateRight(x, 18) ^ rotateRight(x, 41)
    }

    /// σ0 of four words (FIPS 180-4 §4.1.3).
    @inline(__always)
    private func smallSigma0(_ x: Four) -> Four { rotateRight(x, 1) ^ rotateRight(x, 8) ^ (x &>> 7) }

    /// σ1 of two words (FIPS 180-4 §4.1.3).
    @inline(__always)
    private func smallSigma1(_ x: Two) -> Two { rotateRight(x, 19) ^ rotateRight(x, 61) ^ (x &>> 6) }

    /// ROTR^n(x), 0 < n < 64.
    @inline(__always)
    private func rotateRight(_ x: UInt64, _ n: UInt64) -> UInt64 { x &>> n | x &<< (64 &- n) }

    /// ROTR^n(x) of two words, 0 < n < 64. For shifts, the compiler would rotate each word in a general
    /// register.
    @inline(__always)
    private func rotateRight(_ x: Two, _ n: UInt64) -> Two {
        var rotated = x
        let bits = x._storage._value
        rotated._storage._value = Builtin.int_fshr_Vec2xInt64(bits, bits, Two(repeating: n)._storage._value)
        return rotated
    }

    /// ROTR^n(x) of four words, 0 < n < 64.
    @inline(__always)
    private func rotateRight(_ x: Four, _ n: UInt64) -> Four {
        var rotated = x
        let bits = x._storage._value
        rotated._storage._value = Builtin.int_fshr_Vec4xInt64(bits, bits, Four(repeating: n)._storage._value)
        return rotated
    }

    /// Loads sixteen big-endian words.
    ///
    /// Unsafe: 128 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    private func block(_ blocks: RawSpan, _ offset: Int) -> Sixteen {
        unsafe (
            bigEndian(four(blocks, offset)), bigEndian(four(blocks, offset &+ 32)),
            bigEndian(four(blocks, offset &+ 64)), bigEndian(four(blocks, offset &+ 96))
        )
    }

    /// Reverses the bytes of each word.
    @inline(__always)
    private func bigEndian(_ x: Four) -> Four {
        var swapped = x
        swapped._storage._value = Builtin.int_bswap_Vec4xInt64(x._storage._value)
        return swapped
    }

    /// Loads four words in the machine's byte order, the first in the lowest lane.
    ///
    /// Unsafe: 32 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    private func four(_ bytes: RawSpan, _ offset: Int) -> Four {
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Four.self)
    }

    /// K(0) to K(79) (FIPS 180-4 §4.2.3).
    @inline(__always)
    private func constants() -> (
        Four, Four, Four, Four, Four, Four, Four, Four, Four, Four,
        Four, Four, Four, Four, Four, Four, Four, Four, Four, Four
    ) {
        (
            Four(0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc),
            Four(0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118),
            Four(0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2),
            Four(0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694),
            Four(0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65),
            Four(0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5),
            Four(0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4),
            Four(0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70),
            Four(0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df),
            Four(0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b),
            Four(0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30),
            Four(0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8),
            Four(0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8),
            Four(0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3),
            Four(0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec),
            Four(0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b),
            Four(0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178),
            Four(0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b),
            Four(0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c),
            Four(0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817)
        )
    }
#endif
