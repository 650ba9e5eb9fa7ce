import Basics

/// The kind of payload that says how a subscription renews (`JWSRenewalInfoDecodedPayload`).
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

/// Renewal information whose signature is valid and whose claims satisfy the validator's policy.
public typealias VerifiedRenewalInfo = Verified<RenewalInfoKind>
/// Renewal information whose signature is unverified.
public typealias UnverifiedRenewalInfo = Unverified<RenewalInfoKind>

extension PayloadContents where Kind == RenewalInfoKind {
    /// The identifier of the subscription's first purchase, which all renewals share.
    public var originalTransactionId: String? { object.text("originalTransactionId") }
    /// The identifier of the product in the present period of the subscription.
    public var productId: String? { object.text("productId") }
    /// The identifier of the product in the next period of the subscription.
    public var autoRenewProductId: String? { object.text("autoRenewProductId") }
    /// Whether the subscription renews: 1 if it does, 0 if the customer turned renewal off.
    public var autoRenewStatus: Int64? { object.integer("autoRenewStatus") }
    /// The time when the latest period of the subscription ends, in the past if it has expired. If the
    /// subscription renews, the next period begins then.
    public var renewalDate: Timestamp? { object.date("renewalDate") }
    /// The price of the next period, in thousandths of the unit of ``currency``.
    public var renewalPrice: Int64? { object.integer("renewalPrice") }
    /// The currency of ``renewalPrice``: three letters of ISO 4217.
    public var currency: String? { object.text("currency") }
    /// Apple's number for the reason why the subscription expired; nil if it has not.
    public var expirationIntent: Int64? { object.integer("expirationIntent") }
    /// Whether Apple tries to charge the customer again after a charge failed.
    public var isInBillingRetryPeriod: Bool? { object.flag("isInBillingRetryPeriod") }
    /// The time when the grace period after a failed charge ends.
    public var gracePeriodExpiresDate: Timestamp? { object.date("gracePeriodExpiresDate") }
    /// The status of a price increase: 1 if the customer agreed, or was told of an increase that needs no
    /// consent; 0 if the customer has not answered.
    public var priceIncreaseStatus: Int64? { object.integer("priceIncreaseStatus") }
    /// The time when the present series of the subscription's periods began. Gaps of up to 60 days do not end
    /// a series.
    public var recentSubscriptionStartDate: Timestamp? { object.date("recentSubscriptionStartDate") }
    /// The kind of the subscription's offer: 1 introductory, 2 promotional, 3 by an offer code, 4 win-back.
    public var offerType: Int64? { object.integer("offerType") }
    /// The identifier of the offer, or the offer code that the customer redeemed.
    public var offerIdentifier: String? { object.text("offerIdentifier") }
    /// The payment mode of the offer, such as `FREE_TRIAL`.
    public var offerDiscountType: String? { object.text("offerDiscountType") }
    /// The duration of the offer, in ISO 8601, such as `P1M`.
    public var offerPeriod: String? { object.text("offerPeriod") }
    /// The identifiers of the win-back offers that the customer may take, the best offer first.
    public var eligibleWinBackOfferIds: [String]? { object.texts("eligibleWinBackOfferIds") }
    /// The UUID that the app gave to the purchase, to recognise its customer.
    public var appAccountToken: String? { object.text("appAccountToken") }
    /// The identifier of the customer's download of the app.
    public var appTransactionId: String? { object.text("appTransactionId") }
    /// The billing plan of the subscription's next period.
    public var renewalBillingPlanType: String? { object.text("renewalBillingPlanType") }
    /// The renewal after the present commitment of the subscription; nil if the payload does not have it.
    public var commitmentInfo: RenewalCommitmentInfo? {
        object.object("commitmentInfo").map(RenewalCommitmentInfo.init)
    }
    /// The data of the Advanced Commerce API; nil for a subscription that was sold without it.
    public var advancedCommerceInfo: AdvancedCommerceRenewalInfo? {
        object.object("advancedCommerceInfo").map(AdvancedCommerceRenewalInfo.init)
    }
    /// The SHA-384 digest, in base64, that binds the payload to a device.
    public var deviceVerification: String? { object.text("deviceVerification") }
    /// The UUID that ``deviceVerification`` covers besides the device's identifier.
    public var deviceVerificationNonce: String? { object.text("deviceVerificationNonce") }
}

/// The renewal after the present commitment of a subscription: into another commitment or another plan, or
/// none.
public struct RenewalCommitmentInfo: Sendable {
    /// All members of the commitment, documented or not.
    public let members: PayloadObject

    /// The identifier of the product that renews when the present commitment ends.
    public var commitmentAutoRenewProductId: String? { members.text("commitmentAutoRenewProductId") }
    /// Whether the subscription renews when the present commitment ends: 1 if it does, 0 if not.
    public var commitmentAutoRenewStatus: Int64? { members.integer("commitmentAutoRenewStatus") }
    /// The billing plan after the present commitment.
    public var commitmentRenewalBillingPlanType: String? { members.text("commitmentRenewalBillingPlanType") }
    /// The time of the renewal after the present commitment.
    public var commitmentRenewalDate: Timestamp? { members.date("commitmentRenewalDate") }
    /// The price after the present commitment, in thousandths of the currency's unit.
    public var commitmentRenewalPrice: Int64? { members.integer("commitmentRenewalPrice") }
}
