import CMS
import DER
import PKIX
import RSA

/// The codes of this module: numbers 500 to 599.
extension Refusal.Code {
    /// There are no bytes.
    public static var emptyInput: Self {
        .init(500, "input.empty", "There are no bytes.", kind: .unreadable)
    }
    /// The input is neither DER nor base64.
    public static var notBase64: Self {
        .init(501, "input.not-base64", "The input is neither DER nor base64.", kind: .unreadable)
    }
    /// The receipt is base64 inside base64; remove one layer first.
    public static var base64Twice: Self {
        .init(
            502,
            "input.base64-twice",
            "The receipt is base64 inside base64; remove one layer first.",
            kind: .unsupported
        )
    }
    /// This is a JWS, as the App Store Server API returns, not a receipt.
    public static var jsonWebSignature: Self {
        .init(
            503,
            "input.jws",
            "This is a JWS, as the App Store Server API returns, not a receipt.",
            kind: .unsupported
        )
    }
    /// This is an iOS 6 transaction receipt, a property list in a format of its own.
    public static var transactionReceipt: Self {
        .init(
            504,
            "input.transaction-receipt",
            "This is an iOS 6 transaction receipt, a property list in a format of its own.",
            kind: .unsupported
        )
    }
    /// The signed content is not of type data, which every receipt has.
    public static var notAReceipt: Self {
        .init(505, "receipt.content-type", "The signed content is not of type data, which every receipt has.")
    }
    /// The receipt has no creation date (attribute 12), or the date is empty.
    public static var missingCreationDate: Self {
        .init(
            506,
            "receipt.missing-creation-date",
            "The receipt has no creation date (attribute 12), or the date is empty."
        )
    }
    /// An attribute that may occur once occurs twice.
    public static var duplicateAttributeType: Self {
        .init(507, "receipt.duplicate-attribute", "An attribute that may occur once occurs twice.")
    }
    /// The receipt or a purchase has more attributes than the limit allows.
    public static var tooManyAttributes: Self {
        .init(
            508,
            "receipt.too-many-attributes",
            "The receipt or a purchase has more attributes than the limit allows.",
            kind: .unsupported
        )
    }
    /// The date does not have the form of RFC 3339.
    public static var invalidDate: Self {
        .init(509, "receipt.invalid-date", "The date does not have the form of RFC 3339.")
    }
    /// The creation date differs from the date at which the certificates were validated.
    public static var creationDateMismatch: Self {
        .init(
            510,
            "receipt.creation-date-mismatch",
            "The creation date differs from the date at which the certificates were validated."
        )
    }
    /// The signer's certificate lacks the receipt signing marker, 1.2.840.113635.100.6.11.1.
    public static var missingLeafMarker: Self {
        .init(
            511,
            "receipt.missing-leaf-marker",
            "The signer's certificate lacks the receipt signing marker, 1.2.840.113635.100.6.11.1."
        )
    }
    /// The intermediate certificate lacks Apple's marker, 1.2.840.113635.100.6.2.1.
    public static var missingIntermediateMarker: Self {
        .init(
            512,
            "receipt.missing-intermediate-marker",
            "The intermediate certificate lacks Apple's marker, 1.2.840.113635.100.6.2.1."
        )
    }
    /// The receipt has no environment (attribute 0).
    public static var missingEnvironment: Self {
        .init(513, "receipt.missing-environment", "The receipt has no environment (attribute 0).")
    }
    /// The validator does not accept the receipt's environment.
    public static var environmentMismatch: Self {
        .init(514, "receipt.environment-mismatch", "The validator does not accept the receipt's environment.")
    }
    /// The receipt has no bundle identifier (attribute 2).
    public static var missingBundleIdentifier: Self {
        .init(
            515,
            "receipt.missing-bundle-identifier",
            "The receipt has no bundle identifier (attribute 2)."
        )
    }
    /// The receipt is for another bundle identifier.
    public static var bundleIdentifierMismatch: Self {
        .init(516, "receipt.bundle-identifier-mismatch", "The receipt is for another bundle identifier.")
    }
    /// The receipt has no app version (attribute 3).
    public static var missingAppVersion: Self {
        .init(517, "receipt.missing-app-version", "The receipt has no app version (attribute 3).")
    }
    /// The receipt is for another version of the app.
    public static var appVersionMismatch: Self {
        .init(518, "receipt.app-version-mismatch", "The receipt is for another version of the app.")
    }
    /// The receipt lacks the opaque value or the device hash (attributes 4, 5), or the bundle identifier.
    public static var missingDeviceHash: Self {
        .init(
            519,
            "receipt.missing-device-hash",
            "The receipt lacks the opaque value or the device hash (attributes 4, 5), or the bundle identifier."
        )
    }
    /// The receipt is for another device.
    public static var deviceHashMismatch: Self {
        .init(520, "receipt.device-hash-mismatch", "The receipt is for another device.")
    }
    /// The receipt's expiration date has passed (attribute 21).
    public static var receiptExpired: Self {
        .init(521, "receipt.expired", "The receipt's expiration date has passed (attribute 21).")
    }
    /// The signature covers a weaker digest than the validator requires.
    public static var weakDigest: Self {
        .init(
            522,
            "receipt.weak-digest",
            "The signature covers a weaker digest than the validator requires."
        )
    }
    /// The purchase has no product identifier (attribute 1702).
    public static var missingProductIdentifier: Self {
        .init(
            523,
            "receipt.missing-product-identifier",
            "The purchase has no product identifier (attribute 1702)."
        )
    }
    /// A flag must be an INTEGER that is 0 or 1.
    public static var invalidFlag: Self {
        .init(524, "receipt.invalid-flag", "A flag must be an INTEGER that is 0 or 1.")
    }
    /// This is text, not a container; ReceiptInput.decode decodes base64.
    public static var textGiven: Self {
        .init(
            525,
            "input.is-text",
            "This is text, not a container; ReceiptInput.decode decodes base64.",
            kind: .unreadable
        )
    }

    /// All codes of this module, in the order of their numbers.
    public static var appReceipt: [Self] {
        [
            .emptyInput, .notBase64, .base64Twice, .jsonWebSignature, .transactionReceipt, .notAReceipt,
            .missingCreationDate, .duplicateAttributeType, .tooManyAttributes, .invalidDate,
            .creationDateMismatch, .missingLeafMarker, .missingIntermediateMarker, .missingEnvironment,
            .environmentMismatch, .missingBundleIdentifier, .bundleIdentifierMismatch, .missingAppVersion,
            .appVersionMismatch, .missingDeviceHash, .deviceHashMismatch, .receiptExpired, .weakDigest,
            .missingProductIdentifier, .invalidFlag, .textGiven,
        ]
    }

    /// The published list: all codes of this module and of those below it, in the order of the modules. The
    /// modules `TransactionReceipt` and `VerifyReceipt` have lists of their own.
    public static var all: [Self] { der + rsa + pkix + cms + appReceipt }
}
