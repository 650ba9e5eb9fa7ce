import Basics
import DER

/// A certificate (RFC 5280 §4.1): its fields, most of them as ranges in a buffer that the caller keeps, and
/// five of its extensions. ``view(in:)`` pairs the certificate with its buffer.
///
/// ```
/// Certificate ::= SEQUENCE {
///     tbsCertificate      TBSCertificate,
///     signatureAlgorithm  AlgorithmIdentifier,
///     signatureValue      BIT STRING }
/// ```
public struct Certificate: Sendable {
    /// The range in the buffer of the whole certificate, header included.
    public let range: Range<Int>
    /// The range in the buffer of the signed part, header included.
    package let tbsCertificate: Range<Int>
    /// The version of the certificate: 1, 2 or 3.
    public let version: Int
    /// The range in the buffer of the contents octets of the serial number, an INTEGER of at most 20 octets.
    /// It may be zero or negative: RFC 5280 §4.1.2.2 asks users to handle such numbers gracefully.
    public let serialNumber: Range<Int>
    /// The algorithm that made `signatureValue`. `tbsCertificate.signature` has the same encoding, byte for
    /// byte (§4.1.1.2).
    public let signatureAlgorithm: AlgorithmIdentifier
    /// The name of the certificate's issuer; never empty (§4.1.2.4).
    public let issuer: Name
    /// The period in which the certificate may be relied on (§4.1.2.5).
    public let validity: Validity
    /// The name of the key's owner (§4.1.2.6); may be empty.
    public let subject: Name
    /// The range in the buffer of the whole SubjectPublicKeyInfo (§4.1.2.7). ``SignatureKey`` decodes it.
    public let subjectPublicKeyInfo: Range<Int>
    /// The range in the buffer of the issuer's signature over ``tbsCertificate`` (§4.1.1.3). The octet that
    /// counts unused bits is left out; it is zero.
    package let signatureValue: Range<Int>

    /// The range in the buffer of the contents of the SEQUENCE OF Extension; empty if there is none.
    package let extensions: Range<Int>
    /// The basic constraints extension (§4.2.1.9); nil if absent.
    package private(set) var basicConstraints: BasicConstraints?
    /// The key usage extension (§4.2.1.3); nil if absent.
    package private(set) var keyUsage: KeyUsage?
    /// The extended key usage extension (§4.2.1.12); nil if absent.
    package private(set) var extendedKeyUsage: ExtendedKeyUsage?
    /// The range in the buffer of the octets of the subject key identifier (§4.2.1.2); nil if absent.
    package private(set) var subjectKeyIdentifier: Range<Int>?
    /// The authority key identifier extension (§4.2.1.1); nil if absent.
    package private(set) var authorityKeyIdentifier: AuthorityKeyIdentifier?
    /// The offset in the buffer of the first critical extension that path validation does not know; nil if
    /// none. Known are basic constraints, key usage, extended key usage, subject key identifier, authority
    /// key identifier, and certificate policies with known qualifiers (§4.2.1.4).
    package private(set) var unknownCriticalExtension: Int?

