/// The hash value H(i) between blocks, and the computation that takes it from one block to the next
/// (FIPS 180-4 §6): all in which the hash functions differ.
protocol HashState: Sendable {
    /// A block is sixteen of these; the length at the end of the padding, two.
    associatedtype Word: FixedWidthInteger & SIMDScalar & Sendable
    where Word.SIMD16Storage: BitwiseCopyable & Sendable

    /// Takes the hash value past these blocks, in order. Bytes after the last whole block are not looked at.
    ///
    /// This is the portable code, which defines the function.
    mutating func compress(_ blocks: RawSpan)

    /// The same, by what instructions there are for it.
    mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration)

    /// The hash value as one string of bits, most significant first; zeros after its end.
    var words: SIMD8<UInt64> { get }
}

#if !Accelerated || (!arch(x86_64) && !arch(arm64))
    extension HashState {
        mutating func compress(_ blocks: RawSpan, _ acceleration: Acceleration) { compress(blocks) }
    }
#endif
