// The words of a block, big-endian (FIPS 180-4 §3.1, §5.2.1).
#if Accelerated && arch(arm64)
    import Builtin

    /// The next sixteen words of the schedule, each vector with the first in the lowest lane.
    typealias Words = (w0: SIMD4<UInt32>, w4: SIMD4<UInt32>, w8: SIMD4<UInt32>, w12: SIMD4<UInt32>)

    /// Sixteen words. Not checked: 64 bytes are left from the offset on.
    @inline(__always)
    @unsafe
    func block(_ blocks: RawSpan, _ offset: Int) -> Words {
        unsafe (
            words(blocks, offset), words(blocks, offset &+ 16), words(blocks, offset &+ 32),
            words(blocks, offset &+ 48)
        )
    }

    /// Four words. Not checked: 16 bytes are left from the offset on.
    @inline(__always)
    @unsafe
    private func words(_ blocks: RawSpan, _ offset: Int) -> SIMD4<UInt32> {
        var words = unsafe blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD4<UInt32>.self)
        words._storage._value = Builtin.int_bswap_Vec4xInt32(words._storage._value)
        return words
    }
#endif
