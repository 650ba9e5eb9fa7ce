// The one table of documented members: the name and the type of each, for each kind of object.
//
// The names are Apple's, from the App Store Server API, App Store Server Notifications version 2, the
// Retention Messaging API and StoreKit. Members that Apple adds later stand in `unknownMembers` until they
// have a row.

/// The documented type of the value of a member of a JSON object in a token.
package enum ValueKind: Sendable {
    /// A string, such as a bundle identifier.
    case text
    /// An integer of 64 bits. Prices are in thousandths of the currency's unit.
    case integer
    /// A time in milliseconds since 1970.
    case date
    /// The value `true` or `false`.
    case flag
    /// An array of strings.
    case texts
    /// A JSON object, whose members have a table of their own.
    case object(ObjectTable)
    /// An array of JSON objects, whose members all have the same table.
    case objects(ObjectTable)
}

/// One row of the table of documented members: a member's name and the type of its value.
package struct FieldRow: Sendable {
    package let name: String
    package let kind: ValueKind

    fileprivate static func text(_ name: String) -> Self { Self(name: name, kind: .text) }
    fileprivate static func integer(_ name: String) -> Self { Self(name: name, kind: .integer) }
    fileprivate static func date(_ name: String) -> Self { Self(name: name, kind: .date) }
    fileprivate static func flag(_ name: String) -> Self { Self(name: name, kind: .flag) }
    fileprivate static func texts(_ name: String) -> Self { Self(name: name, kind: .texts) }
    fileprivate static func object(_ name: String, _ table: ObjectTable) -> Self {
        Self(name: name, kind: .object(table))
    }
    fileprivate static func objects(_ name: String, _ table: ObjectTable) -> Self {
        Self(name: name, kind: .objects(table))
    }
}

