import AppReceipt
import Basics
import JSONText
import SHA
import SignedPayloads

/// The kinds of signed payloads. The raw value is the published name.
package enum SignedPayloadKind: String, Sendable, CaseIterable {
    /// One purchase or renewal (`JWSTransaction`).
    case transaction
    /// The renewal information of a subscription (`JWSRenewalInfo`).
    case renewalInfo = "renewal-info"
    /// An App Store Server Notification of version 2.
    case notification
    /// The download of an app (`JWSAppTransaction`).
    case appTransaction = "app-transaction"
    /// A request for a retention message.
    case realtimeRequest = "realtime-request"

    /// The shape of payloads of this kind: their documented members, and which of them a validator checks.
    package var shape: PayloadShape {
        switch self {
        case .transaction: TransactionKind.shape
        case .renewalInfo: RenewalInfoKind.shape
        case .notification: NotificationKind.shape
        case .appTransaction: AppTransactionKind.shape
        case .realtimeRequest: RealtimeRequestKind.shape
        }
    }

    /// The kind that a token claims: the only one whose mark, a member that no other kind has, is in the
    /// payload. Nil if there is none or several, or if the payload cannot be read.
    package init?(claimedBy token: [UInt8]) {
        guard let (payload, _) = try? PayloadObject.unverified(token) else { return nil }
        let claimed = Self.allCases.filter { $0.shape.table.mark.map(payload.has) ?? false }
        guard claimed.count == 1 else { return nil }
        self = claimed[0]
    }

    /// The name of the member that holds a token of this kind in JSON objects that Apple sends.
    package var memberName: String {
        switch self {
        case .notification, .realtimeRequest: "signedPayload"
        case .transaction: SignedPayloadError.NestedToken.transaction.rawValue
        case .renewalInfo: SignedPayloadError.NestedToken.renewalInfo.rawValue
        case .appTransaction: SignedPayloadError.NestedToken.appTransaction.rawValue
        }
    }

    /// Finds the token in what Apple sends, which is the token alone or a JSON object that has the token as a
    /// member. Copies the token's characters.
    ///
    /// - Parameters:
    ///   - input: what Apple sends.
    ///   - kind: the kind of the token, which selects the member; nil to accept a member of any kind.
    /// - Returns: the characters of the token, unchecked. A byte order mark of UTF-8 and white space around
    ///   the input are left out. If the rest does not begin with `{`, the rest is the token. Nil if the
    ///   object is malformed, or has no such member with a string, or, for a nil `kind`, has members of
    ///   several names. Nil also if the string has half of a surrogate pair. Of members with the same name,
    ///   the last counts.
    package static func token(in input: [UInt8], of kind: Self?) -> [UInt8]? {
        token(in: input[...], of: kind).map { Array($0) }
    }

    /// Finds the token in what Apple sends: the token alone, or a JSON object that has it as a member, such
    /// as the body of a notification, `{"signedPayload":"…"}`.
    ///
    /// - Parameter kind: the kind of the token, which selects the member; nil to accept a member of any kind.
    /// - Returns: the characters of the token, unchecked. A byte order mark of UTF-8 and white space around
    ///   the input are left out. If the rest does not begin with `{`, the rest is the token. Nil if the
    ///   object is malformed, or has no such member with a string, or, for a nil `kind`, has members of
    ///   several names. Nil also if the string has half of a surrogate pair. Of members with the same name,
    ///   the last counts.
    package static func token(in input: ArraySlice<UInt8>, of kind: Self?) -> ArraySlice<UInt8>? {
        let range = ReceiptInput.trimmed(input.borrowedSpan)
        let text = input.dropFirst(range.lowerBound).prefix(range.count)
        guard text.first == UInt8(ascii: "{") else { return text }
        let object = Array(text)
        let kinds = kind.map { [$0] } ?? Self.allCases
        let names = JSONNames(kinds.map { [UInt8](utf8: $0.memberName) })
        var reader = JSONReader(object, in: object.indices)
        guard let members = try? reader.members(named: names), members.count == 1
        else { return nil }
        return JSONReader.string(members[0].value, object)
    }
}

/// The values of a payload of any kind, verified or claimed, for results.
package struct PayloadValues: Sendable {
    /// The kind of the payload.
    package let kind: SignedPayloadKind
    /// The payload's members.
    package let members: PayloadObject
    /// The object that names the app: the payload or, in a notification, its member `data`, `summary`,
    /// `externalPurchaseToken` or `appData`. Empty if a notification has none of them.
    package let claims: PayloadObject
    /// The name of the environment that the payload states, or that the identifier of its external purchase
    /// token implies; nil if there is none.
    package let environmentName: String?
    /// The payloads of the tokens inside a notification, each with the member that holds the token.
    package fileprivate(set) var nested: [(name: SignedPayloadError.NestedToken, values: PayloadValues)] = []

    /// The payload of the token that a member of a notification holds; nil if the member holds no token, or
    /// one that was not decoded.
    package func nested(_ member: String) -> PayloadValues? {
        nested.first { $0.name.rawValue.hasSameBytes(as: member) }?.values
    }

    fileprivate init<Kind>(_ kind: SignedPayloadKind, _ payload: some PayloadContents<Kind>) {
        self.kind = kind
        members = payload.members
        claims = payload.unverified.claims
        environmentName = payload.unverified.environmentName
    }

    /// Decodes what a token claims. If a token inside a notification cannot be decoded, the inner token is
    /// left out.
    ///
    /// - Throws: `SignedPayloadError` of the steps `form` and `payload`.
    package init(unverified token: [UInt8], _ kind: SignedPayloadKind) throws(SignedPayloadError) {
        switch kind {
        case .transaction: self.init(kind, try UnverifiedTransaction(unverified: token))
        case .renewalInfo: self.init(kind, try UnverifiedRenewalInfo(unverified: token))
        case .appTransaction: self.init(kind, try UnverifiedAppTransaction(unverified: token))
        case .realtimeRequest: self.init(kind, try UnverifiedRealtimeRequest(unverified: token))
        case .notification:
            self.init(kind, try UnverifiedNotification(unverified: token))
            for name in SignedPayloadError.NestedToken.allCases {
                guard let inner = claims.text(name.rawValue) else { continue }
                guard let values = try? PayloadValues(unverified: [UInt8](utf8: inner), name.kind) else {
                    continue
                }
                nested.append((name, values))
            }
        }
    }
}

