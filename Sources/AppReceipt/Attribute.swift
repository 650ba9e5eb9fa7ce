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
    @inline(__always)
    init(_ bytes: Span<UInt8>, at start: Int, before end: Int) throws(Refusal) {
        if let plain = Self(plain: bytes, at: start, before: end) {
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
    init?(plain bytes: Span<UInt8>, at start: Int, before end: Int) {
        let octets = bytes.extracting(start...)
        guard octets.count >= 11 else { return nil }
        // The fixed octets of a form, among the first eight, are subtracted, the first octet being the
        // lowest. Its fields are left: if any bit outside of them is, or a field is too large, it is another
        // form.
        let head = octets.word(at: 0)
        let fieldsOfLongType = head &- 0x0102_0000_0202_0030
        let fieldsOfShortType = head &- 0x0001_0200_0102_0030
        let length: Int
        let valueLength: Int
        if fieldsOfLongType & 0xFFFF_0080_FFFF_80FF == 0, octets[8] < 0x80, octets[9] == 0x04 {
            type = Int64(UInt16(truncatingIfNeeded: fieldsOfLongType >> 32).byteSwapped)
            version = Int64(octets[8])
            length = Int(fieldsOfLongType >> 8 & 0xFF)
            valueLength = Int(octets[10])
            // For a type below that, one octet is enough.
            guard type >= 0x80, length == 9 + valueLength else { return nil }
        } else if fieldsOfShortType & 0x80FF_FF80_FFFF_80FF == 0, octets[8] == 0x04 {
            type = Int64(fieldsOfShortType >> 32 & 0x7F)
            version = Int64(fieldsOfShortType >> 56)
            length = Int(fieldsOfShortType >> 8 & 0xFF)
            valueLength = Int(octets[9])
            guard length == 8 + valueLength else { return nil }
        } else {
            return nil
        }
        // The attribute ends before the SET does.
        let valueEnd = start &+ 2 &+ length
        guard valueEnd <= end else { return nil }
        self.start = start
        value = (valueEnd &- valueLength)..<valueEnd
    }

    /// The form that purchases have: lengths of two octets, type and version of one.
    ///
    /// ```
    /// 30 82 length length  02 01 type  02 01 version  04 82 length length value
    /// ```
    @inline(__always)
    init?(long bytes: Span<UInt8>, at start: Int, before end: Int) {
        let octets = bytes.extracting(start...)
        guard octets.count >= 14 else { return nil }
        let head = octets.word(at: 0) &- 0x0200_0102_0000_8230
        guard head & 0xFF80_FFFF_0000_FFFF == 0, octets[8] == 0x01, octets[9] < 0x80, octets[10] == 0x04,
            octets[11] == 0x82, octets[12] != 0
        else { return nil }
        let length = Int(UInt16(truncatingIfNeeded: head >> 16).byteSwapped)
        let valueLength = Int(octets[12]) << 8 | Int(octets[13])
        // The inner length is of 256 at the least, and so is the outer one.
        guard length == 10 + valueLength, length <= end - start - 4 else { return nil }
        type = Int64(head >> 48 & 0x7F)
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
    /// Where the next attribute begins, and the SET ends.
    private var offset: Int
    private let end: Int
    private let limit: Int
    private let reading: StaticString
    private var count = 0
    private var seen: UInt64 = 0

    /// - Parameter set: the contents of the SET.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, in set: Range<Int>, limits: Limits, _ reading: StaticString) {
        self.bytes = bytes
        offset = set.lowerBound
        end = set.upperBound
        limit = limits.attributes
        self.reading = reading
    }

    @inline(__always)
    mutating func next() throws(Refusal) -> AttributeRange? {
        guard offset < end else { return nil }
        let attribute = try AttributeRange(bytes, at: offset, before: end)
        offset = attribute.end
        count += 1
        guard count <= limit else {
            throw Refusal(.tooManyAttributes, at: attribute.start, reading: reading)
        }
        return attribute
    }

    /// Refuses the second of a type that comes once.
    ///
    /// - Parameter number: 0 to 63, the type's own within this walk.
    @_lifetime(self: copy self)
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

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// What a message was read from.
    init(_ input: [UInt8], _ envelope: Envelope) { self.init(envelope.normalised?.bytes ?? input) }

    /// Text of the receipt. Its bytes were found to be well-formed UTF-8 when they were
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
