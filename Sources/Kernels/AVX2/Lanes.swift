// Vectors with a word of each of eight messages, for the kernel that hashes eight messages at once. The
// target AVX512VL has the same for sixteen.
#if Accelerated && arch(x86_64)
    import Builtin

    /// A vector of eight words. Except while words are loaded and transposed, lane i has a word of message i.
    typealias Lanes = SIMD8<UInt32>

    /// Loads four big-endian words at a byte offset of `messages[0]` into the lower half, and four at the
    /// same offset of `messages[4]` into the upper half.
    ///
    /// Unsafe: 16 bytes must be readable at the offset of each. This is not checked.
    @inline(__always)
    @unsafe
    func everyFourth(_ messages: UnsafePointer<UnsafeRawPointer>, _ offset: Int) -> Lanes {
        unsafe bytesReversed(
            Lanes(
                lowHalf: messages[0].loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self),
                highHalf: messages[4].loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self)
            )
        )
    }

    /// In each 128 bits: x0, y0, x1, y1 of the four words x0 to x3 and y0 to y3 there.
    @inline(__always)
    func interleaveLow(_ x: Lanes, _ y: Lanes) -> Lanes {
        Lanes(x[0], y[0], x[1], y[1], x[4], y[4], x[5], y[5])
    }

    /// In each 128 bits: x2, y2, x3, y3 of the four words x0 to x3 and y0 to y3 there.
    @inline(__always)
    func interleaveHigh(_ x: Lanes, _ y: Lanes) -> Lanes {
        Lanes(x[2], y[2], x[3], y[3], x[6], y[6], x[7], y[7])
    }

    // Pairs are numbers of 64 bits here. With words, the compiler would join both steps of the transposition
    // to one, which has no instruction.

    /// In each 128 bits: the lower two words there of x, and then the lower two of y.
    @inline(__always)
    func interleaveLowPairs(_ x: Lanes, _ y: Lanes) -> Lanes {
        let (x, y) = (pairs(of: x), pairs(of: y))
        return words(of: SIMD4(x[0], y[0], x[2], y[2]))
    }

    /// In each 128 bits: the upper two words there of x, and then the upper two of y.
    @inline(__always)
    func interleaveHighPairs(_ x: Lanes, _ y: Lanes) -> Lanes {
        let (x, y) = (pairs(of: x), pairs(of: y))
        return words(of: SIMD4(x[1], y[1], x[3], y[3]))
    }

    @inline(__always)
    private func pairs(of words: Lanes) -> SIMD4<UInt64> {
        var pairs = SIMD4<UInt64>(repeating: 0)
        pairs._storage._value = Builtin.bitcast_Vec8xInt32_Vec4xInt64(words._storage._value)
        return pairs
    }

    @inline(__always)
    private func words(of pairs: SIMD4<UInt64>) -> Lanes {
        var words = Lanes(repeating: 0)
        words._storage._value = Builtin.bitcast_Vec4xInt64_Vec8xInt32(pairs._storage._value)
        return words
    }
#endif
