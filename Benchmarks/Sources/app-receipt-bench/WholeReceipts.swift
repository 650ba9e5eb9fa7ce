import AppReceipt
import CMS

/// Validates receipts one after the other, and starts again with the first after the last.
struct WholeReceipts: Workload {
    /// How much of a receipt is read after its validation.
    enum Reading { case nothing, everyAttribute, everyField }
    /// Whether a `ValidationCache` is kept between receipts.
    enum Memory { case none, kept }

    private let receipts: [[UInt8]]
    private let trust: TrustPolicy
    private let reading: Reading
    private let memory: Memory
    private let acceleration: Acceleration
    private var cache = ValidationCache()
    private var next = 0
    private var sum = 0

    let byteCount: Double
    var inputCount: Int { receipts.count }
    /// With a cache, enough receipts to fill it with the corpus's paths.
    var warmUpOperations: Int { memory == .kept ? min(receipts.count, 1000) : 1 }

    init(
        _ receipts: [[UInt8]],
        _ trust: TrustPolicy,
        _ memory: Memory,
        _ reading: Reading,
        _ acceleration: Acceleration
    ) {
        self.acceleration = acceleration
        self.receipts = receipts
        self.trust = trust
        self.memory = memory
        self.reading = reading
        byteCount = Double(receipts.reduce(0) { $0 + $1.count }) / Double(receipts.count)
    }

    mutating func run(_ operations: Int) -> Int {
        var valid = 0
        for _ in 0..<operations {
            let validator = ReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: trust,
                    acceleration: acceleration
                )
            )
            if let receipt = validate(validator, receipts[next]) {
                valid += 1
                sum &+= read(receipt)
            }
            next = next + 1 == receipts.count ? 0 : next + 1
        }
        consume(sum)
        return valid
    }

    private mutating func validate(_ validator: ReceiptValidator, _ bytes: [UInt8]) -> Receipt? {
        switch memory {
        case .none: try? validator.validate(bytes)
        case .kept: try? validator.validate(bytes, cache: &cache)
        }
    }

    private func read(_ receipt: Receipt) -> Int {
        switch reading {
        case .nothing: receipt.notChecked.count
        case .everyAttribute: walk(receipt)
        case .everyField: decode(receipt, receipt.inAppPurchases)
        }
    }

    /// Selects receipts of a corpus, in order, so that a cache has dropped every path before it occurs again.
    ///
    /// - Parameter forgotten: how many other paths must come between two receipts with one path. It is more
    ///   than a cache holds.
    /// - Throws: if the corpus does not have more chains than that.
    static func neverRemembered(_ receipts: [[UInt8]], forgotten: Int = 65) throws -> [[UInt8]] {
        var kept: [[UInt8]] = []
        var paths: [ArraySlice<UInt8>] = []
        func take(_ receipt: [UInt8], _ others: [ArraySlice<UInt8>]) throws {
            let message = try SignedData(receipt.span)
            let path = receipt[message.certificates]
            guard !paths.suffix(forgotten).contains(path), !others.contains(path) else { return }
            kept.append(receipt)
            paths.append(path)
        }
        let end = max(0, receipts.count - forgotten)
        for receipt in receipts[..<end] { try take(receipt, []) }
        // The first receipts follow the last ones again.
        let first = Array(paths.prefix(forgotten))
        for receipt in receipts[end...] { try take(receipt, first) }
        guard kept.count > forgotten else {
            throw Failure.work("never-hits needs a corpus with more than \(forgotten) chains")
        }
        return kept
    }
}
