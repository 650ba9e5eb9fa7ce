import CorpusRecords

/// A line of CSV (RFC 4180, with a line feed alone at its end). What is absent is an empty cell; an array is
/// a cell with its JSON.
struct CSVLine: Fields {
    private var bytes: [UInt8] = []
    private var isFollowing = false

    static func append(_ body: (inout CSVLine) -> Void, to bytes: inout [UInt8]) {
        var line = CSVLine()
        swap(&line.bytes, &bytes)
        body(&line)
        swap(&line.bytes, &bytes)
    }

    mutating func member(_ name: String, _ value: String?) { cell((value ?? "").utf8) }
    mutating func member(_ name: String, _ value: Int64?) { cell((value.map { String($0) } ?? "").utf8) }
    mutating func member(_ name: String, _ value: Bool?) {
        cell((value.map { $0 ? "true" : "false" } ?? "").utf8)
    }

    /// A string is the cell's text; null is none; everything else stays the JSON that it is.
    mutating func member(_ name: String, text: ArraySlice<UInt8>?) {
        guard let text, !text.elementsEqual("null".utf8) else { return cell([]) }
        let bytes = Array(text)
        cell(JSONText.string(bytes.indices, bytes) ?? bytes)
    }

    mutating func member(_ name: String, isThere: Bool, _ body: (inout CSVLine) -> Void) { body(&self) }

    mutating func member<Elements: Sequence>(
        _ name: String,
        array elements: Elements?,
        _ body: (inout JSON, Elements.Element) -> Void
    ) {
        cell(elements.map { JSON.array($0, body).bytes } ?? [])
    }

    /// In quotes where it has to be, or might be taken for less than it is (§2).
    private mutating func cell(_ value: some Collection<UInt8>) {
        if isFollowing { bytes.append(UInt8(ascii: ",")) }
        isFollowing = true
        let quote = UInt8(ascii: "\"")
        guard value.contains(where: { $0 == quote || $0 == UInt8(ascii: ",") || $0 <= 0x20 }) else {
            return bytes.append(contentsOf: value)
        }
        bytes.append(quote)
        for byte in value {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }
}

/// The names above the cells of ``CSVLine``; those of values within a value after a dot.
struct CSVHeader: Fields {
    private(set) var names: [String] = []
    private var prefix = ""

    mutating func member(_ name: String, _ value: String?) { names.append(prefix + name) }
    mutating func member(_ name: String, _ value: Int64?) { names.append(prefix + name) }
    mutating func member(_ name: String, _ value: Bool?) { names.append(prefix + name) }
    mutating func member(_ name: String, text: ArraySlice<UInt8>?) { names.append(prefix + name) }

    mutating func member(_ name: String, isThere: Bool, _ body: (inout CSVHeader) -> Void) {
        let outer = prefix
        prefix += name + "."
        body(&self)
        prefix = outer
    }

    mutating func member<Elements: Sequence>(
        _ name: String,
        array elements: Elements?,
        _ body: (inout JSON, Elements.Element) -> Void
    ) {
        names.append(prefix + name)
    }
}
