import Basics
import SHA
import SignedPayloads

/// The payload of a token to make. Every member can be set to any value.
///
/// ```swift
/// var template = TokenTemplate(.transaction)
/// template.payload["productId"] = "com.example.app.pro"
/// template.payload["revocationDate"] = .date(refund)
/// ```
public struct TokenTemplate: Sendable {
    /// The kinds of payloads.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A transaction (`JWSTransaction`).
        case transaction
        /// The renewal information of a subscription (`JWSRenewalInfo`).
        case renewalInfo
        /// An App Store Server Notification of version 2.
        case notification
        /// The download of an app (`JWSAppTransaction`).
        case appTransaction
        /// A request for a retention message.
        case realtimeRequest
    }

    /// The possible objects of a notification. Each notification has one of them.
    public enum Content: String, Sendable, Hashable, CaseIterable {
        /// A transaction and a renewal information.
        case data
        /// The summary of an extension of renewal dates.
        case summary
        /// An external purchase.
        case externalPurchaseToken
        /// An app transaction.
        case appData
    }

    /// The kind of the payload.
    public let kind: Kind
    /// The object that a notification was made with; nil for other kinds.
    public let content: Content?
    /// The members of the payload.
    public var payload: ObjectTemplate

    /// Makes a payload with the members that payloads of a kind usually have.
    ///
    /// As far as the kind has such members, the app is `com.example.app` with the Apple ID 1234567890, the
    /// environment is `Production`, and the date of signing is 2024-06-01T12:00:00Z. A notification has
    /// `data`, with a transaction and a renewal information.
    public init(_ kind: Kind) { self.init(kind, kind == .notification ? .data : nil, isComplete: false) }

    /// Makes a notification with one of the four objects, and with the members that such notifications
    /// usually have.
    public init(notification content: Content) { self.init(.notification, content, isComplete: false) }

    /// Makes a payload that has every documented member of the kind, for example both a price and a refund. A
    /// notification has only one of its four objects.
    ///
    /// - Parameters:
    ///   - kind: the kind of the payload.
    ///   - content: the one of four objects that a notification has. Other kinds ignore it.
    public static func complete(_ kind: Kind, content: Content = .data) -> Self {
        Self(kind, kind == .notification ? content : nil, isComplete: true)
    }

    /// Makes a transaction of an auto-renewable subscription, for the product `com.example.app.monthly`.
    ///
    /// - Parameter expiresDate: the end of the period.
    public static func subscription(
        until expiresDate: Timestamp = PayloadSamples.date + .days(30)
    ) -> Self {
        var template = Self(.transaction)
        template.makeSubscription()
        template.payload["expiresDate"] = .date(expiresDate)
        return template
    }

    /// Changes a transaction into one of the subscription that renewal information is about by default.
    mutating func makeSubscription() {
        for name in ["webOrderLineItemId", "subscriptionGroupIdentifier", "expiresDate"] {
            payload[name] = PayloadSamples.value(named: name)
        }
        payload["productId"] = PayloadSamples.subscription
        payload["type"] = "Auto-Renewable Subscription"
    }

    private init(_ kind: Kind, _ content: Content?, isComplete: Bool) {
        (self.kind, self.content) = (kind, content)
        payload = PayloadSamples(isComplete: isComplete, content: content).object(kind.shape.table)
        if kind == .renewalInfo { payload["productId"] = PayloadSamples.subscription }
    }
}

extension TokenTemplate.Kind {
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
}

// MARK: Statements

extension TokenTemplate {
    /// The beginning of a path to a member of the object that names the app: the object's name and a full
    /// stop, or nothing if the payload itself is the object.
    private var claims: String { content.map { $0.rawValue + "." } ?? "" }

    /// A member of the object that names the app: of the payload, or of the object that a notification has.
    /// Nil if there is no such member; setting nil removes the member.
    public subscript(claim name: String) -> PayloadValue? {
        get { payload[claims + name] }
        set { payload[claims + name] = newValue }
    }

    /// The bundle identifier (`bundleId`); nil if it is absent or no text, and setting nil leaves it out. The
    /// setter sets the bundle identifier in the tokens inside a notification, too. Renewal information and
    /// realtime requests have none: for them the setter does nothing.
    public var bundleIdentifier: String? {
        get { if case .text(let text)? = self[claim: "bundleId"] { text } else { nil } }
        set {
            guard kind.shape.hasBundleIdentifier else { return }
            self[claim: "bundleId"] = newValue.map { .text($0) }
            changeNested { $0.bundleIdentifier = newValue }
        }
    }

