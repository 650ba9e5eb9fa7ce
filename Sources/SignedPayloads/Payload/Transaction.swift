import Basics

/// The kind of payload that describes one purchase or renewal (`JWSTransactionDecodedPayload`).
public enum TransactionKind: PayloadKind {
    public typealias Nested = NothingNested
    public static var shape: PayloadShape {
        PayloadShape(table: .transaction, hasAppAppleIdentifier: false)
    }
}

/// A transaction whose signature is valid and whose claims satisfy the validator's policy.
public typealias VerifiedTransaction = Verified<TransactionKind>
/// A transaction whose signature is unverified.
public typealias UnverifiedTransaction = Unverified<TransactionKind>

extension PayloadContents where Kind == TransactionKind {
    /// The identifier of the transaction.
    public var transactionId: String? { object.text("transactionId") }
    /// The identifier of the first purchase, which all renewals share.
    public var originalTransactionId: String? { object.text("originalTransactionId") }
    /// The identifier of the purchase of one period of a subscription.
    public var webOrderLineItemId: String? { object.text("webOrderLineItemId") }
    /// The bundle identifier of the app.
    public var bundleId: String? { object.text("bundleId") }
    /// The identifier of the product.
    public var productId: String? { object.text("productId") }
    /// The identifier of the subscription group that the product belongs to.
    public var subscriptionGroupIdentifier: String? { object.text("subscriptionGroupIdentifier") }
    /// The time when the customer was charged, or when the purchase was renewed or restored.
    public var purchaseDate: Timestamp? { object.date("purchaseDate") }
    /// The time of the first purchase, which ``originalTransactionId`` identifies.
    public var originalPurchaseDate: Timestamp? { object.date("originalPurchaseDate") }
    /// The time when the subscription expires or renews.
    public var expiresDate: Timestamp? { object.date("expiresDate") }
    /// The number of items that were bought.
    public var quantity: Int64? { object.integer("quantity") }
    /// The type of the product, such as `Auto-Renewable Subscription`.
    public var type: String? { object.text("type") }
    /// The UUID that the app gave to the purchase, to recognise its customer.
    public var appAccountToken: String? { object.text("appAccountToken") }
    /// Whether the customer bought the product (`PURCHASED`) or a family member shares it (`FAMILY_SHARED`).
    public var inAppOwnershipType: String? { object.text("inAppOwnershipType") }
    /// The time when Apple refunded or revoked the purchase; nil if Apple did not. Grant nothing for a
    /// transaction that has one.
    public var revocationDate: Timestamp? { object.date("revocationDate") }
    /// The reason why Apple refunded the purchase: 1 for a problem with the app, 0 for another reason.
    public var revocationReason: Int64? { object.integer("revocationReason") }
    /// The share of the price that was refunded, in thousandths of a percent.
    public var revocationPercentage: Int64? { object.integer("revocationPercentage") }
    /// The kind of the refund or revocation: `REFUND_FULL`, `REFUND_PRORATED`, or another.
    public var revocationType: String? { object.text("revocationType") }
    /// Whether the customer upgraded from this subscription to another one.
    public var isUpgraded: Bool? { object.flag("isUpgraded") }
    /// The kind of the purchase's offer: 1 introductory, 2 promotional, 3 by an offer code, 4 win-back.
    public var offerType: Int64? { object.integer("offerType") }
    /// The identifier of the offer, or the offer code that the customer redeemed.
    public var offerIdentifier: String? { object.text("offerIdentifier") }
    /// The payment mode of the offer, such as `FREE_TRIAL`.
    public var offerDiscountType: String? { object.text("offerDiscountType") }
    /// The duration of the offer, in ISO 8601, such as `P1M`.
    public var offerPeriod: String? { object.text("offerPeriod") }
    /// The cause of the transaction: `PURCHASE` by the customer, or `RENEWAL` of a subscription.
    public var transactionReason: String? { object.text("transactionReason") }
    /// The country of the storefront: three letters of ISO 3166-1.
    public var storefront: String? { object.text("storefront") }
    /// The App Store's number for the storefront.
    public var storefrontId: String? { object.text("storefrontId") }
    /// The price of the purchase, in thousandths of the unit of ``currency``.
    public var price: Int64? { object.integer("price") }
    /// The currency of ``price``: three letters of ISO 4217.
    public var currency: String? { object.text("currency") }
    /// The identifier of the customer's download of the app.
    public var appTransactionId: String? { object.text("appTransactionId") }
    /// The billing plan of the subscription.
    public var billingPlanType: String? { object.text("billingPlanType") }
    /// The commitment of a subscription that is billed in parts; nil if there is none.
    public var commitmentInfo: TransactionCommitmentInfo? {
        object.object("commitmentInfo").map(TransactionCommitmentInfo.init)
    }
    /// The data of the Advanced Commerce API; nil for a purchase that was made without it.
    public var advancedCommerceInfo: AdvancedCommerceTransactionInfo? {
        object.object("advancedCommerceInfo").map(AdvancedCommerceTransactionInfo.init)
    }
    /// The SHA-384 digest, in base64, that binds the payload to a device.
    public var deviceVerification: String? { object.text("deviceVerification") }
    /// The UUID that ``deviceVerification`` covers besides the device's identifier.
    public var deviceVerificationNonce: String? { object.text("deviceVerificationNonce") }
}

/// The commitment of a subscription that is billed in parts.
public struct TransactionCommitmentInfo: Sendable {
    /// All members of the commitment, documented or not.
    public let members: PayloadObject

    /// The number of the present billing period within the commitment, from 1.
    public var billingPeriodNumber: Int64? { members.integer("billingPeriodNumber") }
    /// The number of billing periods that the commitment has.
    public var totalBillingPeriods: Int64? { members.integer("totalBillingPeriods") }
    /// The price of the commitment, in thousandths of the currency's unit.
    public var commitmentPrice: Int64? { members.integer("commitmentPrice") }
    /// The time when the commitment ends.
    public var commitmentExpiresDate: Timestamp? { members.date("commitmentExpiresDate") }
}
