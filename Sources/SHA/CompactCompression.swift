// The compression functions in few instructions, for WebAssembly, where programs are downloaded, and for
// microcontrollers, where flash is scarce.
//
// Each round is one turn of a loop, as FIPS 180-4 §6 writes it. The unrolled functions are eight times as
// large. They define the results.

/// The sixteen words of the message schedule that were set last. W(t) is at index t mod 16, where W(t − 16)
/// was before.
///
/// Safe: the words live as long as ``with(_:)`` runs, and no index lies outside of them.
@safe
struct MessageSchedule<Word: FixedWidthInteger & BitwiseCopyable> {
    private let words: UnsafeMutablePointer<Word>

    /// Calls `body` with a schedule of sixteen zeros, which must not be used after `body` returns.
    @inline(__always)
    static func with(_ body: (Self) -> Void) {
        unsafe withUnsafeTemporaryAllocation(of: Word.self, capacity: 16) { buffer in
            unsafe buffer.initialize(repeating: 0)
            // The buffer is not empty, so it has an address.
            body(unsafe Self(words: buffer.baseAddress.unsafelyUnwrapped))
        }
    }

    subscript(t: Int) -> Word {
        // In bounds: there are sixteen words, and t mod 16 is 0 to 15.
        @inline(__always)
        get { unsafe words[t & 15] }
        @inline(__always)
        nonmutating set { unsafe words[t & 15] = newValue }
    }
}

extension SHA1 {
    /// Updates a SHA-1 hash value with the whole 64-byte blocks in `blocks`, one round per turn of a loop
    /// (FIPS 180-4 §6.1.2). Bytes after the last whole block are ignored.
    @inline(never)
    static func compressCompactly(_ hash: inout SIMD8<UInt32>, _ blocks: RawSpan) {
        MessageSchedule<UInt32>.with { words in
            var block = 0
            while blocks.byteCount &- block >= 64 {
                var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
                for t in 0..<80 {
                    let word =
                        // In bounds: 64 bytes are left from `block` on.
                        t < 16
                        ? unsafe UInt32(blocks, uncheckedAt: block &+ 4 &* t)
                        : (words[t &- 3] ^ words[t &- 8] ^ words[t &- 14] ^ words[t]).rotatedLeft(1)
                    words[t] = word
                    let mixed: UInt32 =
                        switch t {
                        case ..<20: choose(b, c, d) &+ 0x5a82_7999
                        case ..<40: (b ^ c ^ d) &+ 0x6ed9_eba1
                        case ..<60: majority(b, c, d) &+ 0x8f1b_bcdc
                        default: (b ^ c ^ d) &+ 0xca62_c1d6
                        }
                    let sum = a.rotatedLeft(5) &+ mixed &+ e &+ word
                    (e, d, c, b, a) = (d, c, b.rotatedLeft(30), a, sum)
                }
                hash &+= SIMD8(a, b, c, d, e, 0, 0, 0)
                block &+= 64
            }
        }
    }
}

extension SHA256 {
    /// Updates a SHA-256 hash value as ``compress(_:_:)`` does, but with one round per turn of a loop
    /// (FIPS 180-4 §6.2.2).
    @inline(never)
    static func compressCompactly(_ hash: inout SIMD8<UInt32>, _ blocks: RawSpan) {
        MessageSchedule<UInt32>.with { words in
            var block = 0
            while blocks.byteCount &- block >= 64 {
                var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
                var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
                for t in 0..<64 {
                    let word =
                        // In bounds: 64 bytes are left from `block` on.
                        t < 16
                        ? unsafe UInt32(blocks, uncheckedAt: block &+ 4 &* t)
                        : smallSigma1(words[t &- 2]) &+ words[t &- 7] &+ smallSigma0(words[t &- 15])
                            &+ words[t]
                    words[t] = word
                    let constant = UInt32(truncatingIfNeeded: roundConstants[t] &>> 32)
                    let t1 = h &+ bigSigma1(e) &+ choose(e, f, g) &+ constant &+ word
                    let t2 = bigSigma0(a) &+ majority(a, b, c)
                    (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
                }
                hash &+= SIMD8(a, b, c, d, e, f, g, h)
                block &+= 64
            }
        }
    }
}
