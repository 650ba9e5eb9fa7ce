import AppReceipt
import Bytes
import DER
import Processor

/// Turns a transaction receipt as people send it into the bytes of its property list.
public enum TransactionReceiptInput {
    /// Decodes a transaction receipt. A property list is returned as it is; base64 text is decoded.
    ///
    /// The text may have line breaks and white space, either alphabet of RFC 4648, and padding or none.
    /// Nothing is validated.
    ///
    /// - Parameters:
    ///   - bytes: the property list or its base64.
    ///   - limits: `inputBytes` bounds the property list, whose text may have twice as many characters.
    ///   - acceleration: the instruction sets that may decode base64. They change no result.
    /// - Throws: `ReceiptError` of the step `input`. Offsets count from the start of `bytes`.
    public static func decode(
        _ bytes: [UInt8],
        limits: TransactionReceiptLimits = .standard,
        acceleration: Acceleration = .none
    ) throws(ReceiptError) -> [UInt8] {
        do throws(Refusal) {
            return try decoded(bytes, limits, acceleration)
        } catch {
            throw ReceiptError(.input, error)
        }
    }

    /// Whether bytes begin like a transaction receipt: a property list or its base64. Nothing else is
    /// checked.
    public static func isLikely(_ bytes: ArraySlice<UInt8>) -> Bool {
        let text = ReceiptInput.trimmed(bytes.borrowedSpan)
        let trimmed = bytes.dropFirst(text.lowerBound)
        let start = trimmed.borrowedSpan
        // The base64 of a list without white space after the brace begins like that of JSON, as in a JWS.
        if start.starts(with: "eyJ") {
            let list = try? Base64.decode(
                bytes.borrowedSpan,
                in: text,
                space: .nothing,
                acceleration: .none
            )
            return list.map { ReceiptInput.beginsPropertyList($0.borrowedSpan) } ?? false
        }
        // The base64 of a brace and a byte below 0x40, such as a line feed, a space or a quotation mark.
        return start.starts(with: "{") || start.starts(with: "ew") || start.starts(with: "ex")
            || start.starts(with: "ey")
    }

    private static let brace = UInt8(ascii: "{")

    private static func decoded(
        _ bytes: [UInt8],
        _ limits: TransactionReceiptLimits,
        _ acceleration: Acceleration
    ) throws(Refusal) -> [UInt8] {
        let span = bytes.borrowedSpan
        let text = ReceiptInput.trimmed(span)
        guard !text.isEmpty else { throw Refusal(.emptyInput, at: 0, reading: "receipt") }
        let first = span[text.lowerBound]
        guard first != ReceiptInput.sequence, first != UInt8(ascii: "M") else {
            throw Refusal(.appReceiptGiven, at: text.lowerBound, reading: "receipt")
        }
        if first == brace {
            guard bytes.count <= limits.inputBytes else {
                throw Refusal(.inputTooLarge, at: 0, reading: "receipt")
            }
            return bytes
        }
        if ReceiptInput.isJSONWebSignature(span.extracting(text)) {
            throw Refusal(.jsonWebSignature, at: text.lowerBound, reading: "receipt")
        }
        guard text.count / 2 <= limits.inputBytes else {
            throw Refusal(.inputTooLarge, at: 0, reading: "receipt")
        }
        // No space stands for a plus sign: the base64 of ASCII has a plus sign only for "~" and ">", which no
        // genuine list contains.
        let list: [UInt8]
        do throws(Refusal) {
            list = try Base64.decode(span, in: text, space: .nothing, acceleration: acceleration)
        } catch {
            throw Refusal(.notAPropertyList, at: error.offset, reading: "receipt")
        }
        let inner = ReceiptInput.trimmed(list.borrowedSpan)
        guard !inner.isEmpty, list[inner.lowerBound] == brace else {
            let isBase64Twice = list[inner].borrowedSpan.starts(with: "ew")
            throw Refusal(
                isBase64Twice ? .base64Twice : .notAPropertyList,
                at: text.lowerBound,
                reading: "receipt"
            )
        }
        guard list.count <= limits.inputBytes else {
            throw Refusal(.inputTooLarge, at: 0, reading: "receipt")
        }
        return list
    }
}
