import AppReceipt
import Basics
import SystemCalls

/// Finding the format of a source and the columns of its fields.
extension CorpusSources {
    /// Returns the layout and the fields of a source's records. Consumes a header, and the byte order mark
    /// of UTF-8 unless records have length prefixes. Throws `CorpusFailure` if the source cannot be read,
    /// has no form that can be read, or lacks the columns, the fields or the header that the options ask
    /// for.
    mutating func describe(_ path: Path, _ open: inout OpenSource) throws(CorpusFailure) -> RecordOrigin {
        var fields = options.fields
        var format = format(of: path) ?? .file
        // Blank lines say nothing about the format.
        while !open.window.isAtEnd, open.window.count < Self.beginning,
            !open.window.rest.drop(while: { $0 <= 0x20 }).contains(UInt8(ascii: "\n"))
        {
            try open.fill()
        }
        let isOneReceipt = try isOneLineOfUTF16(path, &open)
        if isOneReceipt { format = .file }
        let hasMark = open.window.rest.starts(with: [0xEF, 0xBB, 0xBF])
        let beginning = open.window.rest.dropFirst(hasMark ? 3 : 0).prefix(Self.beginning)
        if !isOneReceipt {
            if let problem = refusal(path, beginning) { throw .unreadable(path.name, problem) }
            if options.format == nil, !path.isFound { format = guess(path, beginning) }
        }
        if format != .lengthPrefixed, hasMark { open.window.consume(3) }
        let reading = "is read as \(format.rawValue), which has no"
        guard format.hasFields || fields.isEmpty else {
            throw .unreadable(path.name, "\(reading) fields to name")
        }
        guard format.hasColumns || options.delimiter == nil || path.isFound else {
            throw .unreadable(path.name, "\(reading) columns for --delimiter")
        }
        examine(path.name, format, open.window.rest, beginning)
        let layout = RecordLayout(format, delimiter: options.delimiter)
        // An empty source has no records, whatever columns are wanted.
        if format.hasColumns, open.window.count > 0 {
            let header = format != .pgcopy && options.hasHeader ? try readHeader(&open, layout) : nil
            if let missing = fields.resolve(in: header) {
                throw .unreadable(path.name, "has no \(missing.printable)")
            }
            if let header, Self.isRecord(header, fields) {
                throw .unreadable(path.name, "begins with a record, and no header: --no-header says so")
            }
        }
        return origin(of: path.name, layout, fields)
    }

    /// Whether a source whose format must be guessed is read as one receipt in UTF-16: it begins with the
    /// byte order mark of UTF-16, has fewer than ``longestLine`` bytes, and is one line.
    private func isOneLineOfUTF16(_ path: Path, _ open: inout OpenSource) throws(CorpusFailure) -> Bool {
        guard format(of: path) == nil, !path.isFound, ForeignFormat.isUTF16(open.window.rest) else {
            return false
        }
        while !open.window.isAtEnd, open.window.count < Self.longestLine { try open.fill() }
        let text = open.window.rest
        // The octets of a line end in UTF-16 are 0 and 0x0A.
        let end = text.lastIndex { $0 > 0x20 } ?? text.endIndex
        return open.window.isAtEnd && !text[..<end].contains(0x0A)
    }

    /// A phrase about why the source cannot be read in its present form; nil if it may be readable.
    private func refusal(_ path: Path, _ beginning: ArraySlice<UInt8>) -> String? {
        // A file of a directory that should be one receipt is a record like any other.
        guard !path.isFound || (format(of: path) ?? .file) != .file else { return nil }
        // One receipt may be UTF-16. Records are cut at bytes.
        if let phrase = ForeignFormat.recognise(beginning),
            options.format != .file || !ForeignFormat.isUTF16(beginning)
        {
            return phrase
        }
        guard options.format == nil, !path.isFound,
            beginning.first(where: { $0 > 0x20 }) == UInt8(ascii: "[")
        else { return nil }
        return "is a JSON array: jq -c '.[]' makes a line of each element"
    }

