import Basics
import Foundation
import SignedPayloads
import TestSupport
import Testing

/// A value in the form in which JSON has it, for comparisons with the payload.
private func json(_ value: (any Sendable)?) -> JSON? {
    switch value {
    case let text as String: .string(text)
    case let number as Int64: .number(Double(number))
    case let date as Timestamp: .number(Double(date.millisecondsSince1970))
    case let flag as Bool: .flag(flag)
    case let texts as [String]: .array(texts.map { .string($0) })
    default: nil
    }
}

/// The characters of a token with a payload. The header is `{}`, and the signature is empty.
private func token(_ payload: String) -> [UInt8] { [UInt8]("e30.\(base64URL(payload)).".utf8) }

@Suite("Typed values")
struct TypedValueTests {
    private static func validator(_ vector: TokenVector) -> SignedPayloadValidator {
        SignedPayloadValidator(vector.policy)
    }

    /// Expects the values of the payload, and one value for each row of the table except those named.
    private func expect(
        _ values: [String: (any Sendable)?],
        _ expected: JSON,
        _ table: ObjectTable,
        except others: [String] = []
    ) {
        for (name, value) in values {
            #expect(json(value) == expected[name] && expected[name] != nil, "\(name)")
        }
        #expect((values.keys + others).sorted() == table.rows.map(\.name).sorted())
    }

