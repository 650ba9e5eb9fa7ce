import CMS
import DER
import PKIX
import RSA

/// What this module refuses (numbers 500 to 599).
extension Refusal.Code {
    public static var emptyInput: Self {
        .init(500, "input.empty", "There are no bytes.", kind: .unreadable)
    }
    public static var notBase64: Self {
        .init(501, "input.not-base64", "This is neither DER nor base64.", kind: .unreadable)
    }
    public static var base64Twice: Self {
        .init(
            502,
            "input.base64-twice",
            "The receipt is base64 inside base64: decode it once more.",
            kind: .unsupported
        )
    }
    public static var jsonWebSignature: Self {
        .init(
            503,
            "input.jws",
            "This is a JWS, as the App Store Server API gives, and no receipt.",
            kind: .unsupported
        )
    }
    public static var transactionReceipt: Self {
        .init(
            504,
            "input.transaction-receipt",
            "This is an iOS 6 transaction receipt, a property list of its own format.",
            kind: .unsupported
        )
    }
    public static var notAReceipt: Self {
        .init(505, "receipt.content-type", "The signed content is not of type data, as a receipt's is.")
    }
    public static var missingCreationDate: Self {
        .init(
            506,
            "receipt.missing-creation-date",
            "There is no creation date (attribute 12), or it is empty."
        )
    }
    public static var duplicateAttributeType: Self {
        .init(507, "receipt.duplicate-attribute", "An attribute that a receipt has once appears twice.")
    }
    public static var tooManyAttributes: Self {
        .init(
            508,
            "receipt.too-many-attributes",
            "There are more attributes than the limit allows.",
            kind: .unsupported
        )
    }
    public static var invalidDate: Self {
        .init(509, "receipt.invalid-date", "The date is not of the form of RFC 3339.")
    }
    public static var creationDateMismatch: Self {
        .init(
            510,
            "receipt.creation-date-mismatch",
            "The creation date is not the one the path was judged at."
        )
    }
    public static var missingLeafMarker: Self {
        .init(
            511,
            "receipt.missing-leaf-marker",
            "The signer's certificate lacks the receipt signing marker, 1.2.840.113635.100.6.11.1."
        )
    }
    public static var missingIntermediateMarker: Self {
        .init(
            512,
            "receipt.missing-intermediate-marker",
            "The intermediate certificate lacks Apple's marker, 1.2.840.113635.100.6.2.1."
        )
    }
    public static var missingEnvironment: Self {
        .init(513, "receipt.missing-environment", "The receipt names no environment (attribute 0).")
    }
    public static var environmentMismatch: Self {
        .init(514, "receipt.environment-mismatch", "The receipt's environment is not one that is accepted.")
    }
    public static var missingBundleIdentifier: Self {
        .init(
            515,
            "receipt.missing-bundle-identifier",
            "The receipt names no bundle identifier (attribute 2)."
        )
    }
    public static var bundleIdentifierMismatch: Self {
        .init(516, "receipt.bundle-identifier-mismatch", "The receipt is for another bundle identifier.")
    }
    public static var missingAppVersion: Self {
        .init(517, "receipt.missing-app-version", "The receipt names no app version (attribute 3).")
    }
    public static var appVersionMismatch: Self {
        .init(518, "receipt.app-version-mismatch", "The receipt is for another version of the app.")
    }
    public static var missingDeviceHash: Self {
        .init(
            519,
            "receipt.missing-device-hash",
            "The receipt lacks the opaque value, the hash of the device identifier (attributes 4, 5), or the bundle identifier."
        )
    }
    public static var deviceHashMismatch: Self {
        .init(520, "receipt.device-hash-mismatch", "The receipt is for another device.")
    }
    public static var receiptExpired: Self {
        .init(521, "receipt.expired", "The receipt's expiration date has passed (attribute 21).")
    }
    public static var weakDigest: Self {
        .init(
            522,
            "receipt.weak-digest",
            "The content is signed over a weaker digest than the policy asks for."
        )
    }
    public static var missingProductIdentifier: Self {
        .init(523, "receipt.missing-product-identifier", "The purchase names no product (attribute 1702).")
    }
    public static var invalidFlag: Self {
        .init(524, "receipt.invalid-flag", "A flag is an INTEGER that is 0 or 1.")
    }
    public static var textGiven: Self {
        .init(
            525,
            "input.is-text",
            "This is text, not a container: ReceiptInput.decode makes one of base64.",
            kind: .unreadable
        )
    }

    /// The codes of this module, for lists and documentation.
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

    /// Every code of the stack, in the order of its modules: the published list.
    public static var all: [Self] { der + rsa + pkix + cms + appReceipt }
}
