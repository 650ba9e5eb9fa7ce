import CMS
import DER

/// One attribute of a receipt or of a purchase in it: where its value lies.
///
/// ```
/// ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
/// ```
struct AttributeRange {
    let type: Int64
    let version: Int64
    let start: Int
    /// The octets of the value.
    let value: Range<Int>

    init(_ set: inout Reader) throws(Refusal) {
        start = set.offset
        var sequence = try set.nested(.sequence, "attribute")
        type = try sequence.readInteger("attribute.type")
        version = try sequence.readInteger("attribute.version")
        value = try sequence.readOctetString("attribute.value")
        try sequence.finish("attribute")
    }
}

/// Walks a SET of attributes from its first to its last: no more than the limit, and no type twice that comes
/// but once.
struct AttributeWalk: ~Escapable {
    private var reader: Reader
    private let limit: Int
    private let reading: StaticString
    private var count = 0
    private var seen: UInt64 = 0

    /// - Parameter set: the contents of the SET.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, in set: Range<Int>, limits: Limits, _ reading: StaticString) {
        reader = Reader(bytes, in: set)
        limit = limits.attributes
        self.reading = reading
    }

    mutating func next() throws(Refusal) -> AttributeRange? {
        guard !reader.isAtEnd else { return nil }
        let attribute = try AttributeRange(&reader)
        count += 1
        guard count <= limit else {
            throw Refusal(.tooManyAttributes, at: attribute.start, reading: reading)
        }
        return attribute
    }

    /// Refuses the second of a type that comes once.
    ///
    /// - Parameter number: 0 to 63, the type's own within this walk.
    mutating func passOnce(_ attribute: AttributeRange, number: Int64) throws(Refusal) {
        let bit: UInt64 = 1 << UInt64(number)
        guard seen & bit == 0 else {
            throw Refusal(.duplicateAttributeType, at: attribute.start, reading: reading)
        }
        seen |= bit
    }
}

/// An attribute with its value's octets as they are, for what is undocumented.
public struct Attribute: Sendable {
    /// Says what the value is: one of Apple's numbers, or any other.
    public let type: Int64
    /// 1 in nearly all attributes; nobody says what it means.
    public let version: Int64
    /// The octets of the value, a slice of what the receipt keeps: its indices do not begin at zero.
    public let value: ArraySlice<UInt8>
}

/// The decoders of attribute values: one DER element that fills the value, where it is not raw.
///
/// A string of length zero stands for no value.
struct ValueReader: ~Escapable {
    private var reader: Reader

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, _ attribute: AttributeRange) {
        reader = Reader(bytes, in: attribute.value)
    }

    /// Where the well-formed UTF-8 lies; nil for an empty string.
    mutating func utf8(_ reading: StaticString) throws(Refusal) -> Range<Int>? {
        let string = try reader.readUTF8String(reading)
        try reader.finish(reading)
        return string.isEmpty ? nil : string
    }

    /// Where the ASCII lies; nil for an empty string.
    mutating func ia5(_ reading: StaticString) throws(Refusal) -> Range<Int>? {
        let string = try reader.readIA5String(reading)
        try reader.finish(reading)
        return string.isEmpty ? nil : string
    }

    /// A date; nil for an empty string.
    mutating func date(_ reading: StaticString) throws(Refusal) -> Timestamp? {
        let string = try reader.read(.ia5String, reading)
        try reader.finish(reading)
        guard !string.isEmpty else { return nil }
        guard let time = Timestamp(rfc3339: reader.bytes, in: string) else {
            throw Refusal(.invalidDate, at: string.lowerBound, reading: reading)
        }
        return time
    }

    /// A number of at most 63 bits.
    mutating func number(_ reading: StaticString) throws(Refusal) -> Int64 {
        let start = reader.offset
        let value = try reader.readInteger(reading)
        try reader.finish(reading)
        guard value >= 0 else { throw Refusal(.negativeInteger, at: start, reading: reading) }
        return value
    }

    mutating func flag(_ reading: StaticString) throws(Refusal) -> Bool {
        let start = reader.offset
        switch try number(reading) {
        case 0: return false
        case 1: return true
        default: throw Refusal(.invalidFlag, at: start, reading: reading)
        }
    }
}

/// The buffer that a receipt keeps, and what can be made of ranges in it.
struct AttributeBuffer: Sendable {
    let bytes: [UInt8]
    /// The way back to the input's offsets, where the bytes are not the input's.
    let normalised: Normalised?

    /// What a message was read from.
    init(_ input: [UInt8], _ envelope: Envelope) {
        bytes = envelope.normalised?.bytes ?? input
        normalised = envelope.normalised
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        normalised = nil
    }

    /// The one place where bytes become a string. They were found to be well-formed UTF-8 when they were
    /// read.
    func string(_ range: Range<Int>?) -> String? {
        range.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// Whether the string at a range is this one, byte for byte.
    func holds(_ range: Range<Int>?, _ string: String) -> Bool {
        guard let range else { return false }
        return bytes[range].elementsEqual(string.utf8)
    }

    /// The attributes of a SET, whose contents lie at a range and were found sound when they were read.
    func attributes(in set: Range<Int>) -> [Attribute] {
        var all: [Attribute] = []
        var reader = Reader(bytes.span, in: set)
        while !reader.isAtEnd, let attribute = try? AttributeRange(&reader) {
            all.append(
                Attribute(type: attribute.type, version: attribute.version, value: bytes[attribute.value])
            )
        }
        return all
    }
}
