import AppReceipt
import DER
import JSONText
import ReceiptResults
import SHA
import TransactionReceipt

/// The form of the results.
package struct ResultForm: Sendable {
    let detail: ReceiptDetail
    let rows: ResultRows
    let isCSV: Bool
    let kept: [FieldName]

    package init(detail: ReceiptDetail, rows: ResultRows, isCSV: Bool, kept: [FieldName]) {
        (self.detail, self.rows) = (detail, rows)
        (self.isCSV, self.kept) = (isCSV, kept)
    }

    /// The header of CSV; empty for JSON.
    package var header: [UInt8] {
        guard isCSV else { return [] }
        var header = CSVHeader()
        write(RecordResult(), ResultHead(), nil, kept, &header)
        var bytes: [UInt8] = []
        CSVLine.append({ for name in header.names { $0.member("", name) } }, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// The rows of a record in a table of purchases; nil if the record is one line.
    func purchases(_ result: RecordResult) -> [PurchaseResult]? {
        guard rows == .purchases, let valid = result.receipt else { return nil }
        if let info = valid.transaction { return [.transaction(info)] }
        guard let receipt = valid.app else { return nil }
        return receipt.inAppPurchases.map { .decoded($0) }
            + receipt.malformedInAppPurchases.map { .malformed($0) }
    }

    /// Appends one line: a record, or one of its purchases.
    ///
    /// - Parameter head: the head of the record, or of the purchase.
    func append(
        _ result: RecordResult,
        of record: RecordBatch.Record,
        _ head: ResultHead,
        _ purchase: PurchaseResult?,
        to lines: inout [UInt8]
    ) {
        // Each source has its own columns for the kept fields.
        let kept = record.origin.fields.kept
        if isCSV {
            CSVLine.append({ write(result, head, purchase, kept, &$0) }, to: &lines)
        } else {
            JSONWriter.append(object: { write(result, head, purchase, kept, &$0) }, to: &lines)
        }
        lines.append(UInt8(ascii: "\n"))
    }

    private func write(
        _ result: RecordResult,
        _ head: ResultHead,
        _ purchase: PurchaseResult?,
        _ kept: [FieldName],
        _ line: inout some Fields
    ) {
        line.head(head)
        if detail != .none {
            let (receipt, transaction) = (result.receipt?.app, result.receipt?.transaction)
            // A table has one set of columns for both formats.
            line.member("receipt", isThere: receipt != nil) { fields in
                if detail == .all, rows == .records {
                    fields.receipt(receipt?.unverified, transaction: transaction)
                } else {
                    fields.brief(receipt, transaction: transaction)
                }
            }
            if !isCSV, let info = transaction {
                line.member("transaction_receipt", isThere: true) { fields in
                    fields.transaction(info.unverified, withEntries: detail == .all)
                }
            }
        }
        if rows == .purchases {
            line.member("purchase", isThere: purchase != nil) { fields in
                fields.member("malformed", purchase?.malformed.map { "\($0.refusal.code.name)" })
                if let info = purchase?.transaction {
                    fields.purchase(info.unverified, inTable: true)
                } else {
                    fields.purchase(purchase?.decoded?.unverified)
                }
                if detail == .all { fields.undocumented(purchase?.decoded?.attributes) }
            }
        }
        guard !kept.isEmpty else { return }
        line.member("keep", isThere: true) { fields in
            for field in kept {
                if let decoder = result.decoder {
                    decoder.keep(field, in: &fields)
                } else {
                    fields.member(.given(field.text), nil as String?)
                }
            }
        }
    }
}

/// The subject of each line.
package enum ResultRows: String {
    case records
    case purchases
}

/// The facts about a record when its line is written. For a header, all are nil.
///
/// It is a class because many functions take it, and a copy of all its values takes longer than the
/// allocation.
final class RecordResult {
    /// See ``ResultKey``.
    var key: Digest?
    /// Nil if the record has no decodable receipt.
    var digest: Digest?
    var decoder: RecordDecoder?
    /// The receipt and the expectations; nil if they cannot be decoded. Then there is a ``fault``.
    var contents: RecordContents?
    /// Nil if the record is not valid. Otherwise ``fault`` is nil.
    var receipt: ValidReceipt?
    var fault: Fault?
    var mismatch: Mismatch?

    var status: String { receipt == nil ? fault?.status ?? "invalid" : "valid" }
}

extension RecordResult {
    /// The members that the record's lines begin with.
    func head(of record: RecordBatch.Record) -> ResultHead {
        ResultHead(
            key: key,
            source: record.origin.source,
            record: record.number,
            offset: record.offset,
            digest: digest,
            status: status,
            notChecked: receipt?.notChecked,
            fault: fault,
            mismatch: mismatch
        )
    }

    /// Makes the key from one to which only the source's name was added.
    func makeKey(of record: RecordBatch.Record, _ sourceKey: consuming ResultKey) {
        var key = sourceKey
        key.add(record: record.number, offset: record.offset, digest: digest)
        if digest != nil, let decoder {
            decoder.forEachPartBesideReceipt(in: record.range, of: record.buffer, record.origin.fields) {
                key.add($0)
            }
        } else {
            key.add(record.buffer[record.range])
        }
        self.key = key.digest
    }
}

enum PurchaseResult {
    case decoded(InAppPurchase)
    case malformed(MalformedInAppPurchase)
    case transaction(PurchaseInfo)

    var transaction: PurchaseInfo? { if case .transaction(let info) = self { info } else { nil } }
    var decoded: InAppPurchase? { if case .decoded(let purchase) = self { purchase } else { nil } }
    var malformed: MalformedInAppPurchase? {
        if case .malformed(let purchase) = self { purchase } else { nil }
    }
}

extension RecordDecoder {
    /// Writes a field of the record: JSON as it is except for escapes, a column as a string, null if absent.
    fileprivate func keep(_ field: FieldName, in fields: inout some Fields) {
        if case .json(let bytes, let members) = self,
            let value = JSONReader.value(at: field.path, of: members, bytes)
        {
            fields.member(.given(field.text), text: bytes[value])
        } else if case .columns = self {
            fields.member(.given(field.text), text(field).map { String(decoding: $0, as: UTF8.self) })
        } else {
            fields.member(.given(field.text), nil as String?)
        }
    }
}

/// The amount of detail about a valid receipt.
package enum ReceiptDetail: String {
    case none
    case brief
    case all
}
