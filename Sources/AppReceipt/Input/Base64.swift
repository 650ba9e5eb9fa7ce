import Basics
import Processor
import SHA

/// Decodes base64 (RFC 4648 §4, §5), with or without padding. Unless the decoding is strict, base64 may be
/// in lines and in either alphabet.
package enum Base64 {
    /// The treatment of a space (0x20) in the text.
    package enum Space {
        /// The space is white space and skipped.
        case nothing
        /// The space is a plus sign that a form replaced. After padding, a space is skipped.
        case plus
        /// The space is refused.
        case refused
    }

    /// Decodes the base64 in a range of text.
    ///
    /// Unless `isStrict`, carriage returns, line feeds and tabs are skipped, and `-` and `_` mean `+` and
    /// `/`. In both modes, padding may be missing, but it may not be wrong. Nothing but white space may
    /// follow it, and nothing at all if `isStrict`.
    ///
    /// - Parameters:
    ///   - range: the range of the base64, which lies inside the text.
    ///   - meaning: the treatment of spaces. It has no effect if `isStrict`, which refuses spaces.
    ///   - isStrict: if true, only the characters of the standard alphabet (§4) and padding are accepted, and
    ///     the bits after the last byte may have any value. If false, these bits must be zero (§3.5).
    /// - Throws: `.notBase64` at a refused character, at wrong padding, or after a last group that has one
    ///   character or, unless `isStrict`, bits after the last byte that are not zero.
    package static func decode(
        _ text: Span<UInt8>,
        in range: Range<Int>,
        space meaning: Space,
        isStrict: Bool = false,
        acceleration: Acceleration
    ) throws(Refusal) -> [UInt8] {
        let table = valueTable(space: meaning, isStrict: isStrict)
        let values = table.borrowedSpan
        var bytes = [UInt8](repeating: 0, count: range.count / 4 * 3 + 3)
        var output = bytes.borrowedMutableSpan
        var byteCount = 0
        var group = Group()
        var index = range.lowerBound
        while true {
            while index < range.upperBound, values[Int(text[index])] == skipped { index += 1 }
            guard index < range.upperBound, values[Int(text[index])] != padding else { break }
            // Most of a text is blocks of 64 characters that all have a value. A group is complete here.
            let rest = index..<range.upperBound
            let blocks = decodeBlocks(text, in: rest, values, &output, after: byteCount, acceleration)
            index += 64 * blocks
            byteCount += 48 * blocks
            // A line end stops the blocks, so they go on at the next line. If not even one block was decoded,
            // there is no new attempt for a while.
            let part = text.extracting(index..<range.upperBound)
            let count = blocks > 0 ? lineLength(part, values) : 1024
            guard count > 0 else { continue }
            index += try decode(part, atLeast: count, values, &group, &output, &byteCount, at: index)
        }
        try checkPadding(text, index..<range.upperBound, after: group.count, table)
        if isStrict { group.clearUnusedBits() }
        byteCount += try finish(group, &output, at: byteCount, end: index)
        bytes.removeLast(bytes.count - byteCount)
        return bytes
    }

    /// The characters of a group of four that are read so far. Four characters give three bytes.
    private struct Group {
        /// Six bits of each character, the last one lowest. Bits of older characters stand above them.
        var bits: UInt32 = 0
        /// The number of characters since the last whole group of four: 0 to 3.
        var count = 0

        /// Clears the bits after the last whole byte: four after two characters, two after three. Does
        /// nothing after one character, which gives no byte.
        mutating func clearUnusedBits() {
            if count == 2 { bits &= ~0xF }
            if count == 3 { bits &= ~0x3 }
        }
    }

    /// Decodes text character by character, up to the padding or the end, or to the end of a group.
    ///
    /// - Parameters:
    ///   - minimum: the number of characters after which the end of a group ends the work.
    ///   - byteCount: the number of bytes that `output` holds.
    ///   - offset: the offset of the text, for the refusal.
    /// - Returns: the number of characters that were decoded or skipped.
    /// - Throws: `.notBase64` at a refused character.
    @inline(never)
    @_lifetime(output: copy output)
    private static func decode(
        _ text: Span<UInt8>,
        atLeast minimum: Int,
        _ values: Span<UInt8>,
        _ group: inout Group,
        _ output: inout MutableSpan<UInt8>,
        _ byteCount: inout Int,
        at offset: Int
    ) throws(Refusal) -> Int {
        for index in 0..<text.count {
            let value = values[Int(text[index])]
            guard value < skipped else {
                // The usual exception comes first: white space.
                if value == skipped { continue }
                if value == padding { return index }
                throw Refusal(.notBase64, at: offset + index, reading: "base64")
            }
            group.bits = group.bits << 6 | UInt32(value)
            group.count = (group.count + 1) & 3
            guard group.count == 0 else { continue }
            output[byteCount] = UInt8(truncatingIfNeeded: group.bits >> 16)
            output[byteCount + 1] = UInt8(truncatingIfNeeded: group.bits >> 8)
            output[byteCount + 2] = UInt8(truncatingIfNeeded: group.bits)
            byteCount += 3
            if index + 1 >= minimum { return index + 1 }
        }
        return text.count
    }

    /// The number of characters before the first that is skipped, or before the end; at most 80.
    private static func lineLength(_ text: Span<UInt8>, _ values: Span<UInt8>) -> Int {
        let limit = min(text.count, 80)
        for index in 0..<limit where values[Int(text[index])] == skipped { return index }
        return limit
    }

    /// Writes the bytes of the last group if it is incomplete. Writes nothing if it is complete.
    ///
    /// - Parameter end: the offset that the refusal has.
    /// - Returns: the number of bytes that were written, 0 to 2.
    /// - Throws: `.notBase64` if the group has one character, or bits beyond the last byte that are not zero
    ///   (RFC 4648 §3.5).
    @inline(__always)
    @_lifetime(output: copy output)
    private static func finish(
        _ group: Group,
        _ output: inout MutableSpan<UInt8>,
        at byteCount: Int,
        end: Int
    ) throws(Refusal) -> Int {
        switch group.count {
        case 0: return 0
        case 2 where group.bits & 0xF == 0:
            output[byteCount] = UInt8(truncatingIfNeeded: group.bits >> 4)
            return 1
        case 3 where group.bits & 0x3 == 0:
            output[byteCount] = UInt8(truncatingIfNeeded: group.bits >> 10)
            output[byteCount + 1] = UInt8(truncatingIfNeeded: group.bits >> 2)
            return 2
        default: throw Refusal(.notBase64, at: end, reading: "base64")
        }
    }

    /// Throws if a character of the range is neither padding nor white space that the table accepts. Throws
    /// if there is padding that does not fill the last group of four, or that has more than two characters.
    ///
    /// - Parameter count: the number of characters of the last group if it is incomplete; 0 otherwise.
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

    /// The value that the table of characters has for a skipped character. The next two constants are its
    /// values for padding and for a refused character. The characters of base64 have values below these.
    private static let skipped: UInt8 = 64
    private static let padding: UInt8 = 65
    private static let invalid: UInt8 = 66

    /// The value of each of 256 characters: below 64, or `skipped`, `padding` or `invalid`.
    ///
    /// The table is made for each text. One that is kept would be memory that a caller's allocator never gets
    /// back.
    private static func valueTable(space: Space, isStrict: Bool) -> [UInt8] {
        let standard = (UInt8(ascii: "+"), UInt8(ascii: "/"))
        let others = isStrict ? standard : (UInt8(ascii: "-"), UInt8(ascii: "_"))
        var table = [UInt8](repeating: invalid, count: 256)
        // The range of the characters of both alphabets.
        for index in 43..<123 {
            table[index] = min(sixBits(UInt8(truncatingIfNeeded: index), others), invalid)
        }
        table[Int(UInt8(ascii: "="))] = padding
        if isStrict { return table }
        for character: Unicode.Scalar in ["\t", "\n", "\r"] {
            table[Int(UInt8(ascii: character))] = skipped
        }
        switch space {
        case .nothing: table[Int(UInt8(ascii: " "))] = skipped
        case .plus: table[Int(UInt8(ascii: " "))] = 62
        case .refused: break
        }
        return table
    }
}