extension SignedPayloadError.NestedToken {
    /// The kind of the payload of this token, which stands inside a notification.
    var kind: SignedPayloadKind {
        switch self {
        case .transaction: .transaction
        case .renewalInfo: .renewalInfo
        case .appTransaction: .appTransaction
        }
    }
}

/// A valid signed payload of any kind. The tokens inside it are valid, too.
package struct ValidPayload: Sendable {
    /// The values of the payload, and of the payloads of the tokens inside it.
    package fileprivate(set) var values: PayloadValues
    /// The SHA-256 fingerprint of the trusted root that the token was signed under.
    package let rootFingerprint: Digest
    /// The checks that were not made, in the order of the steps: see `Verified.notChecked`. A notification
    /// also lists `revocation` if a token inside it does.
    package let notChecked: [SignedPayloadError.Step]

    fileprivate init<Kind>(_ kind: SignedPayloadKind, _ payload: Verified<Kind>) {
        (values, notChecked) = (PayloadValues(kind, payload), payload.notChecked)
        rootFingerprint = payload.rootFingerprint
    }

    fileprivate init(_ notification: VerifiedNotification) {
        self.init(.notification, notification)
        nest(.transaction, notification.transaction)
        nest(.renewalInfo, notification.renewalInfo)
        nest(.appTransaction, notification.appTransaction)
    }

    private mutating func nest<Kind>(_ name: SignedPayloadError.NestedToken, _ payload: Verified<Kind>?) {
        if let payload { values.nested.append((name, PayloadValues(name.kind, payload))) }
    }
}

/// Validates signed payloads of every kind by one policy.
package struct SignedPayloadJudge: Sendable {
    private let validator: SignedPayloadValidator

    /// The policy that tokens are judged by.
    package var policy: SignedPayloadPolicy { validator.policy }

    /// Creates a judge of tokens by a policy.
    package init(_ policy: SignedPayloadPolicy) { validator = SignedPayloadValidator(policy) }

    /// Validates a token that must have a payload of this kind, and the tokens inside it.
    ///
    /// - Parameters:
    ///   - token: the characters of the token.
    ///   - kind: the kind of the payload.
    ///   - cache: remembers keys and paths. It does not change the verdict.
    /// - Throws: `SignedPayloadError` at the first step that fails.
    package func judge(
        _ token: [UInt8],
        _ kind: SignedPayloadKind,
        cache: inout SignedPayloadCache
    ) throws(SignedPayloadError) -> ValidPayload {
        switch kind {
        case .transaction: ValidPayload(kind, try validator.validate(transaction: token, cache: &cache))
        case .renewalInfo: ValidPayload(kind, try validator.validate(renewalInfo: token, cache: &cache))
        case .notification: ValidPayload(try validator.validate(notification: token, cache: &cache))
        case .appTransaction: ValidPayload(kind, try validator.validate(appTransaction: token, cache: &cache))
        case .realtimeRequest:
            ValidPayload(kind, try validator.validate(realtimeRequest: token, cache: &cache))
        }
    }

    /// Validates many tokens together that must have payloads of one kind. Each token gets the verdict that
    /// it gets alone.
    ///
    /// - Parameters:
    ///   - tokens: the characters of the tokens.
    ///   - kind: the kind of the payloads.
    ///   - cache: remembers keys and paths. It does not change the verdicts.
    /// - Returns: the verdicts in the order of the tokens.
    package func judge(
        _ tokens: [[UInt8]],
        _ kind: SignedPayloadKind,
        cache: inout SignedPayloadCache
    ) -> [Result<ValidPayload, SignedPayloadError>] {
        switch kind {
        case .transaction:
            validator.validate(transactions: tokens, cache: &cache).map { $0.map { ValidPayload(kind, $0) } }
        case .renewalInfo:
            validator.validate(renewalInfos: tokens, cache: &cache).map { $0.map { ValidPayload(kind, $0) } }
        case .notification:
            validator.validate(notifications: tokens, cache: &cache).map { $0.map { ValidPayload($0) } }
        case .appTransaction:
            validator.validate(appTransactions: tokens, cache: &cache)
                .map { $0.map { ValidPayload(kind, $0) } }
        case .realtimeRequest:
            validator.validate(realtimeRequests: tokens, cache: &cache)
                .map { $0.map { ValidPayload(kind, $0) } }
        }
    }
}
