import AppReceipt
import CAppReceipt
import DER
import PKIX
import ReceiptResults
import SHA
import TransactionReceipt
import VerifyReceipt

/// What the caller has said so far about the receipts to accept.
final class Policy: Handle {
    /// Nil until the caller accepts an environment, or any.
    var environments: EnvironmentExpectation?
    /// Nil until the caller accepts a bundle identifier, or any.
    var bundleIdentifiers: BundleIdentifierExpectation?
    var appVersion: String?
    var devices: [DeviceIdentifier]?
    /// Nil for Apple's roots.
    var roots: [TrustAnchor]?
    var requiresMarkers = true
    var isXcodeTesting = false
    var issuers: [IssuerCertificate] = []
    var now: Timestamp?
    var pathTime = PathTime.creationDate
    var minimumDigest = HashAlgorithm.sha1
    var limits = Limits.standard

    var trust: TrustPolicy {
        if isXcodeTesting { return roots.map { .xcodeTesting(pinned: $0) } ?? .xcodeTesting }
        return roots.map { .pinned($0, requiringMarkers: requiresMarkers) } ?? .appStore
    }

    func judge() throws(Status) -> ReceiptJudge {
        guard let environments, let bundleIdentifiers, requiresMarkers || roots != nil else {
            throw .incompletePolicy
        }
        return ReceiptJudge(
            ReceiptValidator(
                environments: environments,
                bundleIdentifier: bundleIdentifiers,
                trust: trust,
                appVersion: appVersion,
                deviceIdentifiers: devices,
                now: now,
                minimumDigest: minimumDigest,
                pathTime: pathTime,
                limits: limits
            ),
            issuers: issuers
        )
    }

    func endpoint(
        _ environment: ReceiptEndpoint.Environment,
        _ base64: ReceiptEndpoint.Base64,
        _ secrets: [[UInt8]]?
    ) -> ReceiptEndpoint {
        ReceiptEndpoint(
            environment,
            trust: trust,
            issuers: issuers,
            sharedSecrets: secrets,
            base64: base64,
            minimumDigest: minimumDigest,
            limits: limits
        )
    }
}

@c @implementation
public func app_receipt_abi() -> Int32 { APP_RECEIPT_ABI }

@c @implementation
public func app_receipt_policy_create(
    _ allocator: UnsafePointer<app_receipt_allocator>?,
    _ policy: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    status { () throws(Status) in
        let place = try unsafe place(policy)
        let memory = try unsafe Memory(allocator)
        return try memory.lend { () throws(Status) in
            unsafe give(Policy(memory), place)
            return .ok
        }
    }
}

@c @implementation
public func app_receipt_policy_release(_ policy: OpaquePointer?) { unsafe take(policy, Policy.self) }

/// Changes a policy. What the change keeps comes from the policy's allocator.
private func change(_ policy: OpaquePointer?, _ body: (Policy) throws(Status) -> Void) -> Int32 {
    status { () throws(Status) in
        let policy = try unsafe object(policy, Policy.self)
        return try policy.memory.lend { () throws(Status) in
            try body(policy)
            return .ok
        }
    }
}

@c @implementation
public func app_receipt_policy_accept_environment(
    _ policy: OpaquePointer?,
    _ name: UnsafePointer<CChar>?,
    _ length: Int
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        guard let environment = ReceiptEnvironment(name: try unsafe text(name, length)) else {
            throw .badValue
        }
        // Accepting any environment is not taken back by naming one.
        if let known = policy.environments, known.accepted == nil { return }
        policy.environments = .only((policy.environments?.accepted ?? []) + [environment])
    }
}

@c @implementation
public func app_receipt_policy_accept_any_environment(_ policy: OpaquePointer?) -> Int32 {
    unsafe change(policy) { policy in policy.environments = .any }
}

@c @implementation
public func app_receipt_policy_accept_bundle_identifier(
    _ policy: OpaquePointer?,
    _ identifier: UnsafePointer<CChar>?,
    _ length: Int
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        let identifier = try unsafe text(identifier, length)
        if let known = policy.bundleIdentifiers, known.accepted == nil { return }
        policy.bundleIdentifiers = .oneOf((policy.bundleIdentifiers?.accepted ?? []) + [identifier])
    }
}

