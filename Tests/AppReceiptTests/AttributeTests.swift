import AppReceiptMint
import Basics
import DER
import Testing

@testable import AppReceipt

/// Compares the fast readers of attributes with the strict reader, which reads element by element.
@Suite("Byte layouts of attributes")
struct AttributeTests {
    /// The fields of an attribute, read by the strict reader alone; nil if it refuses.
    private static func read(_ bytes: [UInt8]) -> [Int64]? {
        var set = Reader(bytes.span)
        do throws(Refusal) {
            var sequence = try set.nested(.sequence, "attribute")
            let (type, version) = (try sequence.readInteger("type"), try sequence.readInteger("version"))
            let value = try sequence.read(.octetString, "value")
            try sequence.finish("attribute")
            return [type, version, Int64(value.lowerBound), Int64(value.upperBound)]
        } catch {
            return nil
        }
    }

    /// Whether all readers give the strict reader's fields, and each fast reader reads its own layout and no
    /// other. Tries buffers that end with the attribute and buffers that go on.
    private static func agree(_ bytes: [UInt8]) -> Bool {
        let expected = read(bytes)
        return [0, 1, 300].allSatisfy { agree(bytes, expected, before: $0) }
    }

    private static func agree(_ bytes: [UInt8], _ expected: [Int64]?, before more: Int) -> Bool {
        // The buffer has three bytes before the attribute and `more` bytes after it.
        let (start, end) = (3, 3 + bytes.count)
        let buffer = [UInt8](repeating: 0, count: start) + bytes + [UInt8](repeating: 0, count: more)
        func fields(_ attribute: AttributeRange?) -> [Int64]? {
            attribute.map {
                [
                    $0.type, $0.version, Int64($0.value.lowerBound - start),
                    Int64($0.value.upperBound - start),
                ]
            }
        }
        let attribute = try? AttributeRange(buffer.span, at: start, before: end)
        guard fields(attribute) == expected, attribute?.start ?? start == start else { return false }
        let plain = fields(AttributeRange(plain: buffer.span, at: start, before: end))
        let long = fields(AttributeRange(long: buffer.span, at: start, before: end))
        return plain == (isPlain(bytes, before: more, expected) ? expected : nil)
            && long == (isLong(bytes, expected) ? expected : nil)
    }

    /// Whether the layout is plain: a type of one or two octets, a version of one octet, lengths below 128,
    /// and eleven octets in the buffer.
    private static func isPlain(_ bytes: [UInt8], before more: Int, _ fields: [Int64]?) -> Bool {
        guard let fields else { return false }
        return (0...32_767).contains(fields[0]) && (0...127).contains(fields[1]) && bytes[1] < 0x80
            && bytes.count + more >= 11
    }

    /// Whether the layout is long: type and version of one octet, lengths of two octets.
    private static func isLong(_ bytes: [UInt8], _ fields: [Int64]?) -> Bool {
        guard let fields else { return false }
        return (0...127).contains(fields[0]) && (0...127).contains(fields[1]) && bytes[1] == 0x82
            && fields[3] - fields[2] >= 256
    }

    private static func attribute(type: Int64, version: Int64, valueCount: Int) -> [UInt8] {
        attribute(type: type, version: version, value: [UInt8](repeating: 0xA5, count: valueCount))
    }

    private static func attribute(type: Int64, version: Int64, value: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { sequence in
            sequence.writeInteger(type)
            sequence.writeInteger(version)
            sequence.writeOctetString(value)
        }
        return writer.bytes
    }

    static let types: [Int64] = [0, 1, 17, 127, 128, 255, 256, 1701, 1721, 32_767, 32_768, -1, -129, 1 << 40]
    static let counts = [0, 1, 2, 100, 115, 116, 117, 118, 119, 120, 127, 128, 240, 255, 256, 300, 65_535]

    @Test("reads type, version and value of every length as the strict reader does", arguments: types, counts)
    func forms(_ type: Int64, _ count: Int) {
        for version: Int64 in [1, 0, 127, 128, -1, 70_000] {
            let bytes = Self.attribute(type: type, version: version, valueCount: count)
            #expect(Self.read(bytes)?[0...1] == [type, version])
            #expect(Self.agree(bytes) && Self.agree(bytes + [0x30, 0x00]))
            #expect(Self.agree(Array(bytes.dropLast())))
        }
    }

    /// Types of one, two, three and six octets. Changes of one octet lead to all others of one octet.
    static let changedTypes: [Int64] = [17, 1701, -129, 32_768, 1 << 40]

