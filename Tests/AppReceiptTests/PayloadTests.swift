import AppReceipt
import AppReceiptMint
import Basics
import DER
import TestSupport
import Testing

@Suite("Payloads")
struct PayloadTests {
    /// A payload of a creation date and the given attributes, in the order of the array.
    private static func payload(_ attributes: [AttributeTemplate]) -> [UInt8] {
        ([.date(12, Minted.creationDate)] + attributes).encodedSet(sorted: false)
    }

    private static func read(_ attributes: AttributeTemplate...) throws(ReceiptError) -> UnverifiedReceipt {
        try UnverifiedReceipt(unverifiedPayload: payload(attributes))
    }

    private static func read(_ template: PayloadTemplate) throws(ReceiptError) -> UnverifiedReceipt {
        try UnverifiedReceipt(unverifiedPayload: template.encoded())
    }

    // MARK: Absent, empty, unknown

    @Test("reads an empty string or date as absent")
    func empty() throws {
        let receipt = try Self.read(
            .utf8String(0, ""),
            .utf8String(2, ""),
            .utf8String(3, ""),
            .ia5String(8, ""),
            .ia5String(10, ""),
            .ia5String(18, ""),
            .utf8String(19, ""),
            .ia5String(21, "")
        )
        #expect(receipt.environment == nil && receipt.environmentName == nil)
        #expect(receipt.bundleIdentifier == nil && receipt.appVersion == nil)
        #expect(receipt.purchaseDate == nil && receipt.ageRating == nil)
        #expect(receipt.originalPurchaseDate == nil && receipt.originalAppVersion == nil)
        #expect(receipt.expirationDate == nil && receipt.malformedAttributeCount == 0)
        #expect(receipt.attributes.count == 9)
    }

    @Test("reads absent attributes as nil and counts none as malformed")
    func absent() throws {
        let receipt = try UnverifiedReceipt(unverifiedPayload: [0x31, 0x00])
        #expect(receipt.creationDate == nil && receipt.environment == nil && receipt.environmentName == nil)
        #expect(receipt.bundleIdentifier == nil && receipt.appVersion == nil && receipt.opaqueValue == nil)
        #expect(receipt.sha1Hash == nil && receipt.appStoreIdentifier == nil && receipt.purchaseDate == nil)
        #expect(receipt.ageRating == nil && receipt.developerIdentifier == nil)
        #expect(receipt.downloadIdentifier == nil && receipt.versionExternalIdentifier == nil)
        #expect(receipt.originalPurchaseDate == nil && receipt.originalAppVersion == nil)
        #expect(receipt.expirationDate == nil && receipt.platform == nil)
        #expect(receipt.attributes.isEmpty && receipt.malformedAttributeCount == 0)
        #expect(Array(receipt.unverifiedInAppPurchases).isEmpty && receipt.malformedInAppPurchases.isEmpty)
    }

    @Test(
        "reads strings of every length, with any form of the length octets",
        arguments: [1, 125, 126, 127, 128, 129, 253, 254, 255, 256, 257, 65_535, 65_536]
    )
    func lengths(_ count: Int) throws {
        let text = String(repeating: "a", count: count)
        let receipt = try Self.read(
            .utf8String(0, text),
            .utf8String(2, text),
            .utf8String(3, text),
            .ia5String(10, text),
            .utf8String(19, text)
        )
        #expect(receipt.environmentName == text && receipt.bundleIdentifier == text)
        #expect(receipt.appVersion == text && receipt.ageRating == text)
        #expect(receipt.originalAppVersion == text && receipt.malformedAttributeCount == 0)
    }

    @Test("reads raw values without octets as empty, not as absent")
    func emptyRaw() throws {
        let receipt = try Self.read(AttributeTemplate(4, value: []), AttributeTemplate(5, value: []))
        #expect(receipt.opaqueValue.map(Array.init) == [] && receipt.sha1Hash.map(Array.init) == [])
    }

