import Basics
import SignedPayloads

/// Values for the members of payloads that ``TokenTemplate`` makes. The members are the ones that Apple
/// documents.
public struct PayloadSamples: Sendable {
    /// Whether all documented members are written, or only the usual ones. A notification has only one of
    /// its inner objects in either case.
    let isComplete: Bool
    /// The object that a notification has; nil for a payload of another kind.
    let content: TokenTemplate.Content?

    /// The date at which the payloads are signed: 2024-06-01T12:00:00Z.
    public static var date: Timestamp { Timestamp(millisecondsSince1970: 1_717_243_200_000) }
    /// The UUID that every member of text has for which no other value is known.
    public static var uuid: String { "3d0c1a54-6f0e-4b5d-9c52-0e7a1d4f2b36" }

    /// An object with the members of a table: all if ``isComplete``, otherwise the usual ones. Of the inner
    /// objects, a notification has only the one that ``content`` names.
    func object(_ table: ObjectTable) -> ObjectTemplate {
        var object = ObjectTemplate()
        for row in table.rows where isComplete || isUsual(row.name, in: table) {
            if case .object(let inner) = row.kind {
                guard table != .notification || content?.rawValue.hasSameBytes(as: row.name) ?? false else {
                    continue
                }
                object.members.append((row.name, .object(self.object(inner))))
            } else {
                object.members.append((row.name, value(of: row)))
            }
        }
        return object
    }

    /// Whether objects of a table usually have the member with a name.
    private func isUsual(_ name: String, in table: ObjectTable) -> Bool {
        let unusual: [String]
        switch table {
        case .transaction:
            unusual = [
                "webOrderLineItemId", "subscriptionGroupIdentifier", "expiresDate", "deviceVerification",
                "deviceVerificationNonce", "appAccountToken", "revocationDate", "revocationReason",
                "isUpgraded", "offerType", "offerDiscountType", "offerIdentifier", "offerPeriod",
                "revocationPercentage", "revocationType", "billingPlanType", "commitmentInfo",
                "advancedCommerceInfo",
            ]
        case .renewalInfo:
            unusual = [
                "expirationIntent", "isInBillingRetryPeriod", "deviceVerification", "deviceVerificationNonce",
                "gracePeriodExpiresDate", "offerType", "priceIncreaseStatus", "appAccountToken",
                "offerDiscountType", "offerIdentifier", "offerPeriod", "renewalBillingPlanType",
                "eligibleWinBackOfferIds", "commitmentInfo", "advancedCommerceInfo",
            ]
        case .notification: unusual = ["subtype"]
        case .appTransaction: unusual = ["deviceVerification", "deviceVerificationNonce", "preorderDate"]
        case .notificationData: unusual = ["consumptionRequestReason"]
        case .externalPurchaseToken: unusual = ["tokenType", "tokenExpirationDate"]
        default: unusual = []
        }
        return !unusual.contains { $0.hasSameBytes(as: name) }
    }

    /// A value for a member: a token to sign, the value for members of this name, or else the value for all
    /// members of this type.
    private func value(of row: FieldRow) -> PayloadValue {
        if let value = nestedToken(row.name) { return .token(value) }
        if let value = Self.value(named: row.name) { return value }
        switch row.kind {
        case .text: return .text(Self.uuid)
        case .integer: return 1
        case .date: return .date(Self.date - .days(30))
        case .flag: return false
        case .texts: return ["USA", "FRA"]
        case .object(let table): return .object(object(table))
        case .objects(let table): return .objects([object(table)])
        }
    }

    /// The token for the member of a notification that holds one; nil for any other member or payload.
    private func nestedToken(_ name: String) -> TokenTemplate? {
        guard content != nil else { return nil }
        for nested in SignedPayloadError.NestedToken.allCases where name.hasSameBytes(as: nested.rawValue) {
            switch nested {
            case .transaction:
                guard isComplete else { return .subscription() }
                var transaction = TokenTemplate.complete(.transaction)
                // The renewal information beside it is about a subscription.
                transaction.makeSubscription()
                return transaction
            case .renewalInfo: return isComplete ? .complete(.renewalInfo) : TokenTemplate(.renewalInfo)
            case .appTransaction:
                return isComplete ? .complete(.appTransaction) : TokenTemplate(.appTransaction)
            }
        }
        return nil
    }

    /// The value for all members with a name; nil if ``values`` has no such name.
    static func value(named name: String) -> PayloadValue? {
        values.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// The product of the subscription that renewal information is about.
    static var subscription: PayloadValue { "com.example.app.monthly" }

    /// The values of members by name. Any other member gets a value by its type, such as ``uuid`` for
    /// text, unless it holds a token in a notification.
    private static let values: [ObjectTemplate.Member] = [
        ("transactionId", "2000000000000001"), ("originalTransactionId", "2000000000000001"),
        ("webOrderLineItemId", "2000000000000002"), ("bundleId", "com.example.app"),
        ("productId", "com.example.app.pro"), ("subscriptionGroupIdentifier", "20400000"),
        ("expiresDate", .date(date + .days(30))), ("type", "Non-Consumable"),
        ("inAppOwnershipType", "PURCHASED"), ("signedDate", .date(date)), ("environment", "Production"),
        ("transactionReason", "PURCHASE"), ("storefront", "USA"), ("storefrontId", "143441"),
        ("price", 9990), ("renewalPrice", 9990), ("currency", "USD"),
        ("appTransactionId", "704000000000000001"), ("offerDiscountType", "FREE_TRIAL"),
        ("offerIdentifier", "spring"), ("offerPeriod", "P1M"), ("revocationPercentage", 100_000),
        ("revocationType", "REFUND_FULL"), ("billingPlanType", "MONTHLY"),
        ("autoRenewProductId", subscription), ("renewalDate", .date(date + .days(30))),
        ("gracePeriodExpiresDate", .date(date + .days(46))), ("renewalBillingPlanType", "MONTHLY"),
        ("eligibleWinBackOfferIds", ["back", "again"]), ("notificationType", "DID_RENEW"),
        ("subtype", "BILLING_RECOVERY"), ("version", "2.0"), ("receiptType", "Production"),
        ("appAppleId", 1_234_567_890), ("applicationVersion", "2"), ("originalApplicationVersion", "1"),
        ("versionExternalIdentifier", 860_000_001), ("receiptCreationDate", .date(date)),
        ("requestDate", .date(date)), ("originalPlatform", "iOS"), ("userLocale", "en-US"),
        ("bundleVersion", "2"), ("consumptionRequestReason", "UNINTENDED_PURCHASE"),
        ("tokenType", "SERVICES"), ("tokenExpirationDate", .date(date + .days(30))),
        ("totalBillingPeriods", 12), ("commitmentPrice", 119_880),
        ("commitmentExpiresDate", .date(date + .days(365))),
        ("commitmentAutoRenewProductId", subscription),
        ("commitmentRenewalBillingPlanType", "MONTHLY"), ("commitmentRenewalPrice", 119_880),
        ("commitmentRenewalDate", .date(date + .days(365))),
        ("estimatedTax", 1665), ("taxExclusivePrice", 8325), ("taxRate", "0.2"), ("taxCode", "S039"),
        ("period", "P1M"), ("SKU", "com.example.app.item"), ("description", "A sample item"),
        ("displayName", "Item"), ("periodCount", 2), ("reason", "WIN_BACK"), ("refundAmount", 9990),
        ("refundReason", "OTHER"), ("refundType", "FULL"), ("dependentSKUs", ["com.example.app.other"]),
    ]
}
