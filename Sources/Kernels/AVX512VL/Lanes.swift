// Vectors of 512 bits with a word of each of sixteen messages, for the kernel that hashes sixteen messages at
// once. The target AVX2 has the same for eight.
#if Accelerated && arch(x86_64)
    import Builtin

    /// A vector with one word of each of sixteen messages: the word of message i is in lane i.
    typealias Lanes = SIMD16<UInt32>

    /// Loads four big-endian words each at a byte offset of `messages[0]`, `[4]`, `[8]` and `[12]`, in order.
    ///
    /// Unsafe: 16 bytes must be readable at the offset of each. This is not checked.
    @inline(__always)
    @unsafe
    func everyFourth(_ messages: UnsafePointer<UnsafeRawPointer>, _ offset: Int) -> Lanes {
        unsafe bytesReversed(
            Lanes(
                lowHalf: SIMD8(
                    lowHalf: messages[0].loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self),
                    highHalf: messages[4].loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self)
                ),
                highHalf: SIMD8(
                    lowHalf: messages[8].loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self),
                    highHalf: messages[12].loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self)
                )
            )
        )
    }

    /// In each 128 bits: x0, y0, x1, y1 of the four words x0 to x3 and y0 to y3 there.
    @inline(__always)
    func interleaveLow(_ x: Lanes, _ y: Lanes) -> Lanes {
        Lanes(
            x[0],
            y[0],
            x[1],
            y[1],
            x[4],
            y[4],
            x[5],
            y[5],
            x[8],
            y[8],
            x[9],
            y[9],
            x[12],
            y[12],
            x[13],
            y[13]
        )
    }

    /// In each 128 bits: x2, y2, x3, y3 of the four words x0 to x3 and y0 to y3 there.
    @inline(__always)
    func interleaveHigh(_ x: Lanes, _ y: Lanes) -> Lanes {
        Lanes(
            x[2],
            y[2],
            x[3],
            y[3],
            x[6],
            y[6],
            x[7],
            y[7],
            x[10],
            y[10],
            x[11],
            y[11],
            x[14],
            y[14],
            x[15],
            y[15]
        )
    }

    // Pairs are numbers of 64 bits here. With words, the compiler would join both steps of the transposition
    // to one, which has no instruction.

    /// In each 128 bits: the lower two words there of x, and then the lower two of y.
    @inline(__always)
    func interleaveLowPairs(_ x: Lanes, _ y: Lanes) -> Lanes {
        let (x, y) = (pairs(of: x), pairs(of: y))
        return words(of: SIMD8(x[0], y[0], x[2], y[2], x[4], y[4], x[6], y[6]))
    }

    /// In each 128 bits: the upper two words there of x, and then the upper two of y.
    @inline(__always)
    func interleaveHighPairs(_ x: Lanes, _ y: Lanes) -> Lanes {
        let (x, y) = (pairs(of: x), pairs(of: y))
        return words(of: SIMD8(x[1], y[1], x[3], y[3], x[5], y[5], x[7], y[7]))
    }

    @inline(__always)
    private func pairs(of words: Lanes) -> SIMD8<UInt64> {
        var pairs = SIMD8<UInt64>(repeating: 0)
        pairs._storage._value = Builtin.bitcast_Vec16xInt32_Vec8xInt64(words._storage._value)
        return pairs
    }

    @inline(__always)
    private func words(of pairs: SIMD8<UInt64>) -> Lanes {
        var words = Lanes(repeating: 0)
        words._storage._value = Builtin.bitcast_Vec8xInt64_Vec16xInt32(pairs._storage._value)
        return words
    }

    /// x ⊕ y, bit by bit.
    @inline(__always)
    func exclusiveOr(_ x: Lanes, _ y: Lanes) -> Lanes {
        var sum = x
        sum._storage._value = Builtin.xor_Vec16xInt32(x._storage._value, y._storage._value)
        return sum
    }

    /// x ∧ y, bit by bit.
    @inline(__always)
    func and(_ x: Lanes, _ y: Lanes) -> Lanes {
        var bits = x
        bits._storage._value = Builtin.and_Vec16xInt32(x._storage._value, y._storage._value)
        return bits
    }

    /// Each word shifted right by n bits, 0 < n < 32.
    @inline(__always)
    func shiftRight(_ x: Lanes, _ n: UInt32) -> Lanes {
        var shifted = x
        shifted._storage._value = Builtin.lshr_Vec16xInt32(
            x._storage._value,
            Lanes(repeating: n)._storage._value
        )
        return shifted
    }

    /// ROTR^n of each word: the word rotated right by n bits, 0 < n < 32.
    @inline(__always)
    func rotateRight(_ x: Lanes, _ n: UInt32) -> Lanes {
        var rotated = x
        let bits = x._storage._value
        rotated._storage._value = Builtin.int_fshr_Vec16xInt32(
            bits,
            bits,
            Lanes(repeating: n)._storage._value
        )
        return rotated
    }

    /// Each word with its bytes in reverse order.
    @inline(__always)
    private func bytesReversed(_ x: Lanes) -> Lanes {
        var reversed = x
        reversed._storage._value = Builtin.int_bswap_Vec16xInt32(x._storage._value)
        return reversed
    }
#endif
