import Bytes
import DER

/// The decoded attributes of one in-app purchase, without the buffer that the ranges lie in.
///
/// ```
/// InAppPurchase ::= SET OF ReceiptAttribute
/// ```
///
/// The order within the SET is not enforced. An attribute that is absent or empty is nil.
package struct PurchaseFields: Sendable {
    /// The bounds of ``set``. ``Payload`` refuses buffers that are too large for 32 bits.
    private let bounds: (lower: UInt32, upper: UInt32)
    @CompactNumber package private(set) var quantity: Int64?
    @CompactRange package private(set) var productIdentifier: Range<Int>?
    @CompactRange package private(set) var transactionIdentifier: Range<Int>?
    @CompactTime package private(set) var purchaseDate: Timestamp?
    @CompactRange package private(set) var originalTransactionIdentifier: Range<Int>?
    @CompactTime package private(set) var originalPurchaseDate: Timestamp?
    @CompactNumber package private(set) var productType: Int64?
    @CompactTime package private(set) var expiresDate: Timestamp?
    @CompactNumber package private(set) var webOrderLineItemIdentifier: Int64?
    @CompactTime package private(set) var cancellationDate: Timestamp?
    /// The value of ``position``. It fills the room beside the two flags.
    private let number: UInt32
    package private(set) var isTrialPeriod: Bool?
    package private(set) var isInIntroductoryOfferPeriod: Bool?
    @CompactNumber package private(set) var cancellationReason: Int64?
    @CompactRange package private(set) var promotionalOfferIdentifier: Range<Int>?
    @CompactNumber package private(set) var ownership: Int64?

    /// Decodes the value of one attribute of type 17.
    ///
    /// - Throws: a refusal of the first known attribute that is malformed or occurs twice, except ownership;
    ///   `.missingProductIdentifier` if the purchase names no product.
    init(_ bytes: Span<UInt8>, _ purchase: PurchaseValue, limits: Limits) throws(Refusal) {
        number = UInt32(truncatingIfNeeded: purchase.position)
        var outer = Reader(bytes, in: purchase.value)
        let set = try outer.read(.set, "in-app purchase")
        bounds = (UInt32(truncatingIfNeeded: set.lowerBound), UInt32(truncatingIfNeeded: set.upperBound))
        try outer.finish("in-app purchase")
        var walk = AttributeWalk(bytes, in: set, limits: limits, "in-app purchase")
        while let attribute = try walk.next() {
            guard let type = PurchaseAttributeType(rawValue: attribute.type) else { continue }
            let number = attribute.type - 1700
            let value = ValueReader(bytes, attribute)
            if type == .ownership {
                // Apple does not document this type, so a purchase is never refused because of it.
                ownership = walk.isRepeated(number: number) ? nil : value.plainNumber
                continue
            }
            try walk.rejectDuplicate(attribute, number: number)
            switch type {
            case .quantity: quantity = try value.number(type.name)
            case .productIdentifier: productIdentifier = try value.utf8(type.name)
            case .transactionIdentifier: transactionIdentifier = try value.utf8(type.name)
            case .purchaseDate: purchaseDate = try value.date(type.name)
            case .originalTransactionIdentifier: originalTransactionIdentifier = try value.utf8(type.name)
            case .originalPurchaseDate: originalPurchaseDate = try value.date(type.name)
            case .productType: productType = try value.number(type.name)
            case .expiresDate: expiresDate = try value.date(type.name)
            case .webOrderLineItemIdentifier: webOrderLineItemIdentifier = try value.number(type.name)
            case .cancellationDate: cancellationDate = try value.date(type.name)
            case .isTrialPeriod: isTrialPeriod = try value.flag(type.name)
            case .isInIntroductoryOfferPeriod: isInIntroductoryOfferPeriod = try value.flag(type.name)
            case .cancellationReason: cancellationReason = try value.number(type.name)
            case .promotionalOfferIdentifier: promotionalOfferIdentifier = try value.utf8(type.name)
            case .ownership: break
            }
        }
        guard productIdentifier != nil else {
            throw Refusal(
                .missingProductIdentifier,
                at: purchase.value.lowerBound,
                reading: "in-app purchase"
            )
        }
    }

    /// The range of the SET's contents.
    var set: Range<Int> { Int(bounds.lower)..<Int(bounds.upper) }
    /// The number of this purchase among all attributes of type 17 of the receipt, from zero.
    var position: Int { Int(number) }
}

/// The place of one attribute of type 17: its number among all of them, from zero, and the range of its
/// value.
struct PurchaseValue {
    let position: Int
    let value: Range<Int>
}

/// Walks the attributes of type 17 of a payload that was read before without an error. Decodes and allocates
/// nothing.
@usableFromInline
struct PurchaseWalk {
    private let buffer: AttributeBuffer
    /// The rest of the contents of the receipt's SET.
    private var rest: Range<Int>
    private var position = 0

    init(_ payload: Payload) {
        buffer = payload.buffer
        rest = payload.set
    }

    /// The bytes that the ranges lie in.
    @usableFromInline var bytes: [UInt8] { buffer.bytes }

    /// The next attribute of type 17; nil if there are no more.
    mutating func next() -> PurchaseValue? {
        guard let value = Self.nextValue(buffer.bytes.borrowedSpan, in: rest) else { return nil }
        rest = value.upperBound..<rest.upperBound
        defer { position += 1 }
        return PurchaseValue(position: position, value: value)
    }

    /// The next purchase whose SET can be read: its number among all attributes of type 17, and the range of
    /// the SET's contents. Nil if there are no more.
    @usableFromInline
    mutating func nextSet() -> (position: Int, set: Range<Int>)? {
        while let purchase = next() {
            var outer = Reader(buffer.bytes.borrowedSpan, in: purchase.value)
            if let set = try? outer.read(.set, "in-app purchase") { return (purchase.position, set) }
        }
        return nil
    }

    private static func nextValue(_ bytes: Span<UInt8>, in rest: Range<Int>) -> Range<Int>? {
        var offset = rest.lowerBound
        while offset < rest.upperBound,
            let attribute = try? AttributeRange(bytes, at: offset, before: rest.upperBound)
        {
            if attribute.type == ReceiptAttributeType.inAppPurchase.rawValue { return attribute.value }
            offset = attribute.end
        }
        return nil
    }
}
