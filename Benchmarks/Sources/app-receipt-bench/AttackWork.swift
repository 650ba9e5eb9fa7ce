import AppReceipt
import DER

/// An attack made ready, so that what is counted is the defence alone.
struct AttackWork {
    /// At the end of what may differ between receipts with a path each.
    static let marker = [UInt8]("the end:0".utf8)

    private let work: () -> String

    init(_ attack: Attack, _ bytes: [UInt8], _ trust: TrustPolicy, _ acceleration: Acceleration) throws {
        let validator = ReceiptValidator(
            environments: .only(.production),
            bundleIdentifier: .exactly("com.example.app"),
            trust: trust,
            deviceIdentifiers: [.server],
            now: Timestamp(year: 2030, month: 1, day: 1),
            acceleration: acceleration
        )
        switch attack.work {
        case .validate:
            work = { Self.outcome { () throws(ReceiptError) in _ = try validator.validate(bytes) } }
        case .validateAmongOthers:
            let cache = try Self.cache(validator, bytes)
            work = {
                var cache = cache
                return Self.outcome { () throws(ReceiptError) in
                    _ = try validator.validate(bytes, cache: &cache)
                }
            }
        case .decode:
            work = { Self.outcome { () throws(ReceiptError) in _ = try ReceiptInput.decode(bytes) } }
        case .ask:
            let receipt = try validator.validate(bytes)
            work = {
                Self.ask(receipt)
                return "accepted"
            }
        }
    }

    /// Where counting begins anew. Those who count know the two functions by their names.
    @inline(never)
    func enterCounting() -> String { leaveCounting() }

    /// The same once more, for a clock.
    func uncounted() -> String { work() }

    /// What is counted up to its end.
    @inline(never)
    private func leaveCounting() -> String { work() }

    private static func outcome(_ body: () throws(ReceiptError) -> Void) -> String {
        do throws(ReceiptError) {
            try body()
            return "accepted"
        } catch {
            return "\(error.code.name)"
        }
    }

    /// A cache that has met as many others as it holds, which differ from this one in the last octet of their
    /// certificates.
    private static func cache(_ validator: ReceiptValidator, _ bytes: [UInt8]) throws -> ValidationCache {
        let last = firstIndex(of: marker, in: bytes) + marker.count - 1
        var cache = ValidationCache()
        for index in 1...64 {
            var other = bytes
            other[last] ^= UInt8(index)
            _ = try validator.validate(other, cache: &cache)
        }
        return cache
    }

    /// Everything that there is to be asked, each thing once.
    private static func ask(_ receipt: Receipt) {
        let product = "com.example.none"
        var count = receipt.purchases(ofProduct: "a").count + receipt.malformedInAppPurchases.count
        count += receipt.attributes.count + receipt.malformedAttributeCount
        if receipt.contains(product: product) { count += 1 }
        if receipt.purchase(transaction: product) != nil { count += 1 }
        if receipt.activeSubscription(toProduct: product, at: receipt.creationDate) != nil { count += 1 }
        if receipt.isEligibleForIntroductoryOffer(inProducts: [product]) { count += 1 }
        for purchase in receipt.inAppPurchases { count += purchase.productIdentifier.utf8.count }
        consume(count)
    }
}
