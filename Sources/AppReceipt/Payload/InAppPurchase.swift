import DER

/// One in-app purchase of a validated receipt.
///
/// Two purchases are equal when the octets of their attribute values are equal, byte for byte, whatever their
/// receipts. Only a ``Receipt`` makes one, so code that grants something can require this type.
public struct InAppPurchase: InAppPurchaseContents {
    let contents: PurchaseContents

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
    }

    /// The identity of a purchase in a list: its transaction identifier, or its position in the receipt if
    /// the purchase has no transaction identifier.
    ///
    /// A transaction identifier stays when the app gets a newer receipt; a position may change. Two purchases
    /// with one transaction identifier have one identity, so do not count purchases by it.
    public enum ID: Sendable, Hashable {
        /// The transaction identifier (1703).
        case transaction(String)
        /// The number of the purchase among all attributes of type 17 of the receipt, from zero.
        case position(Int)
    }

    public var id: ID { contents.id }

    /// The same values as claims. See ``Receipt/unverified``.
    package var unverified: UnverifiedInAppPurchase { UnverifiedInAppPurchase(contents: contents) }
}

extension InAppPurchase {
    public var quantity: Int64? { contents.fields.quantity }
    public var productIdentifier: String { contents.string(contents.fields.productIdentifier) ?? "" }
    public var transactionIdentifier: String? { contents.string(contents.fields.transactionIdentifier) }
    public var purchaseDate: Timestamp? { contents.fields.purchaseDate }
    public var originalTransactionIdentifier: String? {
        contents.string(contents.fields.originalTransactionIdentifier)
    }
    public var originalPurchaseDate: Timestamp? { contents.fields.originalPurchaseDate }
    public var productTypeNumber: Int64? { contents.fields.productType }
    public var expiresDate: Timestamp? { contents.fields.expiresDate }
    public var webOrderLineItemIdentifier: Int64? { contents.fields.webOrderLineItemIdentifier }
    public var cancellationDate: Timestamp? { contents.fields.cancellationDate }
    public var isTrialPeriod: Bool? { contents.fields.isTrialPeriod }
    public var isInIntroductoryOfferPeriod: Bool? { contents.fields.isInIntroductoryOfferPeriod }
    public var cancellationReason: Int64? { contents.fields.cancellationReason }
    public var promotionalOfferIdentifier: String? {
        contents.string(contents.fields.promotionalOfferIdentifier)
    }
    public var ownershipNumber: Int64? { contents.fields.ownership }
    public var attributes: [Attribute] { contents.attributes }

    public func matches(productIdentifier identifier: String) -> Bool {
        contents.buffer.holds(contents.fields.productIdentifier, identifier)
    }

    public func matches(transactionIdentifier identifier: String) -> Bool {
        contents.buffer.holds(contents.fields.transactionIdentifier, identifier)
    }

    public func matches(originalTransactionIdentifier identifier: String) -> Bool {
        contents.buffer.holds(contents.fields.originalTransactionIdentifier, identifier)
    }
}
