import Bytes
import JSONText
import ReceiptResults

/// A line of CSV (RFC 4180, with a line feed alone at its end).
///
/// An absent value is an empty cell. An array is a cell that holds its JSON. Spreadsheets, terminals and line
/// readers treat every cell as text:
/// - A cell that would begin with `=`, `+`, `-` or `@`, which spreadsheets take for a formula, or with an
///   apostrophe, gets an apostrophe in front of it. The full-width forms of the four characters count, too.
/// - A backslash becomes `\\`. A line feed, a carriage return and a tab become `\n`, `\r` and `\t`. Every
///   other character that is ``Unicode/Scalar/isActive`` becomes `\u` and four hexadecimal digits.
///
/// To get the value back, remove one apostrophe from the beginning of the cell if one is there, then replace
/// the escapes. Both rules apply to every cell, the names in the header and negative numbers included.
package struct CSVLine: Fields {
    private var bytes: [UInt8] = []
    /// Whether the next cell needs a comma before it.
    private var needsComma = false

    /// Appends a line to bytes without copying them, and no line feed. The body writes the cells.
    package static func append(_ body: (inout CSVLine) -> Void, to bytes: inout [UInt8]) {
        var line = CSVLine()
        swap(&line.bytes, &bytes)
        body(&line)
        swap(&line.bytes, &bytes)
    }

    package mutating func member(_ name: MemberName, _ value: String?) { cell((value ?? "").utf8) }
    package mutating func member(_ name: MemberName, _ value: Int64?) {
        cell((value.map { String($0) } ?? "").utf8)
    }
    package mutating func member(_ name: MemberName, _ value: Bool?) {
        cell((value.map { $0 ? "true" : "false" } ?? "").utf8)
    }

    package mutating func member(_ name: MemberName, hex value: ArraySlice<UInt8>?) {
        cell((value.map { Hexadecimal.digits(of: $0.borrowedSpan) } ?? "").utf8)
    }

    /// Writes the text of a JSON string, nothing for null, and the JSON itself for every other value.
    package mutating func member(_ name: MemberName, text: ArraySlice<UInt8>?) {
        guard let text, !text.elementsEqual("null".utf8) else { return cell([]) }
        let bytes = Array(text)
        cell(JSONReader.string(bytes.indices, bytes) ?? bytes)
    }

    package mutating func member(_ name: MemberName, isThere: Bool, _ body: (inout CSVLine) -> Void) {
        body(&self)
    }

    package mutating func member<Elements: Sequence>(
        _ name: MemberName,
        array elements: Elements?,
        _ body: (inout JSONWriter, Elements.Element) -> Void
    ) {
        cell(elements.map { JSONWriter.array($0, body).bytes } ?? [])
    }

    private mutating func cell(_ value: some Collection<UInt8>) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        let isSafe = value.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") }
        if isSafe, value.first.map({ !"=+-@'".utf8.contains($0) }) ?? true {
            quoted(value)
        } else {
            quoted(Self.escaped(String(decoding: value, as: UTF8.self)).utf8)
        }
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        // The last four are the full-width forms of the first four.
        if let first = value.unicodeScalars.first,
            "=+-@'\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(first)
        {
            text = "'"
        }
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isActive: text += String(decoding: scalar.escape, as: UTF8.self)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Appends a cell, in quotes if it holds a quote, a comma or a space (RFC 4180 §2). Some readers trim
    /// spaces that are not in quotes.
    private mutating func quoted(_ value: some Collection<UInt8>) {
        let quote = UInt8(ascii: "\"")
        guard value.contains(where: { $0 == quote || $0 == UInt8(ascii: ",") || $0 == 0x20 }) else {
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

/// The names of the columns of ``CSVLine``. A value within a value has the names of both, with a dot between
/// them.
package struct CSVHeader: Fields {
    private(set) var names: [String] = []
    private var prefix = ""

    private mutating func add(_ name: MemberName) { names.append(prefix + name.text) }

    package mutating func member(_ name: MemberName, _ value: String?) { add(name) }
    package mutating func member(_ name: MemberName, _ value: Int64?) { add(name) }
    package mutating func member(_ name: MemberName, _ value: Bool?) { add(name) }
    package mutating func member(_ name: MemberName, hex value: ArraySlice<UInt8>?) { add(name) }
    package mutating func member(_ name: MemberName, text: ArraySlice<UInt8>?) { add(name) }

    package mutating func member(_ name: MemberName, isThere: Bool, _ body: (inout CSVHeader) -> Void) {
        let outer = prefix
        prefix += name.text + "."
        body(&self)
        prefix = outer
    }

    package mutating func member<Elements: Sequence>(
        _ name: MemberName,
        array elements: Elements?,
        _ body: (inout JSONWriter, Elements.Element) -> Void
    ) {
        add(name)
    }
}
