import Bytes
import ReceiptCorpus
import SHA

/// The file formats of a corpus.
enum MintedFormat: String, CaseIterable {
    /// One receipt on a line.
    case base64
    /// One receipt on a line, in lower case.
    case hex
    /// One object on a line: `id`, `bundle_id`, and the base64 as `receipt`.
    case ndjson
    /// The three fields of `ndjson`, after a line that names them (RFC 4180, with line feeds).
    case csv
    /// The fields of `csv`, between tabs.
    case tsv
    /// The three fields as PostgreSQL's COPY writes them, the receipt as a bytea.
    case pgcopy
    /// Each receipt after its length in four octets, the most significant first.
    case lengthPrefixed = "length-prefixed"
    /// A file for each receipt, with a thousand files in each subdirectory.
    case directory

    static let fieldNames = ["id", "bundle_id", "receipt"]

    /// The bytes before the first record.
    var head: [UInt8] {
        switch self {
        case .csv: [UInt8]((Self.fieldNames.joined(separator: ",") + "\n").utf8)
        case .tsv: [UInt8]((Self.fieldNames.joined(separator: "\t") + "\n").utf8)
        case .base64, .hex, .ndjson, .pgcopy, .lengthPrefixed, .directory: []
        }
    }

    /// Appends a record. Identifiers and base64 hold no character that a format would have to escape.
    func append(_ record: MintedRecord, to text: inout [UInt8]) {
        switch self {
        case .base64:
            record.appendBase64(to: &text)
            text.append(UInt8(ascii: "\n"))
        case .hex:
            Hexadecimal.append(record.bytes.borrowedSpan, to: &text)
            text.append(UInt8(ascii: "\n"))
        case .ndjson:
            let fields =
                "{\"id\":\(record.number),\"bundle_id\":\"\(record.bundleIdentifier)\",\"receipt\":\""
            text.append(contentsOf: fields.utf8)
            record.appendBase64(to: &text)
            text.append(contentsOf: "\"}\n".utf8)
        case .csv:
            text.append(contentsOf: "\(record.number),\(record.bundleIdentifier),".utf8)
            record.appendBase64(to: &text)
            text.append(UInt8(ascii: "\n"))
        case .tsv:
            text.append(contentsOf: "\(record.number)\t\(record.bundleIdentifier)\t".utf8)
            record.appendBase64(to: &text)
            text.append(UInt8(ascii: "\n"))
        case .pgcopy:
            // A bytea begins with a backslash, which COPY doubles.
            text.append(contentsOf: "\(record.number)\t\(record.bundleIdentifier)\t\\\\x".utf8)
            Hexadecimal.append(record.bytes.borrowedSpan, to: &text)
            text.append(UInt8(ascii: "\n"))
        case .lengthPrefixed:
            for place in [24, 16, 8, 0] {
                text.append(UInt8(truncatingIfNeeded: record.bytes.count >> place))
            }
            text += record.bytes
        case .directory: text += record.bytes
        }
    }
}

extension MintedRecord {
    fileprivate func appendBase64(to text: inout [UInt8]) {
        if isText { text += bytes } else { text.append(base64: bytes[...]) }
    }

    static let truthHead = [UInt8]("record\tkind\tstatus\tstep\tbundle\tsha256\n".utf8)

    /// Appends the record's line of the truth file.
    func appendTruth(to text: inout [UInt8]) {
        let fields = "\(number)\t\(kind.rawValue)\t\(verdict.status)\t\(verdict.step)\t\(bundleIdentifier)\t"
        text.append(contentsOf: fields.utf8)
        Hexadecimal.append(SHA256.digest(of: bytes.borrowedSpan).bytes.borrowedSpan, to: &text)
        text.append(UInt8(ascii: "\n"))
    }
}
