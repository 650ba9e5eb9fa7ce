import AppReceipt
import Basics
import JSONText
import ReceiptResults
import SignedPayloads

/// Tokens of StoreKit 2 in records.
extension RecordDecoder {
    /// Finds the token of a record, alone or in the JSON object that Apple sends, and decodes the record's
    /// expectations.
    ///
    /// The token is empty if a JSON object is found in its place that is malformed, or whose member for the
    /// kind is missing, is no string, or has half of a surrogate pair.
    ///
    /// - Parameters:
    ///   - range: the range of the record in its buffer.
    ///   - fields: the fields of the record that hold the token and the expectations.
    ///   - kind: the kind of the token.
    ///   - policy: the policy to which the expectations are added.
    /// - Returns: the token's characters, the ranges of the record's other bytes, and the policy with the
    ///   expectations. The policy is nil if `fields` names no field for an expectation.
    /// - Throws: `Refusal` if the token's field is missing or is malformed hexadecimal, or an expectation is
    ///   missing or malformed; `.emptyInput` if the field is blank or the member is an empty string; and
    ///   `.carriageReturn` if the token has a carriage return and ``carriageReturn`` is not nil.
    package func token(
        in range: Range<Int>,
        _ fields: RecordFields,
        _ kind: SignedPayloadKind,
        _ policy: SignedPayloadPolicy
    ) throws(Refusal) -> RecordContents {
        let field = try tokenField(fields)
        let token = SignedPayloadKind.token(in: try Self.characters(field.text), of: kind)
        if let token, token.isEmpty { throw Refusal(.emptyInput, at: 0, reading: "token") }
        let characters = token.map { Array($0) } ?? []
        if characters.borrowedSpan.firstIndex(of: UInt8(ascii: "\r"), in: characters.indices) != nil,
            let offset = carriageReturn
        {
            throw Refusal(.carriageReturn, at: offset, reading: "record")
        }
        var contents = RecordContents(container: characters, rest: rest(of: range, beside: field.range))
        // A record without a token is identified by all its bytes.
        if token == nil { contents.rest = [range] }
        guard fields.hasExpectations else { return contents }
        var expecting = policy
        try expectation(fields.environment, "environment") {
            StoreEnvironment(name: String(decoding: $0, as: UTF8.self))
        }.map { expecting.environments = .only($0) }
        try bundleIdentifier(fields).map { expecting.bundleIdentifier = .exactly($0) }
        contents.policy = .token(expecting)
        return contents
    }

    /// The text of the field that holds the token, and the range of the field in the buffer. The range is nil
    /// if the record has no fields, or if the field is a JSON object. Members that can hold no token, such as
    /// null, are passed over. Throws `.missingField` if no field is left, and what ``hexadecimal(_:)`` throws
    /// for a record of hexadecimal.
    private func tokenField(
        _ fields: RecordFields
    ) throws(Refusal) -> (text: ArraySlice<UInt8>, range: Range<Int>?) {
        if case .whole(let bytes, let isHexadecimal) = self {
            return (isHexadecimal ? try Self.hexadecimal(bytes) : bytes, nil)
        }
        if let field = fields.receipt {
            if let text = tokenText(field) { return (text, range(field)) }
        } else {
            for name in fields.names {
                if let text = tokenText(name) { return (text, range(name)) }
            }
        }
        throw Refusal(.missingField, at: 0, reading: "token")
    }

    /// The text of a column or a JSON string, or a whole JSON object; nil for any other value, and for a
    /// string with half of a surrogate pair.
    private func tokenText(_ field: FieldName) -> ArraySlice<UInt8>? {
        guard case .json(let bytes, let members) = self else { return text(field) }
        guard let value = JSONReader.value(at: field.path, of: members, bytes) else { return nil }
        return bytes[value.lowerBound] == UInt8(ascii: "{") ? bytes[value] : JSONReader.string(value, bytes)
    }

    /// The characters of a text. After `\x`, as PostgreSQL writes bytes, `0x` or `0X`, they are decoded from
    /// hexadecimal: no token and no JSON object begins so. White space before the prefix and between digits
    /// is skipped. Throws `.recordNotHexadecimal` for another visible character after the prefix, for an odd
    /// number of digits, and for the prefix `\X`.
    private static func characters(_ text: ArraySlice<UInt8>) throws(Refusal) -> ArraySlice<UInt8> {
        let start = text.drop { $0 <= 0x20 }
        guard let first = start.first, first == UInt8(ascii: "\\") || first == UInt8(ascii: "0"),
            start.dropFirst().first.map({ $0 | 0x20 == UInt8(ascii: "x") }) ?? false
        else { return text }
        let digits = try hexadecimal(text).dropFirst(2).lazy.filter { $0 > 0x20 }
        guard let bytes = Hexadecimal.bytes(of: digits) else {
            throw Refusal(.recordNotHexadecimal, at: start.count, reading: "hexadecimal")
        }
        return bytes[...]
    }
}
