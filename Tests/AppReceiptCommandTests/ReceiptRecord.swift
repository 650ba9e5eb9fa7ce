import Foundation
import TestSupport

/// Fails unless a receipt that `verify --json` wrote has the values of a record.
func expect(_ written: JSONValue?, saysWhat record: JSONValue?) throws {
    guard case .object(let written)? = written?.withRecordNames().withTypesOnly().normalised(),
        case .object(let record)? = record?.normalised()
    else { throw CocoaError(.coderValueNotFound) }
    for name in Set(written.keys).union(record.keys) where name != "in_app_purchases" {
        // The records were made without these.
        let others = ["_undocumented_types", "_malformed_in_app_purchases", "content_sha256"]
        guard !others.contains(name) || record[name] != nil else { continue }
        if written[name] != record[name] {
            throw Difference(
                description:
                    "\(name): \(String(describing: written[name])), not \(String(describing: record[name]))"
            )
        }
    }
    let purchases = written["in_app_purchases"]?.elements ?? []
    let recorded = record["in_app_purchases"]?.elements ?? []
    guard purchases == recorded else {
        throw Difference(description: "purchases: \(purchases), not \(recorded)")
    }
}

struct Difference: Error, CustomStringConvertible {
    let description: String
}

extension JSONValue {
    /// The name of a record's member for each name of Apple's that `verify --json` uses.
    private static let recordNames = [
        "receipt_type": "environment", "bundle_id": "bundle_identifier", "application_version": "app_version",
        "original_application_version": "original_app_version", "receipt_creation_date": "creation_date",
        "app_item_id": "app_store_id", "in_app": "in_app_purchases",
        "malformed_in_app": "malformed_in_app_purchases", "product_id": "product_identifier",
        "transaction_id": "transaction_identifier",
        "original_transaction_id": "original_transaction_identifier",
        "promotional_offer_id": "promotional_offer_identifier",
    ]
    /// Numbers that `verify --json` writes as strings.
    private static let identifiers = [
        "app_item_id", "developer_id", "download_id", "version_external_identifier", "web_order_line_item_id",
    ]

    /// The value with the names and types of records.
    fileprivate func withRecordNames() -> JSONValue {
        switch self {
        case .array(let elements): return .array(elements.map { $0.withRecordNames() })
        case .object(let members):
            let renamed = members.map { name, value in
                let number = Self.identifiers.contains(name) ? value.string.flatMap { Int64($0) } : nil
                return (Self.recordNames[name] ?? name, number.map { .number($0) } ?? value.withRecordNames())
            }
            return .object(Dictionary(uniqueKeysWithValues: renamed))
        default: return self
        }
    }

    /// Undocumented attributes and malformed purchases as the records list them: types, and values.
    fileprivate func withTypesOnly() -> JSONValue {
        switch self {
        case .array(let elements): return .array(elements.map { $0.withTypesOnly() })
        case .object(var members):
            if let undocumented = members.removeValue(forKey: "undocumented_attributes") {
                var types: [Int64] = []
                for attribute in undocumented.elements {
                    if case .number(let type)? = attribute["type"], !types.contains(type) {
                        types.append(type)
                    }
                }
                // The records list the ownership, attribute 1722, as undocumented.
                if members.removeValue(forKey: "in_app_ownership_type")?.string != nil { types.append(1722) }
                members["_undocumented_types"] = .array(types.sorted().map { .number($0) })
            }
            if let malformed = members.removeValue(forKey: "malformed_in_app_purchases") {
                members["_malformed_in_app_purchases"] = .array(
                    malformed.elements.map { $0["value"] ?? .null }
                )
            }
            return .object(members.mapValues { $0.withTypesOnly() })
        default: return self
        }
    }
}
