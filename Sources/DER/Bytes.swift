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

    /// Whether one encoding may stand before another in a DER SET OF (X.690 §11.6): ascending as octet
    /// strings, the shorter one padded with zeros.
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
    mutating func append(_ bytes: Span<UInt8>, in range: Range<Int>) {
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
