import AppReceipt
import AppReceiptMint
import Basics
import DER
import TestSupport
import Testing

/// A malformed purchase with the refusal it causes.
struct MalformedPurchase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: Refusal.Code
    /// The octets of the attribute's value.
    let value: [UInt8]
    /// The offset of the refusal, from the start of the value.
    let offset: Int

    /// - Parameters:
    ///   - attribute: an attribute that is written after the product's.
    ///   - offset: the offset of the refusal from the start of the attribute's value. It is negative for an
    ///     offset before the value.
    init(
        _ description: String,
        _ code: Refusal.Code,
        _ attribute: AttributeTemplate,
        at offset: Int
    ) {
        testDescription = description
        self.code = code
        var purchase = PurchaseTemplate(productIdentifier: "malformed")
        purchase.quantity = nil
        purchase.originalPurchaseDate = nil
        purchase.isSorted = false
        purchase.rawAttributes = [attribute]
        value = purchase.encoded()
        self.offset = value.count - attribute.value.count + offset
    }

    init(_ description: String, _ code: Refusal.Code, value: [UInt8], at offset: Int) {
        testDescription = description
        self.code = code
        self.value = value
        self.offset = offset
    }
}

extension MalformedPurchase {
    private static let doubled = AttributeTemplate.utf8String(1702, "again")

    static let all: [MalformedPurchase] = [
        MalformedPurchase(
            "a day that does not exist",
            .invalidDate,
            .ia5String(1708, "2024-02-30T00:00:00Z"),
            at: 2
        ),
        MalformedPurchase(
            "a date without a zone",
            .invalidDate,
            .ia5String(1706, "2024-02-20T00:00:00"),
            at: 2
        ),
        MalformedPurchase(
            "a date in another type",
            .unexpectedTag,
            .utf8String(1712, "2024-02-20T00:00:00Z"),
            at: 0
        ),
        MalformedPurchase("a negative quantity", .negativeInteger, .integer(1701, -1), at: 0),
        MalformedPurchase("a quantity in a string", .unexpectedTag, .utf8String(1701, "one"), at: 0),
        MalformedPurchase("a flag of 2", .invalidFlag, .integer(1713, 2), at: 0),
        MalformedPurchase("a flag of -1", .negativeInteger, .integer(1719, -1), at: 0),
        MalformedPurchase(
            "a flag that is a BOOLEAN",
            .unexpectedTag,
            AttributeTemplate(1719, value: [0x01, 0x01, 0xFF]),
            at: 0
        ),
        MalformedPurchase(
            "an INTEGER of 65 bits",
            .integerOutOfRange,
            AttributeTemplate(1711, value: [0x02, 0x09, 0x01, 0, 0, 0, 0, 0, 0, 0, 0]),
            at: 2
        ),
        MalformedPurchase(
            "an INTEGER of 64 bits without a sign",
            .integerOutOfRange,
            AttributeTemplate(1711, value: [0x02, 0x09, 0x00, 0x80, 0, 0, 0, 0, 0, 0, 0]),
            at: 2
        ),
        MalformedPurchase(
            "an INTEGER longer than it needs to be",
            .nonMinimalInteger,
            AttributeTemplate(1711, value: [0x02, 0x02, 0x00, 0x01]),
            at: 2
        ),
        MalformedPurchase(
            "an identifier that is not UTF-8",
            .invalidUTF8,
            AttributeTemplate(1721, value: [0x0C, 0x04, 0x61, 0x62, 0xC3, 0x28]),
            at: 4
        ),
        MalformedPurchase(
            "a surrogate",
            .invalidUTF8,
            AttributeTemplate(1721, value: [0x0C, 0x03, 0xED, 0xA0, 0x80]),
            at: 2
        ),
        MalformedPurchase("a value of no octets", .truncated, AttributeTemplate(1720, value: []), at: 0),
        MalformedPurchase(
            "a value with a byte after it",
            .trailingBytes,
            AttributeTemplate(1720, value: [0x02, 0x01, 0x01, 0x00]),
            at: 3
        ),
        MalformedPurchase(
            "a doubled attribute",
            .duplicateAttributeType,
            doubled,
            at: doubled.value.count - doubled.encoded().count
        ),
        MalformedPurchase(
            "no product identifier",
            .missingProductIdentifier,
            value: [AttributeTemplate.integer(1701, 1)].encodedSet(),
            at: 0
        ),
        MalformedPurchase(
            "an empty product identifier",
            .missingProductIdentifier,
            value: [AttributeTemplate.utf8String(1702, "")].encodedSet(),
            at: 0
        ),
        MalformedPurchase("no octets", .truncated, value: [], at: 0),
        MalformedPurchase("an empty SET", .missingProductIdentifier, value: [0x31, 0x00], at: 0),
        MalformedPurchase("a SEQUENCE", .unexpectedTag, value: [0x30, 0x00], at: 0),
        MalformedPurchase("bytes after the SET", .trailingBytes, value: [0x31, 0x00, 0x05, 0x00], at: 2),
        MalformedPurchase("a SET that is cut short", .truncated, value: [0x31, 0x05, 0x30], at: 3),
        MalformedPurchase("not a SET of attributes", .unexpectedTag, value: [0x31, 0x02, 0x05, 0x00], at: 2),
    ]
}

