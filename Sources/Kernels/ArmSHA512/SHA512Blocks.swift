// The compression function of SHA-512 and SHA-384 (FIPS 180-4 §6.4.2) with FEAT_SHA512 of Arm64.
// SHA512Compression.swift of the module SHA defines the function in portable code.
//
// Four vectors hold the working variables, (a, b) to (g, h), and eight vectors hold two words of the schedule
// each. The first element is in the lowest lane. Two rounds compute a new (a, b) and (e, f); the new (c, d)
// and (g, h) are the old (a, b) and (e, f). Four instructions do the work (Arm Architecture Reference Manual
// for A-profile, C7.2):
//
//     SHA512H    (g + W(t + 1) + K(t + 1), h + W(t) + K(t)), (f, g), (d, e)
//                adds Σ1 and Ch: T1 of the second round and T1 of the first round, in this order. The
//                second round uses the e that the first round has computed, d + T1.
//     SHA512H2   (T1, T1) as above, (c, d), (a, b)
//                adds Σ0 and Maj: (a, b) after both rounds
//     SHA512SU0  (W(t − 16), …), (W(t − 14), …)
//                W(t − 16) + σ0(W(t − 15)), and likewise for the next word
//     SHA512SU1  (W(t − 16) + σ0(W(t − 15)), …), (W(t − 2), …), (W(t − 7), …)
//                adds σ1(W(t − 2)) and W(t − 7): W(t), W(t + 1)
#if Accelerated && arch(arm64)
    import Builtin

    /// Two words.
    private typealias Two = SIMD2<UInt64>
    /// A hash value or the working variables.
    private typealias HashValue = (ab: Two, cd: Two, ef: Two, gh: Two)
    /// The next sixteen words of the schedule, two to a vector.
    private typealias Words = (
        w0: Two, w2: Two, w4: Two, w6: Two, w8: Two, w10: Two, w12: Two, w14: Two
    )

    /// Updates a hash value of SHA-512 with whole blocks of 128 bytes, in order. Bytes after the last whole
    /// block are ignored.
    ///
    /// Unsafe: the processor must have FEAT_SHA512. Otherwise the program crashes.
    ///
    /// - Parameters:
    ///   - h0to7: the words H0 to H7, H0 in the lowest lane.
    ///   - blocks: the blocks.
    @unsafe
    @inline(never)
    // Embedded Swift would compile this function again in its callers, without the flags of this target.
    #if hasAttribute(export)
        @export(interface)
    #endif
    public func compressSHA512(_ h0to7: inout SIMD8<UInt64>, _ blocks: RawSpan) {
        var hash: HashValue = (
            h0to7.lowHalf.lowHalf, h0to7.lowHalf.highHalf, h0to7.highHalf.lowHalf, h0to7.highHalf.highHalf
        )
        var offset = 0
        // 128 bytes are left from `offset` on.
        while blocks.byteCount &- offset >= 128 {
            var (words, working) = unsafe (block(blocks, offset), hash)
            forEachStep { step(&working, &words, $0, makesWords: $1) }
            add(&hash, working)
            offset &+= 128
        }
        h0to7.lowHalf = SIMD4(lowHalf: hash.ab, highHalf: hash.cd)
        h0to7.highHalf = SIMD4(lowHalf: hash.ef, highHalf: hash.gh)
    }

    /// Calls `body` for the eighty rounds, two at a time, with their constants K(t) (§4.2.3) and whether the
    /// schedule needs two more words.
    @inline(__always)
    private func forEachStep(_ body: (_ constants: Two, _ makesWords: Bool) -> Void) {
        body(Two(0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd), true)
        body(Two(0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc), true)
        body(Two(0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019), true)
        body(Two(0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118), true)
        body(Two(0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe), true)
        body(Two(0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2), true)
        body(Two(0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1), true)
        body(Two(0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694), true)
        body(Two(0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3), true)
        body(Two(0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65), true)
        body(Two(0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483), true)
        body(Two(0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5), true)
        body(Two(0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210), true)
        body(Two(0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4), true)
        body(Two(0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725), true)
        body(Two(0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70), true)
        body(Two(0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926), true)
        body(Two(0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df), true)
        body(Two(0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8), true)
        body(Two(0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b), true)
        body(Two(0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001), true)
        body(Two(0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30), true)
        body(Two(0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910), true)
        body(Two(0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8), true)
        body(Two(0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53), true)
        body(Two(0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8), true)
        body(Two(0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb), true)
        body(Two(0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3), true)
        body(Two(0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60), true)
        body(Two(0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec), true)
        body(Two(0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9), true)
        body(Two(0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b), true)
        body(Two(0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207), false)
        body(Two(0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178), false)
        body(Two(0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6), false)
        body(Two(0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b), false)
        body(Two(0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493), false)
        body(Two(0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c), false)
        body(Two(0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a), false)
        body(Two(0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817), false)
    }

    /// Two rounds, and the next two words of the schedule if `makesWords`.
    @inline(__always)
    private func step(_ working: inout HashValue, _ words: inout Words, _ constants: Two, makesWords: Bool) {
        rounds(&working, words.w0 &+ constants)
        let next = makesWords ? schedule(words) : words.w0
        words = (words.w2, words.w4, words.w6, words.w8, words.w10, words.w12, words.w14, next)
    }

    /// Two rounds, given the sums of their words and constants.
    @inline(__always)
    private func rounds(_ working: inout HashValue, _ sums: Two) {
        let (ab, cd, ef, gh) = working
        var t1 = gh &+ Two(sums[1], sums[0])
        t1._storage._value = Builtin.int_aarch64_crypto_sha512h(
            t1._storage._value,
            Two(ef[1], gh[0])._storage._value,
            Two(cd[1], ef[0])._storage._value
        )
        var nextAB = t1
        nextAB._storage._value = Builtin.int_aarch64_crypto_sha512h2(
            t1._storage._value,
            cd._storage._value,
            ab._storage._value
        )
        working = (nextAB, ab, cd &+ t1, ef)
    }

    /// W(t) and W(t + 1), computed from the sixteen words before them.
    @inline(__always)
    private func schedule(_ words: Words) -> Two {
        var next = words.w0
        next._storage._value = Builtin.int_aarch64_crypto_sha512su0(
            words.w0._storage._value,
            words.w2._storage._value
        )
        next._storage._value = Builtin.int_aarch64_crypto_sha512su1(
            next._storage._value,
            words.w14._storage._value,
            Two(words.w8[1], words.w10[0])._storage._value
        )
        return next
    }

    /// Adds the working variables to the hash value.
    @inline(__always)
    private func add(_ hash: inout HashValue, _ working: HashValue) {
        hash.ab &+= working.ab
        hash.cd &+= working.cd
        hash.ef &+= working.ef
        hash.gh &+= working.gh
    }

    /// Loads sixteen words.
    ///
    /// Unsafe: 128 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    private func block(_ blocks: RawSpan, _ offset: Int) -> Words {
        unsafe (
            words(blocks, offset), words(blocks, offset &+ 16), words(blocks, offset &+ 32),
            words(blocks, offset &+ 48), words(blocks, offset &+ 64), words(blocks, offset &+ 80),
            words(blocks, offset &+ 96), words(blocks, offset &+ 112)
        )
    }

    /// Loads two big-endian words, the first in the lowest lane.
    ///
    /// Unsafe: 16 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    private func words(_ blocks: RawSpan, _ offset: Int) -> Two {
        var words = unsafe blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Two.self)
        words._storage._value = Builtin.int_bswap_Vec2xInt64(words._storage._value)
        return words
    }
#endif
