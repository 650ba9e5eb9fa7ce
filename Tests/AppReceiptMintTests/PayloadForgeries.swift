import AppReceipt
import AppReceiptMint
import Basics
import DER
import SHA
import TestSupport
import Testing

extension Forgery {
    static let payloads: [Forgery] = [
        doubled, creationDates, types, counts, nesting, lengths, strings, expectations,
    ].flatMap { $0 }

    /// Any octets as a payload, correctly signed.
    private static func content(
        _ description: String,
        _ verdict: Verdict,
        _ content: @escaping @Sendable () throws -> [UInt8]
    ) -> Forgery {
        Forgery(description, verdict) { ReceiptMint(pki).message.signed(payload: try content()) }
    }

    private static func encoding(_ body: (inout Writer) -> Void) -> [UInt8] {
        var writer = Writer()
        body(&writer)
        return writer.bytes
    }

    /// The good payload with octets after its last attribute.
    private static func appending(_ encoding: [UInt8]) -> [UInt8] {
        Self.encoding { $0.write(.set, richPayload.attributes.flatMap { $0.encoded() } + encoding) }
    }
}

// MARK: Attributes

extension Forgery {
    fileprivate static let doubled: [Forgery] =
        [0, 1, 2, 3, 4, 5, 8, 10, 11, 15, 16, 18, 19, 21, 25].map { type in
            .payload("attribute \(type) twice", .refused(.payload, .duplicateAttributeType)) {
                $0.rawAttributes += $0.attributes.filter { $0.type == type }
            }
        } + [
            .payload("attribute 12 twice", .refused(.creationDate, .duplicateAttributeType)) {
                $0.rawAttributes += $0.attributes.filter { $0.type == 12 }
            },
            .payload("another bundle identifier besides", .refused(.payload, .duplicateAttributeType)) {
                $0.rawAttributes.append(.utf8String(2, "com.example.other"))
            },
            .payload("an undocumented attribute twice", .accepted("unknown types are passed over")) {
                $0.rawAttributes += [AttributeTemplate(9, value: []), AttributeTemplate(9, value: [])]
            },
        ]

    fileprivate static let creationDates: [Forgery] = [
        .payload("creation date missing", .refused(.creationDate, .missingCreationDate)) {
            $0.creationDate = nil
        },
        .payload("creation date empty", .refused(.creationDate, .missingCreationDate)) {
            $0.creationDate = nil
            $0.rawAttributes.append(.ia5String(12, ""))
        },
        .payload("creation date without a value", .refused(.creationDate, .truncated)) {
            $0.creationDate = nil
            $0.rawAttributes.append(AttributeTemplate(12, value: []))
        },
        .payload("creation date doubled", .refused(.creationDate, .duplicateAttributeType)) {
            $0.rawAttributes.append(.date(12, Timestamp(millisecondsSince1970: 0)))
        },
        .payload(
            "creation date doubled, and empty the second time",
            .refused(.creationDate, .duplicateAttributeType)
        ) {
            $0.rawAttributes.append(.ia5String(12, ""))
            $0.isSorted = false
        },
        // The attribute comes first in the order of DER.
        .payload(
            "creation date doubled, and empty the first time",
            .refused(.creationDate, .missingCreationDate)
        ) { $0.rawAttributes.append(.ia5String(12, "")) },
        .payload("creation date in a UTF8String", .refused(.creationDate, .unexpectedTag)) {
            $0.creationDate = nil
            $0.rawAttributes.append(.utf8String(12, "2024-06-01T12:00:00Z"))
        },
        .payload("creation date on a day that is none", .refused(.creationDate, .invalidDate)) {
            $0.creationDate = nil
            $0.rawAttributes.append(.ia5String(12, "2024-02-30T12:00:00Z"))
        },
        .payload("creation date with an octet behind it", .refused(.creationDate, .trailingBytes)) {
            $0.creationDate = nil
            $0.rawAttributes.append(
                AttributeTemplate(
                    12,
                    value: AttributeTemplate.ia5String(12, "2024-06-01T12:00:00Z").value + [0]
                )
            )
        },
    ]

