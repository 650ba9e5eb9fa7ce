import DER
import PKIX
import Processor
import RSA
import SHA

/// A public key that verifies the signatures of certificates and receipts.
///
/// There is one case for each supported signature algorithm. This file is the only one that names an
/// algorithm: `PKIX`, `CMS` and the cache work with any `SignatureKey`.
public enum SigningKey: SignatureKey {
    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
    case rsa(PublicKey)

    /// A signature algorithm: the kind of key, and the hash algorithm.
    public enum Algorithm: SignatureAlgorithm {
        /// RSASSA-PKCS1-v1_5 with a hash algorithm (RFC 8017 §A.2.4).
        case rsa(HashAlgorithm)

        /// The hash algorithm whose digest is signed.
        public var hash: HashAlgorithm {
            switch self {
            case .rsa(let hash): hash
            }
        }

        /// Decodes the algorithm that signs a certificate.
        ///
        /// - Throws: `.unsupportedSignatureAlgorithm`, `.invalidAlgorithmParameters`.
        public init(ofCertificate identifier: AlgorithmIdentifier) throws(Refusal) {
            self = .rsa(try HashAlgorithm(rsaSignatureAlgorithm: identifier))
        }

        /// Decodes the algorithm that a signer of a message used: rsaEncryption, or an algorithm that names
        /// its hash.
        ///
        /// rsaEncryption has NULL as its parameters (RFC 3370 §3.2). The hash is then the one that
        /// `digestAlgorithm` names.
        ///
        /// - Throws: `.unsupportedSignatureAlgorithm`, `.invalidAlgorithmParameters`.
        public init(ofSigner identifier: AlgorithmIdentifier, digest: HashAlgorithm) throws(Refusal) {
            guard identifier.algorithm == .rsaEncryption else {
                try self.init(ofCertificate: identifier)
                return
            }
            guard identifier.parameters == .null else {
                throw Refusal(
                    .invalidAlgorithmParameters,
                    at: identifier.range.lowerBound,
                    reading: "signatureAlgorithm"
                )
            }
            self = .rsa(digest)
        }
    }

    /// Requirements on a key.
    public struct Requirements: Sendable, Hashable {
        /// The minimum length of an RSA modulus, in bits. NIST SP 800-131A requires 2048, and every key of a
        /// genuine receipt has at least this length.
        public var minimumModulusBits = 2048
        /// Limits on the size of RSA keys.
        public var limits = KeyLimits.standard

        /// Creates the default requirements.
        public init() {}
    }

    /// Decodes a SubjectPublicKeyInfo.
    ///
    /// - Throws: `.keyTooSmall`, and what decoding an RSA `PublicKey` throws.
    public init(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>,
        requirements: Requirements
    ) throws(Refusal) {
        let key = try PublicKey(subjectPublicKeyInfo: bytes, in: range, limits: requirements.limits)
        guard key.modulusBitCount >= requirements.minimumModulusBits else {
            throw Refusal(.keyTooSmall, at: range.lowerBound, reading: "subjectPublicKeyInfo")
        }
        self = .rsa(key)
    }

    /// Verifies a signature over a message with this digest.
    ///
    /// - Throws: `.signatureLength`, `.signatureOutOfRange`, `.signatureMismatch`, all at offset 0.
    public func verify(
        _ signature: Span<UInt8>,
        of digest: Digest,
        by algorithm: Algorithm,
        acceleration: Acceleration
    ) throws(Refusal) {
        switch (self, algorithm) {
        case (.rsa(let key), .rsa): try key.verify(signature, digest: digest, acceleration: acceleration)
        }
    }
}

/// Signatures that are verified together.
///
/// RSA signatures are verified several at a time if the processor can do this: see ``SignatureBatch``.
struct SigningKeyBatch: Sendable {
    private var rsa: SignatureBatch

    /// Creates an empty batch.
    init(acceleration: Acceleration) { rsa = SignatureBatch(acceleration: acceleration) }

    /// The instruction sets used to verify signatures.
    var acceleration: Acceleration { rsa.acceleration }

    /// Adds a signature over a message with this digest, to be verified as ``SigningKey/verify`` does.
    mutating func append(
        _ signature: Span<UInt8>,
        of digest: Digest,
        by algorithm: SigningKey.Algorithm,
        _ key: SigningKey
    ) {
        switch (key, algorithm) {
        case (.rsa(let key), .rsa): rsa.append(signature, digest: digest, by: key)
        }
    }

    /// Whether each signature holds, in the order in which they were added. The batch is empty afterwards.
    mutating func verify() -> [Bool] { rsa.verify() }
}

extension HashAlgorithm {
    /// The hash algorithm that an RSA signature algorithm names (RFC 8017 §A.2.4).
    ///
    /// The parameters are NULL (RFC 3279 §2.2.1). With a hash algorithm of SHA-2 they may also be absent, and
    /// implementations must accept both forms (RFC 4055 §5).
    fileprivate init(rsaSignatureAlgorithm identifier: AlgorithmIdentifier) throws(Refusal) {
        let offset = identifier.range.lowerBound
        switch identifier.algorithm {
        case ObjectIdentifier(1, 2, 840, 113549, 1, 1, 5)?: self = .sha1
        case ObjectIdentifier(1, 2, 840, 113549, 1, 1, 11)?: self = .sha256
        case ObjectIdentifier(1, 2, 840, 113549, 1, 1, 12)?: self = .sha384
        case ObjectIdentifier(1, 2, 840, 113549, 1, 1, 13)?: self = .sha512
        default: throw Refusal(.unsupportedSignatureAlgorithm, at: offset, reading: "signatureAlgorithm")
        }
        guard identifier.parameters == .null || identifier.parameters == .absent && self != .sha1 else {
            throw Refusal(.invalidAlgorithmParameters, at: offset, reading: "signatureAlgorithm")
        }
    }
}
