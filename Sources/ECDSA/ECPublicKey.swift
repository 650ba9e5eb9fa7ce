import Basics
import DER

/// A curve of SP 800-186 §3.2.1.
public enum Curve: Sendable, Hashable, CaseIterable {
    /// P-256, which SEC 2 calls secp256r1.
    case p256
    /// P-384, which SEC 2 calls secp384r1.
    case p384
}

/// A public key for ECDSA (FIPS 186-5 §6): a point Q on a curve.
///
/// ```
/// SubjectPublicKeyInfo ::= SEQUENCE {         -- RFC 5280 §4.1
///     algorithm         AlgorithmIdentifier,  -- { id-ecPublicKey, ECParameters }
///     subjectPublicKey  BIT STRING }          -- contains an ECPoint
/// ECParameters ::= CHOICE {                   -- RFC 5480 §2.1.1
///     namedCurve        OBJECT IDENTIFIER }   -- secp256r1 or secp384r1
/// ECPoint ::= OCTET STRING                    -- 04 ‖ x ‖ y, SEC 1 §2.3.3
/// ```
///
/// The point is on the curve. That proves that it has the order n, because the cofactor is 1.
public struct ECPublicKey: Sendable, Hashable {
    enum Point: Sendable, Hashable {
        case p256(AffinePoint<P256>)
        case p384(AffinePoint<P384>)
    }
    /// The public key Q, as a point of its curve.
    let point: Point

    /// The curve of the key.
    public var curve: Curve {
        switch point {
        case .p256: .p256
        case .p384: .p384
        }
    }

    /// Decodes a SubjectPublicKeyInfo in DER, which must fill the range.
    ///
    /// - Parameters:
    ///   - bytes: the buffer that holds the encoding. Offsets in errors count from its start.
    ///   - range: the part of the buffer that is the encoding. Precondition: it lies inside the buffer.
    /// - Throws: `.notAnECKey` for an algorithm other than id-ecPublicKey, `.curveParameters` for parameters
    ///   that are absent or no object identifier, `.unsupportedCurve` for another curve, the refusals of
    ///   ``init(_:point:)``, and the refusals of the DER reader.
    public init(subjectPublicKeyInfo bytes: Span<UInt8>, in range: Range<Int>) throws(Refusal) {
        var reader = Reader(bytes, in: range)
        var info = try reader.nested(.sequence, "SubjectPublicKeyInfo")
        try reader.finish("SubjectPublicKeyInfo")

        var algorithm = try info.nested(.sequence, "SubjectPublicKeyInfo.algorithm")
        let identifier = try algorithm.readObjectIdentifier("SubjectPublicKeyInfo.algorithm")
        guard ObjectIdentifier(bytes, in: identifier) == .ecPublicKey else {
            throw Refusal(.notAnECKey, at: identifier.lowerBound, reading: "SubjectPublicKeyInfo.algorithm")
        }
        guard algorithm.isNext(.objectIdentifier) else {
            throw Refusal(.curveParameters, at: algorithm.offset, reading: "ECParameters")
        }
        let name = try algorithm.readObjectIdentifier("ECParameters.namedCurve")
        try algorithm.finish("SubjectPublicKeyInfo.algorithm")

        let octets = try info.readOctetAlignedBitString("subjectPublicKey")
        try info.finish("SubjectPublicKeyInfo")
        switch ObjectIdentifier(bytes, in: name) {
        case .secp256r1: point = .p256(try AffinePoint(bytes, in: octets))
        case .secp384r1: point = .p384(try AffinePoint(bytes, in: octets))
        default: throw Refusal(.unsupportedCurve, at: name.lowerBound, reading: "ECParameters.namedCurve")
        }
    }

    /// Creates a key from a curve and a point.
    ///
    /// - Parameters:
    ///   - curve: the curve.
    ///   - point: the point in uncompressed form (SEC 1 §2.3.3): 04, x and y, both as long as p, the most
    ///     significant octet first.
    /// - Throws: `.pointForm` if there is no octet or the first is not 04, as in the compressed form, the
    ///   hybrid form and the point at infinity; else `.pointLength` for another length;
    ///   `.coordinateOutOfRange`, `.pointNotOnCurve`. The offset counts in the point.
    public init(_ curve: Curve, point: Span<UInt8>) throws(Refusal) {
        switch curve {
        case .p256: self.point = .p256(try AffinePoint(point, in: 0..<point.count))
        case .p384: self.point = .p384(try AffinePoint(point, in: 0..<point.count))
        }
    }
}

extension AffinePoint {
    /// Decodes a point in uncompressed form (SEC 1 §2.3.4), and validates it as a public key (SEC 1
    /// §3.2.2.1). Refuses every other form.
    fileprivate init(_ bytes: Span<UInt8>, in range: Range<Int>) throws(Refusal) {
        let (start, count) = (range.lowerBound, Curve.Number.octetCount)
        guard !range.isEmpty, bytes[start] == 0x04 else {
            throw Refusal(.pointForm, at: start, reading: "ECPoint")
        }
        guard range.count == 1 + 2 * count else { throw Refusal(.pointLength, at: start, reading: "ECPoint") }
        func coordinate(at start: Int) throws(Refusal) -> Residue<Curve.Field> {
            let number = Curve.Number(bytes.extracting(start..<start + count))
            guard number.isBelow(Curve.Field.value) else {
                throw Refusal(.coordinateOutOfRange, at: start, reading: "ECPoint")
            }
            return Residue(number)
        }
        self.init(x: try coordinate(at: start + 1), y: try coordinate(at: start + 1 + count))
        guard isOnCurve else { throw Refusal(.pointNotOnCurve, at: start, reading: "ECPoint") }
    }
}

extension ObjectIdentifier {
    /// `id-ecPublicKey` (RFC 5480 §2.1.1).
    package static var ecPublicKey: Self { Self(1, 2, 840, 10045, 2, 1) }
    /// `secp256r1` (RFC 5480 §2.1.1.1).
    package static var secp256r1: Self { Self(1, 2, 840, 10045, 3, 1, 7) }
    /// `secp384r1` (RFC 5480 §2.1.1.1).
    package static var secp384r1: Self { Self(1, 3, 132, 0, 34) }
}
