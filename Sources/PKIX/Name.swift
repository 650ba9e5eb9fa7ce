import Basics
import DER

/// A distinguished name: the range of its encoding in the buffer that it was decoded from.
///
/// Names are compared as bytes. The comparison of RFC 5280 §7.1, which also finds different spellings of one
/// name equal, is not made. `CertificateView.attributes(of:)` reads the attributes of a certificate's name.
///
/// ```
/// Name ::= SEQUENCE OF RelativeDistinguishedName
/// RelativeDistinguishedName ::= SET SIZE (1..MAX) OF SEQUENCE { type OBJECT IDENTIFIER, value ANY }
/// ```
public struct Name: Sendable {
    /// The range in the buffer of the whole Name, header included.
    public let range: Range<Int>
    /// Whether the name has no RelativeDistinguishedName.
    package let isEmpty: Bool

    /// Decodes one Name and leaves the reader after it. Throws codes of `DER`, and `.emptyName` if a
    /// RelativeDistinguishedName has no attribute.
    package init(_ reader: inout Reader, _ reading: StaticString) throws(Refusal) {
        let start = reader.offset
        var sequence = try reader.nested(.sequence, reading)
        isEmpty = sequence.isAtEnd
        while !sequence.isAtEnd {
            var relative = try sequence.nested(.set, reading)
            guard !relative.isAtEnd else { throw Refusal(.emptyName, at: relative.offset, reading: reading) }
            while !relative.isAtEnd {
                let value = try Self.readAttribute(&relative, reading).value
                try relative.checkContents(of: value, reading)
            }
        }
        range = start..<reader.offset
    }

    /// Reads one attribute of a name. Returns the range in the buffer of the contents octets of its type, and
    /// its value, one element of any tag, whose contents are not checked.
    static func readAttribute(
        _ reader: inout Reader,
        _ reading: StaticString
    ) throws(Refusal) -> (type: Range<Int>, value: Element) {
        var sequence = try reader.nested(.sequence, reading)
        let type = try sequence.readObjectIdentifier(reading)
        let value = try sequence.readElement(reading)
        try sequence.finish(reading)
        return (type, value)
    }
}
