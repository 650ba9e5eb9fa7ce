import AppReceiptMint
import DER
import Testing

@testable import AppReceipt

/// What is read in one look has to be what the strict reader reads element by element.
@Suite("Attributes of every form")
struct AttributeTests {
    /// ReceiptAttribute by the reader alone.
    private static func read(_ bytes: [UInt8]) -> [Int64]? {
        var set = Reader(bytes.span)
        do throws(Refusal) {
            var sequence = try set.nested(.sequence, "attribute")
            let (type, version) = (try sequence.readInteger("type"), try sequence.readInteger("version"))
            let value = try sequence.readOctetString("value")
            try sequence.finish("attribute")
            return [type, version, Int64(value.lowerBound), Int64(value.upperBound)]
        } catch {
            return nil
        }
    }

    private static func agree(_ bytes: [UInt8]) -> Bool {
        let attribute = try? AttributeRange(bytes.span, at: 0, before: bytes.count)
        let fields = attribute.map {
            [$0.type, $0.version, Int64($0.value.lowerBound), Int64($0.value.upperBound)]
        }
        return fields == read(bytes) && attribute?.start ?? 0 == 0
    }

    private static func attribute(type: Int64, version: Int64, valueCount: Int) -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { sequence in
            sequence.writeInteger(type)
            sequence.writeInteger(version)
            sequence.writeOctetString([UInt8](repeating: 0xA5, count: valueCount))
        }
        return writer.bytes
    }

    static let types: [Int64] = [0, 1, 17, 127, 128, 255, 256, 1701, 1721, 32_767, 32_768, -1, -129, 1 << 40]
    static let counts = [0, 1, 2, 100, 115, 116, 117, 118, 119, 120, 127, 128, 240, 255, 256, 300, 65_535]

    @Test("type, version and value are where they are, whatever their lengths", arguments: types, counts)
    func forms(_ type: Int64, _ count: Int) {
        for version: Int64 in [1, 0, 127, 128, -1, 70_000] {
            let bytes = Self.attribute(type: type, version: version, valueCount: count)
            #expect(Self.read(bytes)?[0...1] == [type, version])
            #expect(Self.agree(bytes) && Self.agree(bytes + [0x30, 0x00]))
            #expect(Self.agree(Array(bytes.dropLast())))
        }
    }

    @Test("one octet changed is refused, or means the same to both", arguments: types, [0, 5, 118, 127, 300])
    func changed(_ type: Int64, _ count: Int) {
        let bytes = Self.attribute(type: type, version: 1, valueCount: count)
        for index in 0..<min(18, bytes.count) {
            for octet in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = octet
                #expect(Self.agree(changed), "\(index), \(octet)")
                #expect(Self.agree(Array(changed.prefix(12))))
            }
        }
    }

    @Test("random octets that begin like an attribute mean the same to both")
    func random() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<100_000 {
            var bytes: [UInt8] = [
                0x30, 0x0B, 0x02, 0x02, 0x06, 0xA5, 0x02, 0x01, 0x01, 0x04, 0x02, 0x0C, 0x00,
            ]
            for _ in 0..<(generator.next() % 4) {
                bytes[Int(generator.next() % 13)] = UInt8(truncatingIfNeeded: generator.next() >> 20)
            }
            #expect(Self.agree(bytes))
        }
    }

    @Test("a number of a value is that of the reader, and one that is none is refused")
    func numbers() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let count = Int(generator.next() % 10)
            var element: [UInt8] = [0x02, UInt8(count)]
            for index in 0..<count {
                // Leading octets of all ones and of zeros are the corners.
                let octets: [UInt8] = [0x00, 0xFF, 0x7F, 0x80, UInt8(truncatingIfNeeded: generator.next())]
                element.append(octets[Int(generator.next() % (index < 2 ? 5 : 2)) + (index < 2 ? 0 : 3)])
            }
            var value = Writer()
            value.nest(.sequence) { sequence in
                sequence.writeInteger(1701)
                sequence.writeInteger(1)
                sequence.writeOctetString(element)
            }
            let bytes = value.bytes
            let attribute = try AttributeRange(bytes.span, at: 0, before: bytes.count)
            var reader = Reader(element.span)
            let expected = (try? reader.readInteger("number")).flatMap {
                $0 < 0 || !reader.isAtEnd ? nil : $0
            }
            #expect((try? ValueReader(bytes.span, attribute).number("number")) == expected, "\(element)")
        }
    }

    @Test("a date is the same with a fraction of zero, which is read character by character")
    func dates() {
        let usual = [UInt8]("2024-02-29T23:59:58Z".utf8)
        func date(_ text: [UInt8]) -> Timestamp? { Timestamp(rfc3339: text.span, in: 0..<text.count) }
        #expect(date(usual)?.description == "2024-02-29T23:59:58Z")
        for index in 0..<19 {
            for octet in UInt8.min...UInt8.max {
                var changed = usual
                changed[index] = octet
                let slow = Array(changed.dropLast()) + [UInt8]("00.0Z".utf8.dropFirst(2))
                #expect(date(changed) == date(slow), "\(index), \(octet)")
            }
        }
    }
}
