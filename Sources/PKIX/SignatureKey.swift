import Basics
import Processor
import SHA

/// A signature algorithm with its parameters checked.
///
/// A type of key names its type of algorithm: ``SignatureKey/Algorithm``. `PKIX` and `CMS` name no signature
/// algorithm. A module that adds one defines two types: one conforms to this protocol, and the other to
/// ``SignatureKey``.
public protocol SignatureAlgorithm: Sendable, Hashable {
    /// The hash algorithm whose digest is signed.
    var hash: HashAlgorithm { get }

    /// Decodes the algorithm that signs a certificate (RFC 5280 §4.1.1.2).
    ///
    /// - Throws: `.unsupportedSignatureAlgorithm` for an unsupported algorithm, and
    ///   `.invalidAlgorithmParameters` for wrong parameters. Both are codes of `PKIX`.
    init(ofCertificate identifier: AlgorithmIdentifier) throws(Refusal)

    /// Decodes the algorithm that a signer of a message used (RFC 5652 §5.3).
    ///
    /// - Parameter digest: the hash algorithm of the signer's `digestAlgorithm`. An identifier that names no
    ///   hash of its own uses this hash. The caller compares ``hash`` with `digest` afterwards.
    /// - Throws: `Refusal`, as ``init(ofCertificate:)`` does.
    init(ofSigner identifier: AlgorithmIdentifier, digest: HashAlgorithm) throws(Refusal)
}

/// A public key that verifies signatures.
public protocol SignatureKey: Sendable {
    /// The type of the signature algorithms that keys of this type verify.
    associatedtype Algorithm: SignatureAlgorithm
    /// The type of requirements on a key, such as a smallest size.
    associatedtype Requirements: Sendable, Hashable

    /// Decodes a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    ///
    /// - Parameters:
    ///   - bytes: the buffer that holds the SubjectPublicKeyInfo. Offsets in errors count from its start.
    ///   - range: the range of the whole SubjectPublicKeyInfo in the buffer.
    ///   - requirements: what the key must satisfy.
    /// - Throws: `Refusal` if the key is malformed, unsupported, or does not satisfy the requirements.
    init(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>,
        requirements: Requirements
    ) throws(Refusal)

    /// The number of signature checks, at least 1, that one verification by this key counts as.
    ///
    /// ``PathPolicy/signatureChecks`` bounds the sum in a path search.
    var checkWeight: Int { get }

    /// Checks the encoding of a SubjectPublicKeyInfo, even if its key is never used to verify a signature.
    ///
    /// A key of an algorithm that this type does not know passes, and so does a key that does not satisfy
    /// requirements. `CertificationPath.find` calls this function for each offered certificate, so that a
    /// malformed key is refused even if no signature needs the key.
    ///
    /// - Parameters:
    ///   - bytes: the buffer that holds the SubjectPublicKeyInfo. Offsets in errors count from its start.
    ///   - range: the range of the whole SubjectPublicKeyInfo in the buffer.
    /// - Throws: `Refusal` if the key is malformed.
    static func checkEncoding(
        ofSubjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>
    ) throws(Refusal)

    /// Verifies a signature over a message with this digest.
    ///
    /// - Parameters:
    ///   - signature: the octets of the signature.
    ///   - algorithm: the algorithm that the certificate or the signer names. It must be one for keys of this
    ///     kind.
    ///   - acceleration: the instruction sets that may be used. They do not change the result.
    /// - Throws: `Refusal` if the signature does not hold. Its offset counts from the signature's first
    ///   octet.
    func verify(
        _ signature: Span<UInt8>,
        of digest: Digest,
        by algorithm: Algorithm,
        acceleration: Acceleration
    ) throws(Refusal)
}
