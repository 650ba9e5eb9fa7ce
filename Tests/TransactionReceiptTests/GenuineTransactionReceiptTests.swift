import AppReceipt
import Basics
import DER
import PKIX
import RSA
import SHA
import TestSupport
import Testing
import TransactionReceipt

/// A genuine receipt of `../shared/transaction-receipts` with what an independent implementation read.
struct GenuineTransactionReceipt: Sendable, CustomTestStringConvertible {
    let name: String
    let text: [UInt8]
    let propertyList: [UInt8]
    let version: SignatureVersion
    let outer: [String: JSONValue]
    let info: [String: JSONValue]

    var testDescription: String { name }

    /// All receipts. Empty if the data is missing; the tests are skipped then, and fail under CI.
    static let all: [GenuineTransactionReceipt] = {
        let names = (try? SharedData.files(in: "transaction-receipts", suffix: ".plist")) ?? []
        return names.compactMap { try? GenuineTransactionReceipt(String($0.dropLast(6))) }
    }()

    init(_ name: String) throws {
        self.name = name
        text = try SharedData.bytes("transaction-receipts/\(name).b64")
        propertyList = try SharedData.bytes("transaction-receipts/\(name).plist")
        let json = try JSONValue.parse(SharedData.bytes("transaction-receipts/\(name).json"))
        guard case .object(let fields) = json, case .object(let outer)? = fields["outer"],
            case .object(let info)? = fields["purchase_info"], case .number(let number)? = fields["version"],
            let version = UInt8(exactly: number).flatMap(SignatureVersion.init)
        else { throw UnexpectedJSON() }
        (self.outer, self.info, self.version) = (outer, info, version)
    }

    subscript(key: String) -> String? {
        if case .string(let value)? = info[key] { value } else { nil }
    }
}

struct UnexpectedJSON: Error {}

