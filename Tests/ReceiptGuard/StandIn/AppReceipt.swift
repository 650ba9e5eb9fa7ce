// A stand-in for the module AppReceipt whose validator was patched: it accepts whatever a test says. The
// generated code is compiled against it, to see that the code notices by itself.

public enum ReceiptEnvironment: Sendable {
    case production, productionVPP, productionSandbox, productionVPPSandbox, xcode
}

public struct ReceiptError: Error {
    public enum Step: Sendable { case container, signature, payload }
    public let step: Step
    public init(_ step: Step) { self.step = step }
}

public struct Fingerprint: Sendable {
    public var bytes: [UInt8]
}

public struct Receipt: Sendable {
    public var bundleIdentifier: String?
    public var appVersion: String?
    public var environment: ReceiptEnvironment?
    public var rootFingerprint: Fingerprint
    public var notChecked: [Int]
    public var sha1Hash: ArraySlice<UInt8>?
    public var signingCertificate: ArraySlice<UInt8>
    public var expirationDate: Timestamp?
    public var creationDate = Timestamp(0)

    public init(
        _ bundleIdentifier: String?,
        _ appVersion: String?,
        _ environment: ReceiptEnvironment?,
        root: [UInt8],
        notChecked: Int,
        hash: ArraySlice<UInt8>?,
        certificate: ArraySlice<UInt8>
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.appVersion = appVersion
        self.environment = environment
        rootFingerprint = Fingerprint(bytes: root)
        self.notChecked = Array(repeating: 0, count: notChecked)
        sha1Hash = hash
        signingCertificate = certificate
    }
}

public struct DeviceIdentifier: Sendable {}
public struct Timestamp: Sendable, Comparable {
    private let milliseconds: Int64

    public init(_ milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }
}
public struct TrustAnchor: Sendable { public init?(sha256: [UInt8]) {} }
public struct TrustPolicy: Sendable { public static func pinned(_ anchors: [TrustAnchor]) -> Self { Self() } }
public struct EnvironmentExpectation: Sendable {
    public static func only(_ environments: [ReceiptEnvironment]) -> Self { Self() }
}
public struct BundleIdentifierExpectation: Sendable {
    public static func exactly(_ identifier: String) -> Self { Self() }
}

/// The verdict of the patched validator, first about the receipt and then about any other bytes.
public enum Patched {
    nonisolated(unsafe) public static var receipt: Receipt?
    nonisolated(unsafe) public static var container: [UInt8] = []
    nonisolated(unsafe) public static var onOtherBytes: ReceiptError.Step?
}

public struct ReceiptPolicy: Sendable {
    public init(
        environments: EnvironmentExpectation,
        bundleIdentifier: BundleIdentifierExpectation,
        trust: TrustPolicy,
        appVersion: String? = nil,
        deviceIdentifiers: [DeviceIdentifier]?,
        now: Timestamp?
    ) {}
}

public struct ReceiptValidator: Sendable {
    public init(_ policy: ReceiptPolicy) {}

    public func validate(_ bytes: [UInt8]) throws(ReceiptError) -> Receipt {
        if bytes != Patched.container, let step = Patched.onOtherBytes { throw ReceiptError(step) }
        guard let receipt = Patched.receipt else { throw ReceiptError(.payload) }
        return receipt
    }
}
