import Basics

/// Finds the line feed that ends a text record, in bytes that arrive in pieces.
package struct RecordScanner {
    /// The scanner's position in a record with columns (RFC 4180 §2).
    private enum State {
        case fieldStart
        case plain
        case quoted
        /// After a quote inside quotes. The quote ends the field, or is the first of two that stand for one.
        case quoteInQuoted
        /// After a quoted field of several lines if a visible character that is no separator directly
        /// follows the closing quote.
        case misquoted
    }

    private let separator: UInt8?
    private var state = State.fieldStart
    /// Whether the latest quoted field holds a line feed so far.
    private var spansLines = false
    /// The index, in the bytes passed to ``end(in:_:)``, of the byte that made ``isMisquoted`` true.
    private(set) var misquotedIndex = 0

    /// Creates a scanner at the start of a record.
    ///
    /// - Parameter separator: the byte between columns of CSV, whose quoted columns may hold line breaks; nil
    ///   if every line is a record.
    package init(separator: UInt8?) { self.separator = separator }

    /// Whether the bytes so far end inside a quoted field. False directly after a quote that closes the
    /// field, or is the first of two that stand for one.
    var isInsideQuotes: Bool { state == .quoted }
    /// Whether the bytes so far hold a quoted field of several lines that a visible character other than a
    /// separator directly follows. Its first quote is then taken for a stray one: a quote that is not
    /// closed would otherwise extend the record up to the next quote.
    var isMisquoted: Bool { state == .misquoted }

    /// Finds the line feed that ends the record.
    ///
    /// - Returns: the line feed's index, or nil if the record continues after these bytes. Then pass the
    ///   bytes that follow to the next call. Nil also if ``isMisquoted`` holds.
    package mutating func end(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        let span = bytes.borrowedSpan
        let lineFeed = UInt8(ascii: "\n")
        guard let separator else {
            return span.firstIndex(of: lineFeed, in: range)
        }
        let quote = UInt8(ascii: "\"")
        var index = range.lowerBound
        while index < range.upperBound {
            switch state {
            case .quoted:
                let end = span.firstIndex(of: quote, in: index..<range.upperBound)
                let part = index..<(end ?? range.upperBound)
                spansLines = spansLines || span.firstIndex(of: lineFeed, in: part) != nil
                guard let end else { return nil }
                state = .quoteInQuoted
                index = end + 1
            case .quoteInQuoted where span[index] == quote:
                state = .quoted
                index += 1
            case .fieldStart where span[index] == quote:
                (state, spansLines) = (.quoted, false)
                index += 1
            case .quoteInQuoted where spansLines && span[index] > 0x20 && span[index] != separator:
                (state, misquotedIndex) = (.misquoted, index)
            case .misquoted: return nil
            default:
                let end = span.firstIndex(in: index..<range.upperBound) {
                    min($0 ^ lineFeed, $0 ^ separator)
                }
                state = end == nil ? .plain : .fieldStart
                guard let end, span[end] != lineFeed else { return end }
                index = end + 1
            }
        }
        return nil
    }
}
