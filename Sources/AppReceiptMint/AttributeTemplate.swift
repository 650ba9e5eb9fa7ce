import AppReceipt
import Basics
import DER

/// An attribute to write into a receipt, or into a purchase of a receipt.
///
/// ```
/// ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
/// ```
public struct AttributeTemplate: Sendable, Hashable {
    /// The number that tells what the value means: one of Apple's numbers, or any other.
    public var type: Int64
    /// The version, 1 by default. Apple does not document its meaning.
    public var version: Int64
    /// The contents octets of the field `value`, which for most types are themselves an encoding.
    public var value: [UInt8]

    /// Makes an attribute of any type. `value` is written into its OCTET STRING as it is.
    public init(_ type: Int64, version: Int64 = 1, value: [UInt8]) {
        self.type = type
        self.version = version
        self.value = value
    }

    /// Makes an attribute of version 1 whose value is the encoding of a UTF8String.
    public static func utf8String(_ type: Int64, _ string: String) -> Self {
        Self(type) { $0.writeUTF8String(string) }
    }

    /// Makes an attribute of version 1 whose value is the encoding of an IA5String. The string must be ASCII
    /// to give a valid IA5String, because its characters are written as UTF-8.
    public static func ia5String(_ type: Int64, _ string: String) -> Self {
        Self(type) { $0.writeIA5String(string) }
    }

    /// Makes an attribute of version 1 whose value is the encoding of an INTEGER.
    public static func integer(_ type: Int64, _ value: Int64) -> Self {
        Self(type) { $0.writeInteger(value) }
    }

    /// Makes an attribute of version 1 whose value is an IA5String of the time's description: RFC 3339 in UTC
    /// for the years 0 to 9999.
    public static func date(_ type: Int64, _ time: Timestamp) -> Self {
        ia5String(type, time.description)
    }

    private init(_ type: Int64, _ value: (inout Writer) -> Void) {
        var writer = Writer()
        value(&writer)
        self.init(type, value: writer.bytes)
    }

    /// The encoded ReceiptAttribute, in DER.
    public func encoded() -> [UInt8] {
        Writer.sequence { writer in
            writer.writeInteger(type)
            writer.writeInteger(version)
            writer.writeOctetString(value)
        }
    }
}

extension [AttributeTemplate] {
    /// Encodes a SET OF these attributes: a receipt's payload, or the value of a purchase.
    ///
    /// - Parameter sorted: true for the order of DER (X.690 §11.6), as in Apple's receipts; false for the
    ///   order of the array, as in Xcode's receipts.
    public func encodedSet(sorted: Bool = true) -> [UInt8] {
        var writer = Writer()
        writer.writeSet(of: map { $0.encoded() }, sorted: sorted)
        return writer.bytes
    }
}

extension AttributeRow {
    /// The attribute of this row's type whose value is the text: as an IA5String if the row's kind is
    /// `ascii`, else as a UTF8String. Nil if the text is nil.
    func template(_ text: String?) -> AttributeTemplate? {
        text.map { kind == .ascii ? .ia5String(type, $0) : .utf8String(type, $0) }
    }
    func template(_ number: Int64?) -> AttributeTemplate? { number.map { .integer(type, $0) } }
    func template(_ date: Timestamp?) -> AttributeTemplate? { date.map { .date(type, $0) } }
    func template(_ flag: Bool?) -> AttributeTemplate? { flag.map { .integer(type, $0 ? 1 : 0) } }
}