    /// Types whose low 32 bits equal the type of a known attribute.
    fileprivate static let types: [Forgery] = [
        .payload(
            "a type of 2^32 + 2 for the bundle identifier",
            .refused(.bundleIdentifier, .missingBundleIdentifier)
        ) {
            $0.rawAttributes.append(.utf8String(1 << 32 + 2, $0.bundleIdentifier ?? ""))
            $0.bundleIdentifier = nil
        },
        .payload("a type of 2^32 + 12 for the creation date", .refused(.creationDate, .missingCreationDate)) {
            $0.creationDate = nil
            $0.rawAttributes.append(.date(1 << 32 + 12, Timestamp(millisecondsSince1970: 1_717_243_200_000)))
        },
        .payload("a type of 2^32 + 12 besides", .accepted("unknown types are passed over")) {
            $0.rawAttributes.append(.date(1 << 32 + 12, Timestamp(millisecondsSince1970: 0)))
        },
        .payload("a type of 2^63 - 1", .accepted("unknown types are passed over")) {
            $0.rawAttributes.append(.utf8String(.max, "com.example.other"))
        },
        .payload("a type of -12 for the creation date", .refused(.creationDate, .missingCreationDate)) {
            $0.creationDate = nil
            $0.rawAttributes.append(.date(-12, Timestamp(millisecondsSince1970: 1_717_243_200_000)))
        },
        .content("a type of 2^64 + 12", .refused(.creationDate, .integerOutOfRange)) {
            appending(hex("3013 0209 01000000000000000c 020101 0403 160130"))
        },
        .content("a type with an octet too many", .refused(.creationDate, .nonMinimalInteger)) {
            appending(hex("300d 0202 000c 020101 0404 16023030"))
        },
    ]
}

// MARK: Amounts

extension Forgery {
    /// The good payload with purchases added up to a total number of attributes.
    private static func purchases(_ count: Int) -> [UInt8] {
        let purchase = AttributeTemplate(
            17,
            value: [AttributeTemplate.utf8String(1702, "a")].encodedSet()
        ).encoded()
        let missing = count - richPayload.attributes.count
        return appending([[UInt8]](repeating: purchase, count: missing).flatMap { $0 })
    }

    fileprivate static let counts: [Forgery] = [
        .content(
            "as many attributes as the limit, all but a few of them purchases",
            .accepted("Limits.attributes")
        ) {
            purchases(1 << 16)
        },
        .content("one purchase more than the limit", .refused(.creationDate, .tooManyAttributes)) {
            purchases(1 << 16 + 1)
        },
        .content("no attribute", .refused(.creationDate, .missingCreationDate)) { [0x31, 0x00] },
        .content("nothing", .refused(.creationDate, .truncated)) { [] },
    ]

    /// A receipt in BER whose content is inside a number of nested constructed OCTET STRINGs.
    private static func nested(_ count: Int) throws -> [UInt8] {
        var mint = ReceiptMint(pki)
        mint.message.encoding = .ber(segmentByteCount: .max)
        let receipt = mint.receipt(richPayload)
        let content = encoding { $0.writeOctetString(richPayload.encoded()) }
        let place = try #require(receipt.firstRange(of: [0x24, 0x80] + content + [0x00, 0x00]))
        let begin = [[UInt8]](repeating: [0x24, 0x80], count: count).flatMap { $0 }
        let end = [UInt8](repeating: 0x00, count: 2 * count)
        return [UInt8](receipt[..<place.lowerBound]) + begin + content + end
            + [UInt8](receipt[place.upperBound...])
    }

    /// Five elements enclose the OCTET STRINGs: ContentInfo, content, SignedData, encapContentInfo and
    /// eContent.
    fileprivate static let nesting: [Forgery] = [
        // OpenSSL allows five nested strings (ASN1_MAX_STRING_NEST).
        Forgery("nested as deep as the limit", .accepted("Limits.depth")) { try nested(32 - 5) }
            .with { $0.isGoodToOpenSSL = false },
        Forgery("nested one deeper than the limit", .refused(.container, .tooDeep)) {
            try nested(32 - 5 + 1)
        },
        Forgery("nested a thousand deep", .refused(.container, .tooDeep)) { try nested(1000) },
        .content("the payload in one more OCTET STRING", .accepted("one known emitter writes it so")) {
            encoding { $0.writeOctetString(richPayload.encoded()) }
        },
        .content("the payload in two more OCTET STRINGs", .refused(.creationDate, .unexpectedTag)) {
            let once = encoding { $0.writeOctetString(richPayload.encoded()) }
            return encoding { $0.writeOctetString(once) }
        },
    ]
}

// MARK: False lengths

extension Forgery {
    /// Length octets that claim 2^63, 2^63 - 1, 2^64 - 1 and 2^31.
    private static let claims = [
        "888000000000000000", "887fffffffffffffff", "88ffffffffffffffff", "8480000000",
    ].map(hex)

