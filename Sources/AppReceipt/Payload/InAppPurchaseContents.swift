import DER

/// The fields of an in-app purchase: an attribute of type 17, whose value is a SET of attributes again.
///
/// ``InAppPurchase`` has them for a validated receipt, ``UnverifiedInAppPurchase`` for bytes whose signature
/// is unverified. The number in parentheses is the type of the attribute. A field is nil if the receipt lacks
/// the attribute or its value is empty. Each access to a string property makes the string anew; comparing
/// with ``matches(productIdentifier:)`` makes none.
public protocol InAppPurchaseContents: Sendable, Hashable, Identifiable, CustomStringConvertible
where ID == InAppPurchase.ID {
    /// The quantity that was bought (1701).
    var quantity: Int64? { get }
    /// The product that was bought (1702). A purchase without a product does not decode.
    var productIdentifier: String { get }
    /// The identifier of the transaction (1703).
    var transactionIdentifier: String? { get }
    /// The date when the product was bought, restored or renewed (1704).
    var purchaseDate: Timestamp? { get }
    /// The identifier of the transaction that this one restores or renews (1705).
    var originalTransactionIdentifier: String? { get }
    /// The date of the original transaction (1706).
    var originalPurchaseDate: Timestamp? { get }
    /// The number of the product's type (1707). `productType` names the known numbers.
    var productTypeNumber: Int64? { get }
    /// The date when the subscription expires or renews (1708).
    var expiresDate: Timestamp? { get }
    /// The identifier of one purchase or renewal of a subscription, equal on all devices (1711).
    var webOrderLineItemIdentifier: Int64? { get }
    /// The date when Apple took the purchase back, for a refund or an upgrade (1712).
    var cancellationDate: Timestamp? { get }
    /// Whether the purchase is a subscription's free trial (1713).
    var isTrialPeriod: Bool? { get }
    /// Whether the purchase has an introductory price (1719).
    var isInIntroductoryOfferPeriod: Bool? { get }
    /// The reason for the cancellation: 1 for a problem with the app, 0 for any other reason (1720).
    var cancellationReason: Int64? { get }
    /// The promotional offer that was redeemed (1721).
    var promotionalOfferIdentifier: String? { get }
    /// The number of the ownership (1722), in receipts from 2021 on. `ownership` names the known numbers.
    ///
    /// Apple does not document the type. The number is nil if the attribute is malformed or occurs twice;
    /// the purchase decodes even then.
    var ownershipNumber: Int64? { get }

    /// Whether the product identifier equals `identifier`, byte for byte. Swift's `==` would also accept
    /// another spelling of the same text, such as é as one scalar and as e with U+0301.
    func matches(productIdentifier identifier: String) -> Bool
    /// Whether the transaction identifier equals `identifier`, byte for byte. False if there is none.
    func matches(transactionIdentifier identifier: String) -> Bool
    /// Whether the original transaction identifier equals `identifier`, byte for byte. False if there is
    /// none.
    func matches(originalTransactionIdentifier identifier: String) -> Bool

    /// All attributes with their raw values, in the order of the receipt.
    var attributes: [Attribute] { get }
}

extension InAppPurchaseContents {
    /// The kind of the product; nil if the number is absent or unknown.
    public var productType: InAppPurchase.ProductType? {
        productTypeNumber.flatMap(InAppPurchase.ProductType.init)
    }

    /// The ownership: whether the customer bought the product or a family member shares it. Nil if the number
    /// is absent or unknown.
    public var ownership: InAppPurchase.Ownership? { ownershipNumber.flatMap(InAppPurchase.Ownership.init) }

    /// The attributes of one type with their raw values. Use it to read undocumented attributes.
    public func attributes(ofType type: Int64) -> [Attribute] { attributes.filter { $0.type == type } }
}
