import AppReceipt
import Basics
import Foundation
import TestSupport
import Testing

@Suite(
    "Genuine receipts",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct GenuineReceiptTests {
    @Test("finds 16 receipts from the sandbox and 4 from Xcode")
    func dataIsThere() {
        #expect(GenuineReceipt.accepted.count == 16 && GenuineReceipt.xcode.count == 4)
        #expect(GenuineReceipt.all.count == 20)
    }

    @Test("gives each receipt the verdict of its record", arguments: GenuineReceipt.all)
    func verdict(_ genuine: GenuineReceipt) throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .exactly(genuine.bundleIdentifier))
        )
        if genuine.isAcceptedUnderAppleRoot {
            _ = try validator.validate(genuine.der)
        } else {
            let error = try #require(throws: ReceiptError.self) { try validator.validate(genuine.der) }
            #expect(error.step == .root, "\(error)")
        }
    }

    @Test("accepts Xcode's receipts, and no others, under Xcode's policy", arguments: GenuineReceipt.all)
    func xcode(_ genuine: GenuineReceipt) throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: .xcodeTesting)
        )
        if genuine.isXcode {
            _ = try validator.validate(genuine.der)
        } else {
            #expect(throws: ReceiptError.self) { try validator.validate(genuine.der) }
        }
    }

    @Test("reads every field of the record", arguments: GenuineReceipt.all)
    func fields(_ genuine: GenuineReceipt) throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: genuine.trust)
        )
        let receipt = try validator.validate(genuine.der)
        let expected = genuine.payload.filter { $0.key != "in_app_purchases" }
        var record = receipt.record
        record["creation_date"] = .init(receipt.creationDate)
        compare(record, with: expected, undocumented: undocumented(receipt.attributes))
        guard case .array(let purchases)? = genuine.payload["in_app_purchases"] else { return }
        let decoded = Array(receipt.inAppPurchases)
        try #require(decoded.count == purchases.count && receipt.malformedInAppPurchases.isEmpty)
        for (purchase, expected) in zip(decoded, purchases) {
            guard case .object(let fields) = expected else { continue }
            compare(purchase.record, with: fields, undocumented: undocumented(purchase.attributes))
        }
        #expect(receipt.malformedAttributeCount == 0)
    }

    @Test("decodes the base64 text of a receipt", arguments: GenuineReceipt.all)
    func base64(_ genuine: GenuineReceipt) throws {
        let text = Data(genuine.der).base64EncodedString(options: [
            .lineLength76Characters, .endLineWithCarriageReturn,
        ])
        #expect(try ReceiptInput.decode([UInt8](text.utf8)) == genuine.der)
    }

    @Test("accepts three receipts with their known device and with no other device")
    func device() throws {
        let known = GenuineReceipt.all.filter { $0.deviceIdentifier != nil }
        #expect(known.count == 3)
        for genuine in known {
            let device = try #require(DeviceIdentifier(genuine.deviceIdentifier ?? ""))
            var other = device.bytes
            other[15] ^= 1
            let wrong = try #require(DeviceIdentifier(other))
            func validator(_ devices: [DeviceIdentifier]) -> ReceiptValidator {
                ReceiptValidator(
                    ReceiptPolicy(environments: .any, bundleIdentifier: .any, deviceIdentifiers: devices)
                )
            }
            #expect(try !validator([device]).validate(genuine.der).notChecked.contains(.deviceHash))
            _ = try validator([wrong, device]).validate(genuine.der)
            for candidates in [[wrong], [.server], [wrong, .server]] {
                let error = try #require(throws: ReceiptError.self) {
                    try validator(candidates).validate(genuine.der)
                }
                #expect(error.step == .deviceHash && error.code == .deviceHashMismatch)
            }
        }
    }

    @Test(
        "refuses a sandbox receipt if only Production is accepted",
        arguments: GenuineReceipt.accepted
    )
    func sandbox(_ genuine: GenuineReceipt) throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(environments: .only(.production), bundleIdentifier: .any)
        )
        let error = try #require(throws: ReceiptError.self) { try validator.validate(genuine.der) }
        #expect(error.step == .environment && error.code == .environmentMismatch)
    }

    @Test("gives equal receipts with a remembered path")
    func remembered() throws {
        var cache = ValidationCache()
        let validator = ReceiptValidator(ReceiptPolicy(environments: .any, bundleIdentifier: .any))
        for _ in 0..<3 {
            for genuine in GenuineReceipt.accepted {
                let receipt = try validator.validate(genuine.der, cache: &cache)
                #expect(try receipt.record == validator.validate(genuine.der).record)
            }
            for genuine in GenuineReceipt.xcode {
                #expect(throws: ReceiptError.self) { try validator.validate(genuine.der, cache: &cache) }
            }
        }
    }

    // MARK: Comparing

    /// The types that the records list as undocumented.
    private func undocumented(_ attributes: [AppReceipt.Attribute]) -> [JSONValue] {
        let documented: Set<Int64> = [
            0, 1, 2, 3, 4, 5, 8, 10, 11, 12, 15, 16, 17, 18, 19, 21, 25, 1701, 1702, 1703, 1704, 1705, 1706,
            1707, 1708, 1711, 1712, 1713, 1719, 1720, 1721,
        ]
        return Set(attributes.map(\.type)).subtracting(documented).sorted().map(JSONValue.number)
    }

    private func compare(
        _ record: [String: JSONValue],
        with expected: [String: JSONValue],
        undocumented: [JSONValue]
    ) {
        for name in Set(record.keys).union(expected.keys) where name != "_undocumented_types" {
            let value = (record[name] ?? .null).normalised(name)
            #expect(value == (expected[name] ?? .null).normalised(name), "\(name)")
        }
        #expect(expected["_undocumented_types"] == .array(undocumented))
    }
}

