import Foundation
import TestSupport

/// Fails unless a receipt that `verify --json` wrote says what a record says.
func expect(_ written: JSONValue?, saysWhat record: JSONValue?) throws {
    guard case .object(let written)? = written?.withTypesOnly().normalised(),
        case .object(let record)? = record?.normalised()
    else { throw CocoaError(.coderValueNotFound) }
    for name in Set(written.keys).union(record.keys) where name != "in_app_purchases" {
        guard !["_undocumented_types", "_malformed_in_app_purchases"].contains(name) || record[name] != nil
        else { continue }
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
