import AppReceiptMint
import Basics
import DER
import TestSupport
import Testing

@Suite("Writer (X.690 §10, §11)")
struct WriterTests {
    private static func written(_ body: (inout Writer) -> Void) -> [UInt8] {
        var writer = Writer()
        body(&writer)
        return writer.bytes
    }

    @Test(
        "writes an INTEGER in the fewest octets, and reads it back",
        arguments: [
            (0, "020100"), (1, "020101"), (127, "02017f"), (128, "02020080"), (255, "020200ff"),
            (256, "02020100"), (-1, "0201ff"), (-128, "020180"), (-129, "0202ff7f"), (-256, "0202ff00"),
            (Int64.max, "02087fffffffffffffff"), (Int64.min, "02088000000000000000"),
        ] as [(Int64, String)]
    )
    func integers(_ value: Int64, _ digits: String) throws {
        let bytes = Self.written { $0.writeInteger(value) }
        #expect(bytes == hex(digits))
        var reader = Reader(bytes.span)
        let read = try reader.readInteger("INTEGER")
        #expect(read == value)
    }

    @Test("reads back powers of two and their neighbours", arguments: 0..<63)
    func powers(_ exponent: Int) throws {
        for value in [1 << exponent, (1 << exponent) - 1, -(1 << exponent), -(1 << exponent) - 1] as [Int64] {
            let bytes = Self.written { $0.writeInteger(value) }
            var reader = Reader(bytes.span)
            let read = try reader.readInteger("INTEGER")
            #expect(read == value)
        }
    }

    @Test("writes true as FF and false as 00 (X.690 §8.2, §11.1)")
    func booleans() {
        #expect(Self.written { $0.writeBoolean(true) } == hex("0101ff"))
        #expect(Self.written { $0.writeBoolean(false) } == hex("010100"))
    }

    @Test(
        "drops the leading zeros of a magnitude and adds a sign octet if it is needed",
        arguments: [
            ("", "020100"), ("00", "020100"), ("0000", "020100"), ("7f", "02017f"), ("80", "02020080"),
            ("0080", "02020080"), ("000001", "020101"), ("ffff", "020300ffff"),
        ]
    )
    func magnitudes(_ magnitude: String, _ digits: String) {
        #expect(Self.written { $0.writeUnsignedInteger(hex(magnitude)) } == hex(digits))
    }

    @Test(
        "writes lengths in the shortest definite form, and reads them back",
        arguments: [
            (0, "00"), (1, "01"), (127, "7f"), (128, "8180"), (255, "81ff"), (256, "820100"),
            (65_535, "82ffff"), (65_536, "83010000"),
        ]
    )
    func lengths(_ count: Int, _ digits: String) throws {
        let bytes = Self.written { $0.writeOctetString([UInt8](repeating: 0xA5, count: count)) }
        #expect(Array(bytes.prefix(1 + digits.count / 2)) == [0x04] + hex(digits))
        var reader = Reader(bytes.span)
        let contents = try reader.read(.octetString, "OCTET STRING")
        try reader.finish("OCTET STRING")
        #expect(contents.count == count)
    }

    @Test(
        "writes tags of every size in the shortest form, and reads them back",
        arguments: [
            (DER.Tag(.contextSpecific, 0), "80"), (DER.Tag(.contextSpecific, 30), "9e"),
            (DER.Tag(.contextSpecific, 31), "9f1f"), (DER.Tag(.application, 127), "5f7f"),
            (DER.Tag(.application, 128, constructed: true), "7f8100"),
            (DER.Tag(.private, 16_383), "dfff7f"), (DER.Tag(.private, 16_384), "df818000"),
            (DER.Tag(.private, 2_097_152), "df81808000"), (DER.Tag(.private, 268_435_455), "dfffffff7f"),
            (DER.Tag(.private, 268_435_456), "df8180808000"), (DER.Tag(.private, .max), "df8fffffff7f"),
        ]
    )
    func tags(_ tag: DER.Tag, _ digits: String) throws {
        let bytes = Self.written { $0.write(tag, [0x01]) }
        #expect(bytes == hex(digits) + [0x01, 0x01])
        var reader = Reader(bytes.span)
        let element = try reader.readElement("element")
        #expect(element.tag == tag && element.range == 0..<bytes.count)
    }

