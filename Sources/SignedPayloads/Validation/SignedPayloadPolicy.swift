import AppReceipt
import Basics
import PKIX
import Processor
import SHA

/// The environment that signed a payload (`environment`, in an app transaction `receiptType`).
public enum StoreEnvironment: Sendable, Hashable, CaseIterable {
    /// The App Store.
    case production
    /// The sandbox. TestFlight and App Review use it too.
    case sandbox
    /// StoreKit testing in Xcode.
    case xcode
    /// StoreKit testing outside of Xcode.
    case localTesting

    /// The environment's name as payloads write it, such as `Sandbox`.
    public var name: String {
        switch self {
        case .production: "Production"
        case .sandbox: "Sandbox"
        case .xcode: "Xcode"
        case .localTesting: "LocalTesting"
        }
    }

    /// The environment with this name, compared byte for byte; nil for an unknown name.
    public init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.name.hasSameBytes(as: name) }) else {
            return nil
        }
        self = known
    }
}

/// The environments that a payload may come from. There is no default: sandbox purchases cost nothing.
public struct StoreEnvironmentExpectation: Sendable, Hashable {
    /// The accepted environments, none if empty; nil accepts any, also an unknown or missing one.
    package let accepted: [StoreEnvironment]?

    /// Accepts any environment, also an unknown or missing one. Transactions of 2021 have none. The trust
    /// policy may still restrict the environment.
    public static var any: Self { Self(accepted: nil) }
    /// Accepts these environments only. Without arguments, every payload is refused.
    public static func only(_ environments: StoreEnvironment...) -> Self { Self(accepted: environments) }
    /// Accepts these environments only. An empty array refuses every payload.
    public static func only(_ environments: [StoreEnvironment]) -> Self { Self(accepted: environments) }
}

/// How recently a payload must have been signed.
public struct AgeExpectation: Sendable, Hashable {
    /// The present time, as the caller gives it. The age of a payload is judged at this time.
    public var now: Timestamp
    /// The longest time since the signature. A date up to a minute after ``now`` is accepted too, because
    /// clocks differ.
    public var maximum: TimeSpan

    /// Creates an expectation of the age of payloads. Each parameter sets the property of its name.
    public init(now: Timestamp, maximum: TimeSpan) { (self.now, self.maximum) = (now, maximum) }
}

/// Which roots to trust, and what `x5c` must satisfy. The app chooses the policy. A token never does.
public struct TokenTrust: Sendable, Hashable {
    /// The trusted roots; nil trusts the token's own certificate if it is self-signed.
    let anchors: [TrustAnchor]?
    /// Whether the intermediate's and the signer's certificate must have Apple's marker extensions.
    let requiresMarkers: Bool
    /// How many certificates `x5c` must have.
    let certificateCount: Int
    /// The only environments that a payload under this policy may name; nil for no such restriction.
    package let onlyEnvironments: [StoreEnvironment]?

    /// The App Store: `x5c` has three certificates. The last is Apple Root CA - G3, which is the root for
    /// production and sandbox alike, and the other two have Apple's markers.
    public static var appStore: Self { pinned([.appleRootG3].compactMap { $0 }) }

    /// Other roots instead of Apple's, for tests and private PKIs. `x5c` has three certificates.
    ///
    /// - Parameters:
    ///   - anchors: the trusted roots. If an anchor is known by its fingerprint alone, it must be the
    ///     last certificate of `x5c`. If its certificate is known, the last certificate of `x5c` may be any
    ///     well-formed one.
    ///   - requiresMarkers: whether the path must have Apple's markers. If false, a certificate with a valid
    ///     path to one of these roots can sign tokens without a marker.
    public static func pinned(_ anchors: [TrustAnchor], requiringMarkers requiresMarkers: Bool = true) -> Self
    {
        Self(
            anchors: anchors,
            requiresMarkers: requiresMarkers,
            certificateCount: 3,
            onlyEnvironments: nil
        )
    }

    /// StoreKit testing with these certificates, which sign tokens themselves. Use this policy in tests only.
    ///
    /// Xcode makes a key for each session and exports its certificate. The policy accepts the environments
    /// `Xcode` and `LocalTesting` only.
    public static func xcodeTesting(pinned anchors: [TrustAnchor]) -> Self { testing(anchors) }

