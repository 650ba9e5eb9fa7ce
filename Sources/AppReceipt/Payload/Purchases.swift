import Basics
import DER

/// An in-app purchase that does not decode. It grants nothing, and the rest of the receipt stays usable.
///
/// Two are equal when the octets of their values are equal. The refusal is not compared, because its offset
/// depends on where the purchase stands.
public struct MalformedInAppPurchase: Sendable, Hashable {
    /// The reason why the purchase does not decode. Its offset counts in the bytes that the caller gave.
    public let refusal: Refusal
    /// The octets of the value of the purchase's attribute (type 17). The slice shares the receipt's bytes,
    /// so its indices do not begin at zero.
    public let value: ArraySlice<UInt8>

    public static func == (one: Self, other: Self) -> Bool { one.value == other.value }
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension AttributeWords {
    /// Decodes the value of one attribute of type 17 into these words.
    ///
    /// ```
    /// InAppPurchase ::= SET OF ReceiptAttribute
    /// ```
    ///
    /// The order within the SET is not enforced. The word of an absent attribute, and of an empty text or
    /// date, has no value. The words are changed in place, because a receipt may have hundreds of purchases
    /// and a copy has 144 bytes.
    ///
    /// - Returns: the range of the SET's contents.
    /// - Throws: the refusal of a malformed SET, of a malformed SEQUENCE of any attribute, of too many
    ///   attributes, of a missing product identifier, or of an attribute that is repeated or has a malformed
    ///   value, if its type has a row in the table and the row's fault is not `ignored`. The first refusal in
    ///   the SET is thrown.
    fileprivate mutating func decode(
        _ bytes: Span<UInt8>,
        purchase value: Range<Int>,
        limit: Int
    ) throws(Refusal) -> Range<Int> {
        self = AttributeWords()
        var outer = Reader(bytes, in: value)
        let set = try outer.read(.set, "in-app purchase")
        try outer.finish("in-app purchase")
        var walk = AttributeWalk(bytes, in: set, limit: limit, "in-app purchase")
        while let attribute = try walk.next() {
            guard let one = PurchaseAttribute(rawValue: attribute.type) else { continue }
            let row = one.row
            let isRepeated = walk.isRepeated(number: attribute.type - 1700)
            guard !isRepeated || row.fault == .ignored else { throw walk.duplicate(attribute) }
            var word = AttributeWord()
            do throws(Refusal) {
                if !isRepeated { word = try ValueReader(bytes, in: attribute.value).word(row.kind) }
            } catch {
                guard row.fault == .ignored else {
                    throw Refusal(error.code, at: error.offset, reading: one.row.name)
                }
            }
            self[row.position] = word
        }
        guard self[PurchaseAttribute.productIdentifier.row.position].range != nil else {
            throw Refusal(.missingProductIdentifier, at: value.lowerBound, reading: "in-app purchase")
        }
        return set
    }
}

extension AttributeValues {
    /// Decodes a purchase of the same buffer, whose bytes are `bytes`, in place of the present values. If it
    /// returns false, the purchase does not decode, and the values have no meaning.
    mutating func decode(
        _ bytes: Span<UInt8>,
        purchase value: Range<Int>,
        position: Int,
        limit: Int
    ) -> Bool {
        guard let set = try? words.decode(bytes, purchase: value, limit: limit) else { return false }
        move(to: set, position: position)
        return true
    }
}

/// A purchase whose values can be replaced where it stands in memory.
protocol DecodablePurchase {
    init(_ values: AttributeValues)

    /// Calls ``AttributeValues/decode(_:purchase:position:limit:)`` on this purchase's values. Returns its
    /// result: whether the purchase decodes.
    mutating func decode(_ bytes: Span<UInt8>, purchase value: Range<Int>, position: Int, limit: Int) -> Bool
}

extension UnverifiedReceipt {
    /// A walk over the receipt's attributes of type 17 that begins at the first.
    @usableFromInline var purchaseWalk: PurchaseWalk { PurchaseWalk(self) }

    /// Decodes the purchases one after the other, without an allocation, until `body` returns false.
    /// Purchases that do not decode are passed over.
    func forEachPurchase(while body: (borrowing AttributeValues) -> Bool) {
        let bytes = buffer.bytes.borrowedSpan
        var walk = purchaseWalk
        var purchase = AttributeValues(buffer, set: set, AttributeWords())
        while let (position, value) = walk.next() {
            guard purchase.decode(bytes, purchase: value, position: position, limit: attributeLimit) else {
                continue
            }
            guard body(purchase) else { return }
        }
    }

