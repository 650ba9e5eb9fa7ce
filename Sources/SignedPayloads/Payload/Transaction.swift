import Basics

/// A transaction (`JWSTransactionDecodedPayload`).
public enum TransactionKind: PayloadKind {
    public typealias Nested = NothingNested
    public static var shape: PayloadShape {
        PayloadShape(table: .transaction, hasAppAppleIdentifier: false)
    }
}

/// A transaction whose signature and claims were verified.
public typealias VerifiedTransaction = Verified<TransactionKind>
/// A transaction that nothing verified.
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
    /// The group of the subscription.
    public var subscriptionGroupIdentifier: String? { object.text("subscriptionGroupIdentifier") }
    /// When the customer was charged, or the renewal or restoration.
    public var purchaseDate: Timestamp? { object.date("purchaseDate") }
    /// When the first purchase was made.
    public var originalPurchaseDate: Timestamp? { object.date("originalPurchaseDate") }
    /// When the period of the subscription ends.
    public var expiresDate: Timestamp? { object.date("expiresDate") }
    /// The number of items.
    public var quantity: Int64? { object.integer("quantity") }
    /// The type of the product, such as `Auto-Renewable Subscription`.
    public var type: String? { object.text("type") }
    /// The UUID that the app gave at the purchase.
    public var appAccountToken: String? { object.text("appAccountToken") }
    /// `PURCHASED` or `FAMILY_SHARED`.
    public var inAppOwnershipType: String? { object.text("inAppOwnershipType") }
    /// When Apple refunded or revoked the purchase. Grant nothing for such a transaction.
    public var revocationDate: Timestamp? { object.date("revocationDate") }
    /// Why Apple refunded it: 1 for a problem with the app, 0 for another reason.
    public var revocationReason: Int64? { object.integer("revocationReason") }
    /// How much was refunded, in thousandths of a percent.
    public var revocationPercentage: Int64? { object.integer("revocationPercentage") }
    /// How much was revoked, such as `REFUND_FULL`.
    public var revocationType: String? { object.text("revocationType") }
    /// Whether the customer upgraded to another subscription.
    public var isUpgraded: Bool? { object.flag("isUpgraded") }
    /// 1 for an introductory offer, 2 promotional, 3 an offer code, 4 win-back.
    public var offerType: Int64? { object.integer("offerType") }
    /// The identifier of the offer, or the offer code.
    public var offerIdentifier: String? { object.text("offerIdentifier") }
    /// The payment mode of the offer, such as `FREE_TRIAL`.
    public var offerDiscountType: String? { object.text("offerDiscountType") }
    /// The duration of the offer, in ISO 8601, such as `P1M`.
    public var offerPeriod: String? { object.text("offerPeriod") }
    /// `PURCHASE` or `RENEWAL`.
    public var transactionReason: String? { object.text("transactionReason") }
    /// The country of the storefront, with three letters.
    public var storefront: String? { object.text("storefront") }
    /// The App Store's number for the storefront.
    public var storefrontId: String? { object.text("storefrontId") }
    /// The price in thousandths of the currency's unit.
    public var price: Int64? { object.integer("price") }
    /// The currency of the price, with three letters.
    public var currency: String? { object.text("currency") }
    /// The identifier of the customer's download of the app.
    public var appTransactionId: String? { object.text("appTransactionId") }
    /// The billing plan of the subscription.
    public var billingPlanType: String? { object.text("billingPlanType") }
    /// The commitment of a subscription that is billed in parts.
    public var commitmentInfo: TransactionCommitmentInfo? {
        object.object("commitmentInfo").map(TransactionCommitmentInfo.init)
    }
    /// The item of the Advanced Commerce API. Its members are reached by name.
    public var advancedCommerceInfo: PayloadObject? { object.object("advancedCommerceInfo") }
    /// The digest that binds the payload to a device, in base64.
    public var deviceVerification: String? { object.text("deviceVerification") }
    /// The UUID that is part of the digest.
    public var deviceVerificationNonce: String? { object.text("deviceVerificationNonce") }
}

/// The commitment of a subscription that is billed in parts.
public struct TransactionCommitmentInfo: Sendable {
    /// All members, documented or not.
    public let members: PayloadObject

    init(_ members: PayloadObject) { self.members = members }

    /// The number of the present period, from 1.
    public var billingPeriodNumber: Int64? { members.integer("billingPeriodNumber") }
    /// How many periods the commitment has.
    public var totalBillingPeriods: Int64? { members.integer("totalBillingPeriods") }
    /// The price of the commitment, in thousandths of the currency's unit.
    public var commitmentPrice: Int64? { members.integer("commitmentPrice") }
    /// When the commitment ends.
    public var commitmentExpiresDate: Timestamp? { members.date("commitmentExpiresDate") }
}
