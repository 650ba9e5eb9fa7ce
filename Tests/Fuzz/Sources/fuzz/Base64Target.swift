import AppReceipt
import Basics
import DER
import Processor
import SHA

/// Checks receipts as text. Every form of the decoded bytes decodes to the same bytes, with any instructions.
/// If the text is plain base64, the decoded bytes, encoded again, give its characters.
func fuzzBase64(_ input: [UInt8]) {
    let container: [UInt8]
    do throws(ReceiptError) {
        container = try ReceiptInput.decode(input)
        require(decoded(input) == container, "decoded with the processor's instructions")
    } catch {
        require(
            refusal(of: input) == "\(error.code) \(error.offset)",
            "the instructions refuse with the same code and offset"
        )
        require(error.step == .input, "the step of a refused text")
        require(error.offset >= 0 && error.offset <= input.count, "\(error) lies outside")
        return
    }
    require(container.first == 0x30, "a container is a SEQUENCE")
    guard input.first != 0x30 || input.starts(with: "0x".utf8) || input.starts(with: "0X".utf8) else {
        return require(container == input, "bytes that are not text stay unchanged")
    }

    let text = base64(container)
    let characters = text.filter { $0 != UInt8(ascii: "=") }
    if input.drop(while: { $0 <= 0x20 }).first == UInt8(ascii: "M"), !input.contains(UInt8(ascii: " ")),
        !input.contains(UInt8(ascii: "%")), !input.contains(UInt8(ascii: "\\"))
    {
        require(alphabetOnly(input) == characters, "decoded and encoded again, the characters are the same")
    }
    require(decoded(text) == container, "canonical base64")
    require(decoded(characters) == container, "without padding")
    require(decoded(characters.map(urlSafe)) == container, "in the other alphabet")
    require(decoded([0xEF, 0xBB, 0xBF] + text + [0x0D, 0x0A]) == container, "with a byte order mark")
    var lines: [UInt8] = []
    for start in stride(from: 0, to: text.count, by: 76) {
        lines += text[start..<min(start + 76, text.count)] + [0x0D, 0x0A]
    }
    require(decoded(lines) == container, "in lines")
    require(decoded("{\"Payload\":\"".utf8 + text + "\"}".utf8) == container, "in JSON")
    require(decoded("'".utf8 + text + "'".utf8) == container, "in quotation marks")
    require(decoded("data:;base64,".utf8 + text) == container, "in a data URI")
    require(decoded("-----BEGIN A-----\n".utf8 + text + "\n-----END A-----".utf8) == container, "in PEM")
    require(decoded([0xFF, 0xFE] + text.flatMap { [$0, 0] }) == container, "in UTF-16")
    let digits = container.flatMap { [hexDigits[Int($0 >> 4)], hexDigits[Int($0 & 15)]] }
    let hexadecimal = decoded("0x".utf8 + digits)
    require(hexadecimal == decoded("\\x".utf8 + digits), "hexadecimal")
    require(hexadecimal == container || !isOneElement(container) && hexadecimal == nil, "hexadecimal")
    if isOneElement(container) {
        require(decoded(text.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }) == container, "through a form")
    }
}

/// The result with the processor's instructions.
private func decoded(_ text: [UInt8]) -> [UInt8]? {
    try? ReceiptInput.decode(text, acceleration: acceleration)
}

private func refusal(of text: [UInt8]) -> String {
    do throws(ReceiptError) {
        return "none of \(try ReceiptInput.decode(text, acceleration: acceleration).count) bytes"
    } catch {
        return "\(error.code) \(error.offset)"
    }
}

private func isOneElement(_ container: [UInt8]) -> Bool {
    var reader = Reader(container.span)
    return (try? reader.read(.sequence, "ContentInfo")) != nil && reader.isAtEnd
}

private let hexDigits = Array("0123456789abcdef".utf8)
private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

/// RFC 4648 §4.
private func base64(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = Array(bytes[start..<min(start + 3, bytes.count)])
        var bits: UInt32 = 0
        for index in 0..<3 { bits = bits << 8 | (index < group.count ? UInt32(group[index]) : 0) }
        for index in 0..<4 {
            let isPadding = index > group.count
            text.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)])
        }
    }
    return text
}

private func urlSafe(_ character: UInt8) -> UInt8 {
    switch character {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: character
    }
}

/// The characters that encode bits, in the standard alphabet.
private func alphabetOnly(_ text: [UInt8]) -> [UInt8] {
    let standard = text.map { character -> UInt8 in
        switch character {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: character
        }
    }
    return standard.filter { alphabet.contains($0) }
}
