/// Where a record of text ends, found piece by piece.
struct RecordScanner {
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
    init(separator: UInt8?) { self.separator = separator }

    /// Whether a quote was opened and not closed.
    var isInsideQuotes: Bool { state == .quoted }

    /// The index of the line feed that ends the record; nil if it is not among these bytes, and the next ones
    /// continue the same record.
    mutating func end(in bytes: [UInt8], from start: Int) -> Int? {
        let span = bytes.span
        let lineFeed = UInt8(ascii: "\n")
        guard let separator else {
            for index in start..<span.count where span[index] == lineFeed { return index }
            return nil
        }
        var state = state
        defer { self.state = state }
        for index in start..<span.count {
            let byte = span[index]
            switch state {
            case .quoted:
                if byte == UInt8(ascii: "\"") { state = .quoteInQuoted }
            case .quoteInQuoted where byte == UInt8(ascii: "\""),
                .fieldStart where byte == UInt8(ascii: "\""):
                state = .quoted
            default:
                if byte == lineFeed {
                    state = .fieldStart
                    return index
                }
                state = byte == separator ? .fieldStart : .plain
            }
        }
        return nil
    }
}