@Suite("In-app purchases")
struct PurchaseTests {
    /// A payload with two good purchases and a malformed one between them.
    private static func payload(_ malformed: MalformedPurchase) -> PayloadTemplate {
        var payload = PayloadTemplate()
        payload.isSorted = false
        payload.rawAttributes = [
            AttributeTemplate(17, value: PurchaseTemplate(productIdentifier: "first").encoded()),
            AttributeTemplate(17, value: malformed.value),
            AttributeTemplate(17, value: PurchaseTemplate(productIdentifier: "second").encoded()),
        ]
        return payload
    }

    @Test(
        "walks the raw attributes of each purchase, of a malformed one up to the first it cannot read"
    )
    func walk() throws {
        // The purchases lack a product identifier. The second also has octets that are not an attribute.
        let attributes = [
            AttributeTemplate(1701, value: [0x02, 0x01, 0x05]), AttributeTemplate(9999, value: []),
        ]
        let octets = attributes.flatMap { $0.encoded() }
        let values = [
            [0x31, UInt8(octets.count)] + octets, [0x31, UInt8(octets.count + 2)] + octets + [0x05, 0x00],
            [0x30, 0x00],
        ]
        for value in values {
            let payload = Self.payload(MalformedPurchase("", .missingProductIdentifier, value: value, at: 0))
            let receipt = try UnverifiedReceipt(unverifiedPayload: payload.encoded())
            var met: [[String]] = [[], [], []]
            receipt.forEachPurchaseAttribute { number, type, version, value in
                met[number].append("\(type) \(version) \(Array(value, in: 0..<value.count))")
            }
            let good = receipt.unverifiedInAppPurchases.map { purchase in
                purchase.attributes.map { "\($0.type) \($0.version) \(Array($0.value))" }
            }
            #expect(good.count == 2 && receipt.unverifiedInAppPurchases.count == 2)
            #expect([met[0], met[2]] == good)
            #expect(met[1] == (value[0] == 0x31 ? ["1701 1 [2, 1, 5]", "9999 1 []"] : []))
        }
    }

    @Test(
        "sets a malformed purchase apart with its refusal and keeps the others",
        arguments: MalformedPurchase.all
    )
    func malformed(_ malformed: MalformedPurchase) throws {
        let payload = Self.payload(malformed)
        let bytes = Minted.mint.receipt(payload)
        let receipt = try Minted.validator.validate(bytes)
        #expect(receipt.inAppPurchases.map(\.productIdentifier) == ["first", "second"])
        #expect(receipt.inAppPurchases.count == 2)
        #expect(
            receipt.attributes.filter { $0.type == 17 }.count == 3 && receipt.malformedAttributeCount == 0
        )
        try #require(receipt.malformedInAppPurchases.count == 1)
        let found = receipt.malformedInAppPurchases[0]
        #expect(found.refusal.code == malformed.code && Array(found.value) == malformed.value)
        let attribute = AttributeTemplate(17, value: malformed.value).encoded()
        let end = try #require(bytes.offset(of: attribute)) + attribute.count
        #expect(found.refusal.offset == end - malformed.value.count + malformed.offset)

