import AppReceipt
import Bytes
import DER
import JSONText
import Processor
import SHA
import TransactionReceipt

/// One input and the verdict about it, in the form that `verify --json`, `inspect --json` and
/// `corpus verify` share. `Vectors/schema/result.schema.json` describes every member.
package struct ResultHead {
    /// See ``ResultKey``.
    package var key: Digest?
    /// The number of the purchase that the line is about, from 1. Nil for a line about the whole record.
    package var purchase: Int?
    /// The file's name, or the name that the caller gives the source.
    package var source: String?
    /// The number of the record in its source, from 1.
    package var record: Int?
    /// The offset of the record's first byte in its source.
    package var offset: Int?
    /// SHA-256 of the container; nil if there is no container.
    package var digest: Digest?
    /// Nil in the header of CSV.
    package var status: String?
    /// The checks that the validator of a valid receipt left out.
    package var notChecked: [ReceiptError.Step]?
    package var fault: Fault?
    package var mismatch: Mismatch?

    package init(
        key: Digest? = nil,
        source: String? = nil,
        record: Int? = nil,
        offset: Int? = nil,
        digest: Digest? = nil,
        status: String? = nil,
        notChecked: [ReceiptError.Step]? = nil,
        fault: Fault? = nil,
        mismatch: Mismatch? = nil
    ) {
        self.key = key
        self.source = source
        self.record = record
        self.offset = offset
        self.digest = digest
        self.status = status
        self.notChecked = notChecked
        self.fault = fault
        self.mismatch = mismatch
    }
}

/// A value of the receipt that is not one of the expected values.
///
/// The signature is verified before the steps that compare values, so the found value is the signer's. Only
/// the environment of a transaction receipt stands outside of the signature.
package struct Mismatch {
    /// Nil if the receipt has no such value.
    package let found: String?
    package let expected: [String]

    /// Nil if the fault is not about the environment, the bundle identifier or the app version.
    ///
    /// - Parameters:
    ///   - container: the container that was refused.
    ///   - validator: the validator that refused it.
    package init?(_ fault: Fault, _ container: [UInt8], _ validator: ReceiptValidator) {
        let claimed: (UnverifiedReceipt) -> String?
        let claimedByTransaction: (UnverifiedPurchaseInfo) -> String?
        switch fault.step {
        case .environment:
            claimed = { $0.environmentName }
            claimedByTransaction = { $0.claimedEnvironmentName }
            expected = validator.environments.acceptedNames ?? []
        case .bundleIdentifier:
            claimed = { $0.bundleIdentifier }
            claimedByTransaction = { $0.bundleIdentifier }
            expected = validator.bundleIdentifier.acceptedIdentifiers ?? []
        case .appVersion:
            claimed = { $0.appVersion }
            claimedByTransaction = { $0.appVersion }
            expected = validator.appVersion.map { [$0] } ?? []
        default: return nil
        }
        if ReceiptJudge.isTransaction(container) {
            found = (try? UnverifiedPurchaseInfo(unverified: container)).flatMap(claimedByTransaction)
            return
        }
        found = (try? UnverifiedReceipt(unverified: container, limits: validator.limits)).flatMap(claimed)
    }
}

/// Makes the `key` of a result.
///
/// A key is the first 16 bytes of a SHA-256, in hexadecimal. The hash covers the source's name, zero bytes up
/// to the next multiple of 64 bytes (at least one), and the record's number and offset in eight octets each.
/// Then comes an octet 1 with the SHA-256 of the receipt, or an octet 0 if the record has none, and then all
/// bytes of the record beside the receipt. A record that was not kept, because it is too large for example,
/// adds no bytes. Lines for purchases end in `-` and the number of the purchase.
///
/// Two lines of one run never have the same key, because source, number or purchase differ. In several runs
/// over parts of a corpus, two lines have the same key only if both records have the same receipt and the
/// same other bytes, or neither was kept, and they stand at the same place of sources with the same name.
/// Runs that name the parts with `--source`, `--first-record` and `--first-offset` write the keys of one run
/// over the whole.
package struct ResultKey: Sendable {
    private var function: SHA256

    /// Begins a key with the source's name.
    ///
    /// The keys of a source share this beginning. It consists of whole blocks of SHA-256, so the key of a
    /// record that is nothing but a receipt takes one block more.
    package init(source: String, acceleration: Acceleration) {
        function = SHA256(acceleration: acceleration)
        var name = [UInt8](utf8: source)
        name.append(contentsOf: repeatElement(0, count: 64 - name.count % 64))
        function.update(name.borrowedSpan)
    }

    /// Adds the place of the record and the digest of its receipt, if it has one.
    package mutating func add(record: Int, offset: Int, digest: Digest?) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(17 + (digest?.count ?? 0))
        for number in [UInt64(record), UInt64(offset)] {
            for place in 1...8 { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(64 - 8 * place))) }
        }
        bytes.append(digest == nil ? 0 : 1)
        if let digest { bytes += digest.bytes }
        add(bytes[...])
    }

    /// Adds bytes of the record that are not the receipt.
    package mutating func add(_ bytes: ArraySlice<UInt8>) { function.update(bytes.borrowedSpan) }

    /// The whole hash. The key is its first 16 bytes.
    package var digest: Digest { function.finalize() }
}

/// The members of results.
///
/// A value that Apple's `verifyReceipt` answers has Apple's name. An absent or empty value is null. Given
/// nil, the functions write the names with null, which makes the header of CSV.
extension Fields {
    /// Writes the members that every result begins with.
    @_specialize(where Self == JSONWriter)
    package mutating func head(_ head: ResultHead) {
        let key = head.key?.bytes.prefix(16)
        if let key, let purchase = head.purchase {
            member("key", "\(Hexadecimal.digits(of: key.borrowedSpan))-\(purchase)")
        } else {
            member("key", hex: key)
        }
        member("source", head.source)
        member("record", head.record.map { Int64($0) })
        member("offset", head.offset.map { Int64($0) })
        verdict(head)
    }

