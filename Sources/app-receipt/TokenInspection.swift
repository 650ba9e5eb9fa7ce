import AppReceipt
import Basics
import ReceiptResults
import SignedPayloads

extension PayloadValues {
    /// The payload in one line for a person, and a line for each token inside it.
    var summary: [String] {
        let app = claims.text("bundleId").map { " of \($0)" } ?? ""
        let environment = environmentName.map { ", \($0)" } ?? ""
        let date = members.date(kind.shape.date.description).map { ", signed \($0)" } ?? ""
        let names = ["notificationType", "subtype", "productId", "transactionId", "originalTransactionId"]
        let values = names.compactMap { name in members.text(name).map { ", \(name) \($0)" } }.joined()
        let line = "\(kind.rawValue)\(app)\(environment)\(date)\(values)".printable
        return [line]
            + nested.flatMap { inner in inner.values.summary.map { "with \(inner.name.rawValue): \($0)" } }
    }
}

/// Shows a token to a person.
extension Output {
    mutating func show(token: [UInt8], _ kind: SignedPayloadKind, _ valid: ValidPayload?) {
        heading("Token")
        field("size", "\(token.count) bytes")
        field("kind", kind.rawValue)
        for (index, outline) in Outline.certificates(ofToken: token).enumerated() {
            for certificate in outline.certificates {
                heading("Certificate \(index)")
                show(certificate, in: outline.bytes)
            }
        }
        if let valid { return show(valid.values, "Payload") }
        do throws(SignedPayloadError) {
            show(try PayloadValues(unverified: token, kind), "Payload, as the bytes claim")
        } catch {
            heading("Payload: it cannot be read")
            broken(error.code, at: error.offset, reading: error.reading)
        }
    }

    private mutating func show(_ values: PayloadValues, _ title: String) {
        heading("\(title): \(values.kind.rawValue)")
        show(values.members, values.kind.shape.table, values, "")
        for inner in values.nested { show(inner.values, inner.name.rawValue) }
    }

    /// Shows the members that an object has. The names of those in an inner object follow its name and a
    /// dot; in an array of objects, the index of the object and a dot come between.
    private mutating func show(
        _ object: PayloadObject,
        _ table: ObjectTable,
        _ values: PayloadValues,
        _ prefix: String
    ) {
        for row in table.rows {
            let text: String?
            switch row.kind {
            case .text: text = values.nested(row.name) == nil ? object.text(row.name) : "a token, shown below"
            case .integer: text = object.integer(row.name).map { "\($0)" }
            case .date: text = object.date(row.name)?.description
            case .flag: text = object.flag(row.name).map { $0 ? "yes" : "no" }
            case .texts: text = object.texts(row.name)?.joined(separator: ", ")
            case .object(let table):
                if let inner = object.object(row.name) { show(inner, table, values, "\(prefix)\(row.name).") }
                text = nil
            case .objects(let table):
                for (index, inner) in (object.objects(row.name) ?? []).enumerated() {
                    show(inner, table, values, "\(prefix)\(row.name).\(index).")
                }
                text = nil
            }
            // The width of most names, and two spaces: names of the Advanced Commerce API are longer.
            if let text { field(prefix + row.name, text, width: 36) }
        }
        for other in object.members(unknownTo: table) {
            field((prefix + other.name).printable, other.json, width: 36)
        }
    }
}
