import DER

/// A certificate (RFC 5280 §4.1): where its fields lie in a buffer that somebody else keeps, and what its
/// known extensions say. Decoding copies nothing and allocates nothing.
///
/// ```
/// Certificate ::= SEQUENCE {
///     tbsCertificate      TBSCertificate,
///     signatureAlgorithm  AlgorithmIdentifier,
///     signatureValue      BIT STRING }
/// ```
public struct Certificate: Sendable {
    /// The whole encoding.
    public let range: Range<Int>
    /// The part that is signed, header included.
    public let tbsCertificate: Range<Int>
    /// 1, 2 or 3.
    public let version: Int
    /// The contents octets of the INTEGER, which may be zero or negative (RFC 5280 §4.1.2.2 asks for
    /// patience).
    public let serialNumber: Range<Int>
    /// What `signatureValue` was made with; `tbsCertificate.signature` is the same, byte for byte (§4.1.1.2).
    public let signatureAlgorithm: AlgorithmIdentifier
    /// Who signed; never empty (§4.1.2.4).
    public let issuer: Name
    /// When the certificate may be relied on (§4.1.2.5).
    public let validity: Validity
    /// Whose key it is (§4.1.2.6); may be empty.
    public let subject: Name
    /// The whole SubjectPublicKeyInfo.
    public let subjectPublicKeyInfo: Range<Int>
    /// The contents octets of `issuerUniqueID`, on which nothing in a path depends.
    public let issuerUniqueID: Range<Int>?
    /// The contents octets of `subjectUniqueID`, likewise.
    public let subjectUniqueID: Range<Int>?
    /// The issuer's signature over ``tbsCertificate``, without the octet that counts unused bits (§4.1.1.3).
    public let signatureValue: Range<Int>

    /// The contents of the SEQUENCE OF Extension; empty where there is none.
    public let extensions: Range<Int>
    /// Nil where the extension is absent (§4.2.1.9).
    public let basicConstraints: BasicConstraints?
    /// Nil where the extension is absent (§4.2.1.3).
    public let keyUsage: KeyUsage?
    /// Nil where the extension is absent (§4.2.1.12).
    public let extendedKeyUsage: ExtendedKeyUsage?
    /// The octets of the KeyIdentifier; nil where the extension is absent (§4.2.1.2).
    public let subjectKeyIdentifier: Range<Int>?
    /// Nil where the extension is absent (§4.2.1.1).
    public let authorityKeyIdentifier: AuthorityKeyIdentifier?
    /// Where the first critical extension stands that is not one of these; nil where there is none.
    public let unknownCriticalExtension: Int?

    /// Decodes one certificate and leaves the reader after it.
    ///
    /// - Throws: `Refusal` with codes of `DER` and of this module; offsets are the reader's.
    public init(_ reader: inout Reader, limits: Limits = .standard) throws(Refusal) {
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
        _ = try tbs.read(.sequence, "subjectPublicKeyInfo")
        subjectPublicKeyInfo = keyStart..<tbs.offset

        let uniqueIDOffset = tbs.offset
        issuerUniqueID = try tbs.readIfNext(.primitive(1), "issuerUniqueID")
        subjectUniqueID = try tbs.readIfNext(.primitive(2), "subjectUniqueID")
        guard version >= 2 || tbs.offset == uniqueIDOffset else {
            throw Refusal(.fieldNotInVersion, at: uniqueIDOffset, reading: "uniqueID")
        }
        var known = KnownExtensions()
        if tbs.isNext(.constructed(3)) {
            guard version == 3 else {
                throw Refusal(.fieldNotInVersion, at: tbs.offset, reading: "extensions")
            }
            var explicit = try tbs.nested(.constructed(3), "extensions")
            let sequence = try explicit.nested(.sequence, "extensions")
            try explicit.finish("extensions")
            extensions = sequence.offset..<sequence.end
            known = try KnownExtensions(bytes, in: extensions, limits: limits)
        } else {
            extensions = tbs.offset..<tbs.offset
        }
        try tbs.finish("tbsCertificate")
        basicConstraints = known.basicConstraints
        keyUsage = known.keyUsage
        extendedKeyUsage = known.extendedKeyUsage
        subjectKeyIdentifier = known.subjectKeyIdentifier
        authorityKeyIdentifier = known.authorityKeyIdentifier
        unknownCriticalExtension = known.unknownCriticalExtension
    }

