import DER

/// Cuts the bytes of one source into records.
package struct RecordCutter {
    private let origin: RecordOrigin
    /// Of the next record.
    package var number: Int
    /// Where the source stands in a larger one.
    private let firstOffset: Int
    /// Between columns that may be quoted.
    private let separator: UInt8?
    private var scanner: RecordScanner
    /// How far the record at the start of the window was looked at.
    private var scanned = 0
    /// As far as this offset no quote ends that is open at the end of a line: it was looked for, from a line
    /// before. Else every line of a source might be in quotes to its end, and looked through so far.
    private var unclosedEnd = 0
    /// Inside of a record that is too large, which is passed over.
    private var isPassingOver = false
    /// Whether there are no further records.
    package private(set) var isAtEnd = false

    /// The longest record, in bytes.
    private let limit: Int

    /// - Parameter limit: of the length of a record, in bytes; by default two hexadecimal digits for every
    ///   byte of the largest receipt.
    package init(
        _ origin: RecordOrigin,
        firstRecord: Int = 1,
        firstOffset: Int = 0,
        limit: Int = 2 * Limits.standard.inputBytes
    ) {
        self.limit = limit
        self.origin = origin
        number = firstRecord
        self.firstOffset = firstOffset
        separator = origin.format.quotingSeparator
        scanner = RecordScanner(separator: separator)
    }

    /// Whether what was copied ended with its end marker, which the window begins with.
    package private(set) var hasMetEndMarker = false
    /// Whether the source ended inside of a record, by the length before that.
    package var lacksBytes: Bool { excess > 0 || isTruncated }
    private var isTruncated = false

    /// Whether the next record begins where the window does.
    package var isBetweenRecords: Bool { !isPassingOver && excess == 0 }

    /// Appends the records that are in the window, and consumes them, until the batch is full.
    package mutating func cut(_ window: inout ByteWindow, into batch: inout RecordBatch) {
        switch origin.format {
        case .file: readFile(&window, into: &batch)
        case .lengthPrefixed: readPrefixed(&window, into: &batch)
        default: readLines(&window, into: &batch)
        }
    }

    // MARK: Lines

    private mutating func readLines(_ window: inout ByteWindow, into batch: inout RecordBatch) {
        while !batch.isFull {
            // No further than a record may go, so that what becomes of one that is too large does not depend
            // on how many bytes happen to be there.
            let visible = isPassingOver ? window.count : min(window.count, limit + 1)
            if let end = end(in: window, visible) {
                let length = end - window.start
                defer { scanned = 0 }
                if isPassingOver {
                    isPassingOver = false
                    scanner = RecordScanner(separator: separator)
                    window.consume(length + 1)
                } else if isEndMarker(window, length) {
                    (isAtEnd, hasMetEndMarker) = (true, true)
                    return
                } else {
                    append(&window, length, nil, &batch)
                    window.consume(1)
                }
                continue
            }
            scanned = visible
            let isTooLarge = scanned > limit
            guard window.isAtEnd || isTooLarge || isPassingOver else { return }
            if isPassingOver {
                window.consume(scanned)
            } else if scanner.isInsideQuotes, passUnclosedQuote(&window, &batch) {
                continue
            } else if scanned > 0, !isEndMarker(window, scanned) {
                append(&window, scanned, isTooLarge ? .inputTooLarge : nil, &batch)
                isPassingOver = isTooLarge
                // Whatever is quoted, the next line feed ends it: a quote that never ends would take the rest
                // along.
                if isTooLarge, scanner.isInsideQuotes { scanner = RecordScanner(separator: nil) }
            }
            scanned = 0
            guard isTooLarge, window.count > 0 else { return isAtEnd = window.isAtEnd }
        }
    }

    /// The index of the line feed that ends the record; nil if it is not among the bytes that are visible.
    private mutating func end(in window: ByteWindow, _ visible: Int) -> Int? {
        let range = (window.start + scanned)..<(window.start + visible)
        let seen = window.start + unclosedEnd - window.offset
        guard scanned == 0, seen > window.start,
            let lineFeed = window.buffer.span.firstIndex(
                of: UInt8(ascii: "\n"),
                in: window.start..<seen
            )
        else { return scanner.end(in: window.buffer, range) }
        return scanner.end(in: window.buffer, window.start..<(lineFeed + 1))
            ?? scanner.end(in: window.buffer, seen..<range.upperBound)
    }

    /// A quote that never ends would swallow what follows: its record ends with its first line.
    private mutating func passUnclosedQuote(_ window: inout ByteWindow, _ batch: inout RecordBatch) -> Bool {
        let seen = window.buffer[window.start..<(window.start + scanned)]
        guard let end = seen.firstIndex(of: UInt8(ascii: "\n")) else { return false }
        unclosedEnd = window.offset + scanned
        append(&window, end - window.start, .unclosedQuote, &batch)
        window.consume(1)
        scanned = 0
        scanner = RecordScanner(separator: separator)
        return true
    }

    /// `\.` ends what PostgreSQL copies.
    private func isEndMarker(_ window: ByteWindow, _ length: Int) -> Bool {
        guard origin.format == .pgcopy, length <= 3 else { return false }
        let line = window.buffer[window.start..<(window.start + length)]
        return line.withoutLineEnd.elementsEqual("\\.".utf8)
    }

    /// Appends the next bytes as a record; of one that is too large, nothing but its place.
    private mutating func append(
        _ window: inout ByteWindow,
        _ length: Int,
        _ fault: Refusal.Code?,
        _ batch: inout RecordBatch
    ) {
        // What nobody looks at is not kept along.
        batch.append(
            fault == nil ? window.buffer : [],
            in: fault == nil ? window.start..<(window.start + length) : 0..<0,
            origin,
            number: number,
            offset: firstOffset + window.offset,
            fault: fault
        )
        number += 1
        window.consume(length)
    }

    // MARK: Binary

    private mutating func readFile(_ window: inout ByteWindow, into batch: inout RecordBatch) {
        let isTooLarge = window.count > limit
        guard window.isAtEnd || isTooLarge else { return }
        append(&window, window.count, isTooLarge ? .inputTooLarge : nil, &batch)
        isAtEnd = true
    }

    /// How much is still to be passed over of a record that is too large.
    private var excess = 0

    private mutating func readPrefixed(_ window: inout ByteWindow, into batch: inout RecordBatch) {
        while !batch.isFull {
            let passed = min(excess, window.count)
            window.consume(passed)
            excess -= passed
            guard excess == 0, window.count >= 4 else { break }
            let length = window.buffer[window.start..<(window.start + 4)].reduce(0) { $0 << 8 | Int($1) }
            if length > limit {
                append(&window, 4, .inputTooLarge, &batch)
                excess = length
            } else if window.count >= 4 + length {
                batch.append(
                    window.buffer,
                    in: (window.start + 4)..<(window.start + 4 + length),
                    origin,
                    number: number,
                    offset: firstOffset + window.offset
                )
                number += 1
                window.consume(4 + length)
            } else {
                break
            }
        }
        guard window.isAtEnd, !batch.isFull else { return }
        if window.count > 0 {
            append(&window, window.count, .truncatedRecord, &batch)
            isTruncated = true
        }
        isAtEnd = true
    }
}
