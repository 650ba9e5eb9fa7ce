import Basics
import DER

// The byte layouts that nearly every attribute, value and date has, recognised by comparing whole words.
//
// The functions here return nil for every other layout, well-formed or not. The strict readers in
// Attribute.swift, AttributeValues.swift and RFC3339.swift decide then. They accept every layout that these
// functions accept, with equal results.

extension AttributeRange {
    /// Reads an attribute whose lengths are below 128, whose type has one or two octets, whose version has
    /// one octet, and whose type and version are not negative. Returns nil for every other layout, for an
    /// attribute that does not end by `end`, and if `bytes` has fewer than 11 octets from `start` on.
    ///
    /// ```
    /// offset           0   1       2   3   4     5     6   7        8        9       10
    /// type of 2 octets 30  length  02  02  type  type  02  01       version  04      length  value
    /// type of 1 octet  30  length  02  01  type  02    01  version  04       length  value
    /// ```
    ///
    /// The first eight octets are read as one little-endian word. Subtracting the layout's fixed octets
    /// leaves the variable fields. A bit outside of these fields means that a fixed octet differs or that a
    /// field is too large.
    @inlinable @inline(__always)
    init?(plain bytes: Span<UInt8>, at start: Int, before end: Int) {
        let octets = bytes.extracting(start...)
        guard octets.count >= 11 else { return nil }
        let head = octets.word(at: 0)
        let fieldsOfLongType = head &- 0x0102_0000_0202_0030
        let fieldsOfShortType = head &- 0x0001_0200_0102_0030
        let type: Int64
        let version: Int64
        let length: Int
        let valueLength: Int
        if fieldsOfLongType & 0xFFFF_0080_FFFF_80FF == 0, octets[8] < 0x80, octets[9] == 0x04 {
            type = Int64(UInt16(truncatingIfNeeded: fieldsOfLongType >> 32).byteSwapped)
            version = Int64(octets[8])
            length = Int(octets[1])
            valueLength = Int(octets[10])
            // A type below 128 fits one octet, so two octets would not be minimal (X.690 §8.3.2). The other
            // fields take nine octets of the length.
            guard type >= 0x80, length == 9 + valueLength else { return nil }
        } else if fieldsOfShortType & 0x80FF_FF80_FFFF_80FF == 0, octets[8] == 0x04 {
            type = Int64(fieldsOfShortType >> 32 & 0x7F)
            version = Int64(fieldsOfShortType >> 56)
            length = Int(octets[1])
            valueLength = Int(octets[9])
            guard length == 8 + valueLength else { return nil }
        } else {
            return nil
        }
        // The attribute must end at or before the end of the SET.
        let valueEnd = start &+ 2 &+ length
        guard valueEnd <= end else { return nil }
        self.init(type: type, version: version, start: start, value: (valueEnd &- valueLength)..<valueEnd)
    }

    /// Reads an attribute whose lengths have two octets and whose type and version have one octet each and
    /// are not negative. Most purchases have this layout. Returns nil for every other layout, and for an
    /// attribute that does not end by `end`.
    ///
    /// ```
    /// offset  0   1   2       3       4   5   6     7   8   9        10  11  12      13
    ///         30  82  length  length  02  01  type  02  01  version  04  82  length  length  value
    /// ```
    @inline(__always)
    init?(long bytes: Span<UInt8>, at start: Int, before end: Int) {
        let octets = bytes.extracting(start...)
        guard octets.count >= 14 else { return nil }
        let head = octets.word(at: 0) &- 0x0200_0102_0000_8230
        guard head & 0xFF80_FFFF_0000_FFFF == 0, octets[8] == 0x01, octets[9] < 0x80, octets[10] == 0x04,
            octets[11] == 0x82, octets[12] != 0
        else { return nil }
        let length = Int(UInt16(truncatingIfNeeded: head >> 16).byteSwapped)
        let valueLength = Int(octets[12]) << 8 | Int(octets[13])
        // The check of octet 12 makes the inner length at least 256, so the outer length is minimal, too.
        guard length == 10 + valueLength, length <= end - start - 4 else { return nil }
        self.init(
            type: Int64(head >> 48 & 0x7F),
            version: Int64(octets[9]),
            start: start,
            value: (start + 14)..<(start + 14 + valueLength)
        )
    }
}

