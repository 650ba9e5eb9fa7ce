/// The in-app purchases of a validated receipt that decode, in the order of the receipt.
///
/// The collection decodes all purchases once, when it is made, into one array. `count` and access by index
/// decode nothing. ``Receipt/inAppPurchases`` makes the collection anew, so keep it in a variable to use it
/// more than once.
public struct InAppPurchases: RandomAccessCollection, Sendable {
    private let buffer: AttributeBuffer
    private let fields: [PurchaseFields]

    init(_ payload: Payload, limits: Limits) {
        buffer = payload.buffer
        fields = payload.purchaseFields(limits: limits)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { fields.count }

    /// Precondition: the position is a valid index.
    public subscript(position: Int) -> InAppPurchase {
        InAppPurchase(contents: PurchaseContents(buffer: buffer, fields: fields[position]))
    }

    public func makeIterator() -> Iterator { Iterator(buffer: buffer, fields: fields) }

    /// Iterates the purchases. It makes one call for each, which is faster than access by index.
    public struct Iterator: IteratorProtocol {
        let buffer: AttributeBuffer
        let fields: [PurchaseFields]
        var position = 0

        public mutating func next() -> InAppPurchase? {
            guard position < fields.count else { return nil }
            defer { position += 1 }
            return InAppPurchase(contents: PurchaseContents(buffer: buffer, fields: fields[position]))
        }
    }
}

/// The in-app purchases that unverified bytes claim and that decode, in the order of the bytes. It is made
/// like ``InAppPurchases``.
public struct UnverifiedInAppPurchases: RandomAccessCollection, Sendable {
    private let buffer: AttributeBuffer
    private let fields: [PurchaseFields]

    init(_ payload: Payload, limits: Limits) {
        buffer = payload.buffer
        fields = payload.purchaseFields(limits: limits)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { fields.count }

    /// Precondition: the position is a valid index.
    public subscript(position: Int) -> UnverifiedInAppPurchase {
        UnverifiedInAppPurchase(contents: PurchaseContents(buffer: buffer, fields: fields[position]))
    }

    public func makeIterator() -> Iterator { Iterator(buffer: buffer, fields: fields) }

    /// Iterates the purchases. It makes one call for each, which is faster than access by index.
    public struct Iterator: IteratorProtocol {
        let buffer: AttributeBuffer
        let fields: [PurchaseFields]
        var position = 0

        public mutating func next() -> UnverifiedInAppPurchase? {
            guard position < fields.count else { return nil }
            defer { position += 1 }
            return UnverifiedInAppPurchase(
                contents: PurchaseContents(buffer: buffer, fields: fields[position])
            )
        }
    }
}

/// An in-app purchase that does not decode. It grants nothing, and the rest of the receipt stays usable.
///
/// Two are equal when the octets of their values are equal. The refusal is not compared, because its offset
/// depends on the place of the purchase.
public struct MalformedInAppPurchase: Sendable, Hashable {
    /// The reason why the purchase does not decode.
    public let refusal: Refusal
    /// The octets of the attribute's value. The slice shares the receipt's bytes, so its indices do not begin
    /// at zero.
    public let value: ArraySlice<UInt8>

    public static func == (one: Self, other: Self) -> Bool { one.value == other.value }
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
