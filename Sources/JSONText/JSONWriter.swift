import Basics

/// A writer that appends a JSON value (RFC 8259) to its bytes piece by piece.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    /// Whether the next member or element needs a comma before it.
    private var needsComma = false

    package init() {}

    /// Returns a writer that holds one object. The body writes the object's members.
    package static func object(_ body: (inout JSONWriter) -> Void) -> JSONWriter {
        var json = JSONWriter()
        json.nest(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
        return json
    }

    /// Appends an object to bytes. The body writes the object's members.
    package static func append(object body: (inout JSONWriter) -> Void, to bytes: inout [UInt8]) {
        var json = JSONWriter()
        swap(&json.bytes, &bytes)
        json.nest(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
        swap(&json.bytes, &bytes)
    }

    // Results have dozens of calls of these functions. One copy of each keeps small builds small.

    /// Writes a member whose value is a string, or null for nil.
    @inline(never)
    package mutating func member(_ name: MemberName, _ value: String?) {
        key(name)
        if let value { string(value) } else { literal("null") }
    }

    /// Writes a member whose value is a number with all its digits, or null for nil.
    ///
    /// A number outside of -(2^53 - 1) to 2^53 - 1 is written as a string, because a JSON reader that holds
    /// numbers in binary64 may change its last digits (RFC 8259 §6).
    @inline(never)
    package mutating func member(_ name: MemberName, _ value: Int64?) {
        key(name)
        guard let value else { return literal("null") }
        let digits = String(value)
        if Self.exactNumbers.contains(value) { bytes.append(utf8: digits) } else { string(digits) }
    }

    private static let exactNumbers: ClosedRange<Int64> = (1 - 1 << 53)...(1 << 53 - 1)

    /// Writes a member whose value is true or false, or null for nil.
    package mutating func member(_ name: MemberName, _ value: Bool?) {
        key(name)
        switch value {
        case true?: literal("true")
        case false?: literal("false")
        case nil: literal("null")
        }
    }

    /// Writes a member whose value is bytes as a string of hexadecimal digits in lower case, or null for nil.
    package mutating func member(_ name: MemberName, hex value: ArraySlice<UInt8>?) {
        key(name)
        guard let value else { return literal("null") }
        bytes.append(UInt8(ascii: "\""))
        Hexadecimal.append(value.borrowedSpan, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a member whose value is a time in UTC, with milliseconds if there are any, or null for nil. In
    /// the years 0 to 9999 the form is that of RFC 3339.
    @inline(never)
    package mutating func member(_ name: MemberName, _ value: Timestamp?) {
        key(name)
        guard let value else { return literal("null") }
        bytes.append(UInt8(ascii: "\""))
        value.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a member whose value is JSON already and is copied, or null for nil. Escapes characters that a
    /// terminal or a line reader would act on; see ``Unicode/Scalar/isActive``.
    ///
    /// - Precondition: `text` is valid JSON. Then such a character is either white space between tokens,
    ///   which becomes a space, or part of a string, where `\u` stands for it.
    package mutating func member(_ name: MemberName, text: ArraySlice<UInt8>?) {
        key(name)
        guard let text else { return literal("null") }
        guard text.contains(where: { !(0x20..<0x7F).contains($0) }) else {
            bytes += text
            return
        }
        for scalar in String(utf8: text.borrowedSpan).unicodeScalars {
            if scalar.value < 0x20 {
                bytes.append(UInt8(ascii: " "))
            } else if scalar.isActive {
                bytes += scalar.escape
            } else {
                bytes.append(contentsOf: scalar.utf8)
            }
        }
    }

    /// Writes a member whose value is an object. The body writes the object's members.
    package mutating func member(_ name: MemberName, object body: (inout JSONWriter) -> Void) {
        key(name)
        nest(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// Writes a member whose value is an object if `isThere` is true. Writes nothing otherwise.
    package mutating func member(_ name: MemberName, isThere: Bool, _ body: (inout JSONWriter) -> Void) {
        if isThere { member(name, object: body) }
    }

    /// Writes a string as the next element of an array.
    package mutating func element(_ value: String) {
        separate()
        string(value)
    }

    /// Copies a value that must be JSON already, without a check, as the next element of an array.
    package mutating func element(text: [UInt8]) {
        separate()
        bytes += text
    }

    /// Writes an object as the next element of an array.
    package mutating func element(object body: (inout JSONWriter) -> Void) {
        separate()
        nest(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// Writes the name in quotes and a colon. Writes a comma before them if an element or a member precedes.
    @inline(never)
    package mutating func key(_ name: MemberName) {
        separate()
        switch name {
        case .fixed(let text):
            bytes.append(UInt8(ascii: "\""))
            bytes.append(utf8: text)
            bytes.append(UInt8(ascii: "\""))
        case .given(let text): string(text)
        }
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Writes an opening and a closing bracket. Between them, the body writes the members or the elements.
    package mutating func nest(
        _ opening: UInt8,
        _ closing: UInt8,
        _ body: (inout JSONWriter) -> Void
    ) {
        bytes.append(opening)
        needsComma = false
        body(&self)
        bytes.append(closing)
        needsComma = true
    }

    /// Writes `true`, `false` or `null`, without a comma before it.
    package mutating func literal(_ text: StaticString) { bytes.append(utf8: text) }

    /// Writes a string in quotes. Escapes quotes, backslashes and control characters, as RFC 8259 §7
    /// requires, and every character that is ``Unicode/Scalar/isActive``.
    private mutating func string(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        // Most strings are ASCII without escapes. They are copied as they are.
        let start = bytes.count
        bytes.append(utf8: value)
        if !Self.isPlain(bytes.borrowedSpan.extracting(start...)) { Self.escapeAll(from: start, &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a string in quotes to bytes. Escapes quotes, backslashes and ``Unicode/Scalar/isActive`` ones.
    ///
    /// - Parameter utf8: the string. Ill-formed UTF-8 is replaced by U+FFFD.
    package static func append(string utf8: Span<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        append(contents: utf8, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a string without its quotes. Escapes quotes, backslashes and ``Unicode/Scalar/isActive`` ones.
    ///
    /// - Parameter utf8: the string. Ill-formed UTF-8 is replaced by U+FFFD.
    package static func append(contents utf8: Span<UInt8>, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(copying: utf8)
        if !isPlain(utf8) { escapeAll(from: start, &bytes) }
    }

    /// Whether every byte stands for itself in a string: it is ASCII, and no quote, backslash or control
    /// character.
    ///
    /// Eight bytes are examined at a time. In a string of more than eight bytes, some of the last eight bytes
    /// may be examined twice.
    @inline(__always)
    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 8 else {
            var word: UInt64 = 0x2020_2020_2020_2020
            for index in 0..<text.count { word = word << 8 | UInt64(text[index]) }
            return !hasSpecial(word)
        }
        var index = 0
        while index < text.count - 8 {
            if hasSpecial(text.word(at: index)) { return false }
            index += 8
        }
        return !hasSpecial(text.word(at: text.count - 8))
    }

    /// Whether one of a word's eight bytes is a quote, a backslash, a control character or not ASCII.
    @inline(__always)
    private static func hasSpecial(_ word: UInt64) -> Bool {
        let isDelete = (word ^ 0x7F7F_7F7F_7F7F_7F7F) &- 0x0101_0101_0101_0101
        return (word | word.firstEscaped | isDelete) & 0x8080_8080_8080_8080 != 0
    }

    /// Replaces the UTF-8 bytes from index `start` on by the contents of a JSON string with escapes.
    @inline(never)
    private static func escapeAll(from start: Int, _ bytes: inout [UInt8]) {
        let value = String(utf8: bytes.borrowedSpan.extracting(start...))
        bytes.removeLast(bytes.count - start)
        for scalar in value.unicodeScalars {
            if scalar == "\"" { bytes.append(UInt8(ascii: "\\")) }
            scalar.appendEscaped(to: &bytes)
        }
    }
}

extension Unicode.Scalar {
    /// Whether a program that shows or splits text may act on this character instead of showing it.
    ///
    /// These are the control characters (U+0000 to U+001F, U+007F to U+009F, among them the line end U+0085),
    /// the line and paragraph separators U+2028 and U+2029, the bidirectional formatting characters (UAX #9:
    /// U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), and the byte order mark U+FEFF.
    package var isActive: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// Appends the character as UTF-8. A backslash and a character that is ``isActive`` get an escape.
    package func appendEscaped(to bytes: inout [UInt8]) {
        switch self {
        case "\\": bytes.append(utf8: "\\\\" as StaticString)
        case "\n": bytes.append(utf8: "\\n" as StaticString)
        case "\r": bytes.append(utf8: "\\r" as StaticString)
        case "\t": bytes.append(utf8: "\\t" as StaticString)
        case _ where isActive: bytes += escape
        default: bytes.append(contentsOf: utf8)
        }
    }

    /// The character as a JSON escape in ASCII: `\u` and four hexadecimal digits in lower case.
    ///
    /// - Precondition: the character is below U+10000. Every ``isActive`` character is.
    package var escape: [UInt8] {
        let octets = [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
        var escape = [UInt8(ascii: "\\"), UInt8(ascii: "u")]
        Hexadecimal.append(octets.borrowedSpan, to: &escape)
        return escape
    }
}
