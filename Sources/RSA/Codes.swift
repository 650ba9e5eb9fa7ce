import Basics

// swift-format-ignore
/// The codes of refusals by the module RSA, numbers 200 to 299. The sentence in each row documents its code.
extension Refusal.Code {
    package static var notAnRSAKey: Self { .init(200, "rsa.not-an-rsa-key",
        "The key's algorithm is not rsaEncryption.", kind: .unsupported) }
    package static var modulusTooSmall: Self { .init(201, "rsa.modulus-too-small",
        "The modulus has fewer than 1024 bits.", kind: .unsupported) }
    package static var modulusTooLarge: Self { .init(202, "rsa.modulus-too-large",
        "The modulus has more bits than the limit allows.", kind: .unsupported) }
    package static var modulusEven: Self { .init(203, "rsa.modulus-even",
        "The modulus is even, so it is not a product of odd primes.") }
    package static var exponentTooSmall: Self { .init(204, "rsa.exponent-too-small",
        "The public exponent is less than 3 (RFC 8017 §3.1).") }
    package static var exponentTooLarge: Self { .init(205, "rsa.exponent-too-large",
        "The public exponent has more bits than the limit allows.", kind: .unsupported) }
    package static var exponentEven: Self { .init(206, "rsa.exponent-even",
        "The public exponent is even, so it has no private exponent.") }
    package static var signatureLength: Self { .init(207, "rsa.signature-length",
        "The signature is not as long as the modulus (RFC 8017 §8.2.2, step 1).") }
    package static var signatureOutOfRange: Self { .init(208, "rsa.signature-out-of-range",
        "The signature is not below the modulus (RFC 8017 §5.2.2, step 1).") }
    package static var signatureMismatch: Self { .init(209, "rsa.signature-mismatch",
        "The key did not make this signature for this digest (RFC 8017 §8.2.2, step 4).") }
    package static var keyParameters: Self { .init(210, "rsa.key-parameters",
        "The parameters of the key's algorithm, rsaEncryption, are absent or not NULL (RFC 3279 §2.3.1).") }
}

extension Refusal.Code {
    /// All codes of refusals by the module RSA, in the order of their numbers.
    package static var rsa: [Self] {
        [
            .notAnRSAKey, .modulusTooSmall, .modulusTooLarge, .modulusEven, .exponentTooSmall,
            .exponentTooLarge, .exponentEven, .signatureLength, .signatureOutOfRange, .signatureMismatch,
            .keyParameters,
        ]
    }
}
