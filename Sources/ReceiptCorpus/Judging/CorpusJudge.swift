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

/// Judges batches of records. Each task has a ``copy``.
package struct CorpusJudge: Sendable {
    private(set) var validators: ReceiptJudge
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

    /// A copy for one task. Several threads that change the reference count of one object wait for each
    /// other, so the copy has a validator of its own.
    package var copy: Self {
        var copy = self
        copy.validators = validators.expecting(validator.with())
        return copy
    }

    package var emptyMemory: Memory { Memory(acceleration: validator.acceleration) }

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
        let group = judge(batch.records, &memory)
        for index in batch.records.indices {
            guard group.records[index].isInSample else {
                judgement.tally.passOver(batch.records[index].count)
                continue
            }
            let start = System.monotonicNanoseconds
            var waited: UInt64 = 0
            let result = group.records[index].result
            if let rows = count(result, of: batch.records[index], &memory, &judgement) {
                waited = await append(rows, of: batch.records[index], result, &judgement, write: write)
            }
            let elapsed = System.monotonicNanoseconds &- start &- waited
            let nanoseconds = group.nanoseconds(ofRecord: index) &+ elapsed
            if judgement.tally.isAmongSlowest(nanoseconds) {
                judgement.tally.note(nanoseconds: nanoseconds, batch.records[index])
            }
            if judgement.lines.count >= Self.lineCapacity { await flush(&judgement, write) }
            if stopsOn?.isMet(by: result.status) ?? false {
                judgement.isLast = true
                return judgement
            }
        }
        return judgement
    }

    /// Appends the rows of a record, and passes them to the writer when there are many.
    ///
    /// - Returns: how long the writer took, in nanoseconds.
    private func append(
        _ rows: [PurchaseResult],
        of record: RecordBatch.Record,
        _ result: RecordResult,
        _ judgement: inout Judgement,
        write: ([UInt8]) async -> Void
    ) async -> UInt64 {
        var waited: UInt64 = 0
        var head = result.head(of: record)
        for (index, row) in rows.enumerated() {
            head.purchase = index + 1
            form.append(result, of: record, head, row, to: &judgement.lines)
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

    // MARK: The records of a batch

    /// A record with what is known of its result.
    private struct JudgedRecord {
        /// Whether the record is judged. Nothing more is known of other records.
        let isInSample: Bool
        let result = RecordResult()
        /// The length of the container.
        var byteCount = 0
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
            let part = nanoseconds &* UInt64(records[place].byteCount) / UInt64(byteCount)
            return records[place].nanoseconds &+ part
        }
    }

    /// Judges the records of a batch together. See `ReceiptBatch` and `HashAlgorithm.digests`.
    private func judge(_ records: ContiguousArray<RecordBatch.Record>, _ memory: inout Memory) -> Group {
        var group = Group()
        group.records.reserveCapacity(records.count)
        var start = System.monotonicNanoseconds
        for place in records.indices {
            var judged = JudgedRecord(isInSample: isInSample(records[place]))
            if judged.isInSample { open(records[place], judged.result) }
            if let contents = judged.result.contents {
                judged.byteCount = contents.container.count
                group.byteCount += judged.byteCount
                if ReceiptJudge.isTransaction(contents.container) {
                    judge(transaction: contents, judged.result)
                } else {
                    judged.isPending = true
                    memory.receipts.append(
                        contents.container,
                        for: validator(for: contents),
                        cache: &memory.cache
                    )
                }
            }
            let end = System.monotonicNanoseconds
            judged.nanoseconds = end &- start
            start = end
            group.records.append(judged)
        }
        digest(group.records)
        var verdicts = memory.receipts.judge(cache: &memory.cache)
        // From the last to the first, each verdict is taken out of the array.
        for place in group.records.indices.reversed() where group.records[place].isPending {
            switch verdicts.removeLast() {
            case .success(let receipt): group.records[place].result.receipt = .app(receipt)
            case .failure(let error): refuse(group.records[place].result, error)
            }
        }
        group.nanoseconds = System.monotonicNanoseconds &- start
        return group
    }

    /// Judges a transaction receipt. Transaction receipts are not judged in batches.
    private func judge(transaction contents: RecordContents, _ result: RecordResult) {
        let validator = validators.expecting(validator(for: contents)).transactions
        do throws(ReceiptError) {
            result.receipt = .transaction(try validator.validate(contents.container))
        } catch {
            refuse(result, error)
        }
    }

    /// Notes the refusal of a receipt.
    private func refuse(_ result: RecordResult, _ error: ReceiptError) {
        let fault = Fault(error)
        result.fault = fault
        result.mismatch = result.contents.flatMap {
            Mismatch(fault, $0.container, validator(for: $0))
        }
    }

    // MARK: One record

    /// Counts a record, and appends its line if it is wanted.
    ///
    /// - Returns: the rows of its purchases, which are still to be appended; nil if there is one line at
    ///   most.
    private func count(
        _ result: RecordResult,
        of record: RecordBatch.Record,
        _ memory: inout Memory,
        _ judgement: inout Judgement
    ) -> [PurchaseResult]? {
        if let fault = result.fault { judgement.tally.count(fault, record.count) }
        if let receipt = result.receipt { judgement.tally.count(receipt) }
        // A run of blank lines is one line of the results, in the batch in which it begins.
        judgement.tally.filtered += record.count - 1
        guard result.fault != nil || !isOnlyInvalid, !record.isContinuation else {
            judgement.tally.filtered += 1
            return nil
        }
        if isOnlyInvalid, let container = result.contents?.container {
            result.digest = SHA256.digest(of: container.borrowedSpan, acceleration: validator.acceleration)
        }
        result.makeKey(of: record, memory.key(of: record.origin))
        let rows = form.purchases(result)
        // A receipt without purchases has no row.
        if rows?.isEmpty ?? false { judgement.tally.filtered += 1 } else { judgement.tally.written += 1 }
        if rows == nil {
            form.append(result, of: record, result.head(of: record), nil, to: &judgement.lines)
        }
        return rows
    }

    /// Digests the containers of a group together, unless few records will have a line.
    private func digest(_ group: ContiguousArray<JudgedRecord>) {
        guard !isOnlyInvalid else { return }
        var containers: [ArraySlice<UInt8>] = []
        /// The place of each container's record.
        var places: [Int] = []
        containers.reserveCapacity(group.count)
        places.reserveCapacity(group.count)
        for place in group.indices {
            guard let container = group[place].result.contents?.container else { continue }
            containers.append(container[...])
            places.append(place)
        }
        let digests = HashAlgorithm.sha256.digests(of: containers, acceleration: validator.acceleration)
        for (place, digest) in zip(places, digests) { group[place].result.digest = digest }
    }

    private func open(_ record: RecordBatch.Record, _ result: RecordResult) {
        do throws(Refusal) {
            if let fault = record.fault { throw Refusal(fault, at: 0, reading: "record") }
            let decoder = try RecordDecoder(record.buffer, in: record.range, record.origin)
            result.decoder = decoder
            result.contents = try decoder.contents(record.origin.fields, validator.acceleration)
        } catch {
            result.fault = Fault(error)
        }
    }

    /// The run's validator, which expects the environment, the bundle identifier and the device identifier of
    /// the record in place of the run's, if the record gives them.
    private func validator(for contents: RecordContents) -> ReceiptValidator {
        guard
            contents.environment != nil || contents.bundleIdentifier != nil
                || contents.deviceIdentifier != nil
        else { return validator }
        return validator.with(
            environments: contents.environment.map { .only($0) },
            bundleIdentifier: contents.bundleIdentifier.map { .exactly($0) },
            deviceIdentifiers: contents.deviceIdentifier.map { [$0] }
        )
    }
}
