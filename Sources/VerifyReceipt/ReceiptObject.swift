import AppReceipt
import Basics
import JSONText

extension Receipt {
    /// The object `receipt` of Apple's answer about this receipt, as JSON in UTF-8.
    ///
    /// Names, types and order are Apple's. Use it to give the contents of a receipt to code that was written
    /// for Apple's endpoint. A field that the receipt does not hold is absent, except `download_id`, which
    /// is null then, and `in_app`, which is empty then. A purchase that does not decode is left out, and
    /// so are a purchase's `web_order_line_item_id` of 0 and its ownership if that is unknown.
    ///
    /// Apple was not seen to answer `expiration_date` or `promotional_offer_id`, so their positions are
    /// guesses: `expiration_date` stands before `in_app`, and `promotional_offer_id` at the end of a
    /// purchase.
    ///
    /// - Parameter now: the time for `request_date`.
    public func verifyReceiptObject(requestedAt now: Timestamp) -> [UInt8] {
        var text = AnswerText(expecting: AnswerText.byteCount(of: self))
        text.value(self, requestDate: now, PurchaseMembers())
        // The comma after the object.
        text.bytes.removeLast()
        return text.bytes
    }
}

extension AnswerText {
    /// The memory to reserve for an answer, in bytes: 2048, and 1024 for each of at most 1024 purchase
    /// attributes. The bound is for hostile receipts: the attributes need not decode as purchases. An answer
    /// may be longer.
    static func byteCount(of receipt: Receipt) -> Int {
        2048 + 1024 * min(receipt.purchaseAttributeCount, 1 << 10)
    }

    /// Writes the object `receipt` and a comma, in Apple's order. `request_date` is `requestDate`.
    ///
    /// - Parameter members: the members that the object of a purchase may have, in order.
    mutating func value(_ receipt: Receipt, requestDate: Timestamp, _ members: PurchaseMembers) {
        let values = receipt.values
        begin()
        member(.environment, of: values)
        // The App Store's number for the app has two names.
        if let number = receipt.appStoreIdentifier { member("\"adam_id\":", numberOrNull: number) }
        member(.appStoreIdentifier, of: values)
        member(.bundleIdentifier, of: values)
        member(.appVersion, of: values)
        member("\"download_id\":", numberOrNull: receipt.downloadIdentifier)
        member(.versionExternalIdentifier, of: values)
        member(.creationDate, of: values)
        member(date: "request_date", requestDate)
        for one in [
            ReceiptAttribute.originalPurchaseDate, .originalAppVersion, .preorderDate, .expirationDate,
        ] {
            member(one, of: values)
        }
        key("\"in_app\":")
        beginArray()
        var members = members
        receipt.forEachPurchase { members.write($0, to: &self) }
        endArray()
        separate()
        end()
        separate()
    }

    /// Writes the member of one attribute (three members for a date), or nothing if it has no value.
    private mutating func member(_ one: ReceiptAttribute, of values: AttributeValues) {
        let row = one.row
        switch row.kind {
        case .text, .ascii:
            guard let range = values.range(row) else { return }
            beginMember(row.json, "\":\"")
            string(values.bytes.borrowedSpan.extracting(range))
        case .date: member(date: row.json, values.date(row))
        default:
            guard let number = values.number(row) else { return }
            beginMember(row.json, "\":")
            digits(number)
            separate()
        }
    }
}

/// The members of a purchase in Apple's order, with the text that each begins with. For a date, this is the
/// text of its three members, with zeros in the place of digits.
///
/// An answer may have hundreds of purchases. The texts are made from the table of attributes once for all of
/// them, and an endpoint keeps them for all answers.
struct PurchaseMembers: Sendable {
    /// The rows, each with the range in `texts` of the text that begins its member: the closing quote of the
    /// member before, a comma, the name with its quotes and colon, and the opening quote of the value. For a
    /// date, all three members of the date follow the comma instead, with zeros that its digits replace. The
    /// closing quote of the third is left out: the next text, or the end of the object, supplies it.
    private var members: [(row: AttributeRow, text: Range<Int>)] = []
    private var texts: [UInt8] = []
    /// The original purchase date written last, if any. All renewals of a subscription have the same
    /// original purchase date.
    private var original: Timestamp?
    /// The text of the three members of `original`; empty until that date is written again.
    private var originalText: [UInt8] = []

    init() {
        var text = AnswerText()
        for one in [
            PurchaseAttribute.quantity, .productIdentifier, .transactionIdentifier,
            .originalTransactionIdentifier, .purchaseDate, .originalPurchaseDate, .expiresDate,
            .cancellationDate, .webOrderLineItemIdentifier, .isTrialPeriod, .isInIntroductoryOfferPeriod,
            .cancellationReason, .ownership, .promotionalOfferIdentifier,
        ] {
            let row = one.row
            let start = text.bytes.count
            text.key("\",")
            if row.kind == .date {
                text.triplet(row.json)
                text.bytes.removeLast(2)
            } else {
                text.beginMember(row.json, "\":\"")
            }
            members.append((row, start..<text.bytes.count))
        }
        texts = text.bytes
    }

    /// Writes the object of one purchase and a comma. Leaves out absent values, unknown kinds of
    /// ownership, and identifiers of 0.
    mutating func write(_ values: borrowing AttributeValues, to answer: inout AnswerText) {
        let bytes = values.bytes
        // A span of the property would forbid changes of the others.
        let texts = texts
        answer.begin()
        // The first member is the quantity or the product identifier, which every purchase has.
        var dropped = 2
        for index in members.indices {
            let (row, range) = members[index]
            let text = texts.borrowedSpan.extracting((range.lowerBound + dropped)..<range.upperBound)
            switch row.kind {
            case .date:
                guard let time = values.date(row) else { continue }
                // It is often the same in successive purchases.
                if row.type == PurchaseAttribute.originalPurchaseDate.rawValue {
                    write(original: time, row.json, text, to: &answer)
                } else {
                    answer.member(date: row.json, time, zeros: text)
                }
            case .text, .ascii, .octets:
                guard let range = values.range(row) else { continue }
                answer.bytes.append(copying: text)
                JSONWriter.append(contents: bytes.borrowedSpan.extracting(range), to: &answer.bytes)
            case .flag:
                guard let flag = values.flag(row) else { continue }
                answer.bytes.append(copying: text)
                answer.key(flag ? "true" : "false")
            case .ownership:
                guard let ownership = values.ownership(row) else { continue }
                answer.bytes.append(copying: text)
                answer.key(ownership.answerName)
            case .number, .identifier:
                guard let number = values.number(row) else { continue }
                // Apple leaves out an identifier of zero.
                if case .identifier = row.kind, number == 0 { continue }
                answer.bytes.append(copying: text)
                answer.digits(number)
            }
            dropped = 0
        }
        answer.key("\"},")
    }

    private mutating func write(
        original time: Timestamp,
        _ name: StaticString,
        _ zeros: Span<UInt8>,
        to answer: inout AnswerText
    ) {
        guard time == original else {
            original = time
            originalText.removeAll(keepingCapacity: true)
            return answer.member(date: name, time, zeros: zeros)
        }
        if originalText.isEmpty {
            var single = AnswerText()
            single.member(date: name, time, zeros: zeros)
            originalText = single.bytes
        }
        answer.bytes.append(copying: originalText.borrowedSpan)
    }
}
