import Bytes
import DER

/// A decoded purchase with the buffer that its strings lie in: the implementation that ``InAppPurchase`` and
/// ``UnverifiedInAppPurchase`` share.
struct PurchaseContents: Sendable, Hashable {
    let buffer: AttributeBuffer
    let fields: PurchaseFields

    func string(_ range: Range<Int>?) -> String? { buffer.string(range) }

    var attributes: [Attribute] { buffer.attributes(in: fields.set) }

    var id: InAppPurchase.ID {
        string(fields.transactionIdentifier).map { .transaction($0) } ?? .position(fields.position)
    }

    /// Compares the contents of the two SETs. DER leaves one way to write the SET's header, so the octets of
    /// the two values are then equal as well.
    static func == (one: Self, other: Self) -> Bool {
        one.buffer.bytes.borrowedSpan.holds(
            one.fields.set,
            sameAs: other.buffer.bytes.borrowedSpan,
            other.fields.set
        )
    }

    func hash(into hasher: inout Hasher) { hasher.combine(buffer.bytes[fields.set]) }
}

extension Payload {
    /// Decodes the purchases one after the other, without an allocation, until `body` returns false.
    /// Purchases that do not decode are passed over.
    func forEachPurchase(limits: Limits, while body: (PurchaseContents) -> Bool) {
        var walk = PurchaseWalk(self)
        while let value = walk.next() {
            guard let fields = try? PurchaseFields(buffer.bytes.borrowedSpan, value, limits: limits) else {
                continue
            }
            guard body(PurchaseContents(buffer: buffer, fields: fields)) else { return }
        }
    }

    /// Decodes the purchases one after the other, without an allocation. Purchases that do not decode are
    /// passed over.
    func forEachPurchaseFields(
        limits: Limits,
        _ body: (Span<UInt8>, borrowing PurchaseFields) -> Void
    ) {
        let bytes = buffer.bytes.borrowedSpan
        var walk = PurchaseWalk(self)
        while let value = walk.next() {
            if let fields = try? PurchaseFields(bytes, value, limits: limits) { body(bytes, fields) }
        }
    }

    /// The fields of the purchases that decode, in the order of the receipt: one allocation, none if the
    /// receipt has no attribute of type 17.
    func purchaseFields(limits: Limits) -> [PurchaseFields] {
        var all: [PurchaseFields] = []
        all.reserveCapacity(purchaseCount)
        let bytes = buffer.bytes.borrowedSpan
        var walk = PurchaseWalk(self)
        while let value = walk.next() {
            if let fields = try? PurchaseFields(bytes, value, limits: limits) { all.append(fields) }
        }
        return all
    }

    /// The number of purchases that decode. Allocates nothing.
    func decodablePurchaseCount(limits: Limits) -> Int {
        var count = 0
        let bytes = buffer.bytes.borrowedSpan
        var walk = PurchaseWalk(self)
        while let value = walk.next() {
            if (try? PurchaseFields(bytes, value, limits: limits)) != nil { count += 1 }
        }
        return count
    }

    /// The purchases that do not decode.
    func malformedPurchases(limits: Limits) -> [MalformedInAppPurchase] {
        var malformed: [MalformedInAppPurchase] = []
        let bytes = buffer.bytes.borrowedSpan
        var walk = PurchaseWalk(self)
        while let value = walk.next() {
            do throws(Refusal) {
                _ = try PurchaseFields(bytes, value, limits: limits)
            } catch {
                malformed.append(
                    MalformedInAppPurchase(
                        refusal: normalised?.mappedToInput(error) ?? error,
                        value: buffer.bytes[value.value]
                    )
                )
            }
        }
        return malformed
    }
}
