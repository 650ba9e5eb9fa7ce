import Basics

/// The kind of payload that is an App Store Server Notification of version 2
/// (`responseBodyV2DecodedPayload`).
public enum NotificationKind: PayloadKind {
    public typealias Nested = NestedTokens
    public static var shape: PayloadShape {
        PayloadShape(table: .notification, hasDevice: false)
    }
}

/// A notification whose signature is valid and whose claims satisfy the validator's policy, together with the
/// verified tokens inside it.
public typealias VerifiedNotification = Verified<NotificationKind>
/// A notification whose signature is unverified. The tokens inside it are not decoded.
public typealias UnverifiedNotification = Unverified<NotificationKind>

extension PayloadContents where Kind == NotificationKind {
    /// The type of the event that the notification reports, such as `DID_RENEW`.
    public var notificationType: String? { object.text("notificationType") }
    /// The subtype of the event, which gives details; nil for an event without one.
    public var subtype: String? { object.text("subtype") }
    /// The identifier of the notification. It stays the same if Apple sends the notification again.
    public var notificationUUID: String? { object.text("notificationUUID") }
    /// The version of the notification's format, such as `2.0`.
    public var version: String? { object.text("version") }
}

// A notification has one object of four: `data`, `summary`, `externalPurchaseToken` or `appData`. Their
// members do not differ where they have the same names, so each is a property of the notification.
extension PayloadContents where Kind == NotificationKind {
    private var claims: PayloadObject { unverified.claims }

    /// The members of the one object that the notification has: `data`, `summary`, `externalPurchaseToken` or
    /// `appData`. Without such an object, an object that has no members.
    public var content: PayloadObject { claims }
    /// The members of ``content`` whose names this version of the package does not know in such an object.
    public var unknownContentMembers: [PayloadMember] { claims.members(unknownTo: unverified.claimsTable) }
    /// The App Store's number for the app.
    public var appAppleId: Int64? { claims.integer("appAppleId") }
    /// The bundle identifier of the app.
    public var bundleId: String? { claims.text("bundleId") }
    /// The version of the app (`data`).
    public var bundleVersion: String? { claims.text("bundleVersion") }
    /// The status of the subscription (`data`): 1 active, 2 expired, 3 in billing retry, 4 in a grace period,
    /// 5 revoked.
    public var status: Int64? { claims.integer("status") }
    /// The reason why the customer asks for a refund, by Apple's name (`data`).
    public var consumptionRequestReason: String? { claims.text("consumptionRequestReason") }
    /// The identifier that the developer gave to the request to extend renewal dates (`summary`).
    public var requestIdentifier: String? { claims.text("requestIdentifier") }
    /// The identifier of the product whose renewal dates were to be extended (`summary`).
    public var productId: String? { claims.text("productId") }
    /// The country codes of the storefronts whose renewal dates were to be extended (`summary`).
    public var storefrontCountryCodes: [String]? { claims.texts("storefrontCountryCodes") }
    /// The number of subscriptions whose renewal dates were extended (`summary`).
    public var succeededCount: Int64? { claims.integer("succeededCount") }
    /// The number of subscriptions whose renewal dates could not be extended (`summary`).
    public var failedCount: Int64? { claims.integer("failedCount") }
    /// The identifier of an external purchase token (`externalPurchaseToken`).
    public var externalPurchaseId: String? { claims.text("externalPurchaseId") }
    /// The time when Apple made the external purchase token (`externalPurchaseToken`).
    public var tokenCreationDate: Timestamp? { claims.date("tokenCreationDate") }
    /// The time when the external purchase token expires (`externalPurchaseToken`).
    public var tokenExpirationDate: Timestamp? { claims.date("tokenExpirationDate") }
    /// The type of the external purchase token (`externalPurchaseToken`).
    public var tokenType: String? { claims.text("tokenType") }
}

/// The verified tokens inside a notification. Each is nil if the notification lacks it.
public struct NestedTokens: Sendable {
    let transaction: VerifiedTransaction?
    let renewalInfo: VerifiedRenewalInfo?
    let appTransaction: VerifiedAppTransaction?

    /// Whether, for one or more of the tokens, revocation was not checked or evidence about it was missing.
    var lacksEvidence: Bool {
        [transaction?.notChecked, renewalInfo?.notChecked, appTransaction?.notChecked].contains {
            $0?.contains(.revocation) ?? false
        }
    }
}

extension Verified where Kind == NotificationKind {
    /// The verified transaction inside the notification (`data.signedTransactionInfo`); nil if there is none.
    public var transaction: VerifiedTransaction? { nested.transaction }
    /// The verified renewal information inside the notification (`data.signedRenewalInfo`); nil if there is
    /// none.
    public var renewalInfo: VerifiedRenewalInfo? { nested.renewalInfo }
    /// The verified app transaction inside the notification (`appData.signedAppTransactionInfo`); nil if
    /// there is none.
    public var appTransaction: VerifiedAppTransaction? { nested.appTransaction }
}
