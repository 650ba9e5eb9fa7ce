import AppReceipt
import Basics
import DER
import Foundation
import Processor
import TestSupport
import Testing

@Suite("Base64 as Apple's endpoint requires it (RFC 4648 §4)")
struct StrictBase64Tests {
    private static let accelerations: [Acceleration] = TestSupport.accelerations + [.none]
    private static let alphabet = [UInt8](
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    private func refusal(_ text: [UInt8], _ acceleration: Acceleration) throws -> Refusal {
        try #require(throws: Refusal.self) {
            try ReceiptInput.decodeStrictBase64(text[...], acceleration: acceleration)
        }
    }

    @Test("canonical text of every length gives its bytes, also as part of a buffer")
    func lengths() throws {
        for count in 0...200 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 89 + count) }
            let text = [UInt8](Data(bytes).base64EncodedString().utf8)
            let buffer = [0x2A] + text + [0x2A]
            for acceleration in Self.accelerations {
                #expect(try ReceiptInput.decodeStrictBase64(text[...], acceleration: acceleration) == bytes)
                let part = buffer.dropFirst().dropLast()
                #expect(try ReceiptInput.decodeStrictBase64(part, acceleration: acceleration) == bytes)
            }
        }
    }

    @Test("the bits beyond the last byte may have any value", arguments: accelerations)
    func unusedBits(_ acceleration: Acceleration) throws {
        for (value, character) in Self.alphabet.enumerated() {
            // "A" has the value 0, and "/" 63. One group uses two bits of the last character and the other
            // four.
            let (one, two) = (UInt8(value >> 4), UInt8(value >> 2))
            let cases: [(text: [UInt8], bytes: [UInt8])] = [
                ([0x41, character] + "==".utf8, [one]), ([0x2F, character] + "==".utf8, [0xFC | one]),
                ([0x41, 0x41, character] + "=".utf8, [0, two]),
                ([0x2F, 0x2F, character] + "=".utf8, [0xFF, 0xF0 | two]),
                ("AAAA".utf8 + [0x2F, 0x2F, character] + "=".utf8, [0, 0, 0, 0xFF, 0xF0 | two]),
            ]
            for (text, bytes) in cases {
                let decoded = try ReceiptInput.decodeStrictBase64(text[...], acceleration: acceleration)
                #expect(decoded == bytes, "\(value)")
            }
        }
    }

    @Test("every character outside the alphabet is refused at its place", arguments: accelerations)
    func characters(_ acceleration: Acceleration) throws {
        for byte in UInt8.min...UInt8.max where !Self.alphabet.contains(byte) && byte != UInt8(ascii: "=") {
            for (place, count) in [(0, 4), (1, 4), (2, 4), (3, 4), (5, 8), (63, 64), (64, 128), (100, 128)] {
                var text = [UInt8](repeating: UInt8(ascii: "M"), count: count)
                text[place] = byte
                let refusal = try refusal(text, acceleration)
                #expect(refusal.code == .notBase64 && refusal.offset == place, "\(byte) at \(place)")
            }
            // The byte is refused in the padding, too.
            let refusal = try refusal("MMM=MA=".utf8 + [byte], acceleration)
            #expect(refusal.code == .notBase64 && refusal.offset == 4, "\(byte)")
        }
    }

    @Test("padding fills the last group, and nothing follows it", arguments: accelerations)
    func padding(_ acceleration: Acceleration) throws {
        let cases: [(text: String, offset: Int)] = [
            ("A", 1), ("AA", 2), ("AAA", 3), ("AAAAA", 5), ("AAAAAA", 6), ("AAAAAAA", 7), ("AA=", 3),
            ("AA===", 5), ("=", 1), ("==", 2), ("===", 3), ("====", 0), ("A===", 1), ("AAAA====", 4),
            ("AA=A", 3), ("AAA=AAAA", 4), ("AA==AAAA", 4), ("AA= ", 3), ("AAA=\n\n\n\n", 4),
        ]
        for (text, offset) in cases {
            let refusal = try refusal([UInt8](text.utf8), acceleration)
            #expect(refusal.code == .notBase64 && refusal.offset == offset, "\(text): \(refusal.offset)")
        }
    }
}
