import Foundation

/// A JSON value for comparisons. Numbers are integers of 64 bits.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Int64)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Parses a JSON document.
    public static func parse(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    /// The member of an object; nil for other values.
    public subscript(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
    /// The elements of an array; none for other values.
    public var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    /// The text of a string; nil for other values.
    public var string: String? { if case .string(let string) = self { string } else { nil } }

    /// The differences from the expected value. Members of objects that are not expected do not count.
    public func differences(from expected: JSONValue, at place: String = "") -> [String] {
        switch (self, expected) {
        case (.object, .object(let members)):
            members.sorted { $0.key < $1.key }.flatMap { name, value in
                self[name].map { $0.differences(from: value, at: "\(place).\(name)") } ?? [
                    "\(place).\(name) is missing"
                ]
            }
        case (.array(let elements), .array(let others)) where elements.count == others.count:
            zip(elements, others).enumerated().flatMap { index, pair in
                pair.0.differences(from: pair.1, at: "\(place).\(index)")
            }
        default: self == expected ? [] : ["\(place): \(self), not \(expected)"]
        }
    }

    /// The value in one canonical form, because different programs write some values in different ways.
    ///
    /// An empty string becomes null, and members that are null are removed. Any other string in a member
    /// whose name ends in `_date` becomes milliseconds since 1970, or -1 if it is no date. A number in a
    /// member whose name begins with `is_` becomes a boolean, true for 1 only.
    public func normalised(_ name: String = "") -> JSONValue {
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

    /// The milliseconds since 1970 of a date in ISO 8601; nil if the text is not a date.
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
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The most frequent kinds come first: each wrong guess is an error, and errors are slow in tests.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([String: JSONValue].self) {
            self = .object(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number(value)
        } else {
            self = .array(try container.decode([JSONValue].self))
        }
    }
}
