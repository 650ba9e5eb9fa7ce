import Bytes
import DER
import Processor

extension ReceiptInput {
    /// Decodes base64 as Apple's endpoint requires it: characters of the standard alphabet (RFC 4648 §4) and
    /// the exact padding, without white space.
    ///
    /// The bits beyond the last byte may have any value, because Apple's endpoint ignores them. The decoded
    /// bytes are not examined.
    ///
    /// - Throws: `.notBase64` at the first character that is refused, or at the end of a text whose length is
    ///   not a multiple of four. Offsets count from the start of the slice.
    package static func decodeStrictBase64(
        _ text: ArraySlice<UInt8>,
        acceleration: Acceleration = .none
    ) throws(Refusal) -> [UInt8] {
        let characters = text.borrowedSpan
        let range = 0..<characters.count
        guard range.count % 4 == 0 else {
            throw Refusal(.notBase64, at: range.upperBound, reading: "base64 padding")
        }
        let bytes = try Base64.decode(
            characters,
            in: range,
            space: .refused,
            ignoresUnusedBits: true,
            acceleration: acceleration
        )
        // The decoder skips white space, so that there are too few bytes, and accepts the alphabet for URLs.
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        if bytes.count != range.count / 4 * 3 - padding
            || characters.firstIndex(in: range, whereZero: distanceToURLCharacter) != nil
        {
            let offset = characters.firstIndex(in: range, whereZero: distanceToLenientCharacter)
            throw Refusal(.notBase64, at: offset ?? range.upperBound, reading: "base64")
        }
        return bytes
    }

    private static func distanceToURLCharacter(_ character: UInt8) -> UInt8 {
        min(character ^ UInt8(ascii: "-"), character ^ UInt8(ascii: "_"))
    }

    /// Zero for a character that only lenient decoding accepts: white space, and the two characters of the
    /// alphabet for URLs (§5). The decoder refuses the other control characters.
    private static func distanceToLenientCharacter(_ character: UInt8) -> UInt8 {
        let space: UInt8 = character > 0x20 ? 1 : 0
        return min(space, min(character ^ UInt8(ascii: "-"), character ^ UInt8(ascii: "_")))
    }
}