extension ValueReader {
    /// Whether the value is one element with this tag and a length below 128 that fills the value. Nearly all
    /// values are. A ``Reader`` reads or refuses all others.
    @inline(__always)
    func isPlain(_ tag: Tag) -> Bool {
        octets.count >= 2 && octets[0] == tag.lowOctet && octets[1] < 0x80
            && Int(octets[1]) == octets.count - 2
    }

    /// The INTEGER, if it has one to eight octets and is not negative; nil otherwise. An octet more than the
    /// number needs is not minimal (X.690 §8.3.2), so the number is nil, too.
    @inline(__always)
    var plainNumber: Int64? {
        guard isPlain(.integer), octets.count > 2, octets.count <= 10, octets[2] < 0x80,
            octets.count == 3 || octets[2] != 0 || octets[3] >= 0x80
        else { return nil }
        var number: Int64 = 0
        for index in 2..<octets.count { number = number << 8 | Int64(octets[index]) }
        return number
    }
}

extension Timestamp {
    /// Reads a date in the form `2023-02-22T14:30:15Z`. Nil for another form or a date that does not exist.
    @inline(__always)
    init?(usual text: Span<UInt8>) {
        guard text.count == 20,
            // The patterns are `0000-00-` and `00T00:00`, written from the last character to the first.
            let date = DigitPairs(text.word(at: 0), 0x2D30_302D_3030_3030, 0xFF00_00FF_0000_0000),
            let time = DigitPairs(text.word(at: 8), 0x3030_3A30_3054_3030, 0x0000_FF00_00FF_0000),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "Z")
        else { return nil }
        let (tens, ones) = (text[17] &- UInt8(ascii: "0"), text[18] &- UInt8(ascii: "0"))
        guard tens < 10, ones < 10 else { return nil }
        self.init(
            year: date[0] * 100 + date[2],
            month: date[5],
            day: time[0],
            hour: time[3],
            minute: time[6],
            second: Int(tens * 10 + ones)
        )
    }
}

/// The two-digit numbers in a text of eight characters, with digits and separators at known indices.
///
/// The characters are read as one little-endian word.
private struct DigitPairs {
    /// Byte n, for n from 0 to 6, is ten times the digit at index n plus the digit at index n + 1. Separators
    /// count as zero.
    private let pairs: UInt64

    /// Returns nil unless there is a digit at each index of a digit, and the right separator at each index of
    /// a separator.
    ///
    /// - Parameters:
    ///   - text: the eight characters.
    ///   - pattern: the character `0` for each digit, and the separators.
    ///   - separators: FF in each byte of a separator, 00 in each byte of a digit.
    @inline(__always)
    init?(_ text: UInt64, _ pattern: UInt64, _ separators: UInt64) {
        let digits = text ^ pattern
        // The XOR turns digits into 0 to 9 and matching separators into 0. The addition sets the highest bit
        // of each byte above 9, or above 0 for a separator. A carry into the next byte needs a byte that had
        // its highest bit set before, which the OR finds.
        let room = 0x7676_7676_7676_7676 | 0x7F7F_7F7F_7F7F_7F7F & separators
        guard (digits | (digits &+ room)) & 0x8080_8080_8080_8080 == 0 else { return nil }
        pairs = digits &* 10 &+ digits >> 8
    }

    /// The number that begins at an index from 0 to 6: ten times the digit there plus the next digit. A
    /// separator counts as the digit zero.
    subscript(index: Int) -> Int { Int(truncatingIfNeeded: pairs >> UInt64(8 * index) & 0xFF) }
}
