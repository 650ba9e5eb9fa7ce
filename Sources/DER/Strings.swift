import Bytes

/// Reading character strings: the contents are checked in place and not converted (X.690 §8.23, X.680 §41).
extension Reader {
    /// Reads a UTF8String.
    ///
    /// - Returns: the range of its contents, which are well-formed UTF-8.
    /// - Throws: `.invalidUTF8` at the first malformed sequence, and the refusals of ``read(_:_:)``.
    @_lifetime(self: copy self)
    public mutating func readUTF8String(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let contents = try read(.utf8String, reading)
        if let offset = bytes.firstIllFormedUTF8(in: contents) {
            throw Refusal(.invalidUTF8, at: offset, reading: reading)
        }
        return contents
    }

    /// Reads a PrintableString: letters, digits, space, and `'()+,-./:=?` (X.680 §41.4).
    ///
    /// - Returns: the range of its contents.
    /// - Throws: `.invalidCharacter` at the first other character, and the refusals of ``read(_:_:)``.
    @_lifetime(self: copy self)
    public mutating func readPrintableString(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let contents = try read(.printableString, reading)
        for index in contents {
            switch bytes[index] {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x20, 0x27...0x29, 0x2B...0x2F, 0x3A, 0x3D, 0x3F:
                continue
            default: throw Refusal(.invalidCharacter, at: index, reading: reading)
            }
        }
        return contents
    }

    /// Reads an IA5String: the 128 characters of ASCII.
    ///
    /// - Returns: the range of its contents.
    /// - Throws: `.invalidCharacter` at the first octet above 7F, and the refusals of ``read(_:_:)``.
    @_lifetime(self: copy self)
    public mutating func readIA5String(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        let contents = try read(.ia5String, reading)
        for index in contents where bytes[index] >= 0x80 {
            throw Refusal(.invalidCharacter, at: index, reading: reading)
        }
        return contents
    }
}

extension Span<UInt8> {
    /// The offset of the first byte sequence that is not well-formed UTF-8 (RFC 3629 §4): an overlong form, a
    /// surrogate, a number above U+10FFFF, or a sequence that is cut short. Nil if the whole range is well
    /// formed.
    ///
    /// Precondition: the range lies inside the span.
    @inlinable
    package func firstIllFormedUTF8(in range: Range<Int>) -> Int? {
        // Most strings are short and ASCII.
        extracting(range).isShortASCII ? nil : firstIllFormedSequence(in: range)
    }

    /// Whether the span has 8 to 64 bytes, all of them ASCII.
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

    /// The offset of the first byte sequence that is not well-formed UTF-8, for text of any length.
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
