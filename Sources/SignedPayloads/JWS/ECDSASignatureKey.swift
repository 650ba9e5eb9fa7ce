import Basics
import DER
import ECDSA
import PKIX
import Processor
import SHA

/// A public key of the types that the certificates of App Store tokens have: ECDSA on P-256 or P-384, and no
/// other type.
public struct ECDSASignatureKey: SignatureKey {
    /// The decoded key.
    let key: ECPublicKey
    /// The key with constant multiples, if it is the key of Apple Root CA - G3 or of the WWDR intermediate
    /// G6; nil for any other key.
    let known: KnownKey?

    /// ECDSA with a hash algorithm (RFC 5758 §3.2).
    public struct Algorithm: SignatureAlgorithm {
        /// The hash algorithm whose digest is signed.
        public let hash: HashAlgorithm

        /// Decodes ecdsa-with-SHA256, ecdsa-with-SHA384 or ecdsa-with-SHA512. The parameters must be
        /// absent (RFC 5758 §3.2).
        ///
        /// - Throws: `.unsupportedSignatureAlgorithm`, `.invalidAlgorithmParameters`.
        public init(ofCertificate identifier: AlgorithmIdentifier) throws(Refusal) {
            let offset = identifier.range.lowerBound
            switch identifier.algorithm {
            case ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2)?: hash = .sha256
            case ObjectIdentifier(1, 2, 840, 10045, 4, 3, 3)?: hash = .sha384
            case ObjectIdentifier(1, 2, 840, 10045, 4, 3, 4)?: hash = .sha512
            default: throw Refusal(.unsupportedSignatureAlgorithm, at: offset, reading: "signatureAlgorithm")
            }
            guard identifier.parameters == .absent else {
                throw Refusal(.invalidAlgorithmParameters, at: offset, reading: "signatureAlgorithm")
            }
        }

        /// Decodes the algorithm of a signer, as ``init(ofCertificate:)`` does. Does not use `digest`.
        public init(ofSigner identifier: AlgorithmIdentifier, digest: HashAlgorithm) throws(Refusal) {
            try self.init(ofCertificate: identifier)
        }
    }

    /// Requirements on a key. There are none, because both curves, P-256 and P-384, are strong enough.
    public struct Requirements: Sendable, Hashable {
        /// Creates the only value of this type.
        public init() {}
    }

    /// Decodes a SubjectPublicKeyInfo.
    ///
    /// - Throws: what decoding an `ECPublicKey` throws.
    public init(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>,
        requirements: Requirements
    ) throws(Refusal) {
        key = try ECPublicKey(subjectPublicKeyInfo: bytes, in: range)
        known =
            KnownKey(key, multiples: appleRootG3Multiples) ?? KnownKey(key, multiples: appleWWDRG6Multiples)
    }

    /// The number of signature checks that one verification counts as: always 1. The path of a token of
    /// the App Store takes two.
    public var checkWeight: Int { 1 }

    /// Checks the encoding of a key. A key of another algorithm or curve passes, and so does a key whose
    /// point is not in uncompressed form.
    ///
    /// - Throws: what decoding an `ECPublicKey` throws, except the codes of the kind `unsupported`.
    public static func checkEncoding(
        ofSubjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>
    ) throws(Refusal) {
        do throws(Refusal) {
            _ = try ECPublicKey(subjectPublicKeyInfo: bytes, in: range)
        } catch {
            guard error.code.kind == .unsupported else { throw error }
        }
    }

    /// Verifies a signature in DER: an ECDSA-Sig-Value (RFC 3279 §2.2.3), as certificates have.
    ///
    /// - Throws: what `ECPublicKey.verify` throws.
    public func verify(
        _ signature: Span<UInt8>,
        of digest: Digest,
        by algorithm: Algorithm,
        acceleration: Acceleration
    ) throws(Refusal) {
        if let known { return try known.verify(signature, digest: digest) }
        try key.verify(signature, digest: digest)
    }
}