    private mutating func guess(_ path: Path, _ beginning: ArraySlice<UInt8>) -> CorpusFormat {
        var format = CorpusFormat.guess(name: Self.plainName(path.name), beginning: beginning)
        if options.delimiter != nil, !format.hasColumns { format = .csv }
        let isToken = format == .base64 && Self.beginsWithToken(beginning)
        let kind = isToken ? "tokens, which the format base64 reads" : format.rawValue
        guesses.append("\(path.name.printable) looks like \(kind); --format says what it is")
        return format
    }

    /// Whether a source begins, after white space, with a token: with a header whose first member is `alg`,
    /// as Apple's is, or with `eyJ` and a dot anywhere after it in the bytes that are examined. Apple's
    /// header may be longer than these bytes, so it needs no dot.
    private static func beginsWithToken(_ beginning: ArraySlice<UInt8>) -> Bool {
        let text = beginning.drop { $0 <= 0x20 }
        return text.starts(with: "eyJhbGciOi".utf8) || ReceiptInput.isJSONWebSignature(text.borrowedSpan)
    }

    /// Fills ``firstSource`` if it is nil: a sentence if the source looks like another format, and up to 12
    /// member names of the first record of NDJSON. The warning about unreadable records uses both.
    private mutating func examine(
        _ name: FileName,
        _ format: CorpusFormat,
        _ rest: ArraySlice<UInt8>,
        _ beginning: ArraySlice<UInt8>
    ) {
        guard firstSource == nil else { return }
        firstSource = (ForeignFormat.suspect(beginning).map { "\(name.printable) \($0)" }, [])
        guard format == .ndjson, let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return }
        let names = (try? JSONFields(Array(rest[..<end])))?.names ?? []
        firstSource?.fieldNames = Array(names.prefix(12))
    }

    /// The maximum number of bytes that ``guess(_:_:)`` looks at.
    private static let beginning = 4096
    /// The number of bytes after which no more are read in search of the end of a first line that names
    /// the columns, or of a receipt in UTF-16. The largest genuine receipt seen, of 79 KB, takes 216 KB as
    /// base64 in UTF-16.
    private static let longestLine = 1 << 20
    /// The maximum length in bytes of the name of the receipts' column, if an option gives that column's
    /// number: shorter than any receipt.
    private static let longestName = 64

    /// Whether a header seems to be a record: the column of the receipts was named by its number, and its
    /// value in the header is empty or has more than 64 bytes. The number finds a column in a record as well
    /// as in a header, so it does not show that the line is a header.
    private static func isRecord(_ header: [[UInt8]?], _ fields: RecordFields) -> Bool {
        guard let field = fields.receipt, let column = field.column, let name = header[column] else {
            return false
        }
        return (name.count > longestName || name.isEmpty) && !name.elementsEqual(field.text.utf8)
    }

    private func readHeader(
        _ open: inout OpenSource,
        _ layout: RecordLayout
    ) throws(CorpusFailure) -> [[UInt8]?] {
        let name = open.name
        func isNone(_ code: Refusal.Code) -> CorpusFailure {
            .unreadable(name, "begins with a line that is no header (\(code.name))")
        }
        while true {
            var scanner = RecordScanner(separator: layout.quotingSeparator)
            let end = scanner.end(in: open.window.buffer, open.window.start..<open.window.buffer.count)
            guard !scanner.isMisquoted else { throw isNone(.unclosedQuote) }
            guard let end = end ?? (open.window.isAtEnd ? open.window.buffer.count : nil) else {
                guard open.window.count < Self.longestLine else {
                    throw .unreadable(
                        name,
                        "begins with a line that is too long for a header: --no-header says so"
                    )
                }
                try open.fill()
                continue
            }
            do throws(Refusal) {
                let columns = try RecordColumns.read(open.window.buffer[open.window.start..<end], layout)
                open.window.consume(min(end + 1, open.window.buffer.count) - open.window.start)
                return columns.map(\.value)
            } catch {
                guard error.code == .carriageReturn else { throw isNone(error.code) }
                throw .unreadable(name, "has lines that end in carriage returns: tr '\\r' '\\n' mends that")
            }
        }
    }

    /// The name as text, without its ending `.gz` or `.zst`.
    private static func plainName(_ name: FileName) -> String {
        let suffix = decompressor(name)?.suffix ?? ""
        return String(decoding: name.bytes.dropLast(suffix.utf8.count), as: UTF8.self)
    }
}
