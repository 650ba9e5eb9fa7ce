import Basics

/// The download of an app (`JWSAppTransaction`).
public enum AppTransactionKind: PayloadKind {
    public typealias Nested = NothingNested
    public static var shape: PayloadShape {
        PayloadShape(
            table: .appTransaction,
            date: "receiptCreationDate",
            environment: "receiptType"
        )
    }
}

/// An app transaction whose signature and claims were verified.
public typealias VerifiedAppTransaction = Verified<AppTransactionKind>
/// An app transaction that nothing verified.
public typealias UnverifiedAppTransaction = Unverified<AppTransactionKind>

extension PayloadContents where Kind == AppTransactionKind {
    /// The App Store's number for the app. The sandbox leaves it out.
    public var appAppleId: Int64? { object.integer("appAppleId") }
    /// The bundle identifier of the app.
    public var bundleId: String? { object.text("bundleId") }
    /// The version of the app that runs.
    public var applicationVersion: String? { object.text("applicationVersion") }
    /// The App Store's number for the version. The sandbox leaves it out.
    public var versionExternalIdentifier: Int64? { object.integer("versionExternalIdentifier") }
    /// When the device asked for the app transaction.
    public var requestDate: Timestamp? { object.date("requestDate") }
    /// When the customer first got the app. The sandbox always has 2013-08-01.
    public var originalPurchaseDate: Timestamp? { object.date("originalPurchaseDate") }
    /// The version that the customer first got. The sandbox always has `1.0`.
    public var originalApplicationVersion: String? { object.text("originalApplicationVersion") }
    /// The platform on which the customer first got the app, such as `iOS`.
    public var originalPlatform: String? { object.text("originalPlatform") }
    /// When the customer ordered the app before its release.
    public var preorderDate: Timestamp? { object.date("preorderDate") }
    /// The identifier of the customer's download of the app.
    public var appTransactionId: String? { object.text("appTransactionId") }
    /// The digest that binds the payload to a device, in base64.
    public var deviceVerification: String? { object.text("deviceVerification") }
    /// The UUID that is part of the digest.
    public var deviceVerificationNonce: String? { object.text("deviceVerificationNonce") }
}
