import DER

/// The place of a distinguished name.
///
/// Names are compared as bytes. RFC 5280 §7.1 describes a comparison that also finds different spellings of
/// one name equal. Apple's certificates repeat names exactly, so the package does without it.
/// ``CertificateView/attributes(of:)`` reads the attributes.
///
/// ```
/// Name ::= SEQUENCE OF RelativeDistinguishedName
/// RelativeDistinguishedName ::= SET SIZE (1..MAX) OF SEQUENCE { type OBJECT IDENTIFIER, value ANY }
/// ```
public struct Name: Sendable {
    /// The whole encoding.
    public let range: Range<Int>
    /// Whether the name has no RelativeDistinguishedName.
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

    /// One attribute of a name: a type and its value.
    public struct Attribute: Sendable {
        /// The contents octets of the type.
        public let type: Range<Int>
        /// The value, an element of any type. Only its header is checked.
        public let value: Element

        init(_ reader: inout Reader, _ reading: StaticString) throws(Refusal) {
            var sequence = try reader.nested(.sequence, reading)
            type = try sequence.readObjectIdentifier(reading)
            value = try sequence.readElement(reading)
            try sequence.finish(reading)
        }
    }
}
