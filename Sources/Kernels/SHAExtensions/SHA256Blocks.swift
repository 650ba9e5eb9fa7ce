// The compression function of SHA-256 (FIPS 180-4 §6.2.2) with the SHA extensions of x86-64.
// SHA256Compression.swift of the module SHA defines the function in portable code.
//
// One vector holds the working variables a, b, e, f, and another holds c, d, g, h, with the first element in
// the highest lane. Vectors of words hold W(t) … W(t + 3) with the first in the lowest lane. After two rounds
// the new c, d, g, h are the old a, b, e, f, so only a, b, e, f are computed. Three instructions do the work
// (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2):
//
//     SHA256RNDS2  (c, d, g, h), (a, b, e, f), (W(t) + K(t), W(t + 1) + K(t + 1))
//                  (a, b, e, f) after two rounds
//     SHA256MSG1   (W(t − 16), …), (W(t − 12), …)
//                  W(t − 16) + σ0(W(t − 15)), and likewise for the next three words
//     SHA256MSG2   (W(t − 16) + σ0(W(t − 15)) + W(t − 7), …), (W(t − 4), …)
//                  adds σ1(W(t − 2)): W(t) … W(t + 3). The last two words need the first two, which the
//                  instruction computes first.
//
// Each SHA256RNDS2 waits for the previous one, and only this bounds the speed of one message. The processor
// computes the schedule and loads the words of the next block at the same time. It can also compute the
// rounds of a second message at the same time.
#if Accelerated && arch(x86_64)
    import Builtin

    /// A hash value of SHA-256 or the working variables, with a and c in the highest lanes.
    private typealias HashValue = (abef: SIMD4<UInt32>, cdgh: SIMD4<UInt32>)
    /// Sixteen consecutive words of the message schedule of SHA-256, four to a vector, the first in the
    /// lowest lane.
    private typealias Words = (w0: SIMD4<UInt32>, w1: SIMD4<UInt32>, w2: SIMD4<UInt32>, w3: SIMD4<UInt32>)

    /// Updates a hash value of SHA-256 with whole blocks of 64 bytes, in order. Bytes after the last whole
    /// block are ignored.
    ///
    /// Unsafe: the processor must have the SHA extensions and SSE4.1. Otherwise the program crashes.
    ///
    /// - Parameters:
    ///   - value: the words H0 to H7.
    ///   - blocks: the blocks.
    @unsafe
    @inline(never)
    public func compressSHA256(_ value: inout SIMD8<UInt32>, _ blocks: RawSpan) {
        var hash = hashValue(value)
        var offset = 0
        // 64 bytes are left from `offset` on.
        while blocks.byteCount &- offset >= 64 {
            var (words, working) = unsafe (block(blocks, offset), hash)
            forEachStep { step(&working, &words, $0, makesWords: $1) }
            add(&hash, working)
            offset &+= 64
        }
        value = words(of: hash)
    }

    /// Updates the hash values of SHA-256 of two messages at once, with as many whole blocks of 64 bytes of
    /// each as the shorter message has.
    ///
    /// Unsafe: the processor must have the SHA extensions and SSE4.1. Otherwise the program crashes.
    @unsafe
    @inline(never)
    public func compressSHA256(
        _ value: inout SIMD8<UInt32>,
        _ blocks: RawSpan,
        _ otherValue: inout SIMD8<UInt32>,
        _ otherBlocks: RawSpan
    ) {
        var (hash, otherHash) = (hashValue(value), hashValue(otherValue))
        var offset = 0
        // 64 bytes are left of both from `offset` on.
        while blocks.byteCount &- offset >= 64, otherBlocks.byteCount &- offset >= 64 {
            var (words, working) = unsafe (block(blocks, offset), hash)
            var (otherWords, otherWorking) = unsafe (block(otherBlocks, offset), otherHash)
            forEachStep {
                step(&working, &words, $0, makesWords: $1)
                step(&otherWorking, &otherWords, $0, makesWords: $1)
            }
            add(&hash, working)
            add(&otherHash, otherWorking)
            offset &+= 64
        }
        (value, otherValue) = (words(of: hash), words(of: otherHash))
    }

    /// Calls `body` for the sixty-four rounds, four at a time, with their constants K(t) (FIPS 180-4 §4.2.2)
    /// and whether the message schedule needs four more words.
    @inline(__always)
    private func forEachStep(_ body: (_ constants: SIMD4<UInt32>, _ makesWords: Bool) -> Void) {
        body(SIMD4(0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5), true)
        body(SIMD4(0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5), true)
        body(SIMD4(0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3), true)
        body(SIMD4(0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174), true)
        body(SIMD4(0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc), true)
        body(SIMD4(0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da), true)
        body(SIMD4(0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7), true)
        body(SIMD4(0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967), true)
        body(SIMD4(0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13), true)
        body(SIMD4(0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85), true)
        body(SIMD4(0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3), true)
        body(SIMD4(0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070), true)
        body(SIMD4(0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5), false)
        body(SIMD4(0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3), false)
        body(SIMD4(0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208), false)
        body(SIMD4(0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2), false)
    }

    /// Four rounds with the first four of 16 words. Moves the other twelve words to the front. If
    /// `makesWords` is true, puts the next four words of the schedule after them. Otherwise the last four
    /// are meaningless.
    @inline(__always)
    private func step(
        _ working: inout HashValue,
        _ words: inout Words,
        _ constants: SIMD4<UInt32>,
        makesWords: Bool
    ) {
        rounds(&working, words.w0 &+ constants)
        let next = makesWords ? schedule(words.w0, words.w1, words.w2, words.w3) : words.w0
        words = (words.w1, words.w2, words.w3, next)
    }

    /// Arranges the words H0 to H7 as the instructions need them: a, b, e, f in one vector and c, d, g, h
    /// in the other, with a and c in the highest lanes.
    @inline(__always)
    private func hashValue(_ words: SIMD8<UInt32>) -> HashValue {
        (SIMD4(words[5], words[4], words[1], words[0]), SIMD4(words[7], words[6], words[3], words[2]))
    }

    /// The words H0 to H7 of a hash value, H0 in the lowest lane.
    @inline(__always)
    private func words(of hash: HashValue) -> SIMD8<UInt32> {
        let (abef, cdgh) = hash
        return SIMD8(abef[3], abef[2], cdgh[3], cdgh[2], abef[1], abef[0], cdgh[1], cdgh[0])
    }

    /// Adds the working variables to the hash value, word by word, modulo 2^32.
    @inline(__always)
    private func add(_ hash: inout HashValue, _ working: HashValue) {
        hash = (hash.abef &+ working.abef, hash.cdgh &+ working.cdgh)
    }

    /// Updates the working variables by four rounds. `sums` holds W(t) + K(t) for each round.
    @inline(__always)
    private func rounds(_ working: inout HashValue, _ sums: SIMD4<UInt32>) {
        // Two rounds overwrite (c, d, g, h) with the new (a, b, e, f), so the two vectors swap roles. The
        // next two rounds swap them back.
        working.cdgh._storage._value = Builtin.int_x86_sha256rnds2(
            working.cdgh._storage._value,
            working.abef._storage._value,
            sums._storage._value
        )
        let upper = SIMD4(sums[2], sums[3], sums[2], sums[3])
        working.abef._storage._value = Builtin.int_x86_sha256rnds2(
            working.abef._storage._value,
            working.cdgh._storage._value,
            upper._storage._value
        )
    }

    /// W(t) … W(t + 3) of the message schedule, computed from W(t − 16) … W(t − 1). The first four
    /// of these words are in `w16`, the next four in `w12`, and so on.
    @inline(__always)
    private func schedule(
        _ w16: SIMD4<UInt32>,
        _ w12: SIMD4<UInt32>,
        _ w8: SIMD4<UInt32>,
        _ w4: SIMD4<UInt32>
    ) -> SIMD4<UInt32> {
        var next = w16
        next._storage._value = Builtin.int_x86_sha256msg1(w16._storage._value, w12._storage._value)
        next &+= SIMD4(w8[1], w8[2], w8[3], w4[0])
        next._storage._value = Builtin.int_x86_sha256msg2(next._storage._value, w4._storage._value)
        return next
    }

    /// Loads the sixteen big-endian words of a block of 64 bytes at a byte offset, four into each vector.
    ///
    /// Unsafe: 64 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    private func block(_ blocks: RawSpan, _ offset: Int) -> Words {
        unsafe (
            words(blocks, offset), words(blocks, offset &+ 16), words(blocks, offset &+ 32),
            words(blocks, offset &+ 48)
        )
    }

    /// Loads four big-endian words at a byte offset, the first into the lowest lane.
    ///
    /// Unsafe: 16 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    private func words(_ blocks: RawSpan, _ offset: Int) -> SIMD4<UInt32> {
        var words = unsafe blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD4<UInt32>.self)
        words._storage._value = Builtin.int_bswap_Vec4xInt32(words._storage._value)
        return words
    }
#endif
