import AppReceipt
import CAppReceipt
import DER
import TransactionReceipt

// The values of a result by the numbers of `app_receipt.h`. Nothing is allocated.

/// A value, or the lack of it.
private enum Value {
    case text(ArraySlice<UInt8>?)
    case octets(ArraySlice<UInt8>?)
    case number(Int64?)

    init(_ date: Timestamp?) { self = .number(date?.millisecondsSince1970) }
    init(_ flag: Bool?) { self = .number(flag.map { $0 ? 1 : 0 }) }
}

extension Outcome {
    /// The value of the receipt with a number. Throws `badValue` for a number that names none.
    fileprivate func value(_ field: Int32) throws(Status) -> Value {
        switch field {
        case 1: .text(receipt?.environmentText ?? transaction?.claimedEnvironmentText)
        case 2: .text(receipt?.bundleIdentifierText ?? entry("bid"))
        case 3: .text(receipt?.appVersionText ?? entry("bvrs"))
        case 4: .text(receipt?.originalAppVersionText)
        case 5: Value(receipt?.creationDate)
        case 6: Value(receipt?.purchaseDate)
        case 7: Value(receipt?.originalPurchaseDate)
        case 8: Value(receipt?.preorderDate)
        case 9: Value(receipt?.expirationDate)
        case 10: .number(receipt?.appStoreIdentifier)
        case 11: .number(receipt?.developerIdentifier)
        case 12: .number(receipt?.downloadIdentifier)
        case 13: .number(receipt?.versionExternalIdentifier)
        case 14: .text(receipt?.ageRatingText)
        case 15: .number(receipt?.platform)
        case 16: .octets(receipt?.opaqueValue)
        case 17: .octets(receipt?.sha1Hash)
        case 18: .octets(receipt?.signingCertificate ?? transaction?.signingCertificate)
        case 19: .octets(rootFingerprint.map { $0[...] })
        case 20: .text(status == .ok ? notChecked[...] : nil)
        default: throw .badValue
        }
    }

    /// The value of a purchase with a number.
    fileprivate func value(_ field: Int32, ofPurchase index: Int) throws(Status) -> Value {
        guard index >= 0, index < purchaseCount else { throw .outOfRange }
        guard let purchase = purchases?[index] else { return try transactionValue(field) }
        return switch field {
        case 101: .number(purchase.quantity)
        case 102: .text(purchase.productIdentifierText)
        case 103: .text(purchase.transactionIdentifierText)
        case 104: .text(purchase.originalTransactionIdentifierText)
        case 105: Value(purchase.purchaseDate)
        case 106: Value(purchase.originalPurchaseDate)
        case 107: Value(purchase.expiresDate)
        case 108: Value(purchase.cancellationDate)
        case 109: .number(purchase.cancellationReason)
        case 110: .number(purchase.productTypeNumber)
        case 111: .number(purchase.webOrderLineItemIdentifier)
        case 112: Value(purchase.isTrialPeriod)
        case 113: Value(purchase.isInIntroductoryOfferPeriod)
        case 114: .text(purchase.promotionalOfferIdentifierText)
        case 115: .number(purchase.ownershipNumber)
        default: throw .badValue
        }
    }

    /// The value of the purchase of a transaction receipt.
    private func transactionValue(_ field: Int32) throws(Status) -> Value {
        switch field {
        case 101: .number(transaction?.quantity.map { Int64($0) })
        case 102: .text(entry("product-id"))
        case 103: .text(entry("transaction-id"))
        case 104: .text(entry("original-transaction-id"))
        case 105: Value(transaction?.purchaseDate)
        case 106: Value(transaction?.originalPurchaseDate)
        case 107: Value(transaction?.expiresDate)
        case 108: Value(transaction?.cancellationDate)
        case 109, 110, 115: .number(nil)
        case 111: .text(entry("web-order-line-item-id"))
        case 112: Value(transaction?.isTrialPeriod)
        case 113: Value(transaction?.isInIntroductoryOfferPeriod)
        case 114: .text(nil)
        default: throw .badValue
        }
    }
}

@c @implementation
public func app_receipt_result_text(
    _ result: OpaquePointer?,
    _ field: Int32,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
    status { () throws(Status) in
        let outcome = try unsafe object(result, Outcome.self)
        guard case .text(let text) = try outcome.value(field) else { throw .badValue }
        return try unsafe write(text, buffer, capacity, length)
    }
}

@c @implementation
public func app_receipt_result_octets(
    _ result: OpaquePointer?,
    _ field: Int32,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
    status { () throws(Status) in
        let outcome = try unsafe object(result, Outcome.self)
        guard case .octets(let octets) = try outcome.value(field) else { throw .badValue }
        return try unsafe write(octets, buffer, capacity, length)
    }
}

@c @implementation
public func app_receipt_result_integer(
    _ result: OpaquePointer?,
    _ field: Int32,
    _ value: UnsafeMutablePointer<Int64>?
) -> Int32 {
    status { () throws(Status) in
        let outcome = try unsafe object(result, Outcome.self)
        return try unsafe write(try outcome.value(field), value)
    }
}

@c @implementation
public func app_receipt_result_purchase_count(
    _ result: OpaquePointer?,
    _ count: UnsafeMutablePointer<Int>?
) -> Int32 {
    status { () throws(Status) in
        let outcome = try unsafe object(result, Outcome.self)
        let place = try unsafe place(count)
        unsafe place.pointee = outcome.purchaseCount
        return .ok
    }
}

@c @implementation
public func app_receipt_purchase_text(
    _ result: OpaquePointer?,
    _ index: Int,
    _ field: Int32,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
    status { () throws(Status) in
        let outcome = try unsafe object(result, Outcome.self)
        guard case .text(let text) = try outcome.value(field, ofPurchase: index) else { throw .badValue }
        return try unsafe write(text, buffer, capacity, length)
    }
}

@c @implementation
public func app_receipt_purchase_integer(
    _ result: OpaquePointer?,
    _ index: Int,
    _ field: Int32,
    _ value: UnsafeMutablePointer<Int64>?
) -> Int32 {
    status { () throws(Status) in
        let outcome = try unsafe object(result, Outcome.self)
        return try unsafe write(try outcome.value(field, ofPurchase: index), value)
    }
}

/// Writes a number to the caller's place.
private func write(_ value: Value, _ place: UnsafeMutablePointer<Int64>?) throws(Status) -> Status {
    let place = try unsafe AppReceiptC.place(place)
    guard case .number(let number) = value else { throw .badValue }
    guard let number else { return .absent }
    unsafe place.pointee = number
    return .ok
}