    @Test(
        "agrees with the strict reader after any change of one octet",
        arguments: changedTypes,
        [0, 5, 118, 127, 300]
    )
    func changed(_ type: Int64, _ count: Int) {
        let bytes = Self.attribute(type: type, version: 1, valueCount: count)
        for index in 0..<min(18, bytes.count) {
            for octet in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = octet
                #expect(Self.agree(changed), "\(index), \(octet)")
                for count in 12...14 { #expect(Self.agree(Array(changed.prefix(count)))) }
            }
        }
    }

    @Test("refuses a length with too many or too few octets")
    func lengths() {
        for count in 100...255 {
            let value = [UInt8](repeating: 0xA5, count: count)
            let octet = UInt8(count)
            if count < 128 {
                // A length of 128 or more in the short form.
                let one = [0x30, octet + 8, 0x02, 0x01, 0x11, 0x02, 0x01, 0x01, 0x04, octet] + value
                let two = [0x30, octet + 9, 0x02, 0x02, 0x06, 0xA5, 0x02, 0x01, 0x01, 0x04, octet] + value
                #expect(Self.agree(one) && Self.agree(two))
                #expect(
                    (Self.read(one) == nil) == (count >= 120) && (Self.read(two) == nil) == (count >= 119)
                )
            }
            // A length that fits one octet in the form of two octets.
            let length = [0x82, UInt8((count + 10) >> 8), UInt8((count + 10) & 0xFF)]
            let inner = [0x02, 0x01, 0x11, 0x02, 0x01, 0x01, 0x04, 0x82, 0x00, octet] + value
            #expect(Self.agree([0x30] + length + inner) && Self.read([0x30] + length + inner) == nil)
        }
    }

    @Test("agrees with the strict reader on random octets that begin like an attribute")
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

    @Test("accepts and refuses the numbers that the strict reader accepts and refuses")
    func numbers() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let count = Int(generator.next() % 10)
            var element: [UInt8] = [0x02, UInt8(count)]
            for index in 0..<count {
                // Leading octets 00, FF, 7F and 80 decide the sign and whether the INTEGER is minimal.
                let octets: [UInt8] = [0x00, 0xFF, 0x7F, 0x80, UInt8(truncatingIfNeeded: generator.next())]
                element.append(octets[Int(generator.next() % (index < 2 ? 5 : 2)) + (index < 2 ? 0 : 3)])
            }
            let bytes = Self.attribute(type: 1701, version: 1, value: element)
            let attribute = try AttributeRange(bytes.span, at: 0, before: bytes.count)
            var reader = Reader(element.span)
            let expected = (try? reader.readInteger("number")).flatMap {
                $0 < 0 || !reader.isAtEnd ? nil : $0
            }
            let read = ValueReader(bytes.span, in: attribute.value)
            #expect((try? read.number("number")) == expected, "\(element)")
            #expect(read.plainNumber == expected, "\(element) by the fast reader")
        }
    }

    @Test("tells an element that fills its value from one that does not")
    func filling() throws {
        for count in [0, 1, 2, 127, 128, 129, 130, 200] {
            for (first, second) in [
                (0x0C, count - 2), (0x0C, count - 1), (0x0C, count - 3), (0x16, count - 2),
            ] {
                var element = [UInt8](repeating: 0x41, count: count)
                if count > 0 { element[0] = UInt8(first) }
                if count > 1 { element[1] = UInt8(truncatingIfNeeded: second) }
                let bytes = Self.attribute(type: 2, version: 1, value: element)
                let attribute = try AttributeRange(bytes.span, at: 0, before: bytes.count)
                var reader = Reader(element.span)
                let contents = try? reader.read(.utf8String, "string")
                let fills = contents != nil && reader.isAtEnd
                #expect(
                    ValueReader(bytes.span, in: attribute.value).isPlain(.utf8String) == fills,
                    "\(element.prefix(2))"
                )
                let value = try? ValueReader(bytes.span, in: attribute.value).utf8("string")
                #expect((value != nil) == (fills && count > 2), "\(element.prefix(2))")
            }
        }
    }

    @Test(
        "reads a date in the usual form as the reader of all forms does",
        arguments: ["2024-02-29T23:59:58Z", "2000-10-10T00:00:00Z"]
    )
    func dates(_ text: String) {
        let usual = [UInt8](text.utf8)
        func date(_ text: [UInt8]) -> Timestamp? { Timestamp(rfc3339: text.span, in: 0..<text.count) }
        #expect(date(usual)?.description == text)
        for index in 0..<19 {
            for octet in UInt8.min...UInt8.max {
                var changed = usual
                changed[index] = octet
                let slow = [UInt8](changed.dropLast()) + [UInt8](".0Z".utf8)
                #expect(date(changed) == date(slow), "\(index), \(octet)")
                #expect(
                    Timestamp(usual: changed.span) == date(slow),
                    "\(index), \(octet) by the fast reader"
                )
            }
        }
    }
}
