import AppReceipt
import Foundation

extension VerifyReceiptClient {
    /// An answer of Apple's endpoint.
    ///
    /// A value that the answer lacks, or has in another type, is nil. ``body`` has the whole answer. Where
    /// Apple writes a number as a string, the property is a number, and a number in place of a string is
    /// accepted as well.
    public struct Answer: Sendable {
        /// The status.
        public let status: Status
        /// The endpoint that answered.
        public let endpoint: Endpoint
        /// `Production` or `Sandbox`, as the answer says. Refusals often lack it.
        public let environment: String?
        /// Whether Apple says that a repetition may help.
        public let isRetryable: Bool?
        /// The receipt as Apple decoded it.
        public let receipt: Receipt?
        /// A newer receipt in base64, with all renewals.
        public let latestReceipt: String?
        /// The transactions of subscriptions, with renewals and refunds after the receipt was made.
        public let latestTransactions: [Transaction]
        /// The renewals to come.
        public let pendingRenewals: [PendingRenewal]
        /// The whole answer, as it came.
        public let body: Data
    }
}

extension VerifyReceiptClient.Answer {
    /// The object `receipt` of an answer.
    public struct Receipt: Sendable, Hashable {
        /// The bundle identifier (`bundle_id`, in iOS 6 style `bid`). Compare it with your own.
        public let bundleIdentifier: String?
        /// The app's version (`application_version`, in iOS 6 style `bvrs`).
        public let appVersion: String?
        /// The version of the app that was first bought (`original_application_version`).
        public let originalAppVersion: String?
        /// The environment that made the receipt (`receipt_type`).
        public let environmentName: String?
        /// The date when the receipt was made (`receipt_creation_date_ms`).
        public let creationDate: Timestamp?
        /// The purchases in the receipt (`in_app`). An iOS 6 receipt is itself one purchase.
        public let inAppPurchases: [Transaction]
    }

    /// A transaction: an element of `in_app` or of `latest_receipt_info`.
    public struct Transaction: Sendable, Hashable {
        /// The quantity.
        public let quantity: Int64?
        /// The product that was bought (`product_id`).
        public let productIdentifier: String?
        /// The identifier of the transaction (`transaction_id`).
        public let transactionIdentifier: String?
        /// The identifier of the original transaction (`original_transaction_id`).
        public let originalTransactionIdentifier: String?
        /// The identifier of one purchase or renewal of a subscription (`web_order_line_item_id`).
        public let webOrderLineItemIdentifier: String?
        /// The date of the purchase, the restoration or the renewal (`purchase_date_ms`).
        public let purchaseDate: Timestamp?
        /// The date of the original transaction (`original_purchase_date_ms`).
        public let originalPurchaseDate: Timestamp?
        /// The date when the subscription expires or renews (`expires_date_ms`, in iOS 6 style
        /// `expires_date`).
        public let expiresDate: Timestamp?
        /// The date when Apple took the purchase back (`cancellation_date_ms`).
        public let cancellationDate: Timestamp?
        /// The reason for the cancellation: 1 for a problem with the app, 0 for any other reason.
        public let cancellationReason: Int64?
        /// Whether the purchase is a subscription's free trial.
        public let isTrialPeriod: Bool?
        /// Whether the purchase has an introductory price.
        public let isInIntroductoryOfferPeriod: Bool?
        /// Whether the customer left this subscription for another of its group.
        public let isUpgraded: Bool?
        /// `PURCHASED` or `FAMILY_SHARED`.
        public let ownershipType: String?
        /// The promotional offer that was redeemed.
        public let promotionalOfferIdentifier: String?
        /// The group of the subscription.
        public let subscriptionGroupIdentifier: String?
        /// The UUID that the app gave to the purchase.
        public let appAccountToken: String?
    }

    /// An element of `pending_renewal_info`.
    public struct PendingRenewal: Sendable, Hashable {
        /// The original transaction of the subscription.
        public let originalTransactionIdentifier: String?
        /// The product of the subscription.
        public let productIdentifier: String?
        /// The product of the next renewal (`auto_renew_product_id`).
        public let renewalProductIdentifier: String?
        /// Whether the subscription will renew (`auto_renew_status`).
        public let willRenew: Bool?
        /// The reason why the subscription expired (`expiration_intent`): 1 cancelled by the customer, 2
        /// billing error, 3 no consent to a price increase, 4 product not available, 5 unknown.
        public let expirationIntent: Int64?
        /// Whether Apple still tries to renew an expired subscription.
        public let isInBillingRetryPeriod: Bool?
        /// The end of the grace period for a failed payment (`grace_period_expires_date_ms`).
        public let gracePeriodExpiresDate: Timestamp?
    }
}
