import Bytes
import DER
import Processor
import SHA

/// Turns a receipt as people send it into the bytes of its container.
public enum ReceiptInput {
    /// Decodes the container of a receipt. DER and BER are returned as they are; base64 text is decoded.
    ///
    /// The text may have line breaks and white space, either alphabet of RFC 4648, and padding or none.
    /// Spaces may stand for the plus signs that a form replaced. Base64 inside base64, a JWS and an iOS 6
    /// transaction receipt are each refused with a code of their own; the module `TransactionReceipt`
    /// validates the latter. Nothing is validated.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of a container or of its text.
    ///   - limits: `inputBytes` bounds text, which may have twice as many characters. A container is returned
    ///     whatever its size; the validator applies the limit.
    ///   - acceleration: the instruction sets that may decode base64. They change no result.
    /// - Throws: `ReceiptError` of the step `input`. Offsets count from the start of `bytes`.
    public static func decode(
        _ bytes: [UInt8],
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) throws(ReceiptError) -> [UInt8] {
        // Returning the array itself avoids a copy.
        if bytes.first == sequence { return bytes }
        return try decode(bytes[...], limits: limits, acceleration: acceleration)
    }

    /// Decodes the container of a receipt that is part of a buffer. Text is not copied before it is decoded.
    ///
    /// The other overload of `decode` describes what is accepted. Offsets count from the start of the part.
    public static func decode(
        _ bytes: ArraySlice<UInt8>,
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) throws(ReceiptError) -> [UInt8] {
        do throws(Refusal) {
            return try decoded(bytes, limits, acceleration)
        } catch {
            throw ReceiptError(.input, error)
        }
    }

    private static func decoded(
        _ bytes: ArraySlice<UInt8>,
        _ limits: Limits,
        _ acceleration: Acceleration
    ) throws(Refusal) -> [UInt8] {
        // The octet of a SEQUENCE is the character "0". The base64 of a SEQUENCE begins with "M", so the two
        // cannot be confused.
        if bytes.first == sequence { return Array(bytes) }
        let text = trimmed(bytes.borrowedSpan)
        if let plain = decodePlain(bytes, text, limits, acceleration) { return plain }
        guard !text.isEmpty else { throw Refusal(.emptyInput, at: 0, reading: "receipt") }
        try refuseOtherFormats(bytes.borrowedSpan, text, at: text.lowerBound)
        // Base64 has four characters for every three bytes. The limit leaves half as many again for line
        // breaks, padding, and white space around the text.
        guard bytes.count / 2 <= limits.inputBytes else {
            throw Refusal(.inputTooLarge, at: 0, reading: "receipt")
        }
        let container = try decodedBase64(bytes.borrowedSpan, text, acceleration)
        guard container.first == sequence else {
            let inner = trimmed(container.borrowedSpan)
            try refuseOtherFormats(container.borrowedSpan, inner, at: text.lowerBound)
            // The header of a JWS, which is JSON.
            if bytes.borrowedSpan.extracting(text).starts(with: "eyJ") {
                throw Refusal(.jsonWebSignature, at: text.lowerBound, reading: "receipt")
            }
            if (try? decodedBase64(container.borrowedSpan, inner, acceleration))?.first == sequence {
                throw Refusal(.base64Twice, at: text.lowerBound, reading: "receipt")
            }
            throw Refusal(.notBase64, at: text.lowerBound, reading: "receipt")
        }
        return container
    }

    /// Decodes base64 without spaces, which nearly all text is. Returns nil for anything else; call `decode`
    /// then.
    ///
    /// The result equals the result of `decode`. Readers of many receipts call this function for text that
    /// lies in one buffer with other receipts.
    package static func decodePlain(
        _ bytes: ArraySlice<UInt8>,
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) -> [UInt8]? {
        decodePlain(bytes, trimmed(bytes.borrowedSpan), limits, acceleration)
    }

    private static func decodePlain(
        _ bytes: ArraySlice<UInt8>,
        _ text: Range<Int>,
        _ limits: Limits,
        _ acceleration: Acceleration
    ) -> [UInt8]? {
        // The base64 of a SEQUENCE begins with "M". A space after the text may be a plus sign.
        guard bytes.dropFirst(text.lowerBound).first == UInt8(ascii: "M"),
            bytes.borrowedSpan.firstIndex(of: UInt8(ascii: " "), in: text.upperBound..<bytes.count) == nil,
            bytes.count / 2 <= limits.inputBytes,
            let container = try? Base64.decode(
                bytes.borrowedSpan,
                in: text,
                space: .refused,
                acceleration: acceleration
            ), container.first == sequence
        else { return nil }
        return container
    }

