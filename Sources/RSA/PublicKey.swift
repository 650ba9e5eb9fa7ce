import DER
import SHA

/// An RSA public key (RFC 8017 §3.1), ready to verify with.
///
/// ```
/// SubjectPublicKeyInfo ::= SEQUENCE {         -- RFC 5280 §4.1
///     algorithm         AlgorithmIdentifier,  -- { rsaEncryption, NULL }, RFC 8017 §A.1
///     subjectPublicKey  BIT STRING }          -- of an RSAPublicKey
/// RSAPublicKey ::= SEQUENCE {                 -- RFC 8017 §A.1.1
///     modulus           INTEGER,              -- n
///     publicExponent    INTEGER }             -- e
/// ```
///
/// The modulus is odd and has from 1024 bits to the limit, any number of them; the exponent is odd, 3 or
/// more, and within its limit. Whether a key of 1024 bits is still good enough is for the user of it to say.
public struct PublicKey: Sendable {
    let modulus: MontgomeryModulus
    /// The length of the modulus in bits.
    public var modulusBitCount: Int { modulus.bitCount }
    /// The length of the modulus, and of a signature, in octets: k in RFC 8017.
    public var modulusByteCount: Int { (modulusBitCount + 7) / 8 }
    /// The public exponent, e.
    public let exponent: UInt64

    /// From a DER-encoded SubjectPublicKeyInfo, and nothing after it.
    ///
    /// - Parameters:
    ///   - bytes: the buffer that holds it. Offsets in errors count from its start.
    ///   - range: where in the buffer it lies; nil for all of it.
    ///   - limits: of which `modulusBits` and `exponentBits` count here, and `depth`.
    /// - Throws: `.notAnRSAKey` for another algorithm, what ``init(modulus:exponent:limits:)`` throws, and
    ///   what reading strict DER throws: NULL may not be missing, an INTEGER neither negative nor padded.
    public init(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>? = nil,
        limits: Limits = .standard
    ) throws(Refusal) {
        var reader = Reader(bytes, in: range, depth: limits.depth)
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
        var contents = Reader(bytes, in: octets, depth: limits.depth)
        var key = try contents.nested(.sequence, "RSAPublicKey")
        try contents.finish("subjectPublicKey")
        let modulus = try key.readUnsignedInteger("RSAPublicKey.modulus")
        let exponent = try key.readUnsignedInteger("RSAPublicKey.publicExponent")
        try key.finish("RSAPublicKey")
        try self.init(bytes, modulus: modulus, bytes, exponent: exponent, limits)
    }

    /// From the two numbers, each most significant octet first (RFC 8017 §4.2). Zero octets in front of
    /// either change nothing.
    ///
    /// - Throws: `.modulusTooSmall`, `.modulusTooLarge`, `.modulusEven`, `.exponentTooSmall`,
    ///   `.exponentTooLarge`, `.exponentEven`; the offset counts in the number that is refused.
    public init(
        modulus: Span<UInt8>,
        exponent: Span<UInt8>,
        limits: Limits = .standard
    ) throws(Refusal) {
        try self.init(
            modulus,
            modulus: 0..<modulus.count,
            exponent,
            exponent: 0..<exponent.count,
            limits
        )
    }

    private init(
        _ modulusBytes: Span<UInt8>,
        modulus: Range<Int>,
        _ exponentBytes: Span<UInt8>,
        exponent: Range<Int>,
        _ limits: Limits
    ) throws(Refusal) {
        let modulusBits = Self.bitCount(modulusBytes, modulus)
        guard modulusBits >= 1024 else {
            throw Refusal(.modulusTooSmall, at: modulus.lowerBound, reading: "RSAPublicKey.modulus")
        }
        // Whatever the limit, the number of bits is one that an `Int` holds, in whole octets as well.
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

    /// The number of bits of a number, most significant octet first: more than an `Int` of 32 bits may hold.
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
    /// The one encoded message that is right is compared with what the signature opens to, all of it; what
    /// the signature opens to is never parsed. The time taken depends on key, signature and digest, all of
    /// which are public.
    ///
    /// - Parameters:
    ///   - signature: as long as the modulus, most significant octet first.
    ///   - acceleration: by what the signature is opened; it changes no verdict.
    /// - Throws: `.signatureLength`, `.signatureOutOfRange`, `.signatureMismatch`, all at offset 0.
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
    /// `rsaEncryption` (RFC 8017 §A.1): of a key, and of a signature whose hash is named elsewhere.
    public static var rsaEncryption: Self { Self(1, 2, 840, 113549, 1, 1, 1) }
}
