import AppReceipt
import Basics
import PKIX

/// Validates the tokens of StoreKit 2, App Store Server Notifications version 2, the App Store Server API and
/// the Retention Messaging API, from their bytes alone.
///
/// ```swift
/// let validator = SignedPayloadValidator(
///     SignedPayloadPolicy(
///         environments: .only(.production, .sandbox),
///         bundleIdentifier: .exactly("com.example.app")))
/// var cache = SignedPayloadCache()
/// let notification = try validator.validate(notification: signedPayload, cache: &cache)
/// ```
///
/// A token is a JWS in compact serialisation, signed by ES256, with its certificates in the header. Unless
/// the policy gives another time, the certificates are judged at the date that the payload names, because
/// Apple's signing certificates expire every two years and tokens are kept for longer. The date is signed,
/// and is read before the signature is verified, for this purpose only.
///
/// The caller says which kind of payload a token holds, because nothing in a token names it. A token of
/// another kind is refused: each kind has one member that no other kind has, such as `transactionId`. A
/// payload without that member may only have members that Apple documents for the kind.
public struct SignedPayloadValidator: Sendable {
    /// The app's expectations, and how strictly tokens are judged.
    public var policy: SignedPayloadPolicy { shared.value }
    /// The policy, which the validation of each token refers to.
    let shared: Shared<SignedPayloadPolicy>
    /// The rules for certification paths. A cache that was filled under other rules is emptied before use.
    let cacheRules: Shared<SignedPayloadCache.Rules>

    /// Creates a validator that judges tokens by a policy.
    public init(_ policy: SignedPayloadPolicy) {
        shared = Shared(policy)
        cacheRules = Shared(SignedPayloadCache.Rules(policy))
    }

    /// Validates a transaction (`JWSTransaction`).
    ///
    /// - Parameters:
    ///   - token: the characters of the token.
    ///   - cache: remembers keys and paths for the next token. It does not change the verdict.
    /// - Returns: the verified transaction.
    /// - Throws: `SignedPayloadError`, with the step that failed.
    public func validate(
        transaction token: [UInt8],
        cache: inout SignedPayloadCache
    ) throws(SignedPayloadError) -> VerifiedTransaction {
        try validate(token, &cache).verified()
    }

    /// Validates the renewal information of a subscription (`JWSRenewalInfo`).
    ///
    /// Renewal information names no bundle identifier, so this check is left out.
    ///
    /// - Parameters:
    ///   - token: the characters of the token.
    ///   - cache: remembers keys and paths for the next token. It does not change the verdict.
    /// - Returns: the verified renewal information.
    /// - Throws: `SignedPayloadError`, with the step that failed.
    public func validate(
        renewalInfo token: [UInt8],
        cache: inout SignedPayloadCache
    ) throws(SignedPayloadError) -> VerifiedRenewalInfo {
        try validate(token, &cache).verified()
    }

    /// Validates an app transaction (`JWSAppTransaction`). By default the certificates are judged at the date
    /// `receiptCreationDate` of the app transaction.
    ///
    /// - Parameters:
    ///   - token: the characters of the token.
    ///   - cache: remembers keys and paths for the next token. It does not change the verdict.
    /// - Returns: the verified app transaction.
    /// - Throws: `SignedPayloadError`, with the step that failed.
    public func validate(
        appTransaction token: [UInt8],
        cache: inout SignedPayloadCache
    ) throws(SignedPayloadError) -> VerifiedAppTransaction {
        try validate(token, &cache).verified()
    }

    /// Validates a request for a retention message (`signedPayload`).
    ///
    /// A request for a retention message names no bundle identifier, so this check is left out.
    ///
    /// - Parameters:
    ///   - token: the characters of the token.
    ///   - cache: remembers keys and paths for the next token. It does not change the verdict.
    /// - Returns: the verified request.
    /// - Throws: `SignedPayloadError`, with the step that failed.
    public func validate(
        realtimeRequest token: [UInt8],
        cache: inout SignedPayloadCache
    ) throws(SignedPayloadError) -> VerifiedRealtimeRequest {
        try validate(token, &cache).verified()
    }

    /// Validates a notification (`signedPayload`) and the tokens inside it.
    ///
    /// A token inside the notification is validated like a token by itself, except that its age and its
    /// device are not checked. The token must also have the bundle identifier, the Apple ID and the
    /// environment of the notification, each if both name one. In the checks of the environment and the Apple
    /// ID, a token that names no environment counts as from the notification's environment. If the policy
    /// requires evidence about revocation, each token needs evidence about its own signer.
    ///
    /// - Parameters:
    ///   - token: the characters of the notification.
    ///   - cache: remembers keys and paths for the next token. It does not change the verdict.
    /// - Returns: the verified notification, with the verified tokens inside it.
    /// - Throws: `SignedPayloadError`, with the step that failed. If a token inside the notification is
    ///   refused, `nestedToken` of the error names that token.
    public func validate(
        notification token: [UInt8],
        cache: inout SignedPayloadCache
    ) throws(SignedPayloadError) -> VerifiedNotification {
        let outer: AuthenticPayload<NotificationKind> = try validate(token, &cache)
        let nested = NestedTokens(
            transaction: try nested(.transaction, in: outer, &cache),
            renewalInfo: try nested(.renewalInfo, in: outer, &cache),
            appTransaction: try nested(.appTransaction, in: outer, &cache)
        )
        return outer.verified(nested)
    }

    private func validate<Kind: PayloadKind>(
        _ token: [UInt8],
        inside notification: UnverifiedNotification? = nil,
        _ cache: inout SignedPayloadCache
    ) throws(SignedPayloadError) -> AuthenticPayload<Kind> {
        var validation = TokenValidation<Kind>(shared, inside: notification)
        cache.prepare(for: cacheRules)
        do throws(Refusal) {
            return try validation.validate(token, &cache)
        } catch {
            throw validation.explain(error)
        }
    }

    private func nested<Kind: PayloadKind>(
        _ name: SignedPayloadError.NestedToken,
        in outer: AuthenticPayload<NotificationKind>,
        _ cache: inout SignedPayloadCache
    ) throws(SignedPayloadError) -> Verified<Kind>? where Kind.Nested == NothingNested {
        guard let token = outer.payload.claims.utf8(name.rawValue) else { return nil }
        do throws(SignedPayloadError) {
            return try validate(token, inside: outer.payload, &cache).verified()
        } catch {
            var error = error
            error.nestedToken = name
            throw error
        }
    }
}
