import AllocationCounter
import AppReceipt
import SignedPayloads

/// Checks that validation takes the same number of allocations for every receipt, whatever the receipt
/// contains, or for every token, whatever members its payload has.
///
/// - Returns: true if all receipts or tokens took the same number, and reading took none for what has no
///   strings. False too if allocations cannot be counted on this system.
/// - Throws: if fewer than two receipts or tokens are given, or one of them is not valid.
func checkAllocations(_ arguments: Arguments) throws -> Bool {
    let root = try arguments.required("--root")
    let paths = try arguments.requiredInputs()
    guard paths.count > 1 else {
        throw Failure.usage("check-allocations needs at least two receipts or tokens to compare")
    }
    return paths[0].hasSuffix(".jws")
        ? try checkTokenAllocations(paths, root: root, arguments.acceleration)
        : try checkReceiptAllocations(paths, root: root, arguments.acceleration)
}

private func checkTokenAllocations(
    _ paths: [String],
    root: String,
    _ acceleration: Acceleration
) throws -> Bool {
    let validator = try tokenValidator(root: root, acceleration)
    var counts: [(uncached: UInt, cached: UInt)] = []
    for path in paths {
        let token = try Token(readFile(path))
        let uncached = try allocations {
            var cache = SignedPayloadCache()
            return try token.validate(validator, &cache)
        }
        // Enough tokens that the signer's table is made.
        var cache = SignedPayloadCache()
        for _ in 0..<20 { consume(try token.validate(validator, &cache)) }
        let cached = try allocations { try token.validate(validator, &cache) }
        print("\(fileName(path)): \(uncached) allocations uncached, \(cached) with a known signer")
        counts.append((uncached, cached))
    }
    // A count of 0 for a whole validation means that allocations are not counted here.
    return counts.allSatisfy { $0 == counts[0] && $0.uncached > 0 }
}

private func checkReceiptAllocations(
    _ paths: [String],
    root: String,
    _ acceleration: Acceleration
) throws -> Bool {
    let trust = TrustPolicy.pinned([try anchor(root)])
    var counts: [(uncached: UInt, cached: UInt, walk: UInt, list: UInt)] = []
    for path in paths {
        let bytes = try readFile(path)
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: trust,
                acceleration: acceleration
            )
        )
        var cache = ValidationCache()
        let receipt = try validator.validate(bytes)
        let count = (
            uncached: try allocations { try validator.validate(bytes).notChecked.count },
            cached: try allocations { try validator.validate(bytes, cache: &cache).notChecked.count },
            walk: try allocations { query(receipt) },
            list: try allocations { receipt.inAppPurchases.count }
        )
        print(
            "\(fileName(path)): \(count.uncached) allocations uncached, \(count.cached) with a cached path,",
            "\(count.walk) to walk its purchases, \(count.list) to list them"
        )
        counts.append(count)
    }
    // A count of 0 for a whole validation means that allocations are not counted here.
    return counts.allSatisfy { $0 == counts[0] && $0.walk == 0 && $0.list == 1 && $0.uncached > 0 }
}

/// Walks every attribute of every purchase, and asks the questions of a shop that need no string from the
/// receipt.
private func query(_ receipt: Receipt) -> Int {
    walk(receipt) &+ (receipt.contains(product: noProduct) ? 1 : 0)
        &+ (receipt.isEligibleForIntroductoryOffer(inProducts: noProducts) ? 1 : 0)
        &+ (receipt.activeSubscription(toProduct: noProduct, at: receipt.creationDate) == nil ? 0 : 1)
}

private let noProduct = "com.example.none"
private let noProducts = [noProduct]

/// Counts the allocations of one call of `work`. Calls it three times first, so that allocations that happen
/// only once are not counted.
private func allocations(_ work: () throws -> Int) throws -> UInt {
    for _ in 0..<3 { consume(try work()) }
    let before = allocation_count()
    consume(try work())
    return allocation_count() - before
}
