import AppReceipt
import AppReceiptMint
import Basics
import DER
import JSONText
import ReceiptCorpus
import ReceiptResults

/// Cuts and decodes the records of a corpus in any format.
///
/// The records must not depend on how the bytes arrive or where a run goes on. They must equal the records of
/// ``plainRecords(_:_:limit:)``, and their fields equal the results of a plain decoder.
///
/// The first byte of the input is the format, the second the limit of a record and the wanted fields, and the
/// third the size of the pieces. The rest is the source.
func fuzzCorpus(_ input: [UInt8]) {
    guard input.count >= 3 else { return }
    let source = Array(input.dropFirst(3))
    let format = CorpusFormat.allCases[Int(input[0] & 7)]
    _ = CorpusFormat.guess(name: "", beginning: source[...])
    _ = ForeignFormat.recognise(source[...])
    // The check takes long, so few inputs ask for it.
    if input[0] >= 0xF8, input[1] == 0xFF { return checkTime(source, format) }

    let limits = [2 * Limits.standard.inputBytes, 5, 64, 600]
    var stream = PieceStream(source, format, limit: limits[Int(input[1] & 3)], seed: input[2])
    let whole = cut(source, format, limit: stream.limit)
    require(whole == plainRecords(source, format, limit: stream.limit), "records are what plain rules cut")
    let pieces = stream.readAll()
    require(pieces == whole, "records are the same in pieces")
    if let place = stream.places.randomElement(using: &stream.generator) {
        let rest = stream.goOn(from: place)
        require(rest == whole.filter { $0.number >= place.number }, "going on at \(place) is going on")
    }
    if let header = whole.first, header.fault == nil { checkHeader(header.bytes, format) }
    for record in whole where record.fault == nil {
        checkContents(record.bytes, format, wanted: input[1] >> 2)
    }
}

/// The policy for records without expectations.
private let policy = ReceiptPolicy(environments: .any, bundleIdentifier: .any, acceleration: acceleration)

/// The facts about a source in which every field of ``fieldNames`` is wanted.
private func origin(_ format: CorpusFormat) -> RecordOrigin {
    var fields = RecordFields()
    fields.kept = fieldNames
    return RecordOrigin(source: "", layout: RecordLayout(format), fields: fields)
}

/// The fields that are looked up in every record.
private let fieldNames = (RecordFields.usualNames.map(\.text) + ["1", "2", "3", "a.b", "a.b.c", ".", ""]).map
{
    FieldName($0)
}

/// The records of a source that arrives in one piece.
private func cut(_ source: [UInt8], _ format: CorpusFormat, limit: Int) -> [PlainRecord] {
    let origin = origin(format)
    var cutter = RecordCutter(origin, limit: limit)
    var window = ByteWindow()
    window.append(source)
    if !source.isEmpty { window.append([]) }
    var records: [PlainRecord] = []
    while !cutter.isAtEnd {
        var batch = RecordBatch()
        let offset = window.offset
        cutter.cut(&window, into: &batch)
        require(batch.isFull || cutter.isAtEnd, "all that is there is cut")
        require(window.offset > offset || cutter.isAtEnd, "a full batch is some way")
        append(batch, to: &records)
    }
    return records
}

/// Appends the records of a batch. A run of blank lines that began in an earlier batch is joined.
private func append(_ batch: RecordBatch, to records: inout [PlainRecord]) {
    for record in batch.records {
        if record.isContinuation, let last = records.popLast() {
            records.append(last.with(count: last.count + record.count))
            continue
        }
        records.append(
            PlainRecord(
                number: record.number,
                offset: record.offset,
                bytes: Array(record.buffer[record.range]),
                fault: record.fault.map { "\($0.name)" },
                count: record.count
            )
        )
    }
}

/// A source that arrives in pieces of one byte and more.
private struct PieceStream {
    let source: [UInt8]
    let format: CorpusFormat
    let limit: Int
    var generator: SeededGenerator
    let longest: Int
    /// The positions where a run could go on: the offset and the number of the next record.
    private(set) var places: [(offset: Int, number: Int)] = []

    init(_ source: [UInt8], _ format: CorpusFormat, limit: Int, seed: UInt8) {
        (self.source, self.format, self.limit) = (source, format, limit)
        generator = SeededGenerator(seed: UInt64(seed))
        longest = [1, 3, 20, 300][Int(seed & 3)]
    }

    mutating func readAll() -> [PlainRecord] {
        let origin = origin(format)
        return read(RecordCutter(origin, limit: limit), ByteWindow())
    }

