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

    /// Reads the attribute that begins at an offset, and ends before `end`.
    init(_ bytes: Span<UInt8>, at start: Int, before end: Int) throws(Refusal) {
        self = try Self(next: bytes.extracting(start..<end), of: bytes, before: end)
    }

    /// Reads the attribute that `rest` begins with, which is what is left of `bytes` before `end`.
    @inline(__always)
    init(next rest: Span<UInt8>, of bytes: Span<UInt8>, before end: Int) throws(Refusal) {
        let start = end - rest.count
        if let plain = Self(plain: rest, at: start) {
            self = plain
        } else {
            self = try Self.read(bytes, at: start, before: end)
        }
    }

    /// An attribute of any form.
    @inline(never)
    private static func read(_ bytes: Span<UInt8>, at start: Int, before end: Int) throws(Refusal) -> Self {
        if let purchase = Self(long: bytes, at: start, before: end) { return purchase }
        var set = Reader(bytes, in: start..<end)
        var sequence = try set.nested(.sequence, "attribute")
        let type = try sequence.readInteger("attribute.type")
        let version = try sequence.readInteger("attribute.version")
        let value = try sequence.readOctetString("attribute.value")
        try sequence.finish("attribute")
        return Self(type: type, version: version, start: start, value: value)
    }

    /// The two forms that nearly every attribute has: all lengths are short, the type is a number of one
    /// octet or of two, the version of one.
    ///
    /// ```
    /// 30 length  02 02 type type  02 01 version  04 length value
    /// 30 length  02 01 type       02 01 version  04 length value
    /// ```
    ///
    /// Nil for everything else, right or wrong, which ``read(_:at:before:)`` tells apart.
    @inline(__always)
    init?(plain rest: Span<UInt8>, at start: Int) {
        guard rest.count >= 11, rest[0] == 0x30, rest[1] < 0x80, rest[2] == 0x02 else { return nil }
        let headerCount: Int
        let valueCount: Int
        if rest[3] == 0x02, rest[6] == 0x02, rest[7] == 0x01, rest[8] < 0x80, rest[9] == 0x04 {
            type = Int64(rest[4]) << 8 | Int64(rest[5])
            // Below, one octet is enough, and above, the number is negative.
            guard 0x80 <= type, type < 0x8000 else { return nil }
            version = Int64(rest[8])
            (headerCount, valueCount) = (11, Int(rest[10]))
        } else if rest[3] == 0x01, rest[4] < 0x80, rest[5] == 0x02, rest[6] == 0x01, rest[7] < 0x80,
            rest[8] == 0x04
        {
            type = Int64(rest[4])
            version = Int64(rest[7])
            (headerCount, valueCount) = (10, Int(rest[9]))
        } else {
            return nil
        }
        // The two lengths agree, and end before the SET does.
        guard Int(rest[1]) + 2 == headerCount + valueCount, headerCount + valueCount <= rest.count else {
            return nil
        }
        self.start = start
        value = (start + headerCount)..<(start + headerCount + valueCount)
    }

    /// The form that purchases have: lengths of two octets, type and version of one.
    ///
    /// ```
    /// 30 82 length length  02 01 type  02 01 version  04 82 length length value
    /// ```
    init?(long bytes: Span<UInt8>, at start: Int, before end: Int) {
        guard end - start >= 14 else { return nil }
        let octets = bytes.extracting(start..<(start + 14))
        guard octets[0] == 0x30, octets[1] == 0x82, octets[4] == 0x02, octets[5] == 0x01,
            octets[6] < 0x80, octets[7] == 0x02, octets[8] == 0x01, octets[9] < 0x80, octets[10] == 0x04,
            octets[11] == 0x82, octets[12] != 0
        else { return nil }
        let length = Int(octets[2]) << 8 | Int(octets[3])
        let valueLength = Int(octets[12]) << 8 | Int(octets[13])
        // The inner length is of 256 at the least, and so is the outer one.
        guard length == 10 + valueLength, 4 + length <= end - start else { return nil }
        type = Int64(octets[6])
        version = Int64(octets[9])
        self.start = start
        value = (start + 14)..<(start + 14 + valueLength)
    }

    private init(type: Int64, version: Int64, start: Int, value: Range<Int>) {
        self.type = type
        self.version = version
        self.start = start
        self.value = value
    }

    /// Where the next one begins.
    var end: Int { value.upperBound }
}

/// Walks a SET of attributes from its first to its last: no more than the limit, and no type twice that comes
/// but once.
struct AttributeWalk: ~Escapable {
    private let bytes: Span<UInt8>
    /// What is left of the SET.
    private var rest: Span<UInt8>
    private let end: Int
    private let limit: Int
    private let reading: StaticString
    private var count = 0
    private var seen: UInt64 = 0

