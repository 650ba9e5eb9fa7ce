import AppReceipt
import Basics

/// The typed values of a purchase-info. An optional value is nil if the purchase-info has no key for it;
/// `ownership` is also nil for an unknown name. Ranges count in the bytes of the purchase-info.
struct PurchaseInfoFields: Sendable {
    let purchaseDate: Timestamp
    let originalPurchaseDate: Timestamp?
    let expiresDate: Timestamp?
    let cancellationDate: Timestamp?
    let quantity: Int?
    let isTrialPeriod: Bool?
    let isInIntroductoryOfferPeriod: Bool?
    let ownership: InAppPurchase.Ownership?
    let productIdentifier: Range<Int>
    let transactionIdentifier: Range<Int>

    /// Reads the typed values of `list`, whose ranges count in `bytes`. Throws `Refusal`, with an offset in
    /// `bytes`, if the quantity, a flag or a date that is read is invalid, or if the purchase date, the
    /// product identifier or the transaction identifier is missing or empty.
    init(_ list: PropertyList, _ bytes: Span<UInt8>) throws(Refusal) {
        purchaseDate = try Self.purchaseDate(list, bytes)
        originalPurchaseDate = try Self.date(
            list,
            bytes,
            milliseconds: "original-purchase-date-ms",
            text: "original-purchase-date"
        )
        expiresDate = try Self.date(
            list,
            bytes,
            milliseconds: "expires-date",
            text: "expires-date-formatted"
        )
        cancellationDate = try Self.date(
            list,
            bytes,
            milliseconds: "cancellation-date-ms",
            text: "cancellation-date"
        )
        quantity = try Self.quantity(list, bytes)
        isTrialPeriod = try Self.flag(list, bytes, "is-trial-period")
        isInIntroductoryOfferPeriod = try Self.flag(list, bytes, "is-in-intro-offer-period")
        ownership = Self.ownership(list, bytes)
        guard let product = list.value(of: "product-id", in: bytes), !product.isEmpty else {
            throw Refusal(.missingPurchasedProduct, at: 0, reading: "product-id")
        }
        guard let transaction = list.value(of: "transaction-id", in: bytes), !transaction.isEmpty else {
            throw Refusal(.missingTransactionIdentifier, at: 0, reading: "transaction-id")
        }
        productIdentifier = product
        transactionIdentifier = transaction
    }

    /// The date of the purchase: `purchase-date-ms`, or `purchase-date` if that key is absent. Throws if
    /// both keys are absent, or if the date is malformed.
    static func purchaseDate(_ list: PropertyList, _ bytes: Span<UInt8>) throws(Refusal) -> Timestamp {
        guard
            let date = try date(list, bytes, milliseconds: "purchase-date-ms", text: "purchase-date")
        else { throw Refusal(.missingPurchaseDate, at: 0, reading: "purchase-date-ms") }
        return date
    }

    /// A date in milliseconds under one key, or else as text under another. Nil if both keys are absent.
    /// Throws if the date is malformed. The text is not read if the key of the milliseconds is present.
    private static func date(
        _ list: PropertyList,
        _ bytes: Span<UInt8>,
        milliseconds: StaticString,
        text: StaticString
    ) throws(Refusal) -> Timestamp? {
        if let range = list.value(of: milliseconds, in: bytes) {
            // 15 digits reach the year 33658, and cannot overflow.
            guard let value = decimal(bytes, range, maximumDigits: 15) else {
                throw Refusal(.invalidPurchaseInfoDate, at: range.lowerBound, reading: milliseconds)
            }
            return Timestamp(millisecondsSince1970: value)
        }
        guard let range = list.value(of: text, in: bytes) else { return nil }
        guard let date = formattedDate(bytes, range) else {
            throw Refusal(.invalidPurchaseInfoDate, at: range.lowerBound, reading: text)
        }
        return date
    }

    private static func quantity(_ list: PropertyList, _ bytes: Span<UInt8>) throws(Refusal) -> Int? {
        guard let range = list.value(of: "quantity", in: bytes) else { return nil }
        guard let value = decimal(bytes, range, maximumDigits: 9), value > 0 else {
            throw Refusal(.invalidQuantity, at: range.lowerBound, reading: "quantity")
        }
        return Int(value)
    }

    private static func flag(
        _ list: PropertyList,
        _ bytes: Span<UInt8>,
        _ key: StaticString
    ) throws(Refusal) -> Bool? {
        guard let range = list.value(of: key, in: bytes) else { return nil }
        let value = bytes.extracting(range)
        if value.equals("true") { return true }
        if value.equals("false") { return false }
        throw Refusal(.invalidPurchaseInfoFlag, at: range.lowerBound, reading: key)
    }

    /// The ownership; nil without the key or for an unknown name, which is no error: Apple may add names.
    private static func ownership(_ list: PropertyList, _ bytes: Span<UInt8>) -> InAppPurchase.Ownership? {
        guard let range = list.value(of: "in-app-ownership-type", in: bytes) else { return nil }
        let name = bytes.extracting(range)
        if name.equals("PURCHASED") { return .purchased }
        return name.equals("FAMILY_SHARED") ? .familyShared : nil
    }

    /// The decimal number at a range: 1 to `maximumDigits` digits without a sign; nil for other text.
    private static func decimal(_ bytes: Span<UInt8>, _ range: Range<Int>, maximumDigits: Int) -> Int64? {
        guard !range.isEmpty, range.count <= maximumDigits else { return nil }
        var value: Int64 = 0
        for index in range {
            let byte = bytes[index]
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }

    /// A date such as `2014-01-27 12:50:56 Etc/GMT`; nil for other text or if the date does not exist.
    private static func formattedDate(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Timestamp? {
        guard range.count == 27 else { return nil }
        let text = bytes.extracting(range)
        func number(_ start: Int, _ count: Int) -> Int? {
            decimal(text, start..<(start + count), maximumDigits: count).map { Int($0) }
        }
        guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: " "),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            text.extracting(19..<27).equals(" Etc/GMT"),
            let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
            let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2)
        else { return nil }
        return Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }
}
