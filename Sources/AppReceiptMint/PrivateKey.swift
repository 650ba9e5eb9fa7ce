import DER
import RSA
import SHA

/// What an RSA key is like: the length of its modulus, and its public exponent.
public struct KeyParameters: Sendable, Hashable {
    /// The length of the modulus in bits.
    public let bits: Int
    /// The public exponent, e.
    public let exponent: UInt32

    /// Nil unless the modulus has an even number of bits from 1024 to 16384 (OpenSSL's bound), and the
    /// exponent is odd and 3 or more.
    public init?(bits: Int, exponent: UInt32 = 65537) {
        guard (1024...16384).contains(bits), bits % 2 == 0, exponent >= 3, exponent % 2 == 1 else {
            return nil
        }
        self.init(checkedBits: bits, exponent: exponent)
    }

    private init(checkedBits bits: Int, exponent: UInt32 = 65537) {
        self.bits = bits
        self.exponent = exponent
    }

    /// Too short for a receipt: for tests that want a refusal.
    public static var rsa1024: Self { Self(checkedBits: 1024) }
    /// The shortest that a receipt's certificates may have, and that of all of Apple's but a root.
    public static var rsa2048: Self { Self(checkedBits: 2048) }
    /// Between the two that Apple uses.
    public static var rsa3072: Self { Self(checkedBits: 3072) }
    /// That of Apple Root CA - G2.
    public static var rsa4096: Self { Self(checkedBits: 4096) }
}

/// An RSA private key (RFC 8017 §3.2) for tests. **Never use it to keep a secret**: it is made from a
/// seed of 64 bits, by a generator that anybody can run, and how long it takes to sign tells the key.
///
/// The same seed and parameters give the same key on every platform. Making one of 2048 bits takes some
/// hundredths of a second in release builds, and about a second in debug builds: share keys between
/// tests.
public struct PrivateKey: Sendable {
    /// What the key is like.
    public let parameters: KeyParameters
    /// n = p·q.
    private let modulus: MontgomeryModulus
    /// p, the larger of the two, and q.
    private let firstPrime: MontgomeryModulus
    private let secondPrime: MontgomeryModulus
    private let numbers: Numbers

    /// The numbers of an RSAPrivateKey, by the names of RFC 8017 §A.1.2.
    struct Numbers: Sendable {
        let modulus: Natural
        let privateExponent: Natural
        let prime1: Natural
        let prime2: Natural
        let exponent1: Natural
        let exponent2: Natural
        let coefficient: Natural
    }

    /// Makes a key.
    ///
    /// - Parameter seed: of the ``SeededGenerator`` that the search for primes begins with. Whoever knows it
    ///   has the key.
    public init(_ parameters: KeyParameters = .rsa2048, seed: UInt64) {
        var primes = PrimeGenerator(exponent: parameters.exponent, seed: seed)
        while true {
            let one = primes.prime(bits: parameters.bits / 2)
            let other = primes.prime(bits: parameters.bits / 2)
            let (larger, smaller) = one.isBelow(other) ? (other, one) : (one, other)
            if let key = Self(parameters, larger, smaller) {
                self = key
                return
            }
        }
    }

    /// Nil where the two primes are the same, or are none.
    private init?(_ parameters: KeyParameters, _ larger: Natural, _ smaller: Natural) {
        let exponent = parameters.exponent
        let one = Natural(limbs: [1])
        let product = larger.multiplied(by: smaller)
        let octetCount = (parameters.bits + 7) / 8
        let primeOctetCount = (parameters.bits / 2 + 7) / 8
        guard smaller.isBelow(larger),
            let modulus = MontgomeryModulus(bigEndian: product.octets(count: octetCount).span),
            let first = MontgomeryModulus(bigEndian: larger.octets(count: primeOctetCount).span),
            let second = MontgomeryModulus(bigEndian: smaller.octets(count: primeOctetCount).span),
            let exponent1 = Self.inverse(of: exponent, modulo: larger.subtracting(one)),
            let exponent2 = Self.inverse(of: exponent, modulo: smaller.subtracting(one)),
            let privateExponent = Self.inverse(
                of: exponent,
                modulo: larger.subtracting(one).multiplied(by: smaller.subtracting(one))
            )
        else { return nil }
        // Fermat: q^(p-2) is the inverse of q modulo p.
        let coefficient = first.power(smaller.limbs, larger.subtracting(Natural(limbs: [2])).limbs)
        self.parameters = parameters
        self.modulus = modulus
        firstPrime = first
        secondPrime = second
        numbers = Numbers(
            modulus: product,
            privateExponent: privateExponent,
            prime1: larger,
            prime2: smaller,
            exponent1: exponent1,
            exponent2: exponent2,
            coefficient: Natural(limbs: coefficient)
        )
    }

