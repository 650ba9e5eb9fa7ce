import Bytes
import DER

/// The attributes of all in-app purchases of a payload that was read before without an error.
///
/// The loop over the attributes is inlinable, so that a caller in another module compiles it together with
/// its own work. Calls of a closure took 29 % of the time of a walk through 187 purchases (`perf`, on a Zen
/// 4).
@usableFromInline
struct PurchaseAttributes {
    /// A walk before the first purchase.
    @usableFromInline let purchases: PurchaseWalk
    /// The maximum number of attributes of one purchase.
    @usableFromInline let limit: Int

    init(_ payload: Payload, limits: Limits) {
        purchases = PurchaseWalk(payload)
        limit = limits.attributes
    }

    /// Calls `body` with each attribute of each purchase, as ``ReceiptContents/forEachPurchaseAttribute(_:)``
    /// describes. Decodes, copies and allocates nothing.
    @inlinable
    func forEach(
        _ body: (_ purchase: Int, _ type: Int64, _ version: Int64, _ value: Span<UInt8>) -> Void
    ) {
        let buffer = purchases.bytes
        let bytes = buffer.borrowedSpan
        var purchases = purchases
        while let (position, set) = purchases.nextSet() {
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
}
