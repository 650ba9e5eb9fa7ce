import DER

/// Cuts one source into records.
struct RecordReader {
    private var stream: ByteStream
    private let origin: RecordOrigin
    private var number: Int
    /// Where the source stands in a larger one.
    private let firstOffset: Int
    /// Between columns that may be quoted.
    private let separator: UInt8?
    private var scanner: RecordScanner
    /// How far the record at the start of the stream was looked at.
    private var scanned = 0
    /// Inside of a record that is too large, which is passed over.
    private var isPassingOver = false
    private(set) var isAtEnd = false
    /// Whether the last batch was full before the bytes were used up.
    private var hasMore = false

    /// The longest record, in bytes: two hexadecimal digits for every byte of the largest receipt.
    private static let limit = 2 * Limits.standard.inputBytes

    init(_ stream: ByteStream, _ origin: RecordOrigin, firstRecord: Int, firstOffset: Int) {
        self.stream = stream
        self.origin = origin
        number = firstRecord
        self.firstOffset = firstOffset
        // PostgreSQL escapes what would break a line.
        separator = origin.format == .pgcopy ? nil : origin.format.columnSeparator
        scanner = RecordScanner(separator: separator)
    }

    var byteCount: Int { stream.offset }
    /// Where the next record begins; nil inside of one that is passed over.
    mutating func place() -> SourcePosition.Place? {
        guard !isPassingOver, excess == 0 else { return nil }
        return SourcePosition.Place(record: number, offset: stream.offset, head: stream.digestHead())
    }

    /// Goes to where a record begins.
    ///
    /// - Parameter isSeekable: whether the source is a file, to which nothing is done.
    /// - Returns: whether the source is so long, and begins as it did.
    mutating func skip(to place: SourcePosition.Place, isSeekable: Bool) throws(System.Failure) -> Bool {
        number = place.record
        return try stream.skip(to: place.offset, isSeekable: isSeekable) && stream.digestHead() == place.head
    }

    /// Whether all of the source was read, and not only as far as its end marker.
    var isWhollyRead: Bool { stream.isAtEnd }
    /// Whether reading would not wait. Waits that long for it.
    func isReady(milliseconds: Int32) -> Bool { hasMore || stream.isReady(milliseconds: milliseconds) }

    /// Appends the records that are there; where there is none, reads once.
    mutating func read(into batch: inout RecordBatch) throws(System.Failure) {
        let count = batch.records.count
        cut(&batch)
        guard batch.records.count == count, !isAtEnd, !stream.isAtEnd else { return }
        try stream.fill()
        cut(&batch)
    }

    private mutating func cut(_ batch: inout RecordBatch) {
        switch origin.format {
        case .file: readFile(into: &batch)
        case .lengthPrefixed: readPrefixed(into: &batch)
        default: readLines(into: &batch)
        }
        hasMore = batch.isFull
    }

    // MARK: Lines

    private mutating func readLines(into batch: inout RecordBatch) {
        while !batch.isFull {
            // No further than a record may go, so that what becomes of one that is too large does not depend
            // on how many bytes happen to be there.
            let visible = isPassingOver ? stream.count : min(stream.count, Self.limit + 1)
            let range = (stream.start + scanned)..<(stream.start + visible)
            if let end = scanner.end(in: stream.buffer, range) {
                let length = end - stream.start
                defer { scanned = 0 }
                if isPassingOver {
                    isPassingOver = false
                    scanner = RecordScanner(separator: separator)
                    stream.consume(length + 1)
                } else if isEndMarker(length) {
                    isAtEnd = true
                    return
                } else {
                    append(length, nil, &batch)
                    stream.consume(1)
                }
                continue
            }
            scanned = visible
            let isTooLarge = scanned > Self.limit
            guard stream.isAtEnd || isTooLarge || isPassingOver else { return }
            if isPassingOver {
                stream.consume(scanned)
            } else if scanner.isInsideQuotes, passUnclosedQuote(&batch) {
                continue
            } else if scanned > 0, !isEndMarker(scanned) {
                append(scanned, isTooLarge ? .inputTooLarge : nil, &batch)
                isPassingOver = isTooLarge
                // Whatever is quoted, the next line feed ends it: a quote that never ends would take the rest
                // along.
                if isTooLarge, scanner.isInsideQuotes { scanner = RecordScanner(separator: nil) }
            }
            scanned = 0
            guard isTooLarge, stream.count > 0 else { return isAtEnd = stream.isAtEnd }
        }
    }

    /// A quote that never ends would swallow what follows: its record ends with its first line.
    private mutating func passUnclosedQuote(_ batch: inout RecordBatch) -> Bool {
        let seen = stream.buffer[stream.start..<(stream.start + scanned)]
        guard let end = seen.firstIndex(of: UInt8(ascii: "\n")) else { return false }
        append(end - stream.start, .unclosedQuote, &batch)
        stream.consume(1)
        scanned = 0
        scanner = RecordScanner(separator: separator)
        return true
    }

    /// `\.` ends what PostgreSQL copies.
    private func isEndMarker(_ length: Int) -> Bool {
        guard origin.format == .pgcopy, length <= 3 else { return false }
        let line = stream.buffer[stream.start..<(stream.start + length)]
        return line.withoutLineEnd.elementsEqual("\\.".utf8)
    }

    /// Appends the next bytes as a record; of one that is too large, nothing but its place.
    private mutating func append(_ length: Int, _ fault: Refusal.Code?, _ batch: inout RecordBatch) {
        let kept = fault == nil ? length : 0
        batch.append(
            stream.buffer[stream.start..<(stream.start + kept)],
            origin,
            number: number,
            offset: firstOffset + stream.offset,
            fault: fault
        )
        number += 1
        stream.consume(length)
    }

    // MARK: Binary

    private mutating func readFile(into batch: inout RecordBatch) {
        let isTooLarge = stream.count > Self.limit
        guard stream.isAtEnd || isTooLarge else { return }
        append(stream.count, isTooLarge ? .inputTooLarge : nil, &batch)
        isAtEnd = true
    }

    /// How much is still to be passed over of a record that is too large.
    private var excess = 0

    private mutating func readPrefixed(into batch: inout RecordBatch) {
        while !batch.isFull {
            let passed = min(excess, stream.count)
            stream.consume(passed)
            excess -= passed
            guard excess == 0, stream.count >= 4 else { break }
            let length = stream.buffer[stream.start..<(stream.start + 4)].reduce(0) { $0 << 8 | Int($1) }
            if length > Self.limit {
                append(4, .inputTooLarge, &batch)
                excess = length
            } else if stream.count >= 4 + length {
                batch.append(
                    stream.buffer[(stream.start + 4)..<(stream.start + 4 + length)],
                    origin,
                    number: number,
                    offset: firstOffset + stream.offset
                )
                number += 1
                stream.consume(4 + length)
            } else {
                break
            }
        }
        guard stream.isAtEnd, !batch.isFull else { return }
        if stream.count > 0 { append(stream.count, .truncatedRecord, &batch) }
        isAtEnd = true
    }
}
