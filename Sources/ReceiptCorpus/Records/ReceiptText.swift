import AppReceipt
import Bytes
import DER
import JSONText
import Processor
import ReceiptResults
import SHA
import TransactionReceipt

/// Decoders for the texts in which corpora store receipts.
package enum ReceiptText {
    /// Decodes a stored receipt: DER, base64, PEM, percent-encoded base64, hexadecimal after `\x` or `0x`, or
    /// a stored response of Apple's verifyReceipt.
    static func stored(_ bytes: ArraySlice<UInt8>, _ acceleration: Acceleration) throws(Refusal) -> [UInt8] {
        // A SEQUENCE whose length takes more than one byte. The second byte of a text is below 0x80.
        let isContainer = bytes.first == 0x30 && (bytes.dropFirst().first ?? 0) >= 0x80
        guard !isContainer else { return Array(bytes) }
        // Base64 that begins with `0x` holds no receipt.
        if bytes.starts(with: "\\x".utf8) || bytes.starts(with: "0x".utf8) {
            return try container(try hexadecimal(bytes)[...], acceleration)
        }
        // Nearly all receipts are plain base64.
        if let plain = ReceiptInput.decodePlain(bytes, acceleration: acceleration) { return plain }
        if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let receipt = latestReceipt(Array(bytes)) {
            return try container(receipt[...], acceleration)
        }
        let percent = bytes.borrowedSpan.firstIndex(of: UInt8(ascii: "%"), in: 0..<bytes.count)
        return try container(percent == nil ? bytes : percentDecoded(bytes)[...], acceleration)
    }

    /// Decodes a container: DER, PEM or base64. The container of a transaction receipt is its property list.
    ///
    /// PEM is searched for in text only, because DER may contain PEM.
    package static func container(
        _ bytes: ArraySlice<UInt8>,
        _ acceleration: Acceleration
    ) throws(Refusal) -> [UInt8] {
        let isSequence = bytes.first == 0x30
        if !isSequence, let blocks = PEM.blocks(bytes), let first = blocks.first, !first.bytes.isEmpty {
            // With several blocks, all but one would be ignored.
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
            return try ReceiptJudge.container(bytes, acceleration: acceleration)
        } catch {
            // The decoders know only the step `input`, so the error's step is not lost.
            throw error.refusal
        }
    }

    /// The member `latest_receipt` of a response of Apple's verifyReceipt.
    static func latestReceipt(_ bytes: [UInt8]) -> [UInt8]? {
        var text = JSONReader(bytes, in: bytes.indices)
        let name = Array("latest_receipt".utf8)
        guard let members = try? text.members(named: [name]),
            let value = JSONReader.value(at: [name], of: members, bytes)
        else { return nil }
        return JSONReader.string(value, bytes)
    }

    /// Decodes pairs of hexadecimal digits. The prefixes `\x` and `0x` and white space around are allowed.
    package static func hexadecimal(_ text: ArraySlice<UInt8>) throws(Refusal) -> [UInt8] {
        var digits = text.drop { $0 <= 0x20 }
        while let last = digits.last, last <= 0x20 { digits.removeLast() }
        if digits.starts(with: "\\x".utf8) || digits.starts(with: "0x".utf8) { digits = digits.dropFirst(2) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var rest = digits
        while let first = rest.popFirst() {
            guard let high = Hexadecimal.value(of: first),
                let low = rest.popFirst().flatMap(Hexadecimal.value)
            else {
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

    /// Decodes percent signs, as in a form. A percent sign without two digits stays, and the next decoder
    /// refuses it.
    private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), let high = digits.first.flatMap(Hexadecimal.value),
                let low = digits.dropFirst().first.flatMap(Hexadecimal.value)
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
