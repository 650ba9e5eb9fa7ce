/// A BER encoding turned into DER, and the way back for offsets.
public struct Normalised: Sendable {
    /// The encoding in DER, as far as ``Normaliser`` undoes BER.
    public let bytes: [UInt8]
    /// Where runs of output that came from consecutive input begin: in the output, and in the input.
    let runs: [(output: UInt32, input: UInt32)]

    /// The offset in the input of what stands at an offset of the output: exact for identifier and contents
    /// octets; for length octets that were written anew, some place in the header or right behind it. An
    /// offset beyond the output is taken for its end.
    public func inputOffset(of offset: Int) -> Int {
        let offset = min(offset, bytes.count)
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if Int(runs[middle].output) <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        let run = runs[low - 1]
        let exact = Int(run.input) + (offset - Int(run.output))
        return low < runs.count ? min(exact, Int(runs[low].input)) : exact
    }
}

extension Normalised {
    /// A refusal of something in the output, with its offset in the input.
    public func inInput(_ refusal: Refusal) -> Refusal {
        Refusal(refusal.code, at: inputOffset(of: refusal.offset), reading: refusal.reading)
    }
}

/// Turns a BER envelope into DER, so that everything after it reads one encoding only.
///
/// Undone are: indefinite lengths (X.690 §8.1.3.6), lengths in more octets than they need (§8.1.3.5), and
/// OCTET STRINGs in segments (§8.7.3), nested or not. Nothing else is: what else is not DER stays so, for the
/// reader to refuse. Elements that somebody signed as they stand are copied byte for byte; the caller says
/// which. Work is linear in the input: one pass measures, one writes. Depth and elements are bounded.
public struct Normaliser: ~Escapable {
    /// Says which elements are copied as they stand, by depth (the outermost is 0), the tag around, and
    /// the tag itself. It is asked in both passes, and must answer the same, or the second pass traps.
    public typealias Verbatim = (_ depth: Int, _ parent: Tag, _ tag: Tag) -> Bool

    let input: Span<UInt8>
    let limits: Limits
    /// The contents' length in the output of every element that is written anew, in the order of headers.
    var lengths: [UInt32] = []
    var elements = 0
    var isChanged = false

    var output: [UInt8] = []
    var runs: [(output: UInt32, input: UInt32)] = []
    var nextLength = 0

    @_lifetime(copy input)
    init(_ input: Span<UInt8>, _ limits: Limits) {
        self.input = input
        self.limits = limits
    }

    /// The DER form of one element that fills the input.
    ///
    /// - Returns: nil where the input is DER already, as far as this pass is concerned: use it as it is.
    /// - Throws: what ``Reader`` throws for broken headers, `.inputTooLarge`, whatever the limits from 1 GiB
    ///   on, `.tooDeep`, `.tooManyElements`, `.invalidEndOfContents`, `.invalidSegment`, `.trailingBytes`;
    ///   `.indefiniteLength` where an element to be copied as it stands has one. Offsets are the input's.
    public static func normalise(
        _ input: Span<UInt8>,
        limits: Limits = .standard,
        verbatim: Verbatim
    ) throws(Refusal) -> Normalised? {
        // Lengths are kept in 32 bits, and definite ones may take more room than what they replace.
        guard input.count <= min(limits.inputBytes, Int(Int32.max / 2)) else {
            throw Refusal(.inputTooLarge, at: 0, reading: "BER encoding")
        }
        var normaliser = Normaliser(input, limits)
        let outermost = Tag(.universal, 0)
        let (size, end) = try normaliser.measure(0..<input.count, 0, outermost, verbatim)
        guard end == input.count else { throw Refusal(.trailingBytes, at: end, reading: "BER encoding") }
        guard normaliser.isChanged else { return nil }
        normaliser.output.reserveCapacity(size)
        _ = try normaliser.write(0..<input.count, 0, outermost, verbatim)
        return Normalised(bytes: normaliser.output, runs: normaliser.runs)
    }
}

/// What a header says, before anything is known of the contents.
private struct Header {
    let tag: Tag
    let start: Int
    let contents: Int
    /// Where the contents end; nil for an indefinite length.
    let end: Int?
    let isMinimal: Bool

