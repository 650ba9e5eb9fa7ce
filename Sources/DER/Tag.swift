/// The identifier octets of an element: class, form and number (X.690 §8.1.2).
public struct Tag: Sendable, Hashable {
    /// The class of a tag: the raw value is bits 8 and 7 of the leading identifier octet, in place (X.690
    /// §8.1.2.2).
    @usableFromInline package enum Class: UInt8, Sendable {
        /// A type that ASN.1 itself defines, such as INTEGER (X.680 §8.4).
        case universal = 0x00
        /// A type that one application defines.
        case application = 0x40
        /// A tag whose meaning depends on the type around it, such as `[0]`.
        case contextSpecific = 0x80
        /// A type that one organisation defines.
        case `private` = 0xC0
    }

    /// The tag number, shifted left by eight bits, and below it the class and form bits of the leading octet.
    /// Two tags are equal if these words are equal.
    @usableFromInline let packed: UInt64

    /// Creates a tag of any class and number, primitive by default (X.690 §8.1.2.5).
    @inlinable
    package init(_ tagClass: Class, _ number: UInt32, constructed: Bool = false) {
        packed = UInt64(number) << 8 | UInt64(tagClass.rawValue) | (constructed ? 0x20 : 0)
    }

    /// Creates a tag from a number and bits 8 to 6 of a leading identifier octet, which are class and form.
    @inlinable
    init(leadingBits: UInt8, number: UInt32) {
        packed = UInt64(number) << 8 | UInt64(leadingBits & 0xE0)
    }

    /// The class: bits 8 and 7 of the leading identifier octet (X.690 §8.1.2.2).
    package var tagClass: Class {
        switch packed & 0xC0 {
        case 0x00: .universal
        case 0x40: .application
        case 0x80: .contextSpecific
        default: .private
        }
    }
    /// Whether the contents are elements: bit 6 of the leading identifier octet (X.690 §8.1.2.5).
    @inlinable package var isConstructed: Bool { packed & 0x20 != 0 }
    /// The tag number, which an encoding writes in one of two forms (X.690 §8.1.2.2, §8.1.2.4).
    @inlinable package var number: UInt32 { UInt32(truncatingIfNeeded: packed >> 8) }

    /// The single identifier octet of a tag whose number is below 31. Meaningless for other tags.
    @inlinable package var lowOctet: UInt8 {
        UInt8(truncatingIfNeeded: packed) | UInt8(truncatingIfNeeded: packed >> 8)
    }
    /// Whether the number is below 31, so that the tag has one identifier octet (X.690 §8.1.2.2).
    @inlinable var isLow: Bool { packed >> 8 < 31 }

    /// Whether DER allows this form, primitive or constructed, for this tag.
    ///
    /// Among the universal types below 31, EXTERNAL, EMBEDDED PDV, SEQUENCE, SET and CHARACTER STRING are
    /// constructed, and all others are primitive (X.690 §8, §10.2). Any other tag may have either form.
    var hasDERForm: Bool {
        guard tagClass == .universal, number < 31 else { return true }
        return isConstructed == [8, 11, 16, 17, 29].contains(number)
    }
}

extension Tag {
    /// BOOLEAN (X.690 §8.2).
    @inlinable package static var boolean: Tag { Tag(.universal, 1) }
    /// INTEGER (X.690 §8.3).
    @inlinable public static var integer: Tag { Tag(.universal, 2) }
    /// BIT STRING, which is primitive in DER (X.690 §8.6, §10.2).
    @inlinable public static var bitString: Tag { Tag(.universal, 3) }
    /// OCTET STRING, which is primitive in DER (X.690 §8.7, §10.2).
    @inlinable public static var octetString: Tag { Tag(.universal, 4) }
    /// NULL (X.690 §8.8).
    @inlinable package static var null: Tag { Tag(.universal, 5) }
    /// OBJECT IDENTIFIER (X.690 §8.19).
    @inlinable public static var objectIdentifier: Tag { Tag(.universal, 6) }
    /// ENUMERATED (X.690 §8.4).
    @inlinable package static var enumerated: Tag { Tag(.universal, 10) }
    /// UTF8String (X.690 §8.23).
    @inlinable package static var utf8String: Tag { Tag(.universal, 12) }
    /// SEQUENCE and SEQUENCE OF (X.690 §8.9, §8.10).
    @inlinable public static var sequence: Tag { Tag(.universal, 16, constructed: true) }
    /// SET and SET OF (X.690 §8.11, §8.12).
    @inlinable public static var set: Tag { Tag(.universal, 17, constructed: true) }
    /// PrintableString (X.690 §8.23).
    @inlinable package static var printableString: Tag { Tag(.universal, 19) }
    /// IA5String (X.690 §8.23).
    @inlinable package static var ia5String: Tag { Tag(.universal, 22) }
    /// UTCTime (X.690 §11.8).
    @inlinable package static var utcTime: Tag { Tag(.universal, 23) }
    /// GeneralizedTime (X.690 §11.7).
    @inlinable package static var generalizedTime: Tag { Tag(.universal, 24) }

    /// A constructed context-specific tag: `[number]` with EXPLICIT, or with IMPLICIT around a constructed
    /// type (X.690 §8.14).
    @inlinable
    public static func constructed(_ number: UInt32) -> Tag {
        Tag(.contextSpecific, number, constructed: true)
    }
    /// A primitive context-specific tag: `[number]` with IMPLICIT around a primitive type (X.690 §8.14).
    @inlinable public static func primitive(_ number: UInt32) -> Tag { Tag(.contextSpecific, number) }
}
