import AppReceipt
import Basics
import DER
import Processor

/// Turns a transaction receipt as apps and people send it into the bytes of its property list.
public enum TransactionReceiptInput {
    /// Decodes a transaction receipt to its outer property list. A property list is returned as it is; other
    /// text is decoded, in every form that `ReceiptInput.decode` accepts. Text that begins with `{` may be
    /// returned as it is, too, if it is in none of these forms. App receipts are refused. The list is not
    /// read or validated.
    ///
    /// - Parameters:
    ///   - bytes: the property list or its text.
    ///   - limits: the property list may have `inputBytes`, but at most 65,536 bytes. Half the number of a
    ///     text's bytes, rounded down, may be at most that.
    ///   - acceleration: the instruction sets that may decode base64. They change no result.
    /// - Throws: `ReceiptError` of the step `input`. Offsets count from the start of `bytes`.
    public static func decode(
        _ bytes: [UInt8],
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) throws(ReceiptError) -> [UInt8] {
        var limits = limits
        limits.inputBytes = min(maximumByteCount, limits.inputBytes)
        let text = ReceiptInput.trimmed(bytes.borrowedSpan)
        let list =
            ReceiptInput.beginsPropertyList(bytes.borrowedSpan.extracting(text))
            ? bytes : try decoded(bytes, text, limits, acceleration)
        guard list.count <= limits.inputBytes else {
            throw ReceiptError(.input, Refusal(.inputTooLarge, at: 0, reading: "receipt"))
        }
        return list
    }

    /// The maximum length of a property list, in bytes. Genuine receipts of version 2 have up to 2,639 bytes,
    /// and one of version 4 has 3,550.
    package static var maximumByteCount: Int { 1 << 16 }

    private static func decoded(
        _ bytes: [UInt8],
        _ text: Range<Int>,
        _ limits: Limits,
        _ acceleration: Acceleration
    ) throws(ReceiptError) -> [UInt8] {
        let container: [UInt8]
        do throws(ReceiptError) {
            container = try ReceiptInput.container(
                bytes[...],
                limits: limits,
                acceleration: acceleration
            )
        } catch {
            guard error.code == .notBase64 else { throw error }
            // The reader of the list names the offset of a fault in a malformed list.
            if !text.isEmpty, bytes[text.lowerBound] == UInt8(ascii: "{") { return bytes }
            throw ReceiptError(.input, Refusal(.notAPropertyList, at: error.offset, reading: "receipt"))
        }
        guard ReceiptInput.isPropertyList(container) else {
            let refusal = Refusal(.appReceiptGiven, at: text.lowerBound, reading: "receipt")
            throw ReceiptError(.input, refusal)
        }
        return container
    }
}