    /// The purchases that decode, in the order of the receipt: one allocation, none if the receipt has no
    /// attribute of type 17.
    ///
    /// Each is decoded where it stands in the array.
    func purchases<Purchase: DecodablePurchase>() -> [Purchase] {
        var all: [Purchase] = []
        all.reserveCapacity(purchaseCount)
        let bytes = buffer.bytes.borrowedSpan
        var walk = purchaseWalk
        let empty = Purchase(AttributeValues(buffer, set: set, AttributeWords()))
        while let (position, value) = walk.next() {
            all.append(empty)
            let last = all.count - 1
            if !all[last].decode(bytes, purchase: value, position: position, limit: attributeLimit) {
                all.removeLast()
            }
        }
        return all
    }

    /// The purchases that do not decode, in the order of the receipt. Each access decodes all purchases.
    @usableFromInline var malformedPurchases: [MalformedInAppPurchase] {
        var malformed: [MalformedInAppPurchase] = []
        var walk = purchaseWalk
        var words = AttributeWords()
        while let (_, value) = walk.next() {
            do throws(Refusal) {
                _ = try words.decode(buffer.bytes.borrowedSpan, purchase: value, limit: attributeLimit)
            } catch {
                let refusal = normalised?.mappedToInput(error) ?? error
                malformed.append(MalformedInAppPurchase(refusal: refusal, value: buffer.bytes[value]))
            }
        }
        return malformed
    }
}

/// Walks the attributes of type 17 of a payload that was read before without an error. Decodes no values, and
/// allocates nothing.
@usableFromInline
struct PurchaseWalk {
    @usableFromInline let buffer: AttributeBuffer
    /// The maximum number of attributes of one purchase that ``forEach(_:)`` gives to `body`.
    @usableFromInline let limit: Int
    /// The range of the contents of the receipt's SET that is not walked yet, in the buffer.
    private var rest: Range<Int>
    private var position = 0

    init(_ receipt: UnverifiedReceipt) {
        buffer = receipt.buffer
        limit = receipt.attributeLimit
        rest = receipt.set
    }

    /// The next attribute of type 17: its index in the list of attributes of type 17, and the range of its
    /// value in the buffer. Nil if there are no more.
    mutating func next() -> (position: Int, value: Range<Int>)? {
        guard let value = Self.nextValue(buffer.bytes.borrowedSpan, in: rest) else { return nil }
        rest = value.upperBound..<rest.upperBound
        defer { position += 1 }
        return (position, value)
    }

    /// The next purchase whose SET can be read: its number among all attributes of type 17, and the range of
    /// the SET's contents. Nil if there are no more.
    @usableFromInline
    mutating func nextSet() -> (position: Int, set: Range<Int>)? {
        while let (position, value) = next() {
            var outer = Reader(buffer.bytes.borrowedSpan, in: value)
            if let set = try? outer.read(.set, "in-app purchase") { return (position, set) }
        }
        return nil
    }

    /// Calls `body` with each attribute of each purchase, as
    /// ``ReceiptContents/forEachPurchaseAttribute(_:)`` describes.
    ///
    /// The loop over the attributes is inlinable, so that a caller in another module compiles it together
    /// with its own work.
    @inlinable
    consuming func forEach(
        _ body: (_ purchase: Int, _ type: Int64, _ version: Int64, _ value: Span<UInt8>) -> Void
    ) {
        let buffer = buffer.bytes
        let bytes = buffer.borrowedSpan
        while let (position, set) = nextSet() {
            var (offset, count) = (set.lowerBound, 0)
            while offset < set.upperBound, count < limit,
                let attribute = try? AttributeRange(bytes, at: offset, before: set.upperBound)
            {
                body(position, attribute.type, attribute.version, bytes.extracting(attribute.value))
                offset = attribute.end
                count += 1
            }
        }
    }

    private static func nextValue(_ bytes: Span<UInt8>, in rest: Range<Int>) -> Range<Int>? {
        var offset = rest.lowerBound
        while offset < rest.upperBound,
            let attribute = try? AttributeRange(bytes, at: offset, before: rest.upperBound)
        {
            if attribute.type == ReceiptAttribute.inAppPurchase { return attribute.value }
            offset = attribute.end
        }
        return nil
    }
}