    var isSegmented: Bool { tag == .constructedOctetString }
}

extension Tag {
    fileprivate static var constructedOctetString: Tag { Tag(.universal, 4, constructed: true) }
}

// MARK: Headers

extension Normaliser {
    /// Identifier and length octets, where the length may have any of the forms of BER.
    private func header(in range: Range<Int>) throws(Refusal) -> Header {
        var reader = Reader(input, in: range)
        let tag = try reader.readTag("BER encoding")
        var offset = reader.offset
        guard offset < range.upperBound else { throw Refusal(.truncated, at: offset, reading: "BER length") }
        let initial = input[offset]
        let lengthStart = offset
        offset += 1
        if initial == 0x80 {
            guard tag.isConstructed else {
                throw Refusal(.indefiniteLength, at: lengthStart, reading: "primitive BER element")
            }
            return Header(tag: tag, start: range.lowerBound, contents: offset, end: nil, isMinimal: false)
        }
        var length = UInt32(initial)
        var isMinimal = true
        if initial > 0x80 {
            let count = Int(initial & 0x7F)
            guard count <= range.upperBound - offset else {
                throw Refusal(.truncated, at: range.upperBound, reading: "BER length")
            }
            length = 0
            for index in offset..<(offset + count) {
                // 255 is set aside for extensions of the standard (§8.1.3.5 c).
                guard length >> 24 == 0, initial != 0xFF else {
                    throw Refusal(.lengthTooLarge, at: lengthStart, reading: "BER length")
                }
                length = length << 8 | UInt32(input[index])
            }
            isMinimal = input[offset] != 0 && length >= 0x80
            offset += count
        }
        guard length <= UInt32(clamping: range.upperBound - offset) else {
            throw Refusal(.truncated, at: range.upperBound, reading: "BER encoding")
        }
        let end = offset + Int(length)
        return Header(tag: tag, start: range.lowerBound, contents: offset, end: end, isMinimal: isMinimal)
    }

    private func isEndOfContents(at offset: Int, _ limit: Int) -> Bool {
        offset + 1 < limit && input[offset] == 0 && input[offset + 1] == 0
    }

    @_lifetime(self: copy self)
    private mutating func countElement(at offset: Int) throws(Refusal) {
        elements += 1
        guard elements <= limits.elements else {
            throw Refusal(.tooManyElements, at: offset, reading: "BER encoding")
        }
    }

    private func checkDepth(_ depth: Int, at offset: Int) throws(Refusal) {
        guard depth < limits.depth else { throw Refusal(.tooDeep, at: offset, reading: "BER encoding") }
    }

    /// Where the element of a verbatim copy ends.
    private func endOfVerbatim(_ header: Header) throws(Refusal) -> Int {
        guard let end = header.end else {
            throw Refusal(.indefiniteLength, at: header.start, reading: "element that is signed as it stands")
        }
        return end
    }
}

// MARK: First pass

extension Normaliser {
    /// Measures the element at the start of a range.
    ///
    /// - Returns: how many bytes it will take, and where it ends in the input.
    @_lifetime(self: copy self)
    private mutating func measure(
        _ range: Range<Int>,
        _ depth: Int,
        _ parent: Tag,
        _ verbatim: Verbatim
    ) throws(Refusal) -> (size: Int, end: Int) {
        try countElement(at: range.lowerBound)
        let header = try header(in: range)
        if verbatim(depth, parent, header.tag) {
            let end = try endOfVerbatim(header)
            return (end - header.start, end)
        }
        if !header.isMinimal { isChanged = true }
        if header.tag.isConstructed { try checkDepth(depth, at: header.start) }
        let slot = lengths.count
        lengths.append(0)
        var size = 0
        var end = header.contents
        if header.isSegmented {
            isChanged = true
            (size, end) = try measureSegments(header, range.upperBound, depth)
        } else if header.tag.isConstructed {
            let limit = header.end ?? range.upperBound
            while try hasMore(header, at: end, limit) {
                let child = try measure(end..<limit, depth + 1, header.tag, verbatim)
                size += child.size
                end = child.end
            }
        } else {
            end = header.end ?? end
            size = end - header.contents
        }
        lengths[slot] = UInt32(size)
        let tagSize = Self.tagSize(header.tag)
        let close = header.end == nil ? 2 : 0
        return (tagSize + Self.lengthSize(size) + size, end + close)
    }

