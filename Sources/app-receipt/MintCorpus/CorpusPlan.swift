import AppReceiptMint
import DER
import SHA

/// What a corpus is to be: the same plan makes the same receipts.
struct CorpusPlan: Sendable {
    var seed: UInt64 = 1
    var count: Int
    var apps = 3
    var chains = 4
    /// Of the receipts whose content is signed over SHA-1; the others are over SHA-256.
    var sha1 = Share(millionths: 250_000)
    /// Of every bad kind, in the order of ``MintedKind/bad``.
    var bad = MintedKind.bad.map { _ in Share.none }

    /// The bundle identifier of an app, counted from 1.
    static func bundleIdentifier(app: Int) -> String { "com.example.app\(app)" }
    /// That of no app of a corpus.
    static let foreignBundleIdentifier = "com.example.elsewhere"

    /// What was drawn for a record before anything is made.
    struct Draft {
        let kind: MintedKind
        let bundleIdentifier: String
        let chain: Int
        let digest: HashAlgorithm
        let creationDate: Timestamp
        let purchaseCount: Int
    }

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

    /// 2015-01-01T00:00:00Z to 2022-12-31T23:59:59Z: Apple signed over SHA-1 until 2023.
    private static let sha1Dates: ClosedRange<Int64> = 1_420_070_400...1_672_531_199
    /// 2023-03-01T00:00:00Z to 2025-12-31T23:59:59Z.
    private static let sha256Dates: ClosedRange<Int64> = 1_677_628_800...1_767_225_599
    /// 2014-12-31T23:59:59Z: before any receipt was created.
    static let lastSecondOfExpired = Timestamp(millisecondsSince1970: 1_420_070_399_000)

    static func date(_ seconds: ClosedRange<Int64>, _ random: inout RecordRandom) -> Timestamp {
        Timestamp(millisecondsSince1970: random.number(in: seconds) * 1000)
    }
}

/// How many purchases a receipt has.
///
/// Fitted to the 16 genuine receipts at hand that Apple signed, which have 0, 0, 0, 1, 1, 1, 1, 2, 2, 5, 6,
/// 7, 9, 9, 27 and 187 purchases in 4.7 to 79 KB. The shares are theirs, but for the two long ones: people
/// publish those because they are rare, so they are made rare enough for a mean of 7 KB.
enum PurchaseCount {
    /// Within a row, all numbers are as likely. The mean is 5.4.
    static let rows: [(counts: ClosedRange<Int>, share: Share)] = [
        (0...0, Share(millionths: 190_000)), (1...1, Share(millionths: 250_000)),
        (2...2, Share(millionths: 125_000)), (3...9, Share(millionths: 360_000)),
        (10...27, Share(millionths: 60_000)), (28...187, Share(millionths: 15_000)),
    ]

    static func draw(_ random: inout RecordRandom) -> Int {
        // The shares of all rows are the whole, so there is a row.
        let row = random.index(among: rows.map(\.share)) ?? 0
        return random.number(in: rows[row].counts)
    }

    /// One line for a person.
    static var stated: String {
        rows.map { row in
            let counts =
                row.counts.count == 1
                ? "\(row.counts.lowerBound)" : "\(row.counts.lowerBound)-\(row.counts.upperBound)"
            return "\(counts): \(Double(row.share.millionths) / 10_000)%"
        }.joined(separator: ", ")
    }
}
