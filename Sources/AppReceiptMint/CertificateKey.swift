import SHA

/// A private key for the certificates of a ``KeyedPKI``: ``PrivateKey`` (RSA) or ``ECPrivateKey``.
public protocol CertificateKey: Sendable {
    /// SubjectPublicKeyInfo of the public key (RFC 5280 §4.1), in DER.
    var subjectPublicKeyInfo: [UInt8] { get }
    /// The key identifier: SHA-1 of the bits of subjectPublicKey (RFC 5280 §4.2.1.2, method 1), 20 octets.
    var keyIdentifier: [UInt8] { get }
    /// The private key as a PrivateKeyInfo (RFC 5208 §5; PKCS #8), unencrypted, in DER.
    var privateKeyInfo: [UInt8] { get }
    /// The signature of the message that has this digest: the octets in a certificate's `signatureValue`.
    func sign(_ digest: Digest) -> [UInt8]
    /// The AlgorithmIdentifier of a signature with a key of this type and a hash.
    static func signatureAlgorithm(_ hash: HashAlgorithm) -> AlgorithmTemplate
    /// The hash of the certificates' signatures in a ``KeyedPKI`` with keys of this type, unless the caller
    /// names another hash.
    static var certificateHash: HashAlgorithm { get }
}

extension PrivateKey: CertificateKey {
    /// The AlgorithmIdentifier of RSASSA-PKCS1-v1_5 with this hash algorithm (RFC 8017 §A.2.4).
    public static func signatureAlgorithm(_ hash: HashAlgorithm) -> AlgorithmTemplate { .rsaSignature(hash) }

    /// The default hash of the certificates' signatures in a ``KeyedPKI`` with RSA keys: SHA-256, as in
    /// Apple's present intermediate and leaf for receipts. The signature of Apple Root CA has SHA-1.
    public static var certificateHash: HashAlgorithm { .sha256 }
}
