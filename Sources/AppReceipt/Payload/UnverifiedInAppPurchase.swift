import DER

/// One in-app purchase that unverified bytes claim. Show it to people, and never grant anything for it.
///
/// The type differs from ``InAppPurchase``, so an unverified purchase cannot be passed to code that requires
/// a validated one. Two purchases are equal when the octets of their attribute values are equal, byte for
/// byte.
public struct UnverifiedInAppPurchase: InAppPurchaseContents {
    let contents: PurchaseContents

    public var id: InAppPurchase.ID { contents.id }
}

extension UnverifiedInAppPurchase {
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
