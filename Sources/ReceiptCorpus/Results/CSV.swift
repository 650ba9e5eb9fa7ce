import Basics
import JSONText
import ReceiptResults

/// A line of CSV (RFC 4180) without the line feed that ends it.
///
/// An absent value is an empty cell. An array is a cell that holds its JSON. Cells are written so that none
/// is a formula to a spreadsheet, a command to a terminal or more than one line to a line reader:
/// - A cell that would begin with `=`, `+`, `-` or `@`, which spreadsheets take for a formula, or with an
///   apostrophe, gets an apostrophe in front of it. The full-width forms of the four characters count, too.
/// - A backslash becomes `\\`. A line feed, a carriage return and a tab become `\n`, `\r` and `\t`. A
///   semicolon and every other character that is ``Unicode/Scalar/isActive`` become `\u` and four hexadecimal
///   digits.
///   In many countries spreadsheets separate cells by semicolons. The part after one could be a formula.
///
/// To get the value back, remove one apostrophe from the beginning of the cell if one is there, then replace
/// the escapes. Both rules apply to every cell, the names in the header and negative numbers included.
package struct CSVLine: Fields {
    private var bytes: [UInt8] = []
    /// Whether the next cell needs a comma before it.
    private var needsComma = false
    /// In a header, the names of the enclosing members, each with a dot after it; nil in a line of values.
    private var prefix: String?

    /// Appends one line of CSV to `bytes`, which are not copied, and no line feed. `body` writes the cells.
    ///
    /// - Parameter isHeader: whether to write the names of the cells instead of their values. A value within
    ///   a value has the names of both, with a dot between them.
    package static func append(
        isHeader: Bool = false,
        _ body: (inout CSVLine) -> Void,
        to bytes: inout [UInt8]
    ) {
        var line = CSVLine(prefix: isHeader ? "" : nil)
        swap(&line.bytes, &bytes)
        body(&line)
        swap(&line.bytes, &bytes)
    }

    package mutating func member(_ name: MemberName, _ value: String?) { cell(name, value?.utf8) }
    package mutating func member(_ name: MemberName, _ value: Int64?) {
        cell(name, value.map { String($0).utf8 })
    }
    package mutating func member(_ name: MemberName, _ value: Bool?) {
        cell(name, value.map { ($0 ? "true" : "false").utf8 })
    }
    package mutating func member(_ name: MemberName, hex value: ArraySlice<UInt8>?) {
        cell(name, value.map { Hexadecimal.digits(of: $0.borrowedSpan).utf8 })
    }

    /// Writes the cell of a value that is given as JSON text: null or nil as an empty cell, a string as
    /// its decoded text, and any other value as JSON, also a string with half of a surrogate pair. In a
    /// header, writes the name.
    package mutating func member(_ name: MemberName, text: ArraySlice<UInt8>?) {
        let bytes = text.flatMap { $0.elementsEqual("null".utf8) ? nil : Array($0) }
        cell(name, bytes.map { JSONReader.string($0.indices, $0) ?? $0[...] })
    }

    package mutating func member(_ name: MemberName, isThere: Bool, _ body: (inout CSVLine) -> Void) {
        let outer = prefix
        prefix = outer.map { $0 + name.text + "." }
        body(&self)
        prefix = outer
    }

    package mutating func member(_ name: MemberName, orNull isThere: Bool, _ body: (inout CSVLine) -> Void) {
        member(name, isThere: isThere, body)
    }

    package mutating func member(_ name: MemberName, json isThere: Bool, _ body: (inout JSONWriter) -> Void) {
        cell(name, isThere ? JSONWriter.object(body).bytes : nil)
    }

    package mutating func member<Elements: Sequence>(
        _ name: MemberName,
        array elements: Elements?,
        _ body: (inout JSONWriter, Elements.Element) -> Void
    ) {
        cell(name, elements.map { JSONWriter.array($0, body).bytes })
    }

    private mutating func cell(_ name: MemberName, _ value: (some Collection<UInt8>)?) {
        if let prefix { return cell((prefix + name.text).utf8) }
        if let value { cell(value) } else { cell([]) }
    }

    private mutating func cell(_ value: some Collection<UInt8>) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        let isSafe = value.allSatisfy { (0x20..<0x7F).contains($0) && !#"\;"#.utf8.contains($0) }
        if isSafe, value.first.map({ !"=+-@'".utf8.contains($0) }) ?? true {
            quoted(value)
        } else {
            quoted(Self.escaped(String(decoding: value, as: UTF8.self)))
        }
    }

    private static func escaped(_ value: String) -> [UInt8] {
        // The last four are the full-width forms of the first four.
        let isFormula = value.unicodeScalars.first.map {
            "=+-@'\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains($0)
        }
        var text = isFormula ?? false ? [UInt8(ascii: "'")] : []
        for scalar in value.unicodeScalars {
            if scalar == ";" { text += scalar.escape } else { scalar.appendEscaped(to: &text) }
        }
        return text
    }

    /// Appends a cell. If it holds a quote, a comma or a space, encloses it in quotes and doubles its own
    /// quotes (RFC 4180 §2). Some readers trim spaces that are not in quotes.
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
