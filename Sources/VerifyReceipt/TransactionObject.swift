import Basics
import JSONText
import TransactionReceipt

extension PurchaseInfo {
    /// The object `receipt` of Apple's answer about this transaction receipt, as JSON in UTF-8.
    ///
    /// It has every key of the purchase-info, with `_` in place of `-`, and each value as a string. The order
    /// of the purchase-info is kept. The two recorded answers of Apple's had another order.
    public var verifyReceiptObject: [UInt8] {
        var text = AnswerText()
        text.value(self)
        // The comma after the object.
        text.bytes.removeLast()
        return text.bytes
    }
}

extension AnswerText {
    /// Writes the object `receipt`: each entry as a string, with `_` for `-` in the key. Then a comma.
    mutating func value(_ purchase: PurchaseInfo) {
        begin()
        for entry in purchase.entries {
            let name = entry.keyBytes.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
            JSONWriter.append(string: name.borrowedSpan, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            JSONWriter.append(string: entry.valueBytes.borrowedSpan, to: &bytes)
            separate()
        }
        // A validated purchase-info has entries: the identifiers and the date.
        end()
        separate()
    }
}
