import AppReceipt
import Bytes

// Receipts and purchases for JSONEncoder, in the schema of the command line: the object `receipt` in
// Vectors/schema/result.schema.json. Names are those of Apple's verifyReceipt where its answers have one.
// Absent and empty values are null.

extension Receipt: Encodable {
    /// Encodes all values of the receipt, as `app-receipt verify --json` writes them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ReceiptKey.self)
        try container.encode(contents: self, creationDate: creationDate)
        var purchases = container.nestedUnkeyedContainer(forKey: .inApp)
        for purchase in inAppPurchases { try purchases.encode(purchase) }
    }
}

extension UnverifiedReceipt: Encodable {
    /// Encodes all values that the bytes claim, as `app-receipt inspect --json` writes them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ReceiptKey.self)
        try container.encode(contents: self, creationDate: creationDate)
        var purchases = container.nestedUnkeyedContainer(forKey: .inApp)
        for purchase in unverifiedInAppPurchases { try purchases.encode(purchase) }
    }
}

extension InAppPurchase: Encodable {
    /// Encodes all values of the purchase.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PurchaseKey.self)
        try container.encode(contents: self)
    }
}

extension UnverifiedInAppPurchase: Encodable {
    /// Encodes all values that the bytes claim.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PurchaseKey.self)
        try container.encode(contents: self)
    }
}

extension MalformedInAppPurchase: Encodable {
    private enum Key: String, CodingKey { case code, value }

    /// Encodes the error code and the octets.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("\(refusal.code.name)", forKey: .code)
        try container.encode(hex: value, forKey: .value)
    }
}

extension AppReceipt.Attribute: Encodable {
    private enum Key: String, CodingKey { case type, version, value }

    /// Encodes the type, the version and the octets.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(number: type, forKey: .type)
        try container.encode(number: version, forKey: .version)
        try container.encode(hex: value, forKey: .value)
    }
}

/// The members of the object `receipt`.
private enum ReceiptKey: String, CodingKey {
    case receiptType = "receipt_type"
    case bundleIdentifier = "bundle_id"
    case appVersion = "application_version"
    case originalAppVersion = "original_application_version"
    case creationDate = "receipt_creation_date"
    case purchaseDate = "purchase_date"
    case originalPurchaseDate = "original_purchase_date"
    case preorderDate = "preorder_date"
    case expirationDate = "expiration_date"
    case appStoreIdentifier = "app_item_id"
    case developerIdentifier = "developer_id"
    case downloadIdentifier = "download_id"
    case versionExternalIdentifier = "version_external_identifier"
    case ageRating = "age_rating"
    case platform
    case opaqueValue = "opaque_value"
    case sha1Hash = "sha1_hash"
    case inApp = "in_app"
    case malformedInApp = "malformed_in_app"
    case undocumentedAttributes = "undocumented_attributes"
}

/// The members of an element of `in_app`.
private enum PurchaseKey: String, CodingKey {
    case quantity
    case productIdentifier = "product_id"
    case transactionIdentifier = "transaction_id"
    case originalTransactionIdentifier = "original_transaction_id"
    case purchaseDate = "purchase_date"
    case originalPurchaseDate = "original_purchase_date"
    case expiresDate = "expires_date"
    case cancellationDate = "cancellation_date"
    case cancellationReason = "cancellation_reason"
    case productType = "product_type"
    case webOrderLineItemIdentifier = "web_order_line_item_id"
    case isTrialPeriod = "is_trial_period"
    case isInIntroductoryOfferPeriod = "is_in_intro_offer_period"
    case promotionalOfferIdentifier = "promotional_offer_id"
    case ownership = "in_app_ownership_type"
    case undocumentedAttributes = "undocumented_attributes"
}

