import AppReceipt
import DER
import PKIX
import Processor

/// Validates iOS 6 transaction receipts (`SKPaymentTransaction.transactionReceipt`), from their bytes alone.
///
/// ```swift
/// let validator = TransactionReceiptValidator(
///     environments: .only(.production, .productionSandbox),
///     bundleIdentifier: .exactly("com.example.app"))
/// let purchase = try validator.validate(bytes)
/// ```
///
/// A transaction receipt describes one purchase. Its signature covers the purchase-info and nothing else.
///
/// **The environment is not signed.** It stands in the outer list, which anyone can edit. Whoever has a
/// sandbox receipt can remove the entry. The validator therefore judges the environment as follows:
///
/// - A receipt that says `Sandbox` is one of the sandbox. A receipt without the entry counts as one from
///   production. Any other name is refused, unless ``environments`` is `.any`.
/// - A receipt that does not say `Sandbox`, although its signed transaction identifier has the sandbox's form
///   (``PurchaseInfoContents/hasSandboxTransactionIdentifier``), is refused, unless ``environments`` is
///   `.any`.
/// - If the validator accepts a receipt as one from production, ``PurchaseInfo/notChecked`` lists the
///   environment. Only Apple can say more: ask the App Store Server API for the transaction identifier.
public struct TransactionReceiptValidator: Sendable {
    /// The accepted environments: `.production`, `.productionSandbox`, or any.
    public let environments: EnvironmentExpectation
    /// The bundle identifiers that the purchase-info may name (`bid`), compared byte for byte.
    public let bundleIdentifier: BundleIdentifierExpectation
    /// The trusted roots, and what the path to one of them must satisfy. The markers depend on the version.
    public let trust: TrustPolicy
    /// The choice of the time when every certificate of the path must be valid: `.creationDate` stands for
    /// the purchase date (`purchase-date-ms`, or else `purchase-date`).
    ///
    /// The purchase date is the date of a renewal or restoration, when Apple signed. The date is signed, and
    /// is read before the signature is verified, for this purpose only.
    public let pathTime: PathTime
    /// Limits on the work that a receipt may cause.
    public let limits: TransactionReceiptLimits
    /// The instruction sets used to compute digests and verify signatures. They do not change the verdict.
    public let acceleration: Acceleration
    /// The certificates that may stand between a signer and a root.
    let issuers: [IssuerCertificate]

    /// Creates a validator.
    ///
    /// The two expectations have no default.
    ///
    /// - Parameters:
    ///   - environments: the accepted environments.
    ///   - bundleIdentifier: the accepted bundle identifiers.
    ///   - trust: the trusted roots. If the policy knows a root by its fingerprint alone, `issuers` must
    ///     contain the root's certificate; Apple Root CA is built in.
    ///   - issuers: certificates in addition to ``IssuerCertificate/builtIn``.
    ///   - pathTime: the time when the certificates must be valid.
    ///   - limits: limits on the work that a receipt may cause.
    ///   - acceleration: the instruction sets that may be used.
    public init(
        environments: EnvironmentExpectation,
        bundleIdentifier: BundleIdentifierExpectation,
        trust: TrustPolicy = .appStore,
        issuers: [IssuerCertificate] = [],
        pathTime: PathTime = .creationDate,
        limits: TransactionReceiptLimits = .standard,
        acceleration: Acceleration = .none
    ) {
        self.environments = environments
        self.bundleIdentifier = bundleIdentifier
        self.trust = trust
        self.issuers = issuers + IssuerCertificate.builtIn
        self.pathTime = pathTime
        self.limits = limits
        self.acceleration = acceleration
    }

    /// Validates a transaction receipt.
    ///
    /// - Parameter bytes: the property list or its base64.
    /// - Throws: `ReceiptError`, with the step that failed. Offsets count in the outer property list; a place
    ///   in a value that is base64 is the place of its character. Certificate 0 is the signer's. Other
    ///   certificates are not part of the input, and the offset is then the place of the signer's
    ///   certificate.
    public func validate(_ bytes: [UInt8]) throws(ReceiptError) -> PurchaseInfo {
        let list = try TransactionReceiptInput.decode(bytes, limits: limits, acceleration: acceleration)
        var validation = TransactionValidation(self)
        do throws(Refusal) {
            return try validation.validate(list)
        } catch {
            throw validation.explain(error)
        }
    }

    /// The requirements on the path to a root.
    func pathPolicy(for version: SignatureVersion) -> PathPolicy {
        PathPolicy(
            certificateCount: trust.certificateCount,
            purpose: trust.purpose,
            signatureChecks: limits.signatureChecks,
            preferredIssuerExtension: trust.requiresMarkers ? version.intermediateMarker : nil
        )
    }
}
