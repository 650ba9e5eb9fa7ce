import Basics
import Foundation

extension VerifyReceiptClient {
    /// An answer of Apple's endpoint. ``body`` has the whole answer.
    ///
    /// The member `status` must be a JSON integer. Any other property whose member is absent, or of a type
    /// that is not read, is nil or an empty list. Other numbers, and flags, are also read from strings,
    /// which Apple often writes. A flag is also read from the numbers 0 and 1, a text from a 64-bit integer,
    /// and a list from one object in its place.
    public struct Answer: Sendable {
        /// Apple's status code; 0 means that the receipt is valid.
        public let status: Status
        /// The endpoint that answered: production or the sandbox.
        public let endpoint: Endpoint
        /// The answer's `environment`, `Production` or `Sandbox`; nil if absent or unreadable.
        public let environment: String?
        /// Whether Apple says that repeating the request may help (`is_retryable`, or else `is-retryable`);
        /// nil if absent or unreadable.
        public let isRetryable: Bool?
        /// The receipt as Apple decoded it (`receipt`); nil if absent or unreadable.
        public let receipt: Receipt?
        /// The latest receipt in base64 (`latest_receipt`); nil if absent or unreadable.
        public let latestReceipt: String?
        /// Transactions of the customer in the app, also newer ones than the receipt's
        /// (`latest_receipt_info`, or `latest_expired_receipt_info` if the first is absent); empty if absent
        /// or unreadable. Apple sends them only for a receipt that has an auto-renewable subscription.
        public let latestTransactions: [Transaction]
        /// The next renewal of each subscription (`pending_renewal_info`); empty if absent or unreadable.
        public let pendingRenewals: [PendingRenewal]
        /// The bytes of the answer's whole body, unchanged.
        public let body: Data
    }
}

extension VerifyReceiptClient.Answer {
    /// The object `receipt` of an answer. An optional property is nil if its member is absent or cannot be
    /// read as the property's type. ``VerifyReceiptClient/Answer`` says which other types are also read.
    public struct Receipt: Sendable, Hashable {
        /// The bundle identifier (`bundle_id`, or else `bid`); nil if absent or unreadable. Compare it with
        /// your own.
        public var bundleIdentifier: String? { members["bundle_id"]?.text ?? members["bid"]?.text }
        /// The app's version (`application_version`, or else `bvrs`, in iOS 6 style); nil if absent or
        /// unreadable.
        public var appVersion: String? { members["application_version"]?.text ?? members["bvrs"]?.text }
        /// The version of the app that was first bought (`original_application_version`); nil if absent or
        /// unreadable.
        public var originalAppVersion: String? { members["original_application_version"]?.text }
        /// The environment that made the receipt (`receipt_type`); nil if absent or unreadable.
        public var environmentName: String? { members["receipt_type"]?.text }
        /// The date when the receipt was made (`receipt_creation_date_ms`); nil if absent or unreadable.
        public var creationDate: Timestamp? { members["receipt_creation_date_ms"]?.time }
        /// The purchases (`in_app`); empty if absent or unreadable. A receipt without `in_app` that has a
        /// `product_id`, as in iOS 6 style, is its own purchase.
        public let inAppPurchases: [Transaction]

        let members: AnswerObject
    }

    /// A transaction: an element of `in_app`, `latest_receipt_info` or `latest_expired_receipt_info`, or an
    /// iOS 6 receipt without `in_app`. A property is nil if its member is absent or cannot be read as the
    /// property's type. ``VerifyReceiptClient/Answer`` says which other types are also read.
    public struct Transaction: Sendable, Hashable {
        /// The number of items bought (`quantity`); nil if absent or unreadable.
        public var quantity: Int64? { members["quantity"]?.integer }
        /// The identifier of the product that was bought (`product_id`); nil if absent or unreadable.
        public var productIdentifier: String? { members["product_id"]?.text }
        /// The identifier of the transaction (`transaction_id`); nil if absent or unreadable.
        public var transactionIdentifier: String? { members["transaction_id"]?.text }
        /// The identifier of the original transaction (`original_transaction_id`); nil if absent or
        /// unreadable.
        public var originalTransactionIdentifier: String? { members["original_transaction_id"]?.text }
        /// The identifier of a subscription's purchase or renewal (`web_order_line_item_id`); nil if absent
        /// or unreadable.
        public var webOrderLineItemIdentifier: String? { members["web_order_line_item_id"]?.text }
        /// The date of the purchase, the restoration or the renewal (`purchase_date_ms`); nil if absent or
        /// unreadable.
        public var purchaseDate: Timestamp? { members["purchase_date_ms"]?.time }
        /// The date of the original transaction (`original_purchase_date_ms`); nil if absent or unreadable.
        public var originalPurchaseDate: Timestamp? { members["original_purchase_date_ms"]?.time }
        /// The date when the subscription expires or renews (`expires_date_ms`, or else `expires_date`, in
        /// iOS 6 style; both in milliseconds); nil if absent or unreadable.
        public var expiresDate: Timestamp? {
            members["expires_date_ms"]?.time ?? members["expires_date"]?.time
        }
        /// The date when Apple cancelled the purchase, as for a refund (`cancellation_date_ms`); nil if
        /// absent or unreadable.
        public var cancellationDate: Timestamp? { members["cancellation_date_ms"]?.time }
        /// The reason for the cancellation (`cancellation_reason`): 1 for a problem with the app, 0 for
        /// another reason; nil if absent or unreadable.
        public var cancellationReason: Int64? { members["cancellation_reason"]?.integer }
        /// Whether the purchase is a subscription's free trial (`is_trial_period`); nil if absent or
        /// unreadable.
        public var isTrialPeriod: Bool? { members["is_trial_period"]?.flag }
        /// Whether the purchase has an introductory price (`is_in_intro_offer_period`); nil if absent or
        /// unreadable.
        public var isInIntroductoryOfferPeriod: Bool? { members["is_in_intro_offer_period"]?.flag }
        /// Whether the customer upgraded to another subscription of the group (`is_upgraded`); nil if absent
        /// or unreadable.
        public var isUpgraded: Bool? { members["is_upgraded"]?.flag }
        /// Whether the customer bought the product (`PURCHASED`) or a family member shares it
        /// (`FAMILY_SHARED`), by `in_app_ownership_type`; nil if absent or unreadable.
        public var ownershipType: String? { members["in_app_ownership_type"]?.text }
        /// The identifier of the redeemed promotional offer (`promotional_offer_id`); nil if absent or
        /// unreadable.
        public var promotionalOfferIdentifier: String? { members["promotional_offer_id"]?.text }
        /// The identifier of the subscription's group (`subscription_group_identifier`); nil if absent or
        /// unreadable.
        public var subscriptionGroupIdentifier: String? { members["subscription_group_identifier"]?.text }
        /// The UUID that the app gave to the purchase (`app_account_token`), as text; nil if absent or
        /// unreadable.
        public var appAccountToken: String? { members["app_account_token"]?.text }

