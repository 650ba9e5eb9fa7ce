import AppReceiptMint
import Basics
import DER
import TestSupport
import Testing

/// For any bytes, the answer is a value or a refusal, as the plain definition in `Reference` gives it.
@Suite("Mutated input")
struct MutationTests {
    private static let seeds: [[UInt8]] = [
        "3080 0609 2a864886f70d010702 a080 3080 020101 310f 300d 0609 608648016503040201 0500 3080 0609"
            + "2a864886f70d010701 a080 2480 0404 31020101 040141 2403 040142 0000 0000 0000 0000 0000 0000",
        "2480 2480 040141 0000 2403 040142 048101 43 0400 0000",
        "3082 0003 020105",
        "bf8f7f80 5f8f7f02 0102 9f1f0100 0000",
        "3021 170d 3233303232323134333031355a 0101ff 0500 0304 066e5dc0 0c02 c3a9 1601 41",
        "300d 180b 32303130303130325a5a5a",
        "3037 1813 32303130303130323033303430352e3132335a 0203 800001 0603 2a8100 1303 412042 0a0101"
            + "160e 61626364656667686969696a6a6a",
    ].map { hex($0) }

    private static func mutated(_ seed: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: 0...bytes.count, using: &generator)
            let octets: [UInt8] = [
                0x00, 0x01, 0x04, 0x1F, 0x24, 0x30, 0x7F, 0x80, 0x81, 0x82, 0x84, 0x85, 0xFF,
            ]
            let octet = octets.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0..<7, using: &generator) {
            case 0 where index < bytes.count: bytes[index] = octet
            case 1 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2 where index < bytes.count: bytes.remove(at: index)
            case 3: bytes.insert(octet, at: index)
            case 4: bytes.removeLast(min(bytes.count, Int.random(in: 0..<4, using: &generator)))
            case 5: bytes.insert(contentsOf: [0, 0], at: index)
            default:
                let end = min(bytes.count, index + Int.random(in: 0..<12, using: &generator))
                bytes.insert(contentsOf: bytes[index..<end], at: Int.random(in: 0...index, using: &generator))
            }
        }
        return bytes
    }

    /// Reads every element at every depth, and tries every decoder at each element.
    private static func walk(_ reader: inout Reader) throws(Refusal) {
        while !reader.isAtEnd {
            decode(reader.bytes, reader.offset..<reader.end)
            let element = try reader.readElement("element")
            guard element.tag.isConstructed else { continue }
            var inner = Reader(reader.bytes, in: element.contents)
            try walk(&inner)
        }
    }

    private static func decode(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        func attempt(_ body: (inout Reader) throws(Refusal) -> Void) {
            var reader = Reader(bytes, in: range)
            do throws(Refusal) { try body(&reader) } catch {
                if !(range.lowerBound...range.upperBound).contains(error.offset) {
                    Issue.record("\(error), outside \(range)")
                }
            }
            let offset = reader.offset
            if !(range.lowerBound...range.upperBound).contains(offset) { Issue.record("moved to \(offset)") }
        }
        attempt { (reader) throws(Refusal) in _ = try reader.readInteger("x") }
        attempt { (reader) throws(Refusal) in _ = try reader.readUnsignedInteger("x") }
        attempt { (reader) throws(Refusal) in _ = try reader.readBoolean("x") }
        attempt { (reader) throws(Refusal) in _ = try reader.readBitString("x") }
        attempt { (reader) throws(Refusal) in _ = try reader.readOctetAlignedBitString("x") }
        attempt { (reader) throws(Refusal) in try reader.readNull("x") }
        attempt { (reader) throws(Refusal) in _ = try reader.readIA5String("x") }
        attempt { (reader) throws(Refusal) in _ = try reader.readUTCTime("x").description }
        attempt { (reader) throws(Refusal) in _ = try reader.readGeneralizedTime("x").description }
        attempt { (reader) throws(Refusal) in
            let contents = try reader.readObjectIdentifier("x")
            _ = ObjectIdentifier(reader.bytes, in: contents)
            _ = ObjectIdentifier.dotted(reader.bytes, in: contents)
        }
    }

    /// Whether all headers are DER. A refusal with the code `tolerated` counts as DER: the normaliser does
    /// not change universal types of the wrong form.
    private static func isWellFormed(_ bytes: [UInt8], but tolerated: Refusal.Code? = nil) -> Bool {
        var reader = Reader(bytes.span)
        do throws(Refusal) {
            try walk(&reader)
            return true
        } catch {
            if !(0...bytes.count).contains(error.offset) { Issue.record("\(error), of \(bytes.count) bytes") }
            return error.code == tolerated
        }
    }

    @Test("the normaliser gives the result of its plain definition", arguments: 0..<7)
    func definition(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var accepted = 0
        for _ in 0..<700 {
            let input = Self.mutated(Self.seeds[seed], &generator)
            let expected = Reference.der(input)
            let isDER = Self.isWellFormed(input)
            do throws(Refusal) {
                let normalised = try NormaliserTests.normalise(input)
                let output = normalised?.bytes ?? input
                accepted += 1
                if output != expected { Issue.record("\(input) became \(output)") }
                if !Self.isWellFormed(output, but: .unexpectedTag) { Issue.record("\(output) is not DER") }
                guard let normalised else { continue }
                if try NormaliserTests.normalise(output) != nil { Issue.record("\(output) changes again") }
                var last = 0
                for offset in 0...output.count {
                    let place = normalised.inputOffset(of: offset)
                    if place < last || place > input.count { Issue.record("\(input): \(offset) to \(place)") }
                    last = place
                }
            } catch {
                if expected != nil { Issue.record("\(input) is BER, and refused: \(error)") }
                if isDER && error.code != .trailingBytes && !input.isEmpty {
                    Issue.record("\(input) is DER, and refused: \(error)")
                }
                if !(0...input.count).contains(error.offset) { Issue.record("\(error), outside \(input)") }
            }
        }
        // Mutants that are all refused would test nothing.
        #expect(accepted > 20)
    }

    @Test("verbatim copies stay unchanged when the output is normalised again", arguments: 0..<4)
    func verbatim(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(100 + seed))
        for _ in 0..<500 {
            let input = Self.mutated(Self.seeds[seed], &generator)
            let chosen = Int.random(in: 0..<4, using: &generator)
            do throws(Refusal) {
                let isChosen: Normaliser.Verbatim = { depth, _, tag in depth == chosen && tag.number & 1 == 0
                }
                guard let first = try NormaliserTests.normalise(input, verbatim: isChosen) else { continue }
                let second = try NormaliserTests.normalise(first.bytes, verbatim: isChosen)
                if second != nil { Issue.record("\(input) becomes \(first.bytes), which changes again") }
            } catch {
                if !(0...input.count).contains(error.offset) { Issue.record("\(error), outside \(input)") }
            }
        }
    }

    @Test("every prefix of every seed is refused, or converted as the plain definition converts it")
    func prefixes() {
        for seed in Self.seeds {
            for count in 0...seed.count {
                let input = Array(seed.prefix(count))
                _ = Self.isWellFormed(input)
                let output = try? NormaliserTests.normalise(input)?.bytes ?? input
                #expect(output == Reference.der(input))
            }
        }
    }
}
