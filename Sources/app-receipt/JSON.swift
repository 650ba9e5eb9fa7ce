import DER

/// A JSON value as it is written (RFC 8259), piece by piece.
struct JSON {
    private(set) var bytes: [UInt8] = []
    /// Whether a comma is due before what comes next.
    private var isFollowing = false

    /// An object, its members written by the body.
    static func object(_ body: (inout JSON) -> Void) -> JSON {
        var json = JSON()
        json.nest("{", "}", body)
        return json
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

    mutating func member(_ name: String, _ value: Timestamp?) { member(name, value?.description) }
    mutating func member(_ name: String, hex value: ArraySlice<UInt8>?) { member(name, value?.hexadecimal) }

    /// A value that is JSON text already.
    mutating func member(_ name: String, text: ArraySlice<UInt8>) {
        key(name)
        bytes += text
    }

    mutating func member(_ name: String, object body: (inout JSON) -> Void) {
        key(name)
        nest("{", "}", body)
    }

    mutating func member<Elements: Sequence>(
        _ name: String,
        array elements: Elements,
        _ body: (inout JSON, Elements.Element) -> Void
    ) {
        key(name)
        nest("[", "]") { array in
            for element in elements { body(&array, element) }
        }
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
        raw(":")
    }

    private mutating func separate() {
        if isFollowing { raw(",") }
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
        bytes.append(UInt8(ascii: "\""))
    }
}
