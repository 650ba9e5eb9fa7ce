import Basics

/// A BER encoding as ``Normaliser`` converts it, and a map from its offsets to offsets in the BER.
package struct Normalised: Sendable {
    /// The encoding after the conversion. ``Normaliser`` lists what is converted; other BER forms remain.
    package let bytes: [UInt8]
    /// Pairs of an offset in the output and the corresponding offset in the input, in ascending order. From
    /// one pair to the next, both offsets advance together, except in length octets that were rewritten.
    let runs: [(output: UInt32, input: UInt32)]

    /// The offset in the BER input that corresponds to an offset in the output, ``bytes``.
    ///
    /// It is exact for identifier and contents octets. For length octets that were rewritten, it lies in
    /// the header of the element, or of a segment of an OCTET STRING, or directly after that header. An
    /// offset beyond the output counts as the end of the output.
    package func inputOffset(of offset: Int) -> Int {
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

    /// A copy of a refusal, with its offset in ``bytes`` replaced by the corresponding offset in the BER.
    ///
    /// ``inputOffset(of:)`` says how exact that offset is.
    package func mappedToInput(_ refusal: Refusal) -> Refusal {
        refusal.moved(to: inputOffset(of: refusal.offset))
    }
}

/// Converts three forms of BER to DER.
///
/// It replaces indefinite lengths (X.690 §8.1.3.6), lengths in more octets than they need (§8.1.3.5), and
/// OCTET STRINGs in segments, also segments within segments (§8.7.3). An OCTET STRING that is tagged
/// implicitly stays in segments. Every other difference from DER remains, too. The caller chooses elements
/// that are copied byte for byte.
///
/// The first walk over the elements measures. If it finds something to replace, the same walk runs again and
/// writes. The work is linear. Limits bound the depth and the number of elements.
package struct Normaliser: ~Escapable {
    /// Whether an element is copied byte for byte, given its depth (0 for the outermost element), the tag of
    /// the element around it, and its own tag. The outermost element has the parent UNIVERSAL 0.
    ///
    /// The walk that measures and the walk that writes both call this function. It must give the same answer
    /// in both.
    package typealias Verbatim = (_ depth: Int, _ parent: Tag, _ tag: Tag) -> Bool

    let input: Span<UInt8>
    let limits: EncodingLimits
    /// The length of the contents in the output, for every element whose header the second walk writes, in
    /// the order of the headers. The first walk fills it.
    var lengths: [UInt32] = []
    /// Whether this is the second walk, which writes.
    var isWriting = false
    /// The number of elements that the first walk has met.
    var elements = 0
    /// The number of elements in ``lengths`` that the current walk has met.
    var rewritten = 0
    /// Whether a walk has found anything to replace.
    var isChanged = false

    var output: [UInt8] = []
    var runs: [(output: UInt32, input: UInt32)] = []

    @_lifetime(copy input)
    init(_ input: Span<UInt8>, _ limits: EncodingLimits) {
        self.input = input
        self.limits = limits
    }

    /// Converts one element that fills the input.
    ///
    /// - Parameters:
    ///   - input: the BER encoding.
    ///   - limits: bounds on the input's bytes, on the depth and on the number of elements.
    ///   - verbatim: chooses the elements that are copied byte for byte.
    /// - Returns: the converted encoding; nil if there is nothing to replace. Use the input itself then.
    /// - Throws: `.inputTooLarge` beyond the limit, and from 1 GiB on under any limit; `.tooDeep`,
    ///   `.tooManyElements`; `.invalidEndOfContents`, `.invalidSegment`, `.trailingBytes`;
    ///   `.indefiniteLength` if an element to copy byte for byte, or a primitive element, has an indefinite
    ///   length; `.truncated` if an element is cut short; `.nonMinimalTag`, `.tagNumberTooLarge` and
    ///   `.lengthTooLarge` for malformed headers. Offsets count in the input.
    package static func normalise(
        _ input: Span<UInt8>,
        limits: EncodingLimits = .standard,
        verbatim: Verbatim
    ) throws(Refusal) -> Normalised? {
        // Lengths are stored in 32 bits, and a definite length can take more octets than the indefinite
        // length that it replaces.
        guard input.count <= min(limits.inputBytes, Int(Int32.max / 2)) else {
            throw Refusal(.inputTooLarge, at: 0, reading: "BER encoding")
        }
        var normaliser = Normaliser(input, limits)
        let outermost = Tag(.universal, 0)
        let (size, end) = try normaliser.convert(0..<input.count, 0, outermost, verbatim)
        guard end == input.count else { throw Refusal(.trailingBytes, at: end, reading: "BER encoding") }
        guard normaliser.isChanged else { return nil }
        normaliser.output.reserveCapacity(size)
        (normaliser.isWriting, normaliser.rewritten) = (true, 0)
        _ = try normaliser.convert(0..<input.count, 0, outermost, verbatim)
        return Normalised(bytes: normaliser.output, runs: normaliser.runs)
    }
}

extension BERHeader {
    /// Whether the element is a constructed OCTET STRING, whose contents are segments (X.690 §8.7.3).
    fileprivate var isSegmented: Bool { tag == Tag(.universal, 4, constructed: true) }
}

// MARK: Headers

extension Normaliser {
    /// Reads the header at the start of a range. Throws if the header is malformed, if the element does not
    /// fit in the range, or if its tag is UNIVERSAL 0.
    private func header(in range: Range<Int>) throws(Refusal) -> BERHeader {
        // UNIVERSAL 0 is reserved for end-of-contents octets (§8.1.5), which the caller has looked for.
        if !range.isEmpty, input[range.lowerBound] & 0xDF == 0 {
            throw Refusal(.invalidEndOfContents, at: range.lowerBound, reading: "BER encoding")
        }
        let header = try BERHeader(input, in: range)
        guard header.end ?? 0 <= range.upperBound else {
            throw Refusal(.truncated, at: range.upperBound, reading: "BER encoding")
        }
        return header
    }

    /// Whether end-of-contents octets stand at an offset and end before or at a limit (X.690 §8.1.5).
    private func isEndOfContents(at offset: Int, _ limit: Int) -> Bool {
        offset + 1 < limit && input[offset] == 0 && input[offset + 1] == 0
    }

    /// Counts one element. Throws `.tooManyElements` at its offset if there are more than the limit allows.
    @_lifetime(self: copy self)
    private mutating func countElement(at offset: Int) throws(Refusal) {
        elements += 1
        guard elements <= limits.elements else {
            throw Refusal(.tooManyElements, at: offset, reading: "BER encoding")
        }
    }

    /// Throws `.tooDeep`, with this offset, unless a depth is below the limit.
    private func checkDepth(_ depth: Int, at offset: Int) throws(Refusal) {
        guard depth < limits.depth else { throw Refusal(.tooDeep, at: offset, reading: "BER encoding") }
    }

    /// The end in the input of an element to copy byte for byte. Throws if its length is indefinite.
    private func endOfVerbatim(_ header: BERHeader) throws(Refusal) -> Int {
        guard let end = header.end else {
            throw Refusal(.indefiniteLength, at: header.start, reading: "element that is signed as it stands")
        }
        return end
    }
}

// MARK: Elements

extension Normaliser {
    /// Measures the element at the start of a range. In the second walk, also writes it to the output.
    ///
    /// - Returns: its size in the output in bytes, header included, and the offset of its end in the input.
    @_lifetime(self: copy self)
    private mutating func convert(
        _ range: Range<Int>,
        _ depth: Int,
        _ parent: Tag,
        _ verbatim: Verbatim
    ) throws(Refusal) -> (size: Int, end: Int) {
        if !isWriting { try countElement(at: range.lowerBound) }
        let header = try header(in: range)
        if verbatim(depth, parent, header.tag) {
            let end = try endOfVerbatim(header)
            copy(header.start..<end)
            return (end - header.start, end)
        }
        if header.isSegmented || !header.isMinimal { isChanged = true }
        if header.tag.isConstructed { try checkDepth(depth, at: header.start) }
        let slot = rewritten
        rewritten += 1
        if isWriting { writeHeader(header, length: Int(lengths[slot])) } else { lengths.append(0) }
        var size = 0
        var end = header.contents
        if header.isSegmented {
            (size, end) = try convertSegments(header, range.upperBound, depth)
        } else if header.tag.isConstructed {
            let limit = header.end ?? range.upperBound
            while try hasMore(header, at: end, limit) {
                let child = try convert(end..<limit, depth + 1, header.tag, verbatim)
                size += child.size
                end = child.end
            }
        } else {
            end = header.end ?? end
            size = end - header.contents
            copy(header.contents..<end)
        }
        if !isWriting { lengths[slot] = UInt32(size) }
        let close = header.end == nil ? 2 : 0
        return (Self.tagSize(header.tag) + Self.lengthSize(size) + size, end + close)
    }

    /// Whether an element contains a further one at an offset. Throws if end-of-contents octets are missing.
    private func hasMore(_ header: BERHeader, at offset: Int, _ limit: Int) throws(Refusal) -> Bool {
        if header.end != nil { return offset < limit }
        if isEndOfContents(at: offset, limit) { return false }
        guard offset < limit else {
            throw Refusal(.invalidEndOfContents, at: offset, reading: "contents of indefinite length")
        }
        return true
    }

    /// Measures the segments of a constructed OCTET STRING, nested ones too. In the second walk, also writes
    /// their contents octets to the output.
    ///
    /// - Returns: the number of contents octets of all primitive segments, and the end in the input of the
    ///   last segment, before the end-of-contents octets of `outer` if it has any.
    @_lifetime(self: copy self)
    private mutating func convertSegments(
        _ outer: BERHeader,
        _ limit: Int,
        _ depth: Int
    ) throws(Refusal) -> (size: Int, end: Int) {
        try checkDepth(depth, at: outer.start)
        let limit = outer.end ?? limit
        var size = 0
        var offset = outer.contents
        while try hasMore(outer, at: offset, limit) {
            if !isWriting { try countElement(at: offset) }
            let segment = try header(in: offset..<limit)
            if segment.isSegmented {
                let inner = try convertSegments(segment, limit, depth + 1)
                size += inner.size
                offset = inner.end + (segment.end == nil ? 2 : 0)
            } else if segment.tag == .octetString, let end = segment.end {
                size += end - segment.contents
                copy(segment.contents..<end)
                offset = end
            } else {
                throw Refusal(.invalidSegment, at: segment.start, reading: "OCTET STRING segment")
            }
        }
        return (size, offset)
    }
}

// MARK: Output

extension Normaliser {
    /// Writes the element's tag, made primitive for an OCTET STRING in segments, and the length in DER.
    @_lifetime(self: copy self)
    private mutating func writeHeader(_ header: BERHeader, length: Int) {
        beginRun(at: header.start)
        if header.isSegmented {
            output.append(Tag.octetString.lowOctet)
        } else {
            output.append(input, in: header.start..<(header.start + Self.tagSize(header.tag)))
        }
        output.appendLength(length)
    }

    /// In the second walk, appends a range of the input to the output. In the first walk, does nothing.
    @_lifetime(self: copy self)
    private mutating func copy(_ range: Range<Int>) {
        guard isWriting else { return }
        beginRun(at: range.lowerBound)
        output.append(input, in: range)
    }

    /// Records that the next output byte comes from this input offset, unless it continues the last run.
    @_lifetime(self: copy self)
    private mutating func beginRun(at offset: Int) {
        if let last = runs.last, output.count - Int(last.output) == offset - Int(last.input) { return }
        runs.append((UInt32(output.count), UInt32(offset)))
    }

    /// The number of identifier octets that a tag takes in its shortest encoding (X.690 §8.1.2).
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

    /// The number of length octets in the shortest definite form of a length (X.690 §10.1).
    private static func lengthSize(_ length: Int) -> Int {
        guard length >= 0x80 else { return 1 }
        return 1 + (Int.bitWidth - length.leadingZeroBitCount + 7) / 8
    }
}

extension Array<UInt8> {
    /// Appends length octets in the shortest definite form (X.690 §10.1). The length must not be negative.
    package mutating func appendLength(_ length: Int) {
        guard length >= 0x80 else { return append(UInt8(truncatingIfNeeded: length)) }
        let count = (Int.bitWidth - length.leadingZeroBitCount + 7) / 8
        append(0x80 | UInt8(truncatingIfNeeded: count))
        for index in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: length >> (8 * index))) }
    }
}