    /// The environment (`environment`, in an app transaction `receiptType`); nil if it is absent or no text,
    /// and setting nil leaves it out. The setter sets the environment in the tokens inside a notification,
    /// too.
    ///
    /// An external purchase has no such member. Its identifier begins with `SANDBOX` in the sandbox: then
    /// the getter returns `Sandbox`, and for any other text `Production`. The setter writes an identifier
    /// with this beginning for `Sandbox`, and one without it for any other environment or nil.
    public var environment: String? {
        get {
            let isExternal = content == .externalPurchaseToken
            let name = isExternal ? "externalPurchaseId" : environmentName
            guard case .text(let text)? = self[claim: name] else { return nil }
            guard isExternal else { return text }
            return text.utf8.starts(with: "SANDBOX".utf8) ? "Sandbox" : "Production"
        }
        set {
            if content == .externalPurchaseToken {
                let isSandbox = newValue.map { $0.hasSameBytes(as: "Sandbox") } ?? false
                self[claim: "externalPurchaseId"] = .text((isSandbox ? "SANDBOX_" : "") + PayloadSamples.uuid)
            } else {
                self[claim: environmentName] = newValue.map { .text($0) }
            }
            changeNested { $0.environment = newValue }
        }
    }

    private var environmentName: String { kind.shape.environment.description }

    /// The App Store's number for the app (`appAppleId`); nil if it is absent or no integer, and setting nil
    /// leaves it out. Transactions and renewal information have none: for them the setter does nothing. The
    /// setter sets the number in the app transaction inside a notification, too.
    public var appAppleIdentifier: Int64? {
        get { if case .integer(let number)? = self[claim: "appAppleId"] { number } else { nil } }
        set {
            guard kind.shape.hasAppAppleIdentifier else { return }
            self[claim: "appAppleId"] = newValue.map { .integer($0) }
            changeNested { $0.appAppleIdentifier = newValue }
        }
    }

    /// The date of signing (`signedDate`, in an app transaction `receiptCreationDate`); nil if it is absent
    /// or no date, and setting nil leaves it out. The setter sets the date in the tokens inside a
    /// notification, too.
    public var signedDate: Timestamp? {
        get { if case .date(let date)? = payload[dateName] { date } else { nil } }
        set {
            payload[dateName] = newValue.map { .date($0) }
            changeNested { $0.signedDate = newValue }
        }
    }

    private var dateName: String { kind.shape.date.description }

    /// Changes a token inside a notification, if there is one.
    ///
    /// - Parameters:
    ///   - name: the member that holds the token: `signedTransactionInfo`, `signedRenewalInfo` or
    ///     `signedAppTransactionInfo`.
    ///   - change: changes the payload of the token.
    public mutating func changeNested(
        _ name: SignedPayloadError.NestedToken,
        _ change: (inout TokenTemplate) -> Void
    ) {
        guard case .token(var nested)? = self[claim: name.rawValue] else { return }
        change(&nested)
        self[claim: name.rawValue] = .token(nested)
    }

    /// Changes all tokens inside a notification.
    private mutating func changeNested(_ change: (inout TokenTemplate) -> Void) {
        guard content != nil else { return }
        for name in SignedPayloadError.NestedToken.allCases { changeNested(name, change) }
    }

    /// Binds the payload to a device: sets `deviceVerificationNonce` to the nonce, and `deviceVerification`
    /// to the base64 of the SHA-384 of the nonce followed by the device's identifier.
    ///
    /// - Parameters:
    ///   - device: the device's `AppStore.deviceVerificationID`, a UUID in lower case.
    ///   - nonce: a UUID in lower case.
    public mutating func bind(toDevice device: String, nonce: String = PayloadSamples.uuid) {
        let digest = HashAlgorithm.sha384.digest(of: [UInt8]((nonce + device).utf8).borrowedSpan)
        var base64: [UInt8] = []
        base64.append(base64: digest.bytes[...])
        payload["deviceVerification"] = .text(String(decoding: base64, as: UTF8.self))
        payload["deviceVerificationNonce"] = .text(nonce)
    }

    /// Sets a member to a value that is given as text. The table of documented members says how to read the
    /// text.
    ///
    /// A text, an integer, `true` or `false` is written as such, a date is RFC 3339 or milliseconds, and an
    /// array is texts with commas between them, of which empty ones are left out. An object, an array of
    /// objects, and the value of a member that the table does not list, is JSON.
    ///
    /// - Parameters:
    ///   - path: the member's name, with full stops for members of objects.
    ///   - text: the value. JSON is not checked.
    /// - Returns: false if the text does not have the documented type of the member. Then nothing is set.
    package mutating func set(_ path: String, to text: String) -> Bool {
        let value: PayloadValue?
        switch Self.type(of: path, in: kind.shape.table) {
        case .text?: value = .text(text)
        case .integer?: value = Int64(text).map { .integer($0) }
        case .date?:
            let milliseconds = Int64(text).map { Timestamp(millisecondsSince1970: $0) }
            value = (milliseconds ?? Timestamp(rfc3339: text)).map { .date($0) }
        case .flag?: value = Bool(text).map { .flag($0) }
        case .texts?:
            value = .texts(text.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) })
        case .object?, .objects?, nil: value = .json(text)
        }
        guard let value else { return false }
        payload[path] = value
        return true
    }

    /// The type of a member; nil for one that the table does not list.
    private static func type(of path: String, in table: ObjectTable) -> ValueKind? {
        for row in table.rows {
            if path.hasSameBytes(as: row.name) { return row.kind }
            if case .object(let inner) = row.kind, path.hasPrefix(row.name + ".") {
                return type(of: String(path.dropFirst(row.name.count + 1)), in: inner)
            }
        }
        return nil
    }
}
