import DER
import RSA
import SHA

/// The check of one signature, as path validation asks for it. Whoever supports another algorithm conforms to
/// this; the path does not change.
public protocol SignatureVerifier {
    /// By what signatures are verified, and the digests made that it is asked about.
    var acceleration: Acceleration { get }

    /// The hash that a certificate's signature algorithm signs.
    ///
    /// - Throws: `Refusal` where the algorithm is not supported, or its parameters are wrong.
    func hashAlgorithm(
        of signatureAlgorithm: AlgorithmIdentifier
    ) throws(Refusal) -> HashAlgorithm

    /// Checks a signature over a digest with a key.
    ///
    /// - Parameters:
    ///   - signature: where it lies in `bytes`, which must be inside.
    ///   - subjectPublicKeyInfo: where the key lies in `keyBytes`, which may be another buffer; inside, too.
    /// - Throws: `Refusal` unless the signature is right; its offset is in `bytes`, or in `keyBytes` where it
    ///   is the key that is refused.
    mutating func verify(
        _ signature: Range<Int>,
        in bytes: Span<UInt8>,
        of digest: Digest,
        by subjectPublicKeyInfo: Range<Int>,
        in keyBytes: Span<UInt8>
    ) throws(Refusal)
}

extension SignatureVerifier {
    /// Portable code.
    public var acceleration: Acceleration { .none }
}

/// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2) with SHA-1, SHA-256, SHA-384 or SHA-512, which remembers the constants
/// of the keys it met.
///
/// What it remembers is a function of a key's bytes and nothing else, so nobody can plant anything in it.
/// A value, without locks: each worker keeps its own.
public struct RSAVerifier: SignatureVerifier, Sendable {
    /// The smallest modulus accepted, in bits.
    public let minimumModulusBits: Int
    /// By what signatures are verified, and the digests made that it is asked about.
    public var acceleration: Acceleration
    let limits: Limits
    private(set) var keys: [(encoding: [UInt8], key: PublicKey)] = []
    private var oldest = 0

    /// How many keys are remembered; the oldest gives way. Apple has had fewer than a dozen at any one time.
    private static let capacity = 64

    /// - Parameter minimumModulusBits: below it a key is refused. NIST SP 800-131A asks for 2048, and every
    ///   genuine receipt's keys have that many or more.
    public init(
        minimumModulusBits: Int = 2048,
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) {
        self.minimumModulusBits = minimumModulusBits
        self.acceleration = acceleration
        self.limits = limits
    }

    /// The hash of one of the four algorithms (RFC 8017 §A.2.4).
    ///
    /// - Throws: `.unsupportedSignatureAlgorithm`, `.invalidAlgorithmParameters`.
    public func hashAlgorithm(
        of signatureAlgorithm: AlgorithmIdentifier
    ) throws(Refusal) -> HashAlgorithm {
        try HashAlgorithm(rsaSignatureAlgorithm: signatureAlgorithm)
    }

    /// RSASSA-PKCS1-V1_5-VERIFY (RFC 8017 §8.2.2), with a key that is decoded once and remembered.
    ///
    /// - Throws: `.signatureLength`, `.signatureOutOfRange`, `.signatureMismatch`, at its place in `bytes`;
    ///   `.keyTooSmall`, and what decoding a `PublicKey` throws, in `keyBytes`.
    public mutating func verify(
        _ signature: Range<Int>,
        in bytes: Span<UInt8>,
        of digest: Digest,
        by subjectPublicKeyInfo: Range<Int>,
        in keyBytes: Span<UInt8>
    ) throws(Refusal) {
        let key = try key(at: subjectPublicKeyInfo, in: keyBytes)
        do throws(Refusal) {
            try key.verify(bytes.extracting(signature), digest: digest, acceleration: acceleration)
        } catch {
            throw Refusal(error.code, at: signature.lowerBound + error.offset, reading: error.reading)
        }
    }

    /// A key, decoded once and remembered.
    ///
    /// - Parameter range: where its SubjectPublicKeyInfo lies in `bytes`, which must be inside.
    /// - Throws: `.keyTooSmall`, and what decoding a `PublicKey` throws.
    public mutating func key(at range: Range<Int>, in bytes: Span<UInt8>) throws(Refusal) -> PublicKey {
        for known in keys where bytes.holds(range, sameAs: known.encoding.span, 0..<known.encoding.count) {
            return known.key
        }
        let key = try PublicKey(subjectPublicKeyInfo: bytes, in: range, limits: limits)
        guard key.modulusBitCount >= minimumModulusBits else {
            throw Refusal(.keyTooSmall, at: range.lowerBound, reading: "subjectPublicKeyInfo")
        }
        let entry = ([UInt8](bytes, in: range), key)
        if keys.count < Self.capacity {
            keys.append(entry)
        } else {
            keys[oldest] = entry
            oldest = (oldest + 1) % Self.capacity
        }
        return key
    }
}

extension HashAlgorithm {
    /// The hash that a signature algorithm names which is RSA over a hash (RFC 8017 §A.2.4).
    ///
    /// The parameters are NULL (RFC 3279 §2.2.1); with the SHA-2 hashes they may be absent as well, which
    /// whoever reads has to accept (RFC 4055 §5).
    ///
    /// - Throws: `.unsupportedSignatureAlgorithm`, `.invalidAlgorithmParameters`.
    public init(rsaSignatureAlgorithm algorithm: AlgorithmIdentifier) throws(Refusal) {
        let offset = algorithm.range.lowerBound
        switch algorithm.algorithm {
        case ObjectIdentifier(1, 2, 840, 113549, 1, 1, 5)?: self = .sha1
        case ObjectIdentifier(1, 2, 840, 113549, 1, 1, 11)?: self = .sha256
        case ObjectIdentifier(1, 2, 840, 113549, 1, 1, 12)?: self = .sha384
        case ObjectIdentifier(1, 2, 840, 113549, 1, 1, 13)?: self = .sha512
        default: throw Refusal(.unsupportedSignatureAlgorithm, at: offset, reading: "signatureAlgorithm")
        }
        guard algorithm.parameters == .null || algorithm.parameters == .absent && self != .sha1 else {
            throw Refusal(.invalidAlgorithmParameters, at: offset, reading: "signatureAlgorithm")
        }
    }
}
