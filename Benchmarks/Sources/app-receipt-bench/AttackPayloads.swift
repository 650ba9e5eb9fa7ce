import AppReceiptMint
import Basics
import DER

extension Attack {
    /// Attacks in the payload. Apple signs the payload, but the validator must look for the creation date
    /// before it verifies the signature, so an attacker's payload is read to that extent.
    static let payloads: [Attack] = [
        // The limit of 2^16 attributes is reached, with ten bytes each.
        Attack(
            "attributes",
            "as many attributes as the limits allow, ten bytes each",
            upTo: 650_000,
            ceiling: 73
        ) { mint, size in
            mint.receipt(payload: { $0.rawAttributes = attributes(100, (size - 4000) / 10) })
        },
        Attack(
            "attributes-odd",
            "as many attributes as the limits allow, with types of eight octets and versions of two",
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
            "one long attribute of an unknown type, which is hashed with the content",
            ceiling: 57
        ) { mint, size in
            mint.receipt(payload: {
                let value = [UInt8](repeating: 0, count: size - 4000)
                $0.rawAttributes = [AttributeTemplate(100, value: value)]
            })
        },
        Attack(
            "device-hash",
            "a long opaque value, which is hashed for the device as well",
            ceiling: 81
        ) { mint, size in
            mint.receipt(payload: { $0.opaqueValue = [UInt8](repeating: 0, count: size - 4000) })
        },
        Attack(
            "utf8",
            "a version of ASCII in which every thirty-first character takes two bytes",
            ceiling: 70
        ) { mint, size in
            mint.receipt(payload: { $0.appVersion = text(size - 4000) })
        },
        Attack(
            "fraction",
            "a creation date with a very long fraction of a second",
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
            "as many purchases as the limits allow, one product each",
            upTo: 1_200_000,
            ceiling: 370,
            memory: 16,
            work: .query
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
            "as many purchases as the limits allow, all empty",
            upTo: 770_000,
            ceiling: 386,
            memory: 16,
            work: .query
        ) { mint, size in
            mint.receipt(payload: { $0.rawAttributes = attributes(17, (size - 4000) / 12, [0x31, 0x00]) })
        },
        Attack(
            "purchases-malformed-in-ber",
            "empty purchases in BER segments of eight octets, so that each error's offset must be mapped to the input",
            upTo: 1_700_000,
            ceiling: 467,
            memory: 13,
            work: .query
        ) { mint, size in
            mint.receipt {
                $0.encoding = .ber(segmentByteCount: 8)
            } payload: {
                $0.rawAttributes = attributes(17, (size - 6000) / 27, [0x31, 0x00])
            }
        },
        Attack(
            "purchases-of-attributes",
            "purchases with as many attributes as fit",
            ceiling: 63,
            work: .query
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
            "purchases whose product identifiers are 64 bytes of text that is not all ASCII",
            upTo: 8_380_000,
            ceiling: 197,
            memory: 1,
            work: .query
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

    /// Returns text in units of 32 bytes: thirty characters of one byte and one of two bytes.
    private static func text(_ byteCount: Int) -> String {
        String(repeating: String(repeating: "a", count: 30) + "é", count: max(1, byteCount / 32))
    }
}
