import DER

/// One attribute of a receipt, or of a purchase in it, to be written.
///
/// ```
/// ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
/// ```
public struct AttributeTemplate: Sendable, Hashable {
    /// Says what the value is: one of Apple's numbers, or any other.
    public var type: Int64
    /// 1 in nearly all attributes; nobody says what it means.
    public var version: Int64
    /// The octets of the value.
    public var value: [UInt8]

    /// Any attribute.
    public init(_ type: Int64, version: Int64 = 1, value: [UInt8]) {
        self.type = type
        self.version = version
        self.value = value
    }

    /// A string in a UTF8String.
    public static func utf8String(_ type: Int64, _ string: String) -> Self {
        Self(type) { $0.writeUTF8String(string) }
    }

    /// A string in an IA5String. The characters are written as UTF-8, which is right for ASCII alone.
    public static func ia5String(_ type: Int64, _ string: String) -> Self {
        Self(type) { $0.writeIA5String(string) }
    }

    /// A number in an INTEGER.
    public static func integer(_ type: Int64, _ value: Int64) -> Self {
        Self(type) { $0.writeInteger(value) }
    }

    /// A date as genuine receipts write it: RFC 3339 in UTC, in an IA5String.
    public static func date(_ type: Int64, _ time: Timestamp) -> Self {
        ia5String(type, time.description)
    }

    private init(_ type: Int64, _ value: (inout Writer) -> Void) {
        var writer = Writer()
        value(&writer)
        self.init(type, value: writer.bytes)
    }

    /// In DER.
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
    /// The SET OF these attributes: a receipt's payload, or the value of a purchase.
    ///
    /// - Parameter sorted: whether the SET is in the order of DER (X.690 §11.6), as Apple's are, or in that
    ///   of the array, as Xcode's are.
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
