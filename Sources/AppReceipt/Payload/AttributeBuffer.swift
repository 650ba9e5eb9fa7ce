import Bytes
import CMS

/// The bytes that a receipt keeps, with accessors for ranges of them.
struct AttributeBuffer: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Keeps the bytes that a message was read from: the input, or the DER that was made of BER input.
    init(_ input: [UInt8], _ envelope: Envelope) { self.init(envelope.normalised?.bytes ?? input) }

    /// The string at a range; nil for no range. The payload's decoder has found its octets to be well-formed
    /// UTF-8.
    func string(_ range: Range<Int>?) -> String? {
        range.map { String(utf8: bytes.borrowedSpan.extracting($0)) }
    }

    /// The octets at a range; nil for no range.
    func octets(_ range: Range<Int>?) -> ArraySlice<UInt8>? { range.map { bytes[$0] } }

    /// Whether the octets at a range equal the UTF-8 of a string, byte for byte. False for no range.
    func holds(_ range: Range<Int>?, _ string: String) -> Bool {
        guard let range else { return false }
        return bytes.borrowedSpan.extracting(range).isUTF8(of: string)
    }

    /// The attributes of a SET that was read before without an error.
    ///
    /// - Parameter set: the range of the SET's contents.
    func attributes(in set: Range<Int>) -> [Attribute] {
        var all: [Attribute] = []
        var offset = set.lowerBound
        while offset < set.upperBound,
            let attribute = try? AttributeRange(bytes.borrowedSpan, at: offset, before: set.upperBound)
        {
            all.append(
                Attribute(type: attribute.type, version: attribute.version, value: bytes[attribute.value])
            )
            offset = attribute.end
        }
        return all
    }
}
