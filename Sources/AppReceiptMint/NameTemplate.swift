import DER

/// A distinguished name to write (RFC 5280 §4.1.2.4). Each relative distinguished name has one attribute.
public struct NameTemplate: Sendable, Hashable {
    /// One attribute of a name: its type and its value.
    ///
    /// A country is written as PrintableString, as RFC 5280 §A.1 requires; every other value as UTF8String.
    public struct Attribute: Sendable, Hashable {
        /// The attribute's type, such as 2.5.4.3 for the common name.
        public var type: ObjectIdentifier
        /// The attribute's value, of any length.
        public var value: String

        /// Makes an attribute of any type.
        public init(_ type: ObjectIdentifier, _ value: String) {
            self.type = type
            self.value = value
        }
    }

    /// The attributes in the order of the encoding. If there are none, the name is empty.
    public var attributes: [Attribute]

    /// Makes a name of any attributes.
    public init(_ attributes: [Attribute]) { self.attributes = attributes }

    /// Makes a name with the attributes of Apple's names, in Apple's order: country, organisation,
    /// organisational unit, common name. An attribute that is nil is left out.
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

    /// The encoded Name, in DER.
    public func encoded() -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { name in
            for attribute in attributes {
                name.nest(.set) { relative in
                    relative.nest(.sequence) { pair in
                        let isCountry = attribute.type == ObjectIdentifier(2, 5, 4, 6)
                        pair.writeObjectIdentifier(attribute.type)
                        pair.write(isCountry ? .printableString : .utf8String, [UInt8](attribute.value.utf8))
                    }
                }
            }
        }
        return writer.bytes
    }
}
