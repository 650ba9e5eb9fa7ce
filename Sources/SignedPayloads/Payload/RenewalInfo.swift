import Basics

/// The renewal information of a subscription (`JWSRenewalInfoDecodedPayload`).
public enum RenewalInfoKind: PayloadKind {
    public typealias Nested = NothingNested
    public static var shape: PayloadShape {
        PayloadShape(
            table: .renewalInfo,
            hasBundleIdentifier: false,
            hasAppAppleIdentifier: false
        )
    }
}

/// Renewal information whose signature and claims were verified.
public typealias VerifiedRenewalInfo = Verified<RenewalInfoKind>
/// Renewal information that nothing verified.
public typealias UnverifiedRenewalInfo = Unverified<RenewalInfoKind>

extension PayloadContents where Kind == RenewalInfoKind {
    /// The identifier of the first purchase.
    public var originalTransactionId: String? { object.text("originalTransactionId") }
    /// The product of the present period.
    public var productId: String? { object.text("productId") }
    /// The product of the next period.
    public var autoRenewProductId: String? { object.text("autoRenewProductId") }
    /// 1 if the subscription renews, 0 if the customer turned this off.
    public var autoRenewStatus: Int64? { object.integer("autoRenewStatus") }
    /// When the next period begins.
    public var renewalDate: Timestamp? { object.date("renewalDate") }
    /// The price of the next period, in thousandths of the currency's unit.
    public var renewalPrice: Int64? { object.integer("renewalPrice") }
    /// The currency of the price, with three letters.
    public var currency: String? { object.text("currency") }
    /// Why the subscription expired.
    public var expirationIntent: Int64? { object.integer("expirationIntent") }
    /// Whether Apple tries to charge the customer again.
    public var isInBillingRetryPeriod: Bool? { object.flag("isInBillingRetryPeriod") }
    /// When the grace period of a failed charge ends.
    public var gracePeriodExpiresDate: Timestamp? { object.date("gracePeriodExpiresDate") }
    /// 1 if the customer agreed to a price increase, 0 if not yet.
    public var priceIncreaseStatus: Int64? { object.integer("priceIncreaseStatus") }
    /// When the present series of periods without a gap began.
    public var recentSubscriptionStartDate: Timestamp? { object.date("recentSubscriptionStartDate") }
    /// 1 for an introductory offer, 2 promotional, 3 an offer code, 4 win-back.
    public var offerType: Int64? { object.integer("offerType") }
    /// The identifier of the offer, or the offer code.
    public var offerIdentifier: String? { object.text("offerIdentifier") }
    /// The payment mode of the offer, such as `FREE_TRIAL`.
    public var offerDiscountType: String? { object.text("offerDiscountType") }
    /// The duration of the offer, in ISO 8601.
    public var offerPeriod: String? { object.text("offerPeriod") }
    /// The win-back offers that the customer may take, the best first.
    public var eligibleWinBackOfferIds: [String]? { object.texts("eligibleWinBackOfferIds") }
    /// The UUID that the app gave at the purchase.
    public var appAccountToken: String? { object.text("appAccountToken") }
    /// The identifier of the customer's download of the app.
    public var appTransactionId: String? { object.text("appTransactionId") }
    /// The billing plan of the next period.
    public var renewalBillingPlanType: String? { object.text("renewalBillingPlanType") }
    /// The commitment that the next period begins.
    public var commitmentInfo: RenewalCommitmentInfo? {
        object.object("commitmentInfo").map(RenewalCommitmentInfo.init)
    }
    /// The items of the Advanced Commerce API. Their members are reached by name.
    public var advancedCommerceInfo: PayloadObject? { object.object("advancedCommerceInfo") }
    /// The digest that binds the payload to a device, in base64.
    public var deviceVerification: String? { object.text("deviceVerification") }
    /// The UUID that is part of the digest.
    public var deviceVerificationNonce: String? { object.text("deviceVerificationNonce") }
}

/// The commitment that the next period of a subscription begins.
public struct RenewalCommitmentInfo: Sendable {
    /// All members, documented or not.
    public let members: PayloadObject

    init(_ members: PayloadObject) { self.members = members }

    /// The product of the next commitment.
    public var commitmentAutoRenewProductId: String? { members.text("commitmentAutoRenewProductId") }
    /// 1 if the commitment renews, 0 if not.
    public var commitmentAutoRenewStatus: Int64? { members.integer("commitmentAutoRenewStatus") }
    /// The billing plan of the next commitment.
    public var commitmentRenewalBillingPlanType: String? { members.text("commitmentRenewalBillingPlanType") }
    /// When the next commitment begins.
    public var commitmentRenewalDate: Timestamp? { members.date("commitmentRenewalDate") }
    /// The price of the next commitment, in thousandths of the currency's unit.
    public var commitmentRenewalPrice: Int64? { members.integer("commitmentRenewalPrice") }
}
