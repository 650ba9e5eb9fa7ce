import AppReceipt
import Bytes
import DER

extension Receipt {
    /// The object `receipt` of Apple's answer about this receipt, as JSON in UTF-8.
    ///
    /// Names, types and order are Apple's. Use it to give the contents of a receipt to code that was written
    /// for Apple's endpoint. A field that the receipt does not hold is absent, except `download_id`, which is
    /// null then. A purchase that does not decode is left out.
    ///
    /// Apple was not seen to answer `expiration_date` and `promotional_offer_id`, so their place in the order
    /// is a guess: before `in_app`, and at the end of a purchase.
    ///
    /// - Parameter now: the time for `request_date`.
    public func verifyReceiptObject(requestedAt now: Timestamp) -> [UInt8] {
        var text = AnswerText(expecting: AnswerText.byteCount(of: self))
        text.value(self, requestDate: now)
        // The comma after the object.
        text.bytes.removeLast()
        return text.bytes
    }
}

extension AnswerText {
    /// The expected length of the answer about a receipt, at most a megabyte: a purchase need not decode. A
    /// subscription of a genuine receipt takes 900 bytes.
    static func byteCount(of receipt: Receipt) -> Int {
        2048 + 1024 * min(receipt.purchaseAttributeCount, 1 << 10)
    }

    /// Writes the object `receipt`, and the comma after it.
    mutating func value(_ receipt: Receipt, requestDate: Timestamp) {
        begin()
        member("\"receipt_type\":\"", string: receipt.environmentName)
        member("\"adam_id\":", number: receipt.appStoreIdentifier)
        member("\"app_item_id\":", number: receipt.appStoreIdentifier)
        member("\"bundle_id\":\"", string: receipt.bundleIdentifier)
        member("\"application_version\":\"", string: receipt.appVersion)
        member("\"download_id\":", numberOrNull: receipt.downloadIdentifier)
        member("\"version_external_identifier\":", number: receipt.versionExternalIdentifier)
        member(.receiptCreationDate, receipt.creationDate)
        member(.requestDate, requestDate)
        member(.originalPurchaseDate, receipt.originalPurchaseDate)
        member("\"original_application_version\":\"", string: receipt.originalAppVersion)
        member(.preorderDate, receipt.preorderDate)
        member(.expirationDate, receipt.expirationDate)
        key("\"in_app\":")
        beginArray()
        var original = RepeatedDate(.originalPurchaseDate)
        receipt.forEachPurchaseFields { bytes, fields in purchase(bytes, fields, &original) }
        endArray()
        separate()
        end()
        separate()
    }

    /// Writes the object of one purchase, and the comma after it.
    private mutating func purchase(
        _ receipt: Span<UInt8>,
        _ purchase: borrowing PurchaseFields,
        _ original: inout RepeatedDate
    ) {
        if purchase.quantity == 1 {
            key("{\"quantity\":\"1\",")
        } else {
            begin()
            member("\"quantity\":\"", quotedNumber: purchase.quantity)
        }
        member("\"product_id\":\"", receipt, purchase.productIdentifier)
        member("\"transaction_id\":\"", receipt, purchase.transactionIdentifier)
        member("\"original_transaction_id\":\"", receipt, purchase.originalTransactionIdentifier)
        member(.purchaseDate, purchase.purchaseDate)
        original.write(purchase.originalPurchaseDate, to: &self)
        member(.expiresDate, purchase.expiresDate)
        member(.cancellationDate, purchase.cancellationDate)
        if let identifier = purchase.webOrderLineItemIdentifier, identifier != 0 {
            member("\"web_order_line_item_id\":\"", quotedNumber: identifier)
        }
        switch purchase.isTrialPeriod {
        case true?: key("\"is_trial_period\":\"true\",")
        case false?: key("\"is_trial_period\":\"false\",")
        case nil: break
        }
        switch purchase.isInIntroductoryOfferPeriod {
        case true?: key("\"is_in_intro_offer_period\":\"true\",")
        case false?: key("\"is_in_intro_offer_period\":\"false\",")
        case nil: break
        }
        member("\"cancellation_reason\":\"", quotedNumber: purchase.cancellationReason)
        switch purchase.ownership {
        case 0: key("\"in_app_ownership_type\":\"PURCHASED\",")
        case 1: key("\"in_app_ownership_type\":\"FAMILY_SHARED\",")
        default: break
        }
        member("\"promotional_offer_id\":\"", receipt, purchase.promotionalOfferIdentifier)
        end()
        separate()
    }

    /// Writes a string of the receipt, or nothing for nil.
    private mutating func member(_ name: StaticString, _ receipt: Span<UInt8>, _ range: Range<Int>?) {
        if let range { member(name, string: receipt.extracting(range)) }
    }
}

/// A date that often comes several times in a row: all renewals of a subscription have one original purchase
/// date.
private struct RepeatedDate {
    private let triplet: DateTriplet
    private var time: Timestamp?
    /// The three members of ``time``; empty until the date has come twice in a row.
    private var text: [UInt8] = []

    init(_ triplet: DateTriplet) { self.triplet = triplet }

    /// Writes the three members of the date, or nothing for nil.
    mutating func write(_ date: Timestamp?, to answer: inout AnswerText) {
        guard let date else { return }
        if date != time {
            time = date
            text.removeAll(keepingCapacity: true)
            return answer.member(triplet, date)
        }
        if text.isEmpty {
            var single = AnswerText()
            single.member(triplet, date)
            text = single.bytes
        }
        answer.bytes.append(copying: text.borrowedSpan)
    }
}
