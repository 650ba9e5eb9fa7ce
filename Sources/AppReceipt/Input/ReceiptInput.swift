import Basics
import DER
import Processor

/// Turns a receipt as people send it into the bytes of its container.
public enum ReceiptInput {
    /// Decodes the container of an app receipt. DER and BER are returned as they are; text is decoded.
    ///
    /// The accepted forms of text:
    ///
    /// - base64 in either alphabet of RFC 4648, in lines or in one, with or without padding; spaces may stand
    ///   for the plus signs that a form replaced
    /// - hexadecimal, plain or after `0x` or `\x`, and the description of NSData, `<30820…>`
    /// - PEM of one block with any label, a data URI, an XML property list of one data element and no comment
    /// - a JSON object that holds the receipt as `receipt-data`, `receipt`, `receipt_data`, `latest_receipt`,
    ///   `Payload` (Unity) or `transactionReceipt` (React Native)
    /// - each of these in quotation marks, as Python's `b'…'`, with percent signs or backslash escapes, in
    ///   UTF-16 with a byte order mark, or after the byte order mark of UTF-8. A JSON object whose quotation
    ///   marks are escaped must stand in quotation marks itself.
    ///
    /// Forms may lie within each other, up to eight deep, or seven if the innermost is not base64. Base64
    /// inside base64, a JWS, and the JSON of a StoreKit 2 transaction are each refused with a code of their
    /// own, and so are other things that are sent by mistake. An iOS 6 transaction receipt is refused with
    /// `.transactionReceipt`; the module `TransactionReceipt` validates it. Nothing is validated here.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of a container or of its text.
    ///   - limits: half the number of a text's bytes, rounded down, may be at most `inputBytes`. A
    ///     container that is not in text is returned whatever its size; the validator applies the limit.
    ///   - acceleration: the instruction sets that may decode base64. They change no result.
    /// - Throws: `ReceiptError` of the step `input`. Offsets count from the start of `bytes`. A fault in
    ///   decoded bytes has the offset of the outermost form that was decoded, such as a JSON object.
    public static func decode(
        _ bytes: [UInt8],
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) throws(ReceiptError) -> [UInt8] {
        // Returning the array itself avoids a copy.
        if isContainer(bytes.borrowedSpan) { return bytes }
        let container = try container(bytes[...], limits: limits, acceleration: acceleration)
        guard !isPropertyList(container) else {
            let offset = trimmed(bytes.borrowedSpan).lowerBound
            throw ReceiptError(.input, Refusal(.transactionReceipt, at: offset, reading: "receipt"))
        }
        return container
    }

    /// Decodes a container of either kind: an app receipt's DER or BER, or a transaction receipt's property
    /// list.
    ///
    /// `decode` describes the forms, the parameters and the errors.
    package static func container(
        _ bytes: ArraySlice<UInt8>,
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) throws(ReceiptError) -> [UInt8] {
        if isContainer(bytes.borrowedSpan) { return Array(bytes) }
        if let plain = decodePlain(bytes, limits: limits, acceleration: acceleration) { return plain }
        let text = trimmed(bytes.borrowedSpan)
        do throws(Refusal) {
            guard !text.isEmpty else { throw Refusal(.emptyInput, at: 0, reading: "receipt") }
            // Base64 has four characters for every three bytes, and hexadecimal two for one. Longer forms
            // have this limit, too.
            guard bytes.count / 2 <= limits.inputBytes else {
                throw Refusal(.inputTooLarge, at: 0, reading: "receipt")
            }
            var input = WrappedInput(Array(bytes), acceleration)
            for _ in 0..<maximumLayers {
                if let container = try input.open() { return container }
            }
            throw Refusal(.tooManyLayers, at: text.lowerBound, reading: "receipt")
        } catch {
            throw ReceiptError(.input, error)
        }
    }

    /// The maximum number of forms within each other, the innermost included; one fewer if the innermost is
    /// not base64. Unity's wrapper as a JSON string has three; with percent signs and in UTF-16 it has five.
    package static var maximumLayers: Int { 8 }

    /// The names of the members of a JSON object that may hold the receipt, in the order in which they are
    /// tried: the names of database columns, of requests and answers of Apple's `verifyReceipt`, of Unity's
    /// wrapper, and of React Native's purchases.
    package static var memberNames: [String] {
        ["receipt", "receipt_data", "receipt-data", "latest_receipt", "Payload", "transactionReceipt"]
    }

