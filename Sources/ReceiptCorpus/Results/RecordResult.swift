import AppReceipt
import JSONText
import ReceiptResults
import SHA
import TransactionReceipt

/// How results are written: as CSV or as lines of JSON, per record or per purchase, and in which detail.
package struct ResultForm: Sendable {
    let detail: ReceiptDetail
    let rows: ResultRows
    let isCSV: Bool
    let kept: [FieldName]
    /// The kind of the tokens that the records hold; nil for receipts.
    let kind: SignedPayloadKind?

    package init(
        detail: ReceiptDetail,
        rows: ResultRows,
        isCSV: Bool,
        kept: [FieldName],
        kind: SignedPayloadKind? = nil
    ) {
        (self.detail, self.rows) = (detail, rows)
        (self.isCSV, self.kept, self.kind) = (isCSV, kept, kind)
    }

    /// The header line of CSV, with its line feed; empty for JSON.
    package var header: [UInt8] {
        guard isCSV else { return [] }
        var bytes: [UInt8] = []
        CSVLine.append(isHeader: true, { write(RecordResult(kind), nil, kept, &$0) }, to: &bytes)
        return bytes + [UInt8(ascii: "\n")]
    }

    /// One element for each line of a record. With ``ResultRows/purchases``, a valid receipt has one for each
    /// purchase, the malformed ones last. Otherwise one nil stands for the whole record.
    func rows(of result: RecordResult) -> [PurchaseResult?] {
        guard rows == .purchases, let receipt = result.head.receipt else { return [nil] }
        switch receipt {
        case .transaction(let info): return [PurchaseResult(transaction: info)]
        case .app(let receipt):
            return receipt.inAppPurchases.map { PurchaseResult(decoded: $0) }
                + receipt.malformedInAppPurchases.map { PurchaseResult(malformed: $0) }
        }
    }

    /// Appends a line and its line feed: about `purchase`, or if that is nil about the whole record.
    func append(
        _ result: RecordResult,
        of record: RecordBatch.Record,
        _ purchase: PurchaseResult?,
        to lines: inout [UInt8]
    ) {
        // Each source has its own columns for the kept fields.
        let kept = record.origin.fields.kept
        if isCSV {
            CSVLine.append({ write(result, purchase, kept, &$0) }, to: &lines)
        } else {
            JSONWriter.append(object: { write(result, purchase, kept, &$0) }, to: &lines)
        }
        lines.append(UInt8(ascii: "\n"))
    }

    private func write(
        _ result: RecordResult,
        _ purchase: PurchaseResult?,
        _ kept: [FieldName],
        _ line: inout some Fields
    ) {
        // One copy: each access to an object's property makes another.
        let head = result.head
        line.head(head)
        if let kind {
            write(head.payload?.values, kind, &line)
        } else if detail != .none {
            let (receipt, transaction) = (head.receipt?.app, head.receipt?.transaction)
            // A table has one set of columns for both formats.
            line.member("receipt", isThere: receipt != nil) { fields in
                if detail == .all, rows == .records {
                    fields.receipt(
                        receipt?.unverified,
                        contentDigest: receipt?.contentDigest,
                        transaction: transaction
                    )
                } else {
                    fields.brief(receipt, transaction: transaction)
                }
            }
            if !isCSV, let info = transaction {
                line.member("transaction_receipt", isThere: true) { fields in
                    fields.transaction(
                        info.unverified,
                        contentDigest: detail == .all ? info.contentDigest : nil,
                        withEntries: detail == .all
                    )
                }
            }
        }
        if rows == .purchases {
            line.member("purchase", isThere: purchase != nil) { fields in
                fields.member("malformed", purchase?.malformed.map { "\($0.refusal.code.name)" })
                if let info = purchase?.transaction {
                    fields.purchase(info.unverified, inTable: true)
                } else {
                    fields.purchase(purchase?.decoded?.values)
                }
                if detail == .all { fields.undocumented(purchase?.decoded?.attributes) }
            }
        }
        guard !kept.isEmpty else { return }
        line.member("keep", isThere: true) { fields in
            for field in kept { Self.keep(field, of: result.decoder, in: &fields) }
        }
    }

    /// Writes the values of a valid token; for nil, in CSV the names or empty cells. With the detail `none`,
    /// writes nothing.
    private func write(_ values: PayloadValues?, _ kind: SignedPayloadKind, _ line: inout some Fields) {
        guard detail != .none else { return }
        line.member("payload", isThere: values != nil) { fields in
            if detail == .all { fields.payload(values, kind) } else { fields.brief(values) }
        }
    }

    /// Gives a field of a record to `fields`: the text of a JSON value, a column as a string, or nil if
    /// the record lacks the field or the column is null.
    private static func keep(_ field: FieldName, of decoder: RecordDecoder?, in fields: inout some Fields) {
        let name = MemberName.given(field.text)
        if case .json(let bytes, let members)? = decoder {
            let value = JSONReader.value(at: field.path, of: members, bytes)
            fields.member(name, text: value.map { bytes[$0] })
        } else {
            fields.member(name, decoder?.text(field).map { String(decoding: $0, as: UTF8.self) })
        }
    }
}

/// Whether the lines about a valid receipt are one line about the whole record, or a line about each of
/// its purchases. All other lines are about whole records.
package enum ResultRows: String {
    case records
    case purchases
}

/// The verdict on a record and everything that its lines need. For a header, only the kind is set.
final class RecordResult {
    /// The verdict, the position and the key, with which every line of the record begins, and the number of
    /// the purchase that the present line is about.
    var head = ResultHead()
    var decoder: RecordDecoder?
    /// The container or token, and the expectations; nil if decoding the record failed. `head.fault` then
    /// says why.
    var contents: RecordContents?
    /// The time spent on the record, in nanoseconds, with its share of the work on several records at once.
    /// Without the time spent waiting for the writer.
    var nanoseconds: UInt64 = 0

    /// - Parameter kind: the kind of the tokens that the records hold; nil for receipts.
    init(_ kind: SignedPayloadKind?) { head.kind = kind }

    /// The length of the container or token in bytes; 0 if there is none.
    var byteCount: Int { contents?.container.count ?? 0 }
    /// Sets the source, the number, the offset and the key in `head`. `head.digest` must be set before.
    ///
    /// - Parameter key: the unfinished hash of the key, which has read the source's name and nothing else.
    func locate(_ record: RecordBatch.Record, _ key: consuming ResultKey) {
        (head.source, head.record, head.offset) = (record.origin.source, record.number, record.offset)
        key.add(record: record.number, offset: record.offset, digest: head.digest)
        for part in contents?.rest ?? [record.range] { key.add(record.buffer[part]) }
        head.key = key.finalize()
    }
}

/// A purchase that has a line of its own. Exactly one of ``decoded``, ``malformed`` and ``transaction`` is
/// not nil.
struct PurchaseResult {
    var decoded: InAppPurchase?
    var malformed: MalformedInAppPurchase?
    var transaction: PurchaseInfo?
}

/// Which values of a valid receipt or token the results have: none, the most important ones, or all.
///
/// With ``ResultRows/purchases``, each line has its purchase's values in any case, and `all` adds the
/// undocumented attributes of the purchase. Of the app receipt, `all` then has only the values of `brief`.
package enum ReceiptDetail: String {
    case none
    case brief
    case all
}