    /// `[0] EXPLICIT Version DEFAULT v1`: v1 is 0, and left out.
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

    /// Whether the names are the same bytes: the issuer signed for itself, or says so.
    ///
    /// - Parameter bytes: the buffer that this was read from; another one may trap.
    public func isSelfIssued(in bytes: Span<UInt8>) -> Bool {
        bytes.holds(issuer.range, sameAs: bytes, subject.range)
    }

    /// The extension with this identifier.
    ///
    /// - Parameter bytes: the buffer that the certificate was read from.
    public func `extension`(_ identifier: ObjectIdentifier, in bytes: Span<UInt8>) -> Extension? {
        var reader = Reader(bytes, in: extensions)
        while !reader.isAtEnd, let candidate = try? Extension(&reader) {
            if candidate.identifier == identifier { return candidate }
        }
        return nil
    }

    /// All extensions in the order of the encoding, for showing to people.
    public func allExtensions(in bytes: Span<UInt8>) -> [Extension] {
        var all: [Extension] = []
        var reader = Reader(bytes, in: extensions)
        while !reader.isAtEnd, let next = try? Extension(&reader) { all.append(next) }
        return all
    }
}

/// The extensions whose meaning is enforced, and whether there is a critical one besides.
private struct KnownExtensions {
    var basicConstraints: BasicConstraints?
    var keyUsage: KeyUsage?
    var extendedKeyUsage: ExtendedKeyUsage?
    var subjectKeyIdentifier: Range<Int>?
    var authorityKeyIdentifier: AuthorityKeyIdentifier?
    var unknownCriticalExtension: Int?

    init() {}

    init(_ bytes: Span<UInt8>, in range: Range<Int>, limits: Limits) throws(Refusal) {
        var reader = Reader(bytes, in: range)
        var count = 0
        repeat {
            let next = try Extension(&reader)
            count += 1
            guard count <= limits.extensions else {
                throw Refusal(.tooManyExtensions, at: next.range.lowerBound, reading: "extensions")
            }
            try Self.checkUnique(next, bytes, among: range.lowerBound..<next.range.lowerBound)
            try decode(next, bytes)
        } while !reader.isAtEnd
    }

    /// Compares with every earlier one, which was read before and is not checked again: quadratic, and
    /// bounded by the limit on extensions.
    private static func checkUnique(
        _ next: Extension,
        _ bytes: Span<UInt8>,
        among earlier: Range<Int>
    ) throws(Refusal) {
        var reader = Reader(bytes, in: earlier)
        while !reader.isAtEnd {
            var other = try reader.nested(.sequence, "extension")
            let identifier = try other.read(.objectIdentifier, "extension.extnID")
            if bytes.holds(next.identifierRange, sameAs: bytes, identifier) {
                throw Refusal(.duplicateExtension, at: next.range.lowerBound, reading: "extension")
            }
        }
    }

    private mutating func decode(_ next: Extension, _ bytes: Span<UInt8>) throws(Refusal) {
        var value = Reader(bytes, in: next.value)
        switch next.identifier {
        case .basicConstraints?: basicConstraints = try BasicConstraints(&value)
        case .keyUsage?: keyUsage = try KeyUsage(&value)
        case .extendedKeyUsage?: extendedKeyUsage = try ExtendedKeyUsage(&value)
        case .subjectKeyIdentifier?: subjectKeyIdentifier = try value.readOctetString("subjectKeyIdentifier")
        case .authorityKeyIdentifier?: authorityKeyIdentifier = try AuthorityKeyIdentifier(&value)
        default:
            if next.isCritical && unknownCriticalExtension == nil {
                unknownCriticalExtension = next.range.lowerBound
            }
            return
        }
        try value.finish("extension.extnValue")
    }
}
