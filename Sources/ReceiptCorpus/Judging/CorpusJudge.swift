import AppReceipt
import Bytes
import DER
import Processor
import ReceiptResults
import SHA
import SystemCalls
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

    /// The number of records that are judged together: enough for the lanes of vectors to be occupied most of
    /// the time, because long messages keep them busy after the short ones. More do not take less time.
    /// See `ReceiptBatch` and `HashAlgorithm.digests`.
    private static let groupCount = 64

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
            var group = judge(batch.records[index...].prefix(Self.groupCount), &memory)
            for place in group.records.indices {
                guard group.records[place].isInSample else {
                    judgement.tally.passOver(batch.records[index + place].count)
                    continue
                }
                let start = System.monotonicNanoseconds
                var waited: UInt64 = 0
                if let rows = count(
                    &group.records[place],
                    batch.records[index + place],
                    &memory,
                    &judgement
                ) {
                    waited = await append(rows, of: group.records[place].result, &judgement, write: write)
                }
                let elapsed = System.monotonicNanoseconds &- start &- waited
                judgement.tally.note(
                    nanoseconds: group.nanoseconds(ofRecord: place) &+ elapsed,
                    batch.records[index + place]
                )
                if judgement.lines.count >= Self.lineCapacity { await flush(&judgement, write) }
                if stopsOn?.isMet(by: group.records[place].result.status) ?? false {
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

    /// A record with what is known of its result.
    private struct JudgedRecord {
        /// Whether the record is judged. Nothing more is known of other records.
        let isInSample: Bool
        var result: RecordResult
        /// The receipt and the expectations; nil if they cannot be decoded. Then the result has a fault.
        var contents: RecordContents?
        /// Whether the verdict is still to come from the batch.
        var isPending = false
        /// The duration of the work on this record alone.
        var nanoseconds: UInt64 = 0
    }

    private struct Group {
        var records: ContiguousArray<JudgedRecord> = []
        /// The duration of the work that the records share.
        var nanoseconds: UInt64 = 0
        /// The length of all containers, plus 1.
        var byteCount = 1

        /// The duration of the work on a record: alone, and its part of the shared work by its length.
        func nanoseconds(ofRecord place: Int) -> UInt64 {
            let byteCount = records[place].contents?.container.count ?? 0
            return records[place].nanoseconds &+ nanoseconds &* UInt64(byteCount) / UInt64(self.byteCount)
        }
    }

    private func judge(_ records: ArraySlice<RecordBatch.Record>, _ memory: inout Memory) -> Group {
        var group = Group()
        group.records.reserveCapacity(Self.groupCount)
        var start = System.monotonicNanoseconds
        for record in records {
            let place = group.records.count
            group.records.append(
                JudgedRecord(isInSample: isInSample(record), result: RecordResult(record: record))
            )
            if group.records[place].isInSample { open(record, &group.records[place]) }
            if let contents = group.records[place].contents {
                group.byteCount += contents.container.count
                if ReceiptJudge.isTransaction(contents.container) {
                    judge(transaction: contents, &group.records[place])
                } else {
                    group.records[place].isPending = true
                    memory.receipts.append(
                        contents.container,
                        for: validator(for: contents),
                        cache: &memory.cache
                    )
                }
            }
            let end = System.monotonicNanoseconds
            group.records[place].nanoseconds = end &- start
            start = end
        }
        digest(&group.records)
        var verdicts = memory.receipts.judge(cache: &memory.cache)
        // From the last to the first, each verdict is taken out of the array and not copied.
        for place in group.records.indices.reversed() where group.records[place].isPending {
            switch verdicts.removeLast() {
            case .success(let receipt): group.records[place].result.receipt = .app(receipt)
            case .failure(let error): refuse(&group.records[place], error)
            }
        }
        group.nanoseconds = System.monotonicNanoseconds &- start
        return group
    }

    /// Judges a transaction receipt. Transaction receipts are not judged in batches.
    private func judge(transaction contents: RecordContents, _ judged: inout JudgedRecord) {
        let validator = validators.expecting(validator(for: contents)).transactions
        do throws(ReceiptError) {
            judged.result.receipt = .transaction(try validator.validate(contents.container))
        } catch {
            refuse(&judged, error)
        }
    }

    /// Notes the refusal of a receipt.
    private func refuse(_ judged: inout JudgedRecord, _ error: ReceiptError) {
        let fault = Fault(error)
        judged.result.fault = fault
        judged.result.mismatch = judged.contents.flatMap {
            Mismatch(fault, $0.container, validator(for: $0))
        }
    }

    // MARK: One record

    /// Counts a record, and appends its line if it is wanted.
    ///
    /// - Returns: the rows of its purchases, which are still to be appended; nil if there is one line at
    ///   most.
    private func count(
        _ judged: inout JudgedRecord,
        _ record: RecordBatch.Record,
        _ memory: inout Memory,
        _ judgement: inout Judgement
    ) -> [PurchaseResult]? {
        if let fault = judged.result.fault { judgement.tally.count(fault, record.count) }
        if let receipt = judged.result.receipt { judgement.tally.count(receipt) }
        // A run of blank lines is one line of the results, in the batch in which it begins.
        judgement.tally.filtered += record.count - 1
        guard judged.result.fault != nil || !isOnlyInvalid, !record.isContinuation else {
            judgement.tally.filtered += 1
            return nil
        }
        if isOnlyInvalid, let container = judged.contents?.container {
            let digest = SHA256.digest(of: container.borrowedSpan, acceleration: validator.acceleration)
            judged.result.digest = digest
        }
        judged.result.makeKey(memory.key(of: record.origin))
        let rows = form.purchases(judged.result)
        // A receipt without purchases has no row.
        if rows?.isEmpty ?? false { judgement.tally.filtered += 1 } else { judgement.tally.written += 1 }
        if rows == nil { form.append(judged.result, judged.result.head, nil, to: &judgement.lines) }
        return rows
    }

    /// Digests the containers of a group together, unless few records will have a line.
    private func digest(_ group: inout ContiguousArray<JudgedRecord>) {
        guard !isOnlyInvalid else { return }
        var containers: [ArraySlice<UInt8>] = []
        containers.reserveCapacity(group.count)
        for place in group.indices {
            if let container = group[place].contents?.container { containers.append(container[...]) }
        }
        var digests = HashAlgorithm.sha256.digests(of: containers, acceleration: validator.acceleration)
            .makeIterator()
        for place in group.indices where group[place].contents != nil {
            group[place].result.digest = digests.next()
        }
    }

    private func open(_ record: RecordBatch.Record, _ judged: inout JudgedRecord) {
        do throws(Refusal) {
            if let fault = record.fault { throw Refusal(fault, at: 0, reading: "record") }
            let decoder = try RecordDecoder(record.buffer, in: record.range, record.origin)
            judged.result.decoder = decoder
            judged.contents = try decoder.contents(record.origin.fields, validator.acceleration)
        } catch {
            judged.result.fault = Fault(error)
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
