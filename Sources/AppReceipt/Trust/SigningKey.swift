import Basics
import DER
import PKIX
import Processor
import RSA
import SHA

/// A public key that verifies the signatures of receipts and of their certificates.
///
/// There is one case for each kind of key that receipts may use. In this module only this file names a
/// signature algorithm: `PKIX`, `CMS` and the cache of keys work with any `SignatureKey`.
public enum SigningKey: SignatureKey {
    /// An RSA public key for signatures of RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
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

        /// Decodes a certificate's algorithm: RSASSA-PKCS1-v1_5 with SHA-1, SHA-256, SHA-384 or SHA-512.
        ///
        /// - Throws: `.unsupportedSignatureAlgorithm` for any other, and `.invalidAlgorithmParameters` unless
        ///   the parameters are NULL. With SHA-2 they may also be absent.
        public init(ofCertificate identifier: AlgorithmIdentifier) throws(Refusal) {
            self = .rsa(try HashAlgorithm(rsaSignatureAlgorithm: identifier))
        }

        /// Decodes the algorithm that a signer of a message used: rsaEncryption, or an algorithm that names
        /// its hash.
        ///
        /// rsaEncryption has NULL as its parameters (RFC 3370 §3.2), and `digest` is then the hash. For an
        /// algorithm that names its hash, `digest` is not used.
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
        /// The minimum length of an RSA modulus, in bits. NIST SP 800-131A requires 2048.
        package var minimumModulusBits = 2048
        /// Limits on the size of RSA keys.
        package var limits = KeyLimits.standard

