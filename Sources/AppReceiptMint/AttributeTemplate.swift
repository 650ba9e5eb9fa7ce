import DER

/// An attribute to write into a receipt, or into a purchase of a receipt.
///
/// ```
/// ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
/// ```
public struct AttributeTemplate: Sendable, Hashable {
    /// The number that tells what the value means: one of Apple's numbers, or any other.
    public var type: Int64
    /// The version, which is 1 in nearly all attributes. Apple does not document its meaning.
    public var version: Int64
    /// The octets of the value.
    public var value: [UInt8]

    /// Makes an attribute of any type and value.
    public init(_ type: Int64, version: Int64 = 1, value: [UInt8]) {
        self.type = type
        self.version = version
        self.value = value
    }

    /// Makes an attribute whose value is a UTF8String.
    public static func utf8String(_ type: Int64, _ string: String) -> Self {
        Self(type) { $0.writeUTF8String(string) }
    }

    /// Makes an attribute whose value is an IA5String. The string must be ASCII to give a valid IA5String,
    /// because its characters are written as UTF-8.
    public static func ia5String(_ type: Int64, _ string: String) -> Self {
        Self(type) { $0.writeIA5String(string) }
    }

    /// Makes an attribute whose value is an INTEGER.
    public static func integer(_ type: Int64, _ value: Int64) -> Self {
        Self(type) { $0.writeInteger(value) }
    }

    /// Makes an attribute whose value is a date as in genuine receipts: RFC 3339 in UTC, in an IA5String.
    public static func date(_ type: Int64, _ time: Timestamp) -> Self {
        ia5String(type, time.description)
    }

    private init(_ type: Int64, _ value: (inout Writer) -> Void) {
        var writer = Writer()
        value(&writer)
        self.init(type, value: writer.bytes)
    }

    /// The encoding, in DER.
    public func encoded() -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { writer in
            writer.writeInteger(type)
            writer.writeInteger(version)
            writer.writeOctetString(value)
        }
        return writer.bytes
    }
}

extension [AttributeTemplate] {
    /// Encodes a SET OF these attributes: a receipt's payload, or the value of a purchase.
    ///
    /// - Parameter sorted: true for the order of DER (X.690 §11.6), as in Apple's receipts; false for the
    ///   order of the array, as in Xcode's receipts.
    public func encodedSet(sorted: Bool = true) -> [UInt8] {
        var writer = Writer()
        if sorted {
            writer.writeSet(of: map { $0.encoded() })
        } else {
            writer.nest(.set) { set in
                for attribute in self { set.writeEncoded(attribute.encoded()) }
            }
        }
        return writer.bytes
    }

    mutating func append(_ type: Int64, utf8String value: String?) {
        if let value { append(.utf8String(type, value)) }
    }
    mutating func append(_ type: Int64, ia5String value: String?) {
        if let value { append(.ia5String(type, value)) }
    }
    mutating func append(_ type: Int64, integer value: Int64?) {
        if let value { append(.integer(type, value)) }
    }
    mutating func append(_ type: Int64, date value: Timestamp?) {
        if let value { append(.date(type, value)) }
    }
    mutating func append(_ type: Int64, flag value: Bool?) {
        if let value { append(.integer(type, value ? 1 : 0)) }
    }
}
