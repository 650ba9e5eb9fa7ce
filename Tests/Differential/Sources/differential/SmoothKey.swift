import AppReceiptMint
import Basics
import DER
import SHA

/// An RSA key of 2048 bits that signs in a tenth of the usual time. Its modulus has 32 primes of 64 bits (RFC
/// 8017 §3.2 allows any number), and each fits in one word. The key is easy to factor. A verifier treats it
/// like any other key.
struct SmoothKey: Sendable {
    private static let count = 32
    private static let exponent: UInt64 = 65537

    /// The factors of the modulus, r_1 to r_u in RFC 8017.
    private let primes: [UInt64]
    /// d_i, the inverse of e modulo r_i - 1.
    private let exponents: [UInt64]
    /// t_i, the inverse modulo r_i of the product of the primes before it.
    private let coefficients: [UInt64]
    /// The octets of the modulus, most significant first.
    private let modulus: [UInt8]

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var primes: [UInt64] = []
        while primes.count < Self.count {
            // The primes are so close to 2^64 that their product has 2048 bits.
            let candidate = UInt64.max - generator.next() >> 7 | 1
            if (candidate - 1) % Self.exponent != 0, !primes.contains(candidate), isPrime(candidate) {
                primes.append(candidate)
            }
        }
        exponents = primes.map { Self.inverseOfExponent(modulo: $0 - 1) }
        coefficients = primes.indices.map { index in
            let prime = primes[index]
            let product = primes[..<index].reduce(1) { multiply($0, $1 % prime, modulo: prime) }
            return power(product, prime - 2, modulo: prime)
        }
        var product: [UInt64] = [1]
        for prime in primes { product = Self.multiplied(product, by: prime, adding: 0) }
        modulus = Self.octets(product)
        self.primes = primes
    }

    /// With k = -modulus⁻¹ mod e, e divides 1 + k·modulus, and the quotient is the inverse.
    private static func inverseOfExponent(modulo modulus: UInt64) -> UInt64 {
        let inverse = power(modulus % exponent, exponent - 2, modulo: exponent)
        let (high, low) = modulus.multipliedFullWidth(by: exponent - inverse)
        let (sum, carry) = low.addingReportingOverflow(1)
        return exponent.dividingFullWidth((high + (carry ? 1 : 0), sum)).quotient
    }

    /// RSASSA-PKCS1-V1_5-SIGN (RFC 8017 §8.2.1), by the Chinese remainder theorem (§5.1.2).
    func sign(_ digest: Digest) -> [UInt8] {
        let message = Self.limbs(encodedMessage(digest))
        var result: [UInt64] = [0]
        var product: [UInt64] = [1]
        for (index, prime) in primes.enumerated() {
            let wanted = power(Self.remainder(message, prime), exponents[index], modulo: prime)
            let found = Self.remainder(result, prime)
            let difference = wanted >= found ? wanted - found : prime - (found - wanted)
            let factor = multiply(difference, coefficients[index], modulo: prime)
            result = Self.sum(result, Self.multiplied(product, by: factor, adding: 0))
            product = Self.multiplied(product, by: prime, adding: 0)
        }
        return Self.octets(result)
    }

    /// EM (RFC 8017 §9.2), most significant octet first.
    private func encodedMessage(_ digest: Digest) -> [UInt8] {
        var info = Writer()
        info.nest(.sequence) { writer in
            writer.writeEncoded(AlgorithmTemplate.digest(digest.algorithm).encoded())
            writer.writeOctetString(digest.bytes)
        }
        let padding = [UInt8](repeating: 0xFF, count: 8 * Self.count - 3 - info.bytes.count)
        return [0x00, 0x01] + padding + [0x00] + info.bytes
    }

    /// The SubjectPublicKeyInfo in DER (RFC 5280 §4.1, RFC 8017 §A.1.1).
    var subjectPublicKeyInfo: [UInt8] {
        var key = Writer()
        key.nest(.sequence) { writer in
            writer.writeUnsignedInteger(modulus)
            writer.writeInteger(Int64(Self.exponent))
        }
        var info = Writer()
        info.nest(.sequence) { writer in
            writer.writeEncoded(AlgorithmTemplate.rsaEncryption.encoded())
            writer.writeBitString(key.bytes)
        }
        return info.bytes
    }

    // MARK: Numbers in limbs, the least significant one first

    private static func limbs(_ octets: [UInt8]) -> [UInt64] {
        stride(from: octets.count - 8, through: 0, by: -8).map { start in
            octets[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private static func octets(_ limbs: [UInt64]) -> [UInt8] {
        var octets: [UInt8] = []
        for index in (0..<count).reversed() {
            let limb = index < limbs.count ? limbs[index] : 0
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                octets.append(UInt8(truncatingIfNeeded: limb >> shift))
            }
        }
        return octets
    }

    private static func remainder(_ limbs: [UInt64], _ divisor: UInt64) -> UInt64 {
        limbs.reversed().reduce(0) { divisor.dividingFullWidth(($0, $1)).remainder }
    }

    private static func multiplied(_ limbs: [UInt64], by factor: UInt64, adding: UInt64) -> [UInt64] {
        var carry = adding
        var result: [UInt64] = []
        result.reserveCapacity(limbs.count + 1)
        for limb in limbs {
            let (high, low) = limb.multipliedFullWidth(by: factor)
            let (sum, overflow) = low.addingReportingOverflow(carry)
            result.append(sum)
            carry = high + (overflow ? 1 : 0)
        }
        if carry > 0 { result.append(carry) }
        return result
    }

    private static func sum(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
        var carry: UInt64 = 0
        var result: [UInt64] = []
        for index in 0..<max(one.count, other.count) {
            let (first, overflow) = (index < one.count ? one[index] : 0).addingReportingOverflow(carry)
            let (second, again) = first.addingReportingOverflow(index < other.count ? other[index] : 0)
            result.append(second)
            carry = overflow || again ? 1 : 0
        }
        if carry > 0 { result.append(carry) }
        return result
    }
}

// MARK: Arithmetic modulo a word

/// The product modulo a word. Both factors must be below the modulus.
private func multiply(_ one: UInt64, _ other: UInt64, modulo modulus: UInt64) -> UInt64 {
    modulus.dividingFullWidth(one.multipliedFullWidth(by: other)).remainder
}

private func power(_ base: UInt64, _ exponent: UInt64, modulo modulus: UInt64) -> UInt64 {
    var result: UInt64 = 1
    var square = base
    var rest = exponent
    while rest > 0 {
        if rest & 1 == 1 { result = multiply(result, square, modulo: modulus) }
        square = multiply(square, square, modulo: modulus)
        rest >>= 1
    }
    return result
}

/// The Miller-Rabin test. The first twelve primes as bases decide for every number below 2^64 (J. Sorenson
/// and J. Webster, "Strong pseudoprimes to twelve prime bases", 2015).
private func isPrime(_ candidate: UInt64) -> Bool {
    let shift = (candidate - 1).trailingZeroBitCount
    let bases: [UInt64] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    return bases.allSatisfy { base in
        var value = power(base, (candidate - 1) >> UInt64(shift), modulo: candidate)
        if value == 1 || value == candidate - 1 { return true }
        for _ in 1..<shift {
            value = multiply(value, value, modulo: candidate)
            if value == candidate - 1 { return true }
        }
        return false
    }
}