extension KeyedEncodingContainer where Key == ReceiptKey {
    /// Encodes all members except `in_app`.
    fileprivate mutating func encode(
        contents receipt: some ReceiptContents,
        creationDate: Timestamp?
    ) throws {
        try encode(receipt.environmentName, forKey: .receiptType)
        try encode(receipt.bundleIdentifier, forKey: .bundleIdentifier)
        try encode(receipt.appVersion, forKey: .appVersion)
        try encode(receipt.originalAppVersion, forKey: .originalAppVersion)
        try encode(date: creationDate, forKey: .creationDate)
        try encode(date: receipt.purchaseDate, forKey: .purchaseDate)
        try encode(date: receipt.originalPurchaseDate, forKey: .originalPurchaseDate)
        try encode(date: receipt.preorderDate, forKey: .preorderDate)
        try encode(date: receipt.expirationDate, forKey: .expirationDate)
        try encode(identifier: receipt.appStoreIdentifier, forKey: .appStoreIdentifier)
        try encode(identifier: receipt.developerIdentifier, forKey: .developerIdentifier)
        try encode(identifier: receipt.downloadIdentifier, forKey: .downloadIdentifier)
        try encode(identifier: receipt.versionExternalIdentifier, forKey: .versionExternalIdentifier)
        try encode(receipt.ageRating, forKey: .ageRating)
        try encode(number: receipt.platform, forKey: .platform)
        try encode(hex: receipt.opaqueValue, forKey: .opaqueValue)
        try encode(hex: receipt.sha1Hash, forKey: .sha1Hash)
        try encode(receipt.malformedInAppPurchases, forKey: .malformedInApp)
        try encode(receipt.attributes.undocumented, forKey: .undocumentedAttributes)
    }
}

extension KeyedEncodingContainer where Key == PurchaseKey {
    fileprivate mutating func encode(contents purchase: some InAppPurchaseContents) throws {
        try encode(number: purchase.quantity, forKey: .quantity)
        try encode(purchase.productIdentifier, forKey: .productIdentifier)
        try encode(purchase.transactionIdentifier, forKey: .transactionIdentifier)
        try encode(purchase.originalTransactionIdentifier, forKey: .originalTransactionIdentifier)
        try encode(date: purchase.purchaseDate, forKey: .purchaseDate)
        try encode(date: purchase.originalPurchaseDate, forKey: .originalPurchaseDate)
        try encode(date: purchase.expiresDate, forKey: .expiresDate)
        try encode(date: purchase.cancellationDate, forKey: .cancellationDate)
        try encode(number: purchase.cancellationReason, forKey: .cancellationReason)
        try encode(number: purchase.productTypeNumber, forKey: .productType)
        try encode(identifier: purchase.webOrderLineItemIdentifier, forKey: .webOrderLineItemIdentifier)
        try encode(purchase.isTrialPeriod, forKey: .isTrialPeriod)
        try encode(purchase.isInIntroductoryOfferPeriod, forKey: .isInIntroductoryOfferPeriod)
        try encode(purchase.promotionalOfferIdentifier, forKey: .promotionalOfferIdentifier)
        try encode(purchase.ownership?.answerName, forKey: .ownership)
        try encode(purchase.attributes.undocumented, forKey: .undocumentedAttributes)
    }
}

extension KeyedEncodingContainer {
    /// Encodes a date in RFC 3339 and UTC, or null for nil.
    fileprivate mutating func encode(date: Timestamp?, forKey key: Key) throws {
        try encode(date?.description, forKey: key)
    }

    /// Encodes a string of decimal digits, or null for nil.
    fileprivate mutating func encode(identifier: Int64?, forKey key: Key) throws {
        try encode(identifier.map { String($0) }, forKey: key)
    }

    /// Encodes a string of hexadecimal digits in lower case, or null for nil.
    fileprivate mutating func encode(hex octets: ArraySlice<UInt8>?, forKey key: Key) throws {
        try encode(octets.map { Hexadecimal.digits(of: $0.borrowedSpan) }, forKey: key)
    }

    /// Encodes a number, or null for nil.
    ///
    /// A number outside of -(2^53 - 1) to 2^53 - 1 is a string: most JSON readers hold numbers in binary64
    /// and would change its last digits (RFC 8259 §6).
    fileprivate mutating func encode(number: Int64?, forKey key: Key) throws {
        if let number, number.magnitude >= 1 << 53 {
            try encode(String(number), forKey: key)
        } else {
            try encode(number, forKey: key)
        }
    }
}

extension [AppReceipt.Attribute] {
    /// The attributes whose type has no published name.
    fileprivate var undocumented: Self { filter { AttributeTypes.name(ofType: $0.type) == nil } }
}

extension InAppPurchase.Ownership {
    /// The name in Apple's answers.
    fileprivate var answerName: String {
        switch self {
        case .purchased: "PURCHASED"
        case .familyShared: "FAMILY_SHARED"
        }
    }
}
