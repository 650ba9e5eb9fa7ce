import DER

/// Identifier and length octets in any form that BER allows (X.690 §8.1), whatever follows them.
///
/// The library's reader is for DER and refuses what this shows to people.
struct BERHeader {
    let tag: Tag
    /// The offset of the identifier octet.
    let start: Int
    /// The offset of the first contents octet.
    let contents: Int
    /// How many contents octets the header announces, which may be more than there are; nil if indefinite.
    let length: Int?
    /// Whether the length is in its shortest form, as DER asks.
    let isMinimal: Bool

    /// Reads the header at the start of a range that lies inside the bytes.
    ///
    /// - Throws: `.truncated`, `.nonMinimalTag`, `.tagNumberTooLarge`, `.lengthTooLarge`,
    ///   `.indefiniteLength`.
    init(_ bytes: Span<UInt8>, in range: Range<Int>) throws(Refusal) {
        start = range.lowerBound
        var offset = start
        tag = try Self.tag(bytes, &offset, range.upperBound)
        guard offset < range.upperBound else { throw Refusal(.truncated, at: offset, reading: "length") }
        let initial = bytes[offset]
        let lengthStart = offset
        offset += 1
        if initial == 0x80 {
            guard tag.isConstructed else {
                throw Refusal(.indefiniteLength, at: lengthStart, reading: "primitive element")
            }
            (contents, length, isMinimal) = (offset, nil, false)
            return
        }
        guard initial > 0x80 else {
            (contents, length, isMinimal) = (offset, Int(initial), true)
            return
        }
        let count = Int(initial & 0x7F)
        guard count <= range.upperBound - offset else {
            throw Refusal(.truncated, at: range.upperBound, reading: "length")
        }
        var value: UInt32 = 0
        for index in offset..<(offset + count) {
            guard value >> 24 == 0, initial != 0xFF else {
                throw Refusal(.lengthTooLarge, at: lengthStart, reading: "length")
            }
            value = value << 8 | UInt32(bytes[index])
        }
        guard let length = Int(exactly: value) else {
            throw Refusal(.lengthTooLarge, at: lengthStart, reading: "length")
        }
        isMinimal = bytes[offset] != 0 && value >= 0x80
        contents = offset + count
        self.length = length
    }

    private static func tag(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int) throws(Refusal) -> Tag {
        guard offset < end else { throw Refusal(.truncated, at: offset, reading: "tag") }
        let start = offset
        let leading = bytes[offset]
        offset += 1
        let tagClass = Tag.Class(rawValue: leading & 0xC0) ?? .universal
        let isConstructed = leading & 0x20 != 0
        guard leading & 0x1F == 0x1F else {
            return Tag(tagClass, UInt32(leading & 0x1F), constructed: isConstructed)
        }
        var number: UInt32 = 0
        while true {
            guard offset < end else { throw Refusal(.truncated, at: offset, reading: "tag") }
            let octet = bytes[offset]
            guard octet != 0x80 || number != 0 else {
                throw Refusal(.nonMinimalTag, at: start, reading: "tag")
            }
            guard number >> 25 == 0 else { throw Refusal(.tagNumberTooLarge, at: start, reading: "tag") }
            number = number << 7 | UInt32(octet & 0x7F)
            offset += 1
            if octet & 0x80 == 0 { break }
        }
        guard number >= 31 else { throw Refusal(.nonMinimalTag, at: start, reading: "tag") }
        return Tag(tagClass, number, constructed: isConstructed)
    }
}

extension Tag {
    /// The standard's name of a universal type, `[0]` and the like for others (X.680 §8.4).
    var name: String {
        switch tagClass {
        case .universal: universalName
        case .application: "[APPLICATION \(number)]"
        case .contextSpecific: "[\(number)]"
        case .private: "[PRIVATE \(number)]"
        }
    }

    private var universalName: String {
        switch number {
        case 1: "BOOLEAN"
        case 2: "INTEGER"
        case 3: "BIT STRING"
        case 4: "OCTET STRING"
        case 5: "NULL"
        case 6: "OBJECT IDENTIFIER"
        case 10: "ENUMERATED"
        case 12: "UTF8String"
        case 16: "SEQUENCE"
        case 17: "SET"
        case 18: "NumericString"
        case 19: "PrintableString"
        case 20: "TeletexString"
        case 22: "IA5String"
        case 23: "UTCTime"
        case 24: "GeneralizedTime"
        case 26: "VisibleString"
        case 28: "UniversalString"
        case 30: "BMPString"
        default: "[UNIVERSAL \(number)]"
        }
    }
}
