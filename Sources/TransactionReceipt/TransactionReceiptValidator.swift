import AppReceipt
import Basics

/// Validates iOS 6 transaction receipts (`SKPaymentTransaction.transactionReceipt`), from their bytes alone.
///
/// ```swift
/// let policy = ReceiptPolicy(
///     environments: .only(.production, .productionSandbox),
///     bundleIdentifier: .exactly("com.example.app"))
/// let purchase = try TransactionReceiptValidator(policy).validate(bytes)
/// ```
///
/// A transaction receipt describes one purchase. Its signature covers the version octet and the
/// purchase-info, and nothing else.
///
/// The policy's expectations have these meanings:
///
/// - The purchase-info names the bundle identifier (`bid`) and the app version (`bvrs`, `CFBundleVersion`).
/// - A device is the `identifierForVendor`, which must equal `unique-vendor-identifier`.
/// - Without a `pathTime`, certificates are judged at the purchase date (`purchase-date-ms`, or else
///   `purchase-date`). It is the date of the purchase, renewal or restoration, when Apple signed. The date
///   is signed, and is read before the signature is verified, for this purpose only.
/// - Signatures of versions 2 and 3 cover SHA-1, and signatures of version 4 cover SHA-256. With `.sha256` as
///   `minimumDigest`, only receipts of version 4 are accepted.
/// - A transaction receipt itself does not expire, so the policy's `now` is not used. Whether a subscription
///   has expired is not checked: see ``PurchaseInfoContents/expiresDate``.
///
/// **The environment is not signed.** It stands in the outer list, which anyone can edit. Anyone with a
/// sandbox receipt can remove the entry. The validator therefore judges the environment as follows:
///
/// - A receipt that says `Sandbox` is one of the sandbox. A receipt without the entry counts as one from
///   production. Any other name is refused, unless `environments` is `.any`.
/// - A receipt that does not say `Sandbox`, although its signed transaction identifier has the sandbox's form
///   (``PurchaseInfoContents/hasSandboxTransactionIdentifier``), is refused, unless `environments` is `.any`.
/// - Under `TrustPolicy.xcodeTesting` every receipt is refused, whatever `environments` is.
/// - If the validator accepts a receipt as one from production, ``PurchaseInfo/notChecked`` lists the
///   environment. Only Apple can say more: ask the App Store Server API for the transaction identifier.
public struct TransactionReceiptValidator: Sendable {
    /// The app's expectations, and how strictly receipts are judged.
    public private(set) var policy: ReceiptPolicy
    /// The certificates for the path above the signer's: the policy's `issuers`, then the built-in ones.
    let issuers: [IssuerCertificate]

    /// Creates a validator.
    ///
    /// The policy's `issuers` are used in addition to `IssuerCertificate.builtIn`. If the policy knows a root
    /// by its fingerprint alone, the policy's `issuers` must contain the root's certificate, unless the root
    /// is Apple Root CA, which is built in.
    public init(_ policy: ReceiptPolicy) {
        self.policy = policy
        issuers = policy.issuers + IssuerCertificate.builtIn
    }

    /// A copy of this validator that judges by another policy, but with the issuers of this validator. The
    /// `issuers` of the other policy are ignored.
    package func expecting(_ policy: ReceiptPolicy) -> Self {
        var copy = self
        copy.policy = policy
        return copy
    }

    /// Validates a transaction receipt.
    ///
    /// - Parameter bytes: the property list, or text that ``TransactionReceiptInput`` decodes.
    /// - Throws: `ReceiptError`, with the step that failed. In the step `input`, offsets count in `bytes`.
    ///   In all other steps, offsets count in the outer property list; a fault inside base64 has the offset
    ///   of the base64 character. Certificate 0 is the signer's. Other certificates are not part of the
    ///   input; their faults have the offset of the signer's certificate.
    public func validate(_ bytes: [UInt8]) throws(ReceiptError) -> PurchaseInfo {
        let list = try TransactionReceiptInput.decode(
            bytes,
            limits: policy.limits,
            acceleration: policy.acceleration
        )
        var validation = TransactionValidation(self)
        do throws(Refusal) {
            return try validation.validate(list)
        } catch {
            throw validation.explain(error)
        }
    }
}
