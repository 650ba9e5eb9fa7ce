import Basics

// swift-format-ignore
/// The codes of the module Revocation, which has the numbers 1100 to 1199. The sentence in each row is also
/// its documentation. Codes that a program may act on are public. All codes are in `allOfRevocation`.
extension Refusal.Code {
    public static var noRevocationEvidence: Self { .init(1100, "revocation.no-evidence",
        "No response and no list speaks of the certificate.") }
    package static var tooMuchEvidence: Self { .init(1101, "revocation.too-much-evidence",
        "There are more responses or lists than the limit allows.", kind: .unsupported) }
    package static var evidenceTooLarge: Self { .init(1102, "revocation.too-large",
        "The response or the list has more bytes than the limit allows.", kind: .unsupported) }
    package static var tooManyEvidenceElements: Self { .init(1103, "revocation.too-many-elements",
        "The response or the list has more statuses, entries, certificates, extensions or names than the limit allows.", kind: .unsupported) }
    public static var evidenceNotYetValid: Self { .init(1104, "revocation.not-yet-valid",
        "The evidence was made more than a minute after the present time (RFC 6960 §3.2, RFC 5280 §5.1.2.4).") }
    public static var staleEvidence: Self { .init(1105, "revocation.stale",
        "The present time is later than nextUpdate (RFC 6960 §3.2, RFC 5280 §5.1.2.5).") }
    package static var missingNextUpdate: Self { .init(1106, "revocation.missing-next-update",
        "There is no nextUpdate, so nothing says how long the evidence holds.") }
    public static var certificateExpiredBefore: Self { .init(1107, "revocation.certificate-expired-before",
        "The evidence was made after the certificate expired, and does not say that it covers such certificates (RFC 5280 §3.3, RFC 6960 §2.2).") }
    package static var weakEvidenceHash: Self { .init(1108, "revocation.weak-hash",
        "The evidence, or the certificate of its signer, is signed over a hash weaker than SHA-256.") }
    package static var tooManyEvidenceChecks: Self { .init(1109, "revocation.too-many-signature-checks",
        "Judging the evidence would take more signature checks than the limit allows; large keys count several times.", kind: .unsupported) }
    package static var invalidRevocationReason: Self { .init(1110, "revocation.invalid-reason",
        "The reason code is not one that may stand here (RFC 5280 §5.3.1).") }
    package static var responderError: Self { .init(1111, "ocsp.not-successful",
        "The responder answered with an error: responseStatus is not successful (RFC 6960 §4.2.1).") }
    package static var unsupportedResponseType: Self { .init(1112, "ocsp.response-type",
        "The response's type is not id-pkix-ocsp-basic (RFC 6960 §4.2.1).", kind: .unsupported) }
    package static var responseVersion: Self { .init(1113, "ocsp.version",
        "The version is not 1, or version 1 is encoded although it is the default (RFC 6960 §4.2.2.3).") }
    package static var invalidResponderID: Self { .init(1114, "ocsp.responder-id",
        "The responder is named neither by a Name nor by the 20 octets of a key's SHA-1 digest (RFC 6960 §4.2.2.3).") }
    public static var unknownToResponder: Self { .init(1115, "ocsp.unknown",
        "The responder does not know the certificate: its status is unknown (RFC 6960 §2.2).") }
    package static var responderNotFound: Self { .init(1116, "ocsp.responder-not-found",
        "The responder is not the certificate's issuer, and the response has no certificate of the responder (RFC 6960 §4.2.2.2).") }
    package static var responderOfOtherIssuer: Self { .init(1117, "ocsp.responder-of-other-issuer",
        "The responder's certificate is not from the issuer of the certificate in question (RFC 6960 §4.2.2.2).") }
    package static var missingOCSPSigning: Self { .init(1118, "ocsp.missing-ocsp-signing",
        "The responder's certificate lacks the purpose id-kp-OCSPSigning (RFC 6960 §4.2.2.2).") }
    package static var missingNoCheck: Self { .init(1119, "ocsp.missing-no-check",
        "The responder's certificate lacks id-pkix-ocsp-nocheck, so its own status is unknown (RFC 6960 §4.2.2.2.1).") }
    package static var revocationListVersion: Self { .init(1120, "crl.version",
        "The list's version is not 2 (RFC 5280 §5.1.2.1).") }
    package static var emptyRevocationList: Self { .init(1121, "crl.empty",
        "revokedCertificates is present but empty (RFC 5280 §5.1.2.6).") }
    package static var deltaRevocationList: Self { .init(1122, "crl.delta",
        "The list is a delta CRL, which has only changes (RFC 5280 §5.2.4).", kind: .unsupported) }
    package static var partialRevocationList: Self { .init(1123, "crl.partial",
        "The list is indirect, has only some reasons, only attribute certificates, or a relative distribution point (RFC 5280 §5.2.5).", kind: .unsupported) }
    public static var otherListScope: Self { .init(1124, "crl.other-scope",
        "The list is for certificates of another kind or of another distribution point (RFC 5280 §6.3.3 b).") }
    package static var missingCRLSign: Self { .init(1125, "crl.missing-crl-sign",
        "The issuer's key usage lacks cRLSign (RFC 5280 §6.3.3 f).") }
    package static var otherListKey: Self { .init(1126, "crl.other-key",
        "The list's authority key identifier is not that of the issuer (RFC 5280 §5.2.1).") }
    public static var certificateRevoked: Self { .init(1127, "revocation.revoked",
        "Evidence says that the certificate is revoked.") }
    package static var distrustedResponder: Self { .init(1128, "ocsp.distrusted-responder",
        "The responder's certificate, or its key, is on the list of distrusted ones.") }
}

extension Refusal.Code {
    /// All codes of the module Revocation, in the order of their numbers.
    public static var allOfRevocation: [Self] {
        [
            .noRevocationEvidence, .tooMuchEvidence, .evidenceTooLarge, .tooManyEvidenceElements,
            .evidenceNotYetValid, .staleEvidence, .missingNextUpdate, .certificateExpiredBefore,
            .weakEvidenceHash, .tooManyEvidenceChecks, .invalidRevocationReason, .responderError,
            .unsupportedResponseType, .responseVersion, .invalidResponderID, .unknownToResponder,
            .responderNotFound, .responderOfOtherIssuer, .missingOCSPSigning, .missingNoCheck,
            .revocationListVersion, .emptyRevocationList, .deltaRevocationList, .partialRevocationList,
            .otherListScope, .missingCRLSign, .otherListKey, .certificateRevoked,
            .distrustedResponder,
        ]
    }
}
