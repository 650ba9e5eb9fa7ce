import Basics
import DER
import JSONText
import Processor

/// An input whose forms of text are taken off one after the other, until a container is left.
///
/// Each step takes time and memory in proportion to the text.
struct WrappedInput {
    /// The input, or the bytes that were decoded last.
    private var bytes: [UInt8]
    /// The range of `bytes` that is still to be read.
    private var part: Range<Int>
    /// The offset in the input of the outermost form that was decoded; nil while `bytes` is the input.
    private var place: Int?
    private let acceleration: Acceleration

    init(_ input: [UInt8], _ acceleration: Acceleration) {
        bytes = input
        part = input.indices
        self.acceleration = acceleration
    }

    /// The result of taking off one form of text.
    private enum Step {
        /// The container: the bytes that were left, or what their base64 holds. Other forms may have been
        /// taken off before.
        case container([UInt8])
        /// A form was taken off without decoding: the range of its contents in the present bytes.
        case part(Range<Int>)
        /// A form was decoded: the bytes that it held, which take the place of the present bytes.
        case decoded([UInt8])
    }

    /// Takes off one form, if one is left.
    ///
    /// - Returns: the container once it is reached; nil if another step is needed.
    /// - Throws: a refusal of the text. The offset counts in the input.
    mutating func open() throws(Refusal) -> [UInt8]? {
        switch try next() {
        case .container(let container): return container
        case .part(let range): part = range
        case .decoded(let decoded):
            place = offset(trimmed(part).lowerBound)
            bytes = decoded
            part = decoded.indices
        }
        return nil
    }

    private func next() throws(Refusal) -> Step {
        let span = bytes.borrowedSpan
        if let text = Self.decodedUTF16(span.extracting(part)) { return .decoded(text) }
        if bytes[part].starts(with: [0xEF, 0xBB, 0xBF]) { return .part(part.dropFirst(3)) }
        if ReceiptInput.isContainer(span.extracting(part)) { return .container(Array(bytes[part])) }
        let text = trimmed(part)
        guard !text.isEmpty else { throw refusal(.emptyInput, at: part.lowerBound) }
        switch bytes[text.lowerBound] {
        case UInt8(ascii: "{"): return try openBraces(text)
        case UInt8(ascii: "<"): return try openAngleBrackets(text)
        default:
            if let step = openQuotationMarks(text) { return step }
            return try openCharacters(text)
        }
    }

    /// Takes off a form of text that begins with neither `{` nor `<` and is not in quotation marks. Throws if
    /// the text is refused.
    private func openCharacters(_ text: Range<Int>) throws(Refusal) -> Step {
        let characters = bytes.borrowedSpan.extracting(text)
        if let code = Self.name(of: characters) { throw refusal(code, at: text.lowerBound) }
        if PEM.beginning(in: bytes.borrowedSpan, text) != nil { return .part(try bodyOfBlock(text)) }
        if Self.beginsDataURI(characters) {
            guard let comma = bytes.borrowedSpan.firstIndex(of: UInt8(ascii: ","), in: text) else {
                throw refusal(.notBase64, at: text.lowerBound)
            }
            return .part((comma + 1)..<part.upperBound)
        }
        if let digits = hexadecimalDigits(text) {
            return .decoded(try hexadecimal(digits, from: text.lowerBound))
        }
        if Self.hasEscapes(characters), let decoded = JSONReader.unescaped(text, bytes) {
            return .decoded(Array(decoded))
        }
        if let decoded = Self.percentDecoded(characters) { return .decoded(decoded) }
        return .container(try base64(text))
    }

    private func refusal(_ code: Refusal.Code, at index: Int) -> Refusal {
        Refusal(code, at: offset(index), reading: "receipt")
    }

