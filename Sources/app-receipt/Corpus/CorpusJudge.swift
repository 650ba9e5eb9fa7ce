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
        // Two at a time, whose digests take less time together.
        for index in stride(from: 0, to: batch.records.count, by: 2) {
            let start = System.monotonicNanoseconds
            var pair = batch.records[index...].prefix(2).map { isInSample($0) ? open($0) : nil }
            digest(&pair)
            let shared = (System.monotonicNanoseconds &- start) / UInt64(pair.count)
            for opened in pair {
                guard let opened else {
                    judgement.tally.passOver()
                    continue
                }
                let start = System.monotonicNanoseconds
                let status = judge(opened, &judgement)
                judgement.tally.note(
                    CorpusTally.Slow(
                        nanoseconds: shared &+ System.monotonicNanoseconds &- start,
                        source: opened.record.origin.source,
                        record: opened.record.number
                    )
                )
                if stopsOn?.isMet(by: status) ?? false {
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

        var container: [UInt8]? { try? contents.get().container }
    }

    private func judge(_ opened: Opened, _ judgement: inout Judgement) -> String {
        let outcome: Result<Receipt, Fault>
        do throws(Fault) {
            let contents = try opened.contents.get()
            let receipt = try validator(for: contents).judge(contents.container, &judgement.cache)
            judgement.tally.count(receipt)
            outcome = .success(receipt)
        } catch {
            judgement.tally.count(error)
            outcome = .failure(error)
        }
        let result = RecordResult(
            record: opened.record,
            digest: isWanted(outcome) ? opened.digest ?? opened.container.map(digest) : nil,
            decoder: opened.decoder,
            outcome: outcome
        )
        if isWanted(outcome), form.append(result, to: &judgement.lines) {
            judgement.tally.written += 1
        } else {
            judgement.tally.filtered += 1
        }
        return result.fault?.status ?? "valid"
    }

    private func digest(_ container: [UInt8]) -> Digest {
        SHA256.digest(of: container.span, acceleration: validator.acceleration)
    }

    /// Both digests, if there are two to be written whatever is said of their containers.
    private func digest(_ pair: inout [Opened?]) {
        guard !isOnlyInvalid, pair.count == 2, let first = pair[0]?.container, let second = pair[1]?.container
        else { return }
        let digests = SHA256.digests(of: first.span, second.span, acceleration: validator.acceleration)
        pair[0]?.digest = digests.0
        pair[1]?.digest = digests.1
    }

    private func isWanted(_ outcome: Result<Receipt, Fault>) -> Bool {
        if case .success = outcome { !isOnlyInvalid } else { true }
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
