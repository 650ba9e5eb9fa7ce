import DER

/// A JSON value as it is written (RFC 8259), piece by piece.
struct JSON: Fields {
    private(set) var bytes: [UInt8] = []
    /// Whether a comma is due before what comes next.
    private var isFollowing = false

    /// An object, its members written by the body.
    static func object(_ body: (inout JSON) -> Void) -> JSON {
        var json = JSON()
        json.nest("{", "}", body)
        return json
    }

    /// The same behind what is there already, without a copy.
    static func append(object body: (inout JSON) -> Void, to bytes: inout [UInt8]) {
        var json = JSON()
        swap(&json.bytes, &bytes)
        json.nest("{", "}", body)
        swap(&json.bytes, &bytes)
    }

    mutating func member(_ name: String, _ value: String?) {
        key(name)
        if let value { string(value) } else { raw("null") }
    }

    /// All digits: what a reader that knows only floating point makes of more than 53 bits is its own affair.
    mutating func member(_ name: String, _ value: Int64?) {
        key(name)
        raw(value.map { String($0) } ?? "null")
    }

    mutating func member(_ name: String, _ value: Bool?) {
        key(name)
        raw(value.map { $0 ? "true" : "false" } ?? "null")
    }

    mutating func member(_ name: String, text: ArraySlice<UInt8>?) {
        key(name)
        if let text { bytes += text } else { raw("null") }
    }

    mutating func member(_ name: String, object body: (inout JSON) -> Void) {
        key(name)
        nest("{", "}", body)
    }

    /// An object where there is something, or no member.
    mutating func member(_ name: String, isThere: Bool, _ body: (inout JSON) -> Void) {
        guard isThere else { return }
        member(name, object: body)
    }

    mutating func member<Elements: Sequence>(
        _ name: String,
        array elements: Elements?,
        _ body: (inout JSON, Elements.Element) -> Void
    ) {
        key(name)
        guard let elements else { return raw("null") }
        nest("[", "]") { array in
            for element in elements { body(&array, element) }
        }
    }

    /// An array that is a value by itself.
    static func array<Elements: Sequence>(
        _ elements: Elements,
        _ body: (inout JSON, Elements.Element) -> Void
    ) -> JSON {
        var json = JSON()
        json.nest("[", "]") { array in
            for element in elements { body(&array, element) }
        }
        return json
    }

    /// An element of an array.
    mutating func element(_ value: String) {
        separate()
        string(value)
    }

    /// An element of an array.
    mutating func element(object body: (inout JSON) -> Void) {
        separate()
        nest("{", "}", body)
    }

    private mutating func key(_ name: String) {
        separate()
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func separate() {
        if isFollowing { bytes.append(UInt8(ascii: ",")) }
        isFollowing = true
    }

    private mutating func nest(_ opening: String, _ closing: String, _ body: (inout JSON) -> Void) {
        raw(opening)
        isFollowing = false
        body(&self)
        raw(closing)
        isFollowing = true
    }

    private mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// A string is UTF-8 already. Escaped is what §7 asks for, and the two line separators of U+2028, with
    /// which what reads lines and what reads JavaScript may stumble.
    private mutating func string(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        // Most strings are ASCII that stands for itself, and are copied as they are.
        let start = bytes.count
        raw(value)
        guard bytes.span.firstIndex(in: start..<bytes.count, whereZero: Self.distance) != nil else { return }
        bytes.removeLast(bytes.count - start)
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": raw("\\\"")
            case "\\": raw("\\\\")
            case "\n": raw("\\n")
            case "\r": raw("\\r")
            case "\t": raw("\\t")
            case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{2028}"..."\u{2029}":
                let digits = String(scalar.value, radix: 16)
                raw("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
            default: bytes.append(contentsOf: scalar.utf8)
            }
        }
    }

    /// Zero for what may have to be escaped: quotes, backslashes, control characters, and all but ASCII.
    private static func distance(_ byte: UInt8) -> UInt8 {
        let quoting = min(byte ^ UInt8(ascii: "\""), byte ^ UInt8(ascii: "\\"))
        return min(quoting, min(byte & 0xE0, byte ^ 0x7F, ~byte & 0x80))
    }
}
