/// One element: its tag, where it begins, and where its contents lie. Offsets count from the buffer's start.
public struct Element: Sendable {
    /// Class, form and number, from the identifier octets.
    public let tag: Tag
    /// The offset of the identifier octet.
    public let start: Int
    /// The contents octets.
    public let contents: Range<Int>

    @inlinable
    init(tag: Tag, start: Int, contents: Range<Int>) {
        self.tag = tag
        self.start = start
        self.contents = contents
    }

    /// The whole encoding, header and contents.
    @inlinable public var range: Range<Int> { start..<contents.upperBound }
}

/// Reads DER (X.690 §10, §11) from borrowed bytes, front to back.
///
/// A reader covers part of a buffer: `offset..<end`. A nested one covers the contents of one element of the
/// same buffer, so offsets, in results and in errors, always count from the buffer's start. Nothing is copied
/// and nothing is allocated. Every `read…` moves past what it read, or throws and says where and what.
/// Who has read all there is says so with ``finish(_:)``; bytes left over are an error there.
///
/// `@_lifetime(self: copy self)`, here and elsewhere, says of a mutating function that it borrows no other
/// bytes than before. Swift 6.3 takes it for granted; 6.2 does not.
public struct Reader: ~Escapable {
    /// The whole buffer.
    public let bytes: Span<UInt8>
    @usableFromInline var position: Int
    /// The next byte to read.
    @inlinable public var offset: Int { position }
    /// The first byte that is not this reader's.
    public let end: Int
    /// How many more levels may be opened.
    @usableFromInline let depth: Int

    /// A reader of a whole buffer, or of a part of it that lies inside.
    ///
    /// A range beyond the buffer, which no caller in this package makes, is cut to it.
    @_lifetime(copy bytes)
    @inlinable
    public init(_ bytes: Span<UInt8>, in range: Range<Int>? = nil, depth: Int = Limits.standard.depth) {
        let whole = 0..<bytes.count
        let part = range.map { $0.clamped(to: whole) } ?? whole
        self.init(bytes: bytes, offset: part.lowerBound, end: part.upperBound, depth: depth)
    }

    @_lifetime(copy bytes)
    @inlinable
    init(bytes: Span<UInt8>, offset: Int, end: Int, depth: Int) {
        self.bytes = bytes
        self.position = offset
        self.end = end
        self.depth = depth
    }

    /// Whether nothing is left to read before ``end``.
    @inlinable public var isAtEnd: Bool { offset == end }

    /// Says that nothing may follow.
    ///
    /// - Throws: `.trailingBytes` at the first byte left over.
    @inlinable
    public func finish(_ reading: StaticString) throws(Refusal) {
        guard offset == end else { throw trailingBytes(reading) }
    }

    /// Whether the next element has this tag. False at the end.
    @inlinable
    public func isNext(_ tag: Tag) -> Bool {
        guard offset < end else { return false }
        if tag.isLow { return bytes[offset] == tag.lowOctet }
        var ahead = Reader(bytes: bytes, offset: offset, end: end, depth: depth)
        guard let next = try? ahead.readTag("tag") else { return false }
        return next == tag
    }

    /// Reads the next element, whatever its tag.
    ///
    /// - Throws: `.unexpectedTag` where a universal type is constructed that must be primitive, a string in
    ///   segments above all (X.690 §10.2), or the other way round.
    @_lifetime(self: copy self)
    public mutating func readElement(_ reading: StaticString) throws(Refusal) -> Element {
        let start = offset
        let tag = try readTag(reading)
        guard tag.hasItsForm else { throw Refusal(.unexpectedTag, at: start, reading: reading) }
        return Element(tag: tag, start: start, contents: try readLengthAndSkip(reading))
    }

