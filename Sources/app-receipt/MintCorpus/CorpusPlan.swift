import Basics
import SHA
import SystemCalls

/// The description of a corpus of receipts. Equal plans make equal receipts.
struct CorpusPlan: Sendable {
    let seed: UInt64
    let chains: Int
    /// The share of bad receipts, in millionths of all receipts. ``draft(_:)`` rounds it down to a
    /// multiple of the number of kinds.
    let bad: Int
    /// The kinds of the bad receipts. All elements of the array are equally frequent.
    let kinds: [MintedKind]
    let format: MintedFormat

    /// The number of bundle identifiers that records expect, all equally frequent.
    private static let appCount = 3
    /// The share of receipts that are signed over SHA-1, in millionths. The others use SHA-256.
    private static let sha1 = 250_000

    /// The random choices for a record, made before its receipt.
    struct Draft {
        let kind: MintedKind
        let bundleIdentifier: String
        let chain: Int
        let digest: HashAlgorithm
        let creationDate: Timestamp
        let purchaseCount: Int
    }

    /// Draws the kind, app, chain, digest, creation date and number of purchases of a record's receipt.
    func draft(_ random: inout RecordRandom) -> Draft {
        let kind = random.index(among: kinds.map { _ in bad / kinds.count }).map { kinds[$0] } ?? .good
        let digest: HashAlgorithm = random.index(among: [Self.sha1]) == nil ? .sha256 : .sha1
        return Draft(
            kind: kind,
            bundleIdentifier: "com.example.app\(random.number(in: 1...Self.appCount))",
            chain: random.number(in: 0...(chains - 1)),
            digest: digest,
            creationDate: Self.date(digest == .sha1 ? Self.sha1Dates : Self.sha256Dates, &random),
            purchaseCount: PurchaseCount.draw(&random)
        )
    }

    /// The most records that one task makes.
    private static let batchCount = 64

    /// Makes the lines of up to 64 records for each processor, in order; each array has one task's lines.
    ///
    /// - Parameters:
    ///   - next: the number, from 1, of the first record; after the call, the number to go on with.
    ///   - count: the number of records of the corpus.
    ///   - line: makes the line of the record with a number.
    static func lines(
        from next: inout Int,
        of count: Int,
        _ line: @escaping @Sendable (Int) -> [UInt8]
    ) async -> [[UInt8]] {
        let first = next
        let starts = (0..<System.processorCount).map { first + $0 * batchCount }.filter { $0 <= count }
        next += starts.count * batchCount
        return await withTaskGroup(of: (Int, [UInt8]).self) { group in
            for start in starts {
                group.addTask {
                    (start, (start..<min(start + batchCount, count + 1)).flatMap(line))
                }
            }
            var batches: [Int: [UInt8]] = [:]
            for await (start, lines) in group { batches[start] = lines }
            return starts.map { batches[$0, default: []] }
        }
    }

    // MARK: Dates, in seconds since 1970

    /// The creation dates of receipts over SHA-1, in seconds since 1970: 2015 through 2022 in UTC. Apple used
    /// SHA-1 until 2023.
    private static let sha1Dates: ClosedRange<Int64> = 1_420_070_400...1_672_531_199
    /// The creation dates of receipts over SHA-256, and the dates of tokens, in seconds since 1970:
    /// 2023-03-01 through 2025-12-31 in UTC.
    static let sha256Dates: ClosedRange<Int64> = 1_677_628_800...1_767_225_599
    /// The end of expired leaf certificates: 2014-12-31T23:59:59Z, the second before the first creation date.
    static let lastSecondOfExpired = Timestamp(millisecondsSince1970: 1_420_070_399_000)

    static func date(_ seconds: ClosedRange<Int64>, _ random: inout RecordRandom) -> Timestamp {
        Timestamp(millisecondsSince1970: random.number(in: seconds) * 1000)
    }
}

/// The format of a record's line. It is the base64 of a receipt, or a token, and nothing else; or it is a
/// JSON object with one of these and with the verdict that a validator must reach.
enum MintedFormat: String {
    case base64, ndjson
}

/// The distribution of the number of purchases in a receipt.
///
/// It is fitted to 16 genuine receipts that Apple signed, which have 0, 0, 0, 1, 1, 1, 1, 2, 2, 5, 6, 7, 9,
/// 9, 27 and 187 purchases in 4.7 to 79 KB. The row from 28 to 187 is rarer than among the 16 receipts, and
/// the row from 3 to 9 is more frequent; every other row has about its share of them.
enum PurchaseCount {
    /// Ranges of counts of purchases, and their shares. Counts in a range are equally likely. Mean: 5.4.
    private static let rows: [(counts: ClosedRange<Int>, millionths: Int)] = [
        (0...0, 190_000), (1...1, 250_000), (2...2, 125_000), (3...9, 360_000), (10...27, 60_000),
        (28...187, 15_000),
    ]

    static func draw(_ random: inout RecordRandom) -> Int {
        // The shares of all rows add up to the whole, so there is always a row.
        let row = random.index(among: rows.map(\.millionths)) ?? 0
        return random.number(in: rows[row].counts)
    }
}
