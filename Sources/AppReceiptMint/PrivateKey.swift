import Basics
import DER
import SHA

/// An RSA private key (RFC 8017 §3.2) for tests. **Never use it to keep a secret.** A key made from a seed
/// follows from 64 bits, the generator is public, and the time that a signature takes reveals any key.
///
/// The same seed and parameters give the same key on every platform. A few keys of 2048 bits ship with this
/// module; see ``init(_:seed:)``. Any other key is generated, which takes time: share keys between tests.
public struct PrivateKey: Sendable {
    /// The length of the modulus in bits, and the public exponent.
    public let parameters: KeyParameters
    // The numbers of an RSAPrivateKey, under the names of RFC 8017 §A.1.2.
    private let modulus: Natural
    private let privateExponent: Natural
    private let prime1: Natural
    private let prime2: Natural
    private let exponent1: Natural
    private let exponent2: Natural
    private let coefficient: Natural

    /// Returns the key of a seed.
    ///
    /// For ``KeyParameters/rsa2048``, the keys of the seeds 1 and 2 ship with this module, and so do the six
    /// keys of `PrivatePKI.Keys(seed: 1)` and `PrivatePKI.Keys(seed: 2)`. Any other key is generated.
    ///
    /// - Parameter seed: the start of the ``SeededGenerator`` that drives the search for primes. Anyone who
    ///   knows the seed has the key.
    public init(_ parameters: KeyParameters = .rsa2048, seed: UInt64) {
        self = ShippedKey.key(parameters, seed: seed) ?? PrivateKey(generating: parameters, seed: seed)
    }

    /// Generates the key of a seed by a search for primes, even if the key ships with this module.
    package init(generating parameters: KeyParameters, seed: UInt64) {
        var primes = PrimeGenerator(exponent: parameters.exponent, seed: seed)
        while true {
            let one = primes.prime(bits: parameters.bits / 2)
            if let key = Self(parameters, one, primes.prime(bits: parameters.bits / 2)) {
                self = key
                return
            }
        }
    }

    /// Makes a key of two primes, as octets, the most significant first. Returns nil if they are equal or
    /// have a common divisor, or if the public exponent has no inverse modulo (p - 1)(q - 1).
    ///
    /// Whether the numbers are primes of the right length is not checked. If they are not, making the key or
    /// signing with the key may stop the program.
    package init?(_ parameters: KeyParameters, _ one: [UInt8], _ other: [UInt8]) {
        self.init(parameters, Natural(octets: one), Natural(octets: other))
    }

    /// Makes a key of two primes p and q. Nil if p and q have a common divisor, or if the public exponent has
    /// no inverse modulo (p - 1)(q - 1).
    init?(_ parameters: KeyParameters, _ one: Natural, _ other: Natural) {
        let exponent = Natural(UInt64(parameters.exponent))
        (prime1, prime2) = one < other ? (other, one) : (one, other)
        let (less1, less2) = (prime1 - Natural(1), prime2 - Natural(1))
        guard let privateExponent = exponent.inverse(modulo: less1 * less2),
            let coefficient = prime2.inverse(modulo: prime1)
        else { return nil }
        self.parameters = parameters
        modulus = prime1 * prime2
        self.privateExponent = privateExponent
        exponent1 = privateExponent % less1
        exponent2 = privateExponent % less2
        self.coefficient = coefficient
    }
}

extension PrivateKey: CustomStringConvertible {
    /// A short name such as `RSA test key, 2048 bits`. It has the exponent unless that is 65537.
    public var description: String {
        let exponent = parameters.exponent == 65537 ? "" : ", e = \(parameters.exponent)"
        return "RSA test key, \(parameters.bits) bits\(exponent)"
    }
}

// MARK: RSASSA-PKCS1-v1_5

extension PrivateKey {
    /// The length of the modulus, and of a signature, in octets: k in RFC 8017.
    public var modulusByteCount: Int { (parameters.bits + 7) / 8 }