    /// Reads an element that must have this tag.
    ///
    /// - Returns: where its contents lie.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func read(_ tag: Tag, _ reading: StaticString) throws(Refusal) -> Range<Int> {
        // A low tag and a short length, as nearly all elements have, are read in line. The rest is a call
        // away, to a function that is not given the reader, so that a reader can live in registers.
        let available = end &- position
        if available >= 2, tag.isLow, bytes[position] == tag.lowOctet {
            let length = bytes[position &+ 1]
            if length < 0x80, Int(length) <= available &- 2 {
                let start = position &+ 2
                position = start &+ Int(length)
                return start..<position
            }
        }
        let contents = try Self.contents(of: tag, in: bytes, position, end, reading)
        position = contents.upperBound
        return contents
    }

    /// Reads an element if it has this tag; leaves everything where it is if not.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func readIfNext(_ tag: Tag, _ reading: StaticString) throws(Refusal) -> Range<Int>? {
        isNext(tag) ? try read(tag, reading) : nil
    }

    /// Reads an element that must have this tag, and gives a reader of its contents.
    @_lifetime(copy self)
    @inlinable
    public mutating func nested(_ tag: Tag, _ reading: StaticString) throws(Refusal) -> Reader {
        let start = offset
        let contents = try read(tag, reading)
        guard depth > 0 else { throw tooDeep(at: start, reading) }
        return Reader(
            bytes: bytes,
            offset: contents.lowerBound,
            end: contents.upperBound,
            depth: depth - 1
        )
    }

    /// Where the contents lie of the element at an offset, with any tag and any length, and all the refusals
    /// of ``read(_:_:)``.
    @usableFromInline
    @inline(never)
    static func contents(
        of tag: Tag,
        in bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        _ reading: StaticString
    ) throws(Refusal) -> Range<Int> {
        // The long form in one octet or two, as most have whose length is not short.
        if tag.isLow, end - start >= 4, bytes[start] == tag.lowOctet {
            let (first, second) = (bytes[start + 2], bytes[start + 3])
            if bytes[start + 1] == 0x82, first != 0 {
                let length = Int(first) << 8 | Int(second)
                if length <= end - start - 4 { return (start + 4)..<(start + 4 + length) }
            } else if bytes[start + 1] == 0x81, first >= 0x80, Int(first) <= end - start - 3 {
                return (start + 3)..<(start + 3 + Int(first))
            }
        }
        var reader = Reader(bytes: bytes, offset: start, end: end, depth: 0)
        if tag.isLow, start < end {
            // Another tag is said to be that, whatever else may be wrong with it.
            guard bytes[start] == tag.lowOctet else {
                throw Refusal(.unexpectedTag, at: start, reading: reading)
            }
            reader.position += 1
        } else {
            guard try reader.readTag(reading) == tag else {
                throw Refusal(.unexpectedTag, at: start, reading: reading)
            }
        }
        return try reader.readLengthAndSkip(reading)
    }

    // Made out of line, so that the few instructions that lead there can be inlined.

    @usableFromInline
    @inline(never)
    func trailingBytes(_ reading: StaticString) -> Refusal {
        Refusal(.trailingBytes, at: offset, reading: reading)
    }

    @usableFromInline
    @inline(never)
    func tooDeep(at offset: Int, _ reading: StaticString) -> Refusal {
        Refusal(.tooDeep, at: offset, reading: reading)
    }
}

// MARK: Identifier and length octets

extension Reader {
    @inlinable
    @_lifetime(self: copy self)
    mutating func readTag(_ reading: StaticString) throws(Refusal) -> Tag {
        guard offset < end else { throw Refusal(.truncated, at: offset, reading: reading) }
        let leading = bytes[offset]
        if leading & 0x1F == 0x1F { return try readHighTag(reading) }
        // UNIVERSAL 0 is set aside for end-of-contents octets, which no definite length needs (§8.1.5).
        guard leading & 0xDF != 0 else { throw Refusal(.invalidEndOfContents, at: offset, reading: reading) }
        position += 1
        return Tag(leadingBits: leading, number: UInt32(leading & 0x1F))
    }

    /// The high-tag-number form (X.690 §8.1.2.4): base 128, most significant first, no leading 80, and only
    /// for numbers from 31 on.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func readHighTag(_ reading: StaticString) throws(Refusal) -> Tag {
        let start = offset
        let leading = bytes[start]
        var next = start + 1
        var number: UInt32 = 0
        while true {
            guard next < end else { throw Refusal(.truncated, at: next, reading: reading) }
            let octet = bytes[next]
            if number == 0 && octet == 0x80 { throw Refusal(.nonMinimalTag, at: start, reading: reading) }
            guard number >> 25 == 0 else { throw Refusal(.tagNumberTooLarge, at: start, reading: reading) }
            number = number << 7 | UInt32(octet & 0x7F)
            next += 1
            if octet & 0x80 == 0 { break }
        }
        guard number >= 31 else { throw Refusal(.nonMinimalTag, at: start, reading: reading) }
        position = next
        return Tag(leadingBits: leading, number: number)
    }

    /// Reads length octets (X.690 §8.1.3, §10.1) and moves past the contents.
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func readLengthAndSkip(_ reading: StaticString) throws(Refusal) -> Range<Int> {
        guard offset < end else { throw Refusal(.truncated, at: offset, reading: reading) }
        let initial = bytes[offset]
        guard initial < 0x80 else { return try readLongLengthAndSkip(initial, reading) }
        let start = offset + 1
        guard Int(initial) <= end - start else { throw Refusal(.truncated, at: end, reading: reading) }
        position = start + Int(initial)
        return start..<position
    }

    @inline(__always)
    @_lifetime(self: copy self)
    mutating func readLongLengthAndSkip(
        _ initial: UInt8,
        _ reading: StaticString
    ) throws(Refusal) -> Range<Int> {
        let start = offset
        guard initial != 0x80 else { throw Refusal(.indefiniteLength, at: start, reading: reading) }
        let count = Int(initial & 0x7F)
        var next = start + 1
        guard count <= end - next else { throw Refusal(.truncated, at: end, reading: reading) }
        guard bytes[next] != 0 else { throw Refusal(.nonMinimalLength, at: start, reading: reading) }
        guard count <= 4 else { throw Refusal(.lengthTooLarge, at: start, reading: reading) }
        var length: UInt32 = 0
        for _ in 0..<count {
            length = length << 8 | UInt32(bytes[next])
            next += 1
        }
        guard length >= 0x80 else { throw Refusal(.nonMinimalLength, at: start, reading: reading) }
        // Compared before it is converted: Int has 32 bits on some platforms.
        guard length <= UInt32(clamping: end - next) else {
            throw Refusal(.truncated, at: end, reading: reading)
        }
        let contents = next..<(next + Int(length))
        position = contents.upperBound
        return contents
    }
}
