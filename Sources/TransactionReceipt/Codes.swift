import Basics

// swift-format-ignore
/// The refusal codes of `TransactionReceipt`, numbers 600 to 699. The sentence in each row is also its
/// documentation. Codes that a program may act on are public. `allOfTransactionReceipts` lists all codes.
extension Refusal.Code {
    package static var propertyListTruncated: Self { .init(600, "plist.truncated",
        "The property list ends before its closing brace.") }
    package static var unexpectedByte: Self { .init(601, "plist.unexpected-byte",
        "The byte cannot stand at this place of the property list.") }
    package static var notAQuotedString: Self { .init(602, "plist.not-a-quoted-string",
        "A key or a value is not a quoted string.") }
    package static var invalidStringCharacter: Self { .init(603, "plist.invalid-character",
        "A string has an escape, a control character, or a character that is not ASCII.") }
    package static var emptyKey: Self { .init(604, "plist.empty-key",
        "A key is empty.") }
    package static var duplicateKey: Self { .init(605, "plist.duplicate-key",
        "A key occurs twice.") }
    package static var tooManyEntries: Self { .init(606, "plist.too-many-entries",
        "The property list has more entries than the limit allows.", kind: .unsupported) }
    package static var bytesAfterPropertyList: Self { .init(607, "plist.trailing-bytes",
        "Bytes follow the closing brace of the property list.") }
    public static var notAPropertyList: Self { .init(608, "transaction.not-a-property-list",
        "The input is neither a property list nor its base64.", kind: .unreadable) }
    public static var appReceiptGiven: Self { .init(609, "transaction.app-receipt",
        "The input is an app receipt, which ReceiptValidator validates.", kind: .unsupported) }
    package static var missingSignature: Self { .init(610, "transaction.missing-signature",
        "The property list has no entry \"signature\".") }
    package static var missingPurchaseInfo: Self { .init(611, "transaction.missing-purchase-info",
        "The property list has no entry \"purchase-info\".") }
    package static var valueNotBase64: Self { .init(612, "transaction.value-not-base64",
        "The value of the entry is not base64.") }
    public static var unsupportedSignatureVersion: Self { .init(613, "transaction.unsupported-version",
        "The signature's version is not 2, 3 or 4.", kind: .unsupported) }
    package static var truncatedSignature: Self { .init(614, "transaction.truncated-signature",
        "The signature entry ends before the end of its certificate.") }
    package static var bytesAfterCertificate: Self { .init(615, "transaction.trailing-bytes",
        "Bytes follow the certificate in the signature entry.") }
    package static var missingPurchaseDate: Self { .init(616, "transaction.missing-purchase-date",
        "The purchase-info has no purchase date.") }
    package static var invalidPurchaseInfoDate: Self { .init(617, "transaction.invalid-date",
        "The date is not a number of milliseconds, or not a date and time with the zone Etc/GMT.") }
    public static var missingVersionIntermediateMarker: Self { .init(618, "transaction.missing-intermediate-marker",
        "The intermediate certificate lacks the marker of the signature's version.") }
    public static var missingVersionLeafMarker: Self { .init(619, "transaction.missing-leaf-marker",
        "The signer's certificate lacks the marker of the signature's version.") }
    package static var missingPurchasedProduct: Self { .init(620, "transaction.missing-product-identifier",
        "The purchase-info has no product identifier.") }
    package static var missingTransactionIdentifier: Self { .init(621, "transaction.missing-transaction-identifier",
        "The purchase-info has no transaction identifier.") }
    package static var invalidQuantity: Self { .init(622, "transaction.invalid-quantity",
        "The quantity is not a number from 1 to 999999999.") }
    package static var invalidPurchaseInfoFlag: Self { .init(623, "transaction.invalid-flag",
        "A flag is neither \"true\" nor \"false\".") }
    public static var environmentContradiction: Self { .init(624, "transaction.environment-contradiction",
        "The transaction identifier has the sandbox's form, and the property list does not say Sandbox.") }
    public static var missingPurchasedApp: Self { .init(625, "transaction.missing-bundle-identifier",
        "The purchase-info has no bundle identifier (bid).") }
    public static var missingPurchasedVersion: Self { .init(626, "transaction.missing-version",
        "The purchase-info has no app version (bvrs).") }
    public static var missingVendorIdentifier: Self { .init(627, "transaction.missing-vendor-identifier",
        "The purchase-info has no identifier of the device (unique-vendor-identifier).") }
}

extension Refusal.Code {
    /// All refusal codes of the module `TransactionReceipt`, in the order of their numbers: 600, 601 and so
    /// on, without a gap. Codes that are not public in Swift are in the list, too.
    public static var allOfTransactionReceipts: [Self] {
        [
            .propertyListTruncated, .unexpectedByte, .notAQuotedString, .invalidStringCharacter, .emptyKey,
            .duplicateKey, .tooManyEntries, .bytesAfterPropertyList, .notAPropertyList, .appReceiptGiven,
            .missingSignature, .missingPurchaseInfo, .valueNotBase64, .unsupportedSignatureVersion,
            .truncatedSignature, .bytesAfterCertificate, .missingPurchaseDate, .invalidPurchaseInfoDate,
            .missingVersionIntermediateMarker, .missingVersionLeafMarker, .missingPurchasedProduct,
            .missingTransactionIdentifier, .invalidQuantity, .invalidPurchaseInfoFlag,
            .environmentContradiction, .missingPurchasedApp, .missingPurchasedVersion,
            .missingVendorIdentifier,
        ]
    }
}
