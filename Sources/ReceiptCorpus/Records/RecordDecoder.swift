import AppReceipt
import Basics
import DER
import JSONText
import SignedPayloads

/// The container of a record's receipt, or a record's token, and what the record expects of it.
package struct RecordContents {
    /// The container of a receipt, or the characters of a token, which nothing has validated. Empty if no
    /// token was found.
    package var container: [UInt8]
    /// The policy of the run with the record's expectations; nil if no option names a field for one.
    package var policy: RecordPolicy?
    /// The ranges in the buffer of the record's bytes before and after its receipt or token. If the range of
    /// the receipt or token is not known, as in a member that is an object, the whole record is one range. A
    /// record without fields has no range. But if no token was found, the whole record is one range in any
    /// format.
    package var rest: [Range<Int>]

    /// The policy for the receipt; nil if ``policy`` is nil or is one for a token.
    package var receiptPolicy: ReceiptPolicy? {
        if case .receipt(let policy)? = policy { policy } else { nil }
    }
}

/// The policy of the run with the expectations of one record. It is stored apart from the record.
package indirect enum RecordPolicy {
    /// A policy for a receipt. Its environment, bundle identifier and device identifier may be the record's.
    case receipt(ReceiptPolicy)
    /// A policy for a token. Its environment and bundle identifier may be the record's.
    case token(SignedPayloadPolicy)
}