    /// The signature of the message that has this digest: RSASSA-PKCS1-V1_5-SIGN (RFC 8017 §8.2.1).
    public func sign(_ digest: Digest) -> [UInt8] { rawSign(encodedMessage(digest)) }

    /// The encoded message that ``sign(_:)`` signs: EM of EMSA-PKCS1-v1_5 (RFC 8017 §9.2). Forgeries start
    /// from it.
    public func encodedMessage(_ digest: Digest) -> [UInt8] {
        let digestInfo = Writer.sequence { writer in
            writer.writeEncoded(AlgorithmTemplate.digest(digest.algorithm).encoded())
            writer.writeOctetString(digest.bytes)
        }
        // A modulus has at least 128 octets, and the longest DigestInfo has 83.
        let padding = [UInt8](repeating: 0xFF, count: modulusByteCount - digestInfo.count - 3)
        return [0x00, 0x01] + padding + [0x00] + digestInfo
    }

    /// Signs any encoded message, right or wrong: RSASP1 (RFC 8017 §5.2.1) by the Chinese remainder theorem
    /// (§5.1.2).
    ///
    /// The result is checked with the public exponent. A miscalculated signature stops the program, since it
    /// would reveal the key.
    ///
    /// - Parameter encodedMessage: most significant octet first. A number that is not below the modulus is
    ///   reduced modulo it.
    public func rawSign(_ encodedMessage: [UInt8]) -> [UInt8] {
        let message = Natural(octets: encodedMessage)
        let first = message.power(exponent1, modulo: prime1)
        let second = message.power(exponent2, modulo: prime2)
        // `second` is below q, and so below p.
        let difference = (first + prime1 - second) * coefficient % prime1
        let signature = difference * prime2 + second
        precondition(
            signature.power(Natural(UInt64(parameters.exponent)), modulo: modulus) == message % modulus,
            "the signature was miscalculated, or the key's numbers are wrong"
        )
        return signature.octets(count: modulusByteCount)
    }
}

// MARK: Encodings

extension PrivateKey {
    /// SubjectPublicKeyInfo of the public key (RFC 5280 §4.1, RFC 3279 §2.3.1), in DER.
    public var subjectPublicKeyInfo: [UInt8] {
        Writer.sequence { writer in
            writer.writeEncoded(AlgorithmTemplate.rsaEncryption.encoded())
            writer.writeBitString(publicKey)
        }
    }

    /// The key identifier: SHA-1 of the bits of subjectPublicKey (RFC 5280 §4.2.1.2, method 1), 20 octets.
    public var keyIdentifier: [UInt8] { HashAlgorithm.sha1.digest(of: publicKey.borrowedSpan).bytes }

    /// The public key as an RSAPublicKey (RFC 8017 §A.1.1), in DER.
    private var publicKey: [UInt8] {
        Writer.sequence { writer in
            writer.writeUnsignedInteger(modulus.octets(count: modulusByteCount))
            writer.writeInteger(Int64(parameters.exponent))
        }
    }

    /// The private key as an RSAPrivateKey (RFC 8017 §A.1.2; PKCS #1), unencrypted, in DER.
    public var rsaPrivateKey: [UInt8] {
        Writer.sequence { writer in
            writer.writeInteger(0)
            writer.writeUnsignedInteger(modulus.octets(count: modulusByteCount))
            writer.writeInteger(Int64(parameters.exponent))
            for number in [privateExponent, prime1, prime2, exponent1, exponent2, coefficient] {
                writer.writeUnsignedInteger(number.octets(count: 8 * number.limbs.count))
            }
        }
    }

    /// The private key as a PrivateKeyInfo (RFC 5208 §5; PKCS #8), unencrypted, in DER, for `openssl`.
    public var privateKeyInfo: [UInt8] {
        Writer.sequence { writer in
            writer.writeInteger(0)
            writer.writeEncoded(AlgorithmTemplate.rsaEncryption.encoded())
            writer.writeOctetString(rsaPrivateKey)
        }
    }
}
