import AppReceipt
import Basics
import DER
import JSONText

/// The decoded content of a record.
package struct RecordContents {
    package var container: [UInt8]
    /// The policy with the environment, the bundle identifier and the device identifier that the record
    /// expects; nil if it has no expectations.
    package var policy: ReceiptPolicy?
    /// The bytes of the record before and after its receipt. If the receipt is not a string, the whole
    /// record is one part. A record that consists of its receipt has no parts.
    package var rest: [Range<Int>]
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
    /// - Parameters:
    ///   - range: the range of the record in its buffer.
    ///   - policy: the policy for records without expectations. Its instruction set decodes base64.
    package func contents(
        in range: Range<Int>,
        _ fields: RecordFields,
        _ policy: ReceiptPolicy
    ) throws(Refusal) -> RecordContents {
        let container: [UInt8]
        let receipt = try receipt(fields)
        do throws(ReceiptError) {
            container = try ReceiptInput.container(receipt.text, acceleration: policy.acceleration)
        } catch {
            if let offset = carriageReturn { throw Refusal(.carriageReturn, at: offset, reading: "record") }
            // The decoder knows only the step `input`, so the error's step is not lost.
            throw error.refusal
        }
        var contents = RecordContents(container: container, policy: nil, rest: [range])
        if let string = receipt.range {
            contents.rest = [range.lowerBound..<string.lowerBound, string.upperBound..<range.upperBound]
        }
        if case .whole = self { contents.rest = [] }
        guard fields.hasExpectations else { return contents }
        var expecting = policy
        try expectation(fields.environment, "environment") {
            ReceiptEnvironment(name: String(decoding: $0, as: UTF8.self))
        }.map { expecting.environments = .only($0) }
        try expectation(fields.bundleIdentifier, "bundle identifier") { bytes in
            // No app has an empty identifier. An empty column is the usual form of NULL.
            guard !bytes.isEmpty, bytes.borrowedSpan.firstIllFormedUTF8(in: bytes.indices) == nil else {
                return nil
            }
            return String(decoding: bytes, as: UTF8.self)
        }.map { expecting.bundleIdentifier = .exactly($0) }
        try expectation(fields.deviceIdentifier, "device identifier") {
            DeviceIdentifier(String(decoding: $0, as: UTF8.self))
        }.map { expecting.deviceIdentifiers = [$0] }
        contents.policy = expecting
        return contents
    }

    /// Decodes a field with an expectation. Returns nil if there is no such field.
    private func expectation<Value>(
        _ field: FieldName?,
        _ name: StaticString,
        _ decode: ([UInt8]) -> Value?
    ) throws(Refusal) -> Value? {
        guard let field else { return nil }
        guard let value = text(field).flatMap(decode) else {
            throw Refusal(.noExpectation, at: 0, reading: name)
        }
        return value
    }

    /// The offset of the first carriage return of an ASCII record without fields, if visible text follows.
    private var carriageReturn: Int? {
        guard case .whole(let bytes, _) = self,
            let index = bytes.borrowedSpan.firstIndex(of: UInt8(ascii: "\r"), in: 0..<bytes.count),
            // A carriage return before a line feed or at the end of the record is part of a usual line end.
            let next = bytes.dropFirst(index + 1).first, next > 0x20,
            bytes.allSatisfy({ 0x09...0x7E ~= $0 })
        else { return nil }
        return index
    }

    /// The text of the receipt, and the range of its field. The range is nil if the field is not a string.
    private func receipt(
        _ fields: RecordFields
    ) throws(Refusal) -> (text: ArraySlice<UInt8>, range: Range<Int>?) {
        if case .whole(let bytes, let isHexadecimal) = self {
            return (isHexadecimal ? try Self.hexadecimal(bytes) : bytes, nil)
        }
        if let field = fields.receipt {
            if let value = text(field) { return (value[...], range(field)) }
        } else if case .json(let bytes, let members) = self {
            // The choice is the one of any other JSON object.
            let receipt = JSONObjectForm.receipt(among: members, bytes, RecordFields.usualMembers)
            if let receipt, let value = JSONReader.string(receipt, bytes) {
                // A null and a string that was passed over are skipped, because a later name may hold the
                // receipt. An object may be the receipt itself.
                for name in RecordFields.usualNames {
                    guard let field = JSONReader.value(at: name.path, of: members, bytes) else { continue }
                    if field == receipt { return (value[...], receipt) }
                    guard "\"n".utf8.contains(bytes[field.lowerBound]) else { break }
                }
                return (value[...], nil)
            }
            if let other = RecordFields.usualNames.lazy.compactMap({ text($0) }).first {
                throw Self.refusal(ofPassedOver: other)
            }
        }
        throw Refusal(.missingField, at: 0, reading: "receipt")
    }

    /// The range of a field that is a column or a JSON string.
    private func range(_ field: FieldName) -> Range<Int>? {
        switch self {
        case .whole: return nil
        case .columns(let columns): return columns.first { $0.index == field.column }?.range
        case .json(let bytes, let members):
            guard let value = JSONReader.value(at: field.path, of: members, bytes) else { return nil }
            return bytes[value.lowerBound] == UInt8(ascii: "\"") ? value : nil
        }
    }

    /// The refusal of a string that holds JSON without a receipt, or with one too deep to count. It names
    /// what the JSON is, if that is known.
    private static func refusal(ofPassedOver text: [UInt8]) -> Refusal {
        do throws(ReceiptError) {
            _ = try ReceiptInput.container(text[...])
            return Refusal(.noReceiptInJSON, at: 0, reading: "receipt")
        } catch {
            return error.refusal
        }
    }

    /// A record of digits with the prefix `0x`, which says that it is hexadecimal.
    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> ArraySlice<UInt8> {
        let text = bytes.drop { $0 <= 0x20 }
        let hasPrefix = ["\\x", "0x", "0X"].contains { text.starts(with: $0.utf8) }
        let digits = hasPrefix ? text.dropFirst(2) : text
        if let index = digits.firstIndex(where: { $0 > 0x20 && Hexadecimal.value(of: $0) == nil }) {
            throw Refusal(.recordNotHexadecimal, at: index - bytes.startIndex, reading: "hexadecimal")
        }
        // White space after the prefix could be taken for the length of DER.
        let rest = digits.drop { $0 <= 0x20 }
        return hasPrefix && rest.count == digits.count ? text : "0x".utf8 + rest
    }

    /// The text of a field: a column, a JSON string, or the receipt that a JSON object holds.
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
            return JSONObjectForm(bytes, in: value)?.receipt.flatMap { JSONReader.string($0, bytes) }
        }
    }
}
