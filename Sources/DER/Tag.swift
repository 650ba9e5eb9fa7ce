/// The identifier octets of an element: class, form and number (X.690 §8.1.2).
public struct Tag: Sendable, Hashable {
    public enum Class: UInt8, Sendable {
        case universal = 0x00
        case application = 0x40
        case contextSpecific = 0x80
        case `private` = 0xC0
    }

    /// The number above eight bits of class and form, so that equality is one comparison.
    @usableFromInline let packed: UInt64

    @inlinable
    public init(_ tagClass: Class, _ number: UInt32, constructed: Bool = false) {
        packed = UInt64(number) << 8 | UInt64(tagClass.rawValue) | (constructed ? 0x20 : 0)
    }

    /// From the class and form bits of a leading octet, and a number.
    @inlinable
    init(leadingBits: UInt8, number: UInt32) {
        packed = UInt64(number) << 8 | UInt64(leadingBits & 0xE0)
    }

    public var tagClass: Class {
        switch packed & 0xC0 {
        case 0x00: .universal
        case 0x40: .application
        case 0x80: .contextSpecific
        default: .private
        }
    }
    @inlinable public var isConstructed: Bool { packed & 0x20 != 0 }
    @inlinable public var number: UInt32 { UInt32(truncatingIfNeeded: packed >> 8) }

    /// The single identifier octet of a tag whose number is below 31; meaningless for others.
    @inlinable var lowOctet: UInt8 {
        UInt8(truncatingIfNeeded: packed) | UInt8(truncatingIfNeeded: packed >> 8)
    }
    @inlinable var isLow: Bool { packed >> 8 < 31 }

    /// Whether DER allows this form. Of the universal types below 31, EXTERNAL, EMBEDDED PDV, SEQUENCE, SET
    /// and CHARACTER STRING are constructed, all others primitive (X.690 §8, §10.2); elsewhere either may be
    /// right.
    var hasItsForm: Bool {
        guard tagClass == .universal, number < 31 else { return true }
        return isConstructed == [8, 11, 16, 17, 29].contains(number)
    }
}

extension Tag {
    @inlinable public static var boolean: Tag { Tag(.universal, 1) }
    @inlinable public static var integer: Tag { Tag(.universal, 2) }
    @inlinable public static var bitString: Tag { Tag(.universal, 3) }
    @inlinable public static var octetString: Tag { Tag(.universal, 4) }
    @inlinable public static var null: Tag { Tag(.universal, 5) }
    @inlinable public static var objectIdentifier: Tag { Tag(.universal, 6) }
    @inlinable public static var enumerated: Tag { Tag(.universal, 10) }
    @inlinable public static var utf8String: Tag { Tag(.universal, 12) }
    @inlinable public static var sequence: Tag { Tag(.universal, 16, constructed: true) }
    @inlinable public static var set: Tag { Tag(.universal, 17, constructed: true) }
    @inlinable public static var printableString: Tag { Tag(.universal, 19) }
    @inlinable public static var teletexString: Tag { Tag(.universal, 20) }
    @inlinable public static var ia5String: Tag { Tag(.universal, 22) }
    @inlinable public static var utcTime: Tag { Tag(.universal, 23) }
    @inlinable public static var generalizedTime: Tag { Tag(.universal, 24) }
    @inlinable public static var bmpString: Tag { Tag(.universal, 30) }

    /// `[number]` of a module with explicit tags, or of a constructed type with implicit ones.
    @inlinable
    public static func constructed(_ number: UInt32) -> Tag {
        Tag(.contextSpecific, number, constructed: true)
    }
    /// `[number]` of a primitive type with implicit tags.
    @inlinable public static func primitive(_ number: UInt32) -> Tag { Tag(.contextSpecific, number) }
}
