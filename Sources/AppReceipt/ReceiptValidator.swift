import DER
import PKIX
import SHA

/// Validates receipts as Apple's guide lays out, with nothing but their bytes.
///
/// ```swift
/// let validator = ReceiptValidator(
///     environments: .only(.production, .productionSandbox),
///     bundleIdentifier: .exactly("com.example.app"))
/// let receipt = try validator.validate(bytes)
/// ```
///
/// An immutable value: make one, use it anywhere. What may be remembered between receipts is a
/// ``ValidationCache``, which each worker owns.
public struct ReceiptValidator: Sendable {
    /// Compared with attribute 0, byte for byte.
    public let environments: EnvironmentExpectation
    /// Compared with attribute 2, byte for byte.
    public let bundleIdentifier: BundleIdentifierExpectation
    /// The roots, and what is asked of the path to one of them.
    public let trust: TrustPolicy
    /// Compared with attribute 3, byte for byte: `CFBundleVersion` on iOS, `CFBundleShortVersionString` on
    /// macOS; nil if it is not to be checked.
    public let appVersion: String?
    /// The device's identifier, or several candidates of which one must match, so that an empty array matches
    /// nothing; nil if the device is not to be checked.
    public let deviceIdentifiers: [DeviceIdentifier]?
    /// The time to compare a Volume Purchase receipt's expiration date with; nil if it is not to be checked.
    public let now: Timestamp?
    /// The shortest digest that the content and the certificates may be signed over. SHA-1 by default,
    /// because genuine receipts up to 2023 use it.
    public let minimumDigest: HashAlgorithm
    /// The time at which every certificate of the path must be valid.
    public let pathTime: PathTime
    /// How much work a receipt may cause.
    public let limits: Limits
    /// By what everything is hashed, and signatures are verified; it changes no verdict. A ``ReceiptBatch``
    /// has its own for what it does together.
    public let acceleration: Acceleration

    /// The smallest RSA key of any certificate of the path, in bits: all of Apple's have it.
    static let minimumModulusBits = 2048

    /// The two expectations have no default. What is not asked for is not checked, and ``Receipt/notChecked``
    /// says so.
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
        self.environments = environments
        self.bundleIdentifier = bundleIdentifier
        self.trust = trust
        self.appVersion = appVersion
        self.deviceIdentifiers = deviceIdentifiers
        self.now = now
        self.minimumDigest = minimumDigest
        self.pathTime = pathTime
        self.limits = limits
        self.acceleration = acceleration
    }

    /// Validates a receipt, in DER or in Xcode's BER.
    ///
    /// - Parameters:
    ///   - bytes: the container. The receipt keeps the array, without a copy where it is DER.
    ///   - cache: what earlier receipts taught. It learns from this one: the keys it met, and the path, if
    ///     that and the signature hold.
    /// - Throws: `ReceiptError`, with the step that failed.
    public func validate(_ bytes: [UInt8], cache: inout ValidationCache) throws(ReceiptError) -> Receipt {
        var validation = validation(.whole, &cache)
        do throws(Refusal) {
            return try validation.receipt(validation.verify(bytes, &cache))
        } catch {
            throw validation.explain(error)
        }
    }

    /// The way of one receipt, and the cache prepared for it.
    func validation(_ mode: Validation.Mode, _ cache: inout ValidationCache) -> Validation {
        cache.prepare(for: trust, pathPolicy, minimumModulusBits: Self.minimumModulusBits)
        cache.verifier.acceleration = acceleration
        return Validation(validator: self, mode: mode)
    }

    /// What is asked of the path to a root.
    var pathPolicy: PathPolicy {
        PathPolicy(
            certificateCount: trust.certificateCount,
            purpose: trust.purpose,
            minimumHash: minimumDigest,
            limits: limits
        )
    }

    /// Validates one receipt by itself.
    public func validate(_ bytes: [UInt8]) throws(ReceiptError) -> Receipt {
        var cache = ValidationCache(keepsPaths: false)
        return try validate(bytes, cache: &cache)
    }

    /// Validates borrowed bytes, of which the receipt keeps a copy.
    public func validate(_ bytes: Span<UInt8>, cache: inout ValidationCache) throws(ReceiptError) -> Receipt {
        try validate(try copy(bytes), cache: &cache)
    }

    /// Validates borrowed bytes by themselves, of which the receipt keeps a copy.
    public func validate(_ bytes: Span<UInt8>) throws(ReceiptError) -> Receipt {
        try validate(try copy(bytes))
    }

    /// No copy is made of what would be refused for its size.
    private func copy(_ bytes: Span<UInt8>) throws(ReceiptError) -> [UInt8] {
        guard bytes.count <= limits.inputBytes else {
            throw ReceiptError(.container, Refusal(.inputTooLarge, at: 0, reading: "receipt"))
        }
        return [UInt8](bytes, in: 0..<bytes.count)
    }

    /// The checks that this validator was not asked for.
    var notChecked: [ReceiptError.Step] {
        var steps: [ReceiptError.Step] = []
        if !trust.requiresMarkers { steps += [.intermediateMarker, .leafMarker] }
        if environments.accepted == nil { steps.append(.environment) }
        if bundleIdentifier.accepted == nil { steps.append(.bundleIdentifier) }
        if appVersion == nil { steps.append(.appVersion) }
        if deviceIdentifiers == nil { steps.append(.deviceHash) }
        if now == nil { steps.append(.expirationDate) }
        return steps
    }
}
