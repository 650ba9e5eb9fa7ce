import Foundation
import Testing

/// A JSON value whose object members keep their order, read by plain rules. Numbers keep their text, because
/// Apple's numbers exceed what binary64 holds exactly.
indirect enum OrderedJSON: Equatable, CustomStringConvertible {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([OrderedJSON])
    case object([Member])

    struct Member: Equatable {
        let name: String
        let value: OrderedJSON
    }

    struct Malformed: Error {
        let offset: Int
    }

    init(_ bytes: [UInt8]) throws {
        var parser = Parser(scalars: Array(String(decoding: bytes, as: UTF8.self).unicodeScalars))
        self = try parser.value()
        parser.space()
        guard parser.index == parser.scalars.count else { throw Malformed(offset: parser.index) }
    }

    var members: [Member] { if case .object(let members) = self { members } else { [] } }
    var names: [String] { members.map(\.name) }
    var elements: [OrderedJSON] { if case .array(let elements) = self { elements } else { [] } }
    var string: String? { if case .string(let string) = self { string } else { nil } }
    subscript(_ name: String) -> OrderedJSON? { members.last { $0.name == name }?.value }

    /// The object without some members.
    func without(_ names: [String]) -> OrderedJSON {
        .object(members.filter { !names.contains($0.name) })
    }

    /// Compares strings by their scalars: `==` of strings would accept another spelling of a text.
    static func == (one: OrderedJSON, other: OrderedJSON) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one.utf8.elementsEqual(other.utf8)
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    var description: String {
        switch self {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let text): text
        case .string(let text): "\"\(text)\""
        case .array(let elements): "\(elements)"
        case .object(let members): "{\(members.map { "\($0.name): \($0.value)" }.joined(separator: ", "))}"
        }
    }

    private struct Parser {
        let scalars: [Unicode.Scalar]
        var index = 0

        private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

        mutating func space() {
            while let scalar = next, " \t\r\n".unicodeScalars.contains(scalar) { index += 1 }
        }

        private mutating func take(_ text: String) -> Bool {
            let wanted = Array(text.unicodeScalars)
            guard scalars[index...].starts(with: wanted) else { return false }
            index += wanted.count
            return true
        }

        mutating func value() throws -> OrderedJSON {
            space()
            if take("null") { return .null }
            if take("true") { return .bool(true) }
            if take("false") { return .bool(false) }
            if take("\"") { return .string(try string()) }
            if take("[") { return .array(try list("]") { try $0.value() }) }
            if take("{") {
                return .object(
                    try list("}") { parser in
                        parser.space()
                        guard parser.take("\"") else { throw Malformed(offset: parser.index) }
                        let name = try parser.string()
                        parser.space()
                        guard parser.take(":") else { throw Malformed(offset: parser.index) }
                        return Member(name: name, value: try parser.value())
                    }
                )
            }
            let start = index
            while let scalar = next, "+-.eE0123456789".unicodeScalars.contains(scalar) { index += 1 }
            let text = String(String.UnicodeScalarView(scalars[start..<index]))
            guard Double(text) != nil else { throw Malformed(offset: start) }
            return .number(text)
        }

        private mutating func list<Element>(
            _ end: String,
            _ element: (inout Parser) throws -> Element
        ) throws -> [Element] {
            var elements: [Element] = []
            space()
            if take(end) { return elements }
            repeat {
                elements.append(try element(&self))
                space()
            } while take(",")
            guard take(end) else { throw Malformed(offset: index) }
            return elements
        }

        private mutating func string() throws -> String {
            var units: [UInt16] = []
            while let scalar = next {
                index += 1
                if scalar == "\"" { return String(decoding: units, as: UTF16.self) }
                guard scalar.value >= 0x20 else { throw Malformed(offset: index) }
                guard scalar == "\\" else {
                    units += Array(String(scalar).utf16)
                    continue
                }
                guard let escape = next else { break }
                index += 1
                switch escape {
                case "\"", "\\", "/": units.append(UInt16(escape.value))
                case "b": units.append(8)
                case "f": units.append(12)
                case "n": units.append(10)
                case "r": units.append(13)
                case "t": units.append(9)
                case "u":
                    let digits = String(String.UnicodeScalarView(scalars[index...].prefix(4)))
                    guard digits.count == 4, let unit = UInt16(digits, radix: 16) else {
                        throw Malformed(offset: index)
                    }
                    index += 4
                    units.append(unit)
                default: throw Malformed(offset: index)
                }
            }
            throw Malformed(offset: index)
        }
    }
}
