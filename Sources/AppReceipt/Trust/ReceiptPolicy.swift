import Basics
import DER
import PKIX
import Processor
import SHA

/// An app's expectations of its receipts, and how strictly receipts are judged.
///
/// ```swift
/// let policy = ReceiptPolicy(
///     environments: .only(.production, .productionSandbox),
///     bundleIdentifier: .exactly("com.example.app"))
/// ```
///
/// The validators of app receipts and of transaction receipts take this value. A check that the policy does
/// not ask for is left out, and ``Receipt/notChecked`` lists it.
public struct ReceiptPolicy: Sendable {
    /// The environments that a receipt may name (attribute 0). Names are compared byte for byte.
    /// With ``TrustPolicy/xcodeTesting``, a receipt must name `Xcode`, and this property must allow it.
    public var environments: EnvironmentExpectation
    /// The bundle identifiers that a receipt may name (attribute 2, and `bid` of a transaction receipt),
    /// compared byte for byte.
    public var bundleIdentifier: BundleIdentifierExpectation
    /// The trusted roots, and what the path to one of them must satisfy.
    public var trust: TrustPolicy
    /// Certificates of intermediates and of roots that transaction receipts do not contain. App receipts are
    /// validated without them. `IssuerCertificate.builtIn` of the module `TransactionReceipt`, which has
    /// Apple Root CA and five intermediates of Apple, need not be listed.
    public var issuers: [IssuerCertificate]
    /// The app version that a receipt must name (attribute 3, and `bvrs` of a transaction receipt), compared
    /// byte for byte: `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS. If nil, the version is
    /// not checked.
    public var appVersion: String?
    /// The device's identifier, or several candidates. The device hash of an app receipt must be that of one
    /// candidate, and the `unique-vendor-identifier` of a transaction receipt must be one candidate. An empty
    /// array refuses every receipt. If nil, the device is not checked.
    public var deviceIdentifiers: [DeviceIdentifier]?
    /// The present time, to be compared with the expiration date of an app receipt (attribute 21). If nil,
    /// the expiration date is not checked. A time before the receipt's creation date counts as that date.
    /// For transaction receipts, this property has no effect.
    public var now: Timestamp?
    /// The weakest hash algorithm that is accepted in the signatures of the content and of the certificates.
    ///
    /// Algorithms are compared by the length of their digests. The default is SHA-1, because genuine receipts
    /// up to 2023 use it. The root's own signature is not checked.
    public var minimumDigest: HashAlgorithm
    /// Certificates and keys that make a path invalid, such as a key that leaked, whatever date its receipts
    /// claim. An empty list is not a check that is left out: ``Receipt/notChecked`` never has the step
    /// `distrust`.
    public var distrusted: DistrustList
    /// The policy of revocation: what evidence must prove. If nil, revocation is not checked. The module
    /// `Revocation` makes policies. ``Receipt/notChecked`` has the step `revocation` if the policy is nil, or
    /// if evidence is missing and the policy does not require it.
    public var revocation: RevocationPolicy<SigningKey>?
    /// The time when every certificate of the path must be valid. If nil, it is the receipt's creation date,
    /// or the purchase date of a transaction receipt. A given time is used unchanged, even if it is before
    /// the creation or purchase date.
    public var pathTime: Timestamp?
    /// Limits on the work that a receipt may cause.
    public var limits: Limits
    /// The instruction sets used to compute digests and verify signatures. They do not change the verdict.
    /// A ``ReceiptBatch`` uses the instruction sets that it was created with when it computes digests and
    /// verifies signatures of several receipts together.
    public var acceleration: Acceleration

    /// Creates a policy. `environments` and `bundleIdentifier` have no default. Each parameter sets the
    /// property of its name.
    public init(
        environments: EnvironmentExpectation,
        bundleIdentifier: BundleIdentifierExpectation,
        trust: TrustPolicy = .appStore,
        issuers: [IssuerCertificate] = [],
        appVersion: String? = nil,
        deviceIdentifiers: [DeviceIdentifier]? = nil,
        now: Timestamp? = nil,
        minimumDigest: HashAlgorithm = .sha1,
        distrusted: DistrustList = .empty,
        revocation: RevocationPolicy<SigningKey>? = nil,
        pathTime: Timestamp? = nil,
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) {
        self.environments = environments
        self.bundleIdentifier = bundleIdentifier
        self.trust = trust
        self.issuers = issuers
        self.appVersion = appVersion
        self.deviceIdentifiers = deviceIdentifiers
        self.now = now
        self.minimumDigest = minimumDigest
        self.distrusted = distrusted
        self.revocation = revocation
        self.pathTime = pathTime
        self.limits = limits
        self.acceleration = acceleration
    }
}

extension ReceiptPolicy {
    /// Whether the app, the trust policy, or both restrict the environments that a receipt may come from.
    package var checksEnvironment: Bool { environments.accepted != nil || trust.onlyEnvironment != nil }

    /// The checks that were not made, in the order of the steps.
    ///
    /// - Parameters:
    ///   - isEnvironmentSigned: whether the receipt can prove its environment. If not, the list has
    ///     `.environment` in any case.
    ///   - isProvenUnrevoked: whether evidence proves that no certificate of the path is revoked; the root's
    ///     is not asked about. If not, the list has `.revocation`.
    package func notChecked(
        isEnvironmentSigned: Bool = true,
        isProvenUnrevoked: Bool
    ) -> [ReceiptError.Step] {
        var steps: [ReceiptError.Step] = []
        if !isProvenUnrevoked { steps.append(.revocation) }
        if !trust.requiresMarkers { steps += [.intermediateMarker, .leafMarker] }
        if !checksEnvironment || !isEnvironmentSigned { steps.append(.environment) }
        if bundleIdentifier.accepted == nil { steps.append(.bundleIdentifier) }
        if appVersion == nil { steps.append(.appVersion) }
        if deviceIdentifiers == nil { steps.append(.deviceHash) }
        if now == nil { steps.append(.expirationDate) }
        return steps
    }

    /// A copy without the app's expectations (environment, bundle identifier, version, device, expiration
    /// date) and without a ``pathTime``. All other properties stay.
    package var withoutExpectations: Self {
        var policy = self
        (policy.environments, policy.bundleIdentifier) = (.any, .any)
        (policy.appVersion, policy.deviceIdentifiers) = (nil, nil)
        (policy.now, policy.pathTime) = (nil, nil)
        return policy
    }

    /// The rules for a path to a root. The markers apply only if the trust policy requires them.
    ///
    /// - Parameters:
    ///   - intermediateMarker: the marker extension of the signer's issuer.
    ///   - leafMarker: the marker extension of the signer's certificate.
    package func path(intermediateMarker: ObjectIdentifier, leafMarker: ObjectIdentifier) -> PathPolicy {
        PathPolicy(
            certificateCount: trust.certificateCount,
            purpose: trust.purpose,
            minimumHash: minimumDigest,
            signatureChecks: limits.signatureChecks,
            preferredIssuerExtension: trust.requiresMarkers ? intermediateMarker : nil,
            signerExtension: trust.requiresMarkers ? leafMarker : nil
        )
    }

    /// Requirements on the keys of certificates: the default minimum length, and the limits `limits.key`.
    package var key: SigningKey.Requirements {
        var requirements = SigningKey.Requirements()
        requirements.limits = limits.key
        return requirements
    }
}