    /// A length of four octets is possible, but the element ends too soon.
    private static func code(_ claim: [UInt8]) -> Refusal.Code {
        claim[0] == 0x84 ? .truncated : .lengthTooLarge
    }

    fileprivate static let lengths: [Forgery] = claims.flatMap { claim -> [Forgery] in
        let name = claim.map { String($0, radix: 16) }.joined(separator: " ")
        let code = code(claim)
        let inContainer: [Forgery] = [
            Forgery("a container of length \(name)", .refused(.container, code)) {
                // 30 82 and two octets of length are the header of an element of more than 255 octets.
                [0x30] + claim + Minted.by(pki).receipt.dropFirst(4)
            },
            .message("a certificate of length \(name)", .refused(.certificatePath, code)) {
                $0.certificates[1] = [0x30] + claim + $0.certificates[1].dropFirst(4)
            },
            Forgery("in BER, a segment of length \(name)", .refused(.container, code)) {
                var mint = ReceiptMint(pki)
                mint.message.encoding = .ber(segmentByteCount: .max)
                var receipt = mint.receipt(richPayload)
                let content = try #require(receipt.firstRange(of: richPayload.encoded()))
                receipt.replaceSubrange((content.lowerBound - 3)..<content.lowerBound, with: claim)
                return receipt
            },
        ]
        let inPayload: [Forgery] = [
            .content("a payload of length \(name)", .refused(.creationDate, code)) {
                [0x31] + claim + richPayload.attributes.flatMap { $0.encoded() }
            },
            .content("an attribute of length \(name)", .refused(.creationDate, code)) {
                appending([0x30] + claim + hex("02016302010104021600"))
            },
            .content("a value of length \(name)", .refused(.creationDate, code)) {
                appending(encoding { $0.write(.sequence, hex("020163020101 04") + claim) })
            },
            .payload("a bundle identifier of length \(name)", .refused(.payload, code)) {
                $0.bundleIdentifier = nil
                $0.rawAttributes.append(AttributeTemplate(2, value: [0x0C] + claim))
            },
        ]
        return inContainer + inPayload
    }
}

// MARK: Strings

extension Forgery {
    /// Octets that are not UTF-8 (RFC 3629 §3): a continuation octet alone, a lead octet without its
    /// continuation, / in two octets, a surrogate, a number beyond 10FFFF, and FF.
    static let illFormed = ["80", "c3", "c0af", "eda080", "f4908080", "ff"]

    fileprivate static let strings: [Forgery] = illFormed.flatMap { octets -> [Forgery] in
        let types: [Int64] = [0, 2, 3]
        return types.map { string($0, endingWith: octets) }
    }

    /// The good payload with octets appended to the correct environment, bundle identifier or version.
    private static func string(_ type: Int64, endingWith octets: String) -> Forgery {
        .payload("attribute \(type) with \(octets) in it", .refused(.payload, .invalidUTF8)) { payload in
            // The contents start after the tag and the length.
            let good = payload.attributes.filter { $0.type == type }.flatMap { $0.value.dropFirst(2) }
            let string = good + hex(octets)
            switch type {
            case 0: payload.environment = nil
            case 2: payload.bundleIdentifier = nil
            default: payload.appVersion = nil
            }
            let value = encoding { $0.write(.utf8String, string) }
            payload.rawAttributes.append(AttributeTemplate(type, value: value))
        }
    }
}

// MARK: Expectations of the app

extension Forgery {
    fileprivate static let expectations: [Forgery] = [
        .payload("no bundle identifier", .refused(.bundleIdentifier, .missingBundleIdentifier)) {
            $0.bundleIdentifier = nil
        },
        .payload("another bundle identifier", .refused(.bundleIdentifier, .bundleIdentifierMismatch)) {
            $0.bundleIdentifier = "com.example.other"
        },
        .payload(
            "a bundle identifier that goes on after a zero",
            .refused(.bundleIdentifier, .bundleIdentifierMismatch)
        ) {
            $0.bundleIdentifier = "com.example.rich\0.other"
        },
        .payload("another environment", .refused(.environment, .environmentMismatch)) {
            $0.environment = "ProductionSandbox"
        },
        .payload("no environment", .refused(.environment, .missingEnvironment)) { $0.environment = nil },
        .payload("another version", .refused(.appVersion, .appVersionMismatch)) { $0.appVersion = "1" },
        .payload("another device hash", .refused(.deviceHash, .deviceHashMismatch)) {
            $0.sha1Hash = [UInt8](repeating: 0, count: 20)
        },
        .payload("the first half of the device hash", .refused(.deviceHash, .deviceHashMismatch)) {
            $0.sha1Hash = $0.attributes.first { $0.type == 5 }.map { Array($0.value.prefix(10)) }
        },
        .payload("an empty device hash", .refused(.deviceHash, .deviceHashMismatch)) { $0.sha1Hash = [] },
        .payload("no opaque value", .refused(.deviceHash, .missingDeviceHash)) { $0.opaqueValue = nil },
    ]
}