    /// The offset in the input of a byte of `bytes`: its index while `bytes` is the input, then ``place``.
    private func offset(_ index: Int) -> Int { place ?? index }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        let (start, text) = (range.lowerBound, ReceiptInput.trimmed(bytes.borrowedSpan.extracting(range)))
        return (start + text.lowerBound)..<(start + text.upperBound)
    }

    // MARK: Brackets and quotation marks

    /// Returns a property list in the old style as the container, or takes the receipt out of a JSON object.
    /// Throws for an object without a receipt, and for other text, such as a description of Data.
    private func openBraces(_ text: Range<Int>) throws(Refusal) -> Step {
        let characters = bytes.borrowedSpan.extracting(text)
        if ReceiptInput.beginsPropertyList(characters) { return .container(Array(bytes[part])) }
        if characters.starts(with: "{length") { throw refusal(.dataDescription, at: text.lowerBound) }
        guard let object = JSONObjectForm(bytes, in: text) else {
            throw refusal(.notBase64, at: text.lowerBound)
        }
        guard let receipt = object.receipt, let value = JSONReader.string(receipt, bytes) else {
            throw refusal(object.name, at: text.lowerBound)
        }
        return .decoded(Array(value))
    }

    /// Opens the description of NSData, or an XML property list of one data element, between `<data>` and
    /// `</data>` in exactly this spelling, and no comment. Refuses other text. The rest of the property list
    /// is not checked.
    private func openAngleBrackets(_ text: Range<Int>) throws(Refusal) -> Step {
        let span = bytes.borrowedSpan
        let inside = (text.lowerBound + 1)..<text.upperBound
        if span.extracting(text).equals("<null>") { throw refusal(.placeholderGiven, at: text.lowerBound) }
        let isClosed = bytes[text.upperBound - 1] == UInt8(ascii: ">")
        let digits = isClosed ? inside.dropLast(1) : inside
        if isHexadecimal(digits) {
            guard isClosed else { throw refusal(.hexadecimalCutOff, at: text.lowerBound) }
            return .decoded(try hexadecimal(digits, from: text.lowerBound))
        }
        // The first tag that begins with the name may have white space or a slash after it, and a comment may
        // hold a tag that does not count. The receipt is then not certain.
        guard !span.extracting(text).starts(with: "<data"), Self.end(of: "<!--", in: span, text) == nil,
            let name = Self.end(of: "<data", in: span, inside), name < text.upperBound,
            bytes[name] == UInt8(ascii: ">"),
            let end = span.firstIndex(of: UInt8(ascii: "<"), in: name..<text.upperBound),
            span.extracting(end..<text.upperBound).starts(with: "</data>")
        else { throw refusal(.notBase64, at: text.lowerBound) }
        guard Self.end(of: "<data", in: span, end..<text.upperBound) == nil else {
            throw refusal(.severalReceipts, at: text.lowerBound)
        }
        return .part((name + 1)..<end)
    }

    /// The offset after the first occurrence of the beginning of a tag; nil if there is none.
    private static func end(of tag: StaticString, in bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while let start = bytes.firstIndex(of: UInt8(ascii: "<"), in: index..<range.upperBound) {
            if bytes.extracting(start..<range.upperBound).starts(with: tag) {
                return start + tag.utf8CodeUnitCount
            }
            index = start + 1
        }
        return nil
    }

    /// Opens text between two equal quotation marks, single or double, also after a `b`, as Python writes it.
    /// Returns nil if the text is not quoted.
    ///
    /// If each backslash in the text begins an escape of a JSON string or `\'`, and no escape is half of a
    /// surrogate pair, the escapes are decoded; otherwise none is.
    private func openQuotationMarks(_ text: Range<Int>) -> Step? {
        let isPython = bytes[text.lowerBound] == UInt8(ascii: "b")
        let quoted = isPython ? text.dropFirst(1) : text
        guard quoted.count >= 2, let mark = bytes[quoted].first, mark == bytes[quoted.upperBound - 1],
            mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'")
        else { return nil }
        let inside = quoted.dropFirst(1).dropLast(1)
        if Self.hasEscapes(bytes.borrowedSpan.extracting(inside)),
            let decoded = JSONReader.unescaped(inside, bytes)
        {
            return .decoded(Array(decoded))
        }
        return .part(inside)
    }

    /// The range of the lines of the only block in PEM. Refuses several blocks, and one without an END line.
    private func bodyOfBlock(_ text: Range<Int>) throws(Refusal) -> Range<Int> {
        let blocks = PEM.blocks(bytes.borrowedSpan, in: text, limit: 2)
        // With several blocks, all but one would be ignored.
        for block in blocks where !block.isClosed { throw refusal(.unclosedBlock, at: block.start) }
        guard blocks.count == 1 else { throw refusal(.severalReceipts, at: blocks[1].start) }
        return blocks[0].body
    }

    // MARK: Hexadecimal

    /// The range of the digits of hexadecimal: what follows `\x`, or `0x` if
    /// ``ReceiptInput/beginsHexadecimal(_:)`` is true, or the whole text if it has only hexadecimal digits
    /// and white space, and begins with 30 (a SEQUENCE) or 7b (a brace). Nil for other text.
    ///
    /// The base64 of a container begins with none of these.
    private func hexadecimalDigits(_ text: Range<Int>) -> Range<Int>? {
        let characters = bytes.borrowedSpan.extracting(text)
        if ReceiptInput.beginsHexadecimal(characters) { return text.dropFirst(2) }
        if characters.starts(with: "\\x") { return text.dropFirst(2) }
        let begins =
            characters.starts(with: "30") || characters.starts(with: "7b")
            || characters.starts(with: "7B")
        return begins && isHexadecimal(text) ? text : nil
    }

    /// Whether a range holds nothing but hexadecimal digits and white space.
    private func isHexadecimal(_ range: Range<Int>) -> Bool {
        bytes[range].allSatisfy { $0 <= 0x20 || Hexadecimal.value(of: $0) != nil }
    }

    /// Decodes hexadecimal digits. White space between them is skipped. Throws a refusal at any other
    /// character. Throws a refusal at `start` if the number of digits is odd, or if ``isCutOff(_:)`` is true
    /// of the decoded bytes.
    private func hexadecimal(_ digits: Range<Int>, from start: Int) throws(Refusal) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for index in digits where bytes[index] > 0x20 {
            guard let value = Hexadecimal.value(of: bytes[index]) else {
                throw refusal(.notHexadecimal, at: index)
            }
            if let first = high { decoded.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        guard high == nil, !Self.isCutOff(decoded) else { throw refusal(.hexadecimalCutOff, at: start) }
        return decoded
    }

    /// Whether bytes begin a SEQUENCE, and ``ReceiptInput/checkLength(_:)`` throws `.truncated`, or throws
    /// `.invalidEndOfContents` at the last byte or after it. The SEQUENCE then seems to lack its end.
    private static func isCutOff(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == ReceiptInput.sequence else { return false }
        do throws(Refusal) {
            try ReceiptInput.checkLength(bytes.borrowedSpan)
            return false
        } catch {
            // One or both of the last end-of-contents octets may be missing.
            return error.code == .truncated
                || error.code == .invalidEndOfContents && error.offset + 1 >= bytes.count
        }
    }

    // MARK: Base64

    /// Decodes base64, the innermost form. Throws if it holds neither a container nor a property list.
    private func base64(_ text: Range<Int>) throws(Refusal) -> [UInt8] {
        // A space at the end may be a plus sign.
        let span = bytes.borrowedSpan.extracting(0..<part.upperBound)
        let characters = span.extracting(text)
        if ReceiptInput.isJSONWebSignature(characters) {
            throw refusal(.jsonWebSignature, at: text.lowerBound)
        }
        let decoded: [UInt8]
        do throws(Refusal) {
            decoded = try ReceiptInput.decodedBase64(span, text, acceleration)
        } catch {
            throw error.moved(to: offset(error.offset))
        }
        guard !ReceiptInput.isContainer(decoded.borrowedSpan) else { return decoded }
        let inner = ReceiptInput.trimmed(decoded.borrowedSpan)
        if ReceiptInput.beginsPropertyList(decoded.borrowedSpan.extracting(inner)) { return decoded }
        if let code = name(ofDecoded: decoded, inner) { throw refusal(code, at: text.lowerBound) }
        // The beginning of the header of a JWS, which is JSON.
        throw refusal(
            characters.starts(with: "eyJ") ? .jsonWebSignature : .notBase64,
            at: text.lowerBound
        )
    }

    /// The code that names what base64 without a container holds, such as a JWS; nil if it is unknown.
    private func name(ofDecoded bytes: [UInt8], _ text: Range<Int>) -> Refusal.Code? {
        let span = bytes.borrowedSpan
        if ReceiptInput.isJSONWebSignature(span.extracting(text)) { return .jsonWebSignature }
        if ReceiptInput.beginsHexadecimal(span) { return .base64Twice }
        if let object = JSONObjectForm(bytes, in: text) {
            return object.receipt == nil ? object.name : .base64Twice
        }
        guard let inner = try? ReceiptInput.decodedBase64(span, text, acceleration) else { return nil }
        let list = inner.borrowedSpan.extracting(ReceiptInput.trimmed(inner.borrowedSpan))
        return inner.first == ReceiptInput.sequence || ReceiptInput.beginsPropertyList(list)
            ? .base64Twice : nil
    }
}

