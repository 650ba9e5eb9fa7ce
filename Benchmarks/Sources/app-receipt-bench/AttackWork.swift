import AppReceipt
import Basics
import DER

/// An attack that is ready to run, so that only the cost of the library is counted.
struct AttackWork {
    /// The bytes at the end of the certificates. Changing their last byte makes another path for the cache.
    static let marker = [UInt8]("the end:0".utf8)

    private let work: () -> String

    init(_ attack: Attack, _ bytes: [UInt8], _ trust: TrustPolicy, _ acceleration: Acceleration) throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .only(.production),
                bundleIdentifier: .exactly("com.example.app"),
                trust: trust,
                deviceIdentifiers: [.server],
                now: Timestamp(year: 2030, month: 1, day: 1),
                acceleration: acceleration
            )
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
        case .query:
            let receipt = try validator.validate(bytes)
            work = {
                Self.query(receipt)
                return "accepted"
            }
        }
    }

    /// Runs the work. `.ci/cost` finds this function by its name and starts counting instructions when it is
    /// called.
    @inline(never)
    func enterCounting() -> String { leaveCounting() }

    /// Runs the work again, for timing.
    func uncounted() -> String { work() }

    /// Runs the work. `.ci/cost` finds this function by its name and stops counting when it returns.
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

    /// Returns a cache filled with 64 paths, as many as it holds. Their certificates differ from the given
    /// receipt's only in the last octet.
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

    /// Asks every question that a receipt answers, once each.
    private static func query(_ receipt: Receipt) {
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