    @Test("of a transaction")
    func transaction() throws {
        let vector = try TokenVector.named("every member of a transaction")
        var cache = SignedPayloadCache()
        let t = try Self.validator(vector).validate(transaction: vector.token, cache: &cache)
        let values: [String: (any Sendable)?] = [
            "transactionId": t.transactionId, "originalTransactionId": t.originalTransactionId,
            "webOrderLineItemId": t.webOrderLineItemId, "bundleId": t.bundleId, "productId": t.productId,
            "subscriptionGroupIdentifier": t.subscriptionGroupIdentifier, "purchaseDate": t.purchaseDate,
            "originalPurchaseDate": t.originalPurchaseDate, "expiresDate": t.expiresDate,
            "quantity": t.quantity, "type": t.type, "appAccountToken": t.appAccountToken,
            "inAppOwnershipType": t.inAppOwnershipType, "signedDate": t.signedDate,
            "revocationDate": t.revocationDate, "revocationReason": t.revocationReason,
            "revocationPercentage": t.revocationPercentage, "revocationType": t.revocationType,
            "isUpgraded": t.isUpgraded, "offerType": t.offerType, "offerIdentifier": t.offerIdentifier,
            "offerDiscountType": t.offerDiscountType, "offerPeriod": t.offerPeriod,
            "environment": t.environment?.name, "transactionReason": t.transactionReason,
            "storefront": t.storefront, "storefrontId": t.storefrontId, "price": t.price,
            "currency": t.currency, "appTransactionId": t.appTransactionId,
            "billingPlanType": t.billingPlanType,
        ]
        let others = [
            "commitmentInfo", "advancedCommerceInfo", "deviceVerification", "deviceVerificationNonce",
        ]
        expect(values, try vector.payload, .transaction, except: others)
        #expect(t.deviceVerification == nil && t.deviceVerificationNonce == nil)
        let c = try #require(t.commitmentInfo)
        let commitment: [String: (any Sendable)?] = [
            "billingPeriodNumber": c.billingPeriodNumber, "totalBillingPeriods": c.totalBillingPeriods,
            "commitmentPrice": c.commitmentPrice, "commitmentExpiresDate": c.commitmentExpiresDate,
        ]
        expect(commitment, try #require(vector.payload["commitmentInfo"]), .transactionCommitment)
        #expect(t.unverified.price == 10_990)
    }

    @Test("of an Advanced Commerce purchase")
    func purchase() throws {
        let vector = try TokenVector.named("every member of a transaction")
        var cache = SignedPayloadCache()
        let t = try Self.validator(vector).validate(transaction: vector.token, cache: &cache)
        let info = try #require(t.advancedCommerceInfo)
        let expected = try #require(vector.payload["advancedCommerceInfo"])
        expect(
            [
                "estimatedTax": info.estimatedTax, "period": info.period,
                "requestReferenceId": info.requestReferenceId, "taxCode": info.taxCode,
                "taxExclusivePrice": info.taxExclusivePrice, "taxRate": info.taxRate,
            ],
            expected,
            .advancedCommerceTransaction,
            except: ["descriptors", "items"]
        )
        try expect(info.descriptors, expected)
        #expect(info.items?.count == 2 && info.items?[1].sku == "t")
        #expect(info.items?[1].offer == nil && info.items?[1].refunds == nil)
        let item = try #require(info.items?.first)
        let expectedItem = try #require(expected["items"]?.elements.first)
        expect(
            [
                "SKU": item.sku, "description": item.description, "displayName": item.displayName,
                "price": item.price, "revocationDate": item.revocationDate,
            ],
            expectedItem,
            .advancedCommerceTransactionItem,
            except: ["offer", "refunds"]
        )
        try expect(item.offer, expectedItem)
        #expect(item.refunds?.count == 2 && item.refunds?[1].refundAmount == 4500)
        let refund = try #require(item.refunds?.first)
        expect(
            [
                "refundAmount": refund.refundAmount, "refundDate": refund.refundDate,
                "refundReason": refund.refundReason, "refundType": refund.refundType,
            ],
            try #require(expectedItem["refunds"]?.elements.first),
            .advancedCommerceRefund
        )
    }

    @Test("of an Advanced Commerce renewal")
    func renewal() throws {
        let vector = try TokenVector.named("every member of renewal information")
        var cache = SignedPayloadCache()
        let r = try Self.validator(vector).validate(renewalInfo: vector.token, cache: &cache)
        let info = try #require(r.advancedCommerceInfo)
        let expected = try #require(vector.payload["advancedCommerceInfo"])
        expect(
            [
                "consistencyToken": info.consistencyToken, "period": info.period,
                "requestReferenceId": info.requestReferenceId, "taxCode": info.taxCode,
            ],
            expected,
            .advancedCommerceRenewal,
            except: ["descriptors", "items"]
        )
        try expect(info.descriptors, expected)
        #expect(info.items?.count == 2 && info.items?[1].priceIncreaseInfo == nil)
        let item = try #require(info.items?.first)
        let expectedItem = try #require(expected["items"]?.elements.first)
        expect(
            [
                "SKU": item.sku, "description": item.description, "displayName": item.displayName,
                "price": item.price,
            ],
            expectedItem,
            .advancedCommerceRenewalItem,
            except: ["offer", "priceIncreaseInfo"]
        )
        try expect(item.offer, expectedItem)
        let increase = try #require(item.priceIncreaseInfo)
        expect(
            [
                "dependentSKUs": increase.dependentSKUs, "price": increase.price,
                "status": increase.status,
            ],
            try #require(expectedItem["priceIncreaseInfo"]),
            .advancedCommercePriceIncrease
        )
    }

    private func expect(_ descriptors: AdvancedCommerceDescriptors?, _ info: JSON) throws {
        let found = try #require(descriptors)
        expect(
            ["description": found.description, "displayName": found.displayName],
            try #require(info["descriptors"]),
            .advancedCommerceDescriptors
        )
    }

    private func expect(_ offer: AdvancedCommerceOffer?, _ item: JSON) throws {
        let found = try #require(offer)
        expect(
            [
                "period": found.period, "periodCount": found.periodCount, "price": found.price,
                "reason": found.reason,
            ],
            try #require(item["offer"]),
            .advancedCommerceOffer
        )
    }

    @Test("of renewal information")
    func renewalInfo() throws {
        let vector = try TokenVector.named("every member of renewal information")
        var cache = SignedPayloadCache()
        let r = try Self.validator(vector).validate(renewalInfo: vector.token, cache: &cache)
        let values: [String: (any Sendable)?] = [
            "expirationIntent": r.expirationIntent, "originalTransactionId": r.originalTransactionId,
            "autoRenewProductId": r.autoRenewProductId, "productId": r.productId,
            "autoRenewStatus": r.autoRenewStatus, "isInBillingRetryPeriod": r.isInBillingRetryPeriod,
            "renewalPrice": r.renewalPrice, "currency": r.currency, "signedDate": r.signedDate,
            "environment": r.environment?.name,
            "recentSubscriptionStartDate": r.recentSubscriptionStartDate, "renewalDate": r.renewalDate,
            "appTransactionId": r.appTransactionId, "gracePeriodExpiresDate": r.gracePeriodExpiresDate,
            "offerType": r.offerType, "priceIncreaseStatus": r.priceIncreaseStatus,
            "appAccountToken": r.appAccountToken, "offerDiscountType": r.offerDiscountType,
            "offerIdentifier": r.offerIdentifier, "offerPeriod": r.offerPeriod,
            "renewalBillingPlanType": r.renewalBillingPlanType,
            "eligibleWinBackOfferIds": r.eligibleWinBackOfferIds,
        ]
        let others = [
            "commitmentInfo", "advancedCommerceInfo", "deviceVerification", "deviceVerificationNonce",
        ]
        expect(values, try vector.payload, .renewalInfo, except: others)
        #expect(r.deviceVerification == nil && r.deviceVerificationNonce == nil)
        let c = try #require(r.commitmentInfo)
        let commitment: [String: (any Sendable)?] = [
            "commitmentAutoRenewProductId": c.commitmentAutoRenewProductId,
            "commitmentAutoRenewStatus": c.commitmentAutoRenewStatus,
            "commitmentRenewalBillingPlanType": c.commitmentRenewalBillingPlanType,
            "commitmentRenewalDate": c.commitmentRenewalDate,
            "commitmentRenewalPrice": c.commitmentRenewalPrice,
        ]
        expect(commitment, try #require(vector.payload["commitmentInfo"]), .renewalCommitment)
    }

    @Test("of an app transaction")
    func appTransaction() throws {
        let vector = try TokenVector.named("every member of an app transaction")
        var cache = SignedPayloadCache()
        let a = try Self.validator(vector).validate(appTransaction: vector.token, cache: &cache)
        let values: [String: (any Sendable)?] = [
            "receiptType": a.environment?.name, "appAppleId": a.appAppleId, "bundleId": a.bundleId,
            "applicationVersion": a.applicationVersion,
            "versionExternalIdentifier": a.versionExternalIdentifier, "receiptCreationDate": a.signedDate,
            "requestDate": a.requestDate, "originalPurchaseDate": a.originalPurchaseDate,
            "originalApplicationVersion": a.originalApplicationVersion,
            "deviceVerification": a.deviceVerification,
            "deviceVerificationNonce": a.deviceVerificationNonce, "appTransactionId": a.appTransactionId,
            "originalPlatform": a.originalPlatform, "preorderDate": a.preorderDate,
        ]
        expect(values, try vector.payload, .appTransaction)
    }

    @Test("of a realtime request")
    func realtimeRequest() throws {
        let vector = try TokenVector.named("every member of a realtime request")
        var cache = SignedPayloadCache()
        let r = try Self.validator(vector).validate(realtimeRequest: vector.token, cache: &cache)
        let values: [String: (any Sendable)?] = [
            "originalTransactionId": r.originalTransactionId, "appAppleId": r.appAppleId,
            "productId": r.productId, "userLocale": r.userLocale, "requestIdentifier": r.requestIdentifier,
            "environment": r.environment?.name, "signedDate": r.signedDate,
        ]
        expect(values, try vector.payload, .realtimeRequest)
    }

    @Test(
        "of a notification with each of its objects, and the verified tokens inside",
        arguments: [
            ("a notification with data", "data", ObjectTable.notificationData),
            ("a notification with a summary", "summary", .summary),
            (
                "a notification with an external purchase token", "externalPurchaseToken",
                .externalPurchaseToken
            ),
            ("a notification with appData", "appData", .appData),
        ]
    )
    func notification(_ name: String, _ member: String, _ table: ObjectTable) throws {
        let vector = try TokenVector.named(name)
        var cache = SignedPayloadCache()
        let n = try Self.validator(vector).validate(notification: vector.token, cache: &cache)
        let outer: [String: (any Sendable)?] = [
            "notificationType": n.notificationType, "subtype": n.subtype,
            "notificationUUID": n.notificationUUID, "version": n.version, "signedDate": n.signedDate,
        ]
        let inner = try #require(vector.payload[member])
        #expect(n.content.members.map(\.name).sorted() == inner.members.keys.sorted())
        #expect(json(n.tokenType) == inner["tokenType"])
        #expect(json(n.tokenExpirationDate) == inner["tokenExpirationDate"])
        let objects = ["data", "summary", "externalPurchaseToken", "appData"]
        expect(outer, try vector.payload, .notification, except: objects)
        let content: [String: (any Sendable)?] = [
            "appAppleId": n.appAppleId, "bundleId": n.bundleId, "bundleVersion": n.bundleVersion,
            "environment": n.environment?.name, "status": n.status,
            "consumptionRequestReason": n.consumptionRequestReason,
            "requestIdentifier": n.requestIdentifier, "productId": n.productId,
            "storefrontCountryCodes": n.storefrontCountryCodes, "failedCount": n.failedCount,
            "succeededCount": n.succeededCount, "externalPurchaseId": n.externalPurchaseId,
            "tokenCreationDate": n.tokenCreationDate,
        ]
        let expected = try #require(vector.payload[member])
        for (name, value) in content where name != "environment" || expected[name] != nil {
            #expect(json(value) == expected[name], "\(name)")
        }
        #expect(n.environment == (member == "summary" || member == "appData" ? .production : .sandbox))
        #expect(n.unknownContentMembers.isEmpty && n.unknownMembers.isEmpty)
        #expect((n.transaction == nil) == (expected["signedTransactionInfo"] == nil))
        #expect((n.renewalInfo == nil) == (expected["signedRenewalInfo"] == nil))
        #expect((n.appTransaction == nil) == (expected["signedAppTransactionInfo"] == nil))
        if member == "data" {
            #expect(n.transaction?.price == 10_990 && n.renewalInfo?.renewalPrice == 9_990)
        }
    }

    @Test("that Apple may add are kept, with all their digits")
    func unknown() throws {
        let vector = try TokenVector.named("members that Apple may add")
        var cache = SignedPayloadCache()
        let t = try Self.validator(vector).validate(transaction: vector.token, cache: &cache)
        #expect(t.unknownMembers.map(\.name) == ["newMember", "newDate"])
        #expect(t.unknownMembers.map(\.json) == [#"{"a":[1.5,null]}"#, "1750000000000"])
        #expect(t.members.date("newDate") == t.signedDate)
    }

    @Test("that are dates are rounded down, and reach to 2^53")
    func dates() throws {
        let vector = try TokenVector.named("dates with fractions")
        var cache = SignedPayloadCache()
        let t = try Self.validator(vector).validate(transaction: vector.token, cache: &cache)
        #expect(t.signedDate?.millisecondsSince1970 == 1_750_000_000_000)
        #expect(t.purchaseDate?.millisecondsSince1970 == -2)
        #expect(t.expiresDate?.millisecondsSince1970 == 0)
        #expect(t.originalPurchaseDate?.millisecondsSince1970 == 1 << 53)
    }

    @Test("that are arrays of objects are nil if an element is anything else, or has a name twice")
    func arraysOfObjects() throws {
        for (array, count) in [
            ("[]", 0), (#"[{"a":1},{}]"#, 2), (" [ {} ] ", 1), ("{}", nil), ("1", nil), ("null", nil),
            (#""[]""#, nil), ("[null]", nil), ("[{},1]", nil), (#"["{}"]"#, nil), ("[[]]", nil),
            (#"[{},{"a":1,"a":1}]"#, nil), (#"[{"\u0061":1}]"#, nil),
        ] as [(String, Int?)] {
            let (object, _) = try PayloadObject.unverified(token(#"{"x":\#(array)}"#))
            #expect(object.objects("x")?.count == count, "\(array)")
            #expect(object.objects("y") == nil)
            // The same values are no arrays of texts, but for the empty array and the one of a text.
            #expect(
                object.texts("x")?.count == (array == "[]" ? 0 : array == #"["{}"]"# ? 1 : nil),
                "\(array)"
            )
        }
    }

    @Test("that are numbers keep their value, or are nil")
    func numbers() throws {
        for (number, integer, date) in [
            ("-9223372036854775808", .min, nil), ("9223372036854775807", .max, nil),
            ("9223372036854775808", nil, nil), ("-9223372036854775808.5", nil, nil),
            ("1.5", nil, 1), ("-1.1", nil, -2), ("-1.5", nil, -2), ("1.0", nil, 1), ("-0.0", nil, 0),
            ("1.5e3", nil, nil), ("1e3", nil, nil), (#""1""#, nil, nil),
        ] as [(String, Int64?, Int64?)] {
            let (object, _) = try PayloadObject.unverified(token(#"{"x":\#(number)}"#))
            #expect(object.integer("x") == integer, "\(number)")
            #expect(object.date("x")?.millisecondsSince1970 == date, "\(number)")
        }
    }

    @Test("of an unverified payload have their types, or the payload is refused")
    func unverified() throws {
        let vector = try TokenVector.named("every member of a transaction")
        let t = try UnverifiedTransaction(unverified: vector.token)
        #expect(t.unverified.price == 10_990 && t.price == 10_990)
        for value in ["{}", "1", #""a""#, "[1]", "[null]"] {
            let text = token(#"{"autoRenewStatus":1,"eligibleWinBackOfferIds":\#(value)}"#)
            let error = try #require(throws: SignedPayloadError.self, "\(value)") {
                try UnverifiedRenewalInfo(unverified: text)
            }
            #expect(error.step == .payload && error.code == .invalidValue, "\(value)")
        }
        for (name, code) in [
            (#"price "10990""#, Refusal.Code.invalidValue), ("renewal-info as transaction", .otherKind),
            ("a win-back offer that is a number", .otherKind),
        ] {
            let wrong = try TokenVector.named(name)
            let error = try #require(throws: SignedPayloadError.self, "\(name)") {
                try UnverifiedTransaction(unverified: wrong.token)
            }
            #expect(error.step == .payload && error.code == code, "\(name)")
        }
    }

    @Test("that are null are absent")
    func null() throws {
        let vector = try TokenVector.named("null reads as absent")
        let t = try UnverifiedTransaction(unverified: vector.token)
        #expect(t.price == nil && t.commitmentInfo == nil && t.quantity == 1)
        #expect(t.members.members.contains { $0.name == "price" && $0.json == "null" })
    }

    @Test(
        "of external purchase tokens, which nobody signed",
        .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
    )
    func externalPurchaseTokens() throws {
        let file = try JSON.parse(SharedData.bytes("jws/external-purchase-tokens-apple-docs.json"))
        let tokens = try #require(file["tokens"]?.elements)
        #expect(tokens.count == 2)
        for entry in tokens {
            let text = try #require(entry["token"]?.string)
            let decoded = try #require(entry["decoded"])
            let token = try UnverifiedExternalPurchaseToken(unverified: [UInt8](text.utf8))
            let values: [String: (any Sendable)?] = [
                "externalPurchaseId": token.externalPurchaseId, "tokenType": token.tokenType,
                "tokenCreationDate": token.tokenCreationDate,
                "tokenExpirationDate": token.tokenExpirationDate,
                "appAppleId": token.appAppleId, "bundleId": token.bundleId,
            ]
            for (name, value) in values { #expect(json(value) == decoded[name], "\(name)") }
            #expect(token.members.members.map(\.name).sorted() == decoded.members.keys.sorted())
        }
        let long = [UInt8](repeating: UInt8(ascii: "A"), count: TokenLimits.standard.tokenBytes + 1)
        let tooLong = try #require(throws: SignedPayloadError.self) {
            try UnverifiedExternalPurchaseToken(unverified: long)
        }
        #expect(tooLong.step == .form && tooLong.code == .tokenTooLarge)
        var exact = TokenLimits.standard
        exact.tokenBytes = 3
        _ = try UnverifiedExternalPurchaseToken(unverified: Array("e30".utf8), limits: exact)
        for (text, step) in [
            ("e30", nil), ("e3", SignedPayloadError.Step.form), ("W10", .payload), ("", .payload),
            (base64URL(#"{"externalPurchaseId":7}"#), .payload),
        ] {
            do throws(SignedPayloadError) {
                _ = try UnverifiedExternalPurchaseToken(unverified: [UInt8](text.utf8))
                #expect(step == nil)
            } catch {
                #expect(error.step == step, "\(error)")
            }
        }
    }
}