@Suite(
    "Genuine transaction receipts",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct GenuineTransactionReceiptTests {
    static let validator = TransactionReceiptValidator(
        ReceiptPolicy(environments: .only(.productionSandbox), bundleIdentifier: .any)
    )

    @Test("finds three receipts of version 2 and one of version 4")
    func dataIsThere() {
        let versions = GenuineTransactionReceipt.all.map(\.version.rawValue)
        #expect(versions.sorted() == [2, 2, 2, 4])
    }

    @Test(
        "accepts each receipt under Apple's root, as base64 and as a property list, with every entry of the record",
        arguments: GenuineTransactionReceipt.all
    )
    func accepted(_ genuine: GenuineTransactionReceipt) throws {
        for input in [genuine.text, genuine.propertyList] {
            let purchase = try Self.validator.validate(input)
            #expect(purchase.signatureVersion == genuine.version)
            let pairs = purchase.entries.map { ($0.key, JSONValue.string($0.value)) }
            #expect(Dictionary(uniqueKeysWithValues: pairs) == genuine.info)
            let outer = purchase.outerEntries.dropFirst(2).map { ($0.key, JSONValue.string($0.value)) }
            #expect(Dictionary(uniqueKeysWithValues: outer) == genuine.outer)
            #expect(purchase.notChecked == [.revocation, .bundleIdentifier, .appVersion, .deviceHash])
        }
    }

    @Test("gives the typed values of each record", arguments: GenuineTransactionReceipt.all)
    func typed(_ genuine: GenuineTransactionReceipt) throws {
        let purchase = try Self.validator.validate(genuine.text)
        func time(_ key: String) -> Timestamp? {
            genuine[key].flatMap { Int64($0) }.map { Timestamp(millisecondsSince1970: $0) }
        }
        #expect(purchase.productIdentifier == genuine["product-id"])
        #expect(purchase.transactionIdentifier == genuine["transaction-id"])
        #expect(purchase.originalTransactionIdentifier == genuine["original-transaction-id"])
        #expect(purchase.purchaseDate == time("purchase-date-ms"))
        #expect(purchase.originalPurchaseDate == time("original-purchase-date-ms"))
        #expect(purchase.expiresDate == time("expires-date"))
        #expect(purchase.cancellationDate == nil)
        #expect(purchase.quantity == 1)
        #expect(purchase.isTrialPeriod.map { "\($0)" } == genuine["is-trial-period"])
        #expect(purchase.isInIntroductoryOfferPeriod.map { "\($0)" } == genuine["is-in-intro-offer-period"])
        #expect(purchase.ownership == (genuine.version == .four ? .purchased : nil))
        #expect((purchase.ownership == nil) == (genuine["in-app-ownership-type"] == nil))
        #expect(purchase.subscriptionGroupIdentifier == genuine["subscription-group-identifier"])
        #expect(purchase.bundleIdentifier == genuine["bid"])
        #expect(purchase.appVersion == genuine["bvrs"])
        #expect(purchase.itemIdentifier == genuine["item-id"])
        #expect(purchase.appItemIdentifier == genuine["app-item-id"])
        #expect(purchase.versionExternalIdentifier == genuine["version-external-identifier"])
        #expect(purchase.webOrderLineItemIdentifier == genuine["web-order-line-item-id"])
        #expect(purchase.uniqueIdentifier == genuine["unique-identifier"])
        #expect(purchase.uniqueVendorIdentifier == genuine["unique-vendor-identifier"])
        #expect(purchase.claimedEnvironmentName == "Sandbox")
        for (key, value) in [("pod", "100"), ("signing-status", "0")] {
            #expect(purchase.outerEntries.first { $0.key == key }?.value == value)
        }
        #expect(purchase.hasSandboxTransactionIdentifier)
        // The bundle identifier of the record is the one that is accepted.
        let exact = TransactionReceiptValidator(
            ReceiptPolicy(
                environments: .only(.productionSandbox),
                bundleIdentifier: .exactly(try #require(genuine["bid"])),
                appVersion: genuine["bvrs"],
                deviceIdentifiers: genuine["unique-vendor-identifier"].map {
                    [DeviceIdentifier($0)].compactMap { $0 }
                }
            )
        )
        let device: [ReceiptError.Step] = genuine["unique-vendor-identifier"] == nil ? [.deviceHash] : []
        #expect(try exact.validate(genuine.text).notChecked == [.revocation] + device)
    }

    @Test(
        "accepts the receipts that were sent to Apple, with the values of Apple's answer",
        arguments: ["ios6-mbaasy-expired-2015", "ios6-mbaasy-subscription-2015"]
    )
    func answered(_ name: String) throws {
        let purchase = try Self.validator.validate(SharedData.bytes("verify-receipt/\(name).b64"))
        let answer = try JSONValue.parse(SharedData.bytes("verify-receipt/\(name).response.json"))
        guard case .object(let members) = answer, case .object(let receipt)? = members["receipt"] else {
            throw UnexpectedJSON()
        }
        let pairs = purchase.entries.map { entry in
            (String(entry.key.map { $0 == "-" ? "_" : $0 }), JSONValue.string(entry.value))
        }
        #expect(Dictionary(uniqueKeysWithValues: pairs) == receipt)
    }

    @Test(
        "refuses another purchase-info under a genuine certificate at the signature",
        arguments: GenuineTransactionReceipt.all,
        GenuineTransactionReceipt.all
    )
    func foreignInfo(_ genuine: GenuineTransactionReceipt, _ other: GenuineTransactionReceipt) throws {
        guard genuine.name != other.name else { return }
        let mine = try UnverifiedPurchaseInfo(unverified: genuine.text).outerEntries[1].value
        let theirs = try UnverifiedPurchaseInfo(unverified: other.text).outerEntries[1].value
        let forged = String(decoding: genuine.propertyList, as: UTF8.self).replacing(mine, with: theirs)
        let error = try #require(throws: ReceiptError.self) {
            try Self.validator.validate([UInt8](forged.utf8))
        }
        // The receipts have several certificates, which may not be valid at the date of the other purchase.
        #expect(
            error.step == .signature && error.code == .signatureMismatch
                || error.step == .certificatePath && [.expired, .notYetValid].contains(error.code),
            "\(error)"
        )
    }

    @Test("accepts version 4 alone if SHA-1 is too weak", arguments: GenuineTransactionReceipt.all)
    func minimumDigest(_ genuine: GenuineTransactionReceipt) throws {
        let strict = TransactionReceiptValidator(
            ReceiptPolicy(
                environments: .only(.productionSandbox),
                bundleIdentifier: .any,
                minimumDigest: .sha256
            )
        )
        if genuine.version == .four {
            #expect(try strict.validate(genuine.text).signatureVersion == .four)
        } else {
            let error = try #require(throws: ReceiptError.self) { try strict.validate(genuine.text) }
            #expect(error.code == .weakSignatureHash)
        }
    }

    @Test("refuses each receipt with another version octet", arguments: GenuineTransactionReceipt.all)
    func otherVersion(_ genuine: GenuineTransactionReceipt) throws {
        let entry = try UnverifiedPurchaseInfo(unverified: genuine.text).outerEntries[0].value
        var blob = base64(entry)
        for version in UInt8.min...UInt8.max where version != genuine.version.rawValue {
            blob[0] = version
            var text: [UInt8] = []
            text.append(base64: blob[...])
            let forged = String(decoding: genuine.propertyList, as: UTF8.self)
                .replacing(entry, with: String(decoding: text, as: UTF8.self))
            let error = try #require(throws: ReceiptError.self) {
                try Self.validator.validate([UInt8](forged.utf8))
            }
            switch SignatureVersion(rawValue: version) {
            case nil: #expect(error.code == .unsupportedSignatureVersion)
            case .three where genuine.version == .four: #expect(error.code == .signatureMismatch)
            default: #expect(error.step == .container)
            }
        }
    }

    @Test(
        "refuses each receipt after a change of any bit of its purchase-info or signature",
        arguments: [SignatureVersion.two, .four]
    )
    func changedBits(_ version: SignatureVersion) throws {
        let genuine = try #require(GenuineTransactionReceipt.all.first { $0.version == version })
        let entries = try UnverifiedPurchaseInfo(unverified: genuine.text).outerEntries
        for (number, entry) in entries.prefix(2).enumerated() {
            let bytes = base64(entry.value)
            // The signature's entry ends with the certificate. A change there is seen at its offset or later.
            for index in stride(from: 0, to: bytes.count, by: 17) {
                var changed = bytes
                changed[index] ^= 1 << UInt8(index % 8)
                var text: [UInt8] = []
                text.append(base64: changed[...])
                let forged = String(decoding: genuine.propertyList, as: UTF8.self)
                    .replacing(entry.value, with: String(decoding: text, as: UTF8.self))
                #expect(throws: ReceiptError.self, "entry \(number), byte \(index)") {
                    try Self.validator.validate([UInt8](forged.utf8))
                }
            }
        }
    }
}
