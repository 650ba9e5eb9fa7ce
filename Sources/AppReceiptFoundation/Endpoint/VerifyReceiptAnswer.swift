import Basics
import Foundation

extension VerifyReceiptClient {
    /// An answer of Apple's endpoint. ``body`` has the whole answer.
    ///
    /// If the answer lacks a value or has it in another type, an optional property is nil and a list is
    /// empty. Apple writes many numbers and flags as strings, so both are also read from strings. A number
    /// where Apple writes a string is read as its digits.
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
        public var bundleIdentifier: String? { members["bundle_id"]?.text ?? members["bid"]?.text }
        /// The app's version (`application_version`, in iOS 6 style `bvrs`).
        public var appVersion: String? { members["application_version"]?.text ?? members["bvrs"]?.text }
        /// The version of the app that was first bought (`original_application_version`).
        public var originalAppVersion: String? { members["original_application_version"]?.text }
        /// The environment that made the receipt (`receipt_type`).
        public var environmentName: String? { members["receipt_type"]?.text }
        /// The date when the receipt was made (`receipt_creation_date_ms`).
        public var creationDate: Timestamp? { members["receipt_creation_date_ms"]?.time }
        /// The purchases in the receipt (`in_app`). An iOS 6 receipt is itself one purchase.
        public let inAppPurchases: [Transaction]

        let members: AnswerObject
    }

    /// A transaction: an element of `in_app` or of `latest_receipt_info`.
    public struct Transaction: Sendable, Hashable {
        /// The quantity.
        public var quantity: Int64? { members["quantity"]?.integer }
        /// The product that was bought (`product_id`).
        public var productIdentifier: String? { members["product_id"]?.text }
        /// The identifier of the transaction (`transaction_id`).
        public var transactionIdentifier: String? { members["transaction_id"]?.text }
        /// The identifier of the original transaction (`original_transaction_id`).
        public var originalTransactionIdentifier: String? { members["original_transaction_id"]?.text }
        /// The identifier of one purchase or renewal of a subscription (`web_order_line_item_id`).
        public var webOrderLineItemIdentifier: String? { members["web_order_line_item_id"]?.text }
        /// The date of the purchase, the restoration or the renewal (`purchase_date_ms`).
        public var purchaseDate: Timestamp? { members["purchase_date_ms"]?.time }
        /// The date of the original transaction (`original_purchase_date_ms`).
        public var originalPurchaseDate: Timestamp? { members["original_purchase_date_ms"]?.time }
        /// The date when the subscription expires or renews (`expires_date_ms`, in iOS 6 style
        /// `expires_date`).
        public var expiresDate: Timestamp? {
            members["expires_date_ms"]?.time ?? members["expires_date"]?.time
        }
        /// The date when Apple took the purchase back (`cancellation_date_ms`).
        public var cancellationDate: Timestamp? { members["cancellation_date_ms"]?.time }
        /// The reason for the cancellation: 1 for a problem with the app, 0 for any other reason.
        public var cancellationReason: Int64? { members["cancellation_reason"]?.integer }
        /// Whether the purchase is a subscription's free trial.
        public var isTrialPeriod: Bool? { members["is_trial_period"]?.flag }
        /// Whether the purchase has an introductory price.
        public var isInIntroductoryOfferPeriod: Bool? { members["is_in_intro_offer_period"]?.flag }
        /// Whether the customer left this subscription for another of its group.
        public var isUpgraded: Bool? { members["is_upgraded"]?.flag }
        /// `PURCHASED` or `FAMILY_SHARED`.
        public var ownershipType: String? { members["in_app_ownership_type"]?.text }
        /// The promotional offer that was redeemed.
        public var promotionalOfferIdentifier: String? { members["promotional_offer_id"]?.text }
        /// The group of the subscription.
        public var subscriptionGroupIdentifier: String? { members["subscription_group_identifier"]?.text }
        /// The UUID that the app gave to the purchase.
        public var appAccountToken: String? { members["app_account_token"]?.text }

        let members: AnswerObject
    }

    /// An element of `pending_renewal_info`.
    public struct PendingRenewal: Sendable, Hashable {
        /// The original transaction of the subscription.
        public var originalTransactionIdentifier: String? { members["original_transaction_id"]?.text }
        /// The product of the subscription.
        public var productIdentifier: String? { members["product_id"]?.text }
        /// The product of the next renewal (`auto_renew_product_id`).
        public var renewalProductIdentifier: String? { members["auto_renew_product_id"]?.text }
        /// Whether the subscription will renew (`auto_renew_status`).
        public var willRenew: Bool? { members["auto_renew_status"]?.flag }
        /// The reason why the subscription expired (`expiration_intent`): 1 cancelled by the customer, 2
        /// billing error, 3 no consent to a price increase, 4 product not available, 5 unknown.
        public var expirationIntent: Int64? { members["expiration_intent"]?.integer }
        /// Whether Apple still tries to renew an expired subscription.
        public var isInBillingRetryPeriod: Bool? { members["is_in_billing_retry_period"]?.flag }
        /// The end of the grace period for a failed payment (`grace_period_expires_date_ms`).
        public var gracePeriodExpiresDate: Timestamp? { members["grace_period_expires_date_ms"]?.time }

        let members: AnswerObject
    }
}

extension VerifyReceiptClient {
    /// The status of an answer, as Apple's page on `status` lists it.
    public struct Status: RawRepresentable, Sendable, Hashable {
        /// The number in the answer.
        public let rawValue: Int

        /// Creates a status from its number. Every number is allowed.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// 0: the receipt is valid.
        public static var valid: Self { Self(rawValue: 0) }
        /// 21000: the request was not a POST request, or was not JSON.
        public static var badRequest: Self { Self(rawValue: 21_000) }
        /// 21002: the receipt is malformed, or the service had a temporary issue.
        public static var malformedReceipt: Self { Self(rawValue: 21_002) }
        /// 21003: the receipt could not be authenticated.
        public static var notAuthenticated: Self { Self(rawValue: 21_003) }
        /// 21004: the password does not match the account.
        public static var wrongPassword: Self { Self(rawValue: 21_004) }
        /// 21005: the service is not available at the moment.
        public static var unavailable: Self { Self(rawValue: 21_005) }
        /// 21006: the receipt is valid, and the subscription has expired. Only for iOS 6 receipts.
        public static var subscriptionExpired: Self { Self(rawValue: 21_006) }
        /// 21007: the receipt is of the sandbox, and was sent to production.
        public static var sandboxReceiptSentToProduction: Self { Self(rawValue: 21_007) }
        /// 21008: the receipt is of production, and was sent to the sandbox.
        public static var productionReceiptSentToSandbox: Self { Self(rawValue: 21_008) }
        /// 21009: internal data access error. Try again later.
        public static var internalError: Self { Self(rawValue: 21_009) }
        /// 21010: the account was not found, or has been deleted.
        public static var accountNotFound: Self { Self(rawValue: 21_010) }

        /// Whether the same request may get another status soon: 21005, 21009 and 21100 to 21199.
        public var isTemporary: Bool {
            self == .unavailable || self == .internalError || (21_100...21_199).contains(rawValue)
        }
    }
}
