import AppReceipt
import Foundation

// Reading an answer. The reader of JSON is the package's own: it locates the wanted members and builds
// nothing else, so a hostile answer costs time and memory in proportion to its length.

extension VerifyReceiptClient.Answer {
    /// Reads an answer.
    ///
    /// - Throws: `unreadableAnswer` unless the body is a JSON object whose `status` is a number, and
    ///   `listTooLong` if a list is longer than `AnswerValue.maximumCount`.
    init(_ body: Data, from endpoint: VerifyReceiptClient.Endpoint) throws(VerifyReceiptClient.Failure) {
        guard let object = AnswerValue([UInt8](body)).object(Self.names),
            let number = object["status"]?.number, let status = Int(exactly: number)
        else { throw .unreadableAnswer }
        self.body = body
        self.endpoint = endpoint
        self.status = VerifyReceiptClient.Status(rawValue: status)
        environment = object["environment"]?.text
        isRetryable = object["is_retryable"]?.flag ?? object["is-retryable"]?.flag
        latestReceipt = object["latest_receipt"]?.text
        // An answer about an iOS 6 receipt has one object here instead of an array.
        latestTransactions = try Transaction.list(
            object["latest_receipt_info"] ?? object["latest_expired_receipt_info"]
        )
        let renewals = try object["pending_renewal_info"]?.objects(PendingRenewal.names) ?? []
        pendingRenewals = renewals.map(PendingRenewal.init)
        if let receipt = object["receipt"], let members = receipt.object(Receipt.names) {
            // An iOS 6 receipt is itself one purchase.
            let purchases = members["in_app"] ?? (members["product_id"] == nil ? nil : receipt)
            self.receipt = Receipt(members, try Transaction.list(purchases))
        } else {
            receipt = nil
        }
    }

    private static let names = [
        "status", "environment", "is_retryable", "is-retryable", "receipt", "latest_receipt",
        "latest_receipt_info", "latest_expired_receipt_info", "pending_renewal_info",
    ]
}

extension VerifyReceiptClient.Answer.Receipt {
    fileprivate static let names = [
        "bundle_id", "bid", "application_version", "bvrs", "original_application_version", "receipt_type",
        "receipt_creation_date_ms", "in_app", "product_id",
    ]

    fileprivate init(_ object: AnswerObject, _ purchases: [VerifyReceiptClient.Answer.Transaction]) {
        bundleIdentifier = object["bundle_id"]?.text ?? object["bid"]?.text
        appVersion = object["application_version"]?.text ?? object["bvrs"]?.text
        originalAppVersion = object["original_application_version"]?.text
        environmentName = object["receipt_type"]?.text
        creationDate = object["receipt_creation_date_ms"]?.time
        inAppPurchases = purchases
    }
}

extension VerifyReceiptClient.Answer.Transaction {
    fileprivate static let names = [
        "quantity", "product_id", "transaction_id", "original_transaction_id", "web_order_line_item_id",
        "purchase_date_ms", "original_purchase_date_ms", "expires_date_ms", "expires_date",
        "cancellation_date_ms", "cancellation_reason", "is_trial_period", "is_in_intro_offer_period",
        "is_upgraded", "in_app_ownership_type", "promotional_offer_id", "subscription_group_identifier",
        "app_account_token",
    ]

    /// The transactions of a list, or of a single object; none if there is no such member.
    fileprivate static func list(_ value: AnswerValue?) throws(VerifyReceiptClient.Failure) -> [Self] {
        try value?.objects(names).map(Self.init) ?? []
    }

    private init(_ object: AnswerObject) {
        quantity = object["quantity"]?.integer
        productIdentifier = object["product_id"]?.text
        transactionIdentifier = object["transaction_id"]?.text
        originalTransactionIdentifier = object["original_transaction_id"]?.text
        webOrderLineItemIdentifier = object["web_order_line_item_id"]?.text
        purchaseDate = object["purchase_date_ms"]?.time
        originalPurchaseDate = object["original_purchase_date_ms"]?.time
        expiresDate = object["expires_date_ms"]?.time ?? object["expires_date"]?.time
        cancellationDate = object["cancellation_date_ms"]?.time
        cancellationReason = object["cancellation_reason"]?.integer
        isTrialPeriod = object["is_trial_period"]?.flag
        isInIntroductoryOfferPeriod = object["is_in_intro_offer_period"]?.flag
        isUpgraded = object["is_upgraded"]?.flag
        ownershipType = object["in_app_ownership_type"]?.text
        promotionalOfferIdentifier = object["promotional_offer_id"]?.text
        subscriptionGroupIdentifier = object["subscription_group_identifier"]?.text
        appAccountToken = object["app_account_token"]?.text
    }
}

extension VerifyReceiptClient.Answer.PendingRenewal {
    fileprivate static let names = [
        "original_transaction_id", "product_id", "auto_renew_product_id", "auto_renew_status",
        "expiration_intent", "is_in_billing_retry_period", "grace_period_expires_date_ms",
    ]

    fileprivate init(_ object: AnswerObject) {
        originalTransactionIdentifier = object["original_transaction_id"]?.text
        productIdentifier = object["product_id"]?.text
        renewalProductIdentifier = object["auto_renew_product_id"]?.text
        willRenew = object["auto_renew_status"]?.flag
        expirationIntent = object["expiration_intent"]?.integer
        isInBillingRetryPeriod = object["is_in_billing_retry_period"]?.flag
        gracePeriodExpiresDate = object["grace_period_expires_date_ms"]?.time
    }
}
