import DER

/// One in-app purchase of a receipt: an attribute of type 17, its value a SET of attributes again.
///
/// Fields are nil where the attribute is absent or empty. Strings are made when they are asked for; comparing
/// with ``isOf(product:)`` makes none.
public struct InAppPurchase: Sendable {
    private let buffer: AttributeBuffer
    private let set: Range<Int>

    /// How many were bought (1701).
    public private(set) var quantity: Int64?
    private var product: Range<Int>?
    private var transaction: Range<Int>?
    private var originalTransaction: Range<Int>?
    /// When it was bought, restored or renewed (1704).
    public private(set) var purchaseDate: Timestamp?
    /// When the original transaction took place (1706).
    public private(set) var originalPurchaseDate: Timestamp?
    /// The number of the product's type (1707); ``productType`` names it.
    public private(set) var productTypeNumber: Int64?
    /// When the subscription expires or renews (1708).
    public private(set) var expiresDate: Timestamp?
    /// Identifies the purchase across a subscription's renewals (1711).
    public private(set) var webOrderLineItemIdentifier: Int64?
    /// When Apple took it back: a refund, or an upgrade (1712).
    public private(set) var cancellationDate: Timestamp?
    /// Whether it is a subscription's free trial (1713).
    public private(set) var isTrialPeriod: Bool?
    /// Whether it is at an introductory price (1719).
    public private(set) var isInIntroductoryOfferPeriod: Bool?
    /// Why it was cancelled: 1 for a problem with the app, 0 for anything else (1720).
    public private(set) var cancellationReason: Int64?
    private var promotionalOffer: Range<Int>?

    /// The kinds of product, by observation of attribute 1707.
    public enum ProductType: Int64, Sendable, Hashable {
        case nonConsumable = 0
        case consumable = 1
        case nonRenewingSubscription = 2
        case autoRenewableSubscription = 3
    }

    /// Decodes the contents of one attribute of type 17.
    init(_ buffer: AttributeBuffer, _ value: Range<Int>, limits: Limits) throws(Refusal) {
        let bytes = buffer.bytes.span
        var outer = Reader(bytes, in: value)
        set = try outer.read(.set, "in-app purchase")
        try outer.finish("in-app purchase")
        self.buffer = buffer
        var walk = AttributeWalk(bytes, in: set, limits: limits, "in-app purchase")
        while let attribute = try walk.next() {
            guard Self.isDocumented(attribute.type) else { continue }
            try walk.passOnce(attribute, number: attribute.type - 1700)
            try decode(attribute.type, ValueReader(bytes, attribute))
        }
        guard product != nil else {
            throw Refusal(.missingProductIdentifier, at: value.lowerBound, reading: "in-app purchase")
        }
    }

    /// The types that have a meaning, each at most once.
    private static func isDocumented(_ type: Int64) -> Bool {
        switch type {
        case 1701...1708, 1711...1713, 1719...1721: true
        default: false
        }
    }

    private mutating func decode(_ type: Int64, _ value: borrowing ValueReader) throws(Refusal) {
        switch type {
        case 1701: quantity = try value.number("quantity")
        case 1702: product = try value.utf8("product identifier")
        case 1703: transaction = try value.utf8("transaction identifier")
        case 1704: purchaseDate = try value.date("purchase date")
        case 1705: originalTransaction = try value.utf8("original transaction identifier")
        case 1706: originalPurchaseDate = try value.date("original purchase date")
        case 1707: productTypeNumber = try value.number("product type")
        case 1708: expiresDate = try value.date("subscription expiration date")
        case 1711: webOrderLineItemIdentifier = try value.number("web order line item id")
        case 1712: cancellationDate = try value.date("cancellation date")
        case 1713: isTrialPeriod = try value.flag("is in trial period")
        case 1719: isInIntroductoryOfferPeriod = try value.flag("is in introductory offer period")
        case 1720: cancellationReason = try value.number("cancellation reason")
        case 1721: promotionalOffer = try value.utf8("promotional offer identifier")
        default: break
        }
    }
}

extension InAppPurchase {
    /// The product that was bought (1702).
    public var productIdentifier: String { buffer.string(product) ?? "" }
    /// Identifies the transaction (1703).
    public var transactionIdentifier: String? { buffer.string(transaction) }
    /// Identifies the transaction that this one restores or renews (1705).
    public var originalTransactionIdentifier: String? { buffer.string(originalTransaction) }
    /// The offer that was redeemed (1721).
    public var promotionalOfferIdentifier: String? { buffer.string(promotionalOffer) }
    /// What kind of product it is; nil where the number is absent, or not one of those known.
    public var productType: ProductType? { productTypeNumber.flatMap(ProductType.init) }

    /// Whether the product identifier is this one, byte for byte: Swift's `==` would take é for e with an
    /// accent.
    public func isOf(product identifier: String) -> Bool { buffer.holds(product, identifier) }
    /// Whether the transaction identifier is this one, byte for byte.
    public func isTransaction(_ identifier: String) -> Bool { buffer.holds(transaction, identifier) }

    /// The attributes of a type, raw; for what is undocumented.
    public func attributes(ofType type: Int64) -> [Attribute] { attributes.filter { $0.type == type } }
    /// All attributes, raw, in the order of the receipt.
    public var attributes: [Attribute] { buffer.attributes(in: set) }
}
