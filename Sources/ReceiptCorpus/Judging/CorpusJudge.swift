import AppReceipt
import Basics
import DER
import Processor
import ReceiptResults
import SHA
import SignedPayloads
import SystemCalls
import TransactionReceipt

/// The records that make a run fail: all that are not valid, or only the unreadable ones.
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

/// Judges batches of records and writes the lines of their results. Each task has a ``copy``.
package struct CorpusJudge: Sendable {
    private(set) var validators: ReceiptJudge
    /// Judges the tokens without expectations of their own. It is not used if the records hold receipts.
    private let payloads: SignedPayloadJudge
    package let form: ResultForm
    let isOnlyInvalid: Bool

    /// - Parameters:
    ///   - policy: the policy for receipts.
    ///   - tokenPolicy: the policy for tokens. Records are judged as tokens if `form` has a kind of tokens.
    package init(
        policy: ReceiptPolicy,
        tokenPolicy: SignedPayloadPolicy,
        form: ResultForm,
        isOnlyInvalid: Bool = false
    ) {
        validators = ReceiptJudge(policy)
        payloads = SignedPayloadJudge(tokenPolicy)
        (self.form, self.isOnlyInvalid) = (form, isOnlyInvalid)
    }

    /// The lines of the results and the counts of a judged batch.
    package struct Judgement: Sendable {
        /// The lines of results that were not passed to the writer yet, each with its line feed.
        package var lines: [UInt8] = []
        package var tally = CorpusTally()
    }

    /// The state that a task keeps from one batch to the next.
    package struct Memory {
        var cache = ValidationCache()
        var payloads = SignedPayloadCache()
        /// Validates receipts together. Empty between two batches of records.
        var receipts: ReceiptBatch
        private let acceleration: Acceleration
        /// The source of the latest record that got a key, and the unfinished hash from which the keys of
        /// its records are made: it has read the source's name. Nil before the first such record.
        private var source: (origin: RecordOrigin, key: ResultKey)?

        init(acceleration: Acceleration) {
            receipts = ReceiptBatch(acceleration: acceleration)
            self.acceleration = acceleration
        }

        /// The unfinished hash from which the key of every record of a source is made. It has read the
        /// source's name only.
        mutating func key(of origin: RecordOrigin) -> ResultKey {
            if let source, source.origin === origin { return source.key }
            let key = ResultKey(source: origin.source, acceleration: acceleration)
            source = (origin, key)
            return key
        }
    }

    private var policy: ReceiptPolicy { validators.policy }

    /// A copy for one task. Several threads that change the reference count of one object wait for each
    /// other, so the copy has a validator of its own.
    package var copy: Self {
        var copy = self
        copy.validators = validators.expecting(policy)
        return copy
    }

    package var emptyMemory: Memory { Memory(acceleration: policy.acceleration) }

    /// A batch with at least this number of bytes of lines passes its lines to the writer.
    ///
    /// A record may have many purchases, and long kept fields in the row of each.
    package static let lineCapacity = 1 << 20

    /// Judges a batch. Returns its counts, and the lines that `write` has not received.
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
        let results = judge(batch.records, &memory)
        for (index, result) in results.enumerated() {
            var start = System.monotonicNanoseconds
            let rows = count(result, of: batch.records[index], &memory, &judgement.tally)
            for (position, row) in rows.enumerated() {
                result.head.purchase = row == nil ? nil : position + 1
                form.append(result, of: batch.records[index], row, to: &judgement.lines)
                guard judgement.lines.count >= Self.lineCapacity else { continue }
                let pause = System.monotonicNanoseconds
                let lines = judgement.lines
                judgement.lines = []
                await write(lines)
                start &+= System.monotonicNanoseconds &- pause
            }
            result.nanoseconds &+= System.monotonicNanoseconds &- start
            judgement.tally.note(
                CorpusTally.Slow(
                    nanoseconds: result.nanoseconds,
                    source: batch.records[index].origin.source,
                    record: batch.records[index].number
                )
            )
        }
        return judgement
    }

    /// Returns the results in the records' order. App receipts are judged in a `ReceiptBatch`. Tokens
    /// without expectations of their own are judged together by a `SignedPayloadJudge`.
    private func judge(
        _ records: ContiguousArray<RecordBatch.Record>,
        _ memory: inout Memory
    ) -> ContiguousArray<RecordResult> {
        var results: ContiguousArray<RecordResult> = []
        results.reserveCapacity(records.count)
        // The results that wait for a verdict together with others.
        var pending: ContiguousArray<RecordResult> = []
        // A copy for the batch, instead of one for each record.
        let policy = policy
        var start = System.monotonicNanoseconds
        for index in records.indices {
            let result = RecordResult(form.kind)
            open(records[index], result, policy)
            if let contents = result.contents {
                if let kind = form.kind {
                    // A token with expectations of its own is judged by itself.
                    if case .token(let policy)? = contents.policy {
                        judge([result], by: SignedPayloadJudge(policy), kind, &memory)
                    } else {
                        pending.append(result)
                    }
                } else if ReceiptInput.isPropertyList(contents.container) {
                    judge(transaction: contents, result)
                } else {
                    let validator = contents.receiptPolicy.map { ReceiptValidator($0) }
                    memory.receipts.append(
                        contents.container,
                        for: validator ?? validators.validator,
                        cache: &memory.cache
                    )
                    pending.append(result)
                }
            }
            let end = System.monotonicNanoseconds
            result.nanoseconds = end &- start
            start = end
            results.append(result)
        }
        if !isOnlyInvalid { digest(results) }
        if let kind = form.kind {
            judge(pending, by: payloads, kind, &memory)
        } else {
            var verdicts = memory.receipts.judge(cache: &memory.cache)
            // From the last to the first, each verdict is taken out of the array.
            for result in pending.reversed() {
                switch verdicts.removeLast() {
                case .success(let receipt): result.head.receipt = .app(receipt)
                case .failure(let error): refuse(result, error)
                }
            }
        }
        // The shared work is divided among the records by the lengths of their containers.
        let shared = System.monotonicNanoseconds &- start
        let byteCount = results.reduce(1) { $0 + $1.byteCount }
        for result in results {
            result.nanoseconds &+= shared &* UInt64(result.byteCount) / UInt64(byteCount)
        }
        return results
    }

    /// Validates a transaction receipt by itself, and sets the receipt or the fault of `result`.
    private func judge(transaction contents: RecordContents, _ result: RecordResult) {
        let validator = validators.transactions.expecting(contents.receiptPolicy ?? policy)
        do throws(ReceiptError) {
            result.head.receipt = .transaction(try validator.validate(contents.container))
        } catch {
            refuse(result, error)
        }
    }

    /// Validates the tokens of results, and sets the payload or the fault of each result.
    private func judge(
        _ results: ContiguousArray<RecordResult>,
        by judge: SignedPayloadJudge,
        _ kind: SignedPayloadKind,
        _ memory: inout Memory
    ) {
        let tokens = results.map { $0.contents?.container ?? [] }
        let verdicts = judge.judge(tokens, kind, cache: &memory.payloads)
        for (index, result) in results.enumerated() {
            switch verdicts[index] {
            case .success(let payload): result.head.payload = payload
            case .failure(let error):
                result.head.fault = Fault(error)
                result.head.mismatch = Mismatch(error, tokens[index], kind, judge.policy)
            }
        }
    }

    /// Sets the fault of `result`, and the values of the receipt that the fault is about, if they are known.
    private func refuse(_ result: RecordResult, _ error: ReceiptError) {
        let fault = Fault(error)
        result.head.fault = fault
        result.head.mismatch = result.contents.flatMap {
            Mismatch(fault, $0.container, $0.receiptPolicy ?? policy)
        }
    }

    // MARK: One record

    /// Counts a record, and completes its result if it has lines.
    ///
    /// - Returns: the purchase of each line, nil for the whole record; empty if the record has no lines.
    private func count(
        _ result: RecordResult,
        of record: RecordBatch.Record,
        _ memory: inout Memory,
        _ tally: inout CorpusTally
    ) -> [PurchaseResult?] {
        if let fault = result.head.fault { tally.count(fault, record.count) }
        if let receipt = result.head.receipt { tally.count(receipt) }
        if let payload = result.head.payload, let token = result.contents?.container {
            tally.count(payload, token)
        }
        // A run of blank lines is one line of the results, in the batch in which it begins.
        tally.filtered += record.count - 1
        guard result.head.fault != nil || !isOnlyInvalid, !record.isContinuation else {
            tally.filtered += 1
            return []
        }
        if isOnlyInvalid { digest([result]) }
        result.locate(record, memory.key(of: record.origin))
        let rows = form.rows(of: result)
        // A receipt without purchases has no row.
        if rows.isEmpty { tally.filtered += 1 } else { tally.written += 1 }
        return rows
    }

    /// Sets `head.digest` of each result that has a container or token to the SHA-256 digest of that
    /// container or token. The digests are computed together.
    private func digest(_ results: ContiguousArray<RecordResult>) {
        let results = results.filter { $0.byteCount > 0 }
        let containers = results.compactMap { $0.contents?.container[...] }
        let digests = HashAlgorithm.sha256.digests(of: containers, acceleration: policy.acceleration)
        for (result, digest) in zip(results, digests) { result.head.digest = digest }
    }

    private func open(_ record: RecordBatch.Record, _ result: RecordResult, _ policy: ReceiptPolicy) {
        do throws(Refusal) {
            if let fault = record.fault { throw Refusal(fault, at: 0, reading: "record") }
            let decoder = try RecordDecoder(record.buffer, in: record.range, record.origin)
            result.decoder = decoder
            let fields = record.origin.fields
            if let kind = form.kind {
                result.contents = try decoder.token(in: record.range, fields, kind, payloads.policy)
            } else {
                result.contents = try decoder.contents(in: record.range, fields, policy)
            }
        } catch {
            result.head.fault = Fault(named(error, of: record))
        }
    }

    /// The error to report for a record. It is `error` itself, except in one case: the run judges receipts
    /// and not tokens, no option names the receipt's field, no receipt was found in a record of NDJSON, and
    /// the names of the record's members are those of a signed or decoded object of StoreKit 2 or of the App
    /// Store server: see `JSONObjectForm`. Then the code names the object.
    private func named(_ error: Refusal, of record: RecordBatch.Record) -> Refusal {
        let (origin, bytes) = (record.origin, record.buffer)
        let hasNoReceipt = error.code == .missingField || error.code == .noReceiptInJSON
        guard hasNoReceipt, form.kind == nil, origin.format == .ndjson, origin.fields.receipt == nil,
            let object = JSONObjectForm(bytes, in: record.range), object.name.kind == .unsupported
        else { return error }
        return Refusal(object.name, at: 0, reading: "record")
    }
}
