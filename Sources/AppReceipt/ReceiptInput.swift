import DER
import SHA

/// Receipts as people send them, turned into the bytes of a container.
public enum ReceiptInput {
    /// The container's bytes, from DER or BER as they are, or from base64 text.
    ///
    /// Base64 is taken with line breaks and white space, in either alphabet, with or without padding, and
    /// with spaces where a form turned the plus signs into them. What is named and refused: base64 inside
    /// base64, a JWS, an iOS 6 transaction receipt. Nothing is validated yet.
    ///
    /// - Parameters:
    ///   - limits: of which `inputBytes` bounds text, at twice as many characters. A container is returned
    ///     whatever its size: who reads it asks.
    ///   - acceleration: by what text is decoded; it changes no result.
    /// - Throws: `ReceiptError` of the step `input`; offsets are those of `bytes`.
    public static func decode(
        _ bytes: [UInt8],
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) throws(ReceiptError) -> [UInt8] {
        // Not a copy of it.
        if bytes.first == sequence { return bytes }
        return try decode(bytes[...], limits: limits, acceleration: acceleration)
    }

    /// The same of part of a buffer, which is not copied where it is text. Offsets count from where
    /// the part begins.
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
        // A SEQUENCE: "0", with which no base64 of one begins.
        if bytes.first == sequence { return Array(bytes) }
        let text = trimmed(bytes.span)
        if let plain = decodePlain(bytes, text, limits, acceleration) { return plain }
        guard !text.isEmpty else { throw Refusal(.emptyInput, at: 0, reading: "receipt") }
        try refuseOtherFormats(bytes, text, at: text.lowerBound)
        // Four characters for every three bytes; half as many again for line breaks and padding. White space
        // at the end counts, too: spaces may be plus signs.
        guard (bytes.count - text.lowerBound) / 2 <= limits.inputBytes else {
            throw Refusal(.inputTooLarge, at: 0, reading: "receipt")
        }
        let container = try decodedBase64(bytes.span, text, acceleration)
        guard container.first == sequence else {
            let inner = trimmed(container.span)
            try refuseOtherFormats(container[...], inner, at: text.lowerBound)
            if (try? decodedBase64(container.span, inner, acceleration))?.first == sequence {
                throw Refusal(.base64Twice, at: text.lowerBound, reading: "receipt")
            }
            throw Refusal(.notBase64, at: text.lowerBound, reading: "receipt")
        }
        return container
    }

    /// What ``decode(_:limits:acceleration:)`` gives of base64 without a space or anything else that takes a
    /// second look, as nearly all text is; nil for all else, right or wrong, which that function is to be
    /// asked about then. For readers of many receipts, whose text lies in a buffer with others'.
    public static func decodePlain(
        _ bytes: ArraySlice<UInt8>,
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) -> [UInt8]? {
        decodePlain(bytes, trimmed(bytes.span), limits, acceleration)
    }

    private static func decodePlain(
        _ bytes: ArraySlice<UInt8>,
        _ text: Range<Int>,
        _ limits: Limits,
        _ acceleration: Acceleration
    ) -> [UInt8]? {
        // With an M begins the base64 of a SEQUENCE. A space at the end may be a plus sign.
        guard bytes.dropFirst(text.lowerBound).first == UInt8(ascii: "M"),
            bytes.span.firstIndex(of: UInt8(ascii: " "), in: text.upperBound..<bytes.count) == nil,
            (bytes.count - text.lowerBound) / 2 <= limits.inputBytes,
            let container = try? Base64.decode(
                bytes.span,
                in: text,
                space: .refused,
                acceleration: acceleration
            ), container.first == sequence
        else { return nil }
        return container
    }

    private static let sequence: UInt8 = 0x30

    /// Whether bytes that ought to be a container begin like base64, JSON or any other text instead.
    static func looksLikeText(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first != sequence else { return false }
        return bytes.prefix(64).allSatisfy { (0x09...0x0D).contains($0) || (0x20...0x7E).contains($0) }
    }

    /// Decodes text in which a space may be nothing, or a plus sign that a form took, one at the end
    /// included. That cannot be told from the text; but one reading only gives a container that is as long as
    /// it says.
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

    /// Whether a container is as long as its header says, or ends as one of indefinite length does.
    private static func isWhole(_ container: [UInt8]) -> Bool {
        if container.starts(with: [sequence, 0x80]) { return container.suffix(2) == [0, 0] }
        var reader = Reader(container.span)
        return (try? reader.read(.sequence, "ContentInfo")) != nil && reader.isAtEnd
    }

    /// - Parameter text: without white space around, from where the bytes begin.
    /// - Parameter offset: where the text stands in the input, for the refusal.
    private static func refuseOtherFormats(
        _ bytes: ArraySlice<UInt8>,
        _ text: Range<Int>,
        at offset: Int
    ) throws(Refusal) {
        let trimmed = bytes.prefix(text.upperBound).dropFirst(text.lowerBound)
        // A JWS begins with the base64 of `{"`.
        if trimmed.starts(with: "eyJ".utf8) {
            throw Refusal(.jsonWebSignature, at: offset, reading: "receipt")
        }
        // A property list in the old style whose first key is a signature.
        if trimmed.first == UInt8(ascii: "{") {
            let key = trimmed.dropFirst().drop { $0 <= 0x20 }
            if key.starts(with: "\"signature\"".utf8) {
                throw Refusal(.transactionReceipt, at: offset, reading: "receipt")
            }
        }
    }

    /// Without a byte order mark before, or white space around.
    private static func trimmed(_ bytes: Span<UInt8>) -> Range<Int> {
        let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        var start = hasMark ? 3 : 0
        var end = bytes.count
        while start < end, bytes[start] <= 0x20 { start += 1 }
        while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
        return start..<end
    }
}