    /// Decodes one certificate and leaves the reader after it.
    ///
    /// - Parameters:
    ///   - reader: the reader, at the first octet of the certificate.
    ///   - limits: the maximum numbers of extensions and of purposes. A certificate with more is refused.
    /// - Throws: `Refusal` with codes of `DER` and of this module. Offsets count from the start of the
    ///   reader's buffer.
    public init(_ reader: inout Reader, limits: CertificateLimits = .standard) throws(Refusal) {
        let bytes = reader.bytes
        let start = reader.offset
        var certificate = try reader.nested(.sequence, "Certificate")
        range = start..<reader.offset

        let tbsStart = certificate.offset
        var tbs = try certificate.nested(.sequence, "tbsCertificate")
        tbsCertificate = tbsStart..<certificate.offset
        signatureAlgorithm = try AlgorithmIdentifier(&certificate, "signatureAlgorithm")
        signatureValue = try certificate.readOctetAlignedBitString("signatureValue")
        try certificate.finish("Certificate")

        version = try Self.readVersion(&tbs)
        let serialOffset = tbs.offset
        serialNumber = try tbs.readIntegerContents("serialNumber")
        guard serialNumber.count <= 20 else {
            throw Refusal(.serialNumberTooLong, at: serialOffset, reading: "serialNumber")
        }
        let signature = try AlgorithmIdentifier(&tbs, "tbsCertificate.signature")
        guard bytes.holds(signature.range, sameAs: bytes, signatureAlgorithm.range) else {
            throw Refusal(
                .signatureAlgorithmMismatch,
                at: signature.range.lowerBound,
                reading: "tbsCertificate.signature"
            )
        }
        issuer = try Name(&tbs, "issuer")
        guard !issuer.isEmpty else {
            throw Refusal(.emptyName, at: issuer.range.lowerBound, reading: "issuer")
        }
        validity = try Validity(&tbs)
        subject = try Name(&tbs, "subject")
        let keyStart = tbs.offset
        try Self.skipKey(&tbs)
        subjectPublicKeyInfo = keyStart..<tbs.offset

        let uniqueIDOffset = tbs.offset
        try Self.skipUniqueID(&tbs, 1, "issuerUniqueID")
        try Self.skipUniqueID(&tbs, 2, "subjectUniqueID")
        guard version >= 2 || tbs.offset == uniqueIDOffset else {
            throw Refusal(.fieldNotInVersion, at: uniqueIDOffset, reading: "uniqueID")
        }
        if tbs.isNext(.constructed(3)) {
            guard version == 3 else {
                throw Refusal(.fieldNotInVersion, at: tbs.offset, reading: "extensions")
            }
            var explicit = try tbs.nested(.constructed(3), "extensions")
            let sequence = try explicit.nested(.sequence, "extensions")
            try explicit.finish("extensions")
            extensions = sequence.offset..<sequence.end
            try decodeExtensions(bytes, limits)
        } else {
            extensions = tbs.offset..<tbs.offset
        }
        try tbs.finish("tbsCertificate")
    }

    /// Reads `[0] EXPLICIT Version DEFAULT v1`. Returns 1 if it is absent, 2 for v2 and 3 for v3. Throws for
    /// any other, also for v1.
    private static func readVersion(_ tbs: inout Reader) throws(Refusal) -> Int {
        guard tbs.isNext(.constructed(0)) else { return 1 }
        let start = tbs.offset
        var explicit = try tbs.nested(.constructed(0), "version")
        let value = try explicit.readInteger("version")
        try explicit.finish("version")
        guard value == 1 || value == 2 else {
            throw Refusal(.certificateVersion, at: start, reading: "version")
        }
        return Int(value) + 1
    }

    /// Checks the form of a SubjectPublicKeyInfo of any algorithm, and skips it: `SEQUENCE { algorithm
    /// AlgorithmIdentifier, subjectPublicKey BIT STRING }`.
    private static func skipKey(_ tbs: inout Reader) throws(Refusal) {
        var info = try tbs.nested(.sequence, "subjectPublicKeyInfo")
        _ = try AlgorithmIdentifier(&info, "subjectPublicKeyInfo.algorithm")
        _ = try info.readBitString("subjectPublicKey")
        try info.finish("subjectPublicKeyInfo")
    }

    /// Skips `[number] IMPLICIT UniqueIdentifier`, a BIT STRING (§4.1.2.8) that nothing uses, if it is next.
    private static func skipUniqueID(
        _ tbs: inout Reader,
        _ number: UInt32,
        _ reading: StaticString
    ) throws(Refusal) {
        guard tbs.isNext(.primitive(number)) else { return }
        _ = try tbs.readBitString(reading, tag: .primitive(number))
    }

    /// Decodes the extensions that path validation enforces, and finds the first critical one that it does
    /// not know. Throws if an extension is malformed or a duplicate, if there is no extension, and if there
    /// are more extensions than the limit allows. The value of an unknown extension is not read; that of
    /// certificate policies is read only if they are critical.
    private mutating func decodeExtensions(
        _ bytes: Span<UInt8>,
        _ limits: CertificateLimits
    ) throws(Refusal) {
        var reader = Reader(bytes, in: extensions)
        var count = 0
        var seen: UInt64 = 0
        repeat {
            let next = try Extension(&reader)
            count += 1
            guard count <= limits.extensions else {
                throw Refusal(.tooManyExtensions, at: next.range.lowerBound, reading: "extensions")
            }
            let earlier = extensions.lowerBound..<next.range.lowerBound
            try Self.checkUnique(next, bytes, among: earlier, &seen)
            try decode(next, bytes, limits)
        } while !reader.isAtEnd
    }

