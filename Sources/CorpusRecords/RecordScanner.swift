import DER

/// Where a record of text ends, found piece by piece.
package struct RecordScanner {
    /// Where in a record with columns the scanner stands (RFC 4180 §2).
    private enum State {
        case fieldStart
        case plain
        case quoted
        /// After a quote inside of quotes: the end of the field, or the first of two that stand for one.
        case quoteInQuoted
    }

    /// Between columns; nil where a line is a record whatever it holds.
    private let separator: UInt8?
    private var state = State.fieldStart

    /// - Parameter separator: of columns that may be quoted, with line breaks in them.
    package init(separator: UInt8?) { self.separator = separator }

    /// Whether a quote was opened and not closed.
    var isInsideQuotes: Bool { state == .quoted }

    /// The index of the line feed that ends the record; nil if it is not among these bytes, and the next ones
    /// continue the same record.
    package mutating func end(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        let span = bytes.span
        let lineFeed = UInt8(ascii: "\n")
        guard let separator else {
            return span.firstIndex(of: lineFeed, in: range)
        }
        let quote = UInt8(ascii: "\"")
        var index = range.lowerBound
        while index < range.upperBound {
            switch state {
            case .quoted:
                guard let end = span.firstIndex(of: quote, in: index..<range.upperBound) else { return nil }
                state = .quoteInQuoted
                index = end + 1
            case .quoteInQuoted where span[index] == quote, .fieldStart where span[index] == quote:
                state = .quoted
                index += 1
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
