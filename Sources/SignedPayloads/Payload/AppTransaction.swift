import Basics

/// The kind of payload that describes a customer's download of the app (`JWSAppTransaction`).
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

/// An app transaction whose signature is valid and whose claims satisfy the validator's policy.
public typealias VerifiedAppTransaction = Verified<AppTransactionKind>
/// An app transaction whose signature is unverified.
public typealias UnverifiedAppTransaction = Unverified<AppTransactionKind>

extension PayloadContents where Kind == AppTransactionKind {
    /// The App Store's number for the app. Payloads from the sandbox may lack it.
    public var appAppleId: Int64? { object.integer("appAppleId") }
    /// The bundle identifier of the app.
    public var bundleId: String? { object.text("bundleId") }
    /// The version of the app that asked for the app transaction.
    public var applicationVersion: String? { object.text("applicationVersion") }
    /// The App Store's number for the app's version. Payloads from the sandbox may lack it.
    public var versionExternalIdentifier: Int64? { object.integer("versionExternalIdentifier") }
    /// The time when the device asked for the app transaction.
    public var requestDate: Timestamp? { object.date("requestDate") }
    /// The time when the customer first got the app. In the sandbox it is always on 2013-08-01.
    public var originalPurchaseDate: Timestamp? { object.date("originalPurchaseDate") }
    /// The version of the app that the customer first got. In the sandbox it is always `1.0`.
    public var originalApplicationVersion: String? { object.text("originalApplicationVersion") }
    /// The platform on which the customer first got the app, such as `iOS`.
    public var originalPlatform: String? { object.text("originalPlatform") }
    /// The time when the customer ordered the app before its release; nil if the customer did not.
    public var preorderDate: Timestamp? { object.date("preorderDate") }
    /// The identifier of the customer's download of the app.
    public var appTransactionId: String? { object.text("appTransactionId") }
    /// The SHA-384 digest, in base64, that binds the payload to a device.
    public var deviceVerification: String? { object.text("deviceVerification") }
    /// The UUID that ``deviceVerification`` covers besides the device's identifier.
    public var deviceVerificationNonce: String? { object.text("deviceVerificationNonce") }
}
