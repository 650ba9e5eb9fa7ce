import AppReceipt
import Basics
import CAppReceipt
import PKIX
import ReceiptResults
import SHA
import TransactionReceipt

/// Which receipts and tokens to accept. A C caller creates the policy, and then sets its parts one by one.
final class Policy: Handle {
    /// The policy without its trust and its check of revocation. `judge` throws as long as no environment
    /// is accepted, and as long as no bundle identifier is accepted.
    var policy = ReceiptPolicy(environments: .only([]), bundleIdentifier: .oneOf([]))
    /// The roots to trust. For receipts, nil stands for Apple's roots, or with `isXcodeTesting` for
    /// Xcode's certificate.
    var roots: [TrustAnchor]?
    var requiresMarkers = true
    var isXcodeTesting = false
    /// The SHA-256 fingerprints of the policy's distrusted certificates and keys.
    var distrusted: [[UInt8]] = []
    /// The evidence about revocation; nil if revocation is not asked.
    var evidence: Evidence?
    /// The settings for tokens alone; nil before the first such setting.
    var tokens: TokenExpectations?
    /// Whether the policy has an expectation that receipts cannot meet: of `appAppleId`, of the device
    /// verification identifier, or of the age of a token.
    var isForTokens = false
    /// Whether endpoints made with the policy list the receipt's own purchases once more in answers about
    /// subscriptions: see `ReceiptEndpoint.listsPurchases`.
    var listsPurchases = false

    /// The policy with the trust and the evidence that the other properties choose. Throws `incompletePolicy`
    /// if revocation is asked without a piece of evidence or without the present time, or if markers are
    /// omitted and ``roots`` is nil.
    func complete() throws(Status) -> ReceiptPolicy {
        guard requiresMarkers || roots != nil else { throw .incompletePolicy }
        var policy = policy
        policy.revocation = try revocation(evidence?.ofReceipts)
        policy.trust =
            if isXcodeTesting {
                roots.map { .xcodeTesting(pinned: $0) } ?? .xcodeTesting
            } else {
                roots.map { .pinned($0, requiringMarkers: requiresMarkers) } ?? .appStore
            }
        return policy
    }

    /// The judge of receipts. Throws `incompletePolicy` if no environment or no bundle identifier is
    /// accepted. Else throws `badValue` if the policy expects what receipts do not have. Else throws what
    /// `complete` throws.
    func judge() throws(Status) -> ReceiptJudge {
        let isEmpty =
            policy.environments.accepted.map { $0.isEmpty } ?? false
            || policy.bundleIdentifier.accepted.map { $0.isEmpty } ?? false
        guard !isEmpty else { throw .incompletePolicy }
        guard !isForTokens else { throw .badValue }
        return ReceiptJudge(try complete())
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

/// Runs `body` to change the policy behind a pointer. Meanwhile Swift takes its memory from the policy's
/// allocator. Returns the status as a number.
func change(_ policy: OpaquePointer?, _ body: (Policy) throws(Status) -> Void) -> Int32 {
    unsafe with(policy, Policy.self) { (policy) throws(Status) in
        try body(policy)
        return .ok
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
        guard let known = policy.policy.environments.accepted else { return }
        policy.policy.environments = .only(known + [environment])
    }
}

@c @implementation
public func app_receipt_policy_accept_any_environment(_ policy: OpaquePointer?) -> Int32 {
    unsafe change(policy) { policy in policy.policy.environments = .any }
}

@c @implementation
public func app_receipt_policy_accept_bundle_identifier(
    _ policy: OpaquePointer?,
    _ identifier: UnsafePointer<CChar>?,
    _ length: Int
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        let identifier = try unsafe text(identifier, length)
        guard let known = policy.policy.bundleIdentifier.accepted else { return }
        policy.policy.bundleIdentifier = .oneOf(known + [identifier])
    }
}

@c @implementation
public func app_receipt_policy_accept_any_bundle_identifier(_ policy: OpaquePointer?) -> Int32 {
    unsafe change(policy) { policy in policy.policy.bundleIdentifier = .any }
}

@c @implementation
public func app_receipt_policy_require_app_version(
    _ policy: OpaquePointer?,
    _ version: UnsafePointer<CChar>?,
    _ length: Int
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        policy.policy.appVersion = try unsafe text(version, length)
    }
}

