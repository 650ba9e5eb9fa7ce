import Basics

// swift-format-ignore
/// The codes of the module SignedPayloads, numbers 1000 to 1099. The sentence in each row is also its
/// documentation. Codes that a program may act on are public. All codes are in `allOfSignedPayloads`.
extension Refusal.Code {
    package static var tokenTooLarge: Self { .init(1000, "jws.too-large",
        "The token has more bytes than the limit allows.", kind: .unsupported) }
    public static var notCompactJWS: Self { .init(1001, "jws.segments",
        "The input is not three segments with a full stop between them (RFC 7515 §7.1).", kind: .unreadable) }
    package static var notBase64URL: Self { .init(1002, "jws.not-base64url",
        "A segment is not base64url without padding, or its last character has bits beyond the last byte (RFC 7515 §2, RFC 4648 §3.5).") }
    package static var notAnObject: Self { .init(1003, "jws.not-an-object",
        "The header or the payload is not a JSON object (RFC 8259) in UTF-8, or it nests values more than 64 deep.") }
    package static var duplicateMember: Self { .init(1004, "jws.duplicate-member",
        "A member's name occurs twice in one object (RFC 7515 §4).") }
    package static var escapedMemberName: Self { .init(1005, "jws.escaped-name",
        "A member's name has an escape, which no name of Apple's needs.") }
    package static var tooManyMembers: Self { .init(1006, "jws.too-many-members",
        "An object has more members than the limit allows.", kind: .unsupported) }
    package static var unexpectedAlgorithm: Self { .init(1007, "jws.algorithm",
        "The header's alg is not \"ES256\", the one algorithm of the App Store.") }
    package static var criticalHeader: Self { .init(1008, "jws.critical",
        "The header has the member crit. No extension of RFC 7515 §4.1.11 is supported.", kind: .unsupported) }
    package static var otherKeySource: Self { .init(1009, "jws.key-source",
        "The header has jku, jwk or x5u. The key comes from x5c alone.") }
    package static var certificateCount: Self { .init(1010, "jws.certificate-count",
        "The header's x5c is not an array of as many certificates as the trust policy requires.") }
    package static var certificateNotBase64: Self { .init(1011, "jws.certificate-not-base64",
        "An element of x5c is not a string of base64 with exact padding (RFC 7515 §4.1.6, RFC 4648 §4).") }
    package static var certificateOrder: Self { .init(1012, "jws.certificate-order",
        "The certificates of x5c do not stand in the order of the path, the signer's first (RFC 7515 §4.1.6).") }
    package static var keyNotOnP256: Self { .init(1013, "jws.key-curve",
        "The signer's key is not on the curve P-256, which ES256 requires (RFC 7518 §3.4).") }
    // Nothing throws this code, because `pkix.distrusted` serves every kind. A published code stays.
    package static var distrustedToken: Self { .init(1014, "jws.distrusted",
        "The certificate or its key is on the list of distrusted ones.") }
    package static var notSelfSigned: Self { .init(1015, "jws.not-self-signed",
        "The certificate is not signed by its own key, or its issuer is not its subject.") }
    public static var missingSignedDate: Self { .init(1016, "payload.missing-signed-date",
        "The payload has no signedDate (an app transaction: receiptCreationDate), and the caller gave no time.") }
    package static var invalidValue: Self { .init(1017, "payload.invalid-value",
        "The value has another type than Apple documents, or is out of range.") }
    package static var severalContents: Self { .init(1018, "payload.several-contents",
        "The notification has more than one of data, summary, externalPurchaseToken and appData.") }
    public static var missingEnvironmentClaim: Self { .init(1019, "payload.missing-environment",
        "The payload has no environment.") }
    public static var environmentClaimMismatch: Self { .init(1020, "payload.environment-mismatch",
        "The validator does not accept the payload's environment.") }
    public static var missingBundleIdentifierClaim: Self { .init(1021, "payload.missing-bundle-identifier",
        "The payload has no bundle identifier.") }
    public static var bundleIdentifierClaimMismatch: Self { .init(1022, "payload.bundle-identifier-mismatch",
        "The payload is for another bundle identifier.") }
    public static var missingAppAppleIdentifier: Self { .init(1023, "payload.missing-app-apple-id",
        "The payload is from production and has no appAppleId.") }
    public static var appAppleIdentifierMismatch: Self { .init(1024, "payload.app-apple-id-mismatch",
        "The payload is for an app with another Apple ID.") }
    public static var missingDeviceVerification: Self { .init(1025, "payload.missing-device-verification",
        "The payload lacks deviceVerification or deviceVerificationNonce.") }
    public static var deviceVerificationMismatch: Self { .init(1026, "payload.device-verification-mismatch",
        "The payload is for another device.") }
    public static var signedTooEarly: Self { .init(1027, "payload.too-old",
        "The payload was signed longer ago than the validator accepts.") }
    public static var signedInTheFuture: Self { .init(1028, "payload.signed-in-the-future",
        "The payload was signed more than a minute after the present time.") }
    public static var nestedTokenMismatch: Self { .init(1029, "payload.nested-mismatch",
        "The nested token is for another app or environment than the notification.") }
    public static var otherKind: Self { .init(1030, "payload.other-kind",
        "The payload is of another kind: a transaction where a notification is expected, for example.") }
}

extension Refusal.Code {
    /// All codes of the module SignedPayloads, in the order of their numbers.
    public static var allOfSignedPayloads: [Self] {
        [
            .tokenTooLarge, .notCompactJWS, .notBase64URL, .notAnObject, .duplicateMember,
            .escapedMemberName, .tooManyMembers, .unexpectedAlgorithm, .criticalHeader, .otherKeySource,
            .certificateCount, .certificateNotBase64, .certificateOrder, .keyNotOnP256, .distrustedToken,
            .notSelfSigned, .missingSignedDate, .invalidValue, .severalContents, .missingEnvironmentClaim,
            .environmentClaimMismatch, .missingBundleIdentifierClaim, .bundleIdentifierClaimMismatch,
            .missingAppAppleIdentifier, .appAppleIdentifierMismatch, .missingDeviceVerification,
            .deviceVerificationMismatch, .signedTooEarly, .signedInTheFuture, .nestedTokenMismatch,
            .otherKind,
        ]
    }

    /// The codes for a payload with a valid signature that names another app or environment than expected, or
    /// none. The advice after such a refusal is `NextStep.deny`.
    static var payloadsOfOtherApps: [Self] {
        [
            .missingEnvironmentClaim, .environmentClaimMismatch, .missingBundleIdentifierClaim,
            .bundleIdentifierClaimMismatch, .missingAppAppleIdentifier, .appAppleIdentifierMismatch,
            .nestedTokenMismatch,
        ]
    }
}
