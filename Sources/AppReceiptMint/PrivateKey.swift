import Bytes
import DER
import RSA
import SHA

/// An RSA private key (RFC 8017 §3.2) for tests. **Never use it to keep a secret.** The key follows from a
/// seed of 64 bits, the generator is public, and the time that a signature takes reveals the key.
///
/// The same seed and parameters give the same key on every platform. A few keys of 2048 bits ship with this
/// module; see ``init(_:seed:)``. Generating any other key of 2048 bits takes some hundredths of a second in
/// release builds, and about a second in debug builds: share keys between tests.
public struct PrivateKey: Sendable {
    /// The length of the modulus, and the public exponent.
    public let parameters: KeyParameters
    /// n = p·q.
    private let modulus: MontgomeryModulus
    /// p, the larger prime.
    private let firstPrime: MontgomeryModulus
    /// q, the smaller prime.
    private let secondPrime: MontgomeryModulus
    private let numbers: Numbers

    /// The numbers of an RSAPrivateKey, under the names of RFC 8017 §A.1.2.
    struct Numbers: Sendable {
        let modulus: Natural
        let privateExponent: Natural
        let prime1: Natural
        let prime2: Natural
        let exponent1: Natural
        let exponent2: Natural
        let coefficient: Natural
    }

    /// Returns the key of a seed.
    ///
    /// The key of 2048 bits of seed 1 or 2 ships with this module, and so do the six keys of
    /// `PrivatePKI.Keys(seed: 1)` and `PrivatePKI.Keys(seed: 2)`. Any other key is generated.
    ///
    /// - Parameter seed: the start of the ``SeededGenerator`` that drives the search for primes. Anyone who
    ///   knows the seed has the key.
    public init(_ parameters: KeyParameters = .rsa2048, seed: UInt64) {
        self = ShippedKey.key(parameters, seed: seed) ?? PrivateKey(generating: parameters, seed: seed)
    }

    /// Generates the key of a seed, even if the key ships with this module.
    package init(generating parameters: KeyParameters, seed: UInt64) {
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

    /// Makes a key of stored primes.
    ///
    /// Returns nil if the larger prime does not come first, or if a number is not a prime of the right kind
    /// in an obvious way. The caller vouches for the numbers; a wrong one stops the program at the first
    /// signature.
    ///
    /// - Parameters:
    ///   - prime1: p, the larger prime, in hexadecimal.
    ///   - prime2: q, the smaller prime, in hexadecimal.
    ///   - coefficient: the inverse of q modulo p, in hexadecimal.
    package init?(_ parameters: KeyParameters, prime1: String, prime2: String, coefficient: String) {
        self.init(
            parameters,
            Natural(hexadecimal: prime1),
            Natural(hexadecimal: prime2),
            coefficient: Natural(hexadecimal: coefficient)
        )
    }

    /// Makes a key of two primes. Returns nil if they are equal, or if one of them is not prime in a way that
    /// leaves a number without an inverse.
    ///
    /// - Parameter coefficient: the inverse of the smaller prime modulo the larger one; nil to compute it.
    private init?(
        _ parameters: KeyParameters,
        _ larger: Natural,
        _ smaller: Natural,
        coefficient: Natural? = nil
    ) {
        let exponent = parameters.exponent
        let one = Natural(limbs: [1])
        let product = larger.multiplied(by: smaller)
        let octetCount = (parameters.bits + 7) / 8
        let primeOctetCount = (parameters.bits / 2 + 7) / 8
        guard smaller.isBelow(larger),
            let modulus = MontgomeryModulus(bigEndian: product.octets(count: octetCount).borrowedSpan),
            let first = MontgomeryModulus(bigEndian: larger.octets(count: primeOctetCount).borrowedSpan),
            let second = MontgomeryModulus(bigEndian: smaller.octets(count: primeOctetCount).borrowedSpan),
            let exponent1 = Self.inverse(of: exponent, modulo: larger.subtracting(one)),
            let exponent2 = Self.inverse(of: exponent, modulo: smaller.subtracting(one)),
            let privateExponent = Self.inverse(
                of: exponent,
                modulo: larger.subtracting(one).multiplied(by: smaller.subtracting(one))
            )
        else { return nil }
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
            // Fermat: q^(p-2) is the inverse of q modulo p.
            coefficient: coefficient.map { $0.padded(to: first.count) }
                ?? Natural(limbs: first.power(smaller.limbs, larger.subtracting(Natural(limbs: [2])).limbs))
        )
    }

