import AppReceipt
import JSONText
import SHA
import TransactionReceipt

/// The members of results for transaction receipts. `Vectors/schema/result.schema.json` describes them.
extension Fields {
    /// Writes the values of a transaction receipt, valid or not.
    ///
    /// - Parameters:
    ///   - contentDigest: the SHA-256 digest of the signed bytes; nil if the signature is not verified, or if
    ///     `withEntries` is false.
    ///   - withEntries: whether to write this digest and then all entries of the purchase-info at the end.
    package mutating func transaction(
        _ info: UnverifiedPurchaseInfo,
        contentDigest: Digest?,
        withEntries: Bool
    ) {
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
        member("content_sha256", hex: contentDigest?.bytes[...])
        member("purchase_info", array: info.entries) { array, entry in
            array.element { object in
                object.member("key", entry.key)
                object.member("value", entry.value)
            }
        }
    }

    /// Writes the purchase of a transaction receipt with the names of a purchase in an app receipt.
    ///
    /// - Parameter inTable: whether to write null for the members that only app receipts have, so that both
    ///   formats have the same columns.
    package mutating func purchase(_ info: UnverifiedPurchaseInfo, inTable: Bool) {
        for one in PurchaseAttribute.allCases {
            let name = MemberName.fixed(one.row.json)
            switch one {
            case .quantity: member(name, info.quantity.map { Int64($0) })
            case .productIdentifier: member(name, info.productIdentifier)
            case .transactionIdentifier: member(name, info.transactionIdentifier)
            case .originalTransactionIdentifier: member(name, info.originalTransactionIdentifier.orNil)
            case .purchaseDate: member(name, info.purchaseDate)
            case .originalPurchaseDate: member(name, info.originalPurchaseDate)
            case .expiresDate: member(name, info.expiresDate)
            case .cancellationDate: member(name, info.cancellationDate)
            case .webOrderLineItemIdentifier: member(name, info.webOrderLineItemIdentifier.orNil)
            case .isTrialPeriod: member(name, info.isTrialPeriod)
            case .isInIntroductoryOfferPeriod: member(name, info.isInIntroductoryOfferPeriod)
            case .ownership: member(name, info.ownership?.answerName.description)
            default: if inTable { member(one.row, of: nil) }
            }
        }
    }
}

extension String? {
    /// The text; nil if it is nil or empty.
    @inline(never)
    var orNil: String? { self?.isEmpty ?? true ? nil : self }
}
