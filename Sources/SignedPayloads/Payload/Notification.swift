import Basics

/// An App Store Server Notification of version 2 (`responseBodyV2DecodedPayload`).
public enum NotificationKind: PayloadKind {
    public typealias Nested = NestedTokens
    public static var shape: PayloadShape {
        PayloadShape(table: .notification, hasDevice: false)
    }
}

/// A notification whose signature and claims were verified, and whose nested tokens were.
public typealias VerifiedNotification = Verified<NotificationKind>
/// A notification that nothing verified.
public typealias UnverifiedNotification = Unverified<NotificationKind>

extension PayloadContents where Kind == NotificationKind {
    /// The event, such as `DID_RENEW`.
    public var notificationType: String? { object.text("notificationType") }
    /// Details of the event.
    public var subtype: String? { object.text("subtype") }
    /// The identifier of the notification, the same each time that Apple sends it again.
    public var notificationUUID: String? { object.text("notificationUUID") }
    /// `2.0`.
    public var version: String? { object.text("version") }
}

// A notification has one object of four: `data`, `summary`, `externalPurchaseToken` or `appData`. Their
// members do not differ where they have the same names, so each is a property of the notification.
extension PayloadContents where Kind == NotificationKind {
    private var claims: PayloadObject { unverified.claims }

    /// The object that the notification has: `data`, `summary`, `externalPurchaseToken` or `appData`.
    public var content: PayloadObject { claims }
    /// The members of ``content`` that this version does not know.
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
    /// Why the customer asks for a refund (`data`).
    public var consumptionRequestReason: String? { claims.text("consumptionRequestReason") }
    /// The identifier that the app gave to an extension of renewal dates (`summary`).
    public var requestIdentifier: String? { claims.text("requestIdentifier") }
    /// The product whose renewal dates were extended (`summary`).
    public var productId: String? { claims.text("productId") }
    /// The storefronts of an extension (`summary`).
    public var storefrontCountryCodes: [String]? { claims.texts("storefrontCountryCodes") }
    /// How many subscriptions were extended (`summary`).
    public var succeededCount: Int64? { claims.integer("succeededCount") }
    /// How many subscriptions could not be extended (`summary`).
    public var failedCount: Int64? { claims.integer("failedCount") }
    /// The identifier of an external purchase token (`externalPurchaseToken`).
    public var externalPurchaseId: String? { claims.text("externalPurchaseId") }
    /// When Apple made the external purchase token (`externalPurchaseToken`).
    public var tokenCreationDate: Timestamp? { claims.date("tokenCreationDate") }
    /// When the external purchase token expires (`externalPurchaseToken`).
    public var tokenExpirationDate: Timestamp? { claims.date("tokenExpirationDate") }
    /// The type of the external purchase token (`externalPurchaseToken`).
    public var tokenType: String? { claims.text("tokenType") }
}

/// The tokens inside a notification, verified.
public struct NestedTokens: Sendable {
    let transaction: VerifiedTransaction?
    let renewalInfo: VerifiedRenewalInfo?
    let appTransaction: VerifiedAppTransaction?
}

extension Verified where Kind == NotificationKind {
    /// The transaction, verified (`data.signedTransactionInfo`).
    public var transaction: VerifiedTransaction? { nested.transaction }
    /// The renewal information, verified (`data.signedRenewalInfo`).
    public var renewalInfo: VerifiedRenewalInfo? { nested.renewalInfo }
    /// The app transaction, verified (`appData.signedAppTransactionInfo`).
    public var appTransaction: VerifiedAppTransaction? { nested.appTransaction }
}
