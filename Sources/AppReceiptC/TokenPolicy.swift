import AppReceipt
import Basics
import CAppReceipt
import PKIX
import ReceiptResults
import SHA
import SignedPayloads

/// A policy's settings for tokens alone. The settings that receipts have too are in the ``Policy``.
///
/// The functions for tokens make this object when they need it.
final class TokenExpectations {
    /// The accepted environments. They do not count if the policy accepts every environment.
    var environments: [StoreEnvironment] = []
    /// The App Store's number for the expected app; nil if it is not checked.
    var appAppleIdentifier: Int64?
    /// The device's identifier, a UUID; nil if the device is not checked.
    var deviceVerificationIdentifier: String?
    /// The longest time from the signature to the policy's `now`; nil if the age is not checked.
    var maximumAge: TimeSpan?
    /// Whether a token's own certificate is trusted if it is self-signed.
    var trustsAnySelfSigned = false
    /// The limits on the work that a token may cause.
    var limits = TokenLimits.standard
}

extension Policy {
    /// The judge of tokens. Throws `incompletePolicy` if no environment is accepted, if no bundle
    /// identifier is accepted, if the present time or the evidence that a check needs is missing, and if
    /// the trust settings contradict each other or lack a root. Throws `badValue` if the policy expects
    /// what tokens do not have: an app version, a device identifier, or a digest longer than SHA-256.
    func tokenJudge() throws(Status) -> SignedPayloadJudge {
        let tokens = tokens ?? TokenExpectations()
        let (environments, identifiers) = (policy.environments.accepted, policy.bundleIdentifier.accepted)
        guard environments == nil || !tokens.environments.isEmpty, identifiers.map({ !$0.isEmpty }) ?? true
        else { throw .incompletePolicy }
        // ES256 signs a hash of 256 bits.
        guard policy.appVersion == nil, policy.deviceIdentifiers == nil,
            policy.minimumDigest.digestByteCount <= HashAlgorithm.sha256.digestByteCount
        else { throw .badValue }
        var age: AgeExpectation?
        if let maximum = tokens.maximumAge {
            guard let now = policy.now else { throw .incompletePolicy }
            age = AgeExpectation(now: now, maximum: maximum)
        }
        return SignedPayloadJudge(
            SignedPayloadPolicy(
                environments: environments == nil ? .any : .only(tokens.environments),
                bundleIdentifier: policy.bundleIdentifier,
                trust: try trust(of: tokens),
                appAppleIdentifier: tokens.appAppleIdentifier,
                deviceVerificationIdentifier: tokens.deviceVerificationIdentifier,
                age: age,
                distrusted: policy.distrusted,
                revocation: try revocation(evidence?.ofTokens),
                pathTime: policy.pathTime,
                limits: tokens.limits
            )
        )
    }

    /// The trusted roots of tokens. Throws `incompletePolicy` for settings that contradict each other, or
    /// lack a root.
    private func trust(of tokens: TokenExpectations) throws(Status) -> TokenTrust {
        switch roots {
        case nil where tokens.trustsAnySelfSigned: return .anySelfSignedProvingIntegrityOnly
        case nil where requiresMarkers && !isXcodeTesting: return .appStore
        case let roots? where isXcodeTesting && !tokens.trustsAnySelfSigned:
            return .xcodeTesting(pinned: roots)
        case let roots? where !tokens.trustsAnySelfSigned:
            return .pinned(roots, requiringMarkers: requiresMarkers)
        default: throw .incompletePolicy
        }
    }
}

/// Runs `body` to change what the policy behind a pointer asks of tokens. Returns the status as a number.
///
/// - Parameter isExpectation: whether receipts do not have what `body` expects of tokens.
private func changeTokens(
    _ policy: OpaquePointer?,
    isExpectation: Bool,
    _ body: (TokenExpectations) throws(Status) -> Void
) -> Int32 {
    unsafe change(policy) { (policy) throws(Status) in
        let tokens = policy.tokens ?? TokenExpectations()
        policy.tokens = tokens
        try body(tokens)
        if isExpectation { policy.isForTokens = true }
    }
}

@c @implementation
public func app_receipt_policy_accept_token_environment(
    _ policy: OpaquePointer?,
    _ name: UnsafePointer<CChar>?,
    _ length: Int
) -> Int32 {
    unsafe changeTokens(policy, isExpectation: false) { (tokens) throws(Status) in
        guard let environment = StoreEnvironment(name: try unsafe text(name, length)) else {
            throw .badValue
        }
        tokens.environments.append(environment)
    }
}

@c @implementation
public func app_receipt_policy_require_app_apple_id(_ policy: OpaquePointer?, _ identifier: Int64) -> Int32 {
    unsafe changeTokens(policy, isExpectation: true) { (tokens) throws(Status) in
        guard identifier > 0 else { throw .badValue }
        tokens.appAppleIdentifier = identifier
    }
}

@c @implementation
public func app_receipt_policy_require_device_verification(
    _ policy: OpaquePointer?,
    _ identifier: UnsafePointer<CChar>?,
    _ length: Int
) -> Int32 {
    unsafe changeTokens(policy, isExpectation: true) { (tokens) throws(Status) in
        let identifier = try unsafe text(identifier, length)
        // The only form of 36 characters is that of a UUID.
        guard length == 36, DeviceIdentifier(identifier) != nil else { throw .badValue }
        tokens.deviceVerificationIdentifier = identifier
    }
}

@c @implementation
public func app_receipt_policy_set_maximum_age(_ policy: OpaquePointer?, _ milliseconds: Int64) -> Int32 {
    unsafe changeTokens(policy, isExpectation: true) { (tokens) throws(Status) in
        guard milliseconds >= 0 else { throw .badValue }
        tokens.maximumAge = .milliseconds(milliseconds)
    }
}

@c @implementation
public func app_receipt_policy_trust_any_self_signed_proving_integrity_only(
    _ policy: OpaquePointer?
) -> Int32 {
    unsafe changeTokens(policy, isExpectation: false) { tokens in tokens.trustsAnySelfSigned = true }
}

@c @implementation
public func app_receipt_policy_set_token_limit(
    _ policy: OpaquePointer?,
    _ limit: Int32,
    _ value: Int64
) -> Int32 {
    unsafe changeTokens(policy, isExpectation: false) { (tokens) throws(Status) in
        try tokens.limits.set(limit, value)
    }
}

extension TokenLimits {
    /// Sets the limit with a number of `app_receipt.h`. Throws `badValue` for a number without a limit, and
    /// for a value below 1 or above the default.
    fileprivate mutating func set(_ limit: Int32, _ value: Int64) throws(Status) {
        let standard = TokenLimits.standard
        guard let value = Int(exactly: value), value >= 1 else { throw .badValue }
        switch limit {
        case 1 where value <= standard.tokenBytes: tokenBytes = value
        case 2 where value <= standard.members: members = value
        default: throw .badValue
        }
    }
}