@c @implementation
public func app_receipt_policy_accept_device(
    _ policy: OpaquePointer?,
    _ identifier: UnsafePointer<UInt8>?,
    _ length: Int
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        guard let device = DeviceIdentifier(try unsafe copy(identifier, length)) else { throw .badValue }
        policy.policy.deviceIdentifiers = (policy.policy.deviceIdentifiers ?? []) + [device]
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
        guard let anchor = try? TrustAnchor(certificate: bytes) else { throw .badValue }
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
        guard let issuer = try? IssuerCertificate(bytes) else { throw .badValue }
        policy.policy.issuers.append(issuer)
    }
}

@c @implementation
public func app_receipt_policy_set_now(_ policy: OpaquePointer?, _ milliseconds: Int64) -> Int32 {
    unsafe change(policy) { policy in policy.policy.now = Timestamp(millisecondsSince1970: milliseconds) }
}

@c @implementation
public func app_receipt_policy_set_path_time(_ policy: OpaquePointer?, _ milliseconds: Int64) -> Int32 {
    unsafe change(policy) { policy in
        policy.policy.pathTime = Timestamp(millisecondsSince1970: milliseconds)
    }
}

@c @implementation
public func app_receipt_policy_distrust(
    _ policy: OpaquePointer?,
    _ fingerprint: UnsafePointer<UInt8>?,
    _ length: Int
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        let fingerprints = policy.distrusted + [try unsafe copy(fingerprint, length)]
        guard let list = DistrustList(sha256: fingerprints) else { throw .badValue }
        (policy.distrusted, policy.policy.distrusted) = (fingerprints, list)
    }
}

@c @implementation
public func app_receipt_policy_add_latest_receipt_info(_ policy: OpaquePointer?) -> Int32 {
    unsafe change(policy) { policy in policy.listsPurchases = true }
}

@c @implementation
public func app_receipt_policy_set_minimum_digest(_ policy: OpaquePointer?, _ bits: Int32) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        switch bits {
        case 160: policy.policy.minimumDigest = .sha1
        case 256: policy.policy.minimumDigest = .sha256
        case 384: policy.policy.minimumDigest = .sha384
        case 512: policy.policy.minimumDigest = .sha512
        default: throw .badValue
        }
    }
}

@c @implementation
public func app_receipt_policy_set_limit(_ policy: OpaquePointer?, _ limit: Int32, _ value: Int64) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        try policy.policy.limits.set(limit, value)
    }
}

extension Limits {
    /// Sets the limit with the number `limit` in `app_receipt.h`. Throws `badValue` for a number without a
    /// limit, and unless 1 ≤ `value` ≤ the default.
    fileprivate mutating func set(_ limit: Int32, _ value: Int64) throws(Status) {
        guard let value = Int(exactly: value) else { throw .badValue }
        func checked(_ standard: Int) throws(Status) -> Int {
            guard value >= 1, value <= standard else { throw .badValue }
            return value
        }
        let standard = Limits.standard
        switch limit {
        case 1: inputBytes = try checked(standard.inputBytes)
        case 2: message.encoding.depth = try checked(standard.message.encoding.depth)
        case 3: message.encoding.elements = try checked(standard.message.encoding.elements)
        case 4: message.certificates = try checked(standard.message.certificates)
        case 5: message.certificate.extensions = try checked(standard.message.certificate.extensions)
        case 6: message.certificate.purposes = try checked(standard.message.certificate.purposes)
        case 7: key.modulusBits = try checked(standard.key.modulusBits)
        case 8: key.exponentBits = try checked(standard.key.exponentBits)
        case 9: attributes = try checked(standard.attributes)
        case 10: signatureChecks = try checked(standard.signatureChecks)
        default: throw .badValue
        }
    }
}
