import AppReceiptMint
import Basics
import Foundation
import Testing

@testable import AppReceipt

/// The other tests of base64 hold whether or not blocks are decoded, because single characters are, too.
@Suite("Base64 in blocks of 64 characters, by portable code")
struct Base64BlocksTests {
    private static let standard = [UInt8](
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )
    private static let urls: [UInt8] = standard.dropLast(2) + "-_".utf8

    /// Decodes the blocks of a range of text, after three bytes that the output has already.
    private func decoded(
        _ text: [UInt8],
        in range: Range<Int>,
        acceptsURLs: Bool
    ) -> (blocks: Int, bytes: [UInt8]) {
        var values = [UInt8](repeating: 66, count: 256)
        for alphabet in acceptsURLs ? [Self.standard, Self.urls] : [Self.standard] {
            for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        }
        var bytes = [UInt8](repeating: 0xEE, count: 3 + range.count / 4 * 3 + 3)
        var output = bytes.borrowedMutableSpan
        let blocks = Base64.decodeBlocks(
            text.borrowedSpan,
            in: range,
            values.borrowedSpan,
            &output,
            after: 3,
            .none
        )
        #expect(bytes.prefix(3) == [0xEE, 0xEE, 0xEE])
        return (blocks, Array(bytes[3..<(3 + 48 * blocks)]))
    }

    @Test("all whole blocks of a range are decoded, and nothing outside the range", arguments: [false, true])
    func ranges(acceptsURLs: Bool) throws {
        var random = SeededGenerator(seed: 48)
        let content = (0..<288).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let text = [UInt8](Data(content).base64EncodedString().utf8)
        for count in 0...256 {
            for start in [0, 4, 64] {
                let (blocks, bytes) = decoded(text, in: start..<(start + count), acceptsURLs: acceptsURLs)
                #expect(blocks == count / 64, "\(count) characters at \(start)")
                #expect(bytes.elementsEqual(content[(start / 4 * 3)...].prefix(48 * blocks)))
            }
        }
    }

    @Test("a block is decoded if each character has a value, at any place", arguments: [false, true])
    func characters(acceptsURLs: Bool) throws {
        for place in 0..<64 {
            for byte in UInt8.min...UInt8.max {
                var text = [UInt8](repeating: UInt8(ascii: "A"), count: 192)
                text[64 + place] = byte
                let value =
                    Self.standard.firstIndex(of: byte) ?? (acceptsURLs ? Self.urls.firstIndex(of: byte) : nil)
                let (blocks, bytes) = decoded(text, in: 0..<192, acceptsURLs: acceptsURLs)
                guard let value else {
                    #expect(blocks == 1, "\(byte) at \(place)")
                    continue
                }
                // The character's six bits are in two bytes, unless it is the first or last of its group.
                let bits = value << (6 * (3 - place % 4))
                var expected = [UInt8](repeating: 0, count: 144)
                for index in 0..<3 {
                    expected[48 + place / 4 * 3 + index] = UInt8(truncatingIfNeeded: bits >> (16 - 8 * index))
                }
                #expect(blocks == 3 && bytes == expected, "\(byte) at \(place)")
            }
        }
    }
}
