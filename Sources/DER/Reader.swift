import Basics

/// One element of an encoding: its tag and its ranges. Offsets count from the start of the buffer.
package struct Element: Sendable {
    /// Class, form and number, from the identifier octets.
    package let tag: Tag
    /// The offset of the first identifier octet, from the start of the buffer.
    package let start: Int
    /// The range of the contents octets in the buffer, without the header.
    package let contents: Range<Int>

    /// The range of the whole element in the buffer, header and contents.
    package var range: Range<Int> { start..<contents.upperBound }
}

/// Reads DER (X.690 §10, §11) from borrowed bytes, from front to back.
///
/// A reader covers the part `offset..<end` of a buffer. A nested reader covers the contents of one element of
/// the buffer, so offsets in results and in errors always count from the start of the buffer. A reader
/// neither copies nor allocates.
///
/// A function that reads an element moves past the element, or throws a ``Refusal`` with the offset and the
/// field. The `reading` parameter names the field. A reader that has thrown may have moved. Call
/// ``finish(_:)`` after the last element: it throws if bytes are left over.
///
/// `@_lifetime(self: copy self)` on a mutating function states that the reader borrows the bytes that it
/// borrowed before. Swift 6.3 infers this, and Swift 6.2 does not.
public struct Reader: ~Escapable {
    /// The whole buffer. The reader covers `offset..<end` of it.
    public let bytes: Span<UInt8>
    @usableFromInline var position: Int
    /// The offset of the next byte to read, from the start of the buffer.
    @inlinable public var offset: Int { position }
    /// The offset, from the start of the buffer, after the last byte that this reader covers.
    @usableFromInline package let end: Int
    /// How many more levels ``nested(_:_:)`` may open below this reader; 0 if it may open none.
    @usableFromInline let depth: Int

    /// Creates a reader of a whole buffer, or of a part of it.
    ///
    /// Precondition: the range lies inside the buffer.
    ///
    /// - Parameters:
    ///   - bytes: the buffer.
    ///   - range: the part to read, in offsets from the buffer's start; nil for the whole buffer.
    ///   - depth: how many levels ``nested(_:_:)`` may open below this reader.
    @_lifetime(copy bytes)
    @inlinable
    public init(_ bytes: Span<UInt8>, in range: Range<Int>? = nil, depth: Int = EncodingLimits.standard.depth)
    {
        let part = range ?? 0..<bytes.count
        precondition(
            part.lowerBound >= 0 && part.upperBound <= bytes.count,
            "the reader's range must lie inside its buffer"
        )
        self.init(bytes: bytes, offset: part.lowerBound, end: part.upperBound, depth: depth)
    }

    /// Creates a reader of `offset..<end`, which must lie inside the buffer. This is not checked.
    @_lifetime(copy bytes)
    @inlinable
    init(bytes: Span<UInt8>, offset: Int, end: Int, depth: Int) {
        self.bytes = bytes
        self.position = offset
        self.end = end
        self.depth = depth
    }

    /// Whether all bytes before ``end`` have been read.
    @inlinable public var isAtEnd: Bool { offset == end }

    /// Checks that all bytes have been read.
    ///
    /// - Throws: `.trailingBytes` at the first byte that is left over.
    @inlinable
    public func finish(_ reading: StaticString) throws(Refusal) {
        guard offset == end else { throw trailingBytes(reading) }
    }

    /// Whether the next element, which is not read, has this tag. False at the end and for a malformed tag.
    @inlinable
    public func isNext(_ tag: Tag) -> Bool {
        guard offset < end else { return false }
        if tag.isLow { return bytes[offset] == tag.lowOctet }
        var ahead = Reader(bytes: bytes, offset: offset, end: end, depth: depth)
        guard let next = try? ahead.readTag("tag") else { return false }
        return next == tag
    }

    /// Reads the next element, which may have any tag.
    ///
    /// - Throws: `.unexpectedTag` if a universal type below 31 has the wrong form, for example a string in
    ///   segments (X.690 §10.2); the refusals of a malformed tag or length: `.truncated`, `.nonMinimalTag`,
    ///   `.tagNumberTooLarge`, `.invalidEndOfContents`, `.indefiniteLength`, `.nonMinimalLength`,
    ///   `.lengthTooLarge`.
    @_lifetime(self: copy self)
    package mutating func readElement(_ reading: StaticString) throws(Refusal) -> Element {
        let start = offset
        let tag = try readTag(reading)
        guard tag.hasDERForm else { throw Refusal(.unexpectedTag, at: start, reading: reading) }
        return Element(tag: tag, start: start, contents: try readLengthAndSkip(reading))
    }

    /// Reads the next element, which may have any tag, and checks that it is well formed all the way down.
    ///
    /// Use this function for elements that are skipped, so that their bytes are elements and not arbitrary.
    /// The octets of a primitive element may be anything.
    ///
    /// - Parameter limit: how many elements the element may contain, counted at all levels.
    /// - Throws: the refusals of ``readElement(_:)`` and ``checkContents(of:_:limit:)``.
    @_lifetime(self: copy self)
    package mutating func readWellFormedElement(
        _ reading: StaticString,
        limit: Int = EncodingLimits.standard.elements
    ) throws(Refusal) -> Element {
        let element = try readElement(reading)
        try checkContents(of: element, reading, limit: limit)
        return element
    }

