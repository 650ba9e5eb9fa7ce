import Basics
import DER
import SystemCalls

/// Shows the elements of an encoding, one line for each. An error has a line of its own at its place.
///
/// If the contents of an element are broken but its end is known, the elements after it are still shown.
/// `EncodingLimits.standard` limits the depth and the number of the elements.
struct ASN1Tree {
    private let bytes: [UInt8]
    private let isDeep: Bool
    private let valueLimit: Int
    private let limits = EncodingLimits.standard
    private let width: Int
    private var output = Output(System.standardOutput)
    private var elements = 0
    private(set) var faults: [Refusal] = []

    init(_ bytes: [UInt8], isDeep: Bool, valueLimit: Int) {
        self.bytes = bytes
        self.isDeep = isDeep
        self.valueLimit = valueLimit
        width = max(6, "\(bytes.count)".utf8.count)
    }

    /// Writes the elements to standard output, as far as the limits allow. The errors are in ``faults``
    /// afterwards.
    mutating func write() {
        defer { output.flush() }
        let end = writeElement(in: 0..<bytes.count, 0)
        guard end < bytes.count else { return }
        note(Refusal(.trailingBytes, at: end, reading: "encoding"), 0)
        _ = writeElements(in: end..<bytes.count, 0, isIndefinite: false)
    }

    /// Writes the elements in a byte range. If `isIndefinite`, stops after the end-of-contents octets, which
    /// have a line, too; if they are missing, notes an error, unless there are too many elements.
    ///
    /// - Returns: the offset after the end-of-contents octets at which it stopped, else the end of the
    ///   range.
    private mutating func writeElements(in range: Range<Int>, _ depth: Int, isIndefinite: Bool) -> Int {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let isEnd = bytes[offset] == 0 && offset + 1 < range.upperBound && bytes[offset + 1] == 0
            if isIndefinite && isEnd {
                writeRow(offset, "2", "0", depth, "end of contents", "")
                return offset + 2
            }
            offset = writeElement(in: offset..<range.upperBound, depth)
        }
        if isIndefinite && elements <= limits.elements {
            note(Refusal(.invalidEndOfContents, at: offset, reading: "indefinite length"), depth)
        }
        return offset
    }

    /// Writes the element at the start of a byte range, and the elements inside it, as far as the limits
    /// allow.
    ///
    /// - Returns: the offset after the element. The end of the range if the element's end is unknown or
    ///   lies beyond the range, or if the element itself is beyond the limit of elements.
    private mutating func writeElement(in range: Range<Int>, _ depth: Int) -> Int {
        elements += 1
        guard elements <= limits.elements else {
            if elements == limits.elements + 1 {
                note(Refusal(.tooManyElements, at: range.lowerBound, reading: "encoding"), depth)
            }
            return range.upperBound
        }
        let header: BERHeader
        do throws(Refusal) {
            header = try BERHeader(bytes.borrowedSpan, in: range)
        } catch {
            note(error, depth)
            return range.upperBound
        }
        let available = range.upperBound - header.contents
        let contents = header.contents..<(header.contents + min(header.length ?? available, available))
        let value = header.tag.isConstructed ? nil : ASN1Value(header.tag, bytes, contents, limit: valueLimit)
        let isCutShort = header.length ?? 0 > available
        let isPadded = header.length != nil && !header.isMinimal
        writeRow(
            header.start,
            "\(header.contents - header.start)",
            header.length.map { "\($0)" } ?? "indef",
            depth,
            header.tag.name + (isPadded ? " (padded length)" : "") + (isCutShort ? " (cut short)" : ""),
            value?.text ?? ""
        )
        // If the bytes end too early, they do so for every element around this one. One error is enough.
        if isCutShort, faults.last.map({ $0.code != .truncated || $0.offset != range.upperBound }) ?? true {
            note(Refusal(.truncated, at: range.upperBound, reading: "contents"), depth)
        }
        if let fault = value?.fault { note(fault, depth) }
        return writeContents(header, contents, depth)
    }

    /// Writes the elements inside an element, if it is constructed. With ``isDeep``, also writes the
    /// element that an OCTET STRING or a BIT STRING holds: see ``encapsulated(_:_:)``. If the outer
    /// element is at the deepest allowed level, notes an error instead.
    ///
    /// - Returns: the offset after the element, or the end of `contents` if the element's end is unknown.
    private mutating func writeContents(_ header: BERHeader, _ contents: Range<Int>, _ depth: Int) -> Int {
        let inner = header.tag.isConstructed ? contents : encapsulated(header.tag, contents)
        guard let inner else { return contents.upperBound }
        guard depth < limits.depth else {
            note(Refusal(.tooDeep, at: inner.lowerBound, reading: "contents"), depth)
            return contents.upperBound
        }
        let end = writeElements(in: inner, depth + 1, isIndefinite: header.length == nil)
        return header.length == nil ? end : contents.upperBound
    }

    private mutating func writeRow(
        _ offset: Int,
        _ header: String,
        _ length: String,
        _ depth: Int,
        _ name: String,
        _ value: String
    ) {
        let columns = ["\(offset)".aligned(to: width), header.aligned(to: 3), length.aligned(to: width)]
        output.write(columns.joined(separator: " "), .dim)
        output.write("  " + String(repeating: "  ", count: depth))
        output.write(name, .bold)
        output.line(value.isEmpty ? "" : " " + value)
    }

    /// Adds an error to ``faults``, and writes it as a line that is indented by its depth.
    private mutating func note(_ fault: Refusal, _ depth: Int) {
        faults.append(fault)
        output.write("\(fault.offset)".aligned(to: width) + String(repeating: " ", count: width + 7))
        output.write(String(repeating: "  ", count: depth))
        output.line("error: \(fault.code.meaning) (\(fault.code.name))", .bad)
    }

    /// The range of the single DER element, of class UNIVERSAL, that fills an OCTET STRING, or a BIT STRING
    /// after a first octet of 0. Nil if there is no such element, if elements in it are nested too deep,
    /// or if `isDeep` is false.
    private func encapsulated(_ tag: Tag, _ contents: Range<Int>) -> Range<Int>? {
        guard isDeep else { return nil }
        let inner: Range<Int>
        switch tag {
        case .octetString: inner = contents
        case .bitString where contents.first.map { bytes[$0] } == 0: inner = contents.dropFirst()
        default: return nil
        }
        var reader = Reader(bytes.borrowedSpan, in: inner)
        guard let element = try? reader.readElement("contents"), reader.isAtEnd,
            element.tag.tagClass == .universal, isWellFormed(element, limits.depth)
        else { return nil }
        return inner
    }

    /// Whether all elements inside an element have tags and lengths of DER. The octets of primitive
    /// elements may be anything. False if constructed elements, the outer one included, are nested more
    /// than `depth` levels deep.
    private func isWellFormed(_ element: Element, _ depth: Int) -> Bool {
        guard element.tag.isConstructed else { return true }
        guard depth > 0 else { return false }
        var reader = Reader(bytes.borrowedSpan, in: element.contents)
        while !reader.isAtEnd {
            guard let child = try? reader.readElement("contents"), isWellFormed(child, depth - 1) else {
                return false
            }
        }
        return true
    }
}
