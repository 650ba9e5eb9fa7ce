import DER

/// Base64 as people really send it (RFC 4648 §4, §5, and what befalls it on the way).
enum Base64 {
    /// The bytes that a range of text stands for.
    ///
    /// Carriage returns, line feeds and tabs are passed over, and runs of spaces that touch one; any other space
    /// stands for the plus sign that a form took. `-` and `_` are `+` and `/`. Padding may be missing, but not wrong, and
    /// nothing follows it.
    ///
    /// - Throws: `.notBase64` at the first character that cannot be.
    static func decode(_ text: Span<UInt8>, in range: Range<Int>) throws(Refusal) -> [UInt8] {
        let values = valueTable()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count / 4 * 3 + 3)
        var group: UInt32 = 0
        var count = 0
        var index = range.lowerBound
        /// The end of a run of spaces that are plus signs.
        var endOfPluses = index
        while index < range.upperBound {
            var value = values[Int(text[index])]
            if value >= 64 {
                if value == skipped {
                    index += 1
                    continue
                }
                if value == space && index >= endOfPluses {
                    let end = endOfSpaces(text, index..<range.upperBound)
                    if touchesLineBreak(text, index..<end, in: range) {
                        index = end
                        continue
                    }
                    endOfPluses = end
                }
                if value == padding { break }
                guard value == space else { throw Refusal(.notBase64, at: index, reading: "base64") }
                value = 62
            }
            group = group << 6 | UInt32(value)
            count += 1
            index += 1
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
            case skipped, space: continue
            default: throw Refusal(.notBase64, at: index, reading: "base64 padding")
            }
        }
        guard paddings == 0 || (paddings + count) % 4 == 0 && paddings <= 2 else {
            throw Refusal(.notBase64, at: range.lowerBound, reading: "base64 padding")
        }
    }

    private static func endOfSpaces(_ text: Span<UInt8>, _ range: Range<Int>) -> Int {
        range.first { text[$0] != 0x20 } ?? range.upperBound
    }

    private static func touchesLineBreak(_ text: Span<UInt8>, _ run: Range<Int>, in range: Range<Int>) -> Bool
    {
        run.lowerBound > range.lowerBound && text[run.lowerBound - 1] < 0x20
            || run.upperBound < range.upperBound && text[run.upperBound] < 0x20
    }

    private static let skipped: UInt8 = 64
    private static let space: UInt8 = 65
    private static let padding: UInt8 = 66
    private static let invalid: UInt8 = 67

    /// What each character stands for: a value below 64, or one of the four above.
    private static func valueTable() -> [UInt8] {
        var table = [UInt8](repeating: invalid, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() { table[Int(character)] = UInt8(value) }
        table[Int(UInt8(ascii: "-"))] = 62
        table[Int(UInt8(ascii: "_"))] = 63
        for character in "\r\n\t".utf8 { table[Int(character)] = skipped }
        table[Int(UInt8(ascii: " "))] = space
        table[Int(UInt8(ascii: "="))] = padding
        return table
    }
}
