// The one table of attributes: every number of a receipt and of a purchase that has a known meaning.
//
// The payload's decoder, the results in JSON and CSV, `Encodable`, the library for C, `inspect`, the mint and
// the answers of `verifyReceipt` walk these rows. CONTRIBUTING.md says how to add one. Apple's archived guide
// documents most attributes. The others were observed in genuine receipts or inferred from the answers of
// Apple's endpoint. No number belongs to both a receipt and a purchase.

/// The encoding of an attribute's value, and its form in results.
@usableFromInline
package enum AttributeKind: Sendable {
    /// A UTF8String. An empty one reads as absent.
    case text
    /// An IA5String. An empty one reads as absent.
    case ascii
    /// An INTEGER of 0 to 2^63 - 1.
    case number
    /// An INTEGER of 0 to 2^63 - 1 that identifies something. Results write it as a string, because many JSON
    /// readers round numbers above 2^53.
    case identifier
    /// An INTEGER of 0 to 2^63 - 1: the number of an ``InAppPurchase/Ownership``, or an unknown number.
    /// Results write Apple's name for an ownership, and null for an unknown number.
    case ownership
    /// An INTEGER that is 0 for false or 1 for true.
    case flag
    /// A date of RFC 3339 in an IA5String. An empty one reads as absent.
    case date
    /// The octets of the attribute's value, which need not be DER.
    case octets
}

/// The consequence of an attribute with a malformed value, and of the second attribute of a type.
///
/// An attribute whose SEQUENCE is malformed always refuses the receipt. In a purchase, it refuses the
/// purchase alone.
@usableFromInline
package enum AttributeFault: Sendable {
    /// A malformed value refuses the receipt, and so does a second attribute of the type. In a purchase, they
    /// refuse the purchase alone.
    case refused
    /// A malformed value reads as absent, and ``ReceiptContents/malformedAttributeCount`` counts it. A second
    /// attribute of the type refuses the receipt.
    case counted
    /// A malformed value reads as absent. If a type is repeated, all its attributes read as absent. Neither
    /// is counted as malformed.
    case ignored
}

/// One row of the table of attributes: what is known of one type. The type's name in Swift is that of its
/// case in `ReceiptAttribute` or `PurchaseAttribute`.
@usableFromInline
package struct AttributeRow: Sendable {
    /// Apple's number for the type of the attribute.
    @usableFromInline package let type: Int64
    /// The row's position among the rows of a receipt or of a purchase, from zero: the order of results, and
    /// the index of the value in ``AttributeWords``.
    @usableFromInline package let position: Int
    /// The attribute's name in texts for people, also used as `reading` in errors.
    @usableFromInline package let name: StaticString
    /// The attribute's name in JSON and CSV: Apple's name if an answer of `verifyReceipt` has the value.
    @usableFromInline package let json: StaticString
    @usableFromInline package let kind: AttributeKind
    @usableFromInline package let fault: AttributeFault

    @inlinable
    init(
        _ type: Int64,
        _ position: Int,
        _ name: StaticString,
        _ json: StaticString,
        _ kind: AttributeKind,
        _ fault: AttributeFault
    ) {
        (self.type, self.position, self.name, self.json) = (type, position, name, json)
        (self.kind, self.fault) = (kind, fault)
    }

    /// The meaning of a number as the value of this type, such as `iOS` of platform 3; nil if unknown.
    package func meaning(of number: Int64) -> StaticString? {
        switch (type, number) {
        case (25, 2): "macOS"
        case (25, 3): "iOS"
        case (1707, 0): "non-consumable"
        case (1707, 1): "consumable"
        case (1707, 2): "non-renewing subscription"
        case (1707, 3): "auto-renewable subscription"
        case (1720, 0): "another reason"
        case (1720, 1): "a problem with the app"
        case (1722, 0): "purchased"
        case (1722, 1): "shared by the family"
        default: nil
        }
    }
}

/// The attributes of a receipt, in the order of results. The raw value is Apple's number, which is below 64.
///
/// A validated receipt must have ``creationDate``, the default time for judging the certificates.
@usableFromInline
package enum ReceiptAttribute: Int64, Sendable, CaseIterable {
    case environment = 0
    case bundleIdentifier = 2
    case appVersion = 3
    case originalAppVersion = 19
    case creationDate = 12
    case purchaseDate = 8
    case originalPurchaseDate = 18
    /// The date of a preorder. One source names this type, and no receipt that was seen has it.
    case preorderDate = 32
    case expirationDate = 21
    case appStoreIdentifier = 1
    case developerIdentifier = 11
    case downloadIdentifier = 15
    case versionExternalIdentifier = 16
    case ageRating = 10
    /// The platform: 2 for macOS, 3 for iOS. The meaning was found by observation.
    case platform = 25
    case opaqueValue = 4
    case sha1Hash = 5

    /// The number of an attribute that is an in-app purchase. It may occur any number of times.
    package static var inAppPurchase: Int64 { 17 }

    @inlinable @inline(__always)
    package var row: AttributeRow {
        switch self {
        case .environment: row(0, "environment", "receipt_type", .text, .refused)
        case .bundleIdentifier: row(1, "bundle identifier", "bundle_id", .text, .refused)
        case .appVersion: row(2, "app version", "application_version", .text, .refused)
        case .originalAppVersion:
            row(3, "original app version", "original_application_version", .text, .counted)
        case .creationDate: row(4, "creation date", "receipt_creation_date", .date, .refused)
        case .purchaseDate: row(5, "purchase date", "purchase_date", .date, .counted)
        case .originalPurchaseDate:
            row(6, "original purchase date", "original_purchase_date", .date, .counted)
        case .preorderDate: row(7, "preorder date", "preorder_date", .date, .ignored)
        case .expirationDate: row(8, "expiration date", "expiration_date", .date, .refused)
        case .appStoreIdentifier: row(9, "App Store item id", "app_item_id", .identifier, .counted)
        case .developerIdentifier: row(10, "developer id", "developer_id", .identifier, .counted)
        case .downloadIdentifier: row(11, "download id", "download_id", .identifier, .counted)
        case .versionExternalIdentifier:
            row(12, "version external id", "version_external_identifier", .identifier, .counted)
        case .ageRating: row(13, "age rating", "age_rating", .ascii, .counted)
        case .platform: row(14, "platform", "platform", .number, .counted)
        case .opaqueValue: row(15, "opaque value", "opaque_value", .octets, .refused)
        case .sha1Hash: row(16, "SHA-1 hash", "sha1_hash", .octets, .refused)
        }
    }
}