    /// Writes the members of a verdict: those of a result that do not tell where the receipt came from.
    @_specialize(where Self == JSONWriter)
    package mutating func verdict(_ head: ResultHead) {
        member("sha256", hex: head.digest?.bytes[...])
        member("status", head.status)
        member("step", head.fault?.step.rawValue)
        member("code", head.fault?.code.name.description)
        member("not_checked", array: head.notChecked) { $0.element($1.rawValue) }
        member("error", isThere: head.fault != nil) { error in
            error.member("message", head.fault?.message)
            error.member("offset", head.fault?.offset.map { Int64($0) })
            error.member("found", head.mismatch?.found)
            error.member("expected", array: head.mismatch?.expected) { $0.element($1) }
        }
    }

    /// Writes all values of a receipt, valid or not.
    ///
    /// - Parameter transaction: the valid transaction receipt, whose values fill the columns of a table.
    @_specialize(where Self == JSONWriter)
    package mutating func receipt(_ receipt: UnverifiedReceipt?, transaction: PurchaseInfo? = nil) {
        contents(receipt, transaction)
        member("in_app", array: receipt?.unverifiedInAppPurchases) { array, purchase in
            array.element { object in
                object.purchase(purchase)
                object.undocumented(purchase.attributes)
            }
        }
        malformed(receipt?.malformedInAppPurchases)
        undocumented(receipt?.attributes)
    }

    private mutating func contents(
        _ receipt: UnverifiedReceipt?,
        _ transaction: PurchaseInfo?
    ) {
        member("receipt_type", receipt?.environmentName)
        member("bundle_id", receipt?.bundleIdentifier ?? transaction?.bundleIdentifier)
        member("application_version", receipt?.appVersion ?? transaction?.appVersion)
        member("original_application_version", receipt?.originalAppVersion)
        member("receipt_creation_date", receipt?.creationDate)
        member("purchase_date", receipt?.purchaseDate)
        member("original_purchase_date", receipt?.originalPurchaseDate)
        member("preorder_date", receipt?.preorderDate)
        member("expiration_date", receipt?.expirationDate)
        member("app_item_id", identifier: receipt?.appStoreIdentifier)
        member("developer_id", identifier: receipt?.developerIdentifier)
        member("download_id", identifier: receipt?.downloadIdentifier)
        member("version_external_identifier", identifier: receipt?.versionExternalIdentifier)
        member("age_rating", receipt?.ageRating)
        member("platform", receipt?.platform)
        member("opaque_value", hex: receipt?.opaqueValue)
        member("sha1_hash", hex: receipt?.sha1Hash)
    }

    /// Writes the most important values of a valid receipt.
    ///
    /// - Parameter transaction: the valid transaction receipt, whose values fill the columns of a table.
    @_specialize(where Self == JSONWriter)
    package mutating func brief(_ receipt: Receipt?, transaction: PurchaseInfo? = nil) {
        member("receipt_type", receipt?.environmentName)
        member("bundle_id", receipt?.bundleIdentifier ?? transaction?.bundleIdentifier)
        member("application_version", receipt?.appVersion ?? transaction?.appVersion)
        member("receipt_creation_date", receipt?.creationDate)
        member("in_app_count", receipt.map { Int64($0.inAppPurchaseCount) } ?? transaction.map { _ in 1 })
    }

    /// Writes the values of a purchase, without its undocumented attributes.
    package mutating func purchase(_ purchase: UnverifiedInAppPurchase?) {
        member("quantity", purchase?.quantity)
        member("product_id", purchase?.productIdentifier)
        member("transaction_id", purchase?.transactionIdentifier)
        member("original_transaction_id", purchase?.originalTransactionIdentifier)
        member("purchase_date", purchase?.purchaseDate)
        member("original_purchase_date", purchase?.originalPurchaseDate)
        member("expires_date", purchase?.expiresDate)
        member("cancellation_date", purchase?.cancellationDate)
        member("cancellation_reason", purchase?.cancellationReason)
        member("product_type", purchase?.productTypeNumber)
        member("web_order_line_item_id", identifier: purchase?.webOrderLineItemIdentifier)
        member("is_trial_period", purchase?.isTrialPeriod)
        member("is_in_intro_offer_period", purchase?.isInIntroductoryOfferPeriod)
        member("promotional_offer_id", purchase?.promotionalOfferIdentifier)
        member("in_app_ownership_type", purchase?.ownership?.answerName)
    }

    private mutating func malformed(_ purchases: [MalformedInAppPurchase]?) {
        member("malformed_in_app", array: purchases) { array, malformed in
            array.element { object in
                object.member("code", malformed.refusal.code.name.description)
                object.member("value", hex: malformed.value)
            }
        }
    }

    /// Writes the attributes whose type has no published name.
    @_specialize(where Self == JSONWriter)
    package mutating func undocumented(_ attributes: [AppReceipt.Attribute]?) {
        let unnamed = attributes?.filter { AttributeTypes.name(ofType: $0.type) == nil }
        member("undocumented_attributes", array: unnamed) { array, attribute in
            array.element { object in
                object.member("type", attribute.type)
                object.member("version", attribute.version)
                object.member("value", hex: attribute.value)
            }
        }
    }
}

extension InAppPurchase.Ownership {
    /// The name in Apple's answers.
    fileprivate var answerName: String {
        switch self {
        case .purchased: "PURCHASED"
        case .familyShared: "FAMILY_SHARED"
        }
    }
}