    /// The inverse of a word modulo a long number. Returns nil if the two have a common factor.
    ///
    /// The arithmetic is modulo the word: with k = -modulus⁻¹ mod word, the word divides 1 + k·modulus, and
    /// the quotient is the inverse.
    private static func inverse(of word: UInt32, modulo modulus: Natural) -> Natural? {
        let remainder = modulus.remainder(dividedBy: UInt64(word))
        guard let positive = AppReceiptMint.inverse(of: remainder, modulo: word) else { return nil }
        let multiple = modulus.multiplied(by: Natural(limbs: [UInt64(word) - positive]))
        return multiple.adding(Natural(limbs: [1])).divided(by: UInt64(word)).quotient
    }
}

extension PrivateKey: CustomStringConvertible {
    /// A short name without the key's numbers, so that logs of tests stay short: `RSA test key, 2048 bits`.
    public var description: String {
        let exponent = parameters.exponent == 65537 ? "" : ", e = \(parameters.exponent)"
        return "RSA test key, \(parameters.bits) bits\(exponent)"
    }
}

// MARK: RSASSA-PKCS1-v1_5

extension PrivateKey {
    /// The length of the modulus, and of a signature, in octets: k in RFC 8017.
    public var modulusByteCount: Int { (parameters.bits + 7) / 8 }

    /// Signs the message that has this digest: RSASSA-PKCS1-V1_5-SIGN (RFC 8017 §8.2.1).
    public func sign(_ digest: Digest) -> [UInt8] { rawSign(encodedMessage(digest)) }

    /// The encoded message that ``sign(_:)`` signs: EM of EMSA-PKCS1-v1_5 (RFC 8017 §9.2). Forgeries start
    /// from it.
    public func encodedMessage(_ digest: Digest) -> [UInt8] {
        var digestInfo = Writer()
        digestInfo.nest(.sequence) { writer in
            writer.writeEncoded(AlgorithmTemplate.digest(digest.algorithm).encoded())
            writer.writeOctetString(digest.bytes)
        }
        // A modulus has at least 128 octets, and the longest DigestInfo has 83.
        let padding = [UInt8](repeating: 0xFF, count: modulusByteCount - digestInfo.bytes.count - 3)
        return [0x00, 0x01] + padding + [0x00] + digestInfo.bytes
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
        let first = Natural(limbs: firstPrime.power(message.limbs, numbers.exponent1.limbs))
        let second = Natural(limbs: secondPrime.power(message.limbs, numbers.exponent2.limbs))
        // `second` is below q, and so below p.
        let difference = (first.isBelow(second) ? first.adding(numbers.prime1) : first).subtracting(second)
        // One factor is in Montgomery form and the other is not, so the product is not.
        let multiple = firstPrime.multiply(
            firstPrime.montgomeryForm(of: difference.limbs),
            numbers.coefficient.limbs
        )
        let signature = Natural(limbs: multiple).multiplied(by: numbers.prime2).adding(second)
        precondition(
            modulus.power(signature.limbs, [UInt64(parameters.exponent)])
                == modulus.number(ofMontgomeryForm: modulus.montgomeryForm(of: message.limbs)),
            "the signature was miscalculated, or the key's numbers are wrong"
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

    /// The key identifier: SHA-1 of the bits of subjectPublicKey (RFC 5280 §4.2.1.2, method 1), 20 octets.
    public var keyIdentifier: [UInt8] { SHA1.digest(of: publicKey.borrowedSpan).bytes }

    /// RSAPublicKey (RFC 8017 §A.1.1), in DER.
    private var publicKey: [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { writer in
            writer.writeUnsignedInteger(numbers.modulus.octets(count: modulusByteCount))
            writer.writeInteger(Int64(parameters.exponent))
        }
        return writer.bytes
    }

    /// RSAPrivateKey (RFC 8017 §A.1.2; PKCS #1), in DER.
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

    /// PrivateKeyInfo (RFC 5208 §5; PKCS #8), unencrypted, in DER. The `openssl` command reads it.
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
