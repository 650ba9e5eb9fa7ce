import AppReceipt
import DER
import JSONText
import TransactionReceipt

/// The members of results for transaction receipts. `Vectors/schema/result.schema.json` describes them.
extension Fields {
    /// Writes the values of a transaction receipt, valid or not.
    ///
    /// - Parameter withEntries: whether all entries of the purchase-info follow.
    package mutating func transaction(_ info: UnverifiedPurchaseInfo, withEntries: Bool) {
        member("signature_version", Int64(info.signatureVersion.rawValue))
        member("claimed_environment", info.claimedEnvironmentName.orNil)
        member("bundle_id", info.bundleIdentifier.orNil)
        member("application_version", info.appVersion.orNil)
        member("item_id", info.itemIdentifier.orNil)
        member("app_item_id", info.appItemIdentifier.orNil)
        member("version_external_identifier", info.versionExternalIdentifier.orNil)
        member("unique_identifier", info.uniqueIdentifier.orNil)
        member("unique_vendor_identifier", info.uniqueVendorIdentifier.orNil)
        member("subscription_group_identifier", info.subscriptionGroupIdentifier.orNil)
        purchase(info, inTable: false)
        guard withEntries else { return }
        member("purchase_info", array: info.entries) { array, entry in
            array.element { object in
                object.member("key", entry.key)
                object.member("value", entry.value)
            }
        }
    }

    /// Writes the purchase of a transaction receipt with the names of a purchase in an app receipt.
    ///
    /// - Parameter inTable: whether to write null for what only app receipts have, so that both formats have
    ///   the same columns.
    package mutating func purchase(_ info: UnverifiedPurchaseInfo, inTable: Bool) {
        member("quantity", info.quantity.map { Int64($0) })
        member("product_id", info.productIdentifier)
        member("transaction_id", info.transactionIdentifier)
        member("original_transaction_id", info.originalTransactionIdentifier.orNil)
        member("purchase_date", info.purchaseDate)
        member("original_purchase_date", info.originalPurchaseDate)
        member("expires_date", info.expiresDate)
        member("cancellation_date", info.cancellationDate)
        if inTable {
            member("cancellation_reason", nil as Int64?)
            member("product_type", nil as Int64?)
        }
        member("web_order_line_item_id", info.webOrderLineItemIdentifier.orNil)
        member("is_trial_period", info.isTrialPeriod)
        member("is_in_intro_offer_period", info.isInIntroductoryOfferPeriod)
        guard inTable else { return }
        member("promotional_offer_id", nil as String?)
        member("in_app_ownership_type", nil as String?)
    }
}

extension String? {
    /// The text, or nil if it is empty.
    fileprivate var orNil: String? { self?.isEmpty ?? true ? nil : self }
}
