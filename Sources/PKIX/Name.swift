import DER

/// A distinguished name: where it lies. Names are compared as bytes, never prepared (RFC 5280 §7.1 asks for
/// more of those who meet names in several spellings; Apple's certificates repeat them exactly).
///
/// ```
/// Name ::= SEQUENCE OF RelativeDistinguishedName
/// RelativeDistinguishedName ::= SET SIZE (1..MAX) OF SEQUENCE { type OBJECT IDENTIFIER, value ANY }
/// ```
public struct Name: Sendable {
    /// The whole encoding.
    public let range: Range<Int>
    /// Whether there is no RelativeDistinguishedName in it.
    public let isEmpty: Bool

    init(_ reader: inout Reader, _ reading: StaticString) throws(Refusal) {
        let start = reader.offset
        var sequence = try reader.nested(.sequence, reading)
        isEmpty = sequence.isAtEnd
        while !sequence.isAtEnd {
            var relative = try sequence.nested(.set, reading)
            guard !relative.isAtEnd else { throw Refusal(.emptyName, at: relative.offset, reading: reading) }
            while !relative.isAtEnd {
                _ = try Attribute(&relative, reading)
            }
        }
        range = start..<reader.offset
    }

    /// One type and its value.
    public struct Attribute: Sendable {
        /// The contents octets of the type.
        public let type: Range<Int>
        /// The value, of whatever type; only its header is checked.
        public let value: Element

        init(_ reader: inout Reader, _ reading: StaticString) throws(Refusal) {
            var sequence = try reader.nested(.sequence, reading)
            type = try sequence.readObjectIdentifier(reading)
            value = try sequence.readElement(reading)
            try sequence.finish(reading)
        }
    }

    /// The attributes in the order of the encoding, for showing to people.
    ///
    /// - Parameter bytes: the buffer that the name was read from.
    public func attributes(in bytes: Span<UInt8>) -> [Attribute] {
        var attributes: [Attribute] = []
        var reader = Reader(bytes, in: range)
        do throws(Refusal) {
            var sequence = try reader.nested(.sequence, "Name")
            while !sequence.isAtEnd {
                var relative = try sequence.nested(.set, "Name")
                while !relative.isAtEnd { attributes.append(try Attribute(&relative, "Name")) }
            }
        } catch {
            // Another buffer than the name's: what could be read of it is all there is to show.
        }
        return attributes
    }
}