        /// Creates the default requirements: at least 2048 bits, and the standard limits.
        public init() {}
    }

    /// Decodes the SubjectPublicKeyInfo that fills a range of the bytes.
    ///
    /// - Throws: what decoding an RSA `PublicKey` throws, such as `.modulusTooSmall` below 1024 bits, and
    ///   `.keyTooSmall` if the decoded key has fewer bits than `minimumModulusBits`.
    public init(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>,
        requirements: Requirements
    ) throws(Refusal) {
        let key: PublicKey
        do throws(Refusal) {
            key = try PublicKey(subjectPublicKeyInfo: bytes, in: range, limits: requirements.limits)
        } catch {
            throw error.code == .notAnRSAKey ? Self.named(error, bytes, in: range) : error
        }
        guard key.modulusBitCount >= requirements.minimumModulusBits else {
            throw Refusal(.keyTooSmall, at: range.lowerBound, reading: "subjectPublicKeyInfo")
        }
        self = .rsa(key)
    }

    /// The number of signature checks that one verification counts as.
    ///
    /// With the exponent 65537, an RSA key of up to 4096 bits counts as one check, and a key of 8192 bits as
    /// four. A key of 8192 bits whose exponent has 33 bits, all set, counts as fifteen. See
    /// `PublicKey.relativeCost`.
    public var checkWeight: Int {
        switch self {
        case .rsa(let key): key.relativeCost
        }
    }

    /// Checks the encoding of an RSA key in a SubjectPublicKeyInfo. A key of another algorithm passes.
    ///
    /// - Throws: what decoding an RSA `PublicKey` throws for its encoding.
    public static func checkEncoding(
        ofSubjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>
    ) throws(Refusal) {
        do throws(Refusal) {
            _ = try PublicKey.decode(subjectPublicKeyInfo: bytes, in: range)
        } catch {
            guard error.code == .notAnRSAKey else { throw error }
        }
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
/// RSA signatures are verified several at a time if the batch's instruction sets allow this: see
/// ``SignatureBatch``.
struct SigningKeyBatch: Sendable {
    private var rsa: SignatureBatch

    /// Creates an empty batch that verifies with these instruction sets.
    init(acceleration: Acceleration) { rsa = SignatureBatch(acceleration: acceleration) }

    /// The instruction sets that this batch verifies signatures with.
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

    /// Whether each signature is valid, in the order in which the signatures were added. The batch is empty
    /// afterwards.
    mutating func verify() -> [Bool] { rsa.verify() }
}

extension HashAlgorithm {
    /// The hash algorithm that an RSA signature algorithm names (RFC 8017 §A.2.4): SHA-1, SHA-256, SHA-384
    /// or SHA-512. Throws for any other algorithm, also for one with another hash algorithm.
    ///
    /// The parameters must be NULL (RFC 3279 §2.2.1). With a hash algorithm of SHA-2 they may also be absent,
    /// and implementations must accept both forms (RFC 4055 §5).
    fileprivate init(rsaSignatureAlgorithm identifier: AlgorithmIdentifier) throws(Refusal) {
        let offset = identifier.range.lowerBound
        switch identifier.algorithm {
        case .sha1WithRSAEncryption?: self = .sha1
        case .sha256WithRSAEncryption?: self = .sha256
        case .sha384WithRSAEncryption?: self = .sha384
        case .sha512WithRSAEncryption?: self = .sha512
        default:
            let code = Refusal.Code.unsupportedSignatureAlgorithm(identifier.algorithm)
            throw Refusal(code, at: offset, reading: "signatureAlgorithm")
        }
        guard identifier.parameters == .null || identifier.parameters == .absent && self != .sha1 else {
            throw Refusal(.invalidAlgorithmParameters, at: offset, reading: "signatureAlgorithm")
        }
    }
}

// MARK: Errors

extension SigningKey {
    /// The `.notAnRSAKey` refusal with the key's algorithm in its sentence; unchanged if that is unknown.
    private static func named(_ refusal: Refusal, _ bytes: Span<UInt8>, in range: Range<Int>) -> Refusal {
        var reader = Reader(bytes, in: range)
        guard var info = try? reader.nested(.sequence, "SubjectPublicKeyInfo"),
            let algorithm = try? AlgorithmIdentifier(&info, "SubjectPublicKeyInfo.algorithm")
        else { return refusal }
        return Refusal(.notAnRSAKey(algorithm.algorithm), at: refusal.offset, reading: refusal.reading)
    }

    /// The signature algorithm of a certificate for each of the hash algorithms, in their order, for errors.
    package static func certificateAlgorithms(over hashes: [HashAlgorithm]) -> [ObjectIdentifier] {
        hashes.map { hash in
            switch hash {
            case .sha1: .sha1WithRSAEncryption
            case .sha256: .sha256WithRSAEncryption
            case .sha384: .sha384WithRSAEncryption
            case .sha512: .sha512WithRSAEncryption
            }
        }
    }

    /// The signature algorithms of a message's signer, for errors: rsaEncryption, then one for each hash.
    package static func signerAlgorithms(over hashes: [HashAlgorithm]) -> [ObjectIdentifier] {
        [.rsaEncryption] + certificateAlgorithms(over: hashes)
    }
}

// A code with another sentence is the same code: codes are equal if their numbers are.
extension Refusal.Code {
    /// `.unsupportedSignatureAlgorithm` with a sentence that names the algorithm, if it is one that a newer
    /// version may verify.
    fileprivate static func unsupportedSignatureAlgorithm(_ identifier: ObjectIdentifier?) -> Self {
        unsupportedSignatureAlgorithm.saying(SignatureFamily(identifier)?.signature)
    }

    /// `.notAnRSAKey` with a sentence that names the key's algorithm, if it is one that a newer version may
    /// support.
    fileprivate static func notAnRSAKey(_ identifier: ObjectIdentifier?) -> Self {
        notAnRSAKey.saying(SignatureFamily(identifier)?.key)
    }

    private func saying(_ sentence: StaticString?) -> Self {
        sentence.map { Self(number, name, $0, kind: kind) } ?? self
    }
}

/// A family of signature algorithms that Apple or others may use in the future, and that are not verified in
/// receipts yet.
private struct SignatureFamily {
    /// The text for the `meaning` of a code that refuses a signature of the family.
    let signature: StaticString
    /// The text for the `meaning` of a code that refuses a key of the family.
    let key: StaticString

    /// The family of a signature's or a key's algorithm: ECDSA, RSASSA-PSS or Ed25519. Nil for any algorithm
    /// that is not defined in RFC 3279 §2.2.3, RFC 4055 §3.1, RFC 5480 §2.1.1, RFC 5758 §3.2 or RFC 8410 §3,
    /// such as ECDSA with SHA-3.
    init?(_ identifier: ObjectIdentifier?) {
        switch identifier {
        case ObjectIdentifier(1, 2, 840, 10045, 2, 1)?, ObjectIdentifier(1, 2, 840, 10045, 4, 1)?,
            ObjectIdentifier(1, 2, 840, 10045, 4, 3, 1)?, ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2)?,
            ObjectIdentifier(1, 2, 840, 10045, 4, 3, 3)?, ObjectIdentifier(1, 2, 840, 10045, 4, 3, 4)?:
            signature =
                "The signature is one of ECDSA, which this version does not verify. A newer version may support it."
            key = "The key is one of ECDSA, not of rsaEncryption. A newer version may support it."
        case ObjectIdentifier(1, 2, 840, 113549, 1, 1, 10)?:
            signature =
                "The signature is one of RSASSA-PSS, which this version does not verify. A newer version may support it."
            key = "The key is one of RSASSA-PSS, not of rsaEncryption. A newer version may support it."
        case ObjectIdentifier(1, 3, 101, 112)?:
            signature =
                "The signature is one of Ed25519, which this version does not verify. A newer version may support it."
            key = "The key is one of Ed25519, not of rsaEncryption. A newer version may support it."
        default: return nil
        }
    }
}

extension ObjectIdentifier {
    fileprivate static var sha1WithRSAEncryption: Self { Self(1, 2, 840, 113549, 1, 1, 5) }
    fileprivate static var sha256WithRSAEncryption: Self { Self(1, 2, 840, 113549, 1, 1, 11) }
    fileprivate static var sha384WithRSAEncryption: Self { Self(1, 2, 840, 113549, 1, 1, 12) }
    fileprivate static var sha512WithRSAEncryption: Self { Self(1, 2, 840, 113549, 1, 1, 13) }
}