    /// The identifier octet of a SEQUENCE.
    package static let sequence: UInt8 = 0x30

    /// Whether bytes in the place of a container begin like base64, JSON or other text.
    static func looksLikeText(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first != sequence else { return false }
        return bytes.prefix(64).allSatisfy { (0x09...0x0D).contains($0) || (0x20...0x7E).contains($0) }
    }

    /// Decodes text in which a space may be a plus sign that a form replaced, also at the end, or white
    /// space.
    ///
    /// The text alone does not tell the two apart. The reading with plus signs counts if it gives a container
    /// that is as long as its header says.
    private static func decodedBase64(
        _ bytes: Span<UInt8>,
        _ text: Range<Int>,
        _ acceleration: Acceleration
    ) throws(Refusal) -> [UInt8] {
        if bytes.firstIndex(of: UInt8(ascii: " "), in: text.lowerBound..<bytes.count) != nil {
            for end in [bytes.count, text.upperBound] {
                let part = text.lowerBound..<end
                if let container = try? Base64.decode(
                    bytes,
                    in: part,
                    space: .plus,
                    acceleration: acceleration
                ),
                    isWhole(container)
                {
                    return container
                }
            }
        }
        return try Base64.decode(bytes, in: text, space: .nothing, acceleration: acceleration)
    }

    /// Whether a container is as long as its header says, or has an indefinite length and ends with the
    /// end-of-contents octets.
    private static func isWhole(_ container: [UInt8]) -> Bool {
        let bytes = container.borrowedSpan
        if bytes.count >= 2, bytes[0] == sequence, bytes[1] == 0x80 {
            return bytes[bytes.count - 2] == 0 && bytes[bytes.count - 1] == 0
        }
        var reader = Reader(bytes)
        return (try? reader.read(.sequence, "ContentInfo")) != nil && reader.isAtEnd
    }

    /// Refuses a JWS and an iOS 6 transaction receipt by how they begin.
    ///
    /// - Parameters:
    ///   - text: the range of the text without surrounding white space, counted from the start of the part.
    ///   - offset: the offset of the text in the input, for the refusal.
    private static func refuseOtherFormats(
        _ bytes: Span<UInt8>,
        _ text: Range<Int>,
        at offset: Int
    ) throws(Refusal) {
        let trimmed = bytes.extracting(text)
        if isJSONWebSignature(trimmed) {
            throw Refusal(.jsonWebSignature, at: offset, reading: "receipt")
        }
        if beginsPropertyList(trimmed) {
            throw Refusal(.transactionReceipt, at: offset, reading: "receipt")
        }
    }

    /// Whether text is a JWS in its compact form, which begins with the base64 of `{"` and has dots (RFC 7515
    /// §3.1). Base64 has none.
    package static func isJSONWebSignature(_ text: Span<UInt8>) -> Bool {
        text.starts(with: "eyJ") && text.firstIndex(of: UInt8(ascii: "."), in: text.indices) != nil
    }

    /// Whether text begins like a transaction receipt: a property list in the old style, whose keys are in
    /// quotation marks with an equals sign after them. JSON has a colon there.
    package static func beginsPropertyList(_ text: Span<UInt8>) -> Bool {
        func afterSpace(_ start: Int) -> Int {
            var index = start
            while index < text.count, text[index] <= 0x20 { index += 1 }
            return index
        }
        let quote = UInt8(ascii: "\"")
        guard text.starts(with: "{") else { return false }
        let key = afterSpace(1)
        guard key < text.count, text[key] == quote,
            let end = text.firstIndex(of: quote, in: (key + 1)..<text.count)
        else { return false }
        let sign = afterSpace(end + 1)
        return sign < text.count && text[sign] == UInt8(ascii: "=")
    }

    /// The range of the text without a byte order mark before it and white space around it. Every byte up to
    /// 0x20 counts as white space here.
    package static func trimmed(_ bytes: Span<UInt8>) -> Range<Int> {
        let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        var start = hasMark ? 3 : 0
        var end = bytes.count
        while start < end, bytes[start] <= 0x20 { start += 1 }
        while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
        return start..<end
    }
}