    @Test("writes a SET OF in ascending order")
    func sets() throws {
        let elements = ["0101ff", "020101", "02020100", "020102", "0400", "020101", "3003020100"].map {
            hex($0)
        }
        let sorted = hex(
            "3117" + "0101ff" + "020101" + "020101" + "020102" + "02020100" + "0400" + "3003020100"
        )
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            #expect(Self.written { $0.writeSet(of: elements.shuffled(using: &generator)) } == sorted)
        }
        #expect(Self.written { $0.writeSet(of: [], tag: .constructed(0)) } == hex("a000"))
        refuses(.trailingBytes, at: 2) { () throws(Refusal) in
            var reader = Reader(sorted.span)
            let set = try reader.nested(.set, "SET OF")
            try set.finish("SET OF")
        }
    }

    @Test("reads back nested elements of all types")
    func roundTrip() throws {
        let identifier = ObjectIdentifier(1, 2, 840, 113_549, 1, 7, 2)
        let bytes = Self.written { writer in
            writer.nest(.sequence) { inner in
                inner.writeObjectIdentifier(identifier)
                inner.nest(.constructed(0)) { $0.writeBoolean(true) }
                inner.writeNull()
                inner.writeBitString([0xF0], unusedBits: 4)
                inner.writeUTF8String("é")
                inner.writeIA5String("a@b")
                inner.writeEncoded(hex("0a0105"))
            }
        }
        #expect(
            bytes
                == hex("3022 0609 2a864886f70d010702 a003 0101ff 0500 0302 04f0 0c02 c3a9 1603 614062 0a0105")
        )
        var reader = Reader(bytes.span)
        var sequence = try reader.nested(.sequence, "sequence")
        let read = ObjectIdentifier(bytes.span, in: try sequence.readObjectIdentifier("identifier"))
        var explicit = try sequence.nested(.constructed(0), "[0]")
        let boolean = try explicit.readBoolean("boolean")
        try sequence.readNull("null")
        let bits = try sequence.readBitString("bits")
        let (text, mail) = (try sequence.read(.utf8String, "text"), try sequence.readIA5String("mail"))
        let enumerated = try sequence.read(DER.Tag(.universal, 10), "enumerated")
        try sequence.finish("sequence")
        try reader.finish("input")
        #expect(read == identifier && boolean && bits.unusedBits == 4)
        #expect(text.count == 2 && mail.count == 3 && enumerated.count == 1)
    }

    @Test(
        "writes a UTCTime for the years 1950 to 2049, and otherwise a GeneralizedTime",
        arguments: [
            (1949, 12, 31, "18", "19491231000000Z"), (1950, 1, 1, "17", "500101000000Z"),
            (1999, 12, 31, "17", "991231000000Z"), (2000, 2, 29, "17", "000229000000Z"),
            (2049, 12, 31, "17", "491231000000Z"), (2050, 1, 1, "18", "20500101000000Z"),
            (1000, 1, 1, "18", "10000101000000Z"), (0, 1, 1, "18", "00000101000000Z"),
            (9999, 12, 31, "18", "99991231000000Z"),
        ]
    )
    func times(_ year: Int, _ month: Int, _ day: Int, _ tag: String, _ text: String) throws {
        let time = try #require(Timestamp(year: year, month: month, day: day))
        let bytes = Self.written { $0.writeTime(time) }
        #expect(bytes == hex(tag) + [UInt8(text.utf8.count)] + [UInt8](text.utf8))
        var reader = Reader(bytes.span)
        let read = tag == "17" ? try reader.readUTCTime("time") : try reader.readGeneralizedTime("time")
        #expect(read == time)
    }
}
