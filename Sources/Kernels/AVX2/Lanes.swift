// Words of eight blocks of 64 bytes, for the kernels that hash eight messages at once.
#if Accelerated && arch(x86_64)
    import Builtin

    /// A word of each of eight messages, that of message i in lane i.
    typealias Lanes = SIMD8<UInt32>

    /// Sixteen words of each message.
    typealias SixteenWords = (
        t0: Lanes, t1: Lanes, t2: Lanes, t3: Lanes, t4: Lanes, t5: Lanes, t6: Lanes, t7: Lanes,
        t8: Lanes, t9: Lanes, t10: Lanes, t11: Lanes, t12: Lanes, t13: Lanes, t14: Lanes, t15: Lanes
    )

    /// Loads the sixteen big-endian words of the block at an offset of each message.
    ///
    /// Unsafe: there must be eight messages, with 64 bytes at the offset of each. This is not checked.
    @inline(__always)
    @unsafe
    func sixteenWords(_ messages: UnsafePointer<UnsafeRawPointer>, at offset: Int) -> SixteenWords {
        let (t0, t1, t2, t3) = unsafe fourWords(messages, offset)
        let (t4, t5, t6, t7) = unsafe fourWords(messages, offset &+ 16)
        let (t8, t9, t10, t11) = unsafe fourWords(messages, offset &+ 32)
        let (t12, t13, t14, t15) = unsafe fourWords(messages, offset &+ 48)
        return (t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15)
    }

    /// Loads four big-endian words of each message.
    ///
    /// The words of four messages in turn are transposed: first single words change places, then pairs.
    @inline(__always)
    @unsafe
    private func fourWords(
        _ messages: UnsafePointer<UnsafeRawPointer>,
        _ offset: Int
    ) -> (Lanes, Lanes, Lanes, Lanes) {
        let (row0, row1) = unsafe (everyFourth(messages, offset), everyFourth(messages + 1, offset))
        let (row2, row3) = unsafe (everyFourth(messages + 2, offset), everyFourth(messages + 3, offset))
        let (low01, high01) = (interleaveLow(row0, row1), interleaveHigh(row0, row1))
        let (low23, high23) = (interleaveLow(row2, row3), interleaveHigh(row2, row3))
        return (
            interleaveLowPairs(low01, low23), interleaveHighPairs(low01, low23),
            interleaveLowPairs(high01, high23), interleaveHighPairs(high01, high23)
        )
    }

    /// Loads four big-endian words of the first message and of the fifth.
    @inline(__always)
    @unsafe
    private func everyFourth(_ messages: UnsafePointer<UnsafeRawPointer>, _ offset: Int) -> Lanes {
        unsafe bytesReversed(
            Lanes(
                lowHalf: messages[0].loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self),
                highHalf: messages[4].loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self)
            )
        )
    }

    /// Loads the row of a word: that word of the hash value of each message.
    ///
    /// Unsafe: the row must be readable. This is not checked.
    @inline(__always)
    @unsafe
    func words(_ rows: UnsafeMutableRawPointer, _ index: Int) -> Lanes {
        unsafe rows.loadUnaligned(fromByteOffset: index &* MemoryLayout<Lanes>.size, as: Lanes.self)
    }

    /// Stores the row of a word.
    ///
    /// Unsafe: the row must be writable. This is not checked.
    @inline(__always)
    @unsafe
    func setWords(_ rows: UnsafeMutableRawPointer, _ index: Int, _ words: Lanes) {
        unsafe rows.storeBytes(of: words, toByteOffset: index &* MemoryLayout<Lanes>.size, as: Lanes.self)
    }

    /// The lower two words of each 128 bits of both vectors, in turn.
    @inline(__always)
    private func interleaveLow(_ x: Lanes, _ y: Lanes) -> Lanes {
        Lanes(x[0], y[0], x[1], y[1], x[4], y[4], x[5], y[5])
    }

    /// The upper two words of each 128 bits of both vectors, in turn.
    @inline(__always)
    private func interleaveHigh(_ x: Lanes, _ y: Lanes) -> Lanes {
        Lanes(x[2], y[2], x[3], y[3], x[6], y[6], x[7], y[7])
    }

    // Pairs are numbers of 64 bits here. With words, the compiler would join both steps of the transposition
    // to one, which has no instruction.

    /// The lower pair of each 128 bits of both vectors, in turn.
    @inline(__always)
    private func interleaveLowPairs(_ x: Lanes, _ y: Lanes) -> Lanes {
        let (x, y) = (pairs(of: x), pairs(of: y))
        return words(of: SIMD4(x[0], y[0], x[2], y[2]))
    }

    /// The upper pair of each 128 bits of both vectors, in turn.
    @inline(__always)
    private func interleaveHighPairs(_ x: Lanes, _ y: Lanes) -> Lanes {
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
