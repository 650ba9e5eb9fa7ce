/// A value of JSON text (RFC 8259), decoded by plain rules into a tree.
enum PlainJSON {
    case object([(name: [UInt8], value: PlainJSON, text: [UInt8])])
    case array([PlainJSON])
    /// A string in UTF-16, the form of its escapes.
    case string([UInt16])
    case other

    /// Nil for bytes that are not JSON text in UTF-8, or that nest deeper than 64 values.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard Array(text.utf8) == bytes else { return nil }
        var parser = Parser(rest: bytes[...])
        guard let value = parser.value(depth: 0) else { return nil }
        parser.space()
        guard parser.rest.isEmpty else { return nil }
        self = value
    }

    /// The decoded string in UTF-8. Nil for any other value, and for a string with half of a surrogate pair.
    var text: [UInt8]? {
        guard case .string(let units) = self else { return nil }
        let text = String(decoding: units, as: UTF16.self)
        return text.utf16.elementsEqual(units) ? Array(text.utf8) : nil
    }

    /// The value of a member and its text. If a name occurs several times, the last member counts.
    func member(_ name: [UInt8]) -> (value: PlainJSON, text: [UInt8])? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }.map { ($0.value, $0.text) }
    }

    /// The value at a path. Dots separate its names, and may also occur in names.
    func value(at path: [[UInt8]]) -> (value: PlainJSON, text: [UInt8])? {
        if let found = member(Array(path.joined(separator: [UInt8(ascii: ".")]))) { return found }
        guard path.count > 1, let first = member(path[0]) else { return nil }
        return first.value.value(at: Array(path.dropFirst()))
    }
}

private struct Parser {
    var rest: ArraySlice<UInt8>

    mutating func space() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    mutating func value(depth: Int) -> PlainJSON? {
        guard depth < 64 else { return nil }
        space()
        if take("{") { return object(depth) }
        if take("[") { return array(depth) }
        if take("\"") { return string().map { .string($0) } }
        return take("true") || take("false") || take("null") || number() ? .other : nil
    }

    private mutating func object(_ depth: Int) -> PlainJSON? {
        var members: [(name: [UInt8], value: PlainJSON, text: [UInt8])] = []
        space()
        if take("}") { return .object([]) }
        repeat {
            space()
            guard take("\"") else { return nil }
            guard let units = string() else { return nil }
            space()
            guard take(":") else { return nil }
            space()
            let text = rest
            guard let value = value(depth: depth + 1) else { return nil }
            // A name that stands for no text is found by none.
            if let name = PlainJSON.string(units).text {
                members.append((name, value, Array(text[..<rest.startIndex])))
            }
            space()
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array(_ depth: Int) -> PlainJSON? {
        var values: [PlainJSON] = []
        space()
        if take("]") { return .array([]) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
            space()
        } while take(",")
        return take("]") ? .array(values) : nil
    }

    /// Starts after the opening quote.
    private mutating func string() -> [UInt16]? {
        let letters: [UInt8: UInt16] = [0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9]
        var units: [UInt16] = []
        var literal: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == 0x22 || byte == 0x5C else {
                guard byte >= 0x20 else { return nil }
                literal.append(byte)
                continue
            }
            units += String(decoding: literal, as: UTF8.self).utf16
            literal = []
            if byte == 0x22 { return units }
            guard let escape = rest.popFirst() else { return nil }
            switch escape {
            case 0x22, 0x2F, 0x5C: units.append(UInt16(escape))
            case 0x75:
                let digits = String(decoding: rest.prefix(4), as: UTF8.self)
                guard digits.utf8.count == 4, digits.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
                    let unit = UInt16(digits, radix: 16)
                else { return nil }
                units.append(unit)
                rest = rest.dropFirst(4)
            default:
                guard let unit = letters[escape] else { return nil }
                units.append(unit)
            }
        }
        return nil
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0") { guard digits() else { return false } }
        if take(".") { guard digits() else { return false } }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            return digits()
        }
        return true
    }

    private mutating func digits() -> Bool {
        let count = rest.count
        rest = rest.drop { (0x30...0x39).contains($0) }
        return rest.count < count
    }
}
