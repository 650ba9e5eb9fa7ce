import DER

/// The columns of a record, out of their quotes and escapes. Nil stands for null.
package enum RecordColumns {
    package static func read(
        _ bytes: ArraySlice<UInt8>,
        _ format: CorpusFormat
    ) throws(Refusal) -> [[UInt8]?] {
        guard let separator = format.columnSeparator else { return [] }
        let line = bytes.withoutLineEnd
        guard format.quotingSeparator == nil else { return try quoted(line, separator) }
        try refuseCarriageReturn(line, in: line)
        let fields = line.split(separator: separator, omittingEmptySubsequences: false)
        return fields.map { format == .pgcopy ? postgres($0) : unquoted($0) }
    }

    /// RFC 4180 §2. A quote inside a field that does not begin with one stands for itself.
    private static func quoted(_ line: ArraySlice<UInt8>, _ separator: UInt8) throws(Refusal) -> [[UInt8]?] {
        let quote = UInt8(ascii: "\"")
        var columns: [[UInt8]?] = []
        var rest = line
        while true {
            var field: [UInt8] = []
            while rest.first == quote {
                let opening = rest.startIndex
                let closing = rest.span.firstIndex(of: quote, in: 1..<rest.count)
                guard let closing = closing.map({ opening + $0 }) else {
                    throw Refusal(.unclosedQuote, at: opening - line.startIndex, reading: "field")
                }
                field += rest[(opening + 1)..<closing]
                rest = rest[(closing + 1)...]
                // Two quotes stand for one.
                if rest.first == quote { field.append(quote) }
            }
            let end = rest.firstIndex(of: separator) ?? rest.endIndex
            try refuseCarriageReturn(rest[..<end], in: line)
            field += rest[..<end]
            columns.append(field)
            guard end < rest.endIndex else { return columns }
            rest = rest[(end + 1)...]
        }
    }

    /// Outside of quotes no field holds one.
    private static func refuseCarriageReturn(
        _ part: ArraySlice<UInt8>,
        in line: ArraySlice<UInt8>
    ) throws(Refusal) {
        if let index = part.span.firstIndex(of: UInt8(ascii: "\r"), in: 0..<part.count) {
            throw Refusal(.carriageReturn, at: part.startIndex + index - line.startIndex, reading: "field")
        }
    }

    /// A field without the quotes around it, those inside of which are doubled; as it is where it has none.
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

    /// PostgreSQL, COPY, "Text Format".
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
            switch escape {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "v"): bytes.append(0x0B)
            case UInt8(ascii: "0")...UInt8(ascii: "7"):
                var value = UInt(escape - UInt8(ascii: "0"))
                for _ in 0..<2 {
                    guard let next = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(next) else {
                        break
                    }
                    value = value << 3 | UInt(next - UInt8(ascii: "0"))
                    rest.removeFirst()
                }
                bytes.append(UInt8(truncatingIfNeeded: value))
            case UInt8(ascii: "x") where rest.first?.isHexadecimalDigit ?? false:
                var value: UInt8 = 0
                for _ in 0..<2 {
                    guard let digit = rest.first?.hexadecimalValue else { break }
                    value = value << 4 | digit
                    rest.removeFirst()
                }
                bytes.append(value)
            default: bytes.append(escape)
            }
        }
        return bytes
    }
}

extension ArraySlice<UInt8> {
    /// Without the carriage return that stood before the line feed.
    var withoutLineEnd: ArraySlice<UInt8> { last == UInt8(ascii: "\r") ? dropLast() : self }
}