    /// StoreKit testing with any self-signed certificate. It proves that the token is unchanged since
    /// it was signed, and nothing else: **anyone can sign such a token.** The policy accepts the
    /// environments `Xcode` and `LocalTesting` only.
    public static var anySelfSignedProvingIntegrityOnly: Self { testing(nil) }

    private static func testing(_ anchors: [TrustAnchor]?) -> Self {
        Self(
            anchors: anchors,
            requiresMarkers: false,
            certificateCount: 1,
            onlyEnvironments: [.xcode, .localTesting]
        )
    }

    /// The requirements on the path to a root.
    var path: PathPolicy {
        PathPolicy(
            certificateCount: certificateCount...certificateCount,
            purpose: .permitted(.anyExtendedKeyUsage),
            minimumHash: .sha256,
            preferredIssuerExtension: requiresMarkers ? .intermediateMarker : nil,
            signerExtension: requiresMarkers ? .receiptSigningMarker : nil
        )
    }
}

/// The expectations of an app about its tokens, and how strictly they are judged.
///
/// ```swift
/// let policy = SignedPayloadPolicy(
///     environments: .only(.production, .sandbox),
///     bundleIdentifier: .exactly("com.example.app"))
/// ```
///
/// A check that the policy does not ask for is left out, and ``Verified/notChecked`` lists it.
public struct SignedPayloadPolicy: Sendable {
    /// The environments that a payload may name, compared byte for byte.
    public var environments: StoreEnvironmentExpectation
    /// The bundle identifiers that a payload may name, compared byte for byte.
    public var bundleIdentifier: BundleIdentifierExpectation
    /// The trusted roots, and what `x5c` must satisfy.
    public var trust: TokenTrust
    /// The app's Apple ID. It is checked in payloads whose kind has the member `appAppleId`. Such a payload
    /// must have this Apple ID if it has the member, and must have the member unless it is from a known
    /// environment other than production. If nil, the Apple ID is only compared between a notification and
    /// the tokens inside it.
    public var appAppleIdentifier: Int64?
    /// The device's `AppStore.deviceVerificationID`, a UUID in upper or lower case. If nil, the device is not
    /// checked. It is never checked for a notification, a token inside one, or a realtime request. A
    /// transaction or renewal information of the App Store Server API names no device, so it is refused
    /// unless this property is nil.
    public var deviceVerificationIdentifier: String?
    /// How recent the payload must be. If nil, its age is not checked. The age of a token inside a
    /// notification is never checked.
    public var age: AgeExpectation?
    /// Certificates and keys that make a path invalid, such as a key that leaked, whatever date its tokens
    /// claim.
    public var distrusted: DistrustList
    /// The policy of revocation: what evidence must prove. If nil, revocation is not checked. The module
    /// `Revocation` makes policies. ``Verified/notChecked`` has the step `revocation` if the policy is
    /// nil, or if evidence is missing and the policy does not require evidence. For a notification,
    /// evidence about the signers of the tokens inside it counts, too.
    public var revocation: RevocationPolicy<ECDSASignatureKey>?
    /// The time when every certificate of the path must be valid. If nil, it is the date that the payload
    /// names. A notification without `signedDate`, as in 2022, needs a time.
    public var pathTime: Timestamp?
    /// Limits on the work that a token may cause.
    public var limits: TokenLimits
    /// The instruction sets that may be used. They do not change the verdict.
    public var acceleration: Acceleration

    /// Creates a policy. `environments` and `bundleIdentifier` have no default. Each parameter sets the
    /// property of its name.
    public init(
        environments: StoreEnvironmentExpectation,
        bundleIdentifier: BundleIdentifierExpectation,
        trust: TokenTrust = .appStore,
        appAppleIdentifier: Int64? = nil,
        deviceVerificationIdentifier: String? = nil,
        age: AgeExpectation? = nil,
        distrusted: DistrustList = .empty,
        revocation: RevocationPolicy<ECDSASignatureKey>? = nil,
        pathTime: Timestamp? = nil,
        limits: TokenLimits = .standard,
        acceleration: Acceleration = .none
    ) {
        self.environments = environments
        self.bundleIdentifier = bundleIdentifier
        self.trust = trust
        self.appAppleIdentifier = appAppleIdentifier
        self.deviceVerificationIdentifier = deviceVerificationIdentifier
        self.age = age
        self.distrusted = distrusted
        self.revocation = revocation
        self.pathTime = pathTime
        self.limits = limits
        self.acceleration = acceleration
    }
}
