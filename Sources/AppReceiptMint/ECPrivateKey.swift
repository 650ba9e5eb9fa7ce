import Basics
import DER
import ECDSA
import SHA

/// A private key for ECDSA (FIPS 186-5 §6) for tests. **Never use it to keep a secret.** A key made from a
/// seed follows from 64 bits, the generator is public, and the time that a signature takes reveals any key.
///
/// The same seed and curve give the same key on every platform. The same key and digest give the same
/// signature, because the signature's random number follows from them (RFC 6979).
public struct ECPrivateKey: CertificateKey {
    /// The curve of the key.
    public let curve: Curve
    /// The public key in uncompressed form: 04, x and y (SEC 1 §2.3.3).
    public let point: [UInt8]
    /// The private key d.
    private let scalar: PrivateScalar

    /// The multiples of the base point of P-256, which make signatures on P-256 faster.
    private static let baseMultiples = P256Multiples.ofBasePoint

    /// Returns the key of a seed.
    ///
    /// - Parameters:
    ///   - curve: the curve of the key. The same seed gives different keys on the two curves.
    ///   - seed: the start of the ``SeededGenerator`` that gives the octets of d. Anyone who knows the seed
    ///     has the key.
    public init(_ curve: Curve = .p256, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        while true {
            let octets = (0..<curve.scalarOctetCount / 8).flatMap { _ in generator.next().octets }
            // Nearly every number is below n.
            if let key = Self(curve, octets: octets) {
                self = key
                return
            }
        }
    }

    /// Makes a key of a private key d.
    ///
    /// - Parameters:
    ///   - curve: the curve, whose order is n.
    ///   - octets: d, the most significant octet first, as many octets as n has: 32 on P-256, 48 on P-384.
    /// - Returns: nil for another length, for zero, and for a number that is not below n.
    public init?(_ curve: Curve, octets: [UInt8]) {
        guard let scalar = PrivateScalar(curve, octets: octets.borrowedSpan) else { return nil }
        (self.curve, self.scalar, point) = (curve, scalar, scalar.point)
    }
}

extension ECPrivateKey: CustomStringConvertible {
    /// A short name such as `ECDSA test key, P-256`.
    public var description: String { "ECDSA test key, \(curve == .p256 ? "P-256" : "P-384")" }
}

// MARK: Signatures

extension ECPrivateKey {
    /// The signature of the message that has this digest, as a DER ECDSA-Sig-Value (RFC 3279 §2.2.3).
    public func sign(_ digest: Digest) -> [UInt8] {
        let both = signConcatenated(digest)
        return Writer.sequence { value in
            value.writeUnsignedInteger([UInt8](both.prefix(both.count / 2)))
            value.writeUnsignedInteger([UInt8](both.suffix(both.count / 2)))
        }
    }

    /// The signature r ‖ s of the message that has this digest, as tokens have it (RFC 7518 §3.4).
    ///
    /// The random number k comes from a generator of RFC 6979 §3.2 with the digest's hash algorithm.
    public func signConcatenated(_ digest: Digest) -> [UInt8] {
        let secret = scalar.octets + PrivateScalar.reduced(digest, curve)
        var generator = NonceGenerator(digest.algorithm, secret)
        while true {
            let nonce = generator.next(curve.scalarOctetCount)
            if let signature = scalar.signature(
                of: digest,
                nonce: nonce.borrowedSpan,
                base: Self.baseMultiples
            ) {
                return signature
            }
        }
    }
}

/// The generator of the numbers k for one key and one digest (RFC 6979 §3.2).
private struct NonceGenerator {
    private let hash: HashAlgorithm
    private var key: [UInt8]
    private var value: [UInt8]
    /// Whether a number k was drawn, so that the next one needs new state (RFC 6979 §3.2, step h.3).
    private var isUsed = false

    /// Makes the initial K and V (RFC 6979 §3.2, steps b to g).
    ///
    /// - Parameter secret: int2octets(d) ‖ bits2octets(digest), as in step d.
    init(_ hash: HashAlgorithm, _ secret: [UInt8]) {
        self.hash = hash
        let empty: [UInt8] = []
        let count = hash.digest(of: empty.borrowedSpan).bytes.count
        key = [UInt8](repeating: 0x00, count: count)
        value = [UInt8](repeating: 0x01, count: count)
        update([0x00] + secret)
        update([0x01] + secret)
    }

