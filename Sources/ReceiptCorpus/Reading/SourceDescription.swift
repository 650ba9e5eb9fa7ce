import AppReceipt
import DER
import SystemCalls

/// Finding the format of a source and the places of its fields.
extension CorpusSources {
    /// Determines the layout of a source's records and the columns of its fields. Consumes a byte order mark
    /// and a header.
    ///
    /// - Returns: the facts for the source's records, and a sentence about why the source cannot be read.
    mutating func describe(
        _ path: Path,
        _ stream: inout ByteStream
    ) -> (origin: RecordOrigin, problem: String?) {
        let name = path.name.printable
        var fields = options.fields
        var format = options.format ?? .file
        func origin() -> RecordOrigin {
            RecordOrigin(
                source: (options.name ?? path.name).exactText,
                layout: RecordLayout(format, delimiter: options.delimiter),
                fields: fields
            )
        }
        do throws(System.Failure) {
            // Blank lines say nothing about the format.
            while !stream.window.isAtEnd, stream.window.count < Self.beginning,
                !stream.window.rest.drop(while: { $0 <= 0x20 }).contains(UInt8(ascii: "\n"))
            {
                try stream.fill()
            }
            let hasMark = stream.window.rest.starts(with: [0xEF, 0xBB, 0xBF])
            let beginning = stream.window.rest.dropFirst(hasMark ? 3 : 0).prefix(Self.beginning)
            if let problem = refusal(path, beginning) { return (origin(), "\(name) \(problem)") }
            if options.format == nil, !path.isFound { format = guess(path, beginning) }
            if format != .lengthPrefixed, hasMark { stream.window.consume(3) }
            guard format.hasFields || fields.isEmpty else {
                return (origin(), "\(name) is read as \(format.rawValue), which has no fields to name")
            }
            guard format.hasColumns || options.delimiter == nil || path.isFound else {
                return (
                    origin(), "\(name) is read as \(format.rawValue), which has no columns for --delimiter"
                )
            }
            examine(name, format, stream.window.rest, beginning)
            // An empty source has no records, whatever columns are wanted.
            guard format.hasColumns, stream.window.count > 0 else { return (origin(), nil) }
            var header: [[UInt8]?]?
            if format != .pgcopy, options.hasHeader {
                switch try readHeader(&stream, RecordLayout(format, delimiter: options.delimiter)) {
                case .columns(let columns): header = columns
                case .problem(let problem): return (origin(), "\(name) \(problem)")
                }
            }
            if let missing = fields.resolve(in: header) {
                return (origin(), "\(name) has no \(missing.printable)")
            }
            if let header, Self.isRecord(header, fields) {
                return (origin(), "\(name) begins with a record, and no header: --no-header says so")
            }
            return (origin(), nil)
        } catch {
            return (origin(), "cannot read \(name): \(error.message)")
        }
    }

    /// A phrase about why the source cannot be read in its present form, or nil.
    private func refusal(_ path: Path, _ beginning: ArraySlice<UInt8>) -> String? {
        // A file of a directory that should be one receipt is a record like any other.
        guard !path.isFound || (options.format ?? .file) != .file else { return nil }
        if let refusal = CorpusFormat.refusal(beginning: beginning) { return refusal }
        if let phrase = ForeignFormat.recognise(beginning) { return phrase }
        guard options.format == nil, !path.isFound,
            beginning.first(where: { $0 > 0x20 }) == UInt8(ascii: "[")
        else { return nil }
        return "is a JSON array: jq -c '.[]' makes a line of each element"
    }

    private mutating func guess(_ path: Path, _ beginning: ArraySlice<UInt8>) -> CorpusFormat {
        var format = CorpusFormat.guess(name: Self.plainName(path.name), beginning: beginning)
        if options.delimiter != nil, !format.hasColumns { format = .csv }
        guesses.append("\(path.name.printable) looks like \(format.rawValue); --format says what it is")
        return format
    }

    /// Remembers the first source's shape, for a message in case that no record can be read.
    private mutating func examine(
        _ name: String,
        _ format: CorpusFormat,
        _ rest: ArraySlice<UInt8>,
        _ beginning: ArraySlice<UInt8>
    ) {
        guard isFirstSource else { return }
        isFirstSource = false
        suspicion = ForeignFormat.suspect(beginning).map { "\(name) \($0)" }
        guard format == .ndjson, let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return }
        fieldNames = Array((JSONFields(Array(rest[..<end]))?.names ?? []).prefix(12))
    }

    /// Enough bytes for a guess.
    private static let beginning = 4096
    /// The maximum length in bytes of a header, the first line, which names the columns. No header needs as
    /// many.
    private static let maximumHeader = 1 << 20
    /// The maximum length of a column's name in bytes: shorter than any receipt.
    private static let longestName = 64

    /// Whether a header seems to be a record: where the receipts' column is named by its number, it has a
    /// receipt there, or nothing. A column that is named by its number is found in any record.
    private static func isRecord(_ header: [[UInt8]?], _ fields: RecordFields) -> Bool {
        guard let field = fields.receipt, let column = field.column, let name = header[column] else {
            return false
        }
        return (name.count > longestName || name.isEmpty) && !name.elementsEqual(field.text.utf8)
    }

    private enum Header {
        case columns([[UInt8]?])
        case problem(String)
    }

    private func readHeader(
        _ stream: inout ByteStream,
        _ layout: RecordLayout
    ) throws(System.Failure) -> Header {
        while true {
            var scanner = RecordScanner(separator: layout.quotingSeparator)
            let end = scanner.end(in: stream.window.buffer, stream.window.start..<stream.window.buffer.count)
            guard !scanner.isMisquoted else {
                return .problem("begins with a line that is no header (\(Refusal.Code.unclosedQuote.name))")
            }
            guard let end = end ?? (stream.window.isAtEnd ? stream.window.buffer.count : nil) else {
                guard stream.window.count < Self.maximumHeader else {
                    return .problem("begins with a line that is too long for a header: --no-header says so")
                }
                try stream.fill()
                continue
            }
            do throws(Refusal) {
                let columns = try RecordColumns.read(stream.window.buffer[stream.window.start..<end], layout)
                stream.window.consume(min(end + 1, stream.window.buffer.count) - stream.window.start)
                return .columns(columns)
            } catch {
                return .problem(
                    error.code == .carriageReturn
                        ? "has lines that end in carriage returns: tr '\\r' '\\n' mends that"
                        : "begins with a line that is no header (\(error.code.name))"
                )
            }
        }
    }

    /// The name without the suffix of its compression.
    private static func plainName(_ name: FileName) -> String {
        let suffix = decompressor(name).map { $0[0] == "gzip" ? 3 : 4 } ?? 0
        return String(decoding: name.bytes.dropLast(suffix), as: UTF8.self)
    }
}
