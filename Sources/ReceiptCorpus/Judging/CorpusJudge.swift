import AppReceipt
import Bytes
import DER
import Processor
import SHA
import TransactionReceipt

/// The records that make a run fail.
package enum FailureCondition: String, Sendable {
    case invalid
    case unreadable

    package func isMet(by status: String) -> Bool {
        switch self {
        case .invalid: status != "valid"
        case .unreadable: status == "unreadable"
        }
    }
}

/// Judges batches of records. A value of this type is immutable, and all tasks share it.
package struct CorpusJudge: Sendable {
    let validators: ReceiptJudge
    package let form: ResultForm
    let isOnlyInvalid: Bool
    /// One record in this many is judged.
    let sample: Int
    let seed: UInt64
    /// The condition after which the run stops; nil to go on.
    let stopsOn: FailureCondition?

    package init(
        validator: ReceiptValidator,
        issuers: [IssuerCertificate] = [],
        form: ResultForm,
        isOnlyInvalid: Bool = false,
        sample: Int = 1,
        seed: UInt64 = 1,
        stopsOn: FailureCondition? = nil
    ) {
        validators = ReceiptJudge(validator, issuers: issuers)
        (self.form, self.isOnlyInvalid) = (form, isOnlyInvalid)
        (self.sample, self.seed, self.stopsOn) = (sample, seed, stopsOn)
    }

    /// The result of a batch.
    package struct Judgement: Sendable {
        /// The lines that were not passed to the writer yet.
        package var lines: [UInt8] = []
        package var tally = CorpusTally()
        /// Whether nothing after this batch may be written.
        package var isLast = false
    }

    /// The state that a task keeps from one batch to the next.
    package struct Memory {
        var cache = ValidationCache()
        /// An empty batch that remembers keys.
        var receipts: ReceiptBatch
        private let acceleration: Acceleration
        /// The source of the latest record, and the unfinished key that its records have in common.
        private var source: (origin: RecordOrigin, key: ResultKey)?

        init(acceleration: Acceleration) {
            receipts = ReceiptBatch(acceleration: acceleration)
            self.acceleration = acceleration
        }

        /// The unfinished key that the records of a source have in common.
        mutating func key(of origin: RecordOrigin) -> ResultKey {
            if let source, source.origin === origin { return source.key }
            let key = ResultKey(source: origin.source, acceleration: acceleration)
            source = (origin, key)
            return key
        }
    }

    private var validator: ReceiptValidator { validators.validator }

    package var emptyMemory: Memory { Memory(acceleration: validator.acceleration) }

    /// The number of records that are judged together, which is faster: see `ReceiptBatch` and
    /// `SHA256.digests`.
    private static let groupCount = 16

    /// The number of bytes of lines after which a batch passes them to the writer.
    ///
    /// A batch of 256 ordinary records stays below. A record may have many purchases and a kept field of
    /// 16 MiB in the row of each.
    package static let lineCapacity = 1 << 20

    /// Judges a batch.
    ///
    /// At no time does the batch hold more than ``lineCapacity`` bytes of lines and one further row.
    ///
    /// - Parameter write: receives lines when there are many. It returns when it has taken them.
    package func judge(
        _ batch: RecordBatch,
        _ memory: inout Memory,
        write: ([UInt8]) async -> Void
    ) async -> Judgement {
        var judgement = Judgement()
        for index in stride(from: 0, to: batch.records.count, by: Self.groupCount) {
            let group = judge(batch.records[index...].prefix(Self.groupCount), &memory)
            var (next, nextTransaction) = (0, 0)
            for (record, opened) in zip(batch.records[index...], group.opened) {
                guard let opened else {
                    judgement.tally.passOver(record.count)
                    continue
                }
                let start = System.monotonicNanoseconds
                var result = RecordResult(record: opened.record, decoder: opened.decoder)
                switch opened.contents {
                case .success:
                    var refusal: ReceiptError?
                    if opened.isTransaction {
                        switch group.transactions[nextTransaction] {
                        case .success(let info): result.receipt = .transaction(info)
                        case .failure(let error): refusal = error
                        }
                        nextTransaction += 1
                    } else {
                        switch group.verdicts[next] {
                        case .success(let receipt): result.receipt = .app(receipt)
                        case .failure(let error): refusal = error
                        }
                        next += 1
                    }
                    if let refusal {
                        let fault = Fault(refusal)
                        result.fault = fault
                        result.mismatch = opened.mismatch(fault, validator(for:))
                    }
                case .failure(let fault): result.fault = fault
                }
                var waited: UInt64 = 0
                if let rows = count(&result, opened, &memory, &judgement) {
                    waited = await append(rows, of: result, &judgement, write: write)
                }
                let elapsed = System.monotonicNanoseconds &- start &- waited
                judgement.tally.note(
                    CorpusTally.Slow(
                        nanoseconds: opened.nanoseconds &+ group.share(of: opened) &+ elapsed,
                        source: opened.record.origin.source,
                        record: opened.record.number
                    )
                )
                if judgement.lines.count >= Self.lineCapacity { await flush(&judgement, write) }
                if stopsOn?.isMet(by: result.status) ?? false {
                    judgement.isLast = true
                    return judgement
                }
            }
        }
        return judgement
    }

    /// Appends the rows of a record, and passes them to the writer when there are many.
    ///
    /// - Returns: how long the writer took, in nanoseconds.
    private func append(
        _ rows: [PurchaseResult],
        of result: RecordResult,
        _ judgement: inout Judgement,
        write: ([UInt8]) async -> Void
    ) async -> UInt64 {
        var waited: UInt64 = 0
        var head = result.head
        for (index, row) in rows.enumerated() {
            head.purchase = index + 1
            form.append(result, head, row, to: &judgement.lines)
            guard judgement.lines.count >= Self.lineCapacity else { continue }
            let start = System.monotonicNanoseconds
            await flush(&judgement, write)
            waited &+= System.monotonicNanoseconds &- start
        }
        return waited
    }

    private func flush(_ judgement: inout Judgement, _ write: ([UInt8]) async -> Void) async {
        let lines = judgement.lines
        judgement.lines = []
        await write(lines)
    }

    private func isInSample(_ record: RecordBatch.Record) -> Bool {
        guard sample > 1 else { return true }
        let name = record.origin.source.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Self.splitMix64(name ^ UInt64(record.number)) % UInt64(sample) == 0
    }

    /// The first number of SplitMix64 for a seed (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
    /// Generators, 2014).
    private static func splitMix64(_ seed: UInt64) -> UInt64 {
        var mixed = seed &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    // MARK: A group of records

    /// A record whose fields are decoded and whose receipt is not yet judged.
    private struct Opened {
        let record: RecordBatch.Record
        /// The record's fields; nil if they cannot be located. The contents may be refused in either case.
        let decoder: RecordDecoder?
        let contents: Result<RecordContents, Fault>
        /// Whether the container is a transaction receipt.
        var isTransaction = false
        /// The digest of the container, if it is computed already.
        var digest: Digest?
        /// The duration of the work on this record so far.
        var nanoseconds: UInt64 = 0

        var container: [UInt8]? { try? contents.get().container }

        /// The found and the expected value if the fault is a difference between them. Nil for any other
        /// fault.
        func mismatch(_ fault: Fault, _ validator: (RecordContents) -> ReceiptValidator) -> Mismatch? {
            guard let contents = try? contents.get() else { return nil }
            return Mismatch(fault, contents.container, validator(contents))
        }
        var byteCount: Int { container?.count ?? 0 }
    }

    private struct Group {
        /// Nil for a record outside of the sample.
        var opened: [Opened?] = []
        /// The verdicts of the records that could be opened and are app receipts.
        var verdicts: [Result<Receipt, ReceiptError>] = []
        /// The verdicts of the transaction receipts.
        var transactions: [Result<PurchaseInfo, ReceiptError>] = []
        /// The duration of the work that the records share.
        var nanoseconds: UInt64 = 0
        /// The length of all containers, plus 1.
        var byteCount = 1

        /// A record's part of the shared work, by its length.
        func share(of opened: Opened) -> UInt64 {
            nanoseconds &* UInt64(opened.byteCount) / UInt64(byteCount)
        }
    }

    private func judge(_ records: ArraySlice<RecordBatch.Record>, _ memory: inout Memory) -> Group {
        var group = Group()
        group.opened.reserveCapacity(Self.groupCount)
        var start = System.monotonicNanoseconds
        for record in records {
            var opened = isInSample(record) ? open(record) : nil
            if let contents = try? opened?.contents.get() {
                if ReceiptJudge.isTransaction(contents.container) {
                    opened?.isTransaction = true
                    group.transactions.append(judge(transaction: contents))
                } else {
                    memory.receipts.append(
                        contents.container,
                        for: validator(for: contents),
                        cache: &memory.cache
                    )
                }
            }
            let end = System.monotonicNanoseconds
            opened?.nanoseconds = end &- start
            group.opened.append(opened)
            start = end
        }
        digest(&group.opened)
        group.verdicts = memory.receipts.judge(cache: &memory.cache)
        group.nanoseconds = System.monotonicNanoseconds &- start
        group.byteCount = group.opened.reduce(1) { $0 + ($1?.byteCount ?? 0) }
        return group
    }

    /// The verdict about a transaction receipt. Transaction receipts are not judged in batches.
    private func judge(transaction contents: RecordContents) -> Result<PurchaseInfo, ReceiptError> {
        let validator = validators.expecting(validator(for: contents)).transactions
        do throws(ReceiptError) {
            return .success(try validator.validate(contents.container))
        } catch {
            return .failure(error)
        }
    }

    // MARK: One record

    /// Counts a record, and appends its line if it is wanted.
    ///
    /// - Returns: the rows of its purchases, which are still to be appended; nil if there is one line at
    ///   most.
    private func count(
        _ result: inout RecordResult,
        _ opened: Opened,
        _ memory: inout Memory,
        _ judgement: inout Judgement
    ) -> [PurchaseResult]? {
        if let fault = result.fault { judgement.tally.count(fault, opened.record.count) }
        if let receipt = result.receipt { judgement.tally.count(receipt) }
        // A run of blank lines is one line of the results, in the batch in which it begins.
        judgement.tally.filtered += opened.record.count - 1
        guard result.fault != nil || !isOnlyInvalid, !opened.record.isContinuation else {
            judgement.tally.filtered += 1
            return nil
        }
        result.digest = opened.digest ?? opened.container.map(digest)
        result.makeKey(memory.key(of: opened.record.origin))
        let rows = form.purchases(result)
        // A receipt without purchases has no row.
        if rows?.isEmpty ?? false { judgement.tally.filtered += 1 } else { judgement.tally.written += 1 }
        if rows == nil { form.append(result, result.head, nil, to: &judgement.lines) }
        return rows
    }

    private func digest(_ container: [UInt8]) -> Digest {
        SHA256.digest(of: container.borrowedSpan, acceleration: validator.acceleration)
    }

    /// Digests the containers of a group together, if every record has a line.
    private func digest(_ group: inout [Opened?]) {
        guard !isOnlyInvalid else { return }
        let indices = group.indices.filter { group[$0]?.container != nil }
        let digests = SHA256.digests(
            of: indices.compactMap { group[$0]?.container?[...] },
            acceleration: validator.acceleration
        )
        for (index, digest) in zip(indices, digests) { group[index]?.digest = digest }
    }

    private func open(_ record: RecordBatch.Record) -> Opened {
        var decoder: RecordDecoder?
        do throws(Refusal) {
            if let fault = record.fault { throw Refusal(fault, at: 0, reading: "record") }
            let decoded = try RecordDecoder(record.buffer, in: record.range, record.origin)
            decoder = decoded
            let contents = try decoded.contents(record.origin.fields, validator.acceleration)
            return Opened(record: record, decoder: decoder, contents: .success(contents))
        } catch {
            return Opened(record: record, decoder: decoder, contents: .failure(Fault(error)))
        }
    }

    /// The run's validator, which expects the environment, the bundle identifier and the device identifier of
    /// the record in place of the run's, if the record gives them.
    private func validator(for contents: RecordContents) -> ReceiptValidator {
        guard
            contents.environment != nil || contents.bundleIdentifier != nil
                || contents.deviceIdentifier != nil
        else { return validator }
        return ReceiptValidator(
            environments: contents.environment.map { .only($0) } ?? validator.environments,
            bundleIdentifier: contents.bundleIdentifier.map { .exactly($0) } ?? validator.bundleIdentifier,
            trust: validator.trust,
            appVersion: validator.appVersion,
            deviceIdentifiers: contents.deviceIdentifier.map { [$0] } ?? validator.deviceIdentifiers,
            now: validator.now,
            minimumDigest: validator.minimumDigest,
            pathTime: validator.pathTime,
            limits: validator.limits,
            acceleration: validator.acceleration
        )
    }
}