@Suite("Forged payloads")
struct PayloadForgeries {
    @Test(
        "refuses a forged payload at its step and with its code, or accepts it if something allows it",
        arguments: Forgery.payloads
    )
    func verdict(_ forgery: Forgery) throws { try forgery.judge() }

    @Test("a receipt can have as many purchases as the limit allows, and each is read")
    func allPurchases() throws {
        let mint = ReceiptMint(CertificateTests.pki)
        var payload = richPayload
        payload.purchases = (0..<300).map { PurchaseTemplate(productIdentifier: "com.example.\($0)") }
        var limits = Limits.standard
        limits.attributes = payload.attributes.count
        let minted = Forgery.Minted(receipt: mint.receipt(payload), root: mint.root)
        let receipt = try minted.validator(limits: limits).validate(minted.receipt)
        #expect(receipt.inAppPurchases.count == 300 && receipt.malformedInAppPurchases.isEmpty)
        limits.attributes -= 1
        let validator = try minted.validator(limits: limits)
        let error = try #require(throws: ReceiptError.self) { try validator.validate(minted.receipt) }
        #expect(error.step == .creationDate && error.code == .tooManyAttributes, "\(error)")
    }

    @Test(
        "a malformed purchase is set apart, and the other purchases are read",
        arguments: MalformedPurchase.all
    )
    func malformedPurchase(_ malformed: MalformedPurchase) throws {
        var payload = richPayload
        malformed.change(&payload.purchases[1])
        let minted = Forgery.Minted.by(CertificateTests.pki, payload)
        let receipt = try minted.validator().validate(minted.receipt)
        #expect(receipt.inAppPurchases.count == 1)
        #expect(receipt.malformedInAppPurchases.map(\.refusal.code) == [malformed.code])
    }
}

/// A malformed purchase, which grants nothing, and the code of its refusal.
struct MalformedPurchase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: Refusal.Code
    let change: @Sendable (inout PurchaseTemplate) -> Void

    init(
        _ description: String,
        _ code: Refusal.Code,
        _ change: @escaping @Sendable (inout PurchaseTemplate) -> Void
    ) {
        testDescription = description
        self.code = code
        self.change = change
    }

    private static let attributes: [MalformedPurchase] = [
        MalformedPurchase("no product identifier", .missingProductIdentifier) { $0.productIdentifier = nil },
        MalformedPurchase("an empty product identifier", .missingProductIdentifier) {
            $0.productIdentifier = ""
        },
        MalformedPurchase("a product identifier twice", .duplicateAttributeType) {
            $0.rawAttributes.append(.utf8String(1702, "com.example.pro"))
        },
        MalformedPurchase("a product identifier that claims 2^63 octets", .lengthTooLarge) {
            $0.productIdentifier = nil
            $0.rawAttributes.append(AttributeTemplate(1702, value: hex("0c888000000000000000")))
        },
        MalformedPurchase("an expiration date twice", .duplicateAttributeType) {
            $0.rawAttributes += [
                .date(1708, Timestamp(millisecondsSince1970: 0)),
                .date(1708, Timestamp(millisecondsSince1970: 4_000_000_000_000)),
            ]
        },
        MalformedPurchase("a type of 2^32 + 1702 for the product identifier", .missingProductIdentifier) {
            $0.productIdentifier = nil
            $0.rawAttributes.append(.utf8String(1 << 32 + 1702, "com.example.pro"))
        },
    ]

    private static let strings: [MalformedPurchase] = Forgery.illFormed.map { octets in
        MalformedPurchase("a product identifier with \(octets) in it", .invalidUTF8) {
            $0.productIdentifier = nil
            var value = Writer()
            value.write(.utf8String, Array("com.example.pro".utf8) + hex(octets))
            $0.rawAttributes.append(AttributeTemplate(1702, value: value.bytes))
        }
    }

    static let all = attributes + strings
}
