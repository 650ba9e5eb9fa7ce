import DER

/// A distinguished name to write (RFC 5280 §4.1.2.4). Each relative distinguished name has one attribute.
public struct NameTemplate: Sendable, Hashable {
    /// One attribute of a name: its type and its value.
    public struct Attribute: Sendable, Hashable {
        /// The attribute's type, such as 2.5.4.3 for the common name.
        public var type: ObjectIdentifier
        /// The attribute's value, of any length, before it is encoded as ``stringType``.
        public var value: String
        /// The string type of the value: `.utf8String`, `.printableString`, `.teletexString`, `.bmpString` or
        /// any other. A BMPString has two octets for each UTF-16 code unit (X.690 §8.23.8); the characters of
        /// any other string are written as UTF-8. Nil stands for PrintableString for a country, as RFC 5280
        /// §A.1 requires, and for UTF8String for every other value.
        public var stringType: Tag?

        /// Makes an attribute. Its string type is PrintableString for a country, otherwise UTF8String.
        public init(_ type: ObjectIdentifier, _ value: String) {
            self.type = type
            self.value = value
        }
    }

    /// The attributes in the order of the encoding. If there are none, the name is empty.
    public var attributes: [Attribute]

    /// Makes a name from any attributes, in the order of the encoding. It is empty if there are none.
    public init(_ attributes: [Attribute]) { self.attributes = attributes }

    /// Makes a name with the attributes of Apple's names, in the order of the name of Apple Root CA: country,
    /// organisation, organisational unit, common name. An attribute that is nil is left out.
    public init(
        commonName: String,
        organizationalUnit: String? = nil,
        organization: String? = nil,
        country: String? = nil
    ) {
        attributes = []
        if let country { attributes.append(Attribute(ObjectIdentifier(2, 5, 4, 6), country)) }
        if let organization { attributes.append(Attribute(ObjectIdentifier(2, 5, 4, 10), organization)) }
        if let organizationalUnit {
            attributes.append(Attribute(ObjectIdentifier(2, 5, 4, 11), organizationalUnit))
        }
        attributes.append(Attribute(ObjectIdentifier(2, 5, 4, 3), commonName))
    }

    /// The encoded Name: a SEQUENCE with one SET for each attribute.
    public func encoded() -> [UInt8] {
        Writer.sequence { name in
            for attribute in attributes {
                name.nest(.set) { relative in
                    relative.nest(.sequence) { pair in
                        pair.writeObjectIdentifier(attribute.type)
                        pair.write(attribute.statedStringType, attribute.octets)
                    }
                }
            }
        }
    }
}

extension NameTemplate.Attribute {
    fileprivate var statedStringType: Tag {
        stringType ?? (type == ObjectIdentifier(2, 5, 4, 6) ? .printableString : .utf8String)
    }

    /// The contents octets of the value: UTF-16, most significant octet first, in a BMPString, else UTF-8.
    fileprivate var octets: [UInt8] {
        guard stringType == .bmpString else { return [UInt8](value.utf8) }
        return value.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }
}