        let members: AnswerObject
    }

    /// An element of `pending_renewal_info`: a subscription's next renewal. A property is nil if its member
    /// is absent or cannot be read as the property's type. ``VerifyReceiptClient/Answer`` says which other
    /// types are also read.
    public struct PendingRenewal: Sendable, Hashable {
        /// The identifier of the subscription's original transaction (`original_transaction_id`); nil if
        /// absent or unreadable.
        public var originalTransactionIdentifier: String? { members["original_transaction_id"]?.text }
        /// The identifier of the subscription's present product (`product_id`); nil if absent or unreadable.
        public var productIdentifier: String? { members["product_id"]?.text }
        /// The identifier of the next renewal's product (`auto_renew_product_id`); nil if absent or
        /// unreadable.
        public var renewalProductIdentifier: String? { members["auto_renew_product_id"]?.text }
        /// Whether the subscription will renew (`auto_renew_status`); nil if absent or unreadable.
        public var willRenew: Bool? { members["auto_renew_status"]?.flag }
        /// The reason why the subscription expired (`expiration_intent`): 1 cancelled by the customer, 2
        /// billing error, 3 price increase not accepted, 4 product not available, 5 unknown; nil if absent or
        /// unreadable.
        public var expirationIntent: Int64? { members["expiration_intent"]?.integer }
        /// Whether Apple still tries to renew an expired subscription (`is_in_billing_retry_period`); nil if
        /// absent or unreadable.
        public var isInBillingRetryPeriod: Bool? { members["is_in_billing_retry_period"]?.flag }
        /// The end of the grace period after a failed payment (`grace_period_expires_date_ms`); nil if absent
        /// or unreadable.
        public var gracePeriodExpiresDate: Timestamp? { members["grace_period_expires_date_ms"]?.time }

        let members: AnswerObject
    }
}

extension VerifyReceiptClient {
    /// The status code of an answer. Each constant is one of the codes on Apple's page about `status`.
    public struct Status: RawRepresentable, Sendable, Hashable {
        /// The number that the member `status` of the answer has.
        public let rawValue: Int

        /// Creates a status from its number. Every number is allowed.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// 0: the receipt is valid.
        public static var valid: Self { Self(rawValue: 0) }
        /// 21000: the request was not a POST request, or was not JSON.
        public static var badRequest: Self { Self(rawValue: 21_000) }
        /// 21002: the receipt is malformed, or the service had a temporary issue.
        public static var malformedReceipt: Self { Self(rawValue: 21_002) }
        /// 21003: by Apple's page, the receipt could not be authenticated. Apple's endpoint was seen to
        /// send it only to a request without a password.
        public static var notAuthenticated: Self { Self(rawValue: 21_003) }
        /// 21004: the password does not match the account.
        public static var wrongPassword: Self { Self(rawValue: 21_004) }
        /// 21005: the service is not available at the moment.
        public static var unavailable: Self { Self(rawValue: 21_005) }
        /// 21006: the receipt is valid, and the subscription has expired. Only for iOS 6 receipts.
        public static var subscriptionExpired: Self { Self(rawValue: 21_006) }
        /// 21007: a receipt of the sandbox was sent to the production endpoint.
        public static var sandboxReceiptSentToProduction: Self { Self(rawValue: 21_007) }
        /// 21008: a receipt of production was sent to the sandbox endpoint.
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
