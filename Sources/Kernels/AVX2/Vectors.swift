// Operations on vectors of 256 bits: eight words of 32 bits, in two halves that most instructions of AVX2
// keep apart. In the SHA kernels the lower half belongs to one block and the upper half to the next.
#if Accelerated && arch(x86_64)
    import Builtin

    /// Four words of each of two blocks.
    typealias Eight = SIMD8<UInt32>
    /// Sixteen words of each of two blocks, four to a half.
    typealias Sixteen = (t0: Eight, t4: Eight, t8: Eight, t12: Eight)

    /// Memory for the sums of words and constants of SHA-1 and SHA-256: 640 bytes.
    typealias Sums = (
        SIMD16<UInt64>, SIMD16<UInt64>, SIMD16<UInt64>, SIMD16<UInt64>, SIMD16<UInt64>
    )

    /// Zeros.
    @inline(__always)
    func emptySums() -> Sums {
        let zeros = SIMD16<UInt64>(repeating: 0)
        return (zeros, zeros, zeros, zeros, zeros)
    }

    /// Loads sixteen big-endian words of each of two blocks of 64 bytes.
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

    /// Loads four big-endian words at each of two offsets.
    ///
    /// Unsafe: 16 bytes must be readable at both offsets. This is not checked.
    @inline(__always)
    @unsafe
    private func fourOfEach(_ blocks: RawSpan, _ first: Int, _ second: Int) -> Eight {
        var words = unsafe Eight(
            lowHalf: blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: first, as: SIMD4<UInt32>.self),
            highHalf: blocks.unsafeLoadUnaligned(fromUncheckedByteOffset: second, as: SIMD4<UInt32>.self)
        )
        words._storage._value = Builtin.int_bswap_Vec8xInt32(words._storage._value)
        return words
    }

    /// The last three words of each half of `one`, and then the first of `other`.
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

    /// Moves the bytes of each half to other places of the half. An index of 128 gives zero.
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

    // The operators of vectors work word by word. For shifts and exclusive or, the compiler would compute
    // some words in general registers.

    /// x ⊕ y.
    @inline(__always)
    func exclusiveOr(_ x: Eight, _ y: Eight) -> Eight {
        var sum = x
        sum._storage._value = Builtin.xor_Vec8xInt32(x._storage._value, y._storage._value)
        return sum
    }

    /// Each word shifted right by n, 0 < n < 32.
    @inline(__always)
    func shiftRight(_ x: Eight, _ n: UInt32) -> Eight {
        var shifted = x
        shifted._storage._value = Builtin.lshr_Vec8xInt32(
            x._storage._value,
            Eight(repeating: n)._storage._value
        )
        return shifted
    }

    /// Each pair of words, as a number of 64 bits with the even word below, shifted right by n, 0 < n < 64.
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

    /// ROTR^n of each word, 0 < n < 32.
    @inline(__always)
    func rotateRight(_ x: Eight, _ n: UInt32) -> Eight {
        var rotated = x
        let bits = x._storage._value
        rotated._storage._value = Builtin.int_fshr_Vec8xInt32(bits, bits, Eight(repeating: n)._storage._value)
        return rotated
    }

    /// ROTR^n(x), 0 < n < 32.
    @inline(__always)
    func rotateRight(_ x: UInt32, _ n: UInt32) -> UInt32 { x &>> n | x &<< (32 &- n) }

    /// x + y, computed after x.
    ///
    /// The compiler reorders ordinary sums. It does not reorder this ADC without a carry, which it replaces
    /// by an ADD later.
    @inline(__always)
    func addInOrder(_ x: UInt32, _ y: UInt32) -> UInt32 {
        UInt32(Builtin.int_x86_addcarry_32(UInt8(0)._value, x._value, y._value).1)
    }
#endif
