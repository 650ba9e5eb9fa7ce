import Basics
import CMS
import DER

/// An attribute of a receipt or of a purchase, with the octets of its value. Use it to read attributes that
/// are undocumented.
///
/// Two attributes are equal when their types, their versions and the octets of their values are equal.
public struct Attribute: Sendable, Hashable {
    /// The number that says what the value means: one of Apple's, or any other.
    public let type: Int64
    /// The version, 1 in nearly all attributes. Its meaning is undocumented.
    public let version: Int64
    /// The octets of the value. The slice shares the receipt's bytes, so its indices do not begin at zero.
    public let value: ArraySlice<UInt8>
}

/// The position of one attribute of a receipt or of a purchase: its type, its version and the range of its
/// value.
///
/// ```
/// ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
/// ```
///
/// The file FastForms.swift reads the byte layouts that nearly every attribute has. The reader in this file
/// reads every layout and decides what is refused.
@usableFromInline
struct AttributeRange {
    /// The number that says what the value means.
    @usableFromInline let type: Int64
    /// The version, 1 in nearly all attributes.
    @usableFromInline let version: Int64
    /// The offset of the attribute's first octet, in the bytes that the attribute was read from.
    @usableFromInline let start: Int
    /// The range of the value's octets, without their header, in the bytes that the attribute was read from.
    @usableFromInline let value: Range<Int>

    /// The offset after the attribute, where the next attribute begins.
    @inlinable var end: Int { value.upperBound }

    @inlinable
    init(type: Int64, version: Int64, start: Int, value: Range<Int>) {
        self.type = type
        self.version = version
        self.start = start
        self.value = value
    }

    /// Reads the attribute that begins at `start`. Throws if it is malformed or does not end by `end`.
    @inlinable @inline(__always)
    init(_ bytes: Span<UInt8>, at start: Int, before end: Int) throws(Refusal) {
        if let plain = Self(plain: bytes, at: start, before: end) {
            self = plain
        } else {
            self = try Self.read(bytes, at: start, before: end)
        }
    }

    /// Reads an attribute of any layout. Throws if it is malformed or does not end by `end`.
    @inline(never)
    @usableFromInline
    static func read(_ bytes: Span<UInt8>, at start: Int, before end: Int) throws(Refusal) -> Self {
        if let purchase = Self(long: bytes, at: start, before: end) { return purchase }
        var set = Reader(bytes, in: start..<end)
        var sequence = try set.nested(.sequence, "attribute")
        let type = try sequence.readInteger("attribute.type")
        let version = try sequence.readInteger("attribute.version")
        let value = try sequence.read(.octetString, "attribute.value")
        try sequence.finish("attribute")
        return Self(type: type, version: version, start: start, value: value)
    }
}

/// Walks a SET of attributes from the first to the last.
///
/// The walk refuses more attributes than `Limits.attributes`. It does not look for repeated types: a caller
/// that refuses them asks ``isRepeated(number:)`` about each attribute of a type that may occur once.
struct AttributeWalk: ~Escapable {
    private let bytes: Span<UInt8>
    /// The offset of the next attribute in `bytes`.
    private var offset: Int
    /// The offset after the SET's contents.
    private let end: Int
    private let limit: Int
    /// The name of the field that the caller reads, for errors.
    private let reading: StaticString
    private var count = 0
    /// Bit n is set once ``isRepeated(number:)`` was called with the number n.
    private(set) var met: UInt64 = 0

    /// Creates a walk before the first attribute.
    ///
    /// - Parameters:
    ///   - set: the range of the SET's contents.
    ///   - limit: the maximum number of attributes.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, in set: Range<Int>, limit: Int, _ reading: StaticString) {
        self.bytes = bytes
        offset = set.lowerBound
        end = set.upperBound
        self.limit = limit
        self.reading = reading
    }

    /// The next attribute; nil at the end of the SET. Throws if it is malformed or exceeds the limit.
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

    /// Marks a type as met. Returns whether it was met before.
    ///
    /// - Parameter number: the type's own number within this walk, 0 to 63.
    @_lifetime(self: copy self)
    mutating func isRepeated(number: Int64) -> Bool {
        let bit: UInt64 = 1 << UInt64(number)
        defer { met |= bit }
        return met & bit != 0
    }

    /// The refusal of an attribute that repeats a type that may occur once: `.duplicateAttributeType` at the
    /// attribute's start.
    func duplicate(_ attribute: AttributeRange) -> Refusal {
        Refusal(.duplicateAttributeType, at: attribute.start, reading: reading)
    }
}

/// The bytes that a receipt was read from, or the DER made from BER input. A receipt's ranges count in these
/// bytes.
@usableFromInline
struct AttributeBuffer: Sendable {
    @usableFromInline let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Keeps the bytes that a message was read from: the input, or the DER that was made of BER input.
    init(_ input: [UInt8], _ envelope: Envelope) { self.init(envelope.der ?? input) }

    /// The string at a range; nil for no range. The decoder has found its octets to be well-formed UTF-8.
    @usableFromInline func string(_ range: Range<Int>?) -> String? {
        range.map { String(utf8: bytes.borrowedSpan.extracting($0)) }
    }

    /// The octets at a range; nil for no range.
    @usableFromInline func octets(_ range: Range<Int>?) -> ArraySlice<UInt8>? { range.map { bytes[$0] } }

    /// Whether the octets at a range equal the UTF-8 of a string, byte for byte. False for no range.
    func holds(_ range: Range<Int>?, _ string: String) -> Bool {
        guard let range else { return false }
        return bytes.borrowedSpan.extracting(range).isUTF8(of: string)
    }

    /// All attributes, in order, of a SET that was read before without an error.
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
