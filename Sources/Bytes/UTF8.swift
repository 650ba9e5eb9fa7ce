// The bytes of strings. The views of the standard library do the same in about three times the instructions.
//
// A pointer is valid during the closure, and nothing keeps it.

extension Array<UInt8> {
    /// Appends the UTF-8 of a text.
    @inlinable
    @inline(__always)
    package mutating func append(utf8 text: String) {
        var text = text
        text.withUTF8 { unsafe append(contentsOf: $0) }
    }

    /// Appends the UTF-8 of a literal.
    @inlinable
    @inline(__always)
    package mutating func append(utf8 text: StaticString) {
        text.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }
}

extension String {
    /// Whether both have the same bytes. `==` compares by Unicode equivalence.
    package func hasSameBytes(as other: String) -> Bool {
        var (text, other) = (self, other)
        return text.withUTF8 { bytes in
            other.withUTF8 { others in unsafe bytes.elementsEqual(others) }
        }
    }
}
