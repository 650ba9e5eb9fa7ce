import AppReceipt
import AppReceiptMint
import CorpusRecords
import DER
import SHA

/// Judges batches: all that a task needs, and nothing that changes.
struct CorpusJudge: Sendable {
    let validator: ReceiptValidator
    let form: ResultForm
    let isOnlyInvalid: Bool
    /// Judge one record in so many.
    let sample: Int
    let seed: UInt64
    /// After which record to stop; nil to go on.
    let stopsOn: FailureCondition?

    /// What became of a batch.
    struct Judgement: Sendable {
        /// A line for each record that is written.
        var lines: [UInt8] = []
        var tally = CorpusTally()
        /// Whether nothing after it is to be written.
        var isLast = false
    }

    /// What a task keeps from one batch to the next.
    struct Memory {
        var cache = ValidationCache()
        /// Empty; it remembers keys.
        var receipts: ReceiptBatch
    }

    var emptyMemory: Memory { Memory(receipts: ReceiptBatch(acceleration: validator.acceleration)) }

    /// How many records are judged together, which takes less time: see `ReceiptBatch`, and `digest`.
    private static let groupCount = 16

    func judge(_ batch: RecordBatch, _ memory: inout Memory) -> Judgement {
        var judgement = Judgement()
        for index in stride(from: 0, to: batch.records.count, by: Self.groupCount) {
            var group: [Opened?] = []
            group.reserveCapacity(Self.groupCount)
            var start = System.monotonicNanoseconds
            for record in batch.records[index...].prefix(Self.groupCount) {
                var opened = isInSample(record) ? open(record) : nil
                if let contents = try? opened?.contents.get() {
                    memory.receipts.append(
                        contents.container,
                        for: validator(for: contents),
                        cache: &memory.cache
                    )
                }
                let end = System.monotonicNanoseconds
                opened?.nanoseconds = end &- start
                group.append(opened)
                start = end
            }
            digest(&group)
            let verdicts = memory.receipts.judge(cache: &memory.cache)
            let shared = System.monotonicNanoseconds &- start
            let byteCount = group.reduce(1) { $0 + ($1?.byteCount ?? 0) }
            var next = 0
            for opened in group {
                guard let opened else {
                    judgement.tally.passOver()
                    continue
                }
                let start = System.monotonicNanoseconds
                var result = RecordResult(record: opened.record, decoder: opened.decoder)
                switch opened.contents {
                case .success:
                    switch verdicts[next] {
                    case .success(let receipt): result.receipt = receipt
                    case .failure(let error): result.fault = Fault(error)
                    }
                    next += 1
                case .failure(let fault): result.fault = fault
                }
                tell(&result, opened, &judgement)
                // What was done together is shared by length.
                let part = shared &* UInt64(opened.byteCount) / UInt64(byteCount)
                judgement.tally.note(
                    CorpusTally.Slow(
                        nanoseconds: opened.nanoseconds &+ part &+ System.monotonicNanoseconds &- start,
                        source: opened.record.origin.source,
                        record: opened.record.number
                    )
                )
                if stopsOn?.isMet(by: result.status) ?? false {
                    judgement.isLast = true
                    return judgement
                }
            }
        }
        return judgement
    }

    private func isInSample(_ record: RecordBatch.Record) -> Bool {
        guard sample > 1 else { return true }
        let name = record.origin.source.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var generator = SeededGenerator(seed: name ^ UInt64(record.number))
        return generator.next() % UInt64(sample) == 0
    }

    // MARK: One record

    /// A record of which is known what it holds, and nothing of whether that is good.
    private struct Opened {
        let record: RecordBatch.Record
        /// What other fields are found with, also where the contents are refused.
        let decoder: RecordDecoder?
        let contents: Result<RecordContents, Fault>
        /// Of the container, where that is known already.
        var digest: Digest?
        /// How long it took until here.
        var nanoseconds: UInt64 = 0

        var container: [UInt8]? { try? contents.get().container }
        var byteCount: Int { container?.count ?? 0 }
    }

    /// Counts it, and writes its line if it is wanted.
    private func tell(_ result: inout RecordResult, _ opened: Opened, _ judgement: inout Judgement) {
        if let fault = result.fault { judgement.tally.count(fault) }
        if let receipt = result.receipt { judgement.tally.count(receipt) }
        guard result.fault != nil || !isOnlyInvalid else {
            judgement.tally.filtered += 1
            return
        }
        result.digest = opened.digest ?? opened.container.map(digest)
        if form.append(result, to: &judgement.lines) {
            judgement.tally.written += 1
        } else {
            judgement.tally.filtered += 1
        }
    }

    private func digest(_ container: [UInt8]) -> Digest {
        SHA256.digest(of: container.span, acceleration: validator.acceleration)
    }

    /// Digests together, if they are to be written whatever is said of their containers.
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
            let decoded = try RecordDecoder(record.buffer, in: record.range, record.origin.format)
            decoder = decoded
            let contents = try decoded.contents(record.origin.fields, validator.acceleration)
            return Opened(record: record, decoder: decoder, contents: .success(contents))
        } catch {
            return Opened(record: record, decoder: decoder, contents: .failure(Fault(error)))
        }
    }

    /// The validator that expects what the record says.
    private func validator(for contents: RecordContents) -> ReceiptValidator {
        guard contents.bundleIdentifier != nil || contents.deviceIdentifier != nil else { return validator }
        return ReceiptValidator(
            environments: validator.environments,
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