    /// Decodes base64 that begins with `M`, has no space in it or after it, and gives bytes for which
    /// ``isContainer(_:)`` is true. Returns nil for anything else, also for too long text; call `container`
    /// then.
    ///
    /// A result that is not nil equals the result of `container`.
    package static func decodePlain(
        _ bytes: ArraySlice<UInt8>,
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) -> [UInt8]? {
        let text = trimmed(bytes.borrowedSpan)
        // The base64 of a SEQUENCE begins with "M". A space after the text may be a plus sign.
        guard bytes.dropFirst(text.lowerBound).first == UInt8(ascii: "M"),
            bytes.borrowedSpan.firstIndex(of: UInt8(ascii: " "), in: text.upperBound..<bytes.count) == nil,
            bytes.count / 2 <= limits.inputBytes,
            let container = try? Base64.decode(
                bytes.borrowedSpan,
                in: text,
                space: .refused,
                acceleration: acceleration
            ), isContainer(container.borrowedSpan)
        else { return nil }
        return container
    }

    /// The identifier octet of a SEQUENCE.
    package static let sequence: UInt8 = 0x30

    /// Whether the first 64 bytes are ASCII text and do not begin a SEQUENCE. False if there are no bytes.
    static func looksLikeText(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first != sequence else { return false }
        return bytes.prefix(64).allSatisfy { (0x09...0x0D).contains($0) || (0x20...0x7E).contains($0) }
    }

    /// Whether bytes begin like DER or BER of a SEQUENCE, and not like hexadecimal after `0x`.
    ///
    /// As DER, `0x` and a digit or white space begin a SEQUENCE whose first element is no OBJECT IDENTIFIER,
    /// which every ContentInfo begins with (RFC 5652 §3).
    package static func isContainer(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 0 && bytes[0] == sequence && !beginsHexadecimal(bytes)
    }

    /// Whether text begins with `0x` or `0X`, followed by a hexadecimal digit, white space or nothing.
    static func beginsHexadecimal(_ text: Span<UInt8>) -> Bool {
        guard text.starts(with: "0x") || text.starts(with: "0X") else { return false }
        return text.count == 2 || Hexadecimal.value(of: text[2]) != nil
            || text[2] == 0x09 || text[2] == 0x0A || text[2] == 0x0D || text[2] == 0x20
    }

    /// Whether a decoded container is a transaction receipt's property list: it begins no SEQUENCE. False if
    /// there are no bytes.
    package static func isPropertyList(_ container: [UInt8]) -> Bool {
        container.first.map { $0 != sequence } ?? false
    }

    /// Decodes base64 in which a space may be a plus sign that a form replaced, also at the end, or white
    /// space.
    ///
    /// The text alone does not tell the two apart. The reading with plus signs counts if it gives bytes for
    /// which ``isWhole(_:)`` is true.
    static func decodedBase64(
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

    /// Whether a container is as long as its header says. A container of indefinite length must end with its
    /// elements. Also true if the container has too many elements, or too deep ones, for the check to end.
    /// False for a definite length that is not in its shortest form, and for an indefinite length if the
    /// bytes are more than `EncodingLimits.standard` allows.
    private static func isWhole(_ container: [UInt8]) -> Bool {
        guard container.first == sequence else { return false }
        do throws(Refusal) {
            try checkLength(container.borrowedSpan)
            return true
        } catch {
            // These are refused later by their own names. They give no reason to skip the spaces.
            return error.code == .tooDeep || error.code == .tooManyElements
        }
    }

    /// Checks that a SEQUENCE fills the bytes that it begins. If the length is indefinite, all elements are
    /// read (X.690 §8.1.3.6).
    ///
    /// - Throws: `.truncated` or `.invalidEndOfContents` if the end is missing, `.trailingBytes` if bytes
    ///   follow, and the other errors of `Reader.read` and `Normaliser.normalise`.
    static func checkLength(_ bytes: Span<UInt8>) throws(Refusal) {
        if bytes.count >= 2, bytes[1] == 0x80 {
            _ = try Normaliser.normalise(bytes) { _, _, _ in false }
        } else {
            var reader = Reader(bytes)
            _ = try reader.read(.sequence, "ContentInfo")
            try reader.finish("ContentInfo")
        }
    }

    /// Whether text begins with `eyJ`, as the base64 of `{"` and a letter does, and has a dot, as a JWS in
    /// its compact form does (RFC 7515 §3.1). Base64 has no dot.
    package static func isJSONWebSignature(_ text: Span<UInt8>) -> Bool {
        text.starts(with: "eyJ") && text.firstIndex(of: UInt8(ascii: "."), in: text.indices) != nil
    }

    /// Whether text begins like a transaction receipt: a property list in the old style, whose first key is
    /// in quotation marks with an equals sign after it. JSON has a colon there.
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

    /// The range of the text without a byte order mark of UTF-8 before it and white space around it. Every
    /// byte up to 0x20 counts as white space here.
    package static func trimmed(_ bytes: Span<UInt8>) -> Range<Int> {
        let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        var start = hasMark ? 3 : 0
        var end = bytes.count
        while start < end, bytes[start] <= 0x20 { start += 1 }
        while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
        return start..<end
    }
}
