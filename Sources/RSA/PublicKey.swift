import DER
import Processor
import SHA

/// An RSA public key (RFC 8017 §3.1) with the constants that verification needs.
///
/// ```
/// SubjectPublicKeyInfo ::= SEQUENCE {         -- RFC 5280 §4.1
///     algorithm         AlgorithmIdentifier,  -- { rsaEncryption, NULL }, RFC 8017 §A.1
///     subjectPublicKey  BIT STRING }          -- contains an RSAPublicKey
/// RSAPublicKey ::= SEQUENCE {                 -- RFC 8017 §A.1.1
///     modulus           INTEGER,              -- n
///     publicExponent    INTEGER }             -- e
/// ```
///
/// The modulus is odd and has 1024 bits or more, up to the limit. The exponent is odd, 3 or more, and within
/// its limit. The caller decides whether a key of 1024 bits is strong enough.
public struct PublicKey: Sendable {
    /// The modulus, n, with its constants.
    let modulus: MontgomeryModulus
    /// The length of the modulus in bits.
    public var modulusBitCount: Int { modulus.bitCount }
    /// The length in octets of the modulus and of every signature: k in RFC 8017.
    public var modulusByteCount: Int { (modulusBitCount + 7) / 8 }
    /// The public exponent, e.
    public let exponent: UInt64

    /// Decodes a SubjectPublicKeyInfo in DER.
    ///
    /// The encoding must fill the range. The algorithm's parameters must be NULL and present.
    ///
    /// - Parameters:
    ///   - bytes: the buffer that holds the encoding. Offsets in errors count from its start.
    ///   - range: the part of the buffer that is the encoding; nil for the whole buffer. Precondition: it
    ///     lies inside the buffer.
    ///   - limits: bounds on the modulus and the exponent.
    /// - Throws: `.notAnRSAKey` for another algorithm, the refusals of ``init(modulus:exponent:limits:)``,
    ///   and the refusals of the DER reader, for example for an INTEGER that is negative or padded.
    public init(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>? = nil,
        limits: KeyLimits = .standard
    ) throws(Refusal) {
        var reader = Reader(bytes, in: range)
        var info = try reader.nested(.sequence, "SubjectPublicKeyInfo")
        try reader.finish("SubjectPublicKeyInfo")

        var algorithm = try info.nested(.sequence, "SubjectPublicKeyInfo.algorithm")
        let identifier = try algorithm.readObjectIdentifier("SubjectPublicKeyInfo.algorithm")
        guard ObjectIdentifier(bytes, in: identifier) == .rsaEncryption else {
            throw Refusal(
                .notAnRSAKey,
                at: identifier.lowerBound,
                reading: "SubjectPublicKeyInfo.algorithm"
            )
        }
        try algorithm.readNull("rsaEncryption parameters")
        try algorithm.finish("SubjectPublicKeyInfo.algorithm")

        let octets = try info.readOctetAlignedBitString("subjectPublicKey")
        try info.finish("SubjectPublicKeyInfo")
        var contents = Reader(bytes, in: octets)
        var key = try contents.nested(.sequence, "RSAPublicKey")
        try contents.finish("subjectPublicKey")
        let modulus = try key.readUnsignedInteger("RSAPublicKey.modulus")
        let exponent = try key.readUnsignedInteger("RSAPublicKey.publicExponent")
        try key.finish("RSAPublicKey")
        try self.init(bytes, modulus: modulus, bytes, exponent: exponent, limits)
    }

    /// Creates a key from its modulus and exponent.
    ///
    /// - Parameters:
    ///   - modulus: n, most significant octet first (RFC 8017 §4.2). Leading zero octets are ignored.
    ///   - exponent: e, most significant octet first. Leading zero octets are ignored.
    ///   - limits: bounds on the modulus and the exponent.
    /// - Throws: `.modulusTooSmall`, `.modulusTooLarge`, `.modulusEven`, `.exponentTooSmall`,
    ///   `.exponentTooLarge`, `.exponentEven`. The offset counts in the number that is refused.
    public init(
        modulus: Span<UInt8>,
        exponent: Span<UInt8>,
        limits: KeyLimits = .standard
    ) throws(Refusal) {
        try self.init(
            modulus,
            modulus: 0..<modulus.count,
            exponent,
            exponent: 0..<exponent.count,
            limits
        )
    }

