import Basics
import CMS
import DER
import PKIX
import RSA

// swift-format-ignore
/// The codes of this module, numbers 500 to 599. The sentence in each row is also its documentation. Codes
/// that a program may act on are public. A program finds the others in `all`, by their number or name.
extension Refusal.Code {
    package static var emptyInput: Self { .init(500, "input.empty",
        "There are no bytes.", kind: .unreadable) }
    package static var notBase64: Self { .init(501, "input.not-base64",
        "The input is neither DER nor a form of text that is accepted, such as base64.", kind: .unreadable) }
    package static var base64Twice: Self { .init(502, "input.base64-twice",
        "The receipt is base64 inside base64; remove one layer first.", kind: .unsupported) }
    public static var jsonWebSignature: Self { .init(503, "input.jws",
        "This is a JWS of StoreKit 2, not a receipt: validate it with SignedPayloadValidator or app-receipt verify, or send the app receipt.", kind: .unsupported) }
    public static var transactionReceipt: Self { .init(504, "input.transaction-receipt",
        "This is an iOS 6 transaction receipt, a property list in a format of its own.", kind: .unsupported) }
    public static var notAReceipt: Self { .init(505, "receipt.content-type",
        "The signed content is not of type data, which every receipt has.") }
    package static var missingCreationDate: Self { .init(506, "receipt.missing-creation-date",
        "The receipt has no creation date (attribute 12), or the date is empty.") }
    package static var duplicateAttributeType: Self { .init(507, "receipt.duplicate-attribute",
        "An attribute that may occur once occurs twice.") }
    package static var tooManyAttributes: Self { .init(508, "receipt.too-many-attributes",
        "The receipt or a purchase has more attributes than the limit allows.", kind: .unsupported) }
    package static var invalidDate: Self { .init(509, "receipt.invalid-date",
        "The date does not have the form of RFC 3339.") }
    // Nothing throws this code, because one walk over the payload reads the date. A published code stays.
    package static var creationDateMismatch: Self { .init(510, "receipt.creation-date-mismatch",
        "The creation date differs from the date at which the certificates were validated.") }
    public static var missingLeafMarker: Self { .init(511, "receipt.missing-leaf-marker",
        "The signer's certificate lacks the receipt signing marker, 1.2.840.113635.100.6.11.1.") }
    public static var missingIntermediateMarker: Self { .init(512, "receipt.missing-intermediate-marker",
        "The intermediate certificate lacks Apple's marker, 1.2.840.113635.100.6.2.1.") }
    public static var missingEnvironment: Self { .init(513, "receipt.missing-environment",
        "The receipt has no environment (attribute 0).") }
    public static var environmentMismatch: Self { .init(514, "receipt.environment-mismatch",
        "The validator does not accept the receipt's environment.") }
    public static var missingBundleIdentifier: Self { .init(515, "receipt.missing-bundle-identifier",
        "The receipt has no bundle identifier (attribute 2).") }
    public static var bundleIdentifierMismatch: Self { .init(516, "receipt.bundle-identifier-mismatch",
        "The receipt is for another bundle identifier.") }
    public static var missingAppVersion: Self { .init(517, "receipt.missing-app-version",
        "The receipt has no app version (attribute 3).") }
    public static var appVersionMismatch: Self { .init(518, "receipt.app-version-mismatch",
        "The receipt is for another version of the app.") }
    public static var missingDeviceHash: Self { .init(519, "receipt.missing-device-hash",
        "The receipt lacks the opaque value or the device hash (attributes 4, 5), or the bundle identifier.") }
    public static var deviceHashMismatch: Self { .init(520, "receipt.device-hash-mismatch",
        "The receipt is for another device.") }
    public static var receiptExpired: Self { .init(521, "receipt.expired",
        "The receipt's expiration date has passed (attribute 21).") }
    public static var weakDigest: Self { .init(522, "receipt.weak-digest",
        "The signature covers a weaker digest than the validator requires.") }
    package static var missingProductIdentifier: Self { .init(523, "receipt.missing-product-identifier",
        "The purchase has no product identifier (attribute 1702).") }
    package static var invalidFlag: Self { .init(524, "receipt.invalid-flag",
        "A flag must be an INTEGER that is 0 or 1.") }
    package static var textGiven: Self { .init(525, "input.is-text",
        "This is text, not a container; ReceiptInput.decode decodes base64.", kind: .unreadable) }
    package static var hexadecimalCutOff: Self { .init(526, "input.cut-off",
        "The hexadecimal digits end before the receipt does: send all of them.", kind: .unreadable) }
    package static var notHexadecimal: Self { .init(527, "input.not-hexadecimal",
        "The text begins like hexadecimal and has other characters.", kind: .unreadable) }
    package static var placeholderGiven: Self { .init(528, "input.no-value",
        "The text says that there is no value, such as undefined or null: send the receipt.", kind: .unreadable) }
    package static var dataDescription: Self { .init(529, "input.data-description",
        "This is a description of Data, which leaves the bytes out: send base64EncodedString().", kind: .unsupported) }
    package static var storeKitJSON: Self { .init(530, "input.storekit-json",
        "This is a StoreKit 2 transaction as JSON without a signature: validate its JWS with SignedPayloadValidator or app-receipt verify, or send the app receipt.", kind: .unsupported) }
    package static var noReceiptInJSON: Self { .init(531, "input.json-without-receipt",
        "The JSON object has no member that holds a receipt, such as receipt-data: send the receipt.", kind: .unreadable) }
    package static var unclosedBlock: Self { .init(532, "input.unclosed-pem",
        "A PEM block has no END line: send the whole text.", kind: .unreadable) }
    package static var severalReceipts: Self { .init(533, "input.several-receipts",
        "The text holds several PEM blocks or data elements: send each receipt alone.", kind: .unsupported) }
    package static var tooManyLayers: Self { .init(534, "input.too-many-layers",
        "The receipt is wrapped in more forms of text than the limit allows: send its base64.", kind: .unsupported) }
    package static var appAttestReceipt: Self { .init(535, "receipt.app-attest",
        "This is a receipt of App Attest, which has no purchases: send the app receipt.", kind: .unsupported) }
    package static var provisioningProfile: Self { .init(536, "receipt.provisioning-profile",
        "This is a provisioning profile, not a receipt: send the app receipt.", kind: .unsupported) }
}

