import AppReceipt
import Basics
import DER

/// Cuts the bytes of one source into records.
package struct RecordCutter {
    private let origin: RecordOrigin
    /// The number of the next record. A blank line counts as one record, and so does a record of many lines.
    package var number: Int
    private let firstNumber: Int
    /// Whether the source has a record, or a blank line, before the next record.
    var hasRecords: Bool { number > firstNumber }
    /// Added to each record's offset: where this source begins in a larger one, in bytes, or 0.
    private let firstOffset: Int
    private var scanner: RecordScanner
    /// The number of bytes of the current record that were searched for its end.
    private var scanned = 0
    /// The offset in the source up to which a quote in an earlier line was searched without a proper end.
    ///
    /// Without this offset, a source in which every line opens a quote would be searched to the same offset
    /// for every line.
    private var unclosedEnd = 0
    /// The scanner at the offset ``unclosedEnd``. It is inside of quotes, or has found that the quote ends in
    /// the middle of a field. Not used while that offset is 0.
    private var unclosedScanner: RecordScanner
    /// Whether the next bytes belong to a record of text that is too large and is skipped.
    private var isPassingOver = false
    /// Whether the line before the window's first byte was blank, and the next line may be blank, too. False
    /// once ``cut(_:into:)`` has found that the next line is not blank.
    private var isInBlankRun = false
    /// The number of bytes at the window's start that are known to be white space without a line feed.
    ///
    /// Without this number, a line of 16 MiB of white space would be searched again after each read.
    private var blankLength = 0
    /// Whether ``cut(_:into:)`` has found that the source has no further records.
    package private(set) var isAtEnd = false

    private let limit: Int

    /// Creates a cutter at the start of a source.
    ///
    /// - Parameter limit: the maximum length in bytes of a record; in the format `file`, of the whole source.
    ///   A longer record gets a fault. The default has room for two hexadecimal digits for every byte of the
    ///   largest receipt.
    package init(
        _ origin: RecordOrigin,
        firstRecord: Int = 1,
        firstOffset: Int = 0,
        limit: Int = 2 * EncodingLimits.standard.inputBytes
    ) {
        self.limit = limit
        self.origin = origin
        (number, firstNumber) = (firstRecord, firstRecord)
        self.firstOffset = firstOffset
        scanner = RecordScanner(separator: origin.layout.quotingSeparator)
        unclosedScanner = scanner
    }

    /// Whether the line `\.`, the end marker of COPY, was found. ``cut(_:into:)`` leaves it at the beginning
    /// of the window.
    package private(set) var hasMetEndMarker = false
    /// Whether the source, which has ended, ends inside a length prefix or inside the bytes after one.
    package var lacksBytes: Bool { excess > 0 || isTruncated }
    private var isTruncated = false

    /// Whether the window begins with a new record, so that a later run can begin there.
    ///
    /// After a blank line, false until ``cut(_:into:)`` has found that the next line is not blank: a run of
    /// blank lines is one line of the results, and its end is not known before.
    package var isBetweenRecords: Bool { !isPassingOver && excess == 0 && !isInBlankRun }

    /// Moves records from the window to the batch until the batch is full, the window has no whole record, or
    /// the end marker of COPY comes. A record that is too large need not be whole, nor one of the format
    /// `lengthPrefixed` that the source's end cuts off.
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
                guard let isBlank = readBlankLines(&window, into: &batch) else { return }
                if isBlank { continue }
            }
            // The search ends at the limit, so that the fate of a record that is too large does not depend on
            // the number of bytes in the window.
            let visible = isPassingOver ? window.count : min(window.count, limit + 1)
            let lineFeed = end(in: window, visible)
            if lineFeed == nil, scanner.isMisquoted, passUnclosedQuote(&window, &batch, within: visible) {
                continue
            }
            let length = lineFeed.map { $0 - window.start } ?? visible
            let isTooLarge = lineFeed == nil && length > limit
            guard lineFeed != nil || window.isAtEnd || isTooLarge || isPassingOver else {
                return scanned = length
            }
            if isPassingOver {
                window.consume(length)
            } else if lineFeed == nil, scanner.isInsideQuotes,
                passUnclosedQuote(&window, &batch, within: length)
            {
                continue
            } else if isEndMarker(window, length) {
                (isAtEnd, hasMetEndMarker) = (true, true)
                return
            } else if length > 0 {
                append(&window, length, isTooLarge ? .inputTooLarge : nil, &batch)
            }
            scanned = 0
            if isTooLarge {
                // The next line feed ends the record, even inside quotes. Otherwise a quote that never ends
                // would swallow the rest of the source.
                (isPassingOver, scanner) = (true, RecordScanner(separator: nil))
            } else if lineFeed != nil {
                window.consume(1)
                if isPassingOver { scanner = RecordScanner(separator: origin.layout.quotingSeparator) }
                isPassingOver = false
                continue
            }
            guard window.count > 0 else { return isAtEnd = window.isAtEnd }
        }
    }

    /// Moves blank lines from the window to the batch as one record. A blank line has white space alone.
    ///
    /// Blank lines cost almost nothing to send in a compressed source, so they are counted and not judged one
    /// by one.
    ///
    /// - Returns: whether the window began with a blank line; nil if that depends on bytes still to be read.
    private mutating func readBlankLines(_ window: inout ByteWindow, into batch: inout RecordBatch) -> Bool? {
        var blank = blankLines(window.buffer.borrowedSpan, from: window.start)
        blankLength = 0
        let isOpen = blank.length + blank.rest == window.count
        if isOpen, window.isAtEnd, 1...limit ~= blank.rest {
            // The last line of a source needs no line feed.
            blank = (window.count, blank.count + 1, 0)
        }
        if blank.count > 0 {
            var record = record(at: window)
            (record.count, record.isContinuation) = (blank.count, isInBlankRun)
            batch.append(record)
            isInBlankRun = true
            number += blank.count
            window.consume(blank.length)
            blankLength = isOpen ? blank.rest : 0
            return true
        }
        if isOpen, !window.isAtEnd, blank.rest <= limit {
            blankLength = blank.rest
            return nil
        }
        isInBlankRun = false
        return false
    }

    /// The blank lines from the index `start` on: their length in bytes, their number, and the length of the
    /// white space after the last. A line longer than `limit` is not blank.
    private func blankLines(
        _ bytes: Span<UInt8>,
        from start: Int
    ) -> (length: Int, count: Int, rest: Int) {
        var (index, line, count) = (start + blankLength, start, 0)
        while index < bytes.count, index - line <= limit,
            bytes[index] == 0x20 || 0x09...0x0D ~= bytes[index]
        {
            index += 1
            if bytes[index - 1] == UInt8(ascii: "\n") { (line, count) = (index, count + 1) }
        }
        return (line - start, count, index - line)
    }

    /// The index in the buffer of the record's line feed; nil if the first `visible` bytes do not have it, or
    /// if ``RecordScanner/isMisquoted`` holds.
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

    /// Ends at its first line a record whose quote is not closed in the searched bytes, or is misplaced
    /// (``RecordScanner/isMisquoted``).
    /// Appends the record with the fault `unclosedQuote`, so that the lines after it are read as records.
    ///
    /// - Parameter length: the number of bytes of the record that were searched.
    /// - Returns: true; false, without any effect, if these bytes have no line feed.
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
            // Otherwise this search was continued from the offset that is known.
            unclosedEnd = window.offset + scanner.misquotedIndex - window.start
            unclosedScanner = scanner
        }
        append(&window, end - window.start, .unclosedQuote, &batch)
        window.consume(1)
        scanned = 0
        scanner = RecordScanner(separator: origin.layout.quotingSeparator)
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

    /// A record with the number of the next record, with the offset of the window's first byte, and
    /// without bytes.
    private func record(at window: ByteWindow) -> RecordBatch.Record {
        RecordBatch.Record(origin: origin, number: number, offset: firstOffset + window.offset)
    }

    /// Appends the next bytes as a record and consumes them. A record with a fault keeps no bytes.
    ///
    /// - Parameter prefix: the number of bytes before the `length` bytes of the record, also consumed.
    private mutating func append(
        _ window: inout ByteWindow,
        after prefix: Int = 0,
        _ length: Int,
        _ fault: Refusal.Code?,
        _ batch: inout RecordBatch
    ) {
        var record = record(at: window)
        record.fault = fault
        if fault == nil {
            record.buffer = window.buffer
            record.range = (window.start + prefix)..<(window.start + prefix + length)
        }
        batch.append(record)
        number += 1
        window.consume(prefix + length)
    }

    // MARK: Binary

    private mutating func readFile(_ window: inout ByteWindow, into batch: inout RecordBatch) {
        let isTooLarge = window.count > limit
        guard window.isAtEnd || isTooLarge else { return }
        while !isTooLarge, let length = lengthOfBlock(window) {
            append(&window, length, nil, &batch)
            guard !batch.isFull else { return }
        }
        append(&window, window.count, isTooLarge ? .inputTooLarge : nil, &batch)
        isAtEnd = true
    }

    /// The number of bytes before the second block of PEM in the window; nil if there is none, or the window
    /// is a container. Each block of a file in PEM is a record, whether it is closed or not.
    private func lengthOfBlock(_ window: ByteWindow) -> Int? {
        let bytes = window.buffer.borrowedSpan
        let rest = window.start..<bytes.count
        guard !ReceiptInput.isContainer(bytes.extracting(rest)),
            let first = PEM.beginning(in: bytes, rest),
            let next = PEM.beginning(in: bytes, (first + 1)..<bytes.count)
        else { return nil }
        return next - window.start
    }

    /// The number of bytes still to skip of a record that is too large, in the format `lengthPrefixed`.
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
                append(&window, after: 4, length, nil, &batch)
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
