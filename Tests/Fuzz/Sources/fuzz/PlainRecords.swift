import AppReceipt
import Basics
import DER
import ReceiptCorpus

/// A record that was cut by plain rules.
struct PlainRecord: Equatable {
    let number: Int
    /// The offset of the record's first byte in the source.
    let offset: Int
    let bytes: [UInt8]
    /// The published name of the record's fault; nil if the record can be judged.
    let fault: String?
    /// The number of lines: more than 1 for a run of blank lines.
    var count = 1

    func with(count: Int) -> PlainRecord {
        var record = self
        record.count = count
        return record
    }
}

/// Cuts a whole source by plain rules: each record is searched for from its beginning, byte by byte.
func plainRecords(_ source: [UInt8], _ format: CorpusFormat, limit: Int) -> [PlainRecord] {
    switch format {
    case .file: plainFile(source, limit: limit)
    case .lengthPrefixed: plainPrefixed(source, limit: limit)
    default: plainLines(source, format, limit: limit)
    }
}

private func plainFile(_ source: [UInt8], limit: Int) -> [PlainRecord] {
    guard source.count <= limit else {
        return [PlainRecord(number: 1, offset: 0, bytes: [], fault: "der.input-too-large")]
    }
    // Each block of PEM after the first begins a record. Another target checks what a container is.
    let isContainer = ReceiptInput.isContainer(source.borrowedSpan)
    let starts: [Int] = [0] + (isContainer ? [] : plainBlocks(source).dropFirst())
    return zip(starts, starts.dropFirst() + [source.count]).enumerated().map { index, part in
        PlainRecord(number: index + 1, offset: part.0, bytes: Array(source[part.0..<part.1]), fault: nil)
    }
}

/// The offsets of the lines that begin a block of PEM (RFC 7468 §3): `-----BEGIN `, a label that may be
/// empty, and five dashes. Spaces and tabs may follow. The first 128 bytes of a line decide.
private func plainBlocks(_ source: [UInt8]) -> [Int] {
    let beginning = Array("-----BEGIN ".utf8)
    return source.indices.filter { start in
        guard start == 0 || source[start - 1] == 0x0A || source[start - 1] == 0x0D else { return false }
        var line = Array(source[start...].prefix(128).prefix { $0 != 0x0A && $0 != 0x0D })
        while line.last == 0x20 || line.last == 0x09 { line.removeLast() }
        return line.count >= 16 && line.starts(with: beginning) && line.suffix(5).allSatisfy { $0 == 0x2D }
    }
}

private func plainPrefixed(_ source: [UInt8], limit: Int) -> [PlainRecord] {
    var records: [PlainRecord] = []
    var offset = 0
    while offset < source.count {
        let rest = source[offset...]
        var (bytes, fault): ([UInt8], String?) = ([], "record.truncated")
        var end = source.count
        if rest.count >= 4 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            if length > limit {
                fault = "der.input-too-large"
                end = min(offset + 4 + length, source.count)
            } else if length <= rest.count - 4 {
                end = offset + 4 + length
                (bytes, fault) = (Array(source[(offset + 4)..<end]), nil)
            }
        }
        records.append(PlainRecord(number: records.count + 1, offset: offset, bytes: bytes, fault: fault))
        offset = end
    }
    return records
}

/// The position of a byte in columns that may be quoted (RFC 4180 §2).
private enum Place {
    case fieldStart, plain, quoted, quoteInQuoted

    mutating func pass(_ byte: UInt8, _ separator: UInt8?) {
        switch (self, byte) {
        case (_, _) where separator == nil: break
        case (.fieldStart, UInt8(ascii: "\"")), (.quoteInQuoted, UInt8(ascii: "\"")): self = .quoted
        case (.quoted, UInt8(ascii: "\"")): self = .quoteInQuoted
        case (.quoted, _): break
        default: self = byte == separator ? .fieldStart : .plain
        }
    }
}

