// The compression function of SHA-256 (FIPS 180-4 §6.2.2) with AVX2 of x86-64. SHA256Compression.swift of the
// module SHA defines the function in portable code.
//
// # Schedule
//
// A vector holds four words of the schedule of one block, and in its upper half the same four words of the
// next block, the first word in the lowest lane. The next four words of both blocks,
//
//     W(t) = σ1(W(t − 2)) + W(t − 7) + σ0(W(t − 15)) + W(t − 16)
//
// are computed from sixteen words at once, except σ1: the upper two words need σ1 of the lower two. The
// vector units also add K(t), and write the sums to memory for the rounds of both blocks. They work while the
// general registers compute the rounds of the first block. The rounds of the second block only read sums.
//
// # Instructions
//
// The compiler uses these instructions of AVX2, BMI1 and BMI2, which have no counterpart in SSE2 or in the
// baseline (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2):
//
//     VPALIGNR, VPSHUFB    move words within the halves of a vector
//     RORX, ANDN           rotate, and compute ¬x ∧ y, without overwriting an operand
#if Accelerated && arch(x86_64)
    import Builtin

    /// A hash value of SHA-256, or the working variables a to h.
    private typealias HashValue = (
        a: UInt32, b: UInt32, c: UInt32, d: UInt32, e: UInt32, f: UInt32, g: UInt32, h: UInt32
    )

    /// Updates a hash value of SHA-256 with whole blocks of 64 bytes, in order. Bytes after the last whole
    /// block are ignored.
    ///
    /// Unsafe: the processor must have AVX2, BMI1 and BMI2, and the operating system must save the registers
    /// of AVX. Otherwise the program crashes.
    ///
    /// - Parameters:
    ///   - value: the words H0 to H7.
    ///   - blocks: the blocks.
    @unsafe
    @inline(never)
    public func compressSHA256(_ value: inout SIMD8<UInt32>, _ blocks: RawSpan) {
        var hash: HashValue = (
            value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7]
        )
        unsafe withUnsafeBytes(of: constants256()) { constants in
            // 640 bytes on the stack. The sums take 512.
            var sums = emptySums()
            unsafe withUnsafeMutableBytes(of: &sums) { sums in
                // Neither memory is empty, so both have an address.
                let constants = unsafe constants.baseAddress.unsafelyUnwrapped
                let sums = unsafe sums.baseAddress.unsafelyUnwrapped
                var offset = 0
                // 64 bytes are left from `offset` on.
                while blocks.byteCount &- offset >= 64 {
                    // A last block without a partner is its own partner.
                    let hasPartner = blocks.byteCount &- offset >= 128
                    let words = unsafe twoBlocks(blocks, offset, hasPartner ? offset &+ 64 : offset)
                    unsafe compress(&hash, words, sums, constants, constants + 256)
                    if hasPartner { unsafe compress(&hash, sums + 16) }
                    offset &+= 128
                }
            }
        }
        value = SIMD8(hash.a, hash.b, hash.c, hash.d, hash.e, hash.f, hash.g, hash.h)
    }

    /// Computes the sums W(t) + K(t) of two blocks, and updates the hash value with the first block.
    ///
    /// This is a loop on purpose. Without the loop the compiler computes all words before the first round, so
    /// that they are no longer computed at the same time as the rounds. The end is a parameter so that the
    /// compiler does not count turns, for which it has no register left.
    ///
    /// The function is inlined, like that of the second block, so that a block finds the hash value of the
    /// block before it in registers and not in memory.
    ///
    /// Unsafe: 512 bytes must be writable at `sums`, and 64 constants must end at `end`. This is not checked.
    @inline(__always)
    @unsafe
    private func compress(
        _ hash: inout HashValue,
        _ block: Sixteen,
        _ sums: UnsafeMutableRawPointer,
        _ constants: UnsafeRawPointer,
        _ end: UnsafeRawPointer
    ) {
        var (words, working) = (block, hash)
        unsafe store(words.t0, constants, sums)
        unsafe store(words.t4, constants + 16, sums + 32)
        unsafe store(words.t8, constants + 32, sums + 64)
        unsafe store(words.t12, constants + 48, sums + 96)
        // The address of the next sums to use, and the constants of the sixteen rounds after them. In bounds:
        // three turns write the sums of 48 rounds after the first sixteen.
        var (place, next) = unsafe (sums, constants + 64)
        while unsafe next != end {
            makeWords(&words)
            unsafe rounds(&working, place)
            unsafe store(words.t12, next, place + 128)
            makeWords(&words)
            unsafe rounds(&working, place + 32)
            unsafe store(words.t12, next + 16, place + 160)
            makeWords(&words)
            unsafe rounds(&working, place + 64)
            unsafe store(words.t12, next + 32, place + 192)
            makeWords(&words)
            unsafe rounds(&working, place + 96)
            unsafe store(words.t12, next + 48, place + 224)
            unsafe place += 128
            unsafe next += 64
        }
        unsafe sixteenRounds(&working, place)
        add(&hash, working)
    }

    /// Updates the hash value with a block whose sums W(t) + K(t) are in memory.
    ///
    /// There is no loop, because the compiler would delay a to d of the last rounds of each turn.
    ///
    /// Unsafe: the sums must be readable: four of 4 bytes in every 32 bytes, 64 in all. This is not checked.
    @inline(__always)
    @unsafe
    private func compress(_ hash: inout HashValue, _ sums: UnsafeMutableRawPointer) {
        var working = hash
        unsafe sixteenRounds(&working, sums)
        unsafe sixteenRounds(&working, sums + 128)
        unsafe sixteenRounds(&working, sums + 256)
        unsafe sixteenRounds(&working, sums + 384)
        add(&hash, working)
    }

    /// Adds four constants, one to one, to the four words of each of two blocks, and writes the eight
    /// sums: 32 bytes at `sums`.
    @inline(__always)
    @unsafe
    private func store(
        _ words: Eight,
        _ constants: UnsafeRawPointer,
        _ sums: UnsafeMutableRawPointer
    ) {
        let four = unsafe constants.loadUnaligned(as: SIMD4<UInt32>.self)
        let both = words &+ Eight(lowHalf: four, highHalf: four)
        unsafe sums.storeBytes(of: both, as: Eight.self)
    }

    /// Sixteen rounds, given the sums W(t) + K(t) of the rounds: four of 4 bytes in every 32 bytes.
    @inline(__always)
    @unsafe
    private func sixteenRounds(_ working: inout HashValue, _ sums: UnsafeMutableRawPointer) {
        unsafe rounds(&working, sums)
        unsafe rounds(&working, sums + 32)
        unsafe rounds(&working, sums + 64)
        unsafe rounds(&working, sums + 96)
    }

    /// Four rounds, given the sums W(t) + K(t) of the rounds: 4 bytes each, one after the other.
    @inline(__always)
    @unsafe
    private func rounds(_ working: inout HashValue, _ sums: UnsafeMutableRawPointer) {
        unsafe round(&working, sums.load(as: UInt32.self))
        unsafe round(&working, sums.load(fromByteOffset: 4, as: UInt32.self))
        unsafe round(&working, sums.load(fromByteOffset: 8, as: UInt32.self))
        unsafe round(&working, sums.load(fromByteOffset: 12, as: UInt32.self))
    }

    /// One round, given the sum W(t) + K(t) of the round.
    ///
    /// No bit is set both in e ∧ f and in ¬e ∧ g, so their sum is Ch(e, f, g). The compiler can reuse a ⊕ b:
    /// it is b ⊕ c of the next round. Σ0(a) and Σ1(e) are three rotations each, joined by exclusive or (FIPS
    /// 180-4 §4.1.2).
    ///
    /// The next round waits for e, so e comes as early as possible: its sums are in the order in which their
    /// terms are known, and a comes after it.
    @inline(__always)
    private func round(_ working: inout HashValue, _ sum: UInt32) {
        let (a, b, c, d, e, f, g, h) = working
        let ef = e & f
        let twoOfSigma1 = rotateRight(e, 25) ^ rotateRight(e, 11)
        let withEF = addInOrder(h &+ sum, ef)
        let thirdOfSigma1 = rotateRight(e, 6)
        let withCh = addInOrder(withEF, ~e & g)
        let t1 = addInOrder(withCh, twoOfSigma1 ^ thirdOfSigma1)
        let nextE = d &+ t1
        let twoOfSigma0 = rotateRight(a, 22) ^ rotateRight(a, 13)
        let withMaj = addInOrder(t1, b ^ ((a ^ b) & (b ^ c)))
        let nextA = addInOrder(withMaj, twoOfSigma0 ^ rotateRight(a, 2))
        working = (nextA, a, b, c, nextE, e, f, g)
    }

    /// Computes the next four words of both blocks, drops the first four of the sixteen, and appends the new
    /// ones.
    @inline(__always)
    private func makeWords(_ words: inout Sixteen) {
        let (t0, t4, t8, t12) = words
        let others = t0 &+ next(t8, t12) &+ smallSigma0(next(t0, t4))
        // σ1 of the words 14 and 15 in the lower two lanes, then σ1 of the words 16 and 17 in the upper two.
        let lower = others &+ permute(smallSigma1(permute(t12, upperTwice)), evenToLower)
        let t16 = lower &+ permute(smallSigma1(permute(lower, lowerTwice)), evenToUpper)
        words = (t4, t8, t12, t16)
    }

    /// Adds the working variables to the hash value, word by word, modulo 2^32.
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

    /// σ0 of each word (FIPS 180-4 §4.1.2).
    @inline(__always)
    private func smallSigma0(_ x: Eight) -> Eight {
        exclusiveOr(exclusiveOr(rotateRight(x, 7), rotateRight(x, 18)), shiftRight(x, 3))
    }

    /// σ1 (FIPS 180-4 §4.1.2) of each word, in the even lanes. Each pair of lanes must hold a word twice.
    ///
    /// A word and its copy are a number of 64 bits. The lower half of this number, after a shift to the
    /// right by n bits, is the word rotated to the right by n bits.
    @inline(__always)
    private func smallSigma1(_ twice: Eight) -> Eight {
        exclusiveOr(
            exclusiveOr(shiftPairsRight(twice, 17), shiftPairsRight(twice, 19)),
            shiftRight(twice, 10)
        )
    }

    /// Indices for `permute`: the upper two words of each half, each twice.
    @inline(__always)
    private var upperTwice: SIMD16<UInt8> {
        SIMD16(8, 9, 10, 11, 8, 9, 10, 11, 12, 13, 14, 15, 12, 13, 14, 15)
    }

    /// Indices for `permute`: the lower two words of each half, each twice.
    @inline(__always)
    private var lowerTwice: SIMD16<UInt8> { SIMD16(0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7) }

    /// Indices for `permute`: in each half, the two even lanes move to the lower two lanes, and the upper
    /// two lanes become zero.
    @inline(__always)
    private var evenToLower: SIMD16<UInt8> {
        SIMD16(0, 1, 2, 3, 8, 9, 10, 11, 128, 128, 128, 128, 128, 128, 128, 128)
    }

    /// Indices for `permute`: in each half, the two even lanes move to the upper two lanes, and the lower
    /// two lanes become zero.
    @inline(__always)
    private var evenToUpper: SIMD16<UInt8> {
        SIMD16(128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3, 8, 9, 10, 11)
    }
#endif
