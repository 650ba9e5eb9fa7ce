/// The published names of attribute types, of receipts and of purchases: no number is used for both.
enum AttributeName {
    /// Nil for a type that is undocumented.
    static func of(_ type: Int64) -> String? {
        switch type {
        case 0: "environment"
        case 1: "app_store_id"
        case 2: "bundle_identifier"
        case 3: "app_version"
        case 4: "opaque_value"
        case 5: "sha1_hash"
        case 8: "purchase_date"
        case 10: "age_rating"
        case 11: "developer_id"
        case 12: "creation_date"
        case 15: "download_id"
        case 16: "version_external_identifier"
        case 17: "in_app_purchase"
        case 18: "original_purchase_date"
        case 19: "original_app_version"
        case 21: "expiration_date"
        case 25: "platform"
        case 1701: "quantity"
        case 1702: "product_identifier"
        case 1703: "transaction_identifier"
        case 1704: "purchase_date"
        case 1705: "original_transaction_identifier"
        case 1706: "original_purchase_date"
        case 1707: "product_type"
        case 1708: "expires_date"
        case 1711: "web_order_line_item_id"
        case 1712: "cancellation_date"
        case 1713: "is_trial_period"
        case 1719: "is_in_intro_offer_period"
        case 1720: "cancellation_reason"
        case 1721: "promotional_offer_identifier"
        default: nil
        }
    }
}