private func plainLines(_ source: [UInt8], _ format: CorpusFormat, limit: Int) -> [PlainRecord] {
    let separator: UInt8? = format == .csv ? UInt8(ascii: ",") : nil
    var records: [PlainRecord] = []
    var (offset, number) = (0, 1)
    var isInBlankRun = false
    /// The first line feed outside of quotes. There is none if a quote is not closed, or is closed in another
    /// line and in the middle of a field.
    func lineFeed(from start: Int, to end: Int) -> (index: Int?, isUnclosed: Bool) {
        var (place, opening) = (Place.fieldStart, start)
        for index in start..<end {
            let (byte, before) = (source[index], place)
            if byte == 0x0A, before != .quoted { return (index, false) }
            place.pass(byte, separator)
            if before == .fieldStart, place == .quoted { opening = index }
            let isMiddle = before == .quoteInQuoted && place == .plain && byte > 0x20
            if isMiddle, source[opening..<index].contains(0x0A) { return (nil, true) }
        }
        return (nil, place == .quoted)
    }
    while offset < source.count {
        let visible = min(offset + limit + 1, source.count)
        let (lineEnd, isUnclosed) = lineFeed(from: offset, to: visible)
        var (end, fault): (Int?, String?) = (lineEnd, nil)
        var next = end.map { $0 + 1 } ?? source.count
        if isUnclosed, let first = source[offset..<visible].firstIndex(of: 0x0A) {
            (end, next, fault) = (first, first + 1, "record.unclosed-quote")
        } else if end == nil, visible - offset > limit {
            fault = "der.input-too-large"
            // The next line feed ends the record, even inside quotes.
            next = source[visible...].firstIndex(of: 0x0A).map { $0 + 1 } ?? source.count
        }
        let line = Array(source[offset..<(end ?? source.count)])
        if format == .pgcopy, line == Array("\\.".utf8) || line == Array("\\.\r".utf8) { return records }
        let isBlank = fault == nil && line.allSatisfy { $0 == 0x20 || 0x09...0x0D ~= $0 }
        if isBlank, isInBlankRun, let last = records.popLast() {
            records.append(last.with(count: last.count + 1))
        } else {
            let bytes = fault == nil && !isBlank ? line : []
            records.append(PlainRecord(number: number, offset: offset, bytes: bytes, fault: fault))
        }
        isInBlankRun = isBlank
        number += 1
        offset = next
    }
    return records
}

/// The columns of a record, or nil if a quote is not closed or a carriage return is outside of quotes.
func plainColumns(_ record: [UInt8], _ format: CorpusFormat) -> [[UInt8]?]? {
    let line = record.last == 0x0D ? record.dropLast() : record
    guard format == .csv || !line.contains(0x0D) else { return nil }
    guard format != .pgcopy else {
        var columns: [[UInt8]] = [[]]
        // Whether the byte follows a backslash that no other escapes.
        var isEscaped = false
        for byte in line {
            if byte == 0x09, !isEscaped {
                columns.append([])
            } else {
                columns[columns.count - 1].append(byte)
            }
            isEscaped = byte == 0x5C && !isEscaped
        }
        return columns.map(plainPostgres)
    }
    guard format != .tsv else {
        return line.split(separator: 0x09, omittingEmptySubsequences: false).map { plainUnquoted(Array($0)) }
    }
    let separator = UInt8(ascii: ",")
    var columns: [[UInt8]] = [[]]
    var place = Place.fieldStart
    for byte in line {
        let before = place
        place.pass(byte, separator)
        guard byte != 0x0D || before == .quoted else { return nil }
        switch (before, place) {
        // The second of two quotes inside quotes stands for one quote.
        case (.quoteInQuoted, .quoted): columns[columns.count - 1].append(byte)
        case (_, .quoteInQuoted), (.fieldStart, .quoted): break
        case (_, .fieldStart): columns.append([])
        default: columns[columns.count - 1].append(byte)
        }
    }
    return place == .quoted ? nil : columns
}

/// A column of tab-separated values. Quotes around the whole column are removed if inner quotes are doubled.
private func plainUnquoted(_ field: [UInt8]) -> [UInt8] {
    guard field.count >= 2, field.first == 0x22, field.last == 0x22 else { return field }
    let runs = field.dropFirst().dropLast().split(separator: 0x22, omittingEmptySubsequences: false)
    // The text between the two quotes of a pair is empty.
    guard runs.count % 2 == 1, stride(from: 1, to: runs.count, by: 2).allSatisfy({ runs[$0].isEmpty }) else {
        return field
    }
    return Array(stride(from: 0, to: runs.count, by: 2).map { Array(runs[$0]) }.joined(separator: [0x22]))
}

/// A column as COPY writes it; nil for null.
private func plainPostgres(_ column: [UInt8]) -> [UInt8]? {
    if column == Array("\\N".utf8) { return nil }
    let letters: [Character: UInt8] = ["b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11]
    var bytes: [UInt8] = []
    var index = 0
    /// Reads digits, at most `count`.
    func number(radix: Int, atMost count: Int) -> UInt8? {
        var digits = ""
        while digits.utf8.count < count, index < column.count, column[index] < 0x80,
            let digit = Character(UnicodeScalar(column[index])).hexDigitValue, digit < radix
        {
            digits.append(Character(UnicodeScalar(column[index])))
            index += 1
        }
        return Int(digits, radix: radix).map { UInt8(truncatingIfNeeded: $0) }
    }
    while index < column.count {
        let byte = column[index]
        index += 1
        guard byte == UInt8(ascii: "\\"), index < column.count else {
            bytes.append(byte)
            continue
        }
        if let octal = number(radix: 8, atMost: 3) {
            bytes.append(octal)
            continue
        }
        let escape = column[index]
        index += 1
        if escape == UInt8(ascii: "x"), let hexadecimal = number(radix: 16, atMost: 2) {
            bytes.append(hexadecimal)
        } else {
            bytes.append(letters[Character(UnicodeScalar(escape))] ?? escape)
        }
    }
    return bytes
}
