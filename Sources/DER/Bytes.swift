extension Span<UInt8> {
    /// Whether a range of this buffer holds the same bytes as a range of another one. Both must lie inside.
    ///
    /// Sixty-four bytes are folded before each way out, so that they can be compared many at a time.
    @inlinable
    public func holds(_ range: Range<Int>, sameAs other: Span<UInt8>, _ otherRange: Range<Int>) -> Bool {
        guard range.count == otherRange.count else { return false }
        let mine = extracting(range)
        let theirs = other.extracting(otherRange)
        var start = 0
        while start < mine.count {
            let end = start + Swift.min(64, mine.count - start)
            var difference: UInt8 = 0
            for index in start..<end { difference |= mine[index] ^ theirs[index] }
            guard difference == 0 else { return false }
            start = end
        }
        return true
    }

    /// Eight bytes, which must lie inside, as one number: the first is its lowest byte.
    @inlinable @inline(__always)
    public func word(at start: Int) -> UInt64 {
        let octets = extracting(start..<(start + 8))
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(octets[index]) << UInt64(8 * index) }
        return word
    }

    /// The first place in a range, which must lie inside, of a byte.
    @inlinable
    public func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        firstIndex(in: range) { $0 ^ byte }
    }

    /// The first place in a range, which must lie inside, of a byte that is mapped to zero.
    ///
    /// The least of 256 is looked for before each way out, then of 32 and of 8, then of one: bytes are not
    /// compared one by one, so that many can be looked at at a time.
    @inlinable @inline(__always)
    public func firstIndex(in range: Range<Int>, whereZero distance: (UInt8) -> UInt8) -> Int? {
        let part = extracting(range)
        var start = part.endOfBlocks(of: 256, from: 0, withoutZero: distance)
        start = part.endOfBlocks(of: 32, from: start, withoutZero: distance)
        start = part.endOfBlocks(of: 8, from: start, withoutZero: distance)
        while start < part.count {
            if distance(part[start]) == 0 { return range.lowerBound + start }
            start += 1
        }
        return nil
    }

    /// The end of the blocks, from an offset on, in which no byte is mapped to zero.
    @inlinable @inline(__always)
    func endOfBlocks(of count: Int, from start: Int, withoutZero distance: (UInt8) -> UInt8) -> Int {
        var start = start
        while self.count - start >= count {
            let block = extracting(start..<(start + count))
            var least: UInt8 = 0xFF
            for index in 0..<count { least = Swift.min(least, distance(block[index])) }
            guard least > 0 else { break }
            start += count
        }
        return start
    }

    /// Whether one encoding may stand before another in a DER SET OF (X.690 §11.6): ascending as octet
    /// strings, the shorter one padded with zeros. Both must lie inside.
    public func isAscending(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        for offset in 0..<Swift.max(first.count, second.count) {
            let one = offset < first.count ? self[first.lowerBound + offset] : 0
            let other = offset < second.count ? self[second.lowerBound + offset] : 0
            if one != other { return one < other }
        }
        return true
    }
}

extension Array<UInt8> {
    /// A copy of a range of borrowed bytes, which must lie inside them.
    public init(_ bytes: Span<UInt8>, in range: Range<Int>) {
        self.init(repeating: 0, count: range.count)
        fill(from: bytes, in: range, at: 0)
    }

    /// Appends a range of borrowed bytes, which must lie inside them.
    package mutating func append(_ bytes: Span<UInt8>, in range: Range<Int>) {
        // Making room at the end costs as much as many bytes.
        if range.count < 16 {
            for index in range { append(bytes[index]) }
            return
        }
        let start = count
        append(contentsOf: repeatElement(0, count: range.count))
        fill(from: bytes, in: range, at: start)
    }

    private mutating func fill(from bytes: Span<UInt8>, in range: Range<Int>, at start: Int) {
        let part = bytes.extracting(range)
        var copy = mutableSpan
        for index in 0..<part.count { copy[start + index] = part[index] }
    }
}
