import Basics
import JSONText

/// A JSON object that was sent instead of a receipt: the range of the receipt in it, or the code that names
/// the object.
package struct JSONObjectForm {
    /// The range of the string that is taken for the receipt, with its quotation marks; nil if there is none.
    package let receipt: Range<Int>?
    /// The code to refuse the object with if it has no receipt: `.jsonWebSignature`, `.storeKitJSON`, or
    /// `.noReceiptInJSON` for any other object.
    package let name: Refusal.Code

    /// Reads the JSON object that fills a range of bytes.
    ///
    /// The names of `ReceiptInput.memberNames` are tried in their order. The receipt is the first of their
    /// values that is a string and is not passed over. A string is passed over if it has half of a surrogate
    /// pair, or begins like a JSON object in which no receipt is found. An empty string is not passed over.
    /// A value may also be an object with such a string. If a member occurs twice, the last one counts.
    ///
    /// - Parameter isInner: if true, objects are not searched, and every string that begins like a JSON
    ///   object is passed over. An object in this object, or in a string of it, is searched in this way.
    /// - Returns: nil if the text is not a JSON object, or if it nests values more than 64 deep.
    package init?(_ bytes: [UInt8], in range: Range<Int>, isInner: Bool = false) {
        guard bytes[range].first == UInt8(ascii: "{") else { return nil }
        let names = ReceiptInput.memberNames.map { [UInt8](utf8: $0) }
        let signed = [
            "signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
            "signedTransactions", "alg",
        ].map { [UInt8](utf8: $0) }
        let transaction = ["transactionId", "originalTransactionId"].map { [UInt8](utf8: $0) }
        var text = JSONReader(bytes, in: range)
        guard let members = try? text.members(named: JSONNames(names + signed + transaction)) else {
            return nil
        }
        func holds(_ names: [[UInt8]]) -> Bool {
            members.contains { member in names.contains { JSONReader.isName(member.name, $0, bytes) } }
        }
        receipt = Self.receipt(among: members, bytes, names, isInner: isInner)
        name = holds(signed) ? .jsonWebSignature : holds(transaction) ? .storeKitJSON : .noReceiptInJSON
    }

    /// The range of the string that is taken for the receipt, with its quotation marks; nil if there is none.
    ///
    /// - Parameters:
    ///   - members: the members of an object. Precondition: none of `names` occurs twice among them.
    ///   - names: the names of `ReceiptInput.memberNames`.
    ///   - isInner: if true, no object that is a value or stands in a string is searched.
    package static func receipt(
        among members: [JSONReader.Member],
        _ bytes: [UInt8],
        _ names: [[UInt8]],
        isInner: Bool = false
    ) -> Range<Int>? {
        for name in names {
            guard let value = members.first(where: { JSONReader.isName($0.name, name, bytes) })?.value else {
                continue
            }
            if bytes[value.lowerBound] == UInt8(ascii: "\"") {
                if !isPassedOver(value, bytes, isInner: isInner) { return value }
            } else if bytes[value.lowerBound] == UInt8(ascii: "{"), !isInner,
                let inner = JSONObjectForm(bytes, in: value, isInner: true)?.receipt
            {
                return inner
            }
        }
        return nil
    }

    /// Whether a string is passed over in the search: it has half of a surrogate pair, or it begins like a
    /// JSON object in which no receipt is found (if `isInner`, like any JSON object). React Native's
    /// purchases of StoreKit 2 have a JSON object where older ones have the receipt.
    private static func isPassedOver(_ string: Range<Int>, _ bytes: [UInt8], isInner: Bool) -> Bool {
        guard let text = JSONReader.string(string, bytes) else { return true }
        let range = ReceiptInput.trimmed(text.borrowedSpan)
        let object = text.borrowedSpan.extracting(range)
        guard !object.isEmpty, object[0] == UInt8(ascii: "{"), !ReceiptInput.beginsPropertyList(object) else {
            return false
        }
        return isInner || JSONObjectForm(Array(text), in: range, isInner: true)?.receipt == nil
    }
}
