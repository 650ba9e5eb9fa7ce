import DER

/// A distinguished name to be written (RFC 5280 §4.1.2.4): one attribute in each relative name.
public struct NameTemplate: Sendable, Hashable {
    /// One type and its value. A country is written as PrintableString, as RFC 5280 §A.1 has it, all else
    /// as UTF8String.
    public struct Attribute: Sendable, Hashable {
        /// Such as 2.5.4.3, the common name.
        public var type: ObjectIdentifier
        /// Of any length.
        public var value: String

        /// Any attribute.
        public init(_ type: ObjectIdentifier, _ value: String) {
            self.type = type
            self.value = value
        }
    }

    /// In the order of the encoding; empty for the empty name.
    public var attributes: [Attribute]

    /// Any name.
    public init(_ attributes: [Attribute]) { self.attributes = attributes }

    /// A name in the likeness of Apple's: country, organisation, organisational unit, common name, those
    /// that are given.
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

    /// The Name, in DER.
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
