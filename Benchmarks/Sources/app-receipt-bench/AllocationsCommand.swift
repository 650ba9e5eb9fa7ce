import AllocationCounter
import AppReceipt

/// Whether every receipt takes the same number of allocations, whatever it holds.
func checkAllocations(_ arguments: Arguments) throws -> Bool {
    let trust = TrustPolicy.pinned([try anchor(arguments.required("--root"))])
    let paths = try arguments.requiredInputs()
    guard paths.count > 1 else { throw Failure.usage("by one receipt alone nothing is shown") }
    var counts: [(uncached: UInt, cached: UInt, walk: UInt)] = []
    for path in paths {
        let bytes = try readFile(path)
        let validator = ReceiptValidator(environments: .any, bundleIdentifier: .any, trust: trust)
        var cache = ValidationCache()
        let receipt = try validator.validate(bytes)
        let count = (
            uncached: try allocations { try validator.validate(bytes).notChecked.count },
            cached: try allocations { try validator.validate(bytes, cache: &cache).notChecked.count },
            walk: try allocations { ask(receipt) }
        )
        print(
            "\(fileName(path)): \(count.uncached) allocations new, \(count.cached) with a remembered path,",
            "\(count.walk) for the walk over its purchases"
        )
        counts.append(count)
    }
    // Where nothing can be counted, nothing is shown.
    return counts.allSatisfy { $0 == counts[0] && $0.walk == 0 && $0.uncached > 0 }
}

/// Every purchase decoded, and what a shop asks that needs no string.
private func ask(_ receipt: Receipt) -> Int {
    walk(receipt.inAppPurchases) &+ receipt.inAppPurchases.count
        &+ (receipt.contains(product: noProduct) ? 1 : 0)
        &+ (receipt.isEligibleForIntroductoryOffer(inProducts: noProducts) ? 1 : 0)
        &+ (receipt.activeSubscription(toProduct: noProduct, at: receipt.creationDate) == nil ? 0 : 1)
}

private let noProduct = "com.example.none"
private let noProducts = [noProduct]

/// How many allocations the work takes, once everything that is made only once has been made.
private func allocations(_ work: () throws -> Int) throws -> UInt {
    for _ in 0..<3 { consume(try work()) }
    let before = allocation_count()
    consume(try work())
    return allocation_count() - before
}
