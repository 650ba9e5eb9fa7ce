import Basics

/// The arrangement of records in a source.
package enum CorpusFormat: String, CaseIterable, Sendable {
    /// The whole file is one receipt or token, or blocks of PEM. Each block is one receipt.
    case file
    case base64
    case hex
    case ndjson
    case csv
    case tsv
    /// PostgreSQL's text format of COPY.
    case pgcopy
    /// Each receipt or token follows its length in four bytes, the most significant first.
    case lengthPrefixed = "length-prefixed"

    package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    package var hasFields: Bool { hasColumns || self == .ndjson }
    package var hasColumns: Bool { columnSeparator != nil }
    /// The usual byte between two columns; nil for a format without columns.
    package var columnSeparator: UInt8? {
        switch self {
        case .csv: UInt8(ascii: ",")
        case .tsv, .pgcopy: UInt8(ascii: "\t")
        default: nil
        }
    }

    /// Guesses the format from a source's name, without `.gz` or `.zst`, and beginning: base64 if none fits.
    ///
    /// - Parameter beginning: up to some kilobytes, without a byte order mark.
    package static func guess(name: String, beginning: ArraySlice<UInt8>) -> CorpusFormat {
        let suffix = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name[$0...].dropFirst().lowercased() }
        if suffix == "jsonl" { return .ndjson }
        let named = [Self.ndjson, .csv, .tsv, .pgcopy, .hex].first { $0.rawValue == suffix }
        if let named { return named }
        // A SEQUENCE whose length takes more than one byte. The second byte of a text is below 0x80.
        if beginning.starts(with: [0x30]), beginning.dropFirst().first.map({ $0 >= 0x80 }) ?? false {
            return .file
        }
        if beginning.first == 0 { return .lengthPrefixed }
        let text = beginning.drop { $0 <= 0x20 }
        let line = text.prefix { $0 != UInt8(ascii: "\n") }
        func begins(_ texts: String...) -> Bool { texts.contains { text.starts(with: $0.utf8) } }
        if isWrapped(text, after: line) || begins("<?xml", "<plist", "<!DOCTYPE") { return .file }
        // A data URI or a JSON string, whose commas separate no columns, or a description of Data.
        if begins("data:", "\"{", "{length") { return .base64 }
        if line.first == UInt8(ascii: "{") {
            // An object that spans several lines is a stored response.
            return line.contains { $0 != UInt8(ascii: "{") && $0 > 0x20 } ? .ndjson : .file
        }
        if line.contains(UInt8(ascii: "\t")) {
            return line.contains(UInt8(ascii: "\\")) ? .pgcopy : .tsv
        }
        if line.contains(UInt8(ascii: ",")) { return .csv }
        if line.starts(with: Array("\\\\x".utf8)) { return .pgcopy }
        if line.starts(with: Array("308".utf8)),
            line.allSatisfy({ Hexadecimal.value(of: $0) != nil || $0 <= 0x20 })
        {
            return .hex
        }
        return .base64
    }

    /// Whether a text is PEM, or base64 of one receipt in lines of 64 or 76 characters, as programs make them
    /// (RFC 7468 §2, RFC 2045 §6.8): the first line begins as a receipt does, and a second line does not.
    ///
    /// - Parameter line: the first line of the text, without its line feed.
    private static func isWrapped(_ text: ArraySlice<UInt8>, after line: ArraySlice<UInt8>) -> Bool {
        if text.starts(with: "-----BEGIN".utf8) { return true }
        var characters = line
        if characters.last == UInt8(ascii: "\r") { characters.removeLast() }
        guard characters.count == 64 || characters.count == 76 else { return false }
        let next = text[line.endIndex...].dropFirst()
        // A SEQUENCE with a length of several octets, or a property list.
        let starts = ["MI", "ewo", "ewk"].map { Array($0.utf8) }
        return starts.contains { characters.starts(with: $0) } && !next.isEmpty
            && !starts.contains { next.starts(with: $0) }
    }
}

/// A format of records, and the byte between their columns.
package struct RecordLayout: Sendable {
    package let format: CorpusFormat
    /// The byte between two columns; nil for a format without columns.
    package let columnSeparator: UInt8?

    /// Creates the layout of a format.
    ///
    /// - Parameter delimiter: the byte between columns; nil for the usual one. A format without columns
    ///   ignores it.
    package init(_ format: CorpusFormat, delimiter: UInt8? = nil) {
        (self.format, columnSeparator) = (format, format.columnSeparator.map { delimiter ?? $0 })
    }

    /// The byte between two columns of CSV, whose columns may hold line breaks in quotes; nil for every
    /// other format. In the other formats of lines, a line feed always ends a record, whatever quotes the
    /// record contains.
    ///
    /// PostgreSQL escapes line breaks, and tab-separated values contain none.
    package var quotingSeparator: UInt8? { format == .csv ? columnSeparator : nil }
}