    @Test(
        "keeps undocumented attributes raw with their types and versions, also repeated ones",
        arguments: [
            6, 7, 9, 13, 14, 20, 22, 23, 24, 32, 63, 64, 1702, 1 << 31, 1 << 32, 1 << 33 + 12, Int64.max, -1,
            -17, .min,
        ]
    )
    func unknown(_ type: Int64) throws {
        let receipt = try Self.read(
            AttributeTemplate(type, version: 5, value: [1, 2, 3]),
            AttributeTemplate(type, version: -7, value: [])
        )
        let attributes = receipt.attributes.filter { $0.type == type }
        #expect(attributes.map { Array($0.value) } == [[1, 2, 3], []])
        #expect(attributes.map(\.version) == [5, -7] && attributes.map(\.type) == [type, type])
        #expect(receipt.attributes.map(\.type) == [12, type, type])
        #expect(receipt.creationDate == Minted.creationDate && receipt.malformedAttributeCount == 0)
        #expect(Array(receipt.unverifiedInAppPurchases).isEmpty && receipt.malformedInAppPurchases.isEmpty)
    }

    @Test("refuses a type or version beyond 64 bits at its offset")
    func hugeType() {
        let type: [UInt8] = [0x02, 0x09, 0x01, 0, 0, 0, 0, 0, 0, 0, 0]
        for (fields, offset) in [(type + [0x02, 0x01, 0x01], 6), ([0x02, 0x01, 0x01] + type, 9)] {
            var writer = Writer()
            writer.nest(.set) { set in set.write(.sequence, fields + [0x04, 0x00]) }
            refuses(.payload, .integerOutOfRange, at: offset) { () throws(ReceiptError) in
                try UnverifiedReceipt(unverifiedPayload: writer.bytes)
            }
        }
    }

