import Bytes
import DER
import PKIX
import Processor
import SHA

/// Validates receipts as Apple's guide describes, from their bytes alone.
///
/// ```swift
/// let validator = ReceiptValidator(
///     environments: .only(.production, .productionSandbox),
///     bundleIdentifier: .exactly("com.example.app"))
/// let receipt = try validator.validate(bytes)
/// ```
///
/// A validator is an immutable value that can be used anywhere. A ``ValidationCache``, which each worker
/// owns, remembers what is useful between receipts.
public struct ReceiptValidator: Sendable {
    /// Every receipt in a batch refers to the values, because a copy of all takes longer.
    private let shared: Shared<Values>

    /// The environments that a receipt may name in attribute 0. Names are compared byte for byte.
    /// ``TrustPolicy/xcodeTesting`` accepts only `Xcode`, whatever this property allows.
    public var environments: EnvironmentExpectation { shared.value.environments }
    /// The bundle identifiers that a receipt may name in attribute 2, compared byte for byte.
    public var bundleIdentifier: BundleIdentifierExpectation { shared.value.bundleIdentifier }
    /// The trusted roots, and what the path to one of them must satisfy.
    public var trust: TrustPolicy { shared.value.trust }
    /// The app version that attribute 3 must hold, compared byte for byte: `CFBundleVersion` on iOS,
    /// `CFBundleShortVersionString` on macOS. If nil, the version is not checked.
    public var appVersion: String? { shared.value.appVersion }
    /// The device's identifier, or several candidates. One candidate must match, so an empty array refuses
    /// every receipt. If nil, the device is not checked.
    public var deviceIdentifiers: [DeviceIdentifier]? { shared.value.deviceIdentifiers }
    /// The present time, to be compared with a Volume Purchase receipt's expiration date. If nil, the
    /// expiration date is not checked.
    public var now: Timestamp? { shared.value.now }
    /// The weakest hash algorithm that is accepted in the signatures of the content and of the certificates.
    ///
    /// Algorithms are compared by the length of their digests. The default is SHA-1, because genuine receipts
    /// up to 2023 use it. The root's own signature is not checked.
    public var minimumDigest: HashAlgorithm { shared.value.minimumDigest }
    /// The choice of the time when every certificate of the path must be valid.
    public var pathTime: PathTime { shared.value.pathTime }
    /// Limits on the work that a receipt may cause.
    public var limits: Limits { shared.value.limits }
    /// The instruction sets used to compute digests and verify signatures. They do not change the verdict.
    /// For the work that a ``ReceiptBatch`` does together, it uses the instruction sets that it was created
    /// with.
    public var acceleration: Acceleration { shared.value.acceleration }

    /// Creates a validator.
    ///
    /// The two expectations have no default. A check that the app does not ask for is left out, and
    /// ``Receipt/notChecked`` lists it. The parameters are described at the properties.
    public init(
        environments: EnvironmentExpectation,
        bundleIdentifier: BundleIdentifierExpectation,
        trust: TrustPolicy = .appStore,
        appVersion: String? = nil,
        deviceIdentifiers: [DeviceIdentifier]? = nil,
        now: Timestamp? = nil,
        minimumDigest: HashAlgorithm = .sha1,
        pathTime: PathTime = .creationDate,
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) {
        var key = SigningKey.Requirements()
        key.limits = limits.key
        let path = PathPolicy(
            certificateCount: trust.certificateCount,
            purpose: trust.purpose,
            minimumHash: minimumDigest,
            signatureChecks: limits.signatureChecks,
            preferredIssuerExtension: trust.requiresMarkers ? .intermediateMarker : nil
        )
        shared = Shared(
            Values(
                environments: environments,
                bundleIdentifier: bundleIdentifier,
                trust: trust,
                appVersion: appVersion,
                deviceIdentifiers: deviceIdentifiers,
                now: now,
                minimumDigest: minimumDigest,
                pathTime: pathTime,
                limits: limits,
                acceleration: acceleration,
                cacheRules: Shared(ValidationCache.Rules(trust: trust, path: path, limits: limits, key: key))
            )
        )
    }

    /// A validator with values of its own. An argument that is not nil replaces the expectation.
    package func with(
        environments: EnvironmentExpectation? = nil,
        bundleIdentifier: BundleIdentifierExpectation? = nil,
        deviceIdentifiers: [DeviceIdentifier]? = nil,
        now: Timestamp? = nil
    ) -> ReceiptValidator {
        ReceiptValidator(
            environments: environments ?? self.environments,
            bundleIdentifier: bundleIdentifier ?? self.bundleIdentifier,
            trust: trust,
            appVersion: appVersion,
            deviceIdentifiers: deviceIdentifiers ?? self.deviceIdentifiers,
            now: now ?? self.now,
            minimumDigest: minimumDigest,
            pathTime: pathTime,
            limits: limits,
            acceleration: acceleration
        )
    }