    /// Checks the modulus and the exponent, and computes the constants of the modulus. The offset in an error
    /// counts from the start of the buffer that holds the refused number.
    private init(
        _ modulusBytes: Span<UInt8>,
        modulus: Range<Int>,
        _ exponentBytes: Span<UInt8>,
        exponent: Range<Int>,
        _ limits: KeyLimits
    ) throws(Refusal) {
        let modulusBits = Self.bitCount(modulusBytes, modulus)
        guard modulusBits >= 1024 else {
            throw Refusal(.modulusTooSmall, at: modulus.lowerBound, reading: "RSAPublicKey.modulus")
        }
        // Under any limit, the number of bits, rounded up to whole octets, fits in an `Int`.
        guard modulusBits <= Int64(min(limits.modulusBits, Int.max - 7)) else {
            throw Refusal(.modulusTooLarge, at: modulus.lowerBound, reading: "RSAPublicKey.modulus")
        }
        guard let constants = MontgomeryModulus(bigEndian: modulusBytes.extracting(modulus)) else {
            throw Refusal(.modulusEven, at: modulus.upperBound - 1, reading: "RSAPublicKey.modulus")
        }
        let exponentBits = Self.bitCount(exponentBytes, exponent)
        guard exponentBits >= 2 else {
            throw Refusal(.exponentTooSmall, at: exponent.lowerBound, reading: "RSAPublicKey.publicExponent")
        }
        guard exponentBits <= Int64(min(limits.exponentBits, UInt64.bitWidth)) else {
            throw Refusal(.exponentTooLarge, at: exponent.lowerBound, reading: "RSAPublicKey.publicExponent")
        }
        guard exponentBytes[exponent.upperBound - 1] & 1 == 1 else {
            throw Refusal(.exponentEven, at: exponent.upperBound - 1, reading: "RSAPublicKey.publicExponent")
        }
        self.modulus = constants
        self.exponent = exponent.reduce(0) { $0 << 8 | UInt64(exponentBytes[$1]) }
    }

    /// The number of bits of a number, most significant octet first. An `Int` of 32 bits could be too small.
    private static func bitCount(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int64 {
        for index in range where bytes[index] != 0 {
            return Int64(range.upperBound - index) * 8 - Int64(bytes[index].leadingZeroBitCount)
        }
        return 0
    }
}

// MARK: RSASSA-PKCS1-v1_5

extension PublicKey {
    /// Verifies a signature over a message with this digest: RSASSA-PKCS1-V1_5-VERIFY (RFC 8017 §8.2.2).
    ///
    /// Raises the signature to the public exponent and compares the result with the one correct encoded
    /// message, octet for octet. The result is never parsed. The time depends on the key, the signature and
    /// the digest, all of them public.
    ///
    /// - Parameters:
    ///   - signature: the signature, most significant octet first. It must be as long as the modulus.
    ///   - digest: the digest of the signed message. Its algorithm is part of the encoded message.
    ///   - acceleration: the processor instructions to use. The verdict does not depend on them.
    /// - Throws: `.signatureLength` for another length, `.signatureOutOfRange` for a signature that is not
    ///   below the modulus, and `.signatureMismatch` for a wrong signature; all at offset 0.
    public func verify(
        _ signature: Span<UInt8>,
        digest: Digest,
        acceleration: Acceleration = .none
    ) throws(Refusal) {
        guard signature.count == modulusByteCount else {
            throw Refusal(.signatureLength, at: 0, reading: "signature")
        }
        let expected = EncodedMessage(digest, byteCount: modulusByteCount)
        guard
            let matches = modulus.withPower(
                signature,
                exponent,
                acceleration: acceleration,
                { power in expected.equals(power) }
            )
        else {
            throw Refusal(.signatureOutOfRange, at: 0, reading: "signature")
        }
        guard matches else {
            throw Refusal(.signatureMismatch, at: 0, reading: "signature")
        }
    }
}

extension ObjectIdentifier {
    /// `rsaEncryption` (RFC 8017 §A.1): the algorithm of an RSA key, and of a signature whose message names
    /// the hash in another field.
    public static var rsaEncryption: Self { Self(1, 2, 840, 113549, 1, 1, 1) }
}
