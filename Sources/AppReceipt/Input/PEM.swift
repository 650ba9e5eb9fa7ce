import Basics

/// A reader of the textual encoding of RFC 7468: blocks of base64 between a BEGIN and an END line.
package enum PEM {
    /// One block, as ranges in the text.
    package struct Block {
        /// The range of the BEGIN line's label. The label of the END line is not compared.
        package let label: Range<Int>
        /// The range of the lines after the BEGIN line, up to the END line. Without an END line, the range
        /// ends at the next block or at the end of the range in which blocks were searched.
        package let body: Range<Int>
        /// The offset of the BEGIN line in the text.
        package let start: Int
        /// Whether the block has an END line before the next BEGIN line.
        package let isClosed: Bool
    }

    /// The first blocks in a range of text, at most `limit`. Text outside of blocks is skipped (§5.2).
    ///
    /// RFC 7468 does not limit a label. Here a line begins or ends a block only if its label and the five
    /// dashes after the label lie in its first 128 bytes.
    package static func blocks(_ text: Span<UInt8>, in range: Range<Int>, limit: Int) -> [Block] {
        var blocks: [Block] = []
        var next = beginning(in: text, range)
        while let start = next, blocks.count < limit, let label = label(of: text, at: start, in: range) {
            let bodyStart = lineEnd(text, from: start, in: range)
            next = beginning(in: text, bodyStart..<range.upperBound)
            let end = line("-----END ", in: text, bodyStart..<(next ?? range.upperBound))
            blocks.append(
                Block(
                    label: label,
                    body: bodyStart..<(end ?? next ?? range.upperBound),
                    start: start,
                    isClosed: end != nil
                )
            )
        }
        return blocks
    }

    /// The offset of the first BEGIN line in a range; nil if there is none. The start of the range counts as
    /// the start of a line.
    package static func beginning(in text: Span<UInt8>, _ range: Range<Int>) -> Int? {
        line("-----BEGIN ", in: text, range)
    }

    /// The offset of the first line that starts with `beginning` and has a label; nil if there is none.
    private static func line(
        _ beginning: StaticString,
        in text: Span<UInt8>,
        _ range: Range<Int>
    ) -> Int? {
        var index = range.lowerBound
        while let dash = text.firstIndex(of: UInt8(ascii: "-"), in: index..<range.upperBound) {
            let isAtStart = dash == range.lowerBound || isLineEnd(text[dash - 1])
            if isAtStart, text.extracting(dash..<range.upperBound).starts(with: beginning),
                label(of: text, at: dash, in: range) != nil
            {
                return dash
            }
            index = dash + 1
        }
        return nil
    }

    /// The range of the label between `-----BEGIN ` or `-----END ` and five dashes on this line. White space
    /// may follow the dashes (§2). Nil if the first 128 bytes of the line have no label.
    private static func label(of text: Span<UInt8>, at start: Int, in range: Range<Int>) -> Range<Int>? {
        var end = start
        // A longer line has no label.
        while end < min(range.upperBound, start + longestLine), !isLineEnd(text[end]) { end += 1 }
        while end > start, text[end - 1] == UInt8(ascii: " ") || text[end - 1] == UInt8(ascii: "\t") {
            end -= 1
        }
        guard let space = text.firstIndex(of: UInt8(ascii: " "), in: start..<end), end - space > 5,
            text.extracting((end - 5)..<end).equals("-----")
        else { return nil }
        return (space + 1)..<(end - 5)
    }

    /// The number of bytes searched for a label's end, so that a text of many dashes takes linear time.
    private static let longestLine = 128

    /// The index after the first CR or LF from `start` on; the end of the range if there is none.
    private static func lineEnd(_ text: Span<UInt8>, from start: Int, in range: Range<Int>) -> Int {
        var index = start
        while index < range.upperBound, !isLineEnd(text[index]) { index += 1 }
        return min(index + 1, range.upperBound)
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
