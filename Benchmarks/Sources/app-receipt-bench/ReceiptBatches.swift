import AppReceipt

/// Judges receipts in batches of 64 with a kept cache, and reads every attribute of each. After the last
/// receipt comes the first again.
struct ReceiptBatches: Workload {
    private let receipts: [[UInt8]]
    private let validator: ReceiptValidator
    private var batch: ReceiptBatch
    private var cache = ValidationCache()
    private var next = 0

    let byteCount: Double
    var inputCount: Int { receipts.count }
    /// Enough receipts to fill the cache with the corpus's paths.
    var warmUpOperations: Int { min(receipts.count, 1000) }

    init(_ receipts: [[UInt8]], _ trust: TrustPolicy, _ acceleration: Acceleration) {
        self.receipts = receipts
        validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: trust,
                acceleration: acceleration
            )
        )
        batch = ReceiptBatch(acceleration: acceleration)
        byteCount = Double(receipts.reduce(0) { $0 + $1.count }) / Double(receipts.count)
    }

    mutating func run(_ operations: Int) -> Int {
        var (valid, sum) = (0, 0)
        for operation in 0..<operations {
            batch.append(receipts[next], for: validator, cache: &cache)
            next = next + 1 == receipts.count ? 0 : next + 1
            guard batch.count == 64 || operation == operations - 1 else { continue }
            for case .success(let receipt) in batch.judge(cache: &cache) {
                valid += 1
                sum &+= walk(receipt)
            }
        }
        consume(sum)
        return valid
    }
}
