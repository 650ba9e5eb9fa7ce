import AppReceipt
import Basics
import Foundation
import JSONText

// Reading an answer. The reader of JSON is the package's own: it locates the wanted members and builds
// nothing else, so a hostile answer costs time and memory in proportion to its length.

extension VerifyReceiptClient.Answer {
    /// Reads the JSON body of an answer that came from `endpoint`.
    ///
    /// - Throws: `unreadableAnswer` unless the body is a JSON object whose `status` is an integer in the
    ///   range of `Int` and that nests values at most 64 deep, and `listTooLong` if a list that is read is
    ///   longer than `AnswerValue.maximumCount`.
    init(_ body: Data, from endpoint: VerifyReceiptClient.Endpoint) throws(VerifyReceiptClient.Failure) {
        guard let object = AnswerValue([UInt8](body)).object(), let number = object["status"]?.number,
            let status = Int(exactly: number)
        else { throw .unreadableAnswer }
        self.body = body
        self.endpoint = endpoint
        self.status = VerifyReceiptClient.Status(rawValue: status)
        environment = object["environment"]?.text
        isRetryable = object["is_retryable"]?.flag ?? object["is-retryable"]?.flag
        latestReceipt = object["latest_receipt"]?.text
        // An answer about an iOS 6 receipt has one object here instead of an array.
        let latest = object["latest_receipt_info"] ?? object["latest_expired_receipt_info"]
        latestTransactions = try latest?.objects().map(Transaction.init) ?? []
        pendingRenewals = try object["pending_renewal_info"]?.objects().map(PendingRenewal.init) ?? []
        if let receipt = object["receipt"], let members = receipt.object() {
            // An iOS 6 receipt is itself one purchase.
            let purchases = members["in_app"] ?? (members["product_id"] == nil ? nil : receipt)
            self.receipt = Receipt(
                inAppPurchases: try purchases?.objects().map(Transaction.init) ?? [],
                members: members
            )
        } else {
            receipt = nil
        }
    }
}

/// The members of a JSON object that the package reads, by their names. Other members are left out.
typealias AnswerObject = [String: AnswerValue]

/// A JSON value, as a byte range of the answer's text. Apple writes many numbers and flags as strings, so
/// ``integer`` and ``flag`` also read strings, and ``text`` also reads integers of 64 bits.
struct AnswerValue: Sendable {
    private let bytes: [UInt8]
    private let range: Range<Int>

    /// The largest number of elements in a list that is read: 65,536.
    static let maximumCount = 1 << 16

    /// The names of all members that are read, whichever object has them. Other members are skipped.
    private static let names = JSONNames(
        [
            "status", "environment", "is_retryable", "is-retryable", "receipt", "latest_receipt",
            "latest_receipt_info", "latest_expired_receipt_info", "pending_renewal_info",
            "bundle_id", "bid", "application_version", "bvrs", "original_application_version", "receipt_type",
            "receipt_creation_date_ms", "in_app", "quantity", "product_id", "transaction_id",
            "original_transaction_id", "web_order_line_item_id", "purchase_date_ms",
            "original_purchase_date_ms", "expires_date_ms", "expires_date", "cancellation_date_ms",
            "cancellation_reason", "is_trial_period", "is_in_intro_offer_period", "is_upgraded",
            "in_app_ownership_type", "promotional_offer_id", "subscription_group_identifier",
            "app_account_token", "auto_renew_product_id", "auto_renew_status", "expiration_intent",
            "is_in_billing_retry_period", "grace_period_expires_date_ms",
        ].map { [UInt8]($0.utf8) }
    )

    init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

    private init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    /// The members of this object whose names are in ``names``; nil if the value is no object, is not JSON,
    /// or nests values more than 64 deep. If several members have one name, the last counts.
    func object() -> AnswerObject? {
        var reader = JSONReader(bytes, in: range)
        guard let members = try? reader.members(named: Self.names) else { return nil }
        var values: AnswerObject = [:]
        for member in members {
            guard let name = JSONReader.unescaped(member.name, bytes) else { continue }
            values[String(decoding: name, as: UTF8.self)] = AnswerValue(bytes, member.value)
        }
        return values
    }

    /// The objects in this array, or this object alone; else empty. Elements that are no objects are skipped.
    ///
    /// - Throws: `listTooLong` if there are more elements than ``maximumCount``.
    func objects() throws(VerifyReceiptClient.Failure) -> [AnswerObject] {
        if let object = object() { return [object] }
        var reader = JSONReader(bytes, in: range)
        guard let elements = try? reader.elements() else { return [] }
        guard elements.count <= Self.maximumCount else { throw .listTooLong(limit: Self.maximumCount) }
        return elements.compactMap { AnswerValue(bytes, $0).object() }
    }

    /// The value of a JSON number; nil for any other value, for a number with a fraction or an exponent,
    /// and for a number that does not fit in a signed integer of 64 bits.
    var number: Int64? {
        Int64(String(decoding: bytes[range], as: UTF8.self))
    }

    /// The text of a JSON string, or a 64-bit integer in decimal; nil for any other value, and for a string
    /// with half of a surrogate pair.
    var text: String? {
        if let octets = JSONReader.string(range, bytes) { return String(decoding: octets, as: UTF8.self) }
        return number.map { String($0) }
    }

    /// The 64-bit integer that a JSON number or a string has; nil for any other value.
    var integer: Int64? { text.flatMap { Int64($0) } }

    /// True for `true`, `"true"`, `1` and `"1"`; false for `false`, `"false"`, `0` and `"0"`; else nil.
    var flag: Bool? {
        switch text ?? String(decoding: bytes[range], as: UTF8.self) {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    /// The time whose milliseconds since 1970 are ``integer``; nil if the value is no integer.
    var time: Timestamp? { integer.map { Timestamp(millisecondsSince1970: $0) } }
}

extension AnswerValue: Hashable {
    /// Whether both values have the same JSON text, byte for byte.
    static func == (one: Self, other: Self) -> Bool { one.bytes[one.range] == other.bytes[other.range] }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes[range]) }
}
