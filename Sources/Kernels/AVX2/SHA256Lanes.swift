// The compression function of SHA-256 (FIPS 180-4 §6.2.2) for several messages, in the lanes of vectors.
// SHA256Compression.swift of the module SHA defines the function in portable code. The target AVX512VL
// compiles this file too.
//
// Lane i of every vector belongs to message i. No operation moves data between lanes after the words are
// loaded, so each operation is the standard's, for all messages.
//
// With AVX-512 the compiler uses VPROLD for a rotation, where AVX2 needs two shifts, and VPTERNLOGD for many
// functions of three operands, for example Ch and x ⊕ y ⊕ z.
#if Accelerated && arch(x86_64)
    /// The hash values of all messages: a vector for each word, with a lane for each message.
    private typealias HashValues = (
        h0: Lanes, h1: Lanes, h2: Lanes, h3: Lanes, h4: Lanes, h5: Lanes, h6: Lanes, h7: Lanes
    )

    /// Updates SHA-256 hash values of several messages with the first `blockCount` blocks of 64 bytes each:
    /// of eight messages with AVX2, and of sixteen with AVX-512.
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
    public func compressSHA256(
        lanes hashes: UnsafeMutableRawPointer,
        _ messages: UnsafePointer<UnsafeRawPointer>,
        blockCount: Int
    ) {
        var values: HashValues = unsafe (
            words(hashes, 0), words(hashes, 1), words(hashes, 2), words(hashes, 3), words(hashes, 4),
            words(hashes, 5),
            words(hashes, 6), words(hashes, 7)
        )
        unsafe withUnsafeBytes(of: constants256()) { constants in
            // The memory is not empty, so it has an address.
            let constants = unsafe constants.baseAddress.unsafelyUnwrapped
            var offset = 0
            while offset != blockCount &* 64 {
                // In bounds: each message has 64 bytes from `offset` on.
                unsafe compress(&values, sixteenWords(messages, at: offset), constants, constants + 256)
                offset &+= 64
            }
        }
        unsafe setWords(hashes, 0, values.h0)
        unsafe setWords(hashes, 1, values.h1)
        unsafe setWords(hashes, 2, values.h2)
        unsafe setWords(hashes, 3, values.h3)
        unsafe setWords(hashes, 4, values.h4)
        unsafe setWords(hashes, 5, values.h5)
        unsafe setWords(hashes, 6, values.h6)
        unsafe setWords(hashes, 7, values.h7)
    }

    /// Updates the hash values of all messages with one block of each message.
    ///
    /// Unsafe: 64 constants must be readable and end at `end`. This is not checked.
    @inline(__always)
    @unsafe
    private func compress(
        _ hashes: inout HashValues,
        _ block: SixteenWords,
        _ constants: UnsafeRawPointer,
        _ end: UnsafeRawPointer
    ) {
        var (words, working) = (block, hashes)
        unsafe sixteenRounds(&working, words, constants)
        // In bounds: three turns read the constants of 48 rounds after the first sixteen.
        var constants = unsafe constants + 64
        while unsafe constants != end {
            unsafe sixteenRounds(&working, advancing: &words, constants)
            unsafe constants += 64
        }
        hashes.h0 &+= working.h0
        hashes.h1 &+= working.h1
        hashes.h2 &+= working.h2
        hashes.h3 &+= working.h3
        hashes.h4 &+= working.h4
        hashes.h5 &+= working.h5
        hashes.h6 &+= working.h6
        hashes.h7 &+= working.h7
    }

    /// The rounds 0 to 15 for all messages, with the sixteen words of each block.
    ///
    /// Unsafe: sixteen constants must be readable. This is not checked.
    @inline(__always)
    @unsafe
    private func sixteenRounds(
        _ working: inout HashValues,
        _ words: SixteenWords,
        _ constants: UnsafeRawPointer
    ) {
        unsafe round(&working, words.t0, constants)
        unsafe round(&working, words.t1, constants + 4)
        unsafe round(&working, words.t2, constants + 8)
        unsafe round(&working, words.t3, constants + 12)
        unsafe round(&working, words.t4, constants + 16)
        unsafe round(&working, words.t5, constants + 20)
        unsafe round(&working, words.t6, constants + 24)
        unsafe round(&working, words.t7, constants + 28)
        unsafe round(&working, words.t8, constants + 32)
        unsafe round(&working, words.t9, constants + 36)
        unsafe round(&working, words.t10, constants + 40)
        unsafe round(&working, words.t11, constants + 44)
        unsafe round(&working, words.t12, constants + 48)
        unsafe round(&working, words.t13, constants + 52)
        unsafe round(&working, words.t14, constants + 56)
        unsafe round(&working, words.t15, constants + 60)
    }

    /// Sixteen further rounds for all messages. Each round first replaces W(t − 16) in `words` by W(t).
    ///
    /// Unsafe: sixteen constants must be readable. This is not checked.
    @inline(__always)
    @unsafe
    private func sixteenRounds(
        _ working: inout HashValues,
        advancing words: inout SixteenWords,
        _ constants: UnsafeRawPointer
    ) {
        unsafe round(&working, next(&words.t0, words.t1, words.t9, words.t14), constants)
        unsafe round(&working, next(&words.t1, words.t2, words.t10, words.t15), constants + 4)
        unsafe round(&working, next(&words.t2, words.t3, words.t11, words.t0), constants + 8)
        unsafe round(&working, next(&words.t3, words.t4, words.t12, words.t1), constants + 12)
        unsafe round(&working, next(&words.t4, words.t5, words.t13, words.t2), constants + 16)
        unsafe round(&working, next(&words.t5, words.t6, words.t14, words.t3), constants + 20)
        unsafe round(&working, next(&words.t6, words.t7, words.t15, words.t4), constants + 24)
        unsafe round(&working, next(&words.t7, words.t8, words.t0, words.t5), constants + 28)
        unsafe round(&working, next(&words.t8, words.t9, words.t1, words.t6), constants + 32)
        unsafe round(&working, next(&words.t9, words.t10, words.t2, words.t7), constants + 36)
        unsafe round(&working, next(&words.t10, words.t11, words.t3, words.t8), constants + 40)
        unsafe round(&working, next(&words.t11, words.t12, words.t4, words.t9), constants + 44)
        unsafe round(&working, next(&words.t12, words.t13, words.t5, words.t10), constants + 48)
        unsafe round(&working, next(&words.t13, words.t14, words.t6, words.t11), constants + 52)
        unsafe round(&working, next(&words.t14, words.t15, words.t7, words.t12), constants + 56)
        unsafe round(&working, next(&words.t15, words.t0, words.t8, words.t13), constants + 60)
    }

    /// One round for all messages. `constant` is the address of K(t). The compiler can reuse a ⊕ b: it is
    /// b ⊕ c of the next round.
    @inline(__always)
    @unsafe
    private func round(
        _ working: inout HashValues,
        _ word: Lanes,
        _ constant: UnsafeRawPointer
    ) {
        let (a, b, c, d, e, f, g, h) = working
        let constant = unsafe Lanes(repeating: constant.load(as: UInt32.self))
        let choice = exclusiveOr(g, and(e, exclusiveOr(f, g)))
        let t1 = h &+ (word &+ constant) &+ choice &+ bigSigma1(e)
        let majority = exclusiveOr(b, and(exclusiveOr(a, b), exclusiveOr(b, c)))
        working = (t1 &+ majority &+ bigSigma0(a), a, b, c, d &+ t1, e, f, g)
    }

    /// Replaces W(t − 16) by W(t) = σ1(W(t − 2)) + W(t − 7) + σ0(W(t − 15)) + W(t − 16), and
    /// returns W(t). The arguments are W(t − 16), W(t − 15), W(t − 7) and W(t − 2).
    @inline(__always)
    private func next(_ t: inout Lanes, _ t1: Lanes, _ t9: Lanes, _ t14: Lanes) -> Lanes {
        t = t &+ t9 &+ smallSigma0(t1) &+ smallSigma1(t14)
        return t
    }

    /// Σ0 of each word (FIPS 180-4 §4.1.2).
    @inline(__always)
    private func bigSigma0(_ x: Lanes) -> Lanes {
        exclusiveOr(exclusiveOr(rotateRight(x, 2), rotateRight(x, 13)), rotateRight(x, 22))
    }

    /// Σ1 of each word (FIPS 180-4 §4.1.2).
    @inline(__always)
    private func bigSigma1(_ x: Lanes) -> Lanes {
        exclusiveOr(exclusiveOr(rotateRight(x, 6), rotateRight(x, 11)), rotateRight(x, 25))
    }

    /// σ0 of each word (FIPS 180-4 §4.1.2).
    @inline(__always)
    private func smallSigma0(_ x: Lanes) -> Lanes {
        exclusiveOr(exclusiveOr(rotateRight(x, 7), rotateRight(x, 18)), shiftRight(x, 3))
    }

    /// σ1 of each word (FIPS 180-4 §4.1.2).
    @inline(__always)
    private func smallSigma1(_ x: Lanes) -> Lanes {
        exclusiveOr(exclusiveOr(rotateRight(x, 17), rotateRight(x, 19)), shiftRight(x, 10))
    }
#endif
