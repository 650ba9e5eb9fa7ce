import Basics
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
    /// The modulus n with the precomputed constants of Montgomery's method.
    let modulus: MontgomeryModulus
    /// The length of the modulus in bits.
    public var modulusBitCount: Int { modulus.bitCount }
    /// The length in octets of the modulus and of every signature: k in RFC 8017.
    package var modulusByteCount: Int { (modulusBitCount + 7) / 8 }
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
    /// - Throws: `.notAnRSAKey` for another algorithm, `.keyParameters` for parameters that are absent or not
    ///   NULL, the refusals of ``init(modulus:exponent:limits:)``, and the refusals of the DER reader, for
    ///   example for an INTEGER that is negative or padded.
    public init(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>? = nil,
        limits: KeyLimits = .standard
    ) throws(Refusal) {
        let (modulus, exponent) = try Self.decode(subjectPublicKeyInfo: bytes, in: range)
        try self.init(
            bytes.extracting(modulus),
            at: modulus.lowerBound,
            bytes.extracting(exponent),
            at: exponent.lowerBound,
            limits
        )
    }

    /// Decodes a SubjectPublicKeyInfo, and returns the ranges in `bytes` of the octets of the modulus and the
    /// exponent, without sign octets. Throws for a negative number; the values are not checked further.
    ///
    /// - Throws: what ``init(subjectPublicKeyInfo:in:limits:)`` throws for the encoding.
    package static func decode(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>? = nil
    ) throws(Refusal) -> (modulus: Range<Int>, exponent: Range<Int>) {
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
        guard algorithm.isNext(.null) else {
            throw Refusal(.keyParameters, at: algorithm.offset, reading: "rsaEncryption parameters")
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
        return (modulus, exponent)
    }

    /// Creates a key from its modulus and exponent.
    ///
    /// - Parameters:
    ///   - modulus: n, most significant octet first (RFC 8017 §4.2). Leading zero octets are ignored.
    ///   - exponent: e, most significant octet first. Leading zero octets are ignored.
    ///   - limits: bounds on the modulus and the exponent.
    /// - Throws: `.modulusTooSmall`, `.modulusTooLarge`, `.modulusEven`, `.exponentTooSmall`,
    ///   `.exponentTooLarge`, `.exponentEven`. The offset counts in the octets of the number that is refused.
    public init(
        modulus: Span<UInt8>,
        exponent: Span<UInt8>,
        limits: KeyLimits = .standard
    ) throws(Refusal) {
        try self.init(modulus, at: 0, exponent, at: 0, limits)
    }

    /// Checks the modulus and the exponent, and computes the constants of the modulus. Offsets in errors
    /// count in a buffer that has the modulus at `modulusStart` and the exponent at `exponentStart`.
    private init(
        _ modulus: Span<UInt8>,
        at modulusStart: Int,
        _ exponent: Span<UInt8>,
        at exponentStart: Int,
        _ limits: KeyLimits
    ) throws(Refusal) {
        let modulusBits = Self.bitCount(modulus)
        guard modulusBits >= 1024 else {
            throw Refusal(.modulusTooSmall, at: modulusStart, reading: "RSAPublicKey.modulus")
        }
        // Under any limit, the number of bits, rounded up to whole octets, fits in an `Int`.
        guard modulusBits <= Int64(min(limits.modulusBits, Int.max - 7)) else {
            throw Refusal(.modulusTooLarge, at: modulusStart, reading: "RSAPublicKey.modulus")
        }
        guard let constants = MontgomeryModulus(bigEndian: modulus) else {
            let last = modulusStart + modulus.count - 1
            throw Refusal(.modulusEven, at: last, reading: "RSAPublicKey.modulus")
        }
        let exponentBits = Self.bitCount(exponent)
        guard exponentBits >= 2 else {
            throw Refusal(.exponentTooSmall, at: exponentStart, reading: "RSAPublicKey.publicExponent")
        }
        guard exponentBits <= Int64(min(limits.exponentBits, UInt64.bitWidth)) else {
            throw Refusal(.exponentTooLarge, at: exponentStart, reading: "RSAPublicKey.publicExponent")
        }
        guard exponent[exponent.count - 1] & 1 == 1 else {
            let last = exponentStart + exponent.count - 1
            throw Refusal(.exponentEven, at: last, reading: "RSAPublicKey.publicExponent")
        }
        self.modulus = constants
        self.exponent = exponent.indices.reduce(0) { $0 << 8 | UInt64(exponent[$1]) }
    }

    /// The length in bits of a number, most significant octet first; 0 for zero. The result is an `Int64`,
    /// because an `Int` of 32 bits cannot hold every length.
    private static func bitCount(_ bytes: Span<UInt8>) -> Int64 {
        for index in bytes.indices where bytes[index] != 0 {
            return Int64(bytes.count - index) * 8 - Int64(bytes[index].leadingZeroBitCount)
        }
        return 0
    }
}

// MARK: RSASSA-PKCS1-v1_5

extension PublicKey {
    /// The cost of one verification relative to a modulus of 4096 bits and the exponent 65537, rounded up.
    ///
    /// The power takes one product to convert the signature, a squaring for each bit of the exponent but the
    /// first, and a product for each further bit that is set. Each costs the square of the number of limbs.
    /// The reference is the key of Apple Root CA - G2. A verification by that key takes 18 products of 64
    /// limbs.
    package var relativeCost: Int {
        // The bound prevents overflow: 2^40 times 128. Only a caller who lifts the limits can reach it.
        let limbs = UInt64(min(modulus.count, 1 << 20))
        let products = UInt64(63 - exponent.leadingZeroBitCount + exponent.nonzeroBitCount)
        let reference: UInt64 = 64 * 64 * 18
        return Int(clamping: (limbs * limbs * products + reference - 1) / reference)
    }

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
        let expected = EncodedMessage(digest: digest, byteCount: modulusByteCount)
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
    package static var rsaEncryption: Self { Self(1, 2, 840, 113549, 1, 1, 1) }
}
