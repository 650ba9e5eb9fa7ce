import Bytes
import DER

/// Cuts the bytes of one source into records.
package struct RecordCutter {
    private let origin: RecordOrigin
    /// The number of the next record.
    package var number: Int
    /// The offset of the source's first byte in a larger source.
    private let firstOffset: Int
    /// The byte between columns that may be quoted.
    private let separator: UInt8?
    private var scanner: RecordScanner
    /// The number of bytes of the current record that were searched for its end.
    private var scanned = 0
    /// The offset up to which an open quote is known not to end properly.
    ///
    /// An earlier line was searched up to there. Without this offset, a source in which every line opens a
    /// quote would be searched to the same place for every line.
    private var unclosedEnd = 0
    /// The scanner at that offset. It is inside of quotes, or has found that the quote ends in the middle of
    /// a field.
    private var unclosedScanner: RecordScanner
    /// Whether the bytes belong to a record that is too large and is skipped.
    private var isPassingOver = false
    /// Whether the last line was blank.
    private var isInBlankRun = false
    /// Whether there are no further records.
    package private(set) var isAtEnd = false

    /// The maximum length of a record in bytes.
    private let limit: Int

    /// - Parameter limit: the maximum length of a record in bytes. The default has room for two hexadecimal
    ///   digits for every byte of the largest receipt.
    package init(
        _ origin: RecordOrigin,
        firstRecord: Int = 1,
        firstOffset: Int = 0,
        limit: Int = 2 * EncodingLimits.standard.inputBytes
    ) {
        self.limit = limit
        self.origin = origin
        number = firstRecord
        self.firstOffset = firstOffset
        separator = origin.layout.quotingSeparator
        scanner = RecordScanner(separator: separator)
        unclosedScanner = scanner
    }

    /// Whether the end marker of COPY was found. The window begins with it.
    package private(set) var hasMetEndMarker = false
    /// Whether the source ended before the length that a record's prefix announces.
    package var lacksBytes: Bool { excess > 0 || isTruncated }
    private var isTruncated = false

    /// Whether the window begins with a new record, so that a later run can begin there.
    ///
    /// False inside a run of blank lines, which is one record in the results.
    package var isBetweenRecords: Bool { !isPassingOver && excess == 0 && !isInBlankRun }

    /// Moves records from the window to the batch until the batch is full or the window has no whole record.
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
            if scanned == 0, !isPassingOver {
                if readBlankLines(&window, into: &batch) { continue }
                // A carriage return alone may belong to a blank line.
                if window.count == 1, window.rest.first == UInt8(ascii: "\r"), !window.isAtEnd { return }
            }
            // The search ends at the limit, so that the fate of a record that is too large does not depend on
            // the number of bytes in the window.
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
            if scanner.isMisquoted, passUnclosedQuote(&window, &batch, within: visible) { continue }
            scanned = visible
            let isTooLarge = scanned > limit
            guard window.isAtEnd || isTooLarge || isPassingOver else { return }
            if isPassingOver {
                window.consume(scanned)
            } else if scanner.isInsideQuotes, passUnclosedQuote(&window, &batch, within: scanned) {
                continue
            } else if scanned > 0, isEndMarker(window, scanned) {
                (isAtEnd, hasMetEndMarker) = (true, true)
                return
            } else if scanned > 0 {
                append(&window, scanned, isTooLarge ? .inputTooLarge : nil, &batch)
                isPassingOver = isTooLarge
                // The next line feed ends the record, even inside quotes. Otherwise a quote that never ends
                // would swallow the rest of the source.
                if isTooLarge { scanner = RecordScanner(separator: nil) }
            }
            scanned = 0
            guard isTooLarge, window.count > 0 else { return isAtEnd = window.isAtEnd }
        }
    }

    /// Moves blank lines from the window to the batch as one record.
    ///
    /// Blank lines cost almost nothing to send in a compressed source, so they are counted and not judged one
    /// by one.
    ///
    /// - Returns: whether the window began with a blank line.
    private mutating func readBlankLines(_ window: inout ByteWindow, into batch: inout RecordBatch) -> Bool {
        let (length, count) = Self.blankLines(window.buffer.borrowedSpan, from: window.start)
        guard count > 0 else {
            isInBlankRun =
                isInBlankRun && (window.count == 0 || window.rest.elementsEqual([UInt8(ascii: "\r")]))
            return false
        }
        batch.appendBlankLines(
            origin,
            number: number,
            offset: firstOffset + window.offset,
            count: count,
            isContinuation: isInBlankRun
        )
        isInBlankRun = true
        number += count
        window.consume(length)
        return true
    }

    /// The length and the number of the blank lines from an index on.
    private static func blankLines(_ bytes: Span<UInt8>, from start: Int) -> (length: Int, count: Int) {
        var (index, count) = (start, 0)
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") {
                index += 1
            } else if bytes[index] == UInt8(ascii: "\r"), index + 1 < bytes.count,
                bytes[index + 1] == UInt8(ascii: "\n")
            {
                index += 2
            } else {
                break
            }
            count += 1
        }
        return (index - start, count)
    }

    /// The index of the line feed that ends the record, or nil if it is not among the visible bytes.
    private mutating func end(in window: ByteWindow, _ visible: Int) -> Int? {
        let range = (window.start + scanned)..<(window.start + visible)
        let seen = window.start + unclosedEnd - window.offset
        guard scanned == 0, seen > window.start,
            let lineFeed = window.buffer.borrowedSpan.firstIndex(
                of: UInt8(ascii: "\n"),
                in: window.start..<seen
            )
        else { return scanner.end(in: window.buffer, range) }
        if let end = scanner.end(in: window.buffer, window.start..<(lineFeed + 1)) { return end }
        // The earlier search passed this line feed inside of quotes too, so both go on alike.
        if scanner.isInsideQuotes { scanner = unclosedScanner }
        return scanner.end(in: window.buffer, seen..<range.upperBound)
    }

    /// Ends a record with an unclosed quote at its first line, so that the quote does not swallow the records
    /// that follow.
    ///
    /// - Parameter length: the number of bytes of the record that were searched.
    /// - Returns: false if there is no line feed in them.
    private mutating func passUnclosedQuote(
        _ window: inout ByteWindow,
        _ batch: inout RecordBatch,
        within length: Int
    ) -> Bool {
        let seen = window.buffer[window.start..<(window.start + length)]
        guard let end = seen.firstIndex(of: UInt8(ascii: "\n")) else { return false }
        if scanner.isInsideQuotes {
            (unclosedEnd, unclosedScanner) = (window.offset + length, scanner)
        } else if unclosedEnd <= window.offset + end - window.start || !unclosedScanner.isMisquoted {
            // Otherwise this search was continued from the place that is known.
            unclosedEnd = window.offset + scanner.misquotedIndex - window.start
            unclosedScanner = scanner
        }
        append(&window, end - window.start, .unclosedQuote, &batch)
        window.consume(1)
        scanned = 0
        scanner = RecordScanner(separator: separator)
        return true
    }

    /// Whether the next `length` bytes are the line `\.`, which ends the rows of PostgreSQL's COPY.
    ///
    /// A carriage return may follow. Always false for other formats.
    private func isEndMarker(_ window: ByteWindow, _ length: Int) -> Bool {
        guard origin.format == .pgcopy, length <= 3 else { return false }
        let line = window.buffer[window.start..<(window.start + length)]
        return line.withoutLineEnd.elementsEqual("\\.".utf8)
    }

    /// Appends the next bytes as a record. A record with a fault has a place and no bytes.
    private mutating func append(
        _ window: inout ByteWindow,
        _ length: Int,
        _ fault: Refusal.Code?,
        _ batch: inout RecordBatch
    ) {
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

    /// The number of bytes still to skip of a record that is too large.
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
