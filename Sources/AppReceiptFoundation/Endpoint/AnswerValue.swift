import AppReceipt

/// A JSON value of an answer. Apple writes many numbers and flags as strings, so each kind is read from both.
enum AnswerValue: Sendable {
    case null
    case flag(Bool)
    case number(Int64)
    case text(String)
    case array([AnswerValue])
    case object([String: AnswerValue])

    /// The member of an object; nil for other values.
    subscript(_ name: String) -> AnswerValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The objects of an array, or an object itself as the only one.
    var objects: [AnswerValue] {
        switch self {
        case .array(let elements): elements.filter { if case .object = $0 { true } else { false } }
        case .object: [self]
        default: []
        }
    }

    /// The text of a string, or the digits of a number.
    var text: String? {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        default: nil
        }
    }

    /// The number, or the number in a string.
    var integer: Int64? {
        switch self {
        case .number(let number): number
        case .text(let text): Int64(text)
        default: nil
        }
    }

    /// The flag, which may be `true`, `"true"`, `1` or `"1"`, and likewise for false.
    var flag: Bool? {
        switch self {
        case .flag(let flag): flag
        case .number(1), .text("true"), .text("1"): true
        case .number(0), .text("false"), .text("0"): false
        default: nil
        }
    }

    /// The time in milliseconds since 1970.
    var time: Timestamp? { integer.map { Timestamp(millisecondsSince1970: $0) } }
}

extension AnswerValue: Decodable {
    /// Reads any JSON value. A number that is not an integer of 64 bits becomes null: no member that is read
    /// has one.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .flag(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if (try? container.decode(Double.self)) != nil {
            self = .null
        } else if let value = try? container.decode([AnswerValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: AnswerValue].self))
        }
    }
}
