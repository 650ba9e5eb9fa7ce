import Basics
import DER

// swift-format-ignore
/// The refusal codes of `PKIX`, numbers 300 to 399. The sentence in each row is also its documentation.
extension Refusal.Code {
    package static var certificateVersion: Self { .init(300, "pkix.version",
        "The version is not 1, 2 or 3, or version 1 is encoded although it is the default (RFC 5280 §4.1.2.1).") }
    package static var serialNumberTooLong: Self { .init(301, "pkix.serial-number-too-long",
        "The serial number has more than 20 octets (RFC 5280 §4.1.2.2).") }
    package static var signatureAlgorithmMismatch: Self { .init(302, "pkix.signature-algorithm-mismatch",
        "The signature algorithm inside the signed part differs from the one outside (RFC 5280 §4.1.1.2).") }
    package static var emptyName: Self { .init(303, "pkix.empty-name",
        "A RelativeDistinguishedName, or the issuer, is empty (RFC 5280 §4.1.2.4).") }
    package static var fieldNotInVersion: Self { .init(304, "pkix.field-not-in-version",
        "The certificate has a field that its version does not have (RFC 5280 §4.1.2).") }
    package static var duplicateExtension: Self { .init(305, "pkix.duplicate-extension",
        "An extension appears twice (RFC 5280 §4.2).") }
    package static var invalidExtension: Self { .init(306, "pkix.invalid-extension",
        "An extension's value breaks its definition (RFC 5280 §4.2.1).") }
    package static var tooManyExtensions: Self { .init(307, "pkix.too-many-extensions",
        "The certificate has more extensions than the limit allows.", kind: .unsupported) }
    package static var unsupportedSignatureAlgorithm: Self { .init(308, "pkix.unsupported-signature-algorithm",
        "The signature algorithm is not one that this package verifies.", kind: .unsupported) }
    package static var invalidAlgorithmParameters: Self { .init(309, "pkix.invalid-algorithm-parameters",
        "The algorithm's parameters are not NULL, or absent where the algorithm allows it (RFC 4055 §5, RFC 5754 §2).") }
    package static var keyTooSmall: Self { .init(310, "pkix.key-too-small",
        "The key has fewer bits than the policy requires.") }
    package static var unknownCriticalExtension: Self { .init(311, "pkix.unknown-critical-extension",
        "A critical extension is not one that this package enforces (RFC 5280 §6.1.4 o, §6.1.5 f).", kind: .unsupported) }
    package static var notYetValid: Self { .init(312, "pkix.not-yet-valid",
        "The certificate's validity begins after the time (RFC 5280 §6.1.3 a 2).") }
    package static var expired: Self { .init(313, "pkix.expired",
        "The certificate's validity ended before the time (RFC 5280 §6.1.3 a 2).") }
    package static var issuerNotFound: Self { .init(314, "pkix.issuer-not-found",
        "No certificate has the issuer's name and key identifier (RFC 5280 §6.1.3 a 4).") }
    package static var untrustedRoot: Self { .init(315, "pkix.untrusted-root",
        "The path ends at a certificate that is not a trusted root.") }
    package static var notCertificateAuthority: Self { .init(316, "pkix.not-a-certificate-authority",
        "The issuer is not a certificate authority, which has version 3 and cA TRUE (RFC 5280 §6.1.4 k).") }
    package static var pathLengthConstraint: Self { .init(317, "pkix.path-length-constraint",
        "More certificates follow than the issuer's pathLenConstraint allows (RFC 5280 §6.1.4 l, m).") }
    package static var missingKeyCertSign: Self { .init(318, "pkix.missing-key-cert-sign",
        "The issuer's key usage lacks keyCertSign (RFC 5280 §6.1.4 n).") }
    package static var missingDigitalSignature: Self { .init(319, "pkix.missing-digital-signature",
        "The signer's key usage lacks digitalSignature (RFC 5280 §4.2.1.3).") }
    package static var extendedKeyUsageNotPermitted: Self { .init(320, "pkix.extended-key-usage",
        "The extended key usage does not permit the purpose that the policy requires (RFC 5280 §4.2.1.12).", kind: .unsupported) }
    package static var pathTooLong: Self { .init(321, "pkix.path-too-long",
        "The path to a root is longer than the policy allows.", kind: .unsupported) }
    package static var pathTooShort: Self { .init(322, "pkix.path-too-short",
        "The path to a root is shorter than the policy requires.") }
    package static var tooManySignatureChecks: Self { .init(323, "pkix.too-many-signature-checks",
        "Finding the path would take more signature checks than the limit allows; large keys count several times.", kind: .unsupported) }
    package static var weakSignatureHash: Self { .init(324, "pkix.weak-hash",
        "A certificate is signed over a weaker hash than the policy allows.") }
    package static var tooManyPurposes: Self { .init(325, "pkix.too-many-purposes",
        "The extended key usage names more purposes than the limit allows.", kind: .unsupported) }
    public static var distrusted: Self { .init(326, "pkix.distrusted",
        "A certificate of the path, or its key, is on the list of distrusted ones.") }
}

extension Refusal.Code {
    /// All refusal codes of the module `PKIX`, in the order of their numbers.
    package static var pkix: [Self] {
        [
            .certificateVersion, .serialNumberTooLong, .signatureAlgorithmMismatch, .emptyName,
            .fieldNotInVersion, .duplicateExtension, .invalidExtension, .tooManyExtensions,
            .unsupportedSignatureAlgorithm, .invalidAlgorithmParameters, .keyTooSmall,
            .unknownCriticalExtension, .notYetValid, .expired, .issuerNotFound, .untrustedRoot,
            .notCertificateAuthority, .pathLengthConstraint, .missingKeyCertSign, .missingDigitalSignature,
            .extendedKeyUsageNotPermitted, .pathTooLong, .pathTooShort, .tooManySignatureChecks,
            .weakSignatureHash, .tooManyPurposes, .distrusted,
        ]
    }
}
