import DER

/// One in-app purchase of a receipt: an attribute of type 17, its value a SET of attributes again.
///
/// Fields are nil where the attribute is absent or empty. Strings are made when they are asked for; comparing
/// with ``isOf(product:)`` makes none.
public struct InAppPurchase: Sendable {
    private let buffer: AttributeBuffer
    private let fields: Fields

    /// The kinds of product, by observation of attribute 1707.
    public enum ProductType: Int64, Sendable, Hashable {
        case nonConsumable = 0
        case consumable = 1
        case nonRenewingSubscription = 2
        case autoRenewableSubscription = 3
    }

    /// Decodes the value of one attribute of type 17.
    init(_ buffer: AttributeBuffer, _ value: Range<Int>, limits: Limits) throws(Refusal) {
        fields = try Fields(buffer.bytes.span, value, limits: limits)
        self.buffer = buffer
    }
}

extension InAppPurchase {
    /// What is kept of the attributes beside their buffer.
    struct Fields {
        let set: Range<Int>
        @CompactNumber private(set) var quantity: Int64?
        @CompactRange private(set) var product: Range<Int>?
        @CompactRange private(set) var transaction: Range<Int>?
        @CompactTime private(set) var purchaseDate: Timestamp?
        @CompactRange private(set) var originalTransaction: Range<Int>?
        @CompactTime private(set) var originalPurchaseDate: Timestamp?
        @CompactNumber private(set) var productType: Int64?
        @CompactTime private(set) var expiresDate: Timestamp?
        @CompactNumber private(set) var webOrderLineItem: Int64?
        @CompactTime private(set) var cancellationDate: Timestamp?
        private(set) var isTrialPeriod: Bool?
        private(set) var isInIntroductoryOfferPeriod: Bool?
        @CompactNumber private(set) var cancellationReason: Int64?
        @CompactRange private(set) var promotionalOffer: Range<Int>?

        /// Decodes the value of one attribute of type 17.
        init(_ bytes: Span<UInt8>, _ value: Range<Int>, limits: Limits) throws(Refusal) {
            var outer = Reader(bytes, in: value)
            set = try outer.read(.set, "in-app purchase")
            try outer.finish("in-app purchase")
            var walk = AttributeWalk(bytes, in: set, limits: limits, "in-app purchase")
            while let attribute = try walk.next() {
                guard Self.isDocumented(attribute.type) else { continue }
                try walk.passOnce(attribute, number: attribute.type - 1700)
                let value = ValueReader(bytes, attribute)
                switch attribute.type {
                case 1701: quantity = try value.number("quantity")
                case 1702: product = try value.utf8("product identifier")
                case 1703: transaction = try value.utf8("transaction identifier")
                case 1704: purchaseDate = try value.date("purchase date")
                case 1705: originalTransaction = try value.utf8("original transaction identifier")
                case 1706: originalPurchaseDate = try value.date("original purchase date")
                case 1707: productType = try value.number("product type")
                case 1708: expiresDate = try value.date("subscription expiration date")
                case 1711: webOrderLineItem = try value.number("web order line item id")
                case 1712: cancellationDate = try value.date("cancellation date")
                case 1713: isTrialPeriod = try value.flag("is in trial period")
                case 1719: isInIntroductoryOfferPeriod = try value.flag("is in introductory offer period")
                case 1720: cancellationReason = try value.number("cancellation reason")
                case 1721: promotionalOffer = try value.utf8("promotional offer identifier")
                default: break
                }
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
    }
}

extension InAppPurchase {
    /// How many were bought (1701).
    public var quantity: Int64? { fields.quantity }
    /// When it was bought, restored or renewed (1704).
    public var purchaseDate: Timestamp? { fields.purchaseDate }
    /// When the original transaction took place (1706).
    public var originalPurchaseDate: Timestamp? { fields.originalPurchaseDate }
    /// The number of the product's type (1707); ``productType`` names it.
    public var productTypeNumber: Int64? { fields.productType }
    /// When the subscription expires or renews (1708).
    public var expiresDate: Timestamp? { fields.expiresDate }
    /// Identifies the purchase across a subscription's renewals (1711).
    public var webOrderLineItemIdentifier: Int64? { fields.webOrderLineItem }
    /// When Apple took it back: a refund, or an upgrade (1712).
    public var cancellationDate: Timestamp? { fields.cancellationDate }
    /// Whether it is a subscription's free trial (1713).
    public var isTrialPeriod: Bool? { fields.isTrialPeriod }
    /// Whether it is at an introductory price (1719).
    public var isInIntroductoryOfferPeriod: Bool? { fields.isInIntroductoryOfferPeriod }
    /// Why it was cancelled: 1 for a problem with the app, 0 for anything else (1720).
    public var cancellationReason: Int64? { fields.cancellationReason }
    /// The product that was bought (1702).
    public var productIdentifier: String { buffer.string(fields.product) ?? "" }
    /// Identifies the transaction (1703).
    public var transactionIdentifier: String? { buffer.string(fields.transaction) }
    /// Identifies the transaction that this one restores or renews (1705).
    public var originalTransactionIdentifier: String? { buffer.string(fields.originalTransaction) }
    /// The offer that was redeemed (1721).
    public var promotionalOfferIdentifier: String? { buffer.string(fields.promotionalOffer) }
    /// What kind of product it is; nil where the number is absent, or not one of those known.
    public var productType: ProductType? { productTypeNumber.flatMap(ProductType.init) }

    /// Whether the product identifier is this one, byte for byte: to Swift's `==`, é in one scalar and e with
    /// U+0301 are equal.
    public func isOf(product identifier: String) -> Bool { buffer.holds(fields.product, identifier) }
    /// Whether the transaction identifier is this one, byte for byte.
    public func isTransaction(_ identifier: String) -> Bool { buffer.holds(fields.transaction, identifier) }

    /// The attributes of a type, raw; for what is undocumented.
    public func attributes(ofType type: Int64) -> [Attribute] { attributes.filter { $0.type == type } }
    /// All attributes, raw, in the order of the receipt.
    public var attributes: [Attribute] { buffer.attributes(in: fields.set) }
}
