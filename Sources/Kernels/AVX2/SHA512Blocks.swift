// The compression function of SHA-512 and SHA-384 (FIPS 180-4 §6.4.2) with AVX2 of x86-64.
// SHA512Compression.swift of the module SHA defines the function in portable code. The target AVX512VL
// compiles this file too.
//
// # Schedule
//
// A vector holds two words of the schedule of one block, and in its upper half the same two words of the next
// block, the first word in the lower lane. The next two words of both blocks,
//
//     W(t) = σ1(W(t − 2)) + W(t − 7) + σ0(W(t − 15)) + W(t − 16)
//
// are computed from sixteen words at once. The vector units also add K(t), and write the sums to memory for
// the rounds of both blocks. They work while the general registers compute the rounds of the first block. The
// rounds of the second block only read sums.
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
// The compiler uses these instructions, which have no counterpart in SSE2 or in the baseline (Intel 64 and
// IA-32 Architectures Software Developer's Manual, volume 2):
//
//     VPALIGNR, VPSHUFB     of AVX2: moves words within the halves of a vector, and reverses their bytes
//     RORX, ANDN            of BMI2 and BMI1: rotate, and compute ¬x ∧ y, without overwriting an operand
//     VPROLQ, VPTERNLOGQ    of AVX-512 VL: rotate words of 64 bits, and compute x ⊕ y ⊕ z in one operation
#if Accelerated && arch(x86_64)
    import Builtin

    /// A hash value or the working variables.
    private typealias HashValue = (
        a: UInt64, b: UInt64, c: UInt64, d: UInt64, e: UInt64, f: UInt64, g: UInt64, h: UInt64
    )
    /// Two words of each of two blocks.
    private typealias Four = SIMD4<UInt64>
    /// Schedule words of each of two blocks, two to a half.
    private typealias Schedule = (
        t0: Four, t2: Four, t4: Four, t6: Four, t8: Four, t10: Four, t12: Four, t14: Four
    )

    /// Updates a hash value of SHA-512 with whole blocks of 128 bytes, in order. Bytes after the last whole
    /// block are ignored.
    ///
    /// Unsafe: the processor must have AVX2, BMI1 and BMI2 (and AVX-512 VL for the function of that target),
    /// and the operating system must save the registers. Otherwise the program crashes.
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
            // 1280 bytes on the stack.
            let zeros = SIMD16<UInt64>(repeating: 0)
            var sums = (zeros, zeros, zeros, zeros, zeros, zeros, zeros, zeros, zeros, zeros)
            unsafe withUnsafeMutableBytes(of: &sums) { sums in
                // Neither memory is empty, so both have an address.
                let constants = unsafe constants.baseAddress.unsafelyUnwrapped
                let sums = unsafe sums.baseAddress.unsafelyUnwrapped
                var offset = 0
                // 128 bytes are left from `offset` on.
                while blocks.byteCount &- offset >= 128 {
                    // A last block without a partner is its own partner.
                    let hasPartner = blocks.byteCount &- offset >= 256
                    let words = unsafe sixteenOfEach(blocks, offset, hasPartner ? offset &+ 128 : offset)
                    unsafe compress(&hash, words, sums, constants, constants + 640)
                    if hasPartner { unsafe compress(&hash, sums + 16) }
                    offset &+= 256
                }
            }
        }
        h0to7 = SIMD8(hash.a, hash.b, hash.c, hash.d, hash.e, hash.f, hash.g, hash.h)
    }

    /// Computes the sums of words and constants of two blocks, and the rounds of the first.
    ///
    /// This is a loop on purpose. Without the loop the compiler computes all words before the first round, so
    /// that they are no longer computed at the same time as the rounds. The end is a parameter so that the
    /// compiler does not count turns, for which it has no register left.
    ///
    /// The function is inlined, like that of the second block, so that a block finds the hash value of the
    /// block before it in registers. It would wait for a value in memory: 4 % of the time on a Zen 5.
    ///
    /// Unsafe: 1280 bytes must be writable at `sums`, and 80 constants must end at `end`. This is not
    /// checked.
    @inline(__always)
    @unsafe
    private func compress(
        _ hash: inout HashValue,
        _ block: Schedule,
        _ sums: UnsafeMutableRawPointer,
        _ constants: UnsafeRawPointer,
        _ end: UnsafeRawPointer
    ) {
        var (words, working) = (block, hash)
        unsafe store(words.t0, constants, sums)
        unsafe store(words.t2, constants + 16, sums + 32)
        unsafe store(words.t4, constants + 32, sums + 64)
        unsafe store(words.t6, constants + 48, sums + 96)
        unsafe store(words.t8, constants + 64, sums + 128)
        unsafe store(words.t10, constants + 80, sums + 160)
        unsafe store(words.t12, constants + 96, sums + 192)
        unsafe store(words.t14, constants + 112, sums + 224)
        // The place of the next sums to use, and the constants of the sixteen rounds after them. In bounds:
        // four turns write the sums of 64 rounds after the first sixteen.
        var (place, next) = unsafe (sums, constants + 128)
        while unsafe next != end {
            unsafe twoRounds(&working, &words, next, place)
            unsafe twoRounds(&working, &words, next + 16, place + 32)
            unsafe twoRounds(&working, &words, next + 32, place + 64)
            unsafe twoRounds(&working, &words, next + 48, place + 96)
            unsafe twoRounds(&working, &words, next + 64, place + 128)
            unsafe twoRounds(&working, &words, next + 80, place + 160)
            unsafe twoRounds(&working, &words, next + 96, place + 192)
            unsafe twoRounds(&working, &words, next + 112, place + 224)
            unsafe place += 256
            unsafe next += 128
        }
        unsafe sixteenRounds(&working, place)
        add(&hash, working)
    }

    /// Computes the rounds of a block whose sums are in memory.
    ///
    /// There is no loop, because the compiler delays a to d of the last rounds of each turn.
    ///
    /// Unsafe: the sums must be readable: two of 8 bytes in every 32 bytes, 80 in all. This is not checked.
    @inline(__always)
    @unsafe
    private func compress(_ hash: inout HashValue, _ sums: UnsafeMutableRawPointer) {
        var working = hash
        unsafe sixteenRounds(&working, sums)
        unsafe sixteenRounds(&working, sums + 256)
        unsafe sixteenRounds(&working, sums + 512)
        unsafe sixteenRounds(&working, sums + 768)
        unsafe sixteenRounds(&working, sums + 1024)
        add(&hash, working)
    }

    /// Writes the sums of two words and their constants, for both blocks.
    @inline(__always)
    @unsafe
    private func store(
        _ words: Four,
        _ constants: UnsafeRawPointer,
        _ sums: UnsafeMutableRawPointer
    ) {
        let two = unsafe constants.loadUnaligned(as: SIMD2<UInt64>.self)
        unsafe sums.storeBytes(of: words &+ Four(lowHalf: two, highHalf: two), as: Four.self)
    }

    /// Two rounds, and the sums of the two rounds that come sixteen rounds later.
    @inline(__always)
    @unsafe
    private func twoRounds(
        _ working: inout HashValue,
        _ words: inout Schedule,
        _ constants: UnsafeRawPointer,
        _ sums: UnsafeMutableRawPointer
    ) {
        makeWords(&words)
        unsafe twoRounds(&working, sums)
        unsafe store(words.t14, constants, sums + 256)
    }

    /// Sixteen rounds, given the sums of their words and constants.
    @inline(__always)
    @unsafe
    private func sixteenRounds(_ working: inout HashValue, _ sums: UnsafeMutableRawPointer) {
        unsafe twoRounds(&working, sums)
        unsafe twoRounds(&working, sums + 32)
        unsafe twoRounds(&working, sums + 64)
        unsafe twoRounds(&working, sums + 96)
        unsafe twoRounds(&working, sums + 128)
        unsafe twoRounds(&working, sums + 160)
        unsafe twoRounds(&working, sums + 192)
        unsafe twoRounds(&working, sums + 224)
    }

    /// Two rounds, given the sums of their words and constants.
    @inline(__always)
    @unsafe
    private func twoRounds(_ working: inout HashValue, _ sums: UnsafeMutableRawPointer) {
        unsafe round(&working, sums.load(as: UInt64.self))
        unsafe round(&working, sums.load(fromByteOffset: 8, as: UInt64.self))
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

    /// Computes the next two words of both blocks, drops the first two of the sixteen, and appends the new
    /// ones.
    @inline(__always)
    private func makeWords(_ words: inout Schedule) {
        let (t0, t2, t4, t6, t8, t10, t12, t14) = words
        let t16 = t0 &+ next(t8, t10) &+ smallSigma0(next(t0, t2)) &+ smallSigma1(t14)
        words = (t2, t4, t6, t8, t10, t12, t14, t16)
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

    /// σ0 of each word (FIPS 180-4 §4.1.3).
    @inline(__always)
    private func smallSigma0(_ x: Four) -> Four {
        exclusiveOr(exclusiveOr(rotateRight(x, 1), rotateRight(x, 8)), shiftRight(x, 7))
    }

    /// σ1 of each word (FIPS 180-4 §4.1.3).
    @inline(__always)
    private func smallSigma1(_ x: Four) -> Four {
        exclusiveOr(exclusiveOr(rotateRight(x, 19), rotateRight(x, 61)), shiftRight(x, 6))
    }

    /// ROTR^n(x), 0 < n < 64.
    @inline(__always)
    private func rotateRight(_ x: UInt64, _ n: UInt64) -> UInt64 { x &>> n | x &<< (64 &- n) }

    // The operators of vectors work word by word. For shifts and exclusive or, the compiler would compute
    // some words in general registers.

    /// x ⊕ y.
    @inline(__always)
    private func exclusiveOr(_ x: Four, _ y: Four) -> Four {
        var sum = x
        sum._storage._value = Builtin.xor_Vec4xInt64(x._storage._value, y._storage._value)
        return sum
    }

    /// Each word shifted right by n, 0 < n < 64.
    @inline(__always)
    private func shiftRight(_ x: Four, _ n: UInt64) -> Four {
        var shifted = x
        shifted._storage._value = Builtin.lshr_Vec4xInt64(
            x._storage._value,
            Four(repeating: n)._storage._value
        )
        return shifted
    }

    /// ROTR^n of each word, 0 < n < 64.
    @inline(__always)
    private func rotateRight(_ x: Four, _ n: UInt64) -> Four {
        var rotated = x
        let bits = x._storage._value
        rotated._storage._value = Builtin.int_fshr_Vec4xInt64(bits, bits, Four(repeating: n)._storage._value)
        return rotated
    }

    /// The second word of each half of `one`, and then the first of `other`.
    @inline(__always)
    private func next(_ one: Four, _ other: Four) -> Four { Four(one[1], other[0], one[3], other[2]) }

    /// Loads sixteen big-endian words of each of two blocks.
    ///
    /// Unsafe: 128 bytes must be readable at both offsets. This is not checked.
    @inline(__always)
    @unsafe
    private func sixteenOfEach(_ blocks: RawSpan, _ first: Int, _ second: Int) -> Schedule {
        unsafe (
            twoOfEach(blocks, first, second), twoOfEach(blocks, first &+ 16, second &+ 16),
            twoOfEach(blocks, first &+ 32, second &+ 32), twoOfEach(blocks, first &+ 48, second &+ 48),
            twoOfEach(blocks, first &+ 64, second &+ 64), twoOfEach(blocks, first &+ 80, second &+ 80),
            twoOfEach(blocks, first &+ 96, second &+ 96), twoOfEach(blocks, first &+ 112, second &+ 112)
        )
    }

    /// Loads two big-endian words at each of two offsets.
    ///
    /// Unsafe: 16 bytes must be readable at both offsets. This is not checked.
    @inline(__always)
    @unsafe
    private func twoOfEach(_ blocks: RawSpan, _ first: Int, _ second: Int) -> Four {
        var words = unsafe Four(
            lowHalf: blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: first, as: SIMD2<UInt64>.self),
            highHalf: blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: second, as: SIMD2<UInt64>.self)
        )
        words._storage._value = Builtin.int_bswap_Vec4xInt64(words._storage._value)
        return words
    }

    /// K(0) to K(79) (FIPS 180-4 §4.2.3).
    @inline(__always)
    private func constants() -> (
        SIMD16<UInt64>, SIMD16<UInt64>, SIMD16<UInt64>, SIMD16<UInt64>, SIMD16<UInt64>
    ) {
        (
            SIMD16(
                0x428a_2f98_d728_ae22,
                0x7137_4491_23ef_65cd,
                0xb5c0_fbcf_ec4d_3b2f,
                0xe9b5_dba5_8189_dbbc,
                0x3956_c25b_f348_b538,
                0x59f1_11f1_b605_d019,
                0x923f_82a4_af19_4f9b,
                0xab1c_5ed5_da6d_8118,
                0xd807_aa98_a303_0242,
                0x1283_5b01_4570_6fbe,
                0x2431_85be_4ee4_b28c,
                0x550c_7dc3_d5ff_b4e2,
                0x72be_5d74_f27b_896f,
                0x80de_b1fe_3b16_96b1,
                0x9bdc_06a7_25c7_1235,
                0xc19b_f174_cf69_2694
            ),
            SIMD16(
                0xe49b_69c1_9ef1_4ad2,
                0xefbe_4786_384f_25e3,
                0x0fc1_9dc6_8b8c_d5b5,
                0x240c_a1cc_77ac_9c65,
                0x2de9_2c6f_592b_0275,
                0x4a74_84aa_6ea6_e483,
                0x5cb0_a9dc_bd41_fbd4,
                0x76f9_88da_8311_53b5,
                0x983e_5152_ee66_dfab,
                0xa831_c66d_2db4_3210,
                0xb003_27c8_98fb_213f,
                0xbf59_7fc7_beef_0ee4,
                0xc6e0_0bf3_3da8_8fc2,
                0xd5a7_9147_930a_a725,
                0x06ca_6351_e003_826f,
                0x1429_2967_0a0e_6e70
            ),
            SIMD16(
                0x27b7_0a85_46d2_2ffc,
                0x2e1b_2138_5c26_c926,
                0x4d2c_6dfc_5ac4_2aed,
                0x5338_0d13_9d95_b3df,
                0x650a_7354_8baf_63de,
                0x766a_0abb_3c77_b2a8,
                0x81c2_c92e_47ed_aee6,
                0x9272_2c85_1482_353b,
                0xa2bf_e8a1_4cf1_0364,
                0xa81a_664b_bc42_3001,
                0xc24b_8b70_d0f8_9791,
                0xc76c_51a3_0654_be30,
                0xd192_e819_d6ef_5218,
                0xd699_0624_5565_a910,
                0xf40e_3585_5771_202a,
                0x106a_a070_32bb_d1b8
            ),
            SIMD16(
                0x19a4_c116_b8d2_d0c8,
                0x1e37_6c08_5141_ab53,
                0x2748_774c_df8e_eb99,
                0x34b0_bcb5_e19b_48a8,
                0x391c_0cb3_c5c9_5a63,
                0x4ed8_aa4a_e341_8acb,
                0x5b9c_ca4f_7763_e373,
                0x682e_6ff3_d6b2_b8a3,
                0x748f_82ee_5def_b2fc,
                0x78a5_636f_4317_2f60,
                0x84c8_7814_a1f0_ab72,
                0x8cc7_0208_1a64_39ec,
                0x90be_fffa_2363_1e28,
                0xa450_6ceb_de82_bde9,
                0xbef9_a3f7_b2c6_7915,
                0xc671_78f2_e372_532b
            ),
            SIMD16(
                0xca27_3ece_ea26_619c,
                0xd186_b8c7_21c0_c207,
                0xeada_7dd6_cde0_eb1e,
                0xf57d_4f7f_ee6e_d178,
                0x06f0_67aa_7217_6fba,
                0x0a63_7dc5_a2c8_98a6,
                0x113f_9804_bef9_0dae,
                0x1b71_0b35_131c_471b,
                0x28db_77f5_2304_7d84,
                0x32ca_ab7b_40c7_2493,
                0x3c9e_be0a_15c9_bebc,
                0x431d_67c4_9c10_0d4c,
                0x4cc5_d4be_cb3e_42b6,
                0x597f_299c_fc65_7e2a,
                0x5fcb_6fab_3ad6_faec,
                0x6c44_198c_4a47_5817
            )
        )
    }
#endif
