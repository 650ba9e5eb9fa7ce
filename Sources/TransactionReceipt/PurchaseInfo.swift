import AppReceipt
import DER
import SHA

/// The purchase-info of a validated transaction receipt: signed under a root that the trust policy names, and
/// made for the app that the validator expects.
///
/// Only ``TransactionReceiptValidator`` makes one. The names that begin with `claimed` are the exception:
/// they stand outside of the signature.
public struct PurchaseInfo: PurchaseInfoContents {
    let contents: UnverifiedPurchaseInfo
    /// The SHA-256 fingerprint of the trusted root that the receipt was signed under.
    public let rootFingerprint: Digest
    /// The checks that the validator was not asked for, or that it cannot make, in the order of the steps.
    ///
    /// The list has the step `environment` unless the receipt says Sandbox: that a receipt comes from
    /// production is not signed.
    public let notChecked: [ReceiptError.Step]

    init(_ checked: CheckedPurchaseInfo) {
        contents = checked.contents
        rootFingerprint = checked.rootFingerprint
        notChecked = checked.notChecked
    }

    /// The same values as claims. Code that only shows values takes this type, so that it exists once.
    package var unverified: UnverifiedPurchaseInfo { contents }

    /// The octets that the signature covers after the version octet: the purchase-info as a property list.
    public var signedBytes: [UInt8] { contents.opened.info.bytes }
}

extension PurchaseInfo {
    public var signatureVersion: SignatureVersion { contents.signatureVersion }
    public var productIdentifier: String { contents.productIdentifier }
    public var transactionIdentifier: String { contents.transactionIdentifier }
    public var purchaseDate: Timestamp { contents.purchaseDate }
    public var originalPurchaseDate: Timestamp? { contents.originalPurchaseDate }
    public var expiresDate: Timestamp? { contents.expiresDate }
    public var cancellationDate: Timestamp? { contents.cancellationDate }
    public var quantity: Int? { contents.quantity }
    public var isTrialPeriod: Bool? { contents.isTrialPeriod }
    public var isInIntroductoryOfferPeriod: Bool? { contents.isInIntroductoryOfferPeriod }
    public var entries: [PurchaseInfoEntry] { contents.entries }
    public var signingCertificate: ArraySlice<UInt8> { contents.signingCertificate }
    public var claimedEnvironmentName: String? { contents.claimedEnvironmentName }
    public var claimedPod: String? { contents.claimedPod }
    public var claimedSigningStatus: String? { contents.claimedSigningStatus }
    public var outerEntries: [PurchaseInfoEntry] { contents.outerEntries }
}
