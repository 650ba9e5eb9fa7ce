import Foundation

/// JSON with numbers of 64 bits, for comparing.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Int64)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    static func parse(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    subscript(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    var string: String? { if case .string(let string) = self { string } else { nil } }

    /// The same with nothing for empty, booleans for flags, and times as milliseconds: what may be written in
    /// more ways than one.
    func normalised(_ name: String = "") -> JSONValue {
        switch self {
        case .string(""): .null
        case .string(let text) where name.hasSuffix("_date"): .number(Self.milliseconds(text) ?? -1)
        case .number(let flag) where name.hasPrefix("is_"): .bool(flag == 1)
        case .array(let elements): .array(elements.map { $0.normalised() })
        case .object(let members):
            .object(
                Dictionary(uniqueKeysWithValues: members.map { ($0, $1.normalised($0)) })
                    .filter { $1 != .null }
            )
        default: self
        }
    }

    private static func milliseconds(_ text: String) -> Int64? {
        for options: ISO8601DateFormatter.Options in [
            .withInternetDateTime, [.withInternetDateTime, .withFractionalSeconds],
        ] {
            let formatter = ISO8601DateFormatter()
            formatter.formatOptions = options
            if let date = formatter.date(from: text) {
                return Int64((date.timeIntervalSince1970 * 1000).rounded())
            }
        }
        return nil
    }
}

extension JSONValue: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}

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
