import AppReceipt
import CorpusRecords
import DER
import SHA

/// How the results are written.
struct ResultForm: Sendable {
    let detail: ReceiptDetail
    let rows: ResultRows
    let isCSV: Bool
    let kept: [FieldName]

    /// The line above all others; none in JSON.
    var header: [UInt8] {
        guard isCSV else { return [] }
        var header = CSVHeader()
        write(RecordResult(), nil, &header)
        var bytes: [UInt8] = []
        CSVLine.append({ for name in header.names { $0.member("", name) } }, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// Appends the lines of a record.
    ///
    /// - Returns: whether there is one: a valid receipt without purchases has no row of purchases.
    func append(_ result: RecordResult, to lines: inout [UInt8]) -> Bool {
        guard rows == .purchases, let receipt = result.receipt else {
            append(result, nil, to: &lines)
            return true
        }
        let count = lines.count
        for purchase in receipt.inAppPurchases { append(result, .decoded(purchase), to: &lines) }
        for purchase in receipt.malformedInAppPurchases { append(result, .malformed(purchase), to: &lines) }
        return lines.count > count
    }

    private func append(_ result: RecordResult, _ purchase: PurchaseResult?, to lines: inout [UInt8]) {
        if isCSV {
            CSVLine.append({ write(result, purchase, &$0) }, to: &lines)
        } else {
            JSON.append(object: { write(result, purchase, &$0) }, to: &lines)
        }
        lines.append(UInt8(ascii: "\n"))
    }

    private func write(
        _ result: RecordResult,
        _ purchase: PurchaseResult?,
        _ line: inout some Fields
    ) {
        line.member("source", result.record?.origin.source)
        line.member("record", result.record.map { Int64($0.number) })
        line.member("offset", result.record.map { Int64($0.offset) })
        line.member("sha256", result.digest?.description)
        line.member("status", result.record.map { _ in result.status })
        line.member("step", result.fault?.step.rawValue)
        line.member("code", result.fault.map { "\($0.code.name)" })
        if detail != .none {
            line.member("receipt", isThere: result.receipt != nil) { fields in
                if detail == .all, rows == .records {
                    fields.receipt(result.receipt)
                } else {
                    fields.brief(result.receipt)
                }
            }
        }
        if rows == .purchases {
            line.member("purchase", isThere: purchase != nil) { fields in
                fields.member("malformed", purchase?.malformed.map { "\($0.refusal.code.name)" })
                fields.purchase(purchase?.decoded)
                if detail == .all { fields.undocumented(purchase?.decoded?.attributes) }
            }
        }
        // By name or by number, as each source has them.
        let kept = result.record?.origin.fields.kept ?? kept
        guard !kept.isEmpty else { return }
        line.member("keep", isThere: true) { fields in
            for field in kept {
                if let decoder = result.decoder {
                    decoder.keep(field, in: &fields)
                } else {
                    fields.member(field.text, nil as String?)
                }
            }
        }
    }
}

/// What a line is about.
enum ResultRows: String {
    case records
    case purchases
}

/// What is known of a record when its line is written; nothing at all for the line above all others.
struct RecordResult {
    var record: RecordBatch.Record?
    /// Nil where there is no receipt to be had.
    var digest: Digest?
    var decoder: RecordDecoder?
    /// One of these two.
    var receipt: Receipt?
    var fault: Fault?

    var status: String { receipt == nil ? fault?.status ?? "invalid" : "valid" }
}

private enum PurchaseResult {
    case decoded(InAppPurchase)
    case malformed(MalformedInAppPurchase)

    var decoded: InAppPurchase? { if case .decoded(let purchase) = self { purchase } else { nil } }
    var malformed: MalformedInAppPurchase? {
        if case .malformed(let purchase) = self { purchase } else { nil }
    }
}

extension RecordDecoder {
    /// Writes a field as it is: JSON verbatim, a column as a string, null where there is none.
    fileprivate func keep(_ field: FieldName, in fields: inout some Fields) {
        if case .json(let bytes, let members) = self,
            let value = JSONText.value(at: field.path, of: members, bytes)
        {
            // A carriage return may stand between two tokens, and ends a line to some readers.
            let text = bytes[value].map { $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
            fields.member(field.text, text: text[...])
        } else if case .columns = self {
            fields.member(field.text, text(field).map { String(decoding: $0, as: UTF8.self) })
        } else {
            fields.member(field.text, nil as String?)
        }
    }
}