extension Refusal.Code {
    /// All codes of this module, in the order of their numbers.
    package static var appReceipt: [Self] {
        [
            .emptyInput, .notBase64, .base64Twice, .jsonWebSignature, .transactionReceipt, .notAReceipt,
            .missingCreationDate, .duplicateAttributeType, .tooManyAttributes, .invalidDate,
            .creationDateMismatch, .missingLeafMarker, .missingIntermediateMarker, .missingEnvironment,
            .environmentMismatch, .missingBundleIdentifier, .bundleIdentifierMismatch, .missingAppVersion,
            .appVersionMismatch, .missingDeviceHash, .deviceHashMismatch, .receiptExpired, .weakDigest,
            .missingProductIdentifier, .invalidFlag, .textGiven, .hexadecimalCutOff, .notHexadecimal,
            .placeholderGiven, .dataDescription, .storeKitJSON, .noReceiptInJSON, .unclosedBlock,
            .severalReceipts, .tooManyLayers, .appAttestReceipt, .provisioningProfile,
        ]
    }

    /// The published list for app receipts: all codes of `DER`, `RSA`, `PKIX`, `CMS` and this module, in this
    /// order. `TransactionReceipt`, `VerifyReceipt`, `SignedPayloads` and `Revocation` have lists of their
    /// own. A validation that checks revocation may also throw codes of `Revocation`.
    public static var all: [Self] { der + rsa + pkix + cms + appReceipt }
}