    /// - Parameter set: the contents of the SET.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, in set: Range<Int>, limits: Limits, _ reading: StaticString) {
        self.bytes = bytes
        rest = bytes.extracting(set)
        end = set.upperBound
        limit = limits.attributes
        self.reading = reading
    }

    @inline(__always)
    mutating func next() throws(Refusal) -> AttributeRange? {
        guard !rest.isEmpty else { return nil }
        let attribute = try AttributeRange(next: rest, of: bytes, before: end)
        rest = rest.extracting(droppingFirst: attribute.end - attribute.start)
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
    private let bytes: Span<UInt8>
    private let value: Range<Int>
    /// The value's own.
    private let octets: Span<UInt8>

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, _ attribute: AttributeRange) {
        self.bytes = bytes
        value = attribute.value
        octets = bytes.extracting(attribute.value)
    }

    /// Whether it is one element with this tag and a short length that fills it, as nearly all are. All else
    /// is read, or refused, by a ``Reader``.
    @inline(__always)
    func isPlain(_ tag: Tag) -> Bool {
        octets.count >= 2 && octets[0] == tag.lowOctet && octets[1] < 0x80
            && Int(octets[1]) == octets.count - 2
    }

    /// The contents of the one element, which must have this tag.
    @inline(__always)
    private func contents(_ tag: Tag, _ reading: StaticString) throws(Refusal) -> Range<Int> {
        if isPlain(tag) { return (value.lowerBound + 2)..<value.upperBound }
        return try Self.read(tag, bytes, value, reading)
    }

    @inline(never)
    private static func read(
        _ tag: Tag,
        _ bytes: Span<UInt8>,
        _ value: Range<Int>,
        _ reading: StaticString
    ) throws(Refusal) -> Range<Int> {
        var reader = Reader(bytes, in: value)
        let contents = try reader.read(tag, reading)
        try reader.finish(reading)
        return contents
    }

    /// Where the well-formed UTF-8 lies; nil for an empty string.
    @inline(__always)
    func utf8(_ reading: StaticString) throws(Refusal) -> Range<Int>? {
        let string = try contents(.utf8String, reading)
        if let offset = bytes.firstIllFormedUTF8(in: string) {
            throw Refusal(.invalidUTF8, at: offset, reading: reading)
        }
        return string.isEmpty ? nil : string
    }

    /// Where the ASCII lies; nil for an empty string.
    func ia5(_ reading: StaticString) throws(Refusal) -> Range<Int>? {
        var reader = Reader(bytes, in: value)
        let string = try reader.readIA5String(reading)
        try reader.finish(reading)
        return string.isEmpty ? nil : string
    }

    /// A date; nil for an empty string.
    @inline(__always)
    func date(_ reading: StaticString) throws(Refusal) -> Timestamp? {
        let string = try contents(.ia5String, reading)
        guard !string.isEmpty else { return nil }
        guard let time = Timestamp(rfc3339: bytes, in: string) else {
            throw Refusal(.invalidDate, at: string.lowerBound, reading: reading)
        }
        return time
    }

    /// A number of at most 63 bits.
    @inline(__always)
    func number(_ reading: StaticString) throws(Refusal) -> Int64 {
        guard let number = plainNumber else { throw Self.refusalOfNumber(bytes, value, reading) }
        return number
    }

    /// A number in one octet to eight, with neither a sign nor an octet too many (X.690 §8.3.2).
    @inline(__always)
    var plainNumber: Int64? {
        guard isPlain(.integer), octets.count > 2, octets.count <= 10, octets[2] < 0x80,
            octets.count == 3 || octets[2] != 0 || octets[3] >= 0x80
        else { return nil }
        var number: Int64 = 0
        for index in 2..<octets.count { number = number << 8 | Int64(octets[index]) }
        return number
    }

    /// Why a value is no such number.
    @inline(never)
    private static func refusalOfNumber(
        _ bytes: Span<UInt8>,
        _ value: Range<Int>,
        _ reading: StaticString
    ) -> Refusal {
        var reader = Reader(bytes, in: value)
        do throws(Refusal) {
            _ = try reader.readInteger(reading)
            try reader.finish(reading)
        } catch {
            return error
        }
        // An INTEGER, then, and of those with a sign bit.
        return Refusal(.negativeInteger, at: value.lowerBound, reading: reading)
    }

    func flag(_ reading: StaticString) throws(Refusal) -> Bool {
        switch try number(reading) {
        case 0: return false
        case 1: return true
        default: throw Refusal(.invalidFlag, at: value.lowerBound, reading: reading)
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
        var offset = set.lowerBound
        while offset < set.upperBound,
            let attribute = try? AttributeRange(bytes.span, at: offset, before: set.upperBound)
        {
            all.append(
                Attribute(type: attribute.type, version: attribute.version, value: bytes[attribute.value])
            )
            offset = attribute.end
        }
        return all
    }
}
