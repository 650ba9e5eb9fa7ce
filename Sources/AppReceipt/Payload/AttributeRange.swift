import Bytes
import DER

/// The position of one attribute of a receipt or of a purchase: its type, its version and the range of its
/// value.
///
/// ```
/// ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
/// ```
///
/// The file AttributeForms.swift reads the three byte layouts that nearly every attribute has. The reader in
/// this file reads every layout and decides what is refused.
@usableFromInline
struct AttributeRange {
    /// The number that says what the value means.
    @usableFromInline let type: Int64
    /// The version, 1 in nearly all attributes.
    @usableFromInline let version: Int64
    /// The offset of the attribute's first octet.
    @usableFromInline let start: Int
    /// The octets of the value.
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

    /// Reads the attribute that begins at `start` and ends at or before `end`.
    @inlinable @inline(__always)
    init(_ bytes: Span<UInt8>, at start: Int, before end: Int) throws(Refusal) {
        if let plain = Self(plain: bytes, at: start, before: end) {
            self = plain
        } else {
            self = try Self.read(bytes, at: start, before: end)
        }
    }

    /// Reads an attribute of any layout.
    @inline(never)
    @usableFromInline
    static func read(_ bytes: Span<UInt8>, at start: Int, before end: Int) throws(Refusal) -> Self {
        if let purchase = Self(long: bytes, at: start, before: end) { return purchase }
        var set = Reader(bytes, in: start..<end)
        var sequence = try set.nested(.sequence, "attribute")
        let type = try sequence.readInteger("attribute.type")
        let version = try sequence.readInteger("attribute.version")
        let value = try sequence.readOctetString("attribute.value")
        try sequence.finish("attribute")
        return Self(type: type, version: version, start: start, value: value)
    }
}