    /// Whether another element follows in the contents of a constructed one.
    private func hasMore(_ header: Header, at offset: Int, _ limit: Int) throws(Refusal) -> Bool {
        if header.end != nil { return offset < limit }
        if isEndOfContents(at: offset, limit) { return false }
        guard offset < limit else {
            throw Refusal(.invalidEndOfContents, at: offset, reading: "contents of indefinite length")
        }
        return true
    }

    @_lifetime(self: copy self)
    private mutating func measureSegments(
        _ outer: Header,
        _ limit: Int,
        _ depth: Int
    ) throws(Refusal) -> (size: Int, end: Int) {
        try checkDepth(depth, at: outer.start)
        let limit = outer.end ?? limit
        var size = 0
        var offset = outer.contents
        while try hasMore(outer, at: offset, limit) {
            try countElement(at: offset)
            let segment = try header(in: offset..<limit)
            if segment.isSegmented {
                let inner = try measureSegments(segment, limit, depth + 1)
                size += inner.size
                offset = inner.end + (segment.end == nil ? 2 : 0)
            } else if segment.tag == .octetString, let end = segment.end {
                size += end - segment.contents
                offset = end
            } else {
                throw Refusal(.invalidSegment, at: segment.start, reading: "OCTET STRING segment")
            }
        }
        return (size, offset)
    }
}

// MARK: Second pass

extension Normaliser {
    /// Writes the element at the start of a range, whose headers the first pass found to be sound.
    ///
    /// - Returns: where it ends in the input.
    @_lifetime(self: copy self)
    private mutating func write(
        _ range: Range<Int>,
        _ depth: Int,
        _ parent: Tag,
        _ verbatim: Verbatim
    ) throws(Refusal) -> Int {
        let header = try header(in: range)
        if verbatim(depth, parent, header.tag) {
            let end = try endOfVerbatim(header)
            copy(header.start..<end)
            return end
        }
        beginRun(at: header.start)
        let tagEnd = header.start + Self.tagSize(header.tag)
        if header.isSegmented {
            output.append(Tag.octetString.lowOctet)
        } else {
            output.append(input, in: header.start..<tagEnd)
        }
        output.appendLength(Int(lengths[nextLength]))
        nextLength += 1
        var end = header.contents
        if header.isSegmented {
            end = try writeSegments(header, range.upperBound)
        } else if header.tag.isConstructed {
            let limit = header.end ?? range.upperBound
            while try hasMore(header, at: end, limit) {
                end = try write(end..<limit, depth + 1, header.tag, verbatim)
            }
        } else {
            end = header.end ?? end
            copy(header.contents..<end)
        }
        return end + (header.end == nil ? 2 : 0)
    }

    @_lifetime(self: copy self)
    private mutating func writeSegments(_ outer: Header, _ limit: Int) throws(Refusal) -> Int {
        let limit = outer.end ?? limit
        var offset = outer.contents
        while try hasMore(outer, at: offset, limit) {
            let segment = try header(in: offset..<limit)
            if segment.isSegmented {
                offset = try writeSegments(segment, limit) + (segment.end == nil ? 2 : 0)
            } else {
                offset = segment.end ?? segment.contents
                copy(segment.contents..<offset)
            }
        }
        return offset
    }

    @_lifetime(self: copy self)
    private mutating func copy(_ range: Range<Int>) {
        beginRun(at: range.lowerBound)
        output.append(input, in: range)
    }

    @_lifetime(self: copy self)
    private mutating func beginRun(at offset: Int) {
        if let last = runs.last, output.count - Int(last.output) == offset - Int(last.input) { return }
        runs.append((UInt32(output.count), UInt32(offset)))
    }

    private static func tagSize(_ tag: Tag) -> Int {
        var size = 1
        if !tag.isLow {
            var number = tag.number
            repeat {
                size += 1
                number >>= 7
            } while number > 0
        }
        return size
    }

    private static func lengthSize(_ length: Int) -> Int {
        guard length >= 0x80 else { return 1 }
        return 1 + (Int.bitWidth - length.leadingZeroBitCount + 7) / 8
    }
}
