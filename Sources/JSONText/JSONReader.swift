import Basics

/// A reader of JSON text (RFC 8259) that returns the ranges of values in the text. Its static functions
/// compare names and decode strings.
package struct JSONReader {
    private let bytes: [UInt8]
    private let end: Int
    private var index: Int
    private let allowsLineBreaks: Bool
    /// The offset of the line break in a string for which the text was refused; nil for other refusals.
    package private(set) var lineBreak: Int?

    /// The maximum depth of nested values, the outermost and the innermost value included.
    private static let maximumDepth = 64

    /// Creates a reader of the text in a range, which must lie inside `bytes`.
    ///
    /// - Parameter allowsLineBreaks: whether strings may hold line feeds and carriage returns, which stand
    ///   for themselves. RFC 8259 §7 requires an escape.
    package init(_ bytes: [UInt8], in range: Range<Int>, allowsLineBreaks: Bool = false) {
        self.bytes = bytes
        self.allowsLineBreaks = allowsLineBreaks
        index = range.lowerBound
        end = range.upperBound
    }

    package struct Member {
        /// The range of the name in the reader's bytes, without its quotes, and with its escapes.
        package let name: Range<Int>
        package let value: Range<Int>
    }

    /// Reads the whole text as an object. Throws `.notJSON` unless the text is JSON in UTF-8 that nests
    /// values at most 64 deep, the outermost value included. Line breaks in strings are no error if the
    /// reader allows them.
    ///
    /// - Parameter names: the names of the wanted members; nil for all members. If several members have one
    ///   wanted name, only the last is returned, which saves memory: an object may have millions of members.
    /// - Parameter expected: how many members to reserve memory for, if `names` is nil.
    /// - Returns: the members, in the order of the text or, if `names` is given, sorted by the bytes of their
    ///   names; nil if the text is another value.
    package mutating func members(
        named names: JSONNames? = nil,
        expected: Int = 0
    ) throws(Refusal) -> [Member]? {
        if let offset = bytes.borrowedSpan.firstIllFormedUTF8(in: index..<end) {
            throw Refusal(.notJSON, at: offset, reading: "JSON")
        }
        skipSpace()
        guard peek == UInt8(ascii: "{") else {
            try skipValue(0)
            try finish()
            return nil
        }
        var members: [Member] = []
        if let names {
            var found = [Member?](repeating: nil, count: names.count)
            let bytes = bytes
            try skipItems(0) { member in
                if let index = names.index(of: member.name, bytes) { found[index] = member }
            }
            members = found.compactMap { $0 }
        } else {
            members.reserveCapacity(expected)
            try skipItems(0) { members.append($0) }
        }
        try finish()
        return members
    }

    /// Reads the whole text as an array. Returns the ranges of the array's elements; nil if the first
    /// character of the text after white space is not `[`.
    ///
    /// - Throws: `.notJSON` if the array is malformed or nests values more than 64 deep, itself included,
    ///   or if anything but white space follows the array. Unlike ``members(named:expected:)``, this function
    ///   does not check for UTF-8.
    package mutating func elements() throws(Refusal) -> [Range<Int>]? {
        skipSpace()
        guard peek == UInt8(ascii: "[") else { return nil }
        var elements: [Range<Int>] = []
        try skipItems(0) { elements.append($0.value) }
        try finish()
        return elements
    }

    private mutating func finish() throws(Refusal) {
        skipSpace()
        guard index == end else { throw refusal }
    }

    private var refusal: Refusal { Refusal(.notJSON, at: index, reading: "JSON") }
    private var peek: UInt8? { index < end ? bytes[index] : nil }

    @inline(__always)
    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    @inline(__always)
    private mutating func expect(_ byte: UInt8) throws(Refusal) {
        guard peek == byte else { throw refusal }
        index += 1
    }

    private mutating func skipValue(_ depth: Int) throws(Refusal) {
        guard depth < Self.maximumDepth else { throw refusal }
        switch peek {
        case UInt8(ascii: "{"), UInt8(ascii: "["): try skipItems(depth) { _ in }
        case UInt8(ascii: "\""): _ = try readString()
        case UInt8(ascii: "t"): try skip("true")
        case UInt8(ascii: "f"): try skip("false")
        case UInt8(ascii: "n"): try skip("null")
        default: try skipNumber()
        }
    }

    /// Reads an object or an array. Calls the body with each member of an object. Calls it with each element
    /// of an array as a member whose name is empty.
    private mutating func skipItems(_ depth: Int, _ each: (Member) -> Void) throws(Refusal) {
        let isObject = peek == UInt8(ascii: "{")
        let closing = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        index += 1
        skipSpace()
        if peek == closing { return index += 1 }
        while true {
            skipSpace()
            var name = index..<index
            if isObject {
                name = try readString()
                skipSpace()
                try expect(UInt8(ascii: ":"))
                skipSpace()
            }
            let start = index
            try skipValue(depth + 1)
            each(Member(name: name, value: start..<index))
            skipSpace()
            if peek == closing { return index += 1 }
            try expect(UInt8(ascii: ","))
        }
    }

    /// Reads a string and moves past it (RFC 8259 §7). Throws `.notJSON` if it is malformed.
    ///
    /// - Returns: the range between its quotes.
    private mutating func readString() throws(Refusal) -> Range<Int> {
        try expect(UInt8(ascii: "\""))
        let start = index
        while let next = nextSpecial(bytes.borrowedSpan) {
            index = next
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                index += 1
                return start..<(index - 1)
            }
            if byte == UInt8(ascii: "\\") {
                index += 1
                try skipEscape()
            } else if allowsLineBreaks, byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                index += 1
            } else {
                throw refusalInString
            }
        }
        index = end
        throw refusal
    }

    /// Moves past the part of an escape after the backslash. Throws unless RFC 8259 §7 defines the escape.
    private mutating func skipEscape() throws(Refusal) {
        guard let escape = peek, "\"\\/bfnrtu".utf8.contains(escape) else { throw refusalInString }
        index += 1
        guard escape == UInt8(ascii: "u") else { return }
        for _ in 0..<4 {
            guard peek.flatMap(Hexadecimal.value) != nil else { throw refusalInString }
            index += 1
        }
    }

    /// The refusal of the byte at ``index``, which is in a string. Sets ``lineBreak`` if it is a line break.
    private var refusalInString: Refusal {
        mutating get {
            if peek == UInt8(ascii: "\n") || peek == UInt8(ascii: "\r") { lineBreak = index }
            return refusal
        }
    }

    /// The index of the next quote, backslash or control character (0x00 to 0x1F), at this reader's index or
    /// after it. Nil if there is none.
    @inline(__always)
    private func nextSpecial(_ text: Span<UInt8>) -> Int? {
        let text = text.extracting(0..<end)
        var start = index
        while end - start >= 8 {
            let special = text.word(at: start).firstEscaped
            if special != 0 { return start + special.trailingZeroBitCount / 8 }
            start += 8
            // Few strings are longer.
            if start == index + 32 {
                start = text.endOfBlocks(of: 256, from: start, withoutZero: Self.distance)
            }
        }
        while start < end, Self.distance(text[start]) > 0 { start += 1 }
        return start < end ? start : nil
    }

    /// Zero for a quote, a backslash, and 0x00 to 0x1F, which RFC 8259 §7 does not let stand for themselves
    /// in a string.
    private static func distance(_ byte: UInt8) -> UInt8 {
        min(byte ^ UInt8(ascii: "\""), byte ^ UInt8(ascii: "\\"), byte & 0xE0)
    }

    private mutating func skip(_ literal: String) throws(Refusal) {
        for byte in literal.utf8 { try expect(byte) }
    }

    /// Moves past a number (RFC 8259 §6). A digit directly after a leading `0`, as in `01`, is not part of
    /// the number. Throws `.notJSON` if a digit is missing, as in `1.`.
    private mutating func skipNumber() throws(Refusal) {
        if peek == UInt8(ascii: "-") { index += 1 }
        if peek == UInt8(ascii: "0") { index += 1 } else { try skipDigits() }
        if peek == UInt8(ascii: ".") {
            index += 1
            try skipDigits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            index += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(Refusal) {
        let start = index
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw refusal }
    }
}

