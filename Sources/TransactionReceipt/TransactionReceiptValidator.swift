import AppReceipt
import DER
import PKIX
import Processor
import SHA

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
    /// The app version that the purchase-info must name (`bvrs`, `CFBundleVersion`), compared byte for byte.
    /// If nil, the version is not checked.
    public let appVersion: String?
    /// The device's `identifierForVendor`, or several candidates. One candidate must equal the
    /// purchase-info's `unique-vendor-identifier`. If nil, the device is not checked.
    public let deviceIdentifiers: [DeviceIdentifier]?
    /// The weakest hash algorithm that is accepted. The signatures of transaction receipts cover SHA-1, so
    /// any other value than the default refuses all of them.
    public let minimumDigest: HashAlgorithm
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
    ///   - appVersion: the app's version; nil to leave it unchecked.
    ///   - deviceIdentifiers: the device, or several candidates; nil to leave it unchecked.
    ///   - minimumDigest: the weakest hash algorithm.
    ///   - pathTime: the time when the certificates must be valid.
    ///   - limits: limits on the work that a receipt may cause.
    ///   - acceleration: the instruction sets that may be used.
    public init(
        environments: EnvironmentExpectation,
        bundleIdentifier: BundleIdentifierExpectation,
        trust: TrustPolicy = .appStore,
        issuers: [IssuerCertificate] = [],
        appVersion: String? = nil,
        deviceIdentifiers: [DeviceIdentifier]? = nil,
        minimumDigest: HashAlgorithm = .sha1,
        pathTime: PathTime = .creationDate,
        limits: TransactionReceiptLimits = .standard,
        acceleration: Acceleration = .none
    ) {
        self.environments = environments
        self.bundleIdentifier = bundleIdentifier
        self.trust = trust
        self.issuers = issuers + IssuerCertificate.builtIn
        self.appVersion = appVersion
        self.deviceIdentifiers = deviceIdentifiers
        self.minimumDigest = minimumDigest
        self.pathTime = pathTime
        self.limits = limits
        self.acceleration = acceleration
    }

    /// Creates a validator with the expectations, the trust and the path time of a validator of app receipts.
    ///
    /// Transaction receipts have no expiration date, so ``AppReceipt/ReceiptValidator/now`` is not used.
    ///
    /// - Parameters:
    ///   - validator: the validator of app receipts.
    ///   - issuers: certificates in addition to ``IssuerCertificate/builtIn``.
    ///   - limits: limits on the work that a receipt may cause.
    public init(
        _ validator: ReceiptValidator,
        issuers: [IssuerCertificate] = [],
        limits: TransactionReceiptLimits = .standard
    ) {
        self.init(
            environments: validator.environments,
            bundleIdentifier: validator.bundleIdentifier,
            trust: validator.trust,
            issuers: issuers,
            appVersion: validator.appVersion,
            deviceIdentifiers: validator.deviceIdentifiers,
            minimumDigest: validator.minimumDigest,
            pathTime: validator.pathTime,
            limits: limits,
            acceleration: validator.acceleration
        )
    }

    /// This validator with the expectations of another validator of app receipts.
    package func expecting(_ validator: ReceiptValidator) -> Self {
        Self(copying: self, validator)
    }

    private init(copying other: Self, _ validator: ReceiptValidator) {
        environments = validator.environments
        bundleIdentifier = validator.bundleIdentifier
        appVersion = validator.appVersion
        deviceIdentifiers = validator.deviceIdentifiers
        minimumDigest = other.minimumDigest
        trust = other.trust
        issuers = other.issuers
        pathTime = other.pathTime
        limits = other.limits
        acceleration = other.acceleration
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
            minimumHash: minimumDigest,
            signatureChecks: limits.signatureChecks,
            preferredIssuerExtension: trust.requiresMarkers ? version.intermediateMarker : nil
        )
    }
}
