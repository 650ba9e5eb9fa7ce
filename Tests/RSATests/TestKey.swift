import Basics
import DER
import RSA
import SHA
import TestSupport
import Testing

/// A key of 1024 bits made with `openssl genrsa`, with its private exponent and a genuine signature.
enum TestKey {
    static let modulus = hex(
        """
        ceec7861f901e3608797ba7bab302d14a35bd0e243e7d4f6f1bc4b3dfef5dff44f6b1a17e2bb79b649b1d273884bda74
        965fab4374494047680c30736fbe2c8264306608f706b920a6433843957c7dbe029b189e0184babaa9cd3d8300869218
        317485cd09f6be26804ca791b1b4d9ce34f5851baf2669af15fff4e535528ed1
        """
    )
    static let exponent = hex("010001")
    static let privateExponent = hex(
        """
        0a407f0a639aeb5809ffc3768319c4f203d1f5bc701ed9574eccc47192e33db04e0b0164f38fd44ceac3cba87bb53e62
        8e5cb910837f6996e019d280b5a59770db7f54184ed52a56c56cc255ae5840cbaf3f01895ab269aefa9f5970b78fe2df
        61e581ad92cde9ce8217f67a302d042dcea02e5ab79291ce93ee51b8fcfec28d
        """
    )
    /// The public key as `openssl rsa -pubout -outform DER` writes it.
    static let subjectPublicKeyInfo = hex(
        """
        30819f300d06092a864886f70d010101050003818d0030818902818100ceec7861f901e3608797ba7bab302d14a35bd0
        e243e7d4f6f1bc4b3dfef5dff44f6b1a17e2bb79b649b1d273884bda74965fab4374494047680c30736fbe2c82643066
        08f706b920a6433843957c7dbe029b189e0184babaa9cd3d8300869218317485cd09f6be26804ca791b1b4d9ce34f585
        1baf2669af15fff4e535528ed10203010001
        """
    )
    /// The signature that `openssl dgst -sha256 -sign` makes for "abc".
    static let signature = hex(
        """
        2b0b9c0c6a0cd6c446e0276c81f57fb9be67d60d7c0e12d0a182c4ebac1ae53c9c4257d6ebcd9fd7c909affc9c8ebd9b
        5ef2bfc25d1686aa1dc054a1d322f06df8f96e9c55e44be0a5f808fbe1c292f2ce324abaa5f026e4ef78960028bbe486
        50d7d98c2321f73590d11e494f8bd722eba9cc0a2a3a2f31f38abbc6da043ef8
        """
    )
    static let digest = HashAlgorithm.sha256.digest(of: Array("abc".utf8))

    /// Raises an encoded message to the power of the private exponent. The result is a signature of it.
    static func sign(_ encodedMessage: [UInt8]) -> [UInt8] {
        guard let modulus = MontgomeryModulus(bigEndian: modulus) else { return [] }
        return octets(modulus.power(limbs(encodedMessage), limbs(privateExponent)))
    }
}

/// Converts octets, most significant first, to limbs, least significant first.
func limbs(_ octets: [UInt8]) -> [UInt64] {
    var limbs = [UInt64](repeating: 0, count: (octets.count + 7) / 8)
    for (place, octet) in octets.reversed().enumerated() {
        limbs[place / 8] |= UInt64(octet) << (place % 8 * 8)
    }
    return limbs
}

/// Converts limbs, least significant first, to octets, most significant first.
func octets(_ limbs: [UInt64]) -> [UInt8] {
    limbs.reversed().flatMap { limb in (0..<8).reversed().map { UInt8(truncatingIfNeeded: limb >> (8 * $0)) }
    }
}

/// The octets of a number in hexadecimal digits. The number of digits may be odd.
func number(_ digits: String) -> [UInt8] { hex(digits.count % 2 == 0 ? digits : "0" + digits) }

/// The refusal that a call throws. Nil if it throws none.
func refusal<Value>(_ body: () throws(Refusal) -> Value) -> Refusal? {
    do {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

// Overloads for arrays.

extension PublicKey {
    init(
        subjectPublicKeyInfo: [UInt8],
        in range: Range<Int>? = nil,
        limits: KeyLimits = .standard
    ) throws(Refusal) {
        try self.init(subjectPublicKeyInfo: subjectPublicKeyInfo.span, in: range, limits: limits)
    }

    init(modulus: [UInt8], exponent: [UInt8], limits: KeyLimits = .standard) throws(Refusal) {
        try self.init(modulus: modulus.span, exponent: exponent.span, limits: limits)
    }

    /// Verifies with portable code. Records an issue if the processor's instructions give another verdict.
    func verify(_ signature: [UInt8], digest: Digest) throws(Refusal) {
        let portable = refusal { () throws(Refusal) in try verify(signature.span, digest: digest) }
        let other = refusal { () throws(Refusal) in
            try verify(signature.span, digest: digest, acceleration: acceleration)
        }
        if other?.code != portable?.code {
            Issue.record("\(String(describing: other)), not \(String(describing: portable))")
        }
        for acceleration in accelerations where modulusBitCount == 2048 {
            // Six signatures are enough for the batch to verify them at once.
            var batch = SignatureBatch(acceleration: acceleration)
            for _ in 0..<6 { batch.append(signature.span, digest: digest, by: self) }
            if batch.verify() != Array(repeating: portable == nil, count: 6) {
                Issue.record("together they are not \(String(describing: portable))")
            }
        }
        if let portable { throw portable }
    }
}

extension MontgomeryModulus {
    init?(bigEndian octets: [UInt8]) { self.init(bigEndian: octets.span) }
}

extension HashAlgorithm {
    func digest(of message: [UInt8]) -> Digest { digest(of: message.span) }
}
