// Operations on words (FIPS 180-4 §2.2.2, §3.2), the functions Ch and Maj (§4.1) of either word, and how
// bytes become words (§3.1: big-endian). A word has 32 bits in SHA-1 and SHA-256, 64 in SHA-384 and SHA-512.

extension FixedWidthInteger where Self: UnsignedInteger & BitwiseCopyable {
    /// ROTR^n(x): the bits move right, and those that leave come back on the left. 0 < n < bits in a word.
    @inline(__always)
    func rotatedRight(_ n: Self) -> Self { (self &>> n) | (self &<< (Self(Self.bitWidth) &- n)) }

    /// ROTL^n(x): the bits move left, and those that leave come back on the right. 0 < n < bits in a word.
    @inline(__always)
    func rotatedLeft(_ n: Self) -> Self { (self &<< n) | (self &>> (Self(Self.bitWidth) &- n)) }

    /// The word that lies at this offset in `bytes`. Not checked: the offset leaves room for a word.
    @inline(__always)
    @unsafe
    init(_ bytes: RawSpan, uncheckedAt offset: Int) {
        self.init(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Self.self))
    }
}

/// Two words, as one of twice the length.
@inline(__always)
func pair(_ high: UInt32, _ low: UInt32) -> UInt64 { UInt64(high) << 32 | UInt64(low) }

/// Ch(x, y, z) = (x ∧ y) ⊕ (¬x ∧ z): each bit of x chooses between y and z. Written with one operation less.
@inline(__always)
func choose<Word: FixedWidthInteger>(_ x: Word, _ y: Word, _ z: Word) -> Word { z ^ (x & (y ^ z)) }

/// Maj(x, y, z) = (x ∧ y) ⊕ (x ∧ z) ⊕ (y ∧ z): each bit is what most of the three say.
///
/// Written so that the next round, whose (y, z) are this round's (x, y), finds y ⊕ z already made.
@inline(__always)
func majority<Word: FixedWidthInteger>(_ x: Word, _ y: Word, _ z: Word) -> Word { y ^ ((x ^ y) & (y ^ z)) }