    /// Step h of RFC 6979 §3.2: the next candidate for k in `count` octets, as many as n has. Only whole
    /// octets are cut off, because n has whole octets on both curves. The caller checks that k is in 1…n-1.
    mutating func next(_ count: Int) -> [UInt8] {
        if isUsed { update([0x00]) }
        isUsed = true
        var octets: [UInt8] = []
        while octets.count < count {
            value = authenticationCode(hash, key, value)
            octets += value
        }
        return [UInt8](octets.prefix(count))
    }

    /// Replaces K (`key`) by HMAC_K(V ‖ text), then V (`value`) by HMAC_K(V): steps d and e, f and g, h.3 of
    /// RFC 6979 §3.2.
    private mutating func update(_ text: [UInt8]) {
        key = authenticationCode(hash, key, value + text)
        value = authenticationCode(hash, key, value)
    }
}

/// HMAC (FIPS 198-1). Precondition: the key is not longer than a block of the hash.
private func authenticationCode(_ hash: HashAlgorithm, _ key: [UInt8], _ text: [UInt8]) -> [UInt8] {
    let blockCount = hash == .sha384 || hash == .sha512 ? 128 : 64
    let padded = key + [UInt8](repeating: 0, count: blockCount - key.count)
    let inner = hash.digest(of: (padded.map { $0 ^ 0x36 } + text).borrowedSpan).bytes
    return hash.digest(of: (padded.map { $0 ^ 0x5C } + inner).borrowedSpan).bytes
}

extension UInt64 {
    /// The eight octets of this word, the most significant first.
    fileprivate var octets: [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: self >> UInt64(8 * $0)) }
    }
}

// MARK: Encodings

extension ECPrivateKey {
    /// SubjectPublicKeyInfo of the public key (RFC 5280 §4.1, RFC 5480 §2), in DER.
    public var subjectPublicKeyInfo: [UInt8] {
        Writer.sequence { writer in
            writer.writeEncoded(keyAlgorithm)
            writer.writeBitString(point)
        }
    }

    /// The key identifier: SHA-1 of the bits of subjectPublicKey (RFC 5280 §4.2.1.2, method 1), 20 octets.
    public var keyIdentifier: [UInt8] { HashAlgorithm.sha1.digest(of: point.borrowedSpan).bytes }

    /// The AlgorithmIdentifier id-ecPublicKey with the curve as namedCurve (RFC 5480 §2.1.1), in DER.
    private var keyAlgorithm: [UInt8] {
        let name: ObjectIdentifier = curve == .p256 ? .secp256r1 : .secp384r1
        var parameters = Writer()
        parameters.writeObjectIdentifier(name)
        return AlgorithmTemplate(.ecPublicKey, parameters: parameters.bytes).encoded()
    }

    /// The private key as a PrivateKeyInfo (RFC 5208 §5; PKCS #8) with an ECPrivateKey (RFC 5915 §3),
    /// unencrypted, in DER, for `openssl`.
    public var privateKeyInfo: [UInt8] {
        let ecPrivateKey = Writer.sequence { key in
            key.writeInteger(1)
            key.writeOctetString(scalar.octets)
            key.nest(.constructed(1)) { $0.writeBitString(point) }
        }
        return Writer.sequence { writer in
            writer.writeInteger(0)
            writer.writeEncoded(keyAlgorithm)
            writer.writeOctetString(ecPrivateKey)
        }
    }

    /// The AlgorithmIdentifier of ECDSA with this hash algorithm, without parameters (RFC 5758 §3.2;
    /// RFC 3279 §2.2.3 for SHA-1).
    public static func signatureAlgorithm(_ hash: HashAlgorithm) -> AlgorithmTemplate {
        .ecdsaSignature(hash)
    }

    /// The default hash of the certificates' signatures in a ``KeyedPKI`` with keys of this type: SHA-384, as
    /// in Apple's certificates for tokens.
    public static var certificateHash: HashAlgorithm { .sha384 }
}

extension Curve {
    /// How many octets the order n has.
    fileprivate var scalarOctetCount: Int { self == .p256 ? 32 : 48 }
}