extension UInt64 {
    /// A number whose lowest set bit is bit 7 of the lowest byte that is a quote, a backslash or a control
    /// character (0x00 to 0x1F). Zero if no byte is one of these, which RFC 8259 §7 escapes in strings.
    @inline(__always)
    var firstEscaped: UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // A borrow can only come from a lower byte that is one of these itself.
        let isControl = self &- ones &* 0x20
        let isQuote = (self ^ ones &* 0x22) &- ones
        let isBackslash = (self ^ ones &* 0x5C) &- ones
        return (isControl | isQuote | isBackslash) & ~self & (ones &* 0x80)
    }
}

extension JSONReader {
    /// The range of the value at a path of names; nil if the path leads to none. In each object, a member
    /// whose name is the rest of the path joined by dots takes precedence over a nested one. If several
    /// members have one name, the last counts.
    ///
    /// - Parameter members: the members of the object where the path begins.
    package static func value(at path: [[UInt8]], of members: [Member], _ bytes: [UInt8]) -> Range<Int>? {
        // A member's name may contain dots.
        let whole = Array(path.joined(separator: [UInt8(ascii: ".")]))
        if let member = members.last(where: { isName($0.name, whole, bytes) }) { return member.value }
        guard path.count > 1, let first = members.last(where: { isName($0.name, path[0], bytes) })
        else {
            return nil
        }
        var text = JSONReader(bytes, in: first.value)
        let rest = Array(path.dropFirst())
        let names = JSONNames([Array(rest.joined(separator: [UInt8(ascii: ".")])), rest[0]])
        guard let inner = try? text.members(named: names) else { return nil }
        return value(at: rest, of: inner, bytes)
    }