    @Test("keeps the version of an attribute, which changes nothing else")
    func version() throws {
        let receipt = try Self.read(
            AttributeTemplate(2, version: 9, value: AttributeTemplate.utf8String(2, "a").value),
            AttributeTemplate(17, version: .max, value: PurchaseTemplate(productIdentifier: "p").encoded())
        )
        #expect(
            receipt.bundleIdentifier == "a"
                && receipt.attributes.filter { $0.type == 2 }.map(\.version) == [9]
        )
        #expect(receipt.attributes.filter { $0.type == 17 }.map(\.version) == [.max])
        #expect(receipt.unverifiedInAppPurchases.map(\.productIdentifier) == ["p"])
    }

    @Test(
        "reads strings that are not ASCII",
        arguments: ["Ünïcode", "日本語", "🧾", "e\u{301}", "\u{FEFF}x", "a\0b", "\u{10FFFF}", "שלום"]
    )
    func strings(_ string: String) throws {
        var payload = PayloadTemplate(bundleIdentifier: string)
        payload.appVersion = string
        payload.originalAppVersion = string
        payload.environment = string
        payload.purchases = [PurchaseTemplate(productIdentifier: string, transactionIdentifier: string)]
        payload.purchases[0].promotionalOfferIdentifier = string
        let receipt = try Self.read(payload)
        let purchase = try #require(Array(receipt.unverifiedInAppPurchases).first)
        let read = [
            receipt.bundleIdentifier, receipt.appVersion, receipt.originalAppVersion, receipt.environmentName,
            purchase.productIdentifier, purchase.transactionIdentifier, purchase.promotionalOfferIdentifier,
            purchase.originalTransactionIdentifier,
        ]
        for value in read { #expect(value.map { Array($0.utf8) } == Array(string.utf8)) }
        #expect(
            purchase.values.holds(.productIdentifier, string)
                && purchase.values.holds(.transactionIdentifier, string)
        )
    }

    // MARK: Attributes that do not decode

    /// Malformed values for each kind of attribute.
    private static let malformed: [AttributeTemplate] = [
        .utf8String(1, "7"), .integer(1, -1), AttributeTemplate(1, value: []),
        AttributeTemplate(1, value: [0x02, 0x01]), AttributeTemplate(1, value: [0x02, 0x01, 0x07, 0x00]),
        AttributeTemplate(1, value: [0x02, 0x02, 0x00, 0x07]),
        .ia5String(8, "yesterday"), .utf8String(8, "2024-06-01T12:00:00Z"),
        .ia5String(10, "4\u{E9}"), .utf8String(10, "4+"), .integer(10, 4),
        AttributeTemplate(10, value: [0x16, 0x02, 0x34, 0x2B, 0x00]),
        .integer(11, .min), .ia5String(15, "1"),
        AttributeTemplate(15, value: [0x02, 0x09, 0x00, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        AttributeTemplate(16, value: [0x05, 0x00]),
        .ia5String(18, "2024-02-30T12:00:00Z"),
        AttributeTemplate(19, value: [0x0C, 0x01, 0xFF]), .ia5String(19, "1"),
        AttributeTemplate(25, value: [0x01, 0x01, 0xFF]),
    ]

    @Test(
        "reads a malformed attribute as nil if no check needs it",
        arguments: malformed
    )
    func malformedAttribute(_ attribute: AttributeTemplate) throws {
        let receipt = try Self.read(attribute, .utf8String(2, "com.example.app"))
        #expect(receipt.malformedAttributeCount == 1 && receipt.bundleIdentifier == "com.example.app")
        #expect(receipt.appStoreIdentifier == nil && receipt.purchaseDate == nil && receipt.ageRating == nil)
        #expect(receipt.developerIdentifier == nil && receipt.downloadIdentifier == nil)
        #expect(receipt.versionExternalIdentifier == nil && receipt.originalPurchaseDate == nil)
        #expect(receipt.originalAppVersion == nil && receipt.platform == nil)
        #expect(
            receipt.attributes.filter { $0.type == attribute.type }.map { Array($0.value) } == [
                attribute.value
            ]
        )
    }

    @Test("counts malformed attributes")
    func malformedCount() throws {
        let receipt = try Self.read(
            .integer(1, -1),
            .integer(8, 1),
            .integer(10, 1),
            .utf8String(11, ""),
            .integer(15, 3),
            AttributeTemplate(6, value: [0xFF])
        )
        #expect(receipt.malformedAttributeCount == 4 && receipt.downloadIdentifier == 3)
    }

    @Test("reads numbers of 63 bits")
    func largestNumbers() throws {
        let receipt = try Self.read(.integer(15, .max), .integer(1, .max), .integer(11, 0))
        #expect(receipt.downloadIdentifier == .max && receipt.appStoreIdentifier == .max)
        #expect(receipt.developerIdentifier == 0)
    }

    /// Malformed attributes that checks need, with the refusal. The offset counts from the start of the
    /// value.
    private static let refused: [(attribute: AttributeTemplate, code: Refusal.Code, offset: Int)] = [
        (.ia5String(0, "Production"), .unexpectedTag, 0),
        (AttributeTemplate(0, value: [0x0C, 0x02, 0x50, 0xC0]), .invalidUTF8, 3),
        (.integer(2, 1), .unexpectedTag, 0),
        (AttributeTemplate(2, value: []), .truncated, 0),
        (AttributeTemplate(2, value: [0x0C, 0x01, 0x61, 0x00]), .trailingBytes, 3),
        (AttributeTemplate(2, value: [0x0C, 0x05, 0x61]), .truncated, 3),
        (AttributeTemplate(3, value: [0x0C, 0x03, 0x31, 0xED, 0xA0]), .invalidUTF8, 3),
        (.ia5String(21, "2024-13-01T12:00:00Z"), .invalidDate, 2),
        (.utf8String(21, "2024-06-01T12:00:00Z"), .unexpectedTag, 0),
    ]

    @Test("refuses a malformed attribute that a check needs", arguments: refused)
    func refusedAttribute(_ attribute: AttributeTemplate, _ code: Refusal.Code, _ offset: Int) throws {
        let payload = Self.payload([attribute])
        let start = payload.count - attribute.value.count
        refuses(.payload, code, at: start + offset) { () throws(ReceiptError) in
            try UnverifiedReceipt(unverifiedPayload: payload)
        }
    }

    @Test(
        "refuses the second of an attribute that may occur once, also a malformed one",
        arguments: [0, 1, 2, 3, 4, 5, 8, 10, 11, 12, 15, 16, 18, 19, 21, 25] as [Int64]
    )
    func duplicate(_ type: Int64) {
        let value: [UInt8] =
            switch type {
            case 0, 2, 3, 19: [0x0C, 0x00]
            case 8, 10, 12, 18, 21: [0x16, 0x00]
            default: [0x02, 0x01, 0x01]
            }
        let one = AttributeTemplate(type, value: value)
        let set = [one, AttributeTemplate(6, value: []), AttributeTemplate(type, value: [0xFF])]
            .encodedSet(sorted: false)
        refuses(
            .payload,
            .duplicateAttributeType,
            at: set.count - AttributeTemplate(type, value: [0xFF]).encoded().count
        ) {
            () throws(ReceiptError) in try UnverifiedReceipt(unverifiedPayload: set)
        }
    }

    @Test("names the first of two faults in the order of the payload")
    func firstFault() {
        let environment = AttributeTemplate(0, value: [0x0C, 0x00])
        // The value has no octets, so it starts where the next attribute starts.
        let bundleIdentifier = AttributeTemplate(2, value: [])
        let set = [environment, bundleIdentifier, environment].encodedSet(sorted: false)
        refuses(.payload, .truncated, at: set.count - environment.encoded().count) {
            () throws(ReceiptError) in try UnverifiedReceipt(unverifiedPayload: set)
        }
        let repeatedFirst = [environment, environment, bundleIdentifier].encodedSet(sorted: false)
        let rest = environment.encoded().count + bundleIdentifier.encoded().count
        refuses(.payload, .duplicateAttributeType, at: repeatedFirst.count - rest) {
            () throws(ReceiptError) in try UnverifiedReceipt(unverifiedPayload: repeatedFirst)
        }
    }

    // MARK: The SET

    @Test("reads attributes in any order")
    func order() throws {
        var payload = PayloadTemplate()
        payload.purchases = ["b", "a"].map { PurchaseTemplate(productIdentifier: $0) }
        let attributes = payload.attributes
        for set in [attributes, attributes.reversed()].map({ $0.encodedSet(sorted: false) }) {
            let receipt = try UnverifiedReceipt(unverifiedPayload: set)
            #expect(
                receipt.bundleIdentifier == "com.example.app" && receipt.creationDate == payload.creationDate
            )
            #expect(Set(receipt.unverifiedInAppPurchases.map(\.productIdentifier)) == ["a", "b"])
        }
        let backwards = attributes.reversed().map(\.type)
        let receipt = try UnverifiedReceipt(
            unverifiedPayload: [AttributeTemplate](attributes.reversed()).encodedSet(sorted: false)
        )
        #expect(receipt.attributes.map(\.type) == backwards)
        #expect(receipt.unverifiedInAppPurchases.map(\.productIdentifier) == ["a", "b"])
    }

    private static func wrapped(_ payload: [UInt8], times: Int) -> [UInt8] {
        (0..<times).reduce(payload) { inner, _ in
            var writer = Writer()
            writer.writeOctetString(inner)
            return writer.bytes
        }
    }

    @Test("reads a payload inside one more OCTET STRING, signed or not")
    func wrappedOnce() throws {
        let payload = Self.wrapped(PayloadTemplate().encoded(), times: 1)
        #expect(try UnverifiedReceipt(unverifiedPayload: payload).bundleIdentifier == "com.example.app")
        let receipt = try Minted.validator.validate(Minted.mint.message.signed(payload: payload))
        #expect(receipt.bundleIdentifier == "com.example.app" && receipt.creationDate == Minted.creationDate)
    }

    @Test("refuses a payload inside two more OCTET STRINGs, or with bytes after it")
    func wrappedTwice() throws {
        let payload = PayloadTemplate().encoded()
        let bad: [(bytes: [UInt8], code: Refusal.Code)] = [
            (Self.wrapped(payload, times: 2), .unexpectedTag),
            (payload + [0x00], .trailingBytes),
            (Self.wrapped(payload, times: 1) + [0x05, 0x00], .trailingBytes),
            (Self.wrapped(payload + [0x05, 0x00], times: 1), .trailingBytes),
            ([], .truncated),
            (Self.wrapped([], times: 1), .truncated),
            ([0x30, 0x00], .unexpectedTag),
            ([0x31, 0x80, 0x00, 0x00], .indefiniteLength),
        ]
        for (bytes, code) in bad {
            refuses(.payload, code) { () throws(ReceiptError) in
                try UnverifiedReceipt(unverifiedPayload: bytes)
            }
            refuses(.creationDate, code) { () throws(ReceiptError) in
                try Minted.validator.validate(Minted.mint.message.signed(payload: bytes))
            }
        }
    }

    @Test("refuses a malformed attribute structure at its offset")
    func structure() {
        // Each offset includes the two octets of the SET's header.
        let bad: [(contents: String, code: Refusal.Code, offset: Int)] = [
            ("0500", .unexpectedTag, 2),
            ("3000", .truncated, 4),
            ("3003 020106", .truncated, 7),
            ("3006 020106 020101", .truncated, 10),
            ("3008 020106 020101 0500", .unexpectedTag, 10),
            ("3009 020106 020101 040201", .truncated, 13),
            ("300a 020106 020101 0400 0500", .trailingBytes, 12),
            ("3009 020106 02020001 0400", .nonMinimalInteger, 9),
            ("3005 020106 0200", .emptyContents, 9),
            ("3008 020106 020101 2400", .unexpectedTag, 10),
        ]
        for (contents, code, offset) in bad {
            let bytes = hex(contents.filter { $0 != " " })
            refuses(.payload, code, at: offset) { () throws(ReceiptError) in
                try UnverifiedReceipt(unverifiedPayload: [0x31, UInt8(bytes.count)] + bytes)
            }
        }
    }

    // MARK: Limits

    @Test("the limits of the modules are read and set through one value, each by itself")
    func limits() {
        // The defaults, from the documentation of the properties.
        let limits: [(WritableKeyPath<Limits, Int>, Int)] = [
            (\.inputBytes, 8 << 20), (\.message.encoding.depth, 32), (\.message.encoding.elements, 1 << 20),
            (\.message.certificates, 16), (\.message.certificate.extensions, 64),
            (\.message.certificate.purposes, 64), (\.attributes, 1 << 16), (\.signatureChecks, 16),
            (\.key.modulusBits, 8192), (\.key.exponentBits, 33),
        ]
        for (limit, value) in limits {
            #expect(Limits.standard[keyPath: limit] == value)
            var changed = Limits.standard
            changed[keyPath: limit] = value - 1
            for (other, standard) in limits {
                #expect(changed[keyPath: other] == (other == limit ? value - 1 : standard))
            }
            #expect(changed != .standard)
        }
    }

    @Test("reads as many attributes as the limit allows and refuses one more", arguments: 0...6)
    func attributeLimit(_ count: Int) throws {
        var limits = Limits.standard
        limits.attributes = 4
        let set = (0..<count).map { AttributeTemplate(100 + Int64($0), value: []) }.encodedSet()
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: Minted.fingerprints(Minted.mint.root),
                limits: limits
            )
        )
        if count <= 4 {
            #expect(try UnverifiedReceipt(unverifiedPayload: set, limits: limits).attributes.count == count)
        } else {
            // The fifth attribute stands after the header and four attributes of ten octets.
            refuses(.payload, .tooManyAttributes, at: 2 + 4 * 10) { () throws(ReceiptError) in
                try UnverifiedReceipt(unverifiedPayload: set, limits: limits)
            }
            refuses(.creationDate, .tooManyAttributes) { () throws(ReceiptError) in
                try validator.validate(Minted.mint.message.signed(payload: set))
            }
        }
    }

    @Test("applies the limit to each purchase separately")
    func attributeLimitOfPurchase() throws {
        var limits = Limits.standard
        limits.attributes = 8
        func purchase(_ count: Int) -> AttributeTemplate {
            let attributes =
                [AttributeTemplate.utf8String(1702, "\(count)")]
                + (1..<count).map { AttributeTemplate(2000 + Int64($0), value: []) }
            return AttributeTemplate(17, value: attributes.encodedSet(sorted: false))
        }
        let payload = Self.payload([purchase(8), purchase(9), purchase(1), purchase(7)])
        let receipt = try UnverifiedReceipt(unverifiedPayload: payload, limits: limits)
        #expect(receipt.unverifiedInAppPurchases.map(\.productIdentifier) == ["8", "1", "7"])
        #expect(receipt.malformedInAppPurchases.map(\.refusal.code) == [.tooManyAttributes])
        var counts = [0, 0, 0, 0]
        receipt.forEachPurchaseAttribute { purchase, _, _, _ in counts[purchase] += 1 }
        #expect(counts == [8, 8, 1, 7])
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: Minted.fingerprints(Minted.mint.root),
                limits: limits
            )
        )
        let validated = try validator.validate(Minted.mint.message.signed(payload: payload))
        #expect(validated.inAppPurchases.map(\.productIdentifier) == ["8", "1", "7"])
        #expect(validated.malformedInAppPurchases.count == 1)
    }
}
