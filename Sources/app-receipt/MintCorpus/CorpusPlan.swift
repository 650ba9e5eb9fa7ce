import AppReceiptMint
import DER
import SHA

/// The description of a corpus. Equal plans make equal receipts.
struct CorpusPlan: Sendable {
    var seed: UInt64 = 1
    var count: Int
    var apps = 3
    var chains = 4
    /// The share of receipts whose content is signed over SHA-1. The other receipts use SHA-256.
    var sha1 = Share(millionths: 250_000)
    /// The share of each bad kind, in the order of ``MintedKind/bad``.
    var bad = MintedKind.bad.map { _ in Share.none }

    /// Returns the bundle identifier of an app. Apps count from 1.
    static func bundleIdentifier(app: Int) -> String { "com.example.app\(app)" }
    /// A bundle identifier that no app of a corpus has.
    static let foreignBundleIdentifier = "com.example.elsewhere"

    /// The random choices for a record, made before its receipt.
    struct Draft {
        let kind: MintedKind
        let bundleIdentifier: String
        let chain: Int
        let digest: HashAlgorithm
        let creationDate: Timestamp
        let purchaseCount: Int
    }

    /// Draws the choices for a record.
    func draft(_ random: inout RecordRandom) -> Draft {
        let kind = random.index(among: bad).map { MintedKind.bad[$0] } ?? .good
        let digest: HashAlgorithm = random.index(among: [sha1]) == nil ? .sha256 : .sha1
        return Draft(
            kind: kind,
            bundleIdentifier: Self.bundleIdentifier(app: random.number(in: 1...apps)),
            chain: random.number(in: 0...(chains - 1)),
            digest: digest,
            creationDate: Self.date(digest == .sha1 ? Self.sha1Dates : Self.sha256Dates, &random),
            purchaseCount: PurchaseCount.draw(&random)
        )
    }

    // MARK: Dates, in seconds since 1970

    /// 2015-01-01T00:00:00Z to 2022-12-31T23:59:59Z. Apple signed over SHA-1 until 2023.
    private static let sha1Dates: ClosedRange<Int64> = 1_420_070_400...1_672_531_199
    /// 2023-03-01T00:00:00Z to 2025-12-31T23:59:59Z.
    private static let sha256Dates: ClosedRange<Int64> = 1_677_628_800...1_767_225_599
    /// 2014-12-31T23:59:59Z, the second before the first creation date of a receipt.
    static let lastSecondOfExpired = Timestamp(millisecondsSince1970: 1_420_070_399_000)

    static func date(_ seconds: ClosedRange<Int64>, _ random: inout RecordRandom) -> Timestamp {
        Timestamp(millisecondsSince1970: random.number(in: seconds) * 1000)
    }
}

/// The distribution of the number of purchases in a receipt.
///
/// It is fitted to 16 genuine receipts that Apple signed, which have 0, 0, 0, 1, 1, 1, 1, 2, 2, 5, 6, 7, 9,
/// 9, 27 and 187 purchases in 4.7 to 79 KB. Each row has its share of the 16 receipts, except that the two
/// longest are made rarer, so that the mean length is 7 KB: people publish long receipts because they are
/// rare.
enum PurchaseCount {
    /// Within a row, all numbers are equally likely. The mean is 5.4.
    static let rows: [(counts: ClosedRange<Int>, share: Share)] = [
        (0...0, Share(millionths: 190_000)), (1...1, Share(millionths: 250_000)),
        (2...2, Share(millionths: 125_000)), (3...9, Share(millionths: 360_000)),
        (10...27, Share(millionths: 60_000)), (28...187, Share(millionths: 15_000)),
    ]

    static func draw(_ random: inout RecordRandom) -> Int {
        // The shares of all rows add up to the whole, so there is always a row.
        let row = random.index(among: rows.map(\.share)) ?? 0
        return random.number(in: rows[row].counts)
    }

    /// The distribution in one line for a person.
    static var stated: String {
        rows.map { row in
            let counts =
                row.counts.count == 1
                ? "\(row.counts.lowerBound)" : "\(row.counts.lowerBound)-\(row.counts.upperBound)"
            return "\(counts): \(Double(row.share.millionths) / 10_000)%"
        }.joined(separator: ", ")
    }
}
