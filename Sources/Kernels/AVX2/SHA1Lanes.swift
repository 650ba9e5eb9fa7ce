// The compression function of SHA-1 (FIPS 180-4 §6.1.2) for several messages, in the lanes of vectors.
// SHA1Compression.swift of the module SHA defines the function in portable code. The target AVX512VL compiles
// this file too. SHA256Lanes.swift describes lanes and instructions.
#if Accelerated && arch(x86_64)
    /// The hash values of all messages: a vector for each word.
    private typealias HashValues = (
        h0: Lanes, h1: Lanes, h2: Lanes, h3: Lanes, h4: Lanes
    )

    /// Updates the hash values of several messages with as many blocks of each, in order: of eight messages
    /// with AVX2, and of sixteen with AVX-512.
    ///
    /// Unsafe: the processor must have AVX2, BMI1 and BMI2, or for the function of the target AVX512VL also
    /// AVX-512 BW and VL, and the operating system must save the registers. Otherwise the program crashes.
    /// Each message must have that many blocks of 64 bytes. This is not checked.
    ///
    /// - Parameters:
    ///   - hashes: the words of the hash values: first H0 of each message, then H1 of each, and so on.
    ///   - messages: the address of each message.
    ///   - blockCount: the number of blocks to take from the start of each message.
    @unsafe
    @inline(never)
    public func compressSHA1(
        lanes hashes: UnsafeMutableRawPointer,
        _ messages: UnsafePointer<UnsafeRawPointer>,
        blockCount: Int
    ) {
        var values: HashValues = unsafe (
            words(hashes, 0), words(hashes, 1), words(hashes, 2), words(hashes, 3), words(hashes, 4)
        )
        var offset = 0
        while offset != blockCount &* 64 {
            // In bounds: each message has 64 bytes from `offset` on.
            compress(&values, unsafe sixteenWords(messages, at: offset))
            offset &+= 64
        }
        unsafe setWords(hashes, 0, values.h0)
        unsafe setWords(hashes, 1, values.h1)
        unsafe setWords(hashes, 2, values.h2)
        unsafe setWords(hashes, 3, values.h3)
        unsafe setWords(hashes, 4, values.h4)
    }

    /// Updates the hash values with a block of each message.
    @inline(__always)
    private func compress(_ hashes: inout HashValues, _ block: SixteenWords) {
        var (words, working) = (block, hashes)
        // K (FIPS 180-4 §4.2.1) changes every twenty rounds.
        let (k0, k20, k40, k60) = (
            Lanes(repeating: 0x5a82_7999), Lanes(repeating: 0x6ed9_eba1),
            Lanes(repeating: 0x8f1b_bcdc), Lanes(repeating: 0xca62_c1d6)
        )
        round(&working, words.t0 &+ k0, choose)
        round(&working, words.t1 &+ k0, choose)
        round(&working, words.t2 &+ k0, choose)
        round(&working, words.t3 &+ k0, choose)
        round(&working, words.t4 &+ k0, choose)
        round(&working, words.t5 &+ k0, choose)
        round(&working, words.t6 &+ k0, choose)
        round(&working, words.t7 &+ k0, choose)
        round(&working, words.t8 &+ k0, choose)
        round(&working, words.t9 &+ k0, choose)
        round(&working, words.t10 &+ k0, choose)
        round(&working, words.t11 &+ k0, choose)
        round(&working, words.t12 &+ k0, choose)
        round(&working, words.t13 &+ k0, choose)
        round(&working, words.t14 &+ k0, choose)
        round(&working, words.t15 &+ k0, choose)
        round(&working, next(&words.t0, words.t2, words.t8, words.t13) &+ k0, choose)
        round(&working, next(&words.t1, words.t3, words.t9, words.t14) &+ k0, choose)
        round(&working, next(&words.t2, words.t4, words.t10, words.t15) &+ k0, choose)
        round(&working, next(&words.t3, words.t5, words.t11, words.t0) &+ k0, choose)
        round(&working, next(&words.t4, words.t6, words.t12, words.t1) &+ k20, parity)
        round(&working, next(&words.t5, words.t7, words.t13, words.t2) &+ k20, parity)
        round(&working, next(&words.t6, words.t8, words.t14, words.t3) &+ k20, parity)
        round(&working, next(&words.t7, words.t9, words.t15, words.t4) &+ k20, parity)
        round(&working, next(&words.t8, words.t10, words.t0, words.t5) &+ k20, parity)
        round(&working, next(&words.t9, words.t11, words.t1, words.t6) &+ k20, parity)
        round(&working, next(&words.t10, words.t12, words.t2, words.t7) &+ k20, parity)
        round(&working, next(&words.t11, words.t13, words.t3, words.t8) &+ k20, parity)
        round(&working, next(&words.t12, words.t14, words.t4, words.t9) &+ k20, parity)
        round(&working, next(&words.t13, words.t15, words.t5, words.t10) &+ k20, parity)
        round(&working, next(&words.t14, words.t0, words.t6, words.t11) &+ k20, parity)
        round(&working, next(&words.t15, words.t1, words.t7, words.t12) &+ k20, parity)
        round(&working, next(&words.t0, words.t2, words.t8, words.t13) &+ k20, parity)
        round(&working, next(&words.t1, words.t3, words.t9, words.t14) &+ k20, parity)
        round(&working, next(&words.t2, words.t4, words.t10, words.t15) &+ k20, parity)
        round(&working, next(&words.t3, words.t5, words.t11, words.t0) &+ k20, parity)
        round(&working, next(&words.t4, words.t6, words.t12, words.t1) &+ k20, parity)
        round(&working, next(&words.t5, words.t7, words.t13, words.t2) &+ k20, parity)
        round(&working, next(&words.t6, words.t8, words.t14, words.t3) &+ k20, parity)
        round(&working, next(&words.t7, words.t9, words.t15, words.t4) &+ k20, parity)
        round(&working, next(&words.t8, words.t10, words.t0, words.t5) &+ k40, majority)
        round(&working, next(&words.t9, words.t11, words.t1, words.t6) &+ k40, majority)
        round(&working, next(&words.t10, words.t12, words.t2, words.t7) &+ k40, majority)
        round(&working, next(&words.t11, words.t13, words.t3, words.t8) &+ k40, majority)
        round(&working, next(&words.t12, words.t14, words.t4, words.t9) &+ k40, majority)
        round(&working, next(&words.t13, words.t15, words.t5, words.t10) &+ k40, majority)
        round(&working, next(&words.t14, words.t0, words.t6, words.t11) &+ k40, majority)
        round(&working, next(&words.t15, words.t1, words.t7, words.t12) &+ k40, majority)
        round(&working, next(&words.t0, words.t2, words.t8, words.t13) &+ k40, majority)
        round(&working, next(&words.t1, words.t3, words.t9, words.t14) &+ k40, majority)
        round(&working, next(&words.t2, words.t4, words.t10, words.t15) &+ k40, majority)
        round(&working, next(&words.t3, words.t5, words.t11, words.t0) &+ k40, majority)
        round(&working, next(&words.t4, words.t6, words.t12, words.t1) &+ k40, majority)
        round(&working, next(&words.t5, words.t7, words.t13, words.t2) &+ k40, majority)
        round(&working, next(&words.t6, words.t8, words.t14, words.t3) &+ k40, majority)
        round(&working, next(&words.t7, words.t9, words.t15, words.t4) &+ k40, majority)
        round(&working, next(&words.t8, words.t10, words.t0, words.t5) &+ k40, majority)
        round(&working, next(&words.t9, words.t11, words.t1, words.t6) &+ k40, majority)
        round(&working, next(&words.t10, words.t12, words.t2, words.t7) &+ k40, majority)
        round(&working, next(&words.t11, words.t13, words.t3, words.t8) &+ k40, majority)
        round(&working, next(&words.t12, words.t14, words.t4, words.t9) &+ k60, parity)
        round(&working, next(&words.t13, words.t15, words.t5, words.t10) &+ k60, parity)
        round(&working, next(&words.t14, words.t0, words.t6, words.t11) &+ k60, parity)
        round(&working, next(&words.t15, words.t1, words.t7, words.t12) &+ k60, parity)
        round(&working, next(&words.t0, words.t2, words.t8, words.t13) &+ k60, parity)
        round(&working, next(&words.t1, words.t3, words.t9, words.t14) &+ k60, parity)
        round(&working, next(&words.t2, words.t4, words.t10, words.t15) &+ k60, parity)
        round(&working, next(&words.t3, words.t5, words.t11, words.t0) &+ k60, parity)
        round(&working, next(&words.t4, words.t6, words.t12, words.t1) &+ k60, parity)
        round(&working, next(&words.t5, words.t7, words.t13, words.t2) &+ k60, parity)
        round(&working, next(&words.t6, words.t8, words.t14, words.t3) &+ k60, parity)
        round(&working, next(&words.t7, words.t9, words.t15, words.t4) &+ k60, parity)
        round(&working, next(&words.t8, words.t10, words.t0, words.t5) &+ k60, parity)
        round(&working, next(&words.t9, words.t11, words.t1, words.t6) &+ k60, parity)
        round(&working, next(&words.t10, words.t12, words.t2, words.t7) &+ k60, parity)
        round(&working, next(&words.t11, words.t13, words.t3, words.t8) &+ k60, parity)
        round(&working, next(&words.t12, words.t14, words.t4, words.t9) &+ k60, parity)
        round(&working, next(&words.t13, words.t15, words.t5, words.t10) &+ k60, parity)
        round(&working, next(&words.t14, words.t0, words.t6, words.t11) &+ k60, parity)
        round(&working, next(&words.t15, words.t1, words.t7, words.t12) &+ k60, parity)
        hashes.h0 &+= working.h0
        hashes.h1 &+= working.h1
        hashes.h2 &+= working.h2
        hashes.h3 &+= working.h3
        hashes.h4 &+= working.h4
    }

    /// One round, given the sum of its words and constant.
    @inline(__always)
    private func round(
        _ working: inout HashValues,
        _ sum: Lanes,
        _ function: (Lanes, Lanes, Lanes) -> Lanes
    ) {
        let (a, b, c, d, e) = working
        working = (e &+ sum &+ function(b, c, d) &+ rotateRight(a, 27), a, rotateRight(b, 2), c, d)
    }

    /// Replaces W(t − 16) by W(t) = ROTL^1(W(t − 3) ⊕ W(t − 8) ⊕ W(t − 14) ⊕ W(t − 16)).
    @inline(__always)
    private func next(_ t: inout Lanes, _ t2: Lanes, _ t8: Lanes, _ t13: Lanes) -> Lanes {
        t = rotateRight(exclusiveOr(exclusiveOr(t, t2), exclusiveOr(t8, t13)), 31)
        return t
    }

    /// Ch (FIPS 180-4 §4.1.1).
    @inline(__always)
    private func choose(_ x: Lanes, _ y: Lanes, _ z: Lanes) -> Lanes {
        exclusiveOr(z, and(x, exclusiveOr(y, z)))
    }

    /// Parity (FIPS 180-4 §4.1.1).
    @inline(__always)
    private func parity(_ x: Lanes, _ y: Lanes, _ z: Lanes) -> Lanes { exclusiveOr(exclusiveOr(x, y), z) }

    /// Maj (FIPS 180-4 §4.1.1).
    @inline(__always)
    private func majority(_ x: Lanes, _ y: Lanes, _ z: Lanes) -> Lanes {
        exclusiveOr(y, and(exclusiveOr(x, y), exclusiveOr(y, z)))
    }
#endif
