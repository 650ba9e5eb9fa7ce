import AppReceipt
import Basics
import Processor

/// The bytes of one segment of a token, and where its text begins.
package struct Segment: Sendable {
    /// The decoded bytes.
    let bytes: [UInt8]
    /// The offset of the segment's first character in the token.
    private let start: Int

    /// Decodes base64url without padding (RFC 7515 §2). Only its alphabet is accepted, and bits beyond the
    /// last byte must be zero, so that two texts never stand for the same bytes.
    ///
    /// - Throws: `.notBase64URL`, with an offset in the token.
    init(
        _ token: Span<UInt8>,
        in range: Range<Int>,
        _ reading: StaticString,
        _ acceleration: Acceleration
    ) throws(Refusal) {
        // The decoder accepts more: the standard alphabet, padding and white space.
        let other = token.firstIndex(in: range) {
            min(min($0 ^ UInt8(ascii: "+"), $0 ^ UInt8(ascii: "/")), min($0 ^ UInt8(ascii: "="), $0 & 0xE0))
        }
        if let other {
            let upToOther = range.lowerBound..<(other + 1)
            let first = token.firstIndex(in: upToOther) { isBase64($0, UInt8(ascii: "-"), UInt8(ascii: "_")) }
            throw Refusal(.notBase64URL, at: first ?? other, reading: reading)
        }
        do throws(Refusal) {
            bytes = try Base64.decode(token, in: range, space: .refused, acceleration: acceleration)
        } catch {
            throw Refusal(.notBase64URL, at: error.offset, reading: reading)
        }
        start = range.lowerBound
    }

    /// The offset in the token of the character with the first bits of a decoded byte.
    func offset(of index: Int) -> Int { start + index / 3 * 4 + index % 3 }

    /// A refusal with its offset counted in the token instead of in the decoded bytes.
    func mapped(_ refusal: Refusal) -> Refusal { refusal.moved(to: offset(of: refusal.offset)) }
}

/// Decodes the base64 of a certificate (RFC 7515 §4.1.6): the standard alphabet, exact padding, and
/// bits beyond the last byte that are zero.
///
/// - Returns: nil for any other text.
func certificateBytes(base64 text: ArraySlice<UInt8>, _ acceleration: Acceleration) -> [UInt8]? {
    var characters = text
    while characters.last == UInt8(ascii: "="), text.count - characters.count < 2 { characters.removeLast() }
    let span = text.borrowedSpan
    let other = span.firstIndex(in: 0..<characters.count) {
        isBase64($0, UInt8(ascii: "+"), UInt8(ascii: "/"))
    }
    guard text.count % 4 == 0, other == nil else { return nil }
    return try? Base64.decode(span, in: 0..<span.count, space: .refused, acceleration: acceleration)
}

/// Returns 1 for an ASCII letter, a digit, `plus` or `slash`, and 0 for any other character.
@inline(__always)
private func isBase64(_ character: UInt8, _ plus: UInt8, _ slash: UInt8) -> UInt8 {
    let isLetter = (character | 0x20) &- UInt8(ascii: "a") < 26
    let isDigit = character &- UInt8(ascii: "0") < 10
    return isLetter || isDigit || character == plus || character == slash ? 1 : 0
}