    /// Validates a receipt, in DER or in Xcode's BER.
    ///
    /// - Parameters:
    ///   - bytes: the container. The receipt keeps the array, and copies nothing if it is DER.
    ///   - cache: what earlier receipts taught. It learns the keys of this receipt, and the path if the path
    ///     and the signature hold.
    /// - Throws: `ReceiptError`, with the step that failed.
    public func validate(_ bytes: [UInt8], cache: inout ValidationCache) throws(ReceiptError) -> Receipt {
        cache.prepare(for: cacheRules)
        var validation = Validation(self)
        do throws(Refusal) {
            return try validation.validate(bytes, &cache)
        } catch {
            throw validation.explain(error)
        }
    }

    /// The rules of this validator. A cache that was filled under other rules is emptied before it is used.
    var cacheRules: Shared<ValidationCache.Rules> { shared.value.cacheRules }

    /// The requirements on the path to a root.
    var pathPolicy: PathPolicy { cacheRules.value.path }

    /// Validates one receipt without a cache.
    ///
    /// - Parameter bytes: the container. The receipt keeps the array, and copies nothing if it is DER.
    /// - Throws: `ReceiptError`, with the step that failed.
    public func validate(_ bytes: [UInt8]) throws(ReceiptError) -> Receipt {
        var cache = ValidationCache(keepsPaths: false)
        return try validate(bytes, cache: &cache)
    }

    /// Validates a receipt in borrowed bytes. The receipt keeps a copy.
    ///
    /// - Parameters:
    ///   - bytes: the container.
    ///   - cache: the cache, which the call reads and extends. Each task needs its own.
    /// - Throws: `ReceiptError`, with the step that failed.
    public func validate(_ bytes: Span<UInt8>, cache: inout ValidationCache) throws(ReceiptError) -> Receipt {
        try validate(try copy(bytes), cache: &cache)
    }

    /// Validates one receipt in borrowed bytes without a cache. The receipt keeps a copy.
    ///
    /// - Throws: `ReceiptError`, with the step that failed.
    public func validate(_ bytes: Span<UInt8>) throws(ReceiptError) -> Receipt {
        try validate(try copy(bytes))
    }

    /// A copy of the bytes, unless there are more than the limit allows.
    private func copy(_ bytes: Span<UInt8>) throws(ReceiptError) -> [UInt8] {
        guard bytes.count <= limits.inputBytes else {
            throw ReceiptError(.container, Refusal(.inputTooLarge, at: 0, reading: "receipt"))
        }
        return [UInt8](bytes, in: 0..<bytes.count)
    }

    /// Whether a receipt must name an environment that the app or the trust policy expects.
    var checksEnvironment: Bool { environments.accepted != nil || trust.onlyEnvironment != nil }

    /// The checks that this validator leaves out.
    var leftOut: LeftOutChecks {
        LeftOutChecks(
            markers: !trust.requiresMarkers,
            environment: !checksEnvironment,
            bundleIdentifier: bundleIdentifier.accepted == nil,
            appVersion: appVersion == nil,
            deviceHash: deviceIdentifiers == nil,
            expirationDate: now == nil
        )
    }
}

extension ReceiptValidator {
    private struct Values: Sendable {
        let environments: EnvironmentExpectation
        let bundleIdentifier: BundleIdentifierExpectation
        let trust: TrustPolicy
        let appVersion: String?
        let deviceIdentifiers: [DeviceIdentifier]?
        let now: Timestamp?
        let minimumDigest: HashAlgorithm
        let pathTime: PathTime
        let limits: Limits
        let acceleration: Acceleration
        let cacheRules: Shared<ValidationCache.Rules>
    }
}

/// A value that others refer to instead of copying it.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// The checks that a validator leaves out. A receipt keeps the flags, which need no allocation.
struct LeftOutChecks: Sendable {
    let markers: Bool
    let environment: Bool
    let bundleIdentifier: Bool
    let appVersion: Bool
    let deviceHash: Bool
    let expirationDate: Bool

    /// The steps of the checks, in the order of the steps.
    var steps: [ReceiptError.Step] {
        var steps: [ReceiptError.Step] = []
        if markers { steps += [.intermediateMarker, .leafMarker] }
        if environment { steps.append(.environment) }
        if bundleIdentifier { steps.append(.bundleIdentifier) }
        if appVersion { steps.append(.appVersion) }
        if deviceHash { steps.append(.deviceHash) }
        if expirationDate { steps.append(.expirationDate) }
        return steps
    }
}