/// A record, split into its fields if its format has fields. Its functions decode the receipt or token and
/// other fields.
package enum RecordDecoder {
    case whole(ArraySlice<UInt8>, isHexadecimal: Bool)
    /// The wanted columns of a table row, in ascending order.
    case columns([RecordColumn])
    /// The buffer that holds the record, and the wanted members of the record's JSON object.
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
            let members: [JSONReader.Member]?
            do throws(Refusal) {
                members = try text.members(named: origin.memberNames)
            } catch {
                throw error.moved(to: error.offset - range.lowerBound)
            }
            guard let members else { throw Refusal(.missingField, at: 0, reading: "record") }
            self = .json(bytes, members)
        }
    }

    /// Decodes the receipt's text and the record's expectations. Throws `Refusal` if one is missing or cannot
    /// be decoded. The container is not checked.
    ///
    /// - Parameters:
    ///   - range: the range of the record in its buffer.
    ///   - policy: the policy to which the expectations are added. Its instruction set decodes base64.
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
        var contents = RecordContents(container: container, rest: rest(of: range, beside: receipt.range))
        guard fields.hasExpectations else { return contents }
        var expecting = policy
        try expectation(fields.environment, "environment") {
            ReceiptEnvironment(name: String(decoding: $0, as: UTF8.self))
        }.map { expecting.environments = .only($0) }
        try bundleIdentifier(fields).map { expecting.bundleIdentifier = .exactly($0) }
        try expectation(fields.deviceIdentifier, "device identifier") {
            DeviceIdentifier(String(decoding: $0, as: UTF8.self))
        }.map { expecting.deviceIdentifiers = [$0] }
        contents.policy = .receipt(expecting)
        return contents
    }

    /// The ranges of the record's bytes before and after `receipt`, the range of the field with the receipt
    /// or token. Nil, if it is not known, gives the whole record. A record without fields gives none.
    func rest(of range: Range<Int>, beside receipt: Range<Int>?) -> [Range<Int>] {
        if case .whole = self { return [] }
        guard let receipt else { return [range] }
        return [range.lowerBound..<receipt.lowerBound, receipt.upperBound..<range.upperBound]
    }

    /// Decodes the expected bundle identifier. Returns nil if no option names a field for it. Throws
    /// `.noExpectation` if the record lacks the field, or the field has no text, or one that is empty or not
    /// UTF-8.
    func bundleIdentifier(_ fields: RecordFields) throws(Refusal) -> String? {
        try expectation(fields.bundleIdentifier, "bundle identifier") { bytes in
            // No app has an empty identifier. An empty column is the usual form of NULL.
            guard !bytes.isEmpty, bytes.borrowedSpan.firstIllFormedUTF8(in: 0..<bytes.count) == nil else {
                return nil
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Decodes an expectation. Returns nil if `field` is nil. Throws `.noExpectation` if ``text(_:)`` of the
    /// field is nil, or if `decode` returns nil.
    func expectation<Value>(
        _ field: FieldName?,
        _ name: StaticString,
        _ decode: (ArraySlice<UInt8>) -> Value?
    ) throws(Refusal) -> Value? {
        guard let field else { return nil }
        guard let value = text(field).flatMap(decode) else {
            throw Refusal(.noExpectation, at: 0, reading: name)
        }
        return value
    }

    /// In a record without fields whose bytes are all from 0x09 to 0x7E: the offset of the first carriage
    /// return, if a visible character follows it directly. Otherwise nil.
    var carriageReturn: Int? {
        guard case .whole(let bytes, _) = self,
            let index = bytes.borrowedSpan.firstIndex(of: UInt8(ascii: "\r"), in: 0..<bytes.count),
            // A carriage return before a line feed or at the end of the record is part of a usual line end.
            let next = bytes.dropFirst(index + 1).first, next > 0x20,
            bytes.allSatisfy({ 0x09...0x7E ~= $0 })
        else { return nil }
        return index
    }

    /// The receipt's text, and its range in the buffer. The range is nil for a record without fields, if a
    /// JSON object in a member holds the receipt, and if a member that was tried before the receipt's is
    /// neither null nor a string. Throws `Refusal` if a record with fields has no text for the receipt, and
    /// what ``hexadecimal(_:)`` throws for a record of hexadecimal.
    private func receipt(
        _ fields: RecordFields
    ) throws(Refusal) -> (text: ArraySlice<UInt8>, range: Range<Int>?) {
        if case .whole(let bytes, let isHexadecimal) = self {
            return (isHexadecimal ? try Self.hexadecimal(bytes) : bytes, nil)
        }
        if let field = fields.receipt {
            if let value = text(field) { return (value, range(field)) }
        } else if case .json(let bytes, let members) = self {
            // The choice is the one of any other JSON object.
            let receipt = JSONObjectForm.receipt(among: members, bytes, RecordFields.usualMembers)
            if let receipt, let value = JSONReader.string(receipt, bytes) {
                // A null and a string that was passed over are skipped, because a later name may hold the
                // receipt. An object may be the receipt itself.
                for name in RecordFields.usualNames {
                    guard let field = JSONReader.value(at: name.path, of: members, bytes) else { continue }
                    if field == receipt { return (value, receipt) }
                    guard "\"n".utf8.contains(bytes[field.lowerBound]) else { break }
                }
                return (value, nil)
            }
            if let other = RecordFields.usualNames.lazy.compactMap({ text($0) }).first {
                throw Self.refusal(ofPassedOver: Array(other))
            }
        }
        throw Refusal(.missingField, at: 0, reading: "receipt")
    }

    /// The range in the buffer of a column, or of a JSON string with its quotes; nil for any other field.
    func range(_ field: FieldName) -> Range<Int>? {
        switch self {
        case .whole: return nil
        case .columns(let columns): return columns.first { $0.index == field.column }?.range
        case .json(let bytes, let members):
            guard let value = JSONReader.value(at: field.path, of: members, bytes) else { return nil }
            return bytes[value.lowerBound] == UInt8(ascii: "\"") ? value : nil
        }
    }

    /// The refusal of a record whose field holds JSON in which no receipt was found: the error of decoding
    /// that JSON, or `noReceiptInJSON` if the receipt lies too deep to count.
    private static func refusal(ofPassedOver text: [UInt8]) -> Refusal {
        do throws(ReceiptError) {
            _ = try ReceiptInput.container(text[...])
            return Refusal(.noReceiptInJSON, at: 0, reading: "receipt")
        } catch {
            return error.refusal
        }
    }

    /// Returns the text without white space at its beginning. The text begins with the prefix `\x`, `0x` or
    /// `0X`; if it has none, `0x` is added. If white space follows the prefix, `0x` replaces both. Other
    /// white space stays. Throws `.recordNotHexadecimal` for a visible byte outside of the prefix that is no
    /// hexadecimal digit.
    static func hexadecimal(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> ArraySlice<UInt8> {
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

    /// The decoded text of a field: a column, a JSON string, or the receipt that a JSON object holds.
    ///
    /// Returns nil for null, for a string with half of a surrogate pair, for any other JSON value, for a
    /// missing field, and for a record without fields. The record's origin must list the field.
    package func text(_ field: FieldName) -> ArraySlice<UInt8>? {
        switch self {
        case .whole: return nil
        case .columns(let columns): return columns.first { $0.index == field.column }?.value?[...]
        case .json(let bytes, let members):
            guard let value = JSONReader.value(at: field.path, of: members, bytes) else { return nil }
            if let string = JSONReader.string(value, bytes) { return string }
            return JSONObjectForm(bytes, in: value)?.receipt.flatMap { JSONReader.string($0, bytes) }
        }
    }
}
