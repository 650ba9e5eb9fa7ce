extension Span<UInt8> {
    /// Whether a range of this span and a range of another span have the same length and the same bytes.
    ///
    /// Precondition: each range lies inside its span.
    @inlinable
    package func holds(_ range: Range<Int>, sameAs other: Span<UInt8>, _ otherRange: Range<Int>) -> Bool {
        range.count == otherRange.count && extracting(range).hasBytes(equalTo: other.extracting(otherRange))
    }

    /// Whether another span of the same length has the same bytes.
    ///
    /// Precondition: the lengths are equal.
    ///
    /// Compares blocks of 64 bytes, then words of 8, then single bytes.
    @inlinable @inline(__always)
    package func hasBytes(equalTo other: Span<UInt8>) -> Bool {
        precondition(count == other.count, "the lengths are equal")
        var start = 0
        while count - start >= 64 {
            let block = extracting(start..<(start + 64))
            let otherBlock = other.extracting(start..<(start + 64))
            var difference: UInt8 = 0
            for index in 0..<64 { difference |= block[index] ^ otherBlock[index] }
            guard difference == 0 else { return false }
            start += 64
        }
        while count - start >= 8 {
            guard word(at: start) == other.word(at: start) else { return false }
            start += 8
        }
        for index in start..<count where self[index] != other[index] { return false }
        return true
    }

    /// Reads one byte of every 64 in a range, in order.
    ///
    /// Code that jumps through the range afterwards may wait less for memory.
    ///
    /// Precondition: the range lies inside the span.
    ///
    /// - Returns: the exclusive or of these bytes, which has no meaning. Store it: the compiler may leave
    ///   out reads whose result is dropped.
    package func touch(_ range: Range<Int>) -> UInt8 {
        let part = extracting(range)
        var bits: UInt8 = 0
        var index = 0
        while index < part.count {
            bits ^= part[index]
            index += 64
        }
        return bits
    }

    /// The index in this span of the first byte in a range that has this value. Nil if there is none.
    ///
    /// Precondition: the range lies inside the span.
    @inlinable
    package func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        firstIndex(in: range) { $0 ^ byte }
    }

    /// The first index in the range at which `distance` maps the byte to zero. Nil if there is none.
    ///
    /// Precondition: the range lies inside the span.
    ///
    /// Scans blocks of 256, 32 and 8 bytes, then single bytes. The smallest distance of a block is computed
    /// before the only branch, so that the loop over a block vectorises.
    @inlinable @inline(__always)
    package func firstIndex(in range: Range<Int>, whereZero distance: (UInt8) -> UInt8) -> Int? {
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

    /// Skips whole blocks of `count` bytes, from index `start` on, in which `distance` maps no byte to zero.
    ///
    /// - Returns: the start of the first other block, or of the rest if fewer than `count` bytes are left.
    @inlinable @inline(__always)
    package func endOfBlocks(of count: Int, from start: Int, withoutZero distance: (UInt8) -> UInt8) -> Int {
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

    /// The length of the UTF-8 sequence of one character at an index (RFC 3629 §4), in bytes: one to four.
    /// Zero if the sequence is not well-formed, or if it has a byte at the limit or after it.
    ///
    /// Precondition: the index is below the limit, and the limit lies inside the span.
    @inlinable @inline(__always)
    package func utf8SequenceCount(at index: Int, before limit: Int) -> Int {
        let lead = self[index]
        if lead < 0x80 { return 1 }
        guard let (count, second) = lead.utf8Form, count <= limit - index, second.contains(self[index + 1])
        else { return 0 }
        for offset in 2..<4 where offset < count {
            guard self[index + offset] & 0xC0 == 0x80 else { return 0 }
        }
        return count
    }

    /// A copy with U+FFFD for each ill-formed sequence of UTF-8, as `String(decoding:as:)` makes it.
    ///
    /// An ill-formed sequence ends before the first byte that no well-formed sequence could have there, and
    /// has at least one byte (a maximal subpart: Unicode Standard, §3.9).
    package func repairedUTF8() -> [UInt8] {
        var repaired: [UInt8] = []
        var index = 0
        while index < count {
            var end = index + utf8SequenceCount(at: index, before: count)
            if end > index {
                repaired.append(self, in: index..<end)
            } else {
                repaired.append(utf8: "\u{FFFD}" as StaticString)
                let (length, second) = self[index].utf8Form ?? (1, 0x80...0xBF)
                end += 1
                while end < count, end - index < length,
                    (end - index == 1 ? second : 0x80...0xBF).contains(self[end])
                { end += 1 }
            }
            index = end
        }
        return repaired
    }

    /// Whether the encoding in the first range may precede that in the second in a DER SET OF (X.690 §11.6).
    ///
    /// Encodings are compared as octet strings, the shorter one padded with zeros. Equal encodings may follow
    /// each other.
    ///
    /// Precondition: both ranges lie inside the span.
    package func isAscending(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        for offset in 0..<Swift.max(first.count, second.count) {
            let one = offset < first.count ? self[first.lowerBound + offset] : 0
            let other = offset < second.count ? self[second.lowerBound + offset] : 0
            if one != other { return one < other }
        }
        return true
    }
}

extension Array<UInt8> {
    /// Creates a copy of a range of a span's bytes. Precondition: the range lies inside the span.
    package init(_ bytes: Span<UInt8>, in range: Range<Int>) {
        self = []
        append(bytes, in: range)
    }

    /// Appends a copy of a range of a span's bytes. Precondition: the range lies inside the span.
    package mutating func append(_ bytes: Span<UInt8>, in range: Range<Int>) {
        append(copying: bytes.extracting(range))
    }
}

extension UInt8 {
    /// The length of the UTF-8 sequences that begin with this byte, two to four, and the range of their
    /// second byte, which excludes overlong forms, surrogates and numbers above U+10FFFF (Unicode Standard,
    /// Table 3-7). Nil if no sequence of two or more bytes begins so.
    @inlinable @inline(__always)
    var utf8Form: (count: Int, second: ClosedRange<UInt8>)? {
        switch self {
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        default: nil
        }
    }
}