    mutating func goOn(from place: (offset: Int, number: Int)) -> [PlainRecord] {
        let origin = origin(format)
        var cutter = RecordCutter(origin, limit: limit)
        cutter.number = place.number
        return read(cutter, ByteWindow(at: place.offset))
    }

    private mutating func read(_ cutter: RecordCutter, _ window: ByteWindow) -> [PlainRecord] {
        var (cutter, window) = (cutter, window)
        var rest = source[window.offset...]
        var records: [PlainRecord] = []
        while true {
            var batch = RecordBatch()
            cutter.cut(&window, into: &batch)
            append(batch, to: &records)
            if batch.isFull { continue }
            if cutter.isAtEnd { break }
            require(window.count <= limit + 4, "what waits in the window is one record, and a length")
            if cutter.isBetweenRecords { places.append((window.offset, cutter.number)) }
            let piece = rest.prefix(Int.random(in: 1...longest, using: &generator))
            rest = rest.dropFirst(piece.count)
            window.append(Array(piece))
            require(window.buffer.count <= 2 * (limit + 4) + longest, "the window is bounded")
        }
        let isWhole = cutter.isBetweenRecords || format == .lengthPrefixed || window.isAtEnd
        require(isWhole, "a source ends between records, or inside of one that is too large")
        let isEarly = format == .pgcopy || format == .file
        require(isEarly || window.offset == source.count, "every byte is of a record, or ends one")
        return records
    }
}

/// Checks that a repeated text is cut and decoded in linear time: libFuzzer ends a run that takes more than
/// ten seconds.
private func checkTime(_ part: [UInt8], _ format: CorpusFormat) {
    guard !part.isEmpty else { return }
    var source: [UInt8] = []
    while source.count < 1 << 18 { source += part }
    let records = cut(source, format, limit: 2 * Limits.standard.inputBytes)
    // Short records are decoded quickly.
    for record in records where record.fault == nil && record.bytes.count > 1 << 10 {
        guard let decoder = try? RecordDecoder(record.bytes, in: record.bytes.indices, origin(format)) else {
            continue
        }
        _ = try? decoder.contents(in: record.bytes.indices, RecordFields(), policy)
    }
}

// MARK: Fields

/// Checks that a column is found by its name, the first of several, or else by its number.
private func checkHeader(_ header: [UInt8], _ format: CorpusFormat) {
    guard format == .csv || format == .tsv, let columns = plainColumns(header, format) else { return }
    func place(_ name: String) -> Int? {
        if let index = columns.firstIndex(of: Array(name.utf8)) { return index }
        return Int(name).flatMap { columns.indices.contains($0 - 1) ? $0 - 1 : nil }
    }
    var fields = RecordFields()
    fields.bundleIdentifier = FieldName("x")
    fields.kept = [FieldName("2")]
    let missing = fields.resolve(in: columns)
    let receipt = RecordFields.usualNames.lazy.compactMap { place($0.text) }.first
    require(fields.receipt?.column == receipt, "the column of the receipt")
    guard receipt != nil else { return require(missing != nil, "a header that names no receipt is none") }
    let absent = ["x", "2"].first { place($0) == nil }
    require(missing == absent.map { "column \($0)" }, "a column that is not there is named")
    guard missing == nil else { return }
    require(fields.bundleIdentifier?.column == place("x"), "a column by its name")
    require(fields.kept[0].column == place("2"), "a column by its number, or by a name that is one")
}

private func checkContents(_ record: [UInt8], _ format: CorpusFormat, wanted: UInt8) {
    // The record lies between other bytes, as in a batch.
    let margin = [UInt8](repeating: 0x22, count: 3)
    let bytes = margin + record + margin
    let decoder: RecordDecoder
    do throws(Refusal) {
        decoder = try RecordDecoder(bytes, in: 3..<(3 + record.count), origin(format))
    } catch {
        require(error, liesIn: bytes.count)
        return require(plainFields(record, format) == nil, "what plain decoding reads is read: \(error)")
    }
    guard let fields = plainFields(record, format) else {
        return require(false, "what plain decoding refuses is refused")
    }
    for name in fieldNames {
        let text = decoder.text(name).map { Array($0) }
        require(text == fields.text(name), "field \(name.text): \(String(describing: text))")
    }
    var options = RecordFields()
    if wanted & 1 != 0 { options.receipt = FieldName("a.b") }
    if wanted & 2 != 0 { options.receipt = FieldName("2") }
    if wanted & 4 != 0 { options.bundleIdentifier = FieldName("3") }
    if wanted & 8 != 0 { options.deviceIdentifier = FieldName("1") }
    checkContents(decoder, fields, record, options, isHexadecimal: format == .hex)
}

