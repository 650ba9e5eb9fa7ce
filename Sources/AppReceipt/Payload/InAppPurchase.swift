import Basics

/// One in-app purchase of a validated receipt.
///
/// Two purchases are equal when their whole SETs of attributes are equal, byte for byte, whatever their
/// receipts. Only a ``Receipt`` makes one, so code that grants something can require this type.
public struct InAppPurchase: InAppPurchaseContents, DecodablePurchase {
    /// The purchase's values, in the type for unverified purchases.
    public private(set) var unverified: UnverifiedInAppPurchase

    init(_ values: AttributeValues) { unverified = UnverifiedInAppPurchase(values) }

    mutating func decode(_ bytes: Span<UInt8>, purchase value: Range<Int>, position: Int, limit: Int) -> Bool
    {
        unverified.decode(bytes, purchase: value, position: position, limit: limit)
    }

    /// The kinds of product, by observation of attribute 1707.
    public enum ProductType: Int64, Sendable, Hashable {
        /// A product that is bought once and kept.
        case nonConsumable = 0
        /// A product that is used up and can be bought again.
        case consumable = 1
        /// A subscription for a fixed time.
        case nonRenewingSubscription = 2
        /// A subscription that renews until it is cancelled.
        case autoRenewableSubscription = 3
    }

    /// The ownership of a purchase, inferred from Apple's answers for attribute 1722.
    public enum Ownership: Int64, Sendable, Hashable {
        /// The customer bought the product.
        case purchased = 0
        /// A member of the customer's family bought the product and shares it.
        case familyShared = 1

        /// The value of `in_app_ownership_type` in the answers of Apple's `verifyReceipt`.
        package var answerName: StaticString {
            switch self {
            case .purchased: "PURCHASED"
            case .familyShared: "FAMILY_SHARED"
            }
        }
    }
}

/// One in-app purchase that unverified bytes claim. Show it to people, and never grant anything for it. An
/// ``InAppPurchase`` gives its values in this type, too.
///
/// The type differs from ``InAppPurchase``, so an unverified purchase cannot be passed to code that requires
/// a validated one. Two purchases are equal when their whole SETs of attributes are equal, byte for byte.
public struct UnverifiedInAppPurchase: InAppPurchaseContents, DecodablePurchase {
    /// The purchase's decoded attributes, which the properties are read from.
    @usableFromInline package private(set) var values: AttributeValues

    init(_ values: AttributeValues) { self.values = values }

    mutating func decode(_ bytes: Span<UInt8>, purchase value: Range<Int>, position: Int, limit: Int) -> Bool
    {
        values.decode(bytes, purchase: value, position: position, limit: limit)
    }

    public var unverified: Self { self }
}

/// The fields of an in-app purchase: an attribute of type 17, whose value is a SET of attributes again.
///
/// ``InAppPurchase`` has them for a validated receipt, ``UnverifiedInAppPurchase`` for bytes whose signature
/// is unverified. The number in parentheses is the type of the attribute. A field is nil if the purchase
/// lacks the attribute, and if a text or date is empty. Each access to a string property makes the
/// string anew.
public protocol InAppPurchaseContents: Sendable, Hashable, CustomStringConvertible {
    /// The purchase's values, in the type for unverified purchases.
    var unverified: UnverifiedInAppPurchase { get }
}

extension InAppPurchaseContents {
    /// The purchase's decoded attributes, which the properties are read from.
    @inlinable package var values: AttributeValues { unverified.values }
    /// The quantity that was bought (attribute 1701); nil if it is absent.
    @inlinable public var quantity: Int64? { values.number(.quantity) }
    /// The identifier of the product that was bought (attribute 1702). Every decoded purchase has one.
    @inlinable public var productIdentifier: String { values.string(.productIdentifier) ?? "" }
    /// The identifier of the transaction (attribute 1703); nil if it is absent or empty.
    @inlinable public var transactionIdentifier: String? { values.string(.transactionIdentifier) }
    /// The date when the product was bought, restored or renewed (attribute 1704); nil if absent or empty.
    @inlinable public var purchaseDate: Timestamp? { values.date(PurchaseAttribute.purchaseDate) }
    /// The identifier of the transaction that this one restores or renews (attribute 1705); nil if it is
    /// absent or empty.
    @inlinable public var originalTransactionIdentifier: String? {
        values.string(.originalTransactionIdentifier)
    }
    /// The date of the original transaction (attribute 1706); nil if it is absent or empty.
    @inlinable public var originalPurchaseDate: Timestamp? {
        values.date(PurchaseAttribute.originalPurchaseDate)
    }
    /// The kind of the product (attribute 1707); nil if it is absent or an unknown number, which
    /// ``attributes`` has.
    @inlinable public var productType: InAppPurchase.ProductType? {
        values.number(.productType).flatMap(InAppPurchase.ProductType.init)
    }
    /// The date when the subscription expires or renews (attribute 1708); nil if it is absent or empty.
    @inlinable public var expiresDate: Timestamp? { values.date(.expiresDate) }
    /// The identifier of a subscription's purchase or renewal, equal on all devices (attribute 1711); nil if
    /// it is absent.
    @inlinable public var webOrderLineItemIdentifier: Int64? { values.number(.webOrderLineItemIdentifier) }
    /// The date when Apple took the purchase back, for a refund or an upgrade (attribute 1712); nil if there
    /// is none.
    @inlinable public var cancellationDate: Timestamp? { values.date(.cancellationDate) }
    /// Whether the purchase is a subscription's free trial (attribute 1713); nil if it is absent.
    @inlinable public var isTrialPeriod: Bool? { values.flag(.isTrialPeriod) }
    /// Whether the purchase has an introductory price (attribute 1719); nil if it is absent.
    @inlinable public var isInIntroductoryOfferPeriod: Bool? { values.flag(.isInIntroductoryOfferPeriod) }
    /// The reason for the cancellation (attribute 1720): 1 for a problem with the app, 0 for another reason;
    /// nil if absent.
    @inlinable public var cancellationReason: Int64? { values.number(.cancellationReason) }
    /// The identifier of the redeemed promotional offer (attribute 1721); nil if it is absent or empty.
    @inlinable public var promotionalOfferIdentifier: String? { values.string(.promotionalOfferIdentifier) }
    /// Whether the customer bought the product or a family member shares it (attribute 1722), in receipts
    /// from 2021 on.
    ///
    /// Apple does not document the type. The ownership is nil if the attribute is absent or repeated, if its
    /// value is malformed, and for an unknown number, which ``attributes`` has. The purchase decodes even
    /// then.
    @inlinable public var ownership: InAppPurchase.Ownership? {
        values.number(.ownership).flatMap(InAppPurchase.Ownership.init)
    }

    /// All attributes of the purchase, documented or not, each with the octets of its value, in the order of
    /// the receipt.
    @inlinable public var attributes: [Attribute] { values.attributes }
}
