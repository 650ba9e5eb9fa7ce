// The one table of attribute types: every number of a receipt and of a purchase that has a known meaning.
//
// Apple's archived guide documents most of them. The others were observed in genuine receipts or inferred
// from the answers of Apple's endpoint. No number belongs to both a receipt and a purchase.

/// The known attribute types of a receipt. The raw value is Apple's number.
package enum ReceiptAttributeType: Int64, Sendable, CaseIterable {
    case environment = 0
    case appStoreIdentifier = 1
    case bundleIdentifier = 2
    case appVersion = 3
    case opaqueValue = 4
    case sha1Hash = 5
    case purchaseDate = 8
    case ageRating = 10
    case developerIdentifier = 11
    case creationDate = 12
    case downloadIdentifier = 15
    case versionExternalIdentifier = 16
    /// One in-app purchase. The only known type that may occur more than once.
    case inAppPurchase = 17
    case originalPurchaseDate = 18
    case originalAppVersion = 19
    case expirationDate = 21
    /// The meaning was found by observation.
    case platform = 25
    /// One source names this type, and no receipt that was seen has it. A malformed or repeated attribute
    /// counts as absent, and the receipt is still accepted.
    case preorderDate = 32

    /// The name for people, also used as `reading` in errors.
    @inline(__always)
    package var name: StaticString {
        switch self {
        case .environment: "environment"
        case .appStoreIdentifier: "App Store item id"
        case .bundleIdentifier: "bundle identifier"
        case .appVersion: "app version"
        case .opaqueValue: "opaque value"
        case .sha1Hash: "SHA-1 hash"
        case .purchaseDate: "purchase date"
        case .ageRating: "age rating"
        case .developerIdentifier: "developer id"
        case .creationDate: "creation date"
        case .downloadIdentifier: "download id"
        case .versionExternalIdentifier: "version external identifier"
        case .inAppPurchase: "in-app purchase"
        case .originalPurchaseDate: "original purchase date"
        case .originalAppVersion: "original app version"
        case .expirationDate: "expiration date"
        case .platform: "platform"
        case .preorderDate: "preorder date"
        }
    }
}

/// The known attribute types of an in-app purchase. The raw value is Apple's number.
package enum PurchaseAttributeType: Int64, Sendable, CaseIterable {
    case quantity = 1701
    case productIdentifier = 1702
    case transactionIdentifier = 1703
    case purchaseDate = 1704
    case originalTransactionIdentifier = 1705
    case originalPurchaseDate = 1706
    /// The meaning was found by observation.
    case productType = 1707
    case expiresDate = 1708
    case webOrderLineItemIdentifier = 1711
    case cancellationDate = 1712
    case isTrialPeriod = 1713
    case isInIntroductoryOfferPeriod = 1719
    case cancellationReason = 1720
    case promotionalOfferIdentifier = 1721
    /// Occurs in receipts from 2021 on. Apple does not document it; the meaning is inferred from Apple's
    /// answers. A malformed or repeated attribute counts as absent, and the purchase is still accepted.
    case ownership = 1722

    /// The name for people, also used as `reading` in errors.
    @inline(__always)
    package var name: StaticString {
        switch self {
        case .quantity: "quantity"
        case .productIdentifier: "product identifier"
        case .transactionIdentifier: "transaction identifier"
        case .purchaseDate: "purchase date"
        case .originalTransactionIdentifier: "original transaction identifier"
        case .originalPurchaseDate: "original purchase date"
        case .productType: "product type"
        case .expiresDate: "subscription expiration date"
        case .webOrderLineItemIdentifier: "web order line item id"
        case .cancellationDate: "cancellation date"
        case .isTrialPeriod: "is in trial period"
        case .isInIntroductoryOfferPeriod: "is in introductory offer period"
        case .cancellationReason: "cancellation reason"
        case .promotionalOfferIdentifier: "promotional offer identifier"
        case .ownership: "ownership"
        }
    }
}

/// Looks up attribute types of both levels by their number.
package enum AttributeTypes {
    /// The name of a type of a receipt or of a purchase; nil for an undocumented type.
    package static func name(ofType number: Int64) -> StaticString? {
        ReceiptAttributeType(rawValue: number)?.name ?? PurchaseAttributeType(rawValue: number)?.name
    }
}
