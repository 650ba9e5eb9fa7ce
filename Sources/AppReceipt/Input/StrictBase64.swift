import Basics
import Processor

extension ReceiptInput {
    /// Decodes base64 as Apple's endpoint requires it: characters of the standard alphabet (RFC 4648 §4) and
    /// the exact padding, without white space.
    ///
    /// The bits beyond the last byte may have any value, because Apple's endpoint ignores them. The decoded
    /// bytes are not examined.
    ///
    /// - Throws: `.notBase64` at the end of a text whose length is not a multiple of four. In other text, at
    ///   the first character that is refused, or at wrong padding. Offsets count from the start of the slice.
    package static func decodeStrictBase64(
        _ text: ArraySlice<UInt8>,
        acceleration: Acceleration = .none
    ) throws(Refusal) -> [UInt8] {
        let characters = text.borrowedSpan
        let range = 0..<characters.count
        guard range.count % 4 == 0 else {
            throw Refusal(.notBase64, at: range.upperBound, reading: "base64 padding")
        }
        return try Base64.decode(
            characters,
            in: range,
            space: .refused,
            isStrict: true,
            acceleration: acceleration
        )
    }
}
