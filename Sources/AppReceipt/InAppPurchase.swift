import DER

/// One in-app purchase of a receipt: an attribute of type 17, its value a SET of attributes again.
///
/// Fields are nil where the attribute is absent or empty. Strings are made when they are asked for; comparing
/// with ``isOf(product:)`` makes none.
public struct InAppPurchase: Sendable {
    private let buffer: AttributeBuffer
    private let set: Range<Int>
    // Purchases come by the hundred and are copied on their way, so that what they hold is kept small.
    private var product = CompactRange()
    private var transaction = CompactRange()
    private var originalTransaction = CompactRange()
    private var promotionalOffer = CompactRange()
    private var quantityNumber = CompactNumber()
    private var productTypeField = CompactNumber()
    private var webOrderLineItem = CompactNumber()
    private var cancellationReasonNumber = CompactNumber()
    private var purchaseTime = CompactNumber()
    private var originalPurchaseTime = CompactNumber()
    private var expiresTime = CompactNumber()
    private var cancellationTime = CompactNumber()
    /// Whether it is a subscription's free trial (1713).
    public private(set) var isTrialPeriod: Bool?
    /// Whether it is at an introductory price (1719).
    public private(set) var isInIntroductoryOfferPeriod: Bool?

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
        // Ranges are kept in 32 bits; a receipt of four gigabytes is nobody's.
        guard set.upperBound <= UInt32.max else {
            throw Refusal(.inputTooLarge, at: value.lowerBound, reading: "in-app purchase")
        }
        self.buffer = buffer
        var walk = AttributeWalk(bytes, in: set, limits: limits, "in-app purchase")
        while let attribute = try walk.next() {
            guard Self.isDocumented(attribute.type) else { continue }
            try walk.passOnce(attribute, number: attribute.type - 1700)
            try decode(attribute.type, ValueReader(bytes, attribute))
        }
        guard product.range != nil else {
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

    @inline(__always)
    private mutating func decode(_ type: Int64, _ value: borrowing ValueReader) throws(Refusal) {
        switch type {
        case 1701: quantityNumber.number = try value.number("quantity")
        case 1702: product.range = try value.utf8("product identifier")
        case 1703: transaction.range = try value.utf8("transaction identifier")
        case 1704: purchaseTime.time = try value.date("purchase date")
        case 1705: originalTransaction.range = try value.utf8("original transaction identifier")
        case 1706: originalPurchaseTime.time = try value.date("original purchase date")
        case 1707: productTypeField.number = try value.number("product type")
        case 1708: expiresTime.time = try value.date("subscription expiration date")
        case 1711: webOrderLineItem.number = try value.number("web order line item id")
        case 1712: cancellationTime.time = try value.date("cancellation date")
        case 1713: isTrialPeriod = try value.flag("is in trial period")
        case 1719: isInIntroductoryOfferPeriod = try value.flag("is in introductory offer period")
        case 1720: cancellationReasonNumber.number = try value.number("cancellation reason")
        case 1721: promotionalOffer.range = try value.utf8("promotional offer identifier")
        default: break
        }
    }
}

extension InAppPurchase {
    /// How many were bought (1701).
    public var quantity: Int64? { quantityNumber.number }
    /// When it was bought, restored or renewed (1704).
    public var purchaseDate: Timestamp? { purchaseTime.time }
    /// When the original transaction took place (1706).
    public var originalPurchaseDate: Timestamp? { originalPurchaseTime.time }
    /// The number of the product's type (1707); ``productType`` names it.
    public var productTypeNumber: Int64? { productTypeField.number }
    /// When the subscription expires or renews (1708).
    public var expiresDate: Timestamp? { expiresTime.time }
    /// Identifies the purchase across a subscription's renewals (1711).
    public var webOrderLineItemIdentifier: Int64? { webOrderLineItem.number }
    /// When Apple took it back: a refund, or an upgrade (1712).
    public var cancellationDate: Timestamp? { cancellationTime.time }
    /// Why it was cancelled: 1 for a problem with the app, 0 for anything else (1720).
    public var cancellationReason: Int64? { cancellationReasonNumber.number }
    /// The product that was bought (1702).
    public var productIdentifier: String { buffer.string(product.range) ?? "" }
    /// Identifies the transaction (1703).
    public var transactionIdentifier: String? { buffer.string(transaction.range) }
    /// Identifies the transaction that this one restores or renews (1705).
    public var originalTransactionIdentifier: String? { buffer.string(originalTransaction.range) }
    /// The offer that was redeemed (1721).
    public var promotionalOfferIdentifier: String? { buffer.string(promotionalOffer.range) }
    /// What kind of product it is; nil where the number is absent, or not one of those known.
    public var productType: ProductType? { productTypeNumber.flatMap(ProductType.init) }

    /// Whether the product identifier is this one, byte for byte: Swift's `==` would take é for e with an
    /// accent.
    public func isOf(product identifier: String) -> Bool { buffer.holds(product.range, identifier) }
    /// Whether the transaction identifier is this one, byte for byte.
    public func isTransaction(_ identifier: String) -> Bool { buffer.holds(transaction.range, identifier) }

    /// The attributes of a type, raw; for what is undocumented.
    public func attributes(ofType type: Int64) -> [Attribute] { attributes.filter { $0.type == type } }
    /// All attributes, raw, in the order of the receipt.
    public var attributes: [Attribute] { buffer.attributes(in: set) }
}

/// A range below 2^32 that is not empty, or none, in eight bytes.
private struct CompactRange {
    private var lowerBound: UInt32 = 0
    private var upperBound: UInt32 = 0

    var range: Range<Int>? {
        get { lowerBound < upperBound ? Int(lowerBound)..<Int(upperBound) : nil }
        set {
            lowerBound = UInt32(truncatingIfNeeded: newValue?.lowerBound ?? 0)
            upperBound = UInt32(truncatingIfNeeded: newValue?.upperBound ?? 0)
        }
    }
}

/// A number or a time, or none, in eight bytes. No date that is written with four digits for the year is the
/// least number, nor any number that is not negative.
private struct CompactNumber {
    private var value = Int64.min

    var number: Int64? {
        get { value == .min ? nil : value }
        set { value = newValue ?? .min }
    }

    var time: Timestamp? {
        get { number.map { Timestamp(millisecondsSince1970: $0) } }
        set { number = newValue?.millisecondsSince1970 }
    }
}
