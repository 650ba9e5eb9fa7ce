import AppReceipt
import Basics

/// One key and its value in a property list.
public struct PurchaseInfoEntry: Sendable, Hashable {
    /// The key as it stands in the list, in ASCII. The slice shares the list's bytes.
    package let keyBytes: ArraySlice<UInt8>
    /// The value as it stands in the list, in ASCII. The slice shares the list's bytes.
    package let valueBytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8], _ entry: PropertyList.Entry) {
        keyBytes = bytes[entry.key]
        valueBytes = bytes[entry.value]
    }

    /// The entry's key as a string.
    public var key: String { String(utf8: keyBytes.borrowedSpan) }
    /// The entry's value as a string.
    public var value: String { String(utf8: valueBytes.borrowedSpan) }
}

/// The properties of a transaction receipt, validated or not: ``PurchaseInfo`` or
/// ``UnverifiedPurchaseInfo``. The key of the purchase-info stands in parentheses. An optional property is
/// nil if its key is absent. Each access to a string property makes the string anew.
public protocol PurchaseInfoContents: Sendable {
    /// All values of this receipt as claims, in the type for receipts whose signature is not verified.
    var unverified: UnverifiedPurchaseInfo { get }
}

extension PurchaseInfoContents {
    /// The version of the signature, which decides its hash algorithm and the length of the signer's key.
    public var signatureVersion: SignatureVersion { unverified.opened.blob.version }
    /// The identifier of the product that was bought (`product-id`). It is never empty.
    public var productIdentifier: String { unverified.text(unverified.fields.productIdentifier) }
    /// The transaction's identifier (`transaction-id`). It is never empty.
    public var transactionIdentifier: String { unverified.text(unverified.fields.transactionIdentifier) }
    /// The date of the purchase, renewal or restoration (`purchase-date-ms`, or else `purchase-date`).
    public var purchaseDate: Timestamp { unverified.fields.purchaseDate }
    /// The date of the first purchase (`original-purchase-date-ms`, or else `original-purchase-date`); nil
    /// if both keys are absent.
    public var originalPurchaseDate: Timestamp? { unverified.fields.originalPurchaseDate }
    /// The date when the subscription's period ends (`expires-date`, milliseconds, or else
    /// `expires-date-formatted`); nil if both keys are absent.
    public var expiresDate: Timestamp? { unverified.fields.expiresDate }
    /// The date when Apple took the purchase back (`cancellation-date-ms`, or else `cancellation-date`); nil
    /// if both keys are absent. No genuine receipt with this date was seen. The date does not make a receipt
    /// invalid, but grant nothing for a purchase that was taken back.
    public var cancellationDate: Timestamp? { unverified.fields.cancellationDate }
    /// The number of items that were bought, 1 to 999,999,999 (`quantity`); nil without the key.
    public var quantity: Int? { unverified.fields.quantity }
    /// Whether the subscription's period is a free trial (`is-trial-period`); nil without the key.
    public var isTrialPeriod: Bool? { unverified.fields.isTrialPeriod }
    /// Whether the subscription's period has an introductory price (`is-in-intro-offer-period`); nil without
    /// the key.
    public var isInIntroductoryOfferPeriod: Bool? { unverified.fields.isInIntroductoryOfferPeriod }
    /// Whether the customer bought the product or a family member shares it (`in-app-ownership-type`). Seen
    /// in receipts of version 4. Nil without the key, and for a name other than `PURCHASED` and
    /// `FAMILY_SHARED`, which ``value(of:)`` gives.
    public var ownership: InAppPurchase.Ownership? { unverified.fields.ownership }
    /// All keys and values of the purchase-info, known or not, in the order of the property list.
    public var entries: [PurchaseInfoEntry] {
        unverified.info.entries.map { PurchaseInfoEntry(unverified.opened.info.bytes, $0) }
    }

    /// The certificate that the receipt names as its signer's, in DER. In an unverified receipt these may be
    /// any bytes. The slice shares the bytes of the decoded entry `signature`: its indices do not begin at
    /// zero, and are no offsets in the receipt.
    public var signingCertificate: ArraySlice<UInt8> {
        unverified.opened.signature.bytes[unverified.opened.blob.certificate]
    }
    /// The environment that the outer property list names. The list is **not signed**: anyone can change or
    /// remove this entry. Nil without the entry, as in receipts from production.
    public var claimedEnvironmentName: String? {
        unverified.opened.environment.map { String(utf8: unverified.opened.bytes[$0].borrowedSpan) }
    }
    /// All entries of the outer property list, in its order, such as `pod`. The list is not signed.
    public var outerEntries: [PurchaseInfoEntry] {
        unverified.opened.list.entries.map { PurchaseInfoEntry(unverified.opened.bytes, $0) }
    }

    /// The value of a key of the purchase-info; nil if there is no such key. Keys are compared byte for byte.
    // The properties call it ten times. One copy keeps small builds small.
    @inline(never)
    public func value(of key: String) -> String? {
        entries.first { $0.keyBytes.borrowedSpan.isUTF8(of: key) }?.value
    }

    /// The identifier of the first purchase's transaction, which all renewals share
    /// (`original-transaction-id`); nil without the key.
    public var originalTransactionIdentifier: String? { value(of: "original-transaction-id") }
    /// The app's bundle identifier (`bid`); nil without the key.
    public var bundleIdentifier: String? { value(of: "bid") }
    /// The app's version, `CFBundleVersion` (`bvrs`); nil without the key.
    public var appVersion: String? { value(of: "bvrs") }
    /// The App Store's number for the product (`item-id`); nil without the key.
    public var itemIdentifier: String? { value(of: "item-id") }
    /// The App Store's number for the app (`app-item-id`); nil without the key.
    public var appItemIdentifier: String? { value(of: "app-item-id") }
    /// The App Store's number for the app's version (`version-external-identifier`); nil without the key.
    public var versionExternalIdentifier: String? { value(of: "version-external-identifier") }
    /// The identifier of one paid period of a subscription (`web-order-line-item-id`); nil without the key.
    public var webOrderLineItemIdentifier: String? { value(of: "web-order-line-item-id") }
    /// The subscription group's identifier (`subscription-group-identifier`); nil without the key.
    public var subscriptionGroupIdentifier: String? { value(of: "subscription-group-identifier") }
    /// The identifier of the device (`unique-identifier`); nil without the key.
    public var uniqueIdentifier: String? { value(of: "unique-identifier") }
    /// The device's `identifierForVendor` (`unique-vendor-identifier`); nil without the key.
    public var uniqueVendorIdentifier: String? { value(of: "unique-vendor-identifier") }

    /// Whether the transaction identifier has a form that the sandbox gives: 16 digits that begin with 1000
    /// or 2000.
    ///
    /// The rule is an observation: identifiers of the sandbox in the test data begin with 1000000, 2000000 or
    /// 2000001, and production identifiers have had 14 or 15 digits. Apple documents neither. The identifier
    /// is signed.
    public var hasSandboxTransactionIdentifier: Bool {
        let text = [UInt8](utf8: transactionIdentifier)
        let digits = text.borrowedSpan
        guard digits.count == 16, text.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return false }
        return digits.starts(with: "1000") || digits.starts(with: "2000")
    }
}