extension ReceiptContents {
    /// The fields under the names of the records.
    var record: [String: JSONValue] {
        [
            "environment": .init(environmentName), "app_store_id": .init(appStoreIdentifier),
            "bundle_identifier": .init(bundleIdentifier), "app_version": .init(appVersion),
            "opaque_value": .init(hex: opaqueValue), "sha1_hash": .init(hex: sha1Hash),
            "purchase_date": .init(purchaseDate), "age_rating": .init(ageRating),
            "developer_id": .init(developerIdentifier),
            "download_id": .init(downloadIdentifier),
            "version_external_identifier": .init(versionExternalIdentifier),
            "original_purchase_date": .init(originalPurchaseDate),
            "original_app_version": .init(originalAppVersion), "expiration_date": .init(expirationDate),
            "platform": .init(platform),
        ]
    }
}

extension InAppPurchaseContents {
    /// The fields under the names of the records.
    var record: [String: JSONValue] {
        [
            "quantity": .init(quantity), "product_identifier": .init(productIdentifier),
            "transaction_identifier": .init(transactionIdentifier), "purchase_date": .init(purchaseDate),
            "original_transaction_identifier": .init(originalTransactionIdentifier),
            "original_purchase_date": .init(originalPurchaseDate),
            "product_type": .init(values.number(.productType)),
            "expires_date": .init(expiresDate), "web_order_line_item_id": .init(webOrderLineItemIdentifier),
            "cancellation_date": .init(cancellationDate), "is_trial_period": .init(isTrialPeriod),
            "is_in_intro_offer_period": .init(isInIntroductoryOfferPeriod),
            "cancellation_reason": .init(cancellationReason),
            "promotional_offer_identifier": .init(promotionalOfferIdentifier),
        ]
    }
}

extension JSONValue {
    init(_ value: String?) { self = value.map { .string($0) } ?? .null }
    init(_ value: Int64?) { self = value.map { .number($0) } ?? .null }
    init(_ value: Bool?) { self = value.map { .bool($0) } ?? .null }
    init(_ value: Timestamp?) { self = value.map { .string($0.description) } ?? .null }
    init(hex value: ArraySlice<UInt8>?) {
        self.init(value.map { $0.map { String(format: "%02x", $0) }.joined() })
    }
}
