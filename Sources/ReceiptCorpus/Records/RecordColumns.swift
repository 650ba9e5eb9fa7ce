import Bytes
import DER

/// A field of a table row, with its quotes and escapes removed.
package struct RecordColumn {
    /// The column's index from 0.
    package let index: Int
    /// The field as it stands in the buffer, with quotes and escapes.
    package let range: Range<Int>
    /// Nil for null.
    package let value: [UInt8]?
}

/// Splits a table row into its fields.
package enum RecordColumns {
    /// Decodes all columns. Suitable for a header, whose size is bounded.
    package static func read(
        _ bytes: ArraySlice<UInt8>,
        _ layout: RecordLayout
    ) throws(Refusal) -> [[UInt8]?] {
        try read(bytes, layout, wanted: nil).map(\.value)
    }

    /// Decodes some columns, and checks the syntax of all.
    ///
    /// Memory is proportional to the wanted columns. A record of 16 MiB may have 16 million empty columns.
    ///
    /// - Parameter wanted: the indices of the columns to decode; nil for all.
    package static func read(
        _ bytes: ArraySlice<UInt8>,
        _ layout: RecordLayout,
        wanted: [Int]?
    ) throws(Refusal) -> [RecordColumn] {
        guard let separator = layout.columnSeparator else { return [] }
        let line = bytes.withoutLineEnd
        guard layout.quotingSeparator == nil else { return try quoted(line, separator, wanted) }
        try refuseCarriageReturn(line, in: line)
        var columns: [RecordColumn] = []
        var (index, start) = (0, line.startIndex)
        let span = line.borrowedSpan
        while true {
            let end = end(ofFieldAt: start - line.startIndex, in: span, separator, layout.format)
            if wanted?.contains(index) ?? true {
                let field = line[start..<(end.map { line.startIndex + $0 } ?? line.endIndex)]
                let value = layout.format == .pgcopy ? postgres(field) : unquoted(field)
                columns.append(RecordColumn(index: index, range: field.indices, value: value))
            }
            guard let end else { return columns }
            start = line.startIndex + end + 1
            index += 1
        }
    }

    /// The index of the separator after a field; nil if the field is the last. COPY puts a backslash before a
    /// separator that belongs to a value.
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
            // Of an even number of backslashes each second one stands for itself.
            guard (index - first) % 2 == 1 else { return index }
            place = index + 1
        }
        return nil
    }

    /// Splits a row of CSV (RFC 4180 §2). A quote inside an unquoted field stands for itself.
    private static func quoted(
        _ line: ArraySlice<UInt8>,
        _ separator: UInt8,
        _ wanted: [Int]?
    ) throws(Refusal) -> [RecordColumn] {
        let quote = UInt8(ascii: "\"")
        var columns: [RecordColumn] = []
        var index = 0
        var rest = line
        while true {
            let isWanted = wanted?.contains(index) ?? true
            let start = rest.startIndex
            var field: [UInt8] = []
            while rest.first == quote {
                let opening = rest.startIndex
                let closing = rest.borrowedSpan.firstIndex(of: quote, in: 1..<rest.count)
                guard let closing = closing.map({ opening + $0 }) else {
                    throw Refusal(.unclosedQuote, at: opening - line.startIndex, reading: "field")
                }
                if isWanted { field += rest[(opening + 1)..<closing] }
                rest = rest[(closing + 1)...]
                // Two quotes stand for one.
                if isWanted, rest.first == quote { field.append(quote) }
            }
            let end = rest.borrowedSpan.firstIndex(of: separator, in: 0..<rest.count)
                .map { rest.startIndex + $0 }
            try refuseCarriageReturn(rest[..<(end ?? rest.endIndex)], in: line)
            if isWanted {
                field += rest[..<(end ?? rest.endIndex)]
                let range = start..<(end ?? rest.endIndex)
                columns.append(RecordColumn(index: index, range: range, value: field))
            }
            guard let end else { return columns }
            rest = rest[(end + 1)...]
            index += 1
        }
    }

    /// Refuses a carriage return outside of quotes.
    private static func refuseCarriageReturn(
        _ part: ArraySlice<UInt8>,
        in line: ArraySlice<UInt8>
    ) throws(Refusal) {
        if let index = part.borrowedSpan.firstIndex(of: UInt8(ascii: "\r"), in: 0..<part.count) {
            throw Refusal(.carriageReturn, at: part.startIndex + index - line.startIndex, reading: "field")
        }
    }

    /// Removes the quotes around a field, and one of each two inner quotes. Returns a field unchanged if it
    /// has no quotes around it, or an inner quote that is not doubled.
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

    /// Removes the escapes of a field (PostgreSQL, COPY, "Text Format"). Returns nil for null.
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

    /// The byte that an escape stands for.
    ///
    /// - Parameter rest: the bytes after the escape's letter. Digits of the escape are consumed.
    private static func postgresEscape(_ escape: UInt8, _ rest: inout ArraySlice<UInt8>) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "v"): return 0x0B
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            var value = UInt(escape - UInt8(ascii: "0"))
            for _ in 0..<2 {
                guard let next = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(next) else {
                    break
                }
                value = value << 3 | UInt(next - UInt8(ascii: "0"))
                rest.removeFirst()
            }
            return UInt8(truncatingIfNeeded: value)
        case UInt8(ascii: "x") where rest.first.flatMap(Hexadecimal.value) != nil:
            var value: UInt8 = 0
            for _ in 0..<2 {
                guard let digit = rest.first.flatMap(Hexadecimal.value) else { break }
                value = value << 4 | digit
                rest.removeFirst()
            }
            return value
        default: return escape
        }
    }
}

extension ArraySlice<UInt8> {
    /// The line without a carriage return at its end.
    var withoutLineEnd: ArraySlice<UInt8> { last == UInt8(ascii: "\r") ? dropLast() : self }
}