// MARK: Text

extension WrappedInput {
    /// The code that names a text that stands for no value, or the description of Data in Swift, such as
    /// `5423 bytes`; nil for other text.
    private static func name(of text: Span<UInt8>) -> Refusal.Code? {
        // Longer text is none of these.
        guard text.count <= 32 else { return nil }
        let placeholders: [StaticString] = [
            "undefined", "null", "NULL", "nil", "None", "(null)", "[object Object]",
        ]
        for placeholder in placeholders where text.equals(placeholder) { return .placeholderGiven }
        var index = 0
        while index < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) { index += 1 }
        return index > 0 && text.extracting(index..<text.count).equals(" bytes") ? .dataDescription : nil
    }

    /// Whether text begins with `data:`, in upper or lower case (RFC 2397).
    private static func beginsDataURI(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 5, text[4] == UInt8(ascii: ":") else { return false }
        let scheme = [text[0] | 0x20, text[1] | 0x20, text[2] | 0x20, text[3] | 0x20]
        return scheme.borrowedSpan.equals("data")
    }

    /// Whether text has backslashes, and each begins an escape of a string in JSON (RFC 8259 §7) or stands
    /// before an apostrophe.
    private static func hasEscapes(_ text: Span<UInt8>) -> Bool {
        let backslash = UInt8(ascii: "\\")
        var (index, isEscaped) = (0, false)
        while let place = text.firstIndex(of: backslash, in: index..<text.count) {
            guard place + 1 < text.count else { return false }
            switch text[place + 1] {
            case UInt8(ascii: "u"):
                guard place + 6 <= text.count else { return false }
                for digit in (place + 2)..<(place + 6) where Hexadecimal.value(of: text[digit]) == nil {
                    return false
                }
            case backslash, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"), UInt8(ascii: "b"),
                UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                break
            default: return false
            }
            (index, isEscaped) = (place + 2, true)
        }
        return isEscaped
    }

    /// Decodes percent signs with two digits (RFC 3986 §2.1). Other characters stay, `+` among them. Returns
    /// nil if there is nothing to decode.
    private static func percentDecoded(_ text: Span<UInt8>) -> [UInt8]? {
        let percent = UInt8(ascii: "%")
        guard text.firstIndex(of: percent, in: text.indices) != nil else { return nil }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if text[index] == percent, index + 2 < text.count,
                let high = Hexadecimal.value(of: text[index + 1]),
                let low = Hexadecimal.value(of: text[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(text[index])
                index += 1
            }
        }
        return decoded.count < text.count ? decoded : nil
    }

    /// The UTF-8 of text in UTF-16 with a byte order mark (RFC 2781 §3.2). Returns nil for other bytes.
    ///
    /// Half of a surrogate pair becomes U+FFFD, and half a code unit at the end is left out: no receipt has
    /// either.
    private static func decodedUTF16(_ bytes: Span<UInt8>) -> [UInt8]? {
        guard bytes.count >= 2 else { return nil }
        let isLittle = bytes[0] == 0xFF && bytes[1] == 0xFE
        guard isLittle || bytes[0] == 0xFE && bytes[1] == 0xFF else { return nil }
        func unit(_ index: Int) -> UInt32 {
            let (first, second) = (UInt32(bytes[2 * index]), UInt32(bytes[2 * index + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 2)
        var index = 1
        let count = bytes.count / 2
        while index < count {
            var scalar = unit(index)
            index += 1
            if scalar & 0xFC00 == 0xD800, index < count, unit(index) & 0xFC00 == 0xDC00 {
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + (unit(index) & 0x3FF)
                index += 1
            }
            if scalar < 0x80 {
                text.append(UInt8(scalar))
            } else {
                text.append(contentsOf: (Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
            }
        }
        return text
    }
}

extension Range<Int> {
    fileprivate func dropFirst(_ count: Int) -> Range {
        Swift.min(lowerBound + count, upperBound)..<upperBound
    }
    fileprivate func dropLast(_ count: Int) -> Range {
        lowerBound..<Swift.max(upperBound - count, lowerBound)
    }
}