/// The attributes of an in-app purchase, in the order of results. The raw value is Apple's number. It is at
/// least 1701 and at most 1763.
///
/// ``productIdentifier`` is required: a purchase without it does not decode.
@usableFromInline
package enum PurchaseAttribute: Int64, Sendable, CaseIterable {
    case quantity = 1701
    case productIdentifier = 1702
    case transactionIdentifier = 1703
    case originalTransactionIdentifier = 1705
    case purchaseDate = 1704
    case originalPurchaseDate = 1706
    case expiresDate = 1708
    case cancellationDate = 1712
    case cancellationReason = 1720
    /// The kind of product: a number. Numbers from 0 to 3 are known. The meaning was found by observation.
    case productType = 1707
    case webOrderLineItemIdentifier = 1711
    case isTrialPeriod = 1713
    case isInIntroductoryOfferPeriod = 1719
    case promotionalOfferIdentifier = 1721
    /// Whether the customer bought the product or a family member shares it, in receipts from 2021 on. The
    /// meaning was inferred from Apple's answers.
    case ownership = 1722

    @inlinable @inline(__always)
    package var row: AttributeRow {
        switch self {
        case .quantity: row(0, "quantity", "quantity", .number)
        case .productIdentifier: row(1, "product identifier", "product_id", .text)
        case .transactionIdentifier: row(2, "transaction identifier", "transaction_id", .text)
        case .originalTransactionIdentifier:
            row(3, "original transaction identifier", "original_transaction_id", .text)
        case .purchaseDate: row(4, "purchase date", "purchase_date", .date)
        case .originalPurchaseDate: row(5, "original purchase date", "original_purchase_date", .date)
        case .expiresDate: row(6, "subscription expiration date", "expires_date", .date)
        case .cancellationDate: row(7, "cancellation date", "cancellation_date", .date)
        case .cancellationReason: row(8, "cancellation reason", "cancellation_reason", .number)
        case .productType: row(9, "product type", "product_type", .number)
        case .webOrderLineItemIdentifier:
            row(10, "web order line item id", "web_order_line_item_id", .identifier)
        case .isTrialPeriod: row(11, "is in trial period", "is_trial_period", .flag)
        case .isInIntroductoryOfferPeriod:
            row(12, "is in introductory offer period", "is_in_intro_offer_period", .flag)
        case .promotionalOfferIdentifier:
            row(13, "promotional offer identifier", "promotional_offer_id", .text)
        case .ownership: row(14, "ownership", "in_app_ownership_type", .ownership, .ignored)
        }
    }
}

extension RawRepresentable<Int64> {
    @inlinable @inline(__always)
    func row(
        _ position: Int,
        _ name: StaticString,
        _ json: StaticString,
        _ kind: AttributeKind,
        _ fault: AttributeFault = .refused
    ) -> AttributeRow {
        AttributeRow(rawValue, position, name, json, kind, fault)
    }
}

extension ReceiptAttribute {
    /// The attribute of a receipt whose row has this position; nil if there is none.
    package init?(position: Int) {
        guard let type = (0..<64).first(where: { Self(rawValue: $0)?.row.position == position }) else {
            return nil
        }
        self.init(rawValue: type)
    }
}

extension PurchaseAttribute {
    /// The attribute of a purchase whose row has this position; nil if there is none.
    package init?(position: Int) {
        guard let type = (1701..<1764).first(where: { Self(rawValue: $0)?.row.position == position }) else {
            return nil
        }
        self.init(rawValue: type)
    }
}

/// Attributes of a receipt that were observed, that Apple does not document, and that the library does not
/// decode. Results list them with the undocumented attributes, and `inspect` shows their names.
package enum ObservedAttribute: Int64, Sendable, CaseIterable {
    /// An INTEGER whose octets are ASCII, such as `P305`: the version of the tool that made the receipt.
    case toolVersion = 9
    /// The version of the system, such as 130401 for 13.4.1.
    case systemVersion = 13
    /// A counter. It is not known what it counts.
    case counter = 14

    package var name: StaticString {
        switch self {
        case .toolVersion: "tool version"
        case .systemVersion: "system version"
        case .counter: "counter"
        }
    }
}

extension Attribute {
    /// Whether the type is 17 (an in-app purchase), a `ReceiptAttribute` or a `PurchaseAttribute`.
    package var hasRow: Bool {
        type == ReceiptAttribute.inAppPurchase || ReceiptAttribute(rawValue: type) != nil
            || PurchaseAttribute(rawValue: type) != nil
    }

    /// The name of a type of a receipt or of a purchase, observed types included; nil for an unknown type.
    package static func name(ofType type: Int64) -> StaticString? {
        type == ReceiptAttribute.inAppPurchase
            ? "in-app purchase"
            : ReceiptAttribute(rawValue: type)?.row.name ?? PurchaseAttribute(rawValue: type)?.row.name
                ?? ObservedAttribute(rawValue: type)?.name
    }
}
