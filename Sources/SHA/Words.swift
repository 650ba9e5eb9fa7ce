// Operations on words (FIPS 180-4 §2.2.2, §3.2), the functions Ch and Maj (§4.1), and the conversion of bytes
// to words (§3.1: big-endian). A word has 32 bits in SHA-1 and SHA-256, and 64 in SHA-384 and SHA-512.
//
// Each function is written once for either word, and is transparent. A debug build inlines transparent
// functions of a concrete type, but calls generic functions: the hash functions are fifteen times as fast
// there as with generic functions. Release builds inline both kinds and produce the same code.

extension UInt32 {
    /// ROTR^n(x): rotates the word to the right by n bits. 0 < n < 32.
    @_transparent
    func rotatedRight(_ n: UInt32) -> UInt32 { (self &>> n) | (self &<< (32 &- n)) }

    /// ROTL^n(x): rotates the word to the left by n bits. 0 < n < 32.
    @_transparent
    func rotatedLeft(_ n: UInt32) -> UInt32 { (self &<< n) | (self &>> (32 &- n)) }

    /// Loads four bytes at an offset in bytes, the most significant byte first.
    ///
    /// Unsafe: four bytes must lie in the span from the offset on. This is not checked.
    @_transparent
    @unsafe
    init(_ bytes: RawSpan, uncheckedAt offset: Int) {
        let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)
        self.init(bigEndian: word)
    }
}

extension UInt64 {
    /// ROTR^n(x): rotates the word to the right by n bits. 0 < n < 64.
    @_transparent
    func rotatedRight(_ n: UInt64) -> UInt64 { (self &>> n) | (self &<< (64 &- n)) }

    /// Loads eight bytes at an offset in bytes, the most significant byte first.
    ///
    /// Unsafe: eight bytes must lie in the span from the offset on. This is not checked.
    @_transparent
    @unsafe
    init(_ bytes: RawSpan, uncheckedAt offset: Int) {
        let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
        self.init(bigEndian: word)
    }
}

/// Ch(x, y, z) = (x ∧ y) ⊕ (¬x ∧ z): where a bit of x is 1, the bit of y, otherwise the bit of z.
///
/// The code computes it as z ⊕ (x ∧ (y ⊕ z)), which has one operation less.
@_transparent
func choose(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { z ^ (x & (y ^ z)) }

/// Ch(x, y, z) = (x ∧ y) ⊕ (¬x ∧ z) of words of 64 bits.
@_transparent
func choose(_ x: UInt64, _ y: UInt64, _ z: UInt64) -> UInt64 { z ^ (x & (y ^ z)) }

/// Maj(x, y, z) = (x ∧ y) ⊕ (x ∧ z) ⊕ (y ∧ z): each bit is the majority of the bits of x, y and z there.
///
/// The code computes it as y ⊕ ((x ⊕ y) ∧ (y ⊕ z)). In the next round of SHA-256, y and z are this
/// round's x and y, so the compiler can use x ⊕ y of this round as y ⊕ z of the next. SHA-1 rotates x in
/// between.
@_transparent
func majority(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { y ^ ((x ^ y) & (y ^ z)) }

/// Maj(x, y, z) = (x ∧ y) ⊕ (x ∧ z) ⊕ (y ∧ z) of words of 64 bits.
@_transparent
func majority(_ x: UInt64, _ y: UInt64, _ z: UInt64) -> UInt64 { y ^ ((x ^ y) & (y ^ z)) }