private func checkContents(
    _ decoder: RecordDecoder,
    _ fields: PlainFields,
    _ record: [UInt8],
    _ options: RecordFields,
    isHexadecimal: Bool
) {
    let names = options.receipt.map { [$0] } ?? RecordFields.usualNames
    let found: [UInt8]?
    if options.receipt == nil, fields.object != nil {
        let text = ReceiptInput.trimmed(record.borrowedSpan)
        found = JSONObjectForm(record, in: text)?.receipt.flatMap {
            JSONReader.string($0, record).map { Array($0) }
        }
    } else {
        found = fields.whole ?? names.lazy.compactMap { fields.text($0) }.first
    }
    let expected = found.flatMap { isHexadecimal ? containerInDigits($0) : container($0) }
    let bundleIdentifier = options.bundleIdentifier.flatMap { fields.text($0) }.flatMap { plainText($0) }
    let device = options.deviceIdentifier.flatMap { fields.text($0) }
        .flatMap { DeviceIdentifier(String(decoding: $0, as: UTF8.self)) }
    do throws(Refusal) {
        let contents = try decoder.contents(in: 3..<(3 + record.count), options, policy)
        require(contents.container == expected, "the container is what plain decoding finds")
        let own = contents.receiptPolicy
        let accepted = own?.bundleIdentifier.accepted
        require(accepted?.first == bundleIdentifier, "the bundle identifier is the field's")
        require((own?.deviceIdentifiers == nil) == (device == nil), "a device identifier is one")
        require((options.bundleIdentifier == nil) == (bundleIdentifier == nil), "an expectation is there")
        require((options.deviceIdentifier == nil) == (device == nil), "an expectation is there")
    } catch {
        // The offset lies in the decoded text, which is not longer than the record.
        require(error, liesIn: record.count)
        let isMissing = options.bundleIdentifier != nil && bundleIdentifier == nil
        let isNoDevice = options.deviceIdentifier != nil && device == nil
        require(expected == nil || isMissing || isNoDevice, "what plain decoding finds is found: \(error)")
    }
}

/// The fields of a record, found by a plain decoder.
private struct PlainFields {
    var whole: [UInt8]?
    var columns: [[UInt8]?] = []
    var object: PlainJSON?

    func text(_ name: FieldName) -> [UInt8]? {
        if let object {
            let path = name.text.split(separator: ".", omittingEmptySubsequences: false).map {
                Array($0.utf8)
            }
            guard let found = object.value(at: path) else { return nil }
            return found.value.text
                ?? JSONObjectForm(found.text, in: found.text.indices)?.receipt
                .flatMap { JSONReader.string($0, found.text) }.map { Array($0) }
        }
        guard let number = Int(name.text), columns.indices.contains(number - 1) else { return nil }
        return columns[number - 1]
    }
}

/// Decodes a record plainly. Returns nil if the record is malformed.
private func plainFields(_ record: [UInt8], _ format: CorpusFormat) -> PlainFields? {
    var fields = PlainFields()
    switch format {
    case .file, .lengthPrefixed: fields.whole = record
    case .base64, .hex: fields.whole = record.last == 0x0D ? record.dropLast() : record
    case .csv, .tsv, .pgcopy:
        guard let columns = plainColumns(record, format) else { return nil }
        fields.columns = columns
    case .ndjson:
        guard let object = PlainJSON(record), case .object = object else { return nil }
        fields.object = object
    }
    return fields
}

private func plainText(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    return Array(text.utf8) == bytes && !bytes.isEmpty ? text : nil
}

/// The container in a text, or nil if there is none. Another target checks the decoder.
private func container(_ text: [UInt8]) -> [UInt8]? { try? ReceiptInput.container(text[...]) }

/// The container in a record that holds nothing but digits, and perhaps a prefix.
private func containerInDigits(_ text: [UInt8]) -> [UInt8]? {
    var rest = text.drop { $0 <= 0x20 }
    if ["\\x", "0x", "0X"].contains(where: { rest.starts(with: $0.utf8) }) { rest.removeFirst(2) }
    let digits = rest.filter { $0 > 0x20 }
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    return container(Array("0x".utf8) + digits)
}
