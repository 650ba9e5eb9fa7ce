import Basics

/// A field of a table row: its place in the buffer, and its decoded value.
package struct RecordColumn {
    /// The column's index from 0.
    package let index: Int
    /// The range of the field in the buffer of the row, with its quotes and escapes.
    package let range: Range<Int>
    /// The decoded value: of CSV and TSV without the quotes around it, of PostgreSQL's COPY without escapes.
    /// Nil for null, which only COPY has.
    package let value: [UInt8]?
}

/// Splits a table row into its fields.
package enum RecordColumns {
    /// Returns the wanted columns that a row has, and checks the syntax of all columns. One carriage return
    /// at the row's end is ignored. Throws `Refusal` for any other carriage return, unless it is quoted in
    /// CSV, and in CSV for an unclosed quote. The offset counts from the row's start.
    ///
    /// - Parameter wanted: the indices of the columns to decode, in ascending order; nil for all. Memory is
    ///   proportional to the returned columns. A record of 16 MiB may have 16 million empty columns.
    package static func read(
        _ bytes: ArraySlice<UInt8>,
        _ layout: RecordLayout,
        wanted: [Int]? = nil
    ) throws(Refusal) -> [RecordColumn] {
        guard let separator = layout.columnSeparator else { return [] }
        let line = bytes.withoutLineEnd
        let hasQuotes = layout.quotingSeparator != nil
        if !hasQuotes { try refuseCarriageReturn(line, in: line) }
        var columns: [RecordColumn] = []
        var (index, start) = (0, line.startIndex)
        let span = line.borrowedSpan
        while true {
            let isWanted = isWanted(index, among: wanted, after: columns)
            var (end, value): (Int?, [UInt8]?)
            if hasQuotes {
                (end, value) = try quoted(line[start...], of: line, separator, isWanted)
            } else {
                end = Self.end(ofFieldAt: start - line.startIndex, in: span, separator, layout.format)
                    .map { line.startIndex + $0 }
            }
            let range = start..<(end ?? line.endIndex)
            if isWanted {
                if layout.format == .pgcopy { value = postgres(line[range]) }
                if layout.format == .tsv { value = unquoted(line[range]) }
                columns.append(RecordColumn(index: index, range: range, value: value))
            }
            guard let end else { return columns }
            (index, start) = (index + 1, end + 1)
        }
    }

    /// Whether a column is among `wanted`, where nil means all. The wanted ones before it are in `columns`.
    private static func isWanted(_ index: Int, among wanted: [Int]?, after columns: [RecordColumn]) -> Bool {
        guard let wanted else { return true }
        return columns.count < wanted.count && wanted[columns.count] == index
    }

    /// The index in `line` of the separator after a field; nil if the field is the last. In the format COPY,
    /// a separator after an odd number of backslashes belongs to the value.
    private static func end(
        ofFieldAt start: Int,
        in line: Span<UInt8>,
        _ separator: UInt8,
        _ format: CorpusFormat
    ) -> Int? {
        var place = start
        while let index = line.firstIndex(of: separator, in: place..<line.count) {
            var first = index
            while format == .pgcopy, first > start, line[first - 1] == UInt8(ascii: "\\") { first -= 1 }
            // An even number of backslashes stands for half as many, and the separator ends the field.
            guard (index - first) % 2 == 1 else { return index }
            place = index + 1
        }
        return nil
    }

    /// Reads the first field in the rest of a row of CSV (RFC 4180 §2), where a quote inside an unquoted
    /// field stands for itself. Throws for an unclosed quote or an unquoted carriage return.
    ///
    /// - Returns: the index of the separator after the field, nil after the last; and the value, empty for a
    ///   field that is not wanted.
    private static func quoted(
        _ rest: ArraySlice<UInt8>,
        of line: ArraySlice<UInt8>,
        _ separator: UInt8,
        _ isWanted: Bool
    ) throws(Refusal) -> (end: Int?, value: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        var (rest, value) = (rest, [UInt8]())
        while rest.first == quote {
            let opening = rest.startIndex
            let closing = rest.borrowedSpan.firstIndex(of: quote, in: 1..<rest.count)
            guard let closing = closing.map({ opening + $0 }) else {
                throw Refusal(.unclosedQuote, at: opening - line.startIndex, reading: "field")
            }
            if isWanted { value += rest[(opening + 1)..<closing] }
            rest = rest[(closing + 1)...]
            // Two quotes stand for one.
            if isWanted, rest.first == quote { value.append(quote) }
        }
        let end = rest.borrowedSpan.firstIndex(of: separator, in: 0..<rest.count).map { rest.startIndex + $0 }
        let unquoted = rest[..<(end ?? rest.endIndex)]
        try refuseCarriageReturn(unquoted, in: line)
        if isWanted { value += unquoted }
        return (end, value)
    }

    /// Throws `Refusal` if `part` holds a carriage return. The offset counts from the start of `line`.
    private static func refuseCarriageReturn(
        _ part: ArraySlice<UInt8>,
        in line: ArraySlice<UInt8>
    ) throws(Refusal) {
        if let index = part.borrowedSpan.firstIndex(of: UInt8(ascii: "\r"), in: 0..<part.count) {
            throw Refusal(.carriageReturn, at: part.startIndex + index - line.startIndex, reading: "field")
        }
    }

    /// Removes the quotes around a field, and one of each two inner quotes. Returns a field unchanged if it
    /// has no quotes around it, or if it has an inner quote that is not doubled.
    private static func unquoted(_ field: ArraySlice<UInt8>) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        guard field.count >= 2, field.first == quote, field.last == quote else { return Array(field) }
        var bytes: [UInt8] = []
        var rest = field.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            bytes.append(byte)
            guard byte != quote || rest.popFirst() == quote else { return Array(field) }
        }
        return bytes
    }

    /// Decodes the escapes of a field (PostgreSQL, COPY, "Text Format"). Returns nil for null.
    private static func postgres(_ field: ArraySlice<UInt8>) -> [UInt8]? {
        let backslash = UInt8(ascii: "\\")
        if field.elementsEqual("\\N".utf8) { return nil }
        guard field.contains(backslash) else { return Array(field) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(field.count)
        var rest = field
        while let byte = rest.popFirst() {
            guard byte == backslash, let escape = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            bytes.append(postgresEscape(escape, &rest))
        }
        return bytes
    }

    /// The byte that a backslash and the byte `escape` stand for; `escape` itself if it is no known escape.
    ///
    /// - Parameter rest: the bytes after `escape`. Octal or hexadecimal digits of the escape are removed.
    private static func postgresEscape(_ escape: UInt8, _ rest: inout ArraySlice<UInt8>) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "v"): return 0x0B
        default: break
        }
        let isOctal = (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(escape)
        guard isOctal || escape == UInt8(ascii: "x") && rest.first.flatMap(Hexadecimal.value) != nil else {
            return escape
        }
        var value = isOctal ? UInt(escape - UInt8(ascii: "0")) : 0
        for _ in 0..<2 {
            guard let digit = rest.first.flatMap(Hexadecimal.value), !isOctal || digit < 8 else { break }
            value = value << (isOctal ? 3 : 4) | UInt(digit)
            rest.removeFirst()
        }
        return UInt8(truncatingIfNeeded: value)
    }
}

extension ArraySlice<UInt8> {
    /// The line without a carriage return at its end.
    var withoutLineEnd: ArraySlice<UInt8> { last == UInt8(ascii: "\r") ? dropLast() : self }
}
