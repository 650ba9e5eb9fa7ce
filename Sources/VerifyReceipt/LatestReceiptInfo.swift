import AppReceipt
import Basics

extension AnswerText {
    /// Writes the member `latest_receipt_info`: the purchases of a receipt in the order of their purchase
    /// dates. Writes nothing if no purchase has an expiration date.
    ///
    /// The recorded answers have this order. Purchases without a purchase date come first. Purchases with
    /// equal purchase dates keep the order of the receipt.
    ///
    /// - Parameter members: the members that the object of a purchase may have, in order.
    mutating func latestReceiptInfo(of receipt: Receipt, _ members: PurchaseMembers) {
        var objects = AnswerText(expecting: Self.byteCount(of: receipt))
        /// The purchase date of each purchase, and the range in `objects.bytes` of its object with the comma.
        var places: [(date: Timestamp?, range: Range<Int>)] = []
        var hasSubscription = false
        var members = members
        receipt.forEachPurchase { purchase in
            let start = objects.bytes.count
            members.write(purchase, to: &objects)
            places.append((purchase.date(PurchaseAttribute.purchaseDate.row), start..<objects.bytes.count))
            if purchase.date(PurchaseAttribute.expiresDate.row) != nil { hasSubscription = true }
        }
        guard hasSubscription else { return }
        places.sort { one, other in
            guard one.date != other.date else { return one.range.lowerBound < other.range.lowerBound }
            guard let date = one.date, let otherDate = other.date else { return one.date == nil }
            return date < otherDate
        }
        key("\"latest_receipt_info\":")
        beginArray()
        let text = objects.bytes.borrowedSpan
        for place in places { bytes.append(copying: text.extracting(place.range)) }
        endArray()
        separate()
    }
}