@c @implementation
public func app_receipt_policy_accept_any_bundle_identifier(_ policy: OpaquePointer?) -> Int32 {
    unsafe change(policy) { policy in policy.bundleIdentifiers = .any }
}

@c @implementation
public func app_receipt_policy_require_app_version(
    _ policy: OpaquePointer?,
    _ version: UnsafePointer<CChar>?,
    _ length: Int
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in policy.appVersion = try unsafe text(version, length) }
}

@c @implementation
public func app_receipt_policy_accept_device(
    _ policy: OpaquePointer?,
    _ identifier: UnsafePointer<UInt8>?,
    _ length: Int
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        guard let device = DeviceIdentifier(try unsafe copy(identifier, length)) else { throw .badValue }
        policy.devices = (policy.devices ?? []) + [device]
    }
}

@c @implementation
public func app_receipt_policy_trust_root(
    _ policy: OpaquePointer?,
    _ certificate: UnsafePointer<UInt8>?,
    _ length: Int
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        let bytes = try unsafe copy(certificate, length)
        guard let anchor = try? TrustAnchor(certificate: bytes) else {
            throw .badValue
        }
        policy.roots = (policy.roots ?? []) + [anchor]
    }
}

@c @implementation
public func app_receipt_policy_omit_markers(_ policy: OpaquePointer?) -> Int32 {
    unsafe change(policy) { policy in policy.requiresMarkers = false }
}

@c @implementation
public func app_receipt_policy_trust_xcode_testing(_ policy: OpaquePointer?) -> Int32 {
    unsafe change(policy) { policy in policy.isXcodeTesting = true }
}

@c @implementation
public func app_receipt_policy_add_issuer(
    _ policy: OpaquePointer?,
    _ certificate: UnsafePointer<UInt8>?,
    _ length: Int
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        let bytes = try unsafe copy(certificate, length)
        guard let issuer = try? IssuerCertificate(bytes) else {
            throw .badValue
        }
        policy.issuers.append(issuer)
    }
}

@c @implementation
public func app_receipt_policy_set_now(_ policy: OpaquePointer?, _ milliseconds: Int64) -> Int32 {
    unsafe change(policy) { policy in policy.now = Timestamp(millisecondsSince1970: milliseconds) }
}

@c @implementation
public func app_receipt_policy_set_path_time(_ policy: OpaquePointer?, _ milliseconds: Int64) -> Int32 {
    unsafe change(policy) { policy in
        policy.pathTime = .at(Timestamp(millisecondsSince1970: milliseconds))
    }
}

@c @implementation
public func app_receipt_policy_set_minimum_digest(_ policy: OpaquePointer?, _ bits: Int32) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        switch bits {
        case 160: policy.minimumDigest = .sha1
        case 256: policy.minimumDigest = .sha256
        case 384: policy.minimumDigest = .sha384
        case 512: policy.minimumDigest = .sha512
        default: throw .badValue
        }
    }
}

@c @implementation
public func app_receipt_policy_set_limit(_ policy: OpaquePointer?, _ limit: Int32, _ value: Int64) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        try policy.limits.set(limit, value)
    }
}

extension Limits {
    /// Sets a limit by its number in `app_receipt.h`, from 1 to its default.
    fileprivate mutating func set(_ limit: Int32, _ value: Int64) throws(Status) {
        guard let value = Int(exactly: value) else { throw .badValue }
        func checked(_ standard: Int) throws(Status) -> Int {
            guard value >= 1, value <= standard else { throw .badValue }
            return value
        }
        let standard = Limits.standard
        switch limit {
        case 1: inputBytes = try checked(standard.inputBytes)
        case 2: depth = try checked(standard.depth)
        case 3: elements = try checked(standard.elements)
        case 4: certificates = try checked(standard.certificates)
        case 5: extensions = try checked(standard.extensions)
        case 6: purposes = try checked(standard.purposes)
        case 7: modulusBits = try checked(standard.modulusBits)
        case 8: exponentBits = try checked(standard.exponentBits)
        case 9: attributes = try checked(standard.attributes)
        case 10: signatureChecks = try checked(standard.signatureChecks)
        default: throw .badValue
        }
    }
}