    /// Checks that a constructed element contains whole elements, at every level. A primitive element passes.
    ///
    /// The work is linear in the length of the element.
    ///
    /// - Parameters:
    ///   - element: an element. Precondition: it was read from this reader's buffer.
    ///   - limit: how many elements the element may contain, counted at all levels.
    /// - Returns: how many more elements the limit allows.
    /// - Throws: `.tooDeep` beyond the levels that this reader may open, `.tooManyElements`, and the refusals
    ///   of ``readElement(_:)``.
    @discardableResult
    package func checkContents(
        of element: Element,
        _ reading: StaticString,
        limit: Int = EncodingLimits.standard.elements
    ) throws(Refusal) -> Int {
        guard element.tag.isConstructed else { return limit }
        var limit = limit
        guard depth > 0 else { throw tooDeep(at: element.start, reading) }
        let contents = element.contents
        var inner = Reader(
            bytes: bytes,
            offset: contents.lowerBound,
            end: contents.upperBound,
            depth: depth - 1
        )
        while !inner.isAtEnd {
            let next = try inner.readElement(reading)
            guard limit > 0 else { throw Refusal(.tooManyElements, at: next.start, reading: reading) }
            limit = try inner.checkContents(of: next, reading, limit: limit - 1)
        }
        return limit
    }

    /// Reads an element that must have this tag.
    ///
    /// - Returns: the range of its contents.
    /// - Throws: `.truncated` at the end; `.unexpectedTag` for another tag, and also for a malformed tag if
    ///   `tag` has a number below 31; otherwise the refusals of a malformed tag or length.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func read(_ tag: Tag, _ reading: StaticString) throws(Refusal) -> Range<Int> {
        // A low tag and a short length, which nearly all elements have, are read inline. A function that does
        // not take the reader reads the others, so that the reader can stay in registers.
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

    /// Reads the next element if it has this tag. Otherwise, also at the end and for a malformed tag, returns
    /// nil and does not move.
    ///
    /// - Returns: the range of its contents.
    /// - Throws: the refusals of a malformed length.
    @inlinable
    @_lifetime(self: copy self)
    package mutating func readIfNext(_ tag: Tag, _ reading: StaticString) throws(Refusal) -> Range<Int>? {
        isNext(tag) ? try read(tag, reading) : nil
    }

    /// Reads an element that must have this tag, and returns a reader of its contents.
    ///
    /// - Throws: the refusals of ``read(_:_:)``; else `.tooDeep` if this reader may open no further level.
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

    /// Reads the header of the element at `start`, which must have this tag and end at or before `end`.
    /// Returns the range of its contents in the buffer. Throws all the refusals of ``read(_:_:)``.
    @usableFromInline
    @inline(never)
    static func contents(
        of tag: Tag,
        in bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        _ reading: StaticString
    ) throws(Refusal) -> Range<Int> {
        // The long form with one or two octets, which most lengths from 128 on have.
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
            // A different tag is `.unexpectedTag`, even if the rest of the header is malformed.
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

    // Refusals are created out of line, so that the inlined code stays small.

    /// The refusal `.trailingBytes` at this reader's offset, where bytes are left over.
    @usableFromInline
    @inline(never)
    func trailingBytes(_ reading: StaticString) -> Refusal {
        Refusal(.trailingBytes, at: offset, reading: reading)
    }

    /// The refusal `.invalidObjectIdentifier`: no contents, or a subidentifier that is padded or cut short.
    @usableFromInline
    @inline(never)
    func invalidObjectIdentifier(at offset: Int, _ reading: StaticString) -> Refusal {
        Refusal(.invalidObjectIdentifier, at: offset, reading: reading)
    }

    /// The refusal `.tooDeep`, at an offset, of an element nested deeper than the limit.
    @usableFromInline
    @inline(never)
    func tooDeep(at offset: Int, _ reading: StaticString) -> Refusal {
        Refusal(.tooDeep, at: offset, reading: reading)
    }
}

// MARK: Identifier and length octets

extension Reader {
    /// Reads the next tag (X.690 §8.1.2). Throws if it is cut short, malformed, or UNIVERSAL 0, or if its
    /// number does not fit in 32 bits.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func readTag(_ reading: StaticString) throws(Refusal) -> Tag {
        guard offset < end else { throw Refusal(.truncated, at: offset, reading: reading) }
        let leading = bytes[offset]
        if leading & 0x1F == 0x1F { return try readHighTag(reading) }
        // UNIVERSAL 0 is reserved for end-of-contents octets, which a definite length does not need (§8.1.5).
        guard leading & 0xDF != 0 else { throw Refusal(.invalidEndOfContents, at: offset, reading: reading) }
        position += 1
        return Tag(leadingBits: leading, number: UInt32(leading & 0x1F))
    }

    /// Reads a tag in the high-tag-number form (X.690 §8.1.2.4).
    ///
    /// The number, in base 128, most significant digit first, must be 31 or more and not begin with 0x80
    /// (`.nonMinimalTag`), fit in 32 bits (`.tagNumberTooLarge`), and not be cut short (`.truncated`).
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

    /// Reads length octets (X.690 §8.1.3, §10.1) and moves past the contents. Throws if the length is cut
    /// short, is indefinite, is not in its shortest form, has more than 32 bits, or exceeds this reader.
    /// - Returns: the range of the contents in the buffer.
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

    /// Reads a length in the long form (X.690 §8.1.3.5), and moves past the contents. The octet at ``offset``
    /// is `initial`, the first octet of the length. Returns the range of the contents in the buffer. Throws
    /// as ``readLengthAndSkip(_:)`` does.
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
        // The comparison comes before the conversion because Int has 32 bits on some platforms.
        guard length <= UInt32(clamping: end - next) else {
            throw Refusal(.truncated, at: end, reading: reading)
        }
        let contents = next..<(next + Int(length))
        position = contents.upperBound
        return contents
    }
}
