import AppReceipt
import AppReceiptMint
import DER
import SHA

/// Judges batches: all that a task needs, and nothing that changes.
struct CorpusJudge: Sendable {
    let validator: ReceiptValidator
    let detail: ReceiptDetail
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
        do throws(Fault) {
            let decoded = try decode(record, bytes)
            decoder = decoded
            let contents = try decoded.contents(record.origin.fields)
            container = contents.container
            let receipt = try validator(for: contents).judge(contents.container, &judgement.cache)
            judgement.tally.count(receipt)
            if isOnlyInvalid {
                judgement.tally.filtered += 1
            } else {
                write(record, bytes, container, decoder, fault: nil, receipt, &judgement)
            }
            return "valid"
        } catch {
            judgement.tally.count(error)
            write(record, bytes, container, decoder, fault: error, nil, &judgement)
            return error.status
        }
    }

    private func decode(_ record: RecordBatch.Record, _ bytes: [UInt8]) throws(Fault) -> RecordDecoder {
        do throws(Refusal) {
            if let fault = record.fault { throw Refusal(fault, at: 0, reading: "record") }
            return try RecordDecoder(bytes, in: record.bytes, record.origin.format)
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
            limits: validator.limits
        )
    }

    private func write(
        _ record: RecordBatch.Record,
        _ bytes: [UInt8],
        _ container: [UInt8]?,
        _ decoder: RecordDecoder?,
        fault: Fault?,
        _ receipt: Receipt?,
        _ judgement: inout Judgement
    ) {
        let line = JSON.object { object in
            object.member("source", record.origin.source)
            object.member("record", Int64(record.number))
            object.member("offset", Int64(record.offset))
            object.member("sha256", container.map { "\(SHA256.digest(of: $0.span))" })
            object.member("status", fault?.status ?? "valid")
            object.member("step", fault?.step.rawValue)
            object.member("code", fault.map { "\($0.code.name)" })
            if let receipt, detail != .none {
                object.member("receipt") { detail == .all ? $0.receipt(receipt) : $0.brief(receipt) }
            }
            if !record.origin.fields.kept.isEmpty {
                object.member("keep") { kept in
                    for field in record.origin.fields.kept {
                        if let decoder {
                            decoder.keep(field, in: &kept)
                        } else {
                            kept.member(field.text, nil as String?)
                        }
                    }
                }
            }
        }
        judgement.lines += line.bytes
        judgement.lines.append(UInt8(ascii: "\n"))
        judgement.tally.written += 1
    }
}

extension JSON {
    /// What most people ask of a receipt first.
    fileprivate mutating func brief(_ receipt: Receipt) {
        member("environment", receipt.environmentName)
        member("bundle_identifier", receipt.bundleIdentifier)
        member("app_version", receipt.appVersion)
        member("creation_date", receipt.creationDate)
        member("in_app_purchase_count", receipt.inAppPurchases.reduce(Int64(0)) { sum, _ in sum + 1 })
    }
}
