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
        // The decoder accepts these as well.
        if let offset = characters.firstIndex(in: range, whereZero: distanceToLenientCharacter) {
            throw Refusal(.notBase64, at: offset, reading: "base64")
        }
        return try Base64.decode(
            characters,
            in: range,
            space: .refused,
            ignoresUnusedBits: true,
            acceleration: acceleration
        )
    }

    /// Zero for a character that only lenient decoding accepts: white space, and the two characters of the
    /// alphabet for URLs (§5). The decoder refuses the other control characters.
    private static func distanceToLenientCharacter(_ character: UInt8) -> UInt8 {
        let space: UInt8 = character > 0x20 ? 1 : 0
        return min(space, min(character ^ UInt8(ascii: "-"), character ^ UInt8(ascii: "_")))
    }
}
