import Basics

// swift-format-ignore
/// The codes of refusals by the module ECDSA, numbers 800 to 899. The sentence in each row documents its
/// code.
extension Refusal.Code {
    package static var notAnECKey: Self { .init(800, "ecdsa.not-an-ec-key",
        "The key's algorithm is not id-ecPublicKey.", kind: .unsupported) }
    package static var curveParameters: Self { .init(801, "ecdsa.curve-parameters",
        "The parameters of the key's algorithm, id-ecPublicKey, do not name a curve (RFC 5480 §2.1.1).") }
    package static var unsupportedCurve: Self { .init(802, "ecdsa.unsupported-curve",
        "The key's curve is neither secp256r1 nor secp384r1.", kind: .unsupported) }
    package static var pointForm: Self { .init(803, "ecdsa.point-form",
        "The key's point is not in uncompressed form, which begins with 04 (SEC 1 §2.3.4).", kind: .unsupported) }
    package static var pointLength: Self { .init(804, "ecdsa.point-length",
        "The key's point does not have two coordinates as long as the curve's prime p (SEC 1 §2.3.4).") }
    package static var coordinateOutOfRange: Self { .init(805, "ecdsa.coordinate-out-of-range",
        "A coordinate of the key's point is not below the curve's prime p (SEC 1 §3.2.2.1, step 2).") }
    package static var pointNotOnCurve: Self { .init(806, "ecdsa.point-not-on-curve",
        "The key's point is not on its curve (SEC 1 §3.2.2.1, step 2).") }
    package static var ecSignatureLength: Self { .init(807, "ecdsa.signature-length",
        "The signature is not twice as long as the curve's order n (RFC 7518 §3.4).") }
    package static var ecSignatureOutOfRange: Self { .init(808, "ecdsa.signature-out-of-range",
        "A number of the signature, r or s, is not in the range from 1 to n - 1 (FIPS 186-5 §6.4.2, step 1).") }
    package static var ecSignatureMismatch: Self { .init(809, "ecdsa.signature-mismatch",
        "The key did not make this signature for this digest (FIPS 186-5 §6.4.2).") }
}

extension Refusal.Code {
    /// All codes of refusals by the module ECDSA, in the order of their numbers.
    package static var ecdsa: [Self] {
        [
            .notAnECKey, .curveParameters, .unsupportedCurve, .pointForm, .pointLength, .coordinateOutOfRange,
            .pointNotOnCurve, .ecSignatureLength, .ecSignatureOutOfRange, .ecSignatureMismatch,
        ]
    }
}
