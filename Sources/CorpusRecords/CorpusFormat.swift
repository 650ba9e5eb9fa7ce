/// How records lie in a source.
package enum CorpusFormat: String, CaseIterable {
    /// The whole file is one receipt.
    case file
    case base64
    case hex
    case ndjson
    case csv
    case tsv
    /// PostgreSQL's text format of COPY.
    case pgcopy
    /// Four bytes of length, the most significant first, and that many bytes of receipt.
    case lengthPrefixed = "length-prefixed"

    package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    package var hasFields: Bool { columnSeparator != nil || self == .ndjson }
    /// Between two columns; nil where there are none.
    package var columnSeparator: UInt8? {
        switch self {
        case .csv: UInt8(ascii: ",")
        case .tsv, .pgcopy: UInt8(ascii: "\t")
        default: nil
        }
    }

    /// Between columns that may hold line breaks, in quotes. PostgreSQL escapes what would break a line, and
    /// tab-separated values have neither: whatever quotes are in those, a line feed ends a record.
    package var quotingSeparator: UInt8? { self == .csv ? columnSeparator : nil }

    /// What a source most likely is, by its name and how it begins.
    ///
    /// - Parameter beginning: as much as is there, up to some kilobytes; without a byte order mark.
    package static func guess(name: String, beginning: ArraySlice<UInt8>) -> CorpusFormat {
        let suffix = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name[$0...].dropFirst().lowercased() }
        switch suffix {
        case "ndjson", "jsonl": return .ndjson
        case "csv": return .csv
        case "tsv": return .tsv
        case "pgcopy": return .pgcopy
        case "hex": return .hex
        default: break
        }
        // A SEQUENCE whose length takes more than one byte: no text has such a second byte.
        if beginning.starts(with: [0x30]), beginning.dropFirst().first.map({ $0 >= 0x80 }) ?? false {
            return .file
        }
        if beginning.first == 0 { return .lengthPrefixed }
        let line = beginning.prefix { $0 != UInt8(ascii: "\n") }
        if line.first == UInt8(ascii: "{") {
            // One object over several lines is a stored response.
            return line.contains { $0 != UInt8(ascii: "{") && $0 > 0x20 } ? .ndjson : .file
        }
        if line.contains(UInt8(ascii: "\t")) {
            return line.contains(UInt8(ascii: "\\")) ? .pgcopy : .tsv
        }
        if line.contains(UInt8(ascii: ",")) { return .csv }
        if line.starts(with: Array("\\\\x".utf8)) { return .pgcopy }
        if line.starts(with: Array("308".utf8)), line.allSatisfy({ $0.isHexadecimalDigit || $0 <= 0x20 }) {
            return .hex
        }
        return .base64
    }

    /// What else a source may be, that is not read here, and what would help.
    package static func refusal(beginning: ArraySlice<UInt8>) -> String? {
        let kinds: [(magic: [UInt8], message: String)] = [
            (
                Array("PAR1".utf8),
                "is Parquet: export it, as with duckdb -c \"COPY (SELECT * FROM 'FILE') TO '/dev/stdout' (FORMAT csv)\""
            ),
            (Array("Obj".utf8) + [1], "is Avro: export it, as with avro-tools tojson FILE"),
            ([0x1F, 0x8B], "is compressed: name it .gz, or use gzip -dc"),
            ([0x28, 0xB5, 0x2F, 0xFD], "is compressed: name it .zst, or use zstd -dc"),
        ]
        return kinds.first { beginning.starts(with: $0.magic) }?.message
    }
}
