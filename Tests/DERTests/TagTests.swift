import AppReceiptMint
import DER
import Testing

@Suite("Tags (X.690 §8.1.2)")
struct TagTests {
    @Test(
        "a tag has the class, form and number that it was created with",
        arguments: [DER.Tag.Class.universal, .application, .contextSpecific, .private]
    )
    func parts(_ tagClass: DER.Tag.Class) {
        for number: UInt32 in [0, 1, 30, 31, 127, 128, 1 << 24, .max] {
            for constructed in [false, true] {
                let tag = DER.Tag(tagClass, number, constructed: constructed)
                #expect(tag.tagClass == tagClass && tag.number == number && tag.isConstructed == constructed)
            }
        }
    }

    @Test("tags are different if class, form or number is different")
    func equality() {
        let tag = DER.Tag(.contextSpecific, 3)
        #expect(tag == .primitive(3) && tag != .constructed(3) && tag != .primitive(4))
        #expect(tag != DER.Tag(.application, 3) && tag != .bitString)
        #expect(
            DER.Tag(.universal, 16) != .sequence && DER.Tag(.universal, 16, constructed: true) == .sequence
        )
    }

    @Test(
        "the universal types have the numbers of X.680 §8.6",
        arguments: [
            (DER.Tag.boolean, 0x01), (.integer, 0x02), (.bitString, 0x03), (.octetString, 0x04),
            (.null, 0x05), (.objectIdentifier, 0x06), (.enumerated, 0x0A), (.utf8String, 0x0C),
            (.sequence, 0x30), (.set, 0x31), (.printableString, 0x13), (.teletexString, 0x14),
            (.ia5String, 0x16), (.utcTime, 0x17), (.generalizedTime, 0x18), (.bmpString, 0x1E),
        ] as [(DER.Tag, UInt8)]
    )
    func universal(_ tag: DER.Tag, _ octet: UInt8) {
        var writer = Writer()
        writer.write(tag, [])
        #expect(writer.bytes == [octet, 0])
    }
}
