import AppReceipt
import DER
import SHA

/// What a record says: its receipt, and what goes with it.
package struct RecordContents {
    package var container: [UInt8]
    package var bundleIdentifier: String?
    package var deviceIdentifier: DeviceIdentifier?
}

/// A record's fields, found and not yet decoded.
package enum RecordDecoder {
    case whole(ArraySlice<UInt8>, isHexadecimal: Bool)
    case columns([[UInt8]?])
    case json([UInt8], [JSONText.Member])

    package init(_ bytes: [UInt8], in range: Range<Int>, _ format: CorpusFormat) throws(Refusal) {
        switch format {
        case .file, .lengthPrefixed: self = .whole(bytes[range], isHexadecimal: false)
        case .base64, .hex: self = .whole(bytes[range].withoutLineEnd, isHexadecimal: format == .hex)
        case .csv, .tsv, .pgcopy: self = .columns(try RecordColumns.read(bytes[range], format))
        case .ndjson:
            guard !bytes[range].withoutLineEnd.isEmpty else {
                throw Refusal(.emptyInput, at: 0, reading: "record")
            }
            var text = JSONText(bytes, in: range)
            guard let members = try text.members() else {
                throw Refusal(.missingField, at: 0, reading: "record")
            }
            self = .json(bytes, members)
        }
    }

    /// Decodes what the fields say of the receipt, and what is expected of it.
    ///
    /// - Parameter acceleration: by what base64 is decoded.
    package func contents(
        _ fields: RecordFields,
        _ acceleration: Acceleration
    ) throws(Refusal) -> RecordContents {
        let container: [UInt8]
        do throws(Refusal) {
            container = try ReceiptText.stored(try receipt(fields), acceleration)
        } catch {
            if let offset = carriageReturn { throw Refusal(.carriageReturn, at: offset, reading: "record") }
            throw error
        }
        var contents = RecordContents(container: container)
        if let field = fields.bundleIdentifier {
            guard let bytes = text(field), bytes.span.firstIllFormedUTF8(in: bytes.indices) == nil else {
                throw Refusal(.noExpectation, at: 0, reading: "bundle identifier")
            }
            contents.bundleIdentifier = String(decoding: bytes, as: UTF8.self)
        }
        if let field = fields.deviceIdentifier {
            guard let bytes = text(field),
                let device = DeviceIdentifier(String(decoding: bytes, as: UTF8.self))
            else { throw Refusal(.noExpectation, at: 0, reading: "device identifier") }
            contents.deviceIdentifier = device
        }
        return contents
    }

    /// Where a line ends within a record that is a line; nil where none does, or the record is no text.
    private var carriageReturn: Int? {
        guard case .whole(let bytes, _) = self,
            let index = bytes.span.firstIndex(of: UInt8(ascii: "\r"), in: 0..<bytes.count),
            // Not one before a line feed, nor at the end.
            let next = bytes.dropFirst(index + 1).first, next > 0x20,
            bytes.allSatisfy({ 0x09...0x7E ~= $0 })
        else { return nil }
        return index
    }

    private func receipt(_ fields: RecordFields) throws(Refusal) -> ArraySlice<UInt8> {
        if case .whole(let bytes, let isHexadecimal) = self {
            return isHexadecimal ? try ReceiptText.hexadecimal(bytes)[...] : bytes
        }
        let names = fields.receipt.map { [$0] } ?? RecordFields.usualNames
        for name in names {
            if let value = text(name) { return value[...] }
        }
        throw Refusal(.missingField, at: 0, reading: "receipt")
    }

    /// A string, or the text of an object; nil for null, and what is missing.
    package func text(_ field: FieldName) -> [UInt8]? {
        switch self {
        case .whole: return nil
        case .columns(let columns):
            return field.column.flatMap { columns.indices.contains($0) ? columns[$0] : nil }
        case .json(let bytes, let members):
            guard let value = JSONText.value(at: field.path, of: members, bytes) else { return nil }
            if let string = JSONText.string(value, bytes) { return string }
            // The receipt as Apple's server decoded it, which is none; another name may have the text of one.
            let isObject = bytes[value].first == UInt8(ascii: "{")
            return isObject && ReceiptText.latestReceipt(Array(bytes[value])) != nil
                ? Array(bytes[value]) : nil
        }
    }
}
