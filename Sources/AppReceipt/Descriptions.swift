import DER

// What a log shows of a receipt: who and when in one line, never its bytes, which a dump would.

extension Receipt: CustomStringConvertible {
    /// Such as `com.example.app 42, ProductionSandbox, created 2025-06-15T12:00:00Z`.
    public var description: String { payload.description }
}

extension UnverifiedReceipt: CustomStringConvertible {
    /// The same as of a receipt, and that it is unverified.
    public var description: String { "unverified: \(payload)" }
}

extension Payload: CustomStringConvertible {
    public var description: String {
        let app = buffer.string(bundleIdentifier) ?? "no bundle identifier"
        let version = buffer.string(appVersion).map { " \($0)" } ?? ""
        let environment = buffer.string(environment).map { ", \($0)" } ?? ""
        let created = creationDate.map { ", created \($0)" } ?? ""
        return app + version + environment + created
    }
}

extension InAppPurchase: CustomStringConvertible {
    /// Such as `com.example.pro, transaction 1000000000000001, bought 2024-05-01T12:00:00Z`.
    public var description: String {
        let transaction = transactionIdentifier.map { ", transaction \($0)" } ?? ""
        let bought = purchaseDate.map { ", bought \($0)" } ?? ""
        return productIdentifier + transaction + bought
    }
}

extension MalformedInAppPurchase: CustomStringConvertible {
    public var description: String { "malformed: \(refusal)" }
}

extension Attribute: CustomStringConvertible {
    public var description: String { "attribute \(type), \(value.count) bytes" }
}
