import Basics

/// The identifier and length octets of one element, in any form that BER allows (X.690 §8.1.2, §8.1.3),
/// with a tag number and a length of at most 32 bits.
///
/// ``Reader`` is for DER and refuses indefinite and padded lengths. This type accepts both.
package struct BERHeader: Sendable {
    /// The element's tag: its class, form and number.
    package let tag: Tag
    /// The offset, from the start of the buffer, of the first identifier octet.
    package let start: Int
    /// The offset, from the start of the buffer, of the first contents octet.
    package let contents: Int
    /// The offset in the buffer after the last contents octet; nil if the length is indefinite (§8.1.3.6).
    ///
    /// It may lie beyond the buffer's end: only the header is read. An end that exceeds `Int.max`, as an
    /// `Int` of 32 bits allows, becomes `Int.max`.
    package let end: Int?
    /// Whether the length is definite and in its shortest form, which DER requires (§10.1).
    package let isMinimal: Bool

    /// The number of octets from ``contents`` to ``end``; nil if the length is indefinite.
    package var length: Int? { end.map { $0 - contents } }

    /// Reads the header at the start of a range.
    ///
    /// Precondition: the range lies inside the bytes.
    ///
    /// The tag may be UNIVERSAL 0, which is reserved for end-of-contents octets (§8.1.5).
    ///
    /// - Throws: `.truncated` if the range ends inside the header; `.nonMinimalTag`, `.tagNumberTooLarge`;
    ///   `.indefiniteLength` for a primitive element (§8.1.3.2); `.lengthTooLarge` for a length of more than
    ///   32 bits, or with the initial octet FF, which is reserved (§8.1.3.5 c). Offsets count from the start
    ///   of the bytes.
    package init(_ bytes: Span<UInt8>, in range: Range<Int>) throws(Refusal) {
        start = range.lowerBound
        let lengthStart: Int
        (tag, lengthStart) = try Self.readTag(bytes, range)
        guard lengthStart < range.upperBound else {
            throw Refusal(.truncated, at: lengthStart, reading: "BER length")
        }
        let initial = bytes[lengthStart]
        let afterInitial = lengthStart + 1
        guard initial != 0x80 else {
            guard tag.isConstructed else {
                throw Refusal(.indefiniteLength, at: lengthStart, reading: "primitive BER element")
            }
            (contents, end, isMinimal) = (afterInitial, nil, false)
            return
        }
        var length = UInt32(initial)
        var count = 0
        if initial > 0x80 {
            count = Int(initial & 0x7F)
            guard count <= range.upperBound - afterInitial else {
                throw Refusal(.truncated, at: range.upperBound, reading: "BER length")
            }
            length = 0
            for index in afterInitial..<(afterInitial + count) {
                guard length >> 24 == 0, initial != 0xFF else {
                    throw Refusal(.lengthTooLarge, at: lengthStart, reading: "BER length")
                }
                length = length << 8 | UInt32(bytes[index])
            }
        }
        contents = afterInitial + count
        isMinimal = count == 0 || bytes[afterInitial] != 0 && length >= 0x80
        end = contents + min(Int(clamping: length), Int.max - contents)
    }

    /// Reads identifier octets at a range's start. Returns the tag and the offset of the octet after them.
    private static func readTag(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(Refusal) -> (Tag, Int) {
        var reader = Reader(bytes, in: range)
        guard !reader.isAtEnd else { throw Refusal(.truncated, at: reader.offset, reading: "BER encoding") }
        let leading = bytes[reader.offset]
        if leading & 0x1F == 0x1F { return (try reader.readHighTag("BER encoding"), reader.offset) }
        return (Tag(leadingBits: leading, number: UInt32(leading & 0x1F)), reader.offset + 1)
    }
}
