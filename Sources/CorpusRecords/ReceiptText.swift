import AppReceipt
import DER
import SHA

/// A receipt as corpora store it, around what every input may be.
package enum ReceiptText {
    /// The container: out of hexadecimal after `\x`, a stored response, percent signs, and base64.
    static func stored(_ bytes: ArraySlice<UInt8>, _ acceleration: Acceleration) throws(Refusal) -> [UInt8] {
        // A SEQUENCE whose length takes more than one byte: no text has such a second byte.
        let isContainer = bytes.first == 0x30 && (bytes.dropFirst().first ?? 0) >= 0x80
        guard !isContainer else { return Array(bytes) }
        // Plain base64, as nearly all is.
        if let plain = ReceiptInput.decodePlain(bytes, acceleration: acceleration) { return plain }
        if bytes.starts(with: "\\x".utf8) { return try container(try hexadecimal(bytes)[...], acceleration) }
        if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let receipt = latestReceipt(Array(bytes)) {
            return try container(receipt[...], acceleration)
        }
        let percent = bytes.span.firstIndex(of: UInt8(ascii: "%"), in: 0..<bytes.count)
        return try container(percent == nil ? bytes : percentDecoded(bytes)[...], acceleration)
    }

    /// The bytes of a container, out of PEM or base64 where need be.
    ///
    /// PEM is looked for in text alone: DER that holds some is not mistaken for it.
    package static func container(
        _ bytes: ArraySlice<UInt8>,
        _ acceleration: Acceleration
    ) throws(Refusal) -> [UInt8] {
        let isSequence = bytes.first == 0x30
        if !isSequence, let blocks = PEM.blocks(bytes), let first = blocks.first, !first.bytes.isEmpty {
            // One receipt of several would be judged, and the others not.
            guard blocks.count == 1 else { throw Refusal(.trailingBytes, at: 0, reading: "PEM") }
            return first.bytes
        }
        return try decoded(bytes, acceleration)
    }

    private static func decoded(
        _ bytes: ArraySlice<UInt8>,
        _ acceleration: Acceleration
    ) throws(Refusal) -> [UInt8] {
        do throws(ReceiptError) {
            return try ReceiptInput.decode(bytes, acceleration: acceleration)
        } catch {
            // Of the one step that there is before the container.
            throw Refusal(error.code, at: error.offset, reading: error.reading)
        }
    }

    /// `latest_receipt` of a response of Apple's verifyReceipt.
    static func latestReceipt(_ bytes: [UInt8]) -> [UInt8]? {
        var text = JSONText(bytes, in: bytes.indices)
        guard let members = try? text.members(),
            let value = JSONText.value(at: [Array("latest_receipt".utf8)], of: members, bytes)
        else { return nil }
        return JSONText.string(value, bytes)
    }

    /// Pairs of digits, after `\x` or `0x` or nothing, with white space around.
    package static func hexadecimal(_ text: ArraySlice<UInt8>) throws(Refusal) -> [UInt8] {
        var digits = text.drop { $0 <= 0x20 }
        while let last = digits.last, last <= 0x20 { digits.removeLast() }
        if digits.starts(with: "\\x".utf8) || digits.starts(with: "0x".utf8) { digits = digits.dropFirst(2) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var rest = digits
        while let first = rest.popFirst() {
            guard let high = first.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                throw Refusal(
                    .notHexadecimal,
                    at: rest.startIndex - text.startIndex - 1,
                    reading: "hexadecimal"
                )
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// As a form sends it. What is no pair of digits stays, for the decoder to refuse.
    private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), let high = digits.first?.hexadecimalValue,
                let low = digits.dropFirst().first?.hexadecimalValue
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