        let unverified = try UnverifiedReceipt(unverified: bytes)
        #expect(unverified.malformedInAppPurchases.map(\.refusal.offset) == [found.refusal.offset])
        #expect(unverified.unverifiedInAppPurchases.map(\.productIdentifier) == ["first", "second"])
    }

    @Test(
        "reports offsets in the BER input, with segments of any size",
        arguments: [1, 2, 7, 100, 5000]
    )
    func malformedInBER(_ segmentByteCount: Int) throws {
        var mint = Minted.mint
        mint.message.encoding = .ber(segmentByteCount: segmentByteCount)
        // The signature lies after the payload, and this test does not verify it.
        mint.message.signers[0].forgery = { _, _ in [] }
        for malformed in MalformedPurchase.all {
            let payload = Self.payload(malformed)
            let encoded = payload.encoded()
            let bytes = mint.receipt(payload)
            let receipt = try UnverifiedReceipt(unverified: bytes)
            #expect(receipt.unverifiedInAppPurchases.map(\.productIdentifier) == ["first", "second"])
            let refusal = try #require(receipt.malformedInAppPurchases.first).refusal
            #expect(refusal.code == malformed.code)

            // Maps the offset in the payload to the segment of the input that holds the octet.
            let attribute = AttributeTemplate(17, value: malformed.value).encoded()
            let end = try #require(encoded.offset(of: attribute)) + attribute.count
            let place = end - malformed.value.count + malformed.offset
            let content = try #require(BERContent(bytes, encoded, segmentByteCount))
            #expect(content.offset(of: place) == refusal.offset, "\(malformed.testDescription)")
        }
    }

    @Test("reports offsets in the BER input of a validated receipt")
    func validatedInBER() throws {
        let malformed = try #require(MalformedPurchase.all.first)
        var mint = Minted.mint
        mint.message.encoding = .ber(segmentByteCount: 7)
        let bytes = mint.receipt(Self.payload(malformed))
        let receipt = try Minted.validator.validate(bytes)
        let unverified = try UnverifiedReceipt(unverified: bytes)
        #expect(receipt.malformedInAppPurchases.map(\.refusal.code) == [malformed.code])
        #expect(
            receipt.malformedInAppPurchases.map(\.refusal.offset)
                == unverified.malformedInAppPurchases.map(\.refusal.offset)
        )
    }

    @Test("accepts undocumented attributes with any value, also repeated ones")
    func unknown() throws {
        var purchase = PurchaseTemplate(productIdentifier: "p")
        let types: [Int64] = [
            1, 17, 1700, 1709, 1710, 1714, 1715, 1716, 1717, 1718, 1722, 1763, 1764, 1 << 40,
        ]
        purchase.rawAttributes = types.flatMap {
            [AttributeTemplate($0, version: 3, value: [0xFF]), AttributeTemplate($0, value: [])]
        }
        purchase.isSorted = false
        let bytes = [AttributeTemplate(17, value: purchase.encoded())].encodedSet()
        let read = try UnverifiedReceipt(unverifiedPayload: bytes)
        let only = try #require(Array(read.unverifiedInAppPurchases).first)
        for type in types {
            let attributes = only.attributes.filter { $0.type == type }
            #expect(
                attributes.map { Array($0.value) } == [[0xFF], []] && attributes.map(\.version) == [3, 1]
            )
        }
        #expect(only.attributes.count == purchase.attributes.count && read.malformedInAppPurchases.isEmpty)
    }

    @Test(
        "refuses the second of a documented attribute",
        arguments: [1701, 1702, 1703, 1704, 1705, 1706, 1707, 1708, 1711, 1712, 1713, 1719, 1720, 1721]
            as [Int64]
    )
    func duplicate(_ type: Int64) throws {
        let value: [UInt8] =
            switch type {
            case 1702, 1703, 1705, 1721: [0x0C, 0x00]
            case 1704, 1706, 1708, 1712: [0x16, 0x00]
            default: [0x02, 0x01, 0x01]
            }
        let attributes = [AttributeTemplate](repeating: AttributeTemplate(type, value: value), count: 2)
        let purchase = AttributeTemplate(17, value: attributes.encodedSet())
        let read = try UnverifiedReceipt(unverifiedPayload: [purchase].encodedSet())
        #expect(read.malformedInAppPurchases.map(\.refusal.code) == [.duplicateAttributeType])
        #expect(Array(read.unverifiedInAppPurchases).isEmpty)
    }

    @Test("reads empty strings as absent and needs nothing but a product")
    func empty() throws {
        let strings = [1703, 1705, 1721].map { AttributeTemplate.utf8String($0, "") }
        let dates = [1704, 1706, 1708, 1712].map { AttributeTemplate.ia5String($0, "") }
        for others in [[], strings + dates] {
            let purchase = [AttributeTemplate.utf8String(1702, "p")] + others
            let bytes = [AttributeTemplate(17, value: purchase.encodedSet())].encodedSet()
            let read = try UnverifiedReceipt(unverifiedPayload: bytes)
            let only = try #require(Array(read.unverifiedInAppPurchases).first)
            #expect(only.productIdentifier == "p" && only.quantity == nil && only.productType == nil)
            #expect(only.transactionIdentifier == nil && only.originalTransactionIdentifier == nil)
            #expect(only.promotionalOfferIdentifier == nil && only.purchaseDate == nil)
            #expect(only.originalPurchaseDate == nil && only.expiresDate == nil)
            #expect(only.cancellationDate == nil && only.cancellationReason == nil)
            #expect(only.isTrialPeriod == nil && only.isInIntroductoryOfferPeriod == nil)
            #expect(only.webOrderLineItemIdentifier == nil && only.values.number(.productType) == nil)
        }
    }

    @Test(
        "names the known types of products and keeps other numbers",
        arguments: [
            (0, .nonConsumable), (1, .consumable), (2, .nonRenewingSubscription),
            (3, .autoRenewableSubscription),
            (4, nil), (.max, nil),
        ] as [(Int64, InAppPurchase.ProductType?)]
    )
    func productType(_ number: Int64, _ type: InAppPurchase.ProductType?) throws {
        var purchase = PurchaseTemplate(productIdentifier: "p")
        purchase.productType = number
        let bytes = [AttributeTemplate(17, value: purchase.encoded())].encodedSet()
        let read = try UnverifiedReceipt(unverifiedPayload: bytes)
        let only = try #require(Array(read.unverifiedInAppPurchases).first)
        #expect(only.values.number(.productType) == number && only.productType == type)
    }

    @Test("iterates the purchases any number of times with independent iterators")
    func walks() throws {
        let attributes = ["a", "b", "c"].map {
            AttributeTemplate(17, value: PurchaseTemplate(productIdentifier: $0).encoded())
        }
        let read = try UnverifiedReceipt(unverifiedPayload: attributes.encodedSet(sorted: false))
        let purchases = read.unverifiedInAppPurchases
        var one = purchases.makeIterator()
        _ = one.next()
        var other = one
        #expect(one.next()?.productIdentifier == "b" && other.next()?.productIdentifier == "b")
        #expect(one.next()?.productIdentifier == "c" && one.next() == nil && one.next() == nil)
        #expect(purchases.map(\.productIdentifier) == ["a", "b", "c"])
    }
}

/// The range of the content in a BER message, found by encoding its segments again.
struct BERContent {
    private let start: Int
    private let segmentByteCount: Int
    private let count: Int

    init?(_ message: [UInt8], _ content: [UInt8], _ segmentByteCount: Int) {
        var writer = Writer()
        for start in stride(from: 0, to: content.count, by: segmentByteCount) {
            writer.writeOctetString(Array(content[start..<min(start + segmentByteCount, content.count)]))
        }
        guard let start = message.offset(of: [0x24, 0x80] + writer.bytes + [0x00, 0x00]) else { return nil }
        self.start = start + 2
        self.segmentByteCount = segmentByteCount
        count = content.count
    }

    /// The offset in the message of an octet of the content.
    func offset(of octet: Int) -> Int {
        let segment = octet / segmentByteCount
        let full = Self.headerSize(segmentByteCount) + segmentByteCount
        let size = min(segmentByteCount, count - segment * segmentByteCount)
        return start + segment * full + Self.headerSize(size) + octet % segmentByteCount
    }

    /// The number of identifier and length octets of a segment (X.690 §8.1.3).
    private static func headerSize(_ length: Int) -> Int {
        length < 0x80 ? 2 : length < 0x100 ? 3 : 4
    }
}
