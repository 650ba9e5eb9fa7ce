import AppReceipt
import AppReceiptMint
import DER
import Foundation
import Processor
import TestSupport
import Testing

@Suite("The processor's own instructions decode base64 to what the portable code defines")
struct AccelerationTests {
    private static let accelerations: [Acceleration] = [.none] + TestSupport.accelerations

    /// The result of each implementation for a text: the bytes, or the refusal.
    private func decoded(_ text: [UInt8]) -> [String] {
        Self.accelerations.map { acceleration in
            do throws(ReceiptError) {
                return "\(try ReceiptInput.decode(text, acceleration: acceleration))"
            } catch {
                return "\(error.code) at \(error.offset)"
            }
        }
    }

    private func container(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        [0x30] + (1..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    @Test("containers of every length up to ten blocks, and at every place in a buffer")
    func lengths() throws {
        var random = SeededGenerator(seed: 64)
        for count in 1...480 {
            let container = container(count, &random)
            let spaces = [UInt8](repeating: UInt8(ascii: "\n"), count: count % 67)
            let text = spaces + Data(container).base64EncodedString().utf8
            for acceleration in Self.accelerations {
                #expect(try ReceiptInput.decode(text, acceleration: acceleration) == container, "\(count)")
            }
        }
    }

    @Test("every byte at every place gives equal bytes or an equal refusal, in blocks and beside them")
    func everyByte() throws {
        var random = SeededGenerator(seed: 65)
        // Two blocks, and half of one: a block is decoded only if the output has room for more bytes than the
        // block gives.
        let text = [UInt8](Data(container(120, &random)).base64EncodedString().utf8)
        for place in 0..<text.count {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[place] = byte
                let results = decoded(changed)
                #expect(results.allSatisfy { $0 == results[0] }, "\(byte) at \(place)")
            }
        }
    }

    @Test("lines of every length, in either alphabet, with and without padding")
    func lines() throws {
        var random = SeededGenerator(seed: 66)
        for length in 1...140 {
            let container = container(300 + length % 3, &random)
            var text = Data(container).base64EncodedString()
            if length % 2 == 0 { text = text.replacing("+", with: "-").replacing("/", with: "_") }
            if length % 5 == 0 { text = text.replacing("=", with: "") }
            var lines: [UInt8] = []
            for (index, character) in text.utf8.enumerated() {
                if index > 0, index % length == 0 { lines += "\r\n".utf8 }
                lines.append(character)
            }
            for acceleration in Self.accelerations {
                #expect(try ReceiptInput.decode(lines, acceleration: acceleration) == container, "\(length)")
            }
        }
    }
}
