import Bytes
import DER

/// Finds the end of a text record piece by piece.
package struct RecordScanner {
    /// The scanner's position in a record with columns (RFC 4180 §2).
    private enum State {
        case fieldStart
        case plain
        case quoted
        /// After a quote inside quotes. The quote ends the field, or is the first of two that stand for one.
        case quoteInQuoted
    }

    /// The byte between columns that may be quoted; nil if every line is a record.
    private let separator: UInt8?
    private var state = State.fieldStart

    /// - Parameter separator: the byte between columns that may be quoted and may hold line breaks; nil if
    ///   every line is a record.
    package init(separator: UInt8?) { self.separator = separator }

    /// Whether the bytes so far end inside a quoted field.
    var isInsideQuotes: Bool { state == .quoted }

    /// Finds the line feed that ends the record.
    ///
    /// - Returns: the line feed's index, or nil if the record continues after these bytes. Then pass the
    ///   bytes that follow to the next call.
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
