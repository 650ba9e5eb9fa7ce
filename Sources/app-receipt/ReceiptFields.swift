import AppReceipt
import DER

/// The fields of receipts and purchases under their published names: those of the JSON that goes with
/// recorded receipts. Absent and empty are null. Without a receipt, what there is to name.
extension Fields {
    mutating func receipt(_ receipt: Receipt?) {
        member("environment", receipt?.environmentName)
        member("bundle_identifier", receipt?.bundleIdentifier)
        member("app_version", receipt?.appVersion)
        member("original_app_version", receipt?.originalAppVersion)
        member("creation_date", receipt?.creationDate)
        member("purchase_date", receipt?.purchaseDate)
        member("original_purchase_date", receipt?.originalPurchaseDate)
        member("expiration_date", receipt?.expirationDate)
        member("app_store_id", receipt?.appStoreIdentifier)
        member("developer_id", receipt?.developerIdentifier)
        member("download_id", receipt?.downloadIdentifier)
        member("version_external_identifier", receipt?.versionExternalIdentifier)
        member("age_rating", receipt?.ageRating)
        member("platform", receipt?.platform)
        member("opaque_value", hex: receipt?.opaqueValue)
        member("sha1_hash", hex: receipt?.sha1Hash)
        member("in_app_purchases", array: receipt?.inAppPurchases) { array, purchase in
            array.element {
                $0.purchase(purchase)
                $0.undocumented(purchase.attributes)
            }
        }
        member("malformed_in_app_purchases", array: receipt?.malformedInAppPurchases) { array, malformed in
            array.element { object in
                object.member("code", "\(malformed.refusal.code.name)")
                object.member("value", hex: malformed.value)
            }
        }
        undocumented(receipt?.attributes)
    }

    /// What most people ask of a receipt first.
    mutating func brief(_ receipt: Receipt?) {
        member("environment", receipt?.environmentName)
        member("bundle_identifier", receipt?.bundleIdentifier)
        member("app_version", receipt?.appVersion)
        member("creation_date", receipt?.creationDate)
        member("in_app_purchase_count", receipt.map { Int64($0.inAppPurchases.count) })
    }

    mutating func purchase(_ purchase: InAppPurchase?) {
        member("quantity", purchase?.quantity)
        member("product_identifier", purchase?.productIdentifier)
        member("transaction_identifier", purchase?.transactionIdentifier)
        member("original_transaction_identifier", purchase?.originalTransactionIdentifier)
        member("purchase_date", purchase?.purchaseDate)
        member("original_purchase_date", purchase?.originalPurchaseDate)
        member("expires_date", purchase?.expiresDate)
        member("cancellation_date", purchase?.cancellationDate)
        member("cancellation_reason", purchase?.cancellationReason)
        member("product_type", purchase?.productTypeNumber)
        member("web_order_line_item_id", purchase?.webOrderLineItemIdentifier)
        member("is_trial_period", purchase?.isTrialPeriod)
        member("is_in_intro_offer_period", purchase?.isInIntroductoryOfferPeriod)
        member("promotional_offer_identifier", purchase?.promotionalOfferIdentifier)
    }

    mutating func undocumented(_ attributes: [AppReceipt.Attribute]?) {
        let unnamed = attributes?.filter { AttributeName.of($0.type) == nil }
        member("undocumented_attributes", array: unnamed) { array, attribute in
            array.element { object in
                object.member("type", attribute.type)
                object.member("version", attribute.version)
                object.member("value", hex: attribute.value)
            }
        }
    }
}
