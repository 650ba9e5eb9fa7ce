// Two blocks in one vector, for the kernels that hash one message: the lower half of a vector belongs to one
// block, and the upper half to the next. Most instructions of AVX2 keep the halves apart.
#if Accelerated && arch(x86_64)
    import Builtin

    /// Sixteen words of each of two blocks. A vector has four words of one block, then four of the other.
    typealias Sixteen = (t0: Eight, t4: Eight, t8: Eight, t12: Eight)

    /// Memory of 640 bytes for the sums of words and constants of two blocks: 32 bytes for every four rounds.
    typealias Sums = (
        SIMD16<UInt64>, SIMD16<UInt64>, SIMD16<UInt64>, SIMD16<UInt64>, SIMD16<UInt64>
    )

    /// Memory for sums, filled with zeros.
    @inline(__always)
    func emptySums() -> Sums {
        let zeros = SIMD16<UInt64>(repeating: 0)
        return (zeros, zeros, zeros, zeros, zeros)
    }

    /// Loads the sixteen big-endian words of each of two blocks of 64 bytes, at two byte offsets.
    ///
    /// Unsafe: 64 bytes must be readable at both offsets. This is not checked.
    @inline(__always)
    @unsafe
    func twoBlocks(_ blocks: RawSpan, _ first: Int, _ second: Int) -> Sixteen {
        unsafe (
            fourOfEach(blocks, first, second), fourOfEach(blocks, first &+ 16, second &+ 16),
            fourOfEach(blocks, first &+ 32, second &+ 32), fourOfEach(blocks, first &+ 48, second &+ 48)
        )
    }

    /// Loads four big-endian words at each of two byte offsets, those at `first` into the lower half.
    ///
    /// Unsafe: 16 bytes must be readable at both offsets. This is not checked.
    @inline(__always)
    @unsafe
    private func fourOfEach(_ blocks: RawSpan, _ first: Int, _ second: Int) -> Eight {
        unsafe bytesReversed(
            Eight(
                lowHalf: blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: first, as: SIMD4<UInt32>.self),
                highHalf: blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: second, as: SIMD4<UInt32>.self)
            )
        )
    }

    /// In each half of the vectors: the last three words of `one`, and then the first word of `other`.
    @inline(__always)
    func next(_ one: Eight, _ other: Eight) -> Eight {
        permute(
            blend(one, other, SIMD16(255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
            SIMD16(4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3)
        )
    }

    /// Chooses bytes in each half: from `other` where `choice` has 255, from `one` where it has 0.
    @inline(__always)
    func blend(_ one: Eight, _ other: Eight, _ choice: SIMD16<UInt8>) -> Eight {
        var bytes = SIMD32(lowHalf: choice, highHalf: choice)
        bytes._storage._value = Builtin.int_x86_avx2_pblendvb(
            Builtin.bitcast_Vec8xInt32_Vec32xInt8(one._storage._value),
            Builtin.bitcast_Vec8xInt32_Vec32xInt8(other._storage._value),
            bytes._storage._value
        )
        return words(of: bytes)
    }

    /// In each half of x: byte i becomes the byte with the index `indices[i]` of the same half, or zero
    /// for an index of 128.
    @inline(__always)
    func permute(_ x: Eight, _ indices: SIMD16<UInt8>) -> Eight {
        var bytes = SIMD32(lowHalf: indices, highHalf: indices)
        bytes._storage._value = Builtin.int_x86_avx2_pshuf_b(
            Builtin.bitcast_Vec8xInt32_Vec32xInt8(x._storage._value),
            bytes._storage._value
        )
        return words(of: bytes)
    }

    @inline(__always)
    private func words(of bytes: SIMD32<UInt8>) -> Eight {
        var words = Eight(repeating: 0)
        words._storage._value = Builtin.bitcast_Vec32xInt8_Vec8xInt32(bytes._storage._value)
        return words
    }

    /// Each pair of words, as a number of 64 bits whose low half is the even word, shifted right by n < 64.
    @inline(__always)
    func shiftPairsRight(_ x: Eight, _ n: UInt64) -> Eight {
        var shifted = x
        shifted._storage._value = Builtin.bitcast_Vec4xInt64_Vec8xInt32(
            Builtin.lshr_Vec4xInt64(
                Builtin.bitcast_Vec8xInt32_Vec4xInt64(x._storage._value),
                SIMD4<UInt64>(repeating: n)._storage._value
            )
        )
        return shifted
    }

    /// ROTR^n(x): x rotated right by n bits, 0 < n < 32.
    @inline(__always)
    func rotateRight(_ x: UInt32, _ n: UInt32) -> UInt32 { x &>> n | x &<< (32 &- n) }

    /// x + y modulo 2^32, as an addition that the compiler does not move before others.
    ///
    /// The compiler reorders ordinary sums. It does not reorder this ADC without a carry, which it replaces
    /// by an ADD later.
    @inline(__always)
    func addInOrder(_ x: UInt32, _ y: UInt32) -> UInt32 {
        UInt32(Builtin.int_x86_addcarry_32(UInt8(0)._value, x._value, y._value).1)
    }
#endif
