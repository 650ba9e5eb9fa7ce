import Bytes

// The three byte layouts that nearly every attribute has, each recognised by comparing whole words.
//
// The initialisers here return nil for every other layout, well-formed or not. The reader in
// AttributeRange.swift decides then. That reader accepts every layout that the initialisers accept, with
// equal results.

extension AttributeRange {
    /// Reads an attribute whose lengths are below 128, whose type has one or two octets, and whose version
    /// has one octet. Returns nil for every other layout.
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

    /// Reads an attribute whose lengths have two octets and whose type and version have one octet each.
    /// Purchases have this layout. Returns nil for every other layout.
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
