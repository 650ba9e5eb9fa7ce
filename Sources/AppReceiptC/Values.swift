import AppReceipt
import Basics
import CAppReceipt
import TransactionReceipt

// The values of a result by the numbers of `app_receipt.h`.

/// A value of a result, by its type. The case holds nil for a refusal, and if the receipt lacks the value or
/// has it malformed. An attribute, or an entry of a purchase-info, that is an empty text counts as missing.
private enum Value {
    case text(ArraySlice<UInt8>?)
    case octets(ArraySlice<UInt8>?)
    case number(Int64?)

    init(_ date: Timestamp?) { self = .number(date?.millisecondsSince1970) }
    init(_ flag: Bool?) { self = .number(flag.map { $0 ? 1 : 0 }) }

    /// The value of the attribute that `row` describes. The case holds nil if `values` is nil, or has no
    /// value for the attribute.
    init(_ row: AttributeRow, of values: AttributeValues?) {
        switch row.kind {
        case .text, .ascii: self = .text(values?.octets(row))
        case .octets: self = .octets(values?.octets(row))
        case .number, .identifier, .ownership, .flag: self = .number(values?.number(row))
        case .date: self = Value(values?.date(row))
        }
    }
}

// A number of `app_receipt.h` is the position of a row plus a base. A receipt's rows begin at 1 and a
// purchase's at 101; the rows that came after the values between them begin at 22 and at 117. With an `Int`
// of 32 bits the difference may wrap around, to a position that no row has.

extension ReceiptAttribute {
    fileprivate init?(field: Int32) { self.init(position: Int(field) &- (field < 18 ? 1 : 5)) }
}

extension PurchaseAttribute {
    fileprivate init?(field: Int32) { self.init(position: Int(field) &- (field < 116 ? 101 : 102)) }
}

extension Outcome {
    /// The receipt's value with the number `field` in `app_receipt.h`. Throws `badValue` for another number.
    fileprivate func value(_ field: Int32) throws(Status) -> Value {
        switch field {
        case 18: return .octets(receipt?.signingCertificate ?? transaction?.signingCertificate)
        case 19: return .octets(rootFingerprint.map { $0[...] })
        case 20: return .text(status == .ok ? notChecked[...] : nil)
        case 21: return .octets(contentDigest.map { $0[...] })
        default: break
        }
        guard let one = ReceiptAttribute(field: field) else { throw .badValue }
        switch one {
        case .environment where receipt == nil: return .text(transaction?.claimedEnvironmentText)
        case .bundleIdentifier where receipt == nil: return .text(entry("bid"))
        case .appVersion where receipt == nil: return .text(entry("bvrs"))
        default: return Value(one.row, of: receipt?.values)
        }
    }

    /// A purchase's value with the number `field` in `app_receipt.h`. Throws `outOfRange` for an index
    /// without a purchase, and `badValue` for another number.
    fileprivate func value(_ field: Int32, ofPurchase index: Int) throws(Status) -> Value {
        guard index >= 0, index < purchaseCount else { throw .outOfRange }
        if field == 116 { return .text(entry("subscription-group-identifier")) }
        guard let one = PurchaseAttribute(field: field) else { throw .badValue }
        guard let purchase = purchases?[index] else { return transactionValue(one) }
        return Value(one.row, of: purchase.values)
    }

    /// The value of an attribute of a transaction receipt's one purchase; nil inside the case if it has none.
    private func transactionValue(_ one: PurchaseAttribute) -> Value {
        switch one {
        case .quantity: .number(transaction?.quantity.map { Int64($0) })
        case .productIdentifier: .text(entry("product-id"))
        case .transactionIdentifier: .text(entry("transaction-id"))
        case .originalTransactionIdentifier: .text(entry("original-transaction-id"))
        case .purchaseDate: Value(transaction?.purchaseDate)
        case .originalPurchaseDate: Value(transaction?.originalPurchaseDate)
        case .expiresDate: Value(transaction?.expiresDate)
        case .cancellationDate: Value(transaction?.cancellationDate)
        case .webOrderLineItemIdentifier: .text(entry("web-order-line-item-id"))
        case .isTrialPeriod: Value(transaction?.isTrialPeriod)
        case .isInIntroductoryOfferPeriod: Value(transaction?.isInIntroductoryOfferPeriod)
        case .ownership: .number(transaction?.ownership?.rawValue)
        default: Value(one.row, of: nil)
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
    unsafe with(result, Outcome.self) { (outcome) throws(Status) in
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
    unsafe with(result, Outcome.self) { (outcome) throws(Status) in
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
    unsafe with(result, Outcome.self) { (outcome) throws(Status) in
        return try unsafe write(try outcome.value(field), value)
    }
}

@c @implementation
public func app_receipt_result_purchase_count(
    _ result: OpaquePointer?,
    _ count: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe with(result, Outcome.self) { (outcome) throws(Status) in
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
    unsafe with(result, Outcome.self) { (outcome) throws(Status) in
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
    unsafe with(result, Outcome.self) { (outcome) throws(Status) in
        return try unsafe write(try outcome.value(field, ofPurchase: index), value)
    }
}

/// Writes a number to a caller's variable, or returns `absent` for nil. Throws `badValue` for a text or
/// octets, and `nullArgument` for NULL.
private func write(_ value: Value, _ place: UnsafeMutablePointer<Int64>?) throws(Status) -> Status {
    let place = try unsafe AppReceiptC.place(place)
    guard case .number(let number) = value else { throw .badValue }
    guard let number else { return .absent }
    unsafe place.pointee = number
    return .ok
}
