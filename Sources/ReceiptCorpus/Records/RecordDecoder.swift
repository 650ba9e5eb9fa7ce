import AppReceipt
import Bytes
import DER
import JSONText
import SHA

/// The decoded content of a record: its receipt and its expectations.
package struct RecordContents {
    package var container: [UInt8]
    package var environment: ReceiptEnvironment?
    package var bundleIdentifier: String?
    package var deviceIdentifier: DeviceIdentifier?
}

/// A record that is split into its fields, which its functions decode.
package enum RecordDecoder {
    case whole(ArraySlice<UInt8>, isHexadecimal: Bool)
    /// The wanted columns.
    case columns([RecordColumn])
    /// The record's bytes and the wanted members of its object.
    case json([UInt8], [JSONReader.Member])

    package init(_ bytes: [UInt8], in range: Range<Int>, _ origin: RecordOrigin) throws(Refusal) {
        switch origin.format {
        case .file, .lengthPrefixed: self = .whole(bytes[range], isHexadecimal: false)
        case .base64, .hex: self = .whole(bytes[range].withoutLineEnd, isHexadecimal: origin.format == .hex)
        case .csv, .tsv, .pgcopy:
            let wanted = origin.fields.columns
            self = .columns(try RecordColumns.read(bytes[range], origin.layout, wanted: wanted))
        case .ndjson:
            guard !bytes[range].withoutLineEnd.isEmpty else {
                throw Refusal(.emptyInput, at: 0, reading: "record")
            }
            var text = JSONReader(bytes, in: range)
            guard let members = try text.members(named: origin.memberNames) else {
                throw Refusal(.missingField, at: 0, reading: "record")
            }
            self = .json(bytes, members)
        }
    }

    /// Decodes the receipt and the record's expectations.
    ///
    /// - Parameter acceleration: the instruction set for base64.
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
        if let field = fields.environment {
            guard let bytes = text(field),
                let environment = ReceiptEnvironment(name: String(decoding: bytes, as: UTF8.self))
            else { throw Refusal(.noExpectation, at: 0, reading: "environment") }
            contents.environment = environment
        }
        if let field = fields.bundleIdentifier {
            // No app has an empty identifier. An empty column is the usual form of NULL.
            guard let bytes = text(field), !bytes.isEmpty,
                bytes.borrowedSpan.firstIllFormedUTF8(in: bytes.indices) == nil
            else {
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

    /// The offset of a carriage return that ends a line inside a text record; nil if there is none.
    private var carriageReturn: Int? {
        guard case .whole(let bytes, _) = self,
            let index = bytes.borrowedSpan.firstIndex(of: UInt8(ascii: "\r"), in: 0..<bytes.count),
            // A carriage return before a line feed or at the end of the record is part of a usual line end.
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

    /// The text of a field: a column, a JSON string, or an object with the member `latest_receipt`.
    ///
    /// Returns nil for null, for any other JSON value, and for a missing field. The record's origin must list
    /// the field.
    package func text(_ field: FieldName) -> [UInt8]? {
        switch self {
        case .whole: return nil
        case .columns(let columns): return columns.first { $0.index == field.column }?.value
        case .json(let bytes, let members):
            guard let value = JSONReader.value(at: field.path, of: members, bytes) else { return nil }
            if let string = JSONReader.string(value, bytes) { return string }
            // An object without `latest_receipt` is a receipt as Apple's server decoded it. Another usual
            // name may hold the receipt itself.
            let isObject = bytes[value].first == UInt8(ascii: "{")
            return isObject && ReceiptText.latestReceipt(Array(bytes[value])) != nil
                ? Array(bytes[value]) : nil
        }
    }
}
