import AppReceiptMint
import DER

extension Attack {
    /// What Apple signs. Before the signature only the creation date is sought there, in whatever is given.
    static let payloads: [Attack] = [
        // The limit on attributes binds: 2^16 of ten bytes.
        Attack(
            "attributes",
            "as many attributes as the limits allow, of ten bytes each",
            upTo: 650_000,
            ceiling: 73
        ) { mint, size in
            mint.receipt(payload: { $0.rawAttributes = attributes(100, (size - 4000) / 10) })
        },
        Attack(
            "attributes-odd",
            "as many attributes, their types in eight octets and their versions in two",
            upTo: 1_100_000,
            ceiling: 133
        ) { mint, size in
            mint.receipt(payload: {
                let odd = AttributeTemplate(1 << 56, version: 256, value: [])
                $0.rawAttributes = [AttributeTemplate](repeating: odd, count: (size - 4000) / 17)
            })
        },
        Attack(
            "content",
            "one attribute that nobody knows, to be hashed",
            ceiling: 57
        ) { mint, size in
            mint.receipt(payload: {
                let value = [UInt8](repeating: 0, count: size - 4000)
                $0.rawAttributes = [AttributeTemplate(100, value: value)]
            })
        },
        Attack(
            "device-hash",
            "an opaque value to be hashed for the device, too",
            ceiling: 81
        ) { mint, size in
            mint.receipt(payload: { $0.opaqueValue = [UInt8](repeating: 0, count: size - 4000) })
        },
        Attack(
            "utf8",
            "a version of ASCII, but for every thirty-second character",
            ceiling: 70
        ) { mint, size in
            mint.receipt(payload: { $0.appVersion = text(size - 4000) })
        },
        Attack(
            "fraction",
            "creation date with a fraction of a second that does not end",
            ceiling: 92
        ) {
            mint,
            size in
            mint.receipt(payload: {
                $0.creationDate = nil
                let date = "2024-06-01T12:00:00." + String(repeating: "0", count: size - 4000) + "Z"
                $0.rawAttributes = [.ia5String(12, date)]
            })
        },
        Attack(
            "purchases",
            "as many purchases as the limits allow, of a product each",
            upTo: 1_200_000,
            ceiling: 370,
            memory: 16,
            work: .ask
        ) { mint, size in
            mint.receipt(payload: {
                let product = AttributeTemplate.utf8String(1702, "a")
                let purchase = AttributeTemplate(17, value: [product].encodedSet())
                let count = (size - 4000) / purchase.encoded().count
                $0.rawAttributes = [AttributeTemplate](repeating: purchase, count: count)
            })
        },
        Attack(
            "purchases-malformed",
            "as many purchases without anything in them",
            upTo: 770_000,
            ceiling: 386,
            memory: 16,
            work: .ask
        ) { mint, size in
            mint.receipt(payload: { $0.rawAttributes = attributes(17, (size - 4000) / 12, [0x31, 0x00]) })
        },
        Attack(
            "purchases-malformed-in-ber",
            "the same in BER, in segments of eight octets: the way back to each place has to be sought",
            upTo: 1_700_000,
            ceiling: 467,
            memory: 13,
            work: .ask
        ) { mint, size in
            mint.receipt {
                $0.encoding = .ber(segmentByteCount: 8)
            } payload: {
                $0.rawAttributes = attributes(17, (size - 6000) / 27, [0x31, 0x00])
            }
        },
        Attack(
            "purchases-of-attributes",
            "purchases that have as many attributes as there is room for",
            ceiling: 63,
            work: .ask
        ) { mint, size in
            mint.receipt(payload: {
                let rest = [AttributeTemplate](repeating: AttributeTemplate(1800, value: []), count: 5000)
                let purchase = ([.utf8String(1702, "a")] + rest).encodedSet(sorted: false)
                let count = max(1, (size - 4000) / purchase.count)
                $0.rawAttributes = (0..<count).map { _ in AttributeTemplate(17, value: purchase) }
            })
        },
        Attack(
            "purchases-of-text",
            "purchases whose products are 64 bytes of text that is not all ASCII",
            upTo: 8_380_000,
            ceiling: 197,
            memory: 1,
            work: .ask
        ) { mint, size in
            mint.receipt(payload: {
                let product = AttributeTemplate.utf8String(1702, text(64))
                let offer = AttributeTemplate.utf8String(1721, text(64))
                let purchase = AttributeTemplate(17, value: [product, offer].encodedSet())
                let count = min(60000, (size - 4000) / purchase.encoded().count)
                $0.rawAttributes = [AttributeTemplate](repeating: purchase, count: count)
            })
        },
    ]

    private static func attributes(_ type: Int64, _ count: Int, _ value: [UInt8] = []) -> [AttributeTemplate]
    {
        [AttributeTemplate](repeating: AttributeTemplate(type, value: value), count: count)
    }

    /// Characters of one byte, but for the last of every thirty-two bytes.
    private static func text(_ byteCount: Int) -> String {
        String(repeating: String(repeating: "a", count: 30) + "é", count: max(1, byteCount / 32))
    }
}