    /// Throws `.duplicateExtension` if an earlier extension, in the range `earlier`, has the same identifier.
    ///
    /// An identifier is compared with the earlier ones only if one of them has the same bit in `seen`. The
    /// work is quadratic at worst. The limit on extensions bounds it.
    ///
    /// - Parameter seen: a bit for each earlier identifier, which depends on its length and last octet; zero
    ///   before the first. This function adds the bit of `next`.
    @inline(__always)
    package static func checkUnique(
        _ next: Extension,
        _ bytes: Span<UInt8>,
        among earlier: Range<Int>,
        _ seen: inout UInt64
    ) throws(Refusal) {
        let identifier = next.identifierRange
        let sum = Int(bytes[identifier.upperBound &- 1]) &+ identifier.count
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: sum)
        let isNew = seen & bit == 0
        seen |= bit
        if isNew { return }
        var reader = Reader(bytes, in: earlier)
        while !reader.isAtEnd {
            var other = try reader.nested(.sequence, "extension")
            let earlierIdentifier = try other.read(.objectIdentifier, "extension.extnID")
            if bytes.holds(identifier, sameAs: bytes, earlierIdentifier) {
                throw Refusal(.duplicateExtension, at: next.range.lowerBound, reading: "extension")
            }
        }
    }

    private mutating func decode(
        _ next: Extension,
        _ bytes: Span<UInt8>,
        _ limits: CertificateLimits
    ) throws(Refusal) {
        var value = Reader(bytes, in: next.value)
        switch next.identifier {
        case .basicConstraints?: basicConstraints = try BasicConstraints(&value)
        case .keyUsage?: keyUsage = try KeyUsage(&value)
        case .extendedKeyUsage?: extendedKeyUsage = try ExtendedKeyUsage(&value, limits: limits)
        case .subjectKeyIdentifier?:
            subjectKeyIdentifier = try value.read(.octetString, "subjectKeyIdentifier")
        case .authorityKeyIdentifier?: authorityKeyIdentifier = try AuthorityKeyIdentifier(&value)
        default:
            guard next.isCritical, try !next.isKnown(bytes) else { return }
            if unknownCriticalExtension == nil { unknownCriticalExtension = next.range.lowerBound }
            return
        }
        try value.finish("extension.extnValue")
    }
}

extension Extension {
    /// Whether path validation acts on this extension if it is critical. The qualifiers of certificate
    /// policies must be known too. Throws if certificate policies are malformed.
    fileprivate func isKnown(_ bytes: Span<UInt8>) throws(Refusal) -> Bool {
        guard identifier == .certificatePolicies else {
            return CertificationPath.knownExtensions.contains { $0 == identifier }
        }
        var reader = Reader(bytes, in: value)
        let areUnderstood = try CertificatePolicies.areUnderstood(&reader)
        try reader.finish("extension.extnValue")
        return areUnderstood
    }
}

extension CertificationPath {
    /// The identifiers of the extensions that path validation acts on.
    package static var knownExtensions: [ObjectIdentifier] {
        [
            .subjectKeyIdentifier, .keyUsage, .basicConstraints, .certificatePolicies,
            .authorityKeyIdentifier, .extendedKeyUsage,
        ]
    }
}

extension CertificateView {
    /// The first critical extension that neither path validation nor the caller enforces; nil if there is
    /// none.
    ///
    /// - Parameter enforced: the identifier of an extension that the caller enforces in this certificate; nil
    ///   if there is none.
    package func unknownCriticalExtension(besides enforced: ObjectIdentifier?) -> Extension? {
        // Nearly all certificates have no such extension.
        guard let first = fields.unknownCriticalExtension else { return nil }
        return firstExtension(in: first..<fields.extensions.upperBound) { (next) throws(Refusal) in
            guard next.isCritical, try !next.isKnown(bytes) else { return false }
            return enforced == nil || next.identifier != enforced
        }
    }
}
