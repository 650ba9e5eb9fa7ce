// Where a byte sequence stops being UTF-8 (RFC 3629).

extension Span<UInt8> {
    /// The index in this span of a range's first sequence that is not well-formed UTF-8 (RFC 3629 §4),
    /// such as an overlong form, a surrogate, a number above U+10FFFF, or a sequence that is cut short. Nil
    /// if the whole range is well-formed.
    ///
    /// Precondition: the range lies inside the span.
    @inlinable
    package func firstIllFormedUTF8(in range: Range<Int>) -> Int? {
        // Most strings are short and ASCII.
        extracting(range).isShortASCII ? nil : firstIllFormedSequence(in: range)
    }

    /// Whether the span has 8 to 64 bytes and all of them are ASCII. False for any other length.
    ///
    /// The bytes are read as words of eight. The last word may overlap the one before it.
    @usableFromInline
    var isShortASCII: Bool {
        guard count >= 8, count <= 64 else { return false }
        var union = word(at: count - 8)
        var start = 0
        while start + 8 < count {
            union |= word(at: start)
            start += 8
        }
        return union & 0x8080_8080_8080_8080 == 0
    }

    /// The index in this span of a range's first sequence that is not well-formed UTF-8; nil if none.
    @usableFromInline
    func firstIllFormedSequence(in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            // Most strings are ASCII. The loops over a block vectorise.
            if range.upperBound - index >= 256 {
                let block = extracting(index..<(index + 256))
                var union: UInt8 = 0
                for offset in 0..<256 { union |= block[offset] }
                if union < 0x80 {
                    index += 256
                    continue
                }
            }
            let end = index + Swift.min(32, range.upperBound - index)
            let block = extracting(index..<end)
            var union: UInt8 = 0
            for offset in 0..<block.count { union |= block[offset] }
            if union < 0x80 {
                index = end
                continue
            }
            // The last sequence may reach beyond the block.
            while index < end {
                let count = utf8SequenceCount(at: index, before: range.upperBound)
                guard count > 0 else { return index }
                index += count
            }
        }
        return nil
    }
}
