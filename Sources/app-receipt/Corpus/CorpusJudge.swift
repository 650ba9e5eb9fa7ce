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
        /// What was learnt, for the next batch.
        var cache: ValidationCache
    }

    func judge(_ batch: RecordBatch, _ cache: ValidationCache) -> Judgement {
        var judgement = Judgement(cache: cache)
        for record in batch.records {
            guard isInSample(record) else {
                judgement.tally.passOver()
                continue
            }
            let start = System.monotonicNanoseconds
            let status = judge(record, batch.bytes, &judgement)
            judgement.tally.note(
                CorpusTally.Slow(
                    nanoseconds: System.monotonicNanoseconds &- start,
                    source: record.origin.source,
                    record: record.number
                )
            )
            if stopsOn?.isMet(by: status) ?? false {
                judgement.isLast = true
                break
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

    private func judge(
        _ record: RecordBatch.Record,
        _ bytes: [UInt8],
        _ judgement: inout Judgement
    ) -> String {
        var decoder: RecordDecoder?
        var container: [UInt8]?
        let outcome: Result<Receipt, Fault>
        do throws(Fault) {
            let contents = try decode(record, bytes, &decoder)
            container = contents.container
            let receipt = try validator(for: contents).judge(contents.container, &judgement.cache)
            judgement.tally.count(receipt)
            outcome = .success(receipt)
        } catch {
            judgement.tally.count(error)
            outcome = .failure(error)
        }
        let result = RecordResult(
            record: record,
            digest: isWanted(outcome) ? container.map(digest) : nil,
            decoder: decoder,
            outcome: outcome
        )
        if isWanted(outcome), form.append(result, to: &judgement.lines) {
            judgement.tally.written += 1
        } else {
            judgement.tally.filtered += 1
        }
        return result.fault?.status ?? "valid"
    }

    private func digest(_ container: [UInt8]) -> String {
        "\(SHA256.digest(of: container.span, acceleration: validator.acceleration))"
    }

    private func isWanted(_ outcome: Result<Receipt, Fault>) -> Bool {
        if case .success = outcome { !isOnlyInvalid } else { true }
    }

    /// - Parameter decoder: what other fields are found with, also where the contents are refused.
    private func decode(
        _ record: RecordBatch.Record,
        _ bytes: [UInt8],
        _ decoder: inout RecordDecoder?
    ) throws(Fault) -> RecordContents {
        do throws(Refusal) {
            if let fault = record.fault { throw Refusal(fault, at: 0, reading: "record") }
            let decoded = try RecordDecoder(bytes, in: record.bytes, record.origin.format)
            decoder = decoded
            return try decoded.contents(record.origin.fields, validator.acceleration)
        } catch {
            throw Fault(error)
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
