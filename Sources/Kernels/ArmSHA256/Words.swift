// Loads the words of a block, which are big-endian (FIPS 180-4 §3.1, §5.2.1).
#if Accelerated && arch(arm64)
    import Builtin

    /// Sixteen consecutive words of the message schedule of SHA-1 or SHA-256, four to a vector, the first in
    /// the lowest lane.
    typealias Words = (w0: SIMD4<UInt32>, w4: SIMD4<UInt32>, w8: SIMD4<UInt32>, w12: SIMD4<UInt32>)

    /// Loads the sixteen big-endian words of a block of 64 bytes at a byte offset.
    ///
    /// Unsafe: 64 bytes must be readable at the offset. This is not checked.
    @inline(__always)
    @unsafe
    func block(_ blocks: RawSpan, _ offset: Int) -> Words {
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
