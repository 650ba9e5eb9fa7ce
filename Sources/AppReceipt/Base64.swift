import DER
import SHA

/// Base64 as people really send it (RFC 4648 §4, §5, and what befalls it on the way).
enum Base64 {
    /// What a space stands for: nothing, the plus sign that a form took, or text that is not plain.
    enum Space {
        case nothing
        case plus
        case refused
    }

    /// The bytes that a range of text stands for.
    ///
    /// Carriage returns, line feeds and tabs are passed over. `-` and `_` are `+` and `/`. Padding may be
    /// missing, but not wrong, and nothing follows it.
    ///
    /// - Throws: `.notBase64` at the first character that cannot be.
    static func decode(
        _ text: Span<UInt8>,
        in range: Range<Int>,
        space meaning: Space,
        acceleration: Acceleration
    ) throws(Refusal) -> [UInt8] {
        let table = valueTable(space: meaning)
        let values = table.span
        var bytes = [UInt8](repeating: 0, count: range.count / 4 * 3 + 3)
        var output = bytes.mutableSpan
        var byteCount = 0
        var group: UInt32 = 0
        /// How many characters of the group were read.
        var pending = 0
        var index = range.lowerBound
        /// Where blocks are looked for next: at the beginning, and again some way behind what ended them,
        /// such as the end of a line.
        var blocksFrom = decodesBlocks(acceleration) ? range.lowerBound : range.upperBound
        while index < range.upperBound {
            // Four characters that all have a value are most of any text.
            if pending == 0, range.upperBound - index >= 4 {
                if index >= blocksFrom {
                    let rest = index..<range.upperBound
                    let blocks = decodeBlocks(text, in: rest, values, &output, after: byteCount, acceleration)
                    index += 64 * blocks
                    byteCount += 48 * blocks
                    blocksFrom = index + 16
                    continue
                }
                let (first, second) = (values[Int(text[index])], values[Int(text[index + 1])])
                let (third, fourth) = (values[Int(text[index + 2])], values[Int(text[index + 3])])
                if first | second | third | fourth < skipped {
                    output[byteCount] = first << 2 | second >> 4
                    output[byteCount + 1] = second << 4 | third >> 2
                    output[byteCount + 2] = third << 6 | fourth
                    byteCount += 3
                    index += 4
                    continue
                }
            }
            let value = values[Int(text[index])]
            if value == padding { break }
            guard value != invalid else { throw Refusal(.notBase64, at: index, reading: "base64") }
            index += 1
            if value == skipped { continue }
            group = group << 6 | UInt32(value)
            pending += 1
            if pending == 4 {
                output[byteCount] = UInt8(truncatingIfNeeded: group >> 16)
                output[byteCount + 1] = UInt8(truncatingIfNeeded: group >> 8)
                output[byteCount + 2] = UInt8(truncatingIfNeeded: group)
                byteCount += 3
                pending = 0
            }
        }
        try checkPadding(text, index..<range.upperBound, after: pending, table)
        // The bits beyond the last byte are zero (§3.5).
        switch pending {
        case 0: break
        case 2 where group & 0xF == 0:
            output[byteCount] = UInt8(truncatingIfNeeded: group >> 4)
            byteCount += 1
        case 3 where group & 0x3 == 0:
            output[byteCount] = UInt8(truncatingIfNeeded: group >> 10)
            output[byteCount + 1] = UInt8(truncatingIfNeeded: group >> 2)
            byteCount += 2
        default: throw Refusal(.notBase64, at: index, reading: "base64")
        }
        bytes.removeLast(bytes.count - byteCount)
        return bytes
    }

    /// Either none, or as much as fills the last group of four, line breaks aside.
    ///
    /// - Parameter count: how many characters that group has.
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
            case let value where value != invalid && text[index] == UInt8(ascii: " "): continue
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
        var table = values
        switch space {
        case .nothing: break
        case .plus: table[Int(UInt8(ascii: " "))] = 62
        case .refused: table[Int(UInt8(ascii: " "))] = invalid
        }
        return table
    }

    /// Sixteen characters in a line: both alphabets of RFC 4648 (§4, §5), and a space that stands for
    /// nothing.
    private static let values: [UInt8] = [
        66, 66, 66, 66, 66, 66, 66, 66, 66, 64, 64, 66, 66, 64, 66, 66,
        66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66,
        64, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 62, 66, 62, 66, 63,
        52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 66, 66, 66, 65, 66, 66,
        66, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
        15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 66, 66, 66, 66, 63,
        66, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
        41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 66, 66, 66, 66, 66,
        66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66,
        66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66,
        66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66,
        66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66,
        66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66,
        66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66,
        66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66,
        66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66, 66,
    ]
}