    /// The inverse of a word modulo a long number, by arithmetic modulo the word: with k = -modulus⁻¹ mod
    /// word, the word divides 1 + k·modulus, and the quotient is the inverse.
    private static func inverse(of word: UInt32, modulo modulus: Natural) -> Natural? {
        let remainder = modulus.remainder(dividedBy: UInt64(word))
        guard let positive = AppReceiptMint.inverse(of: remainder, modulo: word) else { return nil }
        let multiple = modulus.multiplied(by: Natural(limbs: [UInt64(word) - positive]))
        return multiple.adding(Natural(limbs: [1])).divided(by: UInt64(word)).quotient
    }
}

// MARK: RSASSA-PKCS1-v1_5

extension PrivateKey {
    /// The length of the modulus, and of a signature, in octets: k in RFC 8017.
    public var modulusByteCount: Int { (parameters.bits + 7) / 8 }

    /// Signs a message with this digest: RSASSA-PKCS1-V1_5-SIGN (RFC 8017 §8.2.1).
    public func sign(_ digest: Digest) -> [UInt8] { rawSign(encodedMessage(digest)) }

    /// EM of EMSA-PKCS1-v1_5 (RFC 8017 §9.2): what ``sign(_:)`` signs, for forgeries to begin with.
    public func encodedMessage(_ digest: Digest) -> [UInt8] {
        var digestInfo = Writer()
        digestInfo.nest(.sequence) { writer in
            writer.writeEncoded(AlgorithmTemplate.digest(digest.algorithm).encoded())
            writer.writeOctetString(digest.bytes)
        }
        // A modulus has 128 octets at least, and the longest DigestInfo has 83.
        let padding = [UInt8](repeating: 0xFF, count: modulusByteCount - digestInfo.bytes.count - 3)
        return [0x00, 0x01] + padding + [0x00] + digestInfo.bytes
    }

    /// RSASP1 (RFC 8017 §5.2.1) by the Chinese remainder theorem (§5.1.2): the signature whose encoded
    /// message is this, whatever it says.
    ///
    /// The result is checked with the public exponent, which finds what a fault of the machine would
    /// reveal.
    ///
    /// - Parameter encodedMessage: most significant octet first. A number that is not below the modulus
    ///   counts modulo it.
    public func rawSign(_ encodedMessage: [UInt8]) -> [UInt8] {
        let message = Natural(octets: encodedMessage)
        let first = Natural(limbs: firstPrime.power(message.limbs, numbers.exponent1.limbs))
        let second = Natural(limbs: secondPrime.power(message.limbs, numbers.exponent2.limbs))
        // The second is below q, and so below p.
        let difference = (first.isBelow(second) ? first.adding(numbers.prime1) : first).subtracting(second)
        // One factor in Montgomery form and one not: the product is not.
        let multiple = firstPrime.multiply(
            firstPrime.montgomeryForm(of: difference.limbs),
            numbers.coefficient.limbs
        )
        let signature = Natural(limbs: multiple).multiplied(by: numbers.prime2).adding(second)
        precondition(
            modulus.power(signature.limbs, [UInt64(parameters.exponent)])
                == modulus.number(ofMontgomeryForm: modulus.montgomeryForm(of: message.limbs)),
            "the machine miscalculated a signature"
        )
        return signature.octets(count: modulusByteCount)
    }
}

// MARK: Encodings

extension PrivateKey {
    /// SubjectPublicKeyInfo of the public key (RFC 5280 §4.1, RFC 3279 §2.3.1), in DER.
    public var subjectPublicKeyInfo: [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { writer in
            writer.writeEncoded(AlgorithmTemplate.rsaEncryption.encoded())
            writer.writeBitString(publicKey)
        }
        return writer.bytes
    }

    /// The key identifier: SHA-1 of the bits of subjectPublicKey (RFC 5280 §4.2.1.2, method 1), 20
    /// octets.
    public var keyIdentifier: [UInt8] { SHA1.digest(of: publicKey.span).bytes }

    /// RSAPublicKey (RFC 8017 §A.1.1).
    private var publicKey: [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { writer in
            writer.writeUnsignedInteger(numbers.modulus.octets(count: modulusByteCount))
            writer.writeInteger(Int64(parameters.exponent))
        }
        return writer.bytes
    }

    /// RSAPrivateKey (RFC 8017 §A.1.2; PKCS #1) in DER.
    public var rsaPrivateKey: [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { writer in
            writer.writeInteger(0)
            writer.writeUnsignedInteger(numbers.modulus.octets(count: modulusByteCount))
            writer.writeInteger(Int64(parameters.exponent))
            for number in [
                numbers.privateExponent, numbers.prime1, numbers.prime2, numbers.exponent1,
                numbers.exponent2, numbers.coefficient,
            ] {
                writer.writeUnsignedInteger(number.octets(count: 8 * number.limbs.count))
            }
        }
        return writer.bytes
    }

    /// PrivateKeyInfo (RFC 5208 §5; PKCS #8), not encrypted, in DER: what `openssl` reads.
    public var privateKeyInfo: [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { writer in
            writer.writeInteger(0)
            writer.writeEncoded(AlgorithmTemplate.rsaEncryption.encoded())
            writer.writeOctetString(rsaPrivateKey)
        }
        return writer.bytes
    }
}
