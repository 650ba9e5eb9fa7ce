import AppReceipt
import VerifyReceipt

/// Answers requests with receipts one after the other, and starts again with the first after the last.
///
/// An operation reads the JSON of the request, decodes the base64, validates the receipt, and writes the
/// JSON of the answer.
struct Answers: Workload {
    private let requests: [[UInt8]]
    private let endpoint: ReceiptEndpoint
    private let memory: WholeReceipts.Memory
    private var cache = ValidationCache()
    private var next = 0

    let byteCount: Double
    var inputCount: Int { requests.count }
    var warmUpOperations: Int { memory == .kept ? min(requests.count, 1000) : 1 }

    init(
        _ receipts: [[UInt8]],
        _ trust: TrustPolicy,
        _ memory: WholeReceipts.Memory,
        _ acceleration: Acceleration
    ) throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust)
        )
        let isSandbox = try validator.validate(receipts[0]).environment == .productionSandbox
        endpoint = ReceiptEndpoint(
            isSandbox ? .sandbox : .production,
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: trust,
                acceleration: acceleration
            )
        )
        self.memory = memory
        requests = receipts.map {
            Array("{\"receipt-data\":\"".utf8) + encodeBase64($0) + Array("\",\"password\":\"p\"}".utf8)
        }
        // Makes the GNU C library keep freed memory, as in a program that has run for a while (mallopt(3),
        // M_MMAP_THRESHOLD). A fresh process would return every large answer to the system.
        var freed: [UInt8] = []
        freed.reserveCapacity(16 << 20)
        byteCount = Double(requests.reduce(0) { $0 + $1.count }) / Double(requests.count)
    }

    mutating func run(_ operations: Int) -> Int {
        let now = Timestamp(millisecondsSince1970: 1_717_243_200_000)
        var valid = 0
        var sum = 0
        for _ in 0..<operations {
            let request = requests[next]
            let answer =
                switch memory {
                case .none: endpoint.answer(request, at: now)
                case .kept: endpoint.answer(request, at: now, cache: &cache)
                }
            if answer.status == .valid { valid += 1 }
            sum &+= answer.body.count
            next = next + 1 == requests.count ? 0 : next + 1
        }
        consume(sum)
        return valid
    }
}
