import DER

/// Base64 as people really send it (RFC 4648 §4, §5, and what befalls it on the way).
enum Base64 {
    /// What a space stands for: nothing, or the plus sign that a form took.
    enum Space {
        case nothing
        case plus
    }

    /// The bytes that a range of text stands for.
    ///
    /// Carriage returns, line feeds and tabs are passed over. `-` and `_` are `+` and `/`. Padding may be
    /// missing, but not wrong, and nothing follows it.
    ///
    /// - Throws: `.notBase64` at the first character that cannot be.
    static func decode(_ text: Span<UInt8>, in range: Range<Int>, space meaning: Space) throws(Refusal)
        -> [UInt8]
    {
        let values = valueTable(space: meaning)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count / 4 * 3 + 3)
        var group: UInt32 = 0
        var count = 0
        var index = range.lowerBound
        while index < range.upperBound {
            let value = values[Int(text[index])]
            if value == padding { break }
            guard value != invalid else { throw Refusal(.notBase64, at: index, reading: "base64") }
            index += 1
            if value == skipped { continue }
            group = group << 6 | UInt32(value)
            count += 1
            if count % 4 == 0 {
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
                group = 0
            }
        }
        try checkPadding(text, index..<range.upperBound, after: count, values)
        // The bits beyond the last byte are zero (§3.5).
        switch count % 4 {
        case 0: break
        case 2 where group & 0xF == 0: bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        case 3 where group & 0x3 == 0:
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        default: throw Refusal(.notBase64, at: index, reading: "base64")
        }
        return bytes
    }

    /// Either none, or as much as fills the last group of four, line breaks aside.
    private static func checkPadding(
        _ text: Span<UInt8>,
        _ range: Range<Int>,
        after count: Int,
        _ values: [UInt8]
    ) throws(Refusal) {
        var paddings = 0
        for index in range {
            switch values[Int(text[index])] {
            case padding: paddings += 1
            case skipped: continue
            case _ where text[index] == UInt8(ascii: " "): continue
            default: throw Refusal(.notBase64, at: index, reading: "base64 padding")
            }
        }
        guard paddings == 0 || (paddings + count) % 4 == 0 && paddings <= 2 else {
            throw Refusal(.notBase64, at: range.lowerBound, reading: "base64 padding")
        }
    }

    private static let skipped: UInt8 = 64
    private static let padding: UInt8 = 65
    private static let invalid: UInt8 = 66

    /// What each character stands for: a value below 64, or one of the three above.
    private static func valueTable(space: Space) -> [UInt8] {
        var table = [UInt8](repeating: invalid, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() { table[Int(character)] = UInt8(value) }
        table[Int(UInt8(ascii: "-"))] = 62
        table[Int(UInt8(ascii: "_"))] = 63
        for character in "\r\n\t".utf8 { table[Int(character)] = skipped }
        table[Int(UInt8(ascii: " "))] = space == .plus ? 62 : skipped
        table[Int(UInt8(ascii: "="))] = padding
        return table
    }
}