    /// Whether the member's name in a range of `bytes`, once its escapes are decoded, equals `wanted`.
    package static func isName(_ name: Range<Int>, _ wanted: [UInt8], _ bytes: [UInt8]) -> Bool {
        // Escapes only make a name longer.
        name.count >= wanted.count && unescaped(name, bytes)?.elementsEqual(wanted) == true
    }

    /// Decodes a string in its quotes. Nil for any other value, and for a string with half a surrogate pair.
    ///
    /// RFC 8259 §8.2 allows such a half and says that its meaning is unpredictable. UTF-8 cannot encode it.
    /// If it were replaced, as by U+FFFD, two different strings could be equal.
    package static func string(_ value: Range<Int>, _ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard bytes[value].first == UInt8(ascii: "\"") else { return nil }
        return unescaped((value.lowerBound + 1)..<(value.upperBound - 1), bytes)
    }

    /// Decodes the escapes of a string (RFC 8259 §7) to UTF-8. Returns nil for half of a surrogate pair and
    /// for `\u` without four digits, and the bytes themselves, which are not copied, if they have no escape.
    ///
    /// Precondition: the range lies inside the bytes.
    ///
    /// - Parameter contents: the range between the string's quotes. After a backslash, a character for
    ///   which the standard defines no escape stands for itself.
    package static func unescaped(_ contents: Range<Int>, _ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var rest = bytes[contents]
        var text: [UInt8] = []
        while let backslash = bytes.borrowedSpan.firstIndex(of: UInt8(ascii: "\\"), in: rest.indices) {
            if text.isEmpty { text.reserveCapacity(rest.count) }
            text += rest[..<backslash]
            rest = rest[(backslash + 1)...]
            guard let escape = rest.popFirst() else { break }
            switch escape {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(&rest) else { return nil }
                text.append(contentsOf: scalar.utf8)
            default: text.append(escape)
            }
        }
        return text.isEmpty ? rest : (text + rest)[...]
    }

    /// Decodes the digits after `\u`: four, or for a surrogate pair twice four with another `\u` between, and
    /// moves `rest` past them. Returns nil for half of a surrogate pair, which is no scalar value, and
    /// without four digits.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let first = unit(&rest) else { return nil }
        guard first & 0xFC00 == 0xD800, rest.borrowedSpan.starts(with: "\\u") else {
            return Unicode.Scalar(first)
        }
        rest = rest.dropFirst(2)
        guard let second = unit(&rest), second & 0xFC00 == 0xDC00 else { return nil }
        return Unicode.Scalar(0x10000 + UInt32(first & 0x3FF) << 10 + UInt32(second & 0x3FF))
    }

    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = rest.popFirst().flatMap(Hexadecimal.value) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
