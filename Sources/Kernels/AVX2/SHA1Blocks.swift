// The compression function of SHA-1 (FIPS 180-4 §6.1.2) with AVX2 of x86-64. SHA1Compression.swift of the
// module SHA defines the function in portable code.
//
// # Schedule
//
// As in SHA256Blocks.swift, a vector holds four words of the schedule of one block and of the next block. The
// next four words of both,
//
//     W(t) = ROTL^1(W(t − 3) ⊕ W(t − 8) ⊕ W(t − 14) ⊕ W(t − 16))
//
// are computed at once, with zero instead of the W(t) that W(t + 3) needs. The rotation of a sum by exclusive
// or is the sum of the rotations, so ROTL^1(W(t)) is added to W(t + 3) afterwards.
//
// From t = 32 on, each of the four words on the right side can be replaced by its own formula. The result
// needs none of the words from t on:
//
//     W(t) = ROTL^2(W(t − 6) ⊕ W(t − 16) ⊕ W(t − 28) ⊕ W(t − 32))
//
// The sums of words and constants go to memory for the rounds of both blocks.
//
// # Instructions
//
// The compiler uses RORX and ANDN of BMI2 and BMI1, and VPALIGNR and VPSHUFB of AVX2 (Intel 64 and IA-32
// Architectures Software Developer's Manual, volume 2).
#if Accelerated && arch(x86_64)
    import Builtin

    /// A hash value of SHA-1, or the working variables a to e.
    private typealias HashValue = (a: UInt32, b: UInt32, c: UInt32, d: UInt32, e: UInt32)
    /// Thirty-two words of each of two blocks. A vector has four words of one, then four of the other.
    private typealias ThirtyTwo = (
        t0: Eight, t4: Eight, t8: Eight, t12: Eight, t16: Eight, t20: Eight, t24: Eight, t28: Eight
    )

    /// Updates a hash value of SHA-1 with whole blocks of 64 bytes, in order. Bytes after the last whole
    /// block are ignored.
    ///
    /// Unsafe: the processor must have AVX2, BMI1 and BMI2, and the operating system must save the registers
    /// of AVX. Otherwise the program crashes.
    ///
    /// - Parameters:
    ///   - value: the words H0 to H4 of the hash value, and three zeros.
    ///   - blocks: the blocks.
    @unsafe
    @inline(never)
    public func compressSHA1(_ value: inout SIMD8<UInt32>, _ blocks: RawSpan) {
        var hash: HashValue = (value[0], value[1], value[2], value[3], value[4])
        // 640 bytes on the stack.
        var sums = emptySums()
        unsafe withUnsafeMutableBytes(of: &sums) { sums in
            // The memory is not empty, so it has an address.
            let sums = unsafe sums.baseAddress.unsafelyUnwrapped
            var offset = 0
            // 64 bytes are left from `offset` on.
            while blocks.byteCount &- offset >= 64 {
                // A last block without a partner is its own partner.
                let hasPartner = blocks.byteCount &- offset >= 128
                let words = unsafe twoBlocks(blocks, offset, hasPartner ? offset &+ 64 : offset)
                unsafe compress(&hash, words, sums)
                if hasPartner { unsafe compress(&hash, sums + 16) }
                offset &+= 128
            }
        }
        value = SIMD8(hash.a, hash.b, hash.c, hash.d, hash.e, 0, 0, 0)
    }

    /// Computes the sums W(t) + K(t) of two blocks, and updates the hash value with the first block.
    ///
    /// The function is not inlined. If it were, the compiler would see it together with the code for the
    /// second block and would order its instructions differently.
    ///
    /// Unsafe: 640 bytes must be writable at `sums`. This is not checked.
    @inline(never)
    @unsafe
    private func compress(_ hash: inout HashValue, _ block: Sixteen, _ sums: UnsafeMutableRawPointer) {
        var working = hash
        var words: ThirtyTwo = (
            block.t0, block.t4, block.t8, block.t12, block.t0, block.t4, block.t8, block.t12
        )
        let (k0, k20, k40, k60) = constants()
        unsafe store(words.t16, k0, sums)
        unsafe store(words.t20, k0, sums + 32)
        unsafe store(words.t24, k0, sums + 64)
        unsafe store(words.t28, k0, sums + 96)
        unsafe makeEarlyWords(&words, k0, sums + 128)
        unsafe fourRounds(&working, sums, choose)
        unsafe makeEarlyWords(&words, k20, sums + 160)
        unsafe fourRounds(&working, sums + 32, choose)
        unsafe makeEarlyWords(&words, k20, sums + 192)
        unsafe fourRounds(&working, sums + 64, choose)
        unsafe makeEarlyWords(&words, k20, sums + 224)
        unsafe fourRounds(&working, sums + 96, choose)
        unsafe makeWords(&words, k20, sums + 256)
        unsafe fourRounds(&working, sums + 128, choose)
        unsafe twentyRounds(&working, &words, sums + 160, k20, k40, parity)
        unsafe twentyRounds(&working, &words, sums + 320, k40, k60, majority)
        unsafe makeWords(&words, k60, sums + 608)
        unsafe twentyRounds(&working, sums + 480, parity)
        add(&hash, working)
    }

    /// Updates the hash value with a block whose sums W(t) + K(t) are in memory.
    ///
    /// Unsafe: the 80 sums must be readable: four of 4 bytes in every 32 bytes. This is not checked.
    @inline(never)
    @unsafe
    private func compress(_ hash: inout HashValue, _ sums: UnsafeMutableRawPointer) {
        var working = hash
        unsafe twentyRounds(&working, sums, choose)
        unsafe twentyRounds(&working, sums + 160, parity)
        unsafe twentyRounds(&working, sums + 320, majority)
        unsafe twentyRounds(&working, sums + 480, parity)
        add(&hash, working)
    }

    /// Twenty rounds, and the sums W(t) + K(t) of the twenty rounds that begin sixteen rounds later.
    ///
    /// - Parameters:
    ///   - constant: the constant K(t) of the twenty rounds that this call does.
    ///   - next: the constant K(t) of the twenty rounds after those.
    @inline(__always)
    @unsafe
    private func twentyRounds(
        _ working: inout HashValue,
        _ words: inout ThirtyTwo,
        _ sums: UnsafeMutableRawPointer,
        _ constant: Eight,
        _ next: Eight,
        _ function: (UInt32, UInt32, UInt32) -> UInt32
    ) {
        unsafe makeWords(&words, constant, sums + 128)
        unsafe fourRounds(&working, sums, function)
        unsafe makeWords(&words, next, sums + 160)
        unsafe fourRounds(&working, sums + 32, function)
        unsafe makeWords(&words, next, sums + 192)
        unsafe fourRounds(&working, sums + 64, function)
        unsafe makeWords(&words, next, sums + 224)
        unsafe fourRounds(&working, sums + 96, function)
        unsafe makeWords(&words, next, sums + 256)
        unsafe fourRounds(&working, sums + 128, function)
    }

    /// Twenty rounds. `sums` has W(t) + K(t): four of 4 bytes in every 32 bytes.
    @inline(__always)
    @unsafe
    private func twentyRounds(
        _ working: inout HashValue,
        _ sums: UnsafeMutableRawPointer,
        _ function: (UInt32, UInt32, UInt32) -> UInt32
    ) {
        unsafe fourRounds(&working, sums, function)
        unsafe fourRounds(&working, sums + 32, function)
        unsafe fourRounds(&working, sums + 64, function)
        unsafe fourRounds(&working, sums + 96, function)
        unsafe fourRounds(&working, sums + 128, function)
    }

    /// Four rounds, given the sums W(t) + K(t) of the rounds: 4 bytes each, one after the other.
    @inline(__always)
    @unsafe
    private func fourRounds(
        _ working: inout HashValue,
        _ sums: UnsafeMutableRawPointer,
        _ function: (UInt32, UInt32, UInt32) -> UInt32
    ) {
        unsafe round(&working, sums.load(as: UInt32.self), function)
        unsafe round(&working, sums.load(fromByteOffset: 4, as: UInt32.self), function)
        unsafe round(&working, sums.load(fromByteOffset: 8, as: UInt32.self), function)
        unsafe round(&working, sums.load(fromByteOffset: 12, as: UInt32.self), function)
    }

    /// One round, given the sum W(t) + K(t) of the round and its function f.
    ///
    /// The next round waits for ROTL^5(a), so ROTL^5(a) is computed first. It is added last, because the
    /// other terms of the sum are known before ROTL^5(a).
    @inline(__always)
    private func round(
        _ working: inout HashValue,
        _ sum: UInt32,
        _ function: (UInt32, UInt32, UInt32) -> UInt32
    ) {
        let (a, b, c, d, e) = working
        let rotated = rotateRight(a, 27)
        let f = function(b, c, d)
        let nextC = rotateRight(b, 2)
        let nextA = addInOrder(addInOrder(e &+ sum, f), rotated)
        working = (nextA, a, nextC, c, d)
    }

    /// Ch (FIPS 180-4 §4.1.1) as a sum: no bit is set in both terms.
    @inline(__always)
    private func choose(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { (x & y) &+ (~x & z) }

    /// Parity (FIPS 180-4 §4.1.1).
    @inline(__always)
    private func parity(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { x ^ y ^ z }

    /// Maj (FIPS 180-4 §4.1.1) as a sum: no bit is set in both terms.
    @inline(__always)
    private func majority(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { (y & z) &+ (x & (y ^ z)) }

    /// Computes the next four words of both blocks, of W(16) to W(31), and appends them.
    ///
    /// Drops the first four of the thirty-two words. Writes the sums of the new words with a constant.
    @inline(__always)
    @unsafe
    private func makeEarlyWords(
        _ words: inout ThirtyTwo,
        _ constant: Eight,
        _ sums: UnsafeMutableRawPointer
    ) {
        // The words t − 3 to t − 1, and then zero.
        let last = permute(
            words.t28,
            SIMD16(4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 128, 128, 128, 128)
        )
        let sum = exclusiveOr(
            exclusiveOr(last, words.t24),
            exclusiveOr(halfway(words.t16, words.t20), words.t16)
        )
        let first = permute(
            sum,
            SIMD16(128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3)
        )
        append(exclusiveOr(rotateRight(sum, 31), rotateRight(first, 30)), to: &words)
        unsafe store(words.t28, constant, sums)
    }

    /// Computes the next four words of both blocks, of W(32) to W(79), and appends them.
    ///
    /// Drops the first four of the thirty-two words. Writes the sums of the new words with a constant.
    @inline(__always)
    @unsafe
    private func makeWords(
        _ words: inout ThirtyTwo,
        _ constant: Eight,
        _ sums: UnsafeMutableRawPointer
    ) {
        let sum = exclusiveOr(
            exclusiveOr(exclusiveOr(words.t16, words.t4), words.t0),
            halfway(words.t24, words.t28)
        )
        append(rotateRight(sum, 30), to: &words)
        unsafe store(words.t28, constant, sums)
    }

    @inline(__always)
    private func append(_ four: Eight, to words: inout ThirtyTwo) {
        words = (words.t4, words.t8, words.t12, words.t16, words.t20, words.t24, words.t28, four)
    }

    /// In each half of the vectors: the last two words of `one`, and then the first two of `other`.
    @inline(__always)
    private func halfway(_ one: Eight, _ other: Eight) -> Eight {
        permute(
            blend(one, other, SIMD16(255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0)),
            SIMD16(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)
        )
    }

    /// Adds a constant to each of eight words, and writes the eight sums: 32 bytes at `sums`.
    @inline(__always)
    @unsafe
    private func store(_ words: Eight, _ constant: Eight, _ sums: UnsafeMutableRawPointer) {
        unsafe sums.storeBytes(of: words &+ constant, as: Eight.self)
    }

    /// Adds the working variables to the hash value, word by word, modulo 2^32.
    @inline(__always)
    private func add(_ hash: inout HashValue, _ working: HashValue) {
        hash.a &+= working.a
        hash.b &+= working.b
        hash.c &+= working.c
        hash.d &+= working.d
        hash.e &+= working.e
    }

    /// K(t) of the rounds from 0, 20, 40 and 60 on, each in all lanes (FIPS 180-4 §4.2.1).
    @inline(__always)
    private func constants() -> (Eight, Eight, Eight, Eight) {
        (
            Eight(repeating: 0x5a82_7999), Eight(repeating: 0x6ed9_eba1),
            Eight(repeating: 0x8f1b_bcdc), Eight(repeating: 0xca62_c1d6)
        )
    }
#endif