/// A kind of JSON object in a token: a payload, or an object inside one.
package enum ObjectTable: Sendable, CaseIterable {
    case transaction, renewalInfo, notification, appTransaction, realtimeRequest
    case notificationData, summary, externalPurchaseToken, appData
    case transactionCommitment, renewalCommitment
    case advancedCommerceTransaction, advancedCommerceTransactionItem
    case advancedCommerceRenewal, advancedCommerceRenewalItem
    case advancedCommerceDescriptors, advancedCommerceOffer
    case advancedCommerceRefund, advancedCommercePriceIncrease

    /// The name of a member that every genuine payload of this kind has, and that no payload of another
    /// kind has; nil for an object inside a payload.
    package var mark: String? {
        switch self {
        case .transaction: "transactionId"
        case .renewalInfo: "autoRenewStatus"
        case .notification: "notificationType"
        case .appTransaction: "receiptType"
        case .realtimeRequest: "userLocale"
        default: nil
        }
    }

    /// The documented members of this kind of object, nearly in the order in which Apple writes them.
    package var rows: [FieldRow] {
        switch self {
        case .transaction:
            [
                .text("transactionId"), .text("originalTransactionId"), .text("webOrderLineItemId"),
                .text("bundleId"), .text("productId"), .text("subscriptionGroupIdentifier"),
                .date("purchaseDate"), .date("originalPurchaseDate"), .date("expiresDate"),
                .integer("quantity"), .text("type"), .text("deviceVerification"),
                .text("deviceVerificationNonce"), .text("appAccountToken"), .text("inAppOwnershipType"),
                .date("signedDate"), .date("revocationDate"), .integer("revocationReason"),
                .flag("isUpgraded"), .integer("offerType"), .text("environment"),
                .text("transactionReason"), .text("storefront"), .text("storefrontId"), .integer("price"),
                .text("currency"), .text("appTransactionId"), .text("offerDiscountType"),
                .text("offerIdentifier"), .text("offerPeriod"), .integer("revocationPercentage"),
                .text("revocationType"), .text("billingPlanType"),
                .object("commitmentInfo", .transactionCommitment),
                .object("advancedCommerceInfo", .advancedCommerceTransaction),
            ]
        case .renewalInfo:
            [
                .integer("expirationIntent"), .text("originalTransactionId"), .text("autoRenewProductId"),
                .text("productId"), .integer("autoRenewStatus"), .flag("isInBillingRetryPeriod"),
                .integer("renewalPrice"), .text("currency"), .date("signedDate"), .text("environment"),
                .date("recentSubscriptionStartDate"), .date("renewalDate"), .text("appTransactionId"),
                .text("deviceVerification"), .text("deviceVerificationNonce"),
                .date("gracePeriodExpiresDate"), .integer("offerType"), .integer("priceIncreaseStatus"),
                .text("appAccountToken"), .text("offerDiscountType"), .text("offerIdentifier"),
                .text("offerPeriod"), .text("renewalBillingPlanType"), .texts("eligibleWinBackOfferIds"),
                .object("commitmentInfo", .renewalCommitment),
                .object("advancedCommerceInfo", .advancedCommerceRenewal),
            ]
        case .notification:
            [
                .text("notificationType"), .text("subtype"), .text("notificationUUID"),
                .object("data", .notificationData), .object("summary", .summary),
                .object("externalPurchaseToken", .externalPurchaseToken), .object("appData", .appData),
                .text("version"), .date("signedDate"),
            ]
        case .appTransaction:
            [
                .text("receiptType"), .integer("appAppleId"), .text("bundleId"),
                .text("applicationVersion"), .integer("versionExternalIdentifier"),
                .date("receiptCreationDate"), .date("requestDate"), .date("originalPurchaseDate"),
                .text("originalApplicationVersion"), .text("deviceVerification"),
                .text("deviceVerificationNonce"), .text("appTransactionId"), .text("originalPlatform"),
                .date("preorderDate"),
            ]
        case .realtimeRequest:
            [
                .text("originalTransactionId"), .integer("appAppleId"), .text("productId"),
                .text("userLocale"), .text("requestIdentifier"), .text("environment"), .date("signedDate"),
            ]
        case .notificationData:
            [
                .integer("appAppleId"), .text("bundleId"), .text("bundleVersion"), .text("environment"),
                .text("signedTransactionInfo"), .text("signedRenewalInfo"), .integer("status"),
                .text("consumptionRequestReason"),
            ]
        case .summary:
            [
                .text("requestIdentifier"), .text("environment"), .integer("appAppleId"), .text("bundleId"),
                .text("productId"), .texts("storefrontCountryCodes"), .integer("failedCount"),
                .integer("succeededCount"),
            ]
        case .externalPurchaseToken:
            [
                .text("externalPurchaseId"), .date("tokenCreationDate"), .integer("appAppleId"),
                .text("bundleId"), .text("tokenType"), .date("tokenExpirationDate"),
            ]
        case .appData:
            [
                .integer("appAppleId"), .text("bundleId"), .text("environment"),
                .text("signedAppTransactionInfo"),
            ]
        case .transactionCommitment:
            [
                .integer("billingPeriodNumber"), .integer("totalBillingPeriods"),
                .integer("commitmentPrice"), .date("commitmentExpiresDate"),
            ]
        case .renewalCommitment:
            [
                .text("commitmentAutoRenewProductId"), .text("commitmentRenewalBillingPlanType"),
                .integer("commitmentAutoRenewStatus"), .integer("commitmentRenewalPrice"),
                .date("commitmentRenewalDate"),
            ]
        case .advancedCommerceTransaction:
            [
                .object("descriptors", .advancedCommerceDescriptors), .integer("estimatedTax"),
                .objects("items", .advancedCommerceTransactionItem), .text("period"),
                .text("requestReferenceId"), .text("taxCode"), .integer("taxExclusivePrice"),
                .text("taxRate"),
            ]
        case .advancedCommerceTransactionItem:
            [
                .text("SKU"), .text("description"), .text("displayName"),
                .object("offer", .advancedCommerceOffer), .integer("price"),
                .objects("refunds", .advancedCommerceRefund), .date("revocationDate"),
            ]
        case .advancedCommerceRenewal:
            [
                .text("consistencyToken"), .object("descriptors", .advancedCommerceDescriptors),
                .objects("items", .advancedCommerceRenewalItem), .text("period"),
                .text("requestReferenceId"), .text("taxCode"),
            ]
        case .advancedCommerceRenewalItem:
            [
                .text("SKU"), .text("description"), .text("displayName"),
                .object("offer", .advancedCommerceOffer), .integer("price"),
                .object("priceIncreaseInfo", .advancedCommercePriceIncrease),
            ]
        case .advancedCommerceDescriptors: [.text("description"), .text("displayName")]
        case .advancedCommerceOffer:
            [.text("period"), .integer("periodCount"), .integer("price"), .text("reason")]
        case .advancedCommerceRefund:
            [.integer("refundAmount"), .date("refundDate"), .text("refundReason"), .text("refundType")]
        case .advancedCommercePriceIncrease:
            [.texts("dependentSKUs"), .integer("price"), .text("status")]
        }
    }
}
