// Words of blocks of 64 bytes, one block of each message, for the kernel that hashes several messages at
// once. The target AVX512VL compiles this file too.
#if Accelerated && arch(x86_64)
    /// Sixteen words of each message: `t0` holds the first word of every message, one in each lane.
    typealias SixteenWords = (
        t0: Lanes, t1: Lanes, t2: Lanes, t3: Lanes, t4: Lanes, t5: Lanes, t6: Lanes, t7: Lanes,
        t8: Lanes, t9: Lanes, t10: Lanes, t11: Lanes, t12: Lanes, t13: Lanes, t14: Lanes, t15: Lanes
    )

    /// Loads the sixteen big-endian words of the block of 64 bytes at a byte offset of each message.
    ///
    /// Unsafe: there must be a message for each lane, with 64 bytes at its offset. This is not checked.
    @inline(__always)
    @unsafe
    func sixteenWords(_ messages: UnsafePointer<UnsafeRawPointer>, at offset: Int) -> SixteenWords {
        let (t0, t1, t2, t3) = unsafe fourWords(messages, offset)
        let (t4, t5, t6, t7) = unsafe fourWords(messages, offset &+ 16)
        let (t8, t9, t10, t11) = unsafe fourWords(messages, offset &+ 32)
        let (t12, t13, t14, t15) = unsafe fourWords(messages, offset &+ 48)
        return (t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15)
    }

    /// Loads four big-endian words at a byte offset of each message: row i has word i of every message.
    ///
    /// Each 128 bits transpose the words of four messages: rows are interleaved word by word, then pair by
    /// pair.
    ///
    /// Unsafe: there must be a message for each lane, with 16 readable bytes at its offset.
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

    /// Loads row `index` of hash values: the word with that index of each message's hash value.
    ///
    /// Unsafe: the row must be readable. This is not checked.
    @inline(__always)
    @unsafe
    func words(_ rows: UnsafeMutableRawPointer, _ index: Int) -> Lanes {
        unsafe rows.loadUnaligned(fromByteOffset: index &* MemoryLayout<Lanes>.size, as: Lanes.self)
    }

    /// Stores row `index` of hash values: the word with that index of each message's hash value.
    ///
    /// Unsafe: the row must be writable. This is not checked.
    @inline(__always)
    @unsafe
    func setWords(_ rows: UnsafeMutableRawPointer, _ index: Int, _ words: Lanes) {
        unsafe rows.storeBytes(of: words, toByteOffset: index &* MemoryLayout<Lanes>.size, as: Lanes.self)
    }
#endif
