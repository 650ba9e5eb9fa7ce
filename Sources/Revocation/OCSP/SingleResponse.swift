import Basics
import DER
import PKIX
import SHA

/// The status of one certificate in an OCSP response (RFC 6960 §4.2.1).
///
/// ```
/// SingleResponse ::= SEQUENCE {
///     certID            CertID,
///     certStatus        CHOICE { good [0] IMPLICIT NULL, revoked [1] IMPLICIT RevokedInfo,
///                                unknown [2] IMPLICIT NULL },
///     thisUpdate        GeneralizedTime,
///     nextUpdate        [0] EXPLICIT GeneralizedTime OPTIONAL,
///     singleExtensions  [1] EXPLICIT Extensions OPTIONAL }
/// RevokedInfo ::= SEQUENCE {
///     revocationTime    GeneralizedTime,
///     revocationReason  [0] EXPLICIT CRLReason OPTIONAL }
/// ```
///
/// A status without nextUpdate is refused, although the standard allows it.
struct SingleResponse {
    /// The responder's answer about the certificate: the field `certStatus`.
    enum Status {
        /// The certificate is not revoked.
        case good
        /// The certificate is revoked, since a date and perhaps for a reason.
        case revoked(RevocationAnswer.Revocation)
        /// The responder does not know the certificate.
        case unknown
    }

    /// The offset of the SingleResponse in the response.
    let offset: Int
    /// The certificate that the status is about.
    let certID: CertID
    /// The status of the certificate.
    let status: Status
    /// The times `thisUpdate` and `nextUpdate`.
    let updates: UpdateTimes
    /// The archive cutoff (RFC 6960 §4.4.4): expired certificates are covered, too, if they expired at this
    /// time or later. Nil if absent.
    let archiveCutoff: Timestamp?

    /// Decodes one SingleResponse and leaves the reader after it.
    ///
    /// - Throws: `Refusal`: `.missingNextUpdate`, `.invalidRevocationReason`, `.tooManyEvidenceElements`,
    ///   `.duplicateExtension`, `.unknownCriticalExtension`, or why the CertID or the DER is malformed.
    init(_ reader: inout Reader, limits: RevocationLimits) throws(Refusal) {
        offset = reader.offset
        var single = try reader.nested(.sequence, "SingleResponse")
        certID = try CertID(&single)
        status = try Self.readStatus(&single)
        let start = single.offset
        let thisUpdate = try single.readWholeSeconds("thisUpdate")
        guard single.isNext(.constructed(0)) else {
            throw Refusal(.missingNextUpdate, at: single.offset, reading: "nextUpdate")
        }
        var next = try single.nested(.constructed(0), "nextUpdate")
        let nextUpdate = try next.readWholeSeconds("nextUpdate")
        try next.finish("nextUpdate")
        updates = UpdateTimes(thisUpdate: thisUpdate, nextUpdate: nextUpdate, offset: start)
        var cutoff: Timestamp?
        if single.isNext(.constructed(1)) {
            var explicit = try single.nested(.constructed(1), "singleExtensions")
            let bytes = explicit.bytes
            try explicit.readExtensions("singleExtensions", limit: limits.extensions) {
                (next) throws(Refusal) in
                guard next.identifier == .archiveCutoff else { return false }
                var value = Reader(bytes, in: next.value)
                cutoff = try value.readWholeSeconds("archiveCutoff")
                try value.finish("archiveCutoff")
                return true
            }
            try explicit.finish("singleExtensions")
        }
        archiveCutoff = cutoff
        try single.finish("SingleResponse")
    }

    /// Reads `certStatus`. Throws `.unexpectedTag` for another choice, and `.invalidNull` for a status good
    /// or unknown with contents.
    private static func readStatus(_ single: inout Reader) throws(Refusal) -> Status {
        let element = try single.readElement("certStatus")
        switch element.tag {
        case .primitive(0), .primitive(2):
            guard element.contents.isEmpty else {
                throw Refusal(.invalidNull, at: element.contents.lowerBound, reading: "certStatus")
            }
            return element.tag == .primitive(0) ? .good : .unknown
        case .constructed(1):
            var revoked = Reader(single.bytes, in: element.contents)
            let date = try revoked.readWholeSeconds("revocationTime")
            var reason: RevocationReason?
            if revoked.isNext(.constructed(0)) {
                var explicit = try revoked.nested(.constructed(0), "revocationReason")
                reason = try RevocationReason(&explicit, "revocationReason")
                try explicit.finish("revocationReason")
            }
            try revoked.finish("revoked")
            return .revoked(RevocationAnswer.Revocation(date: date, reason: reason))
        default:
            throw Refusal(.unexpectedTag, at: element.range.lowerBound, reading: "certStatus")
        }
    }
}

extension ObjectIdentifier {
    /// `id-pkix-ocsp-archive-cutoff` (RFC 6960 §4.4.4).
    fileprivate static var archiveCutoff: Self { Self(1, 3, 6, 1, 5, 5, 7, 48, 1, 6) }
}

/// The certificate that a status is about (RFC 6960 §4.1.1).
///
/// ```
/// CertID ::= SEQUENCE {
///     hashAlgorithm   AlgorithmIdentifier,
///     issuerNameHash  OCTET STRING,
///     issuerKeyHash   OCTET STRING,
///     serialNumber    INTEGER }
/// ```
struct CertID {
    /// The algorithm of the hashes of the issuer's name and key; nil if this package does not have it.
    let hash: HashAlgorithm?
    /// The range in the response of the digest of the issuer's Name.
    let issuerNameHash: Range<Int>
    /// The range in the response of the digest of the octets of the issuer's subjectPublicKey.
    let issuerKeyHash: Range<Int>
    /// The range in the response of the contents octets of the certificate's serial number.
    let serialNumber: Range<Int>

    /// Decodes a CertID and leaves the reader after it. Throws `.invalidAlgorithmParameters` if a known
    /// hash algorithm has parameters that are present and not NULL, and `.serialNumberTooLong` if the
    /// serial number has more than 20 octets.
    init(_ reader: inout Reader) throws(Refusal) {
        var sequence = try reader.nested(.sequence, "certID")
        let algorithm = try AlgorithmIdentifier(&sequence, "certID.hashAlgorithm")
        hash = HashAlgorithm(digestAlgorithm: algorithm.algorithm)
        guard hash == nil || algorithm.parameters != .other else {
            let offset = algorithm.range.lowerBound
            throw Refusal(.invalidAlgorithmParameters, at: offset, reading: "certID.hashAlgorithm")
        }
        issuerNameHash = try sequence.read(.octetString, "certID.issuerNameHash")
        issuerKeyHash = try sequence.read(.octetString, "certID.issuerKeyHash")
        serialNumber = try sequence.readSerialNumber("certID.serialNumber")
        try sequence.finish("certID")
    }

    /// Whether this CertID names the certificate in question by its serial number and the hashes of its
    /// issuer's name and key. A CertID whose hash algorithm is unknown names no certificate. Throws if the
    /// issuer's SubjectPublicKeyInfo is malformed.
    ///
    /// - Parameter bytes: the bytes of the response.
    func matches(_ question: borrowing RevocationQuestion, in bytes: Span<UInt8>) throws(Refusal) -> Bool {
        guard let hash, question.hasSerialNumber(serialNumber, in: bytes) else { return false }
        let issuer = question.issuer
        func holds(_ range: Range<Int>, digestOf hashed: Range<Int>) -> Bool {
            let digest = hash.digest(
                of: issuer.bytes.extracting(hashed),
                acceleration: question.acceleration
            )
            return digest.equals(bytes.extracting(range))
        }
        let key = try issuer.subjectPublicKey
        return holds(issuerNameHash, digestOf: issuer.fields.subject.range)
            && holds(issuerKeyHash, digestOf: key)
    }
}

extension CertificateView {
    /// The range in the certificate's buffer of the octets of `subjectPublicKey`, without the octet that
    /// counts unused bits. Throws the codes of `DER` if the SubjectPublicKeyInfo is malformed.
    var subjectPublicKey: Range<Int> {
        get throws(Refusal) {
            var reader = Reader(bytes, in: fields.subjectPublicKeyInfo)
            var info = try reader.nested(.sequence, "subjectPublicKeyInfo")
            _ = try AlgorithmIdentifier(&info, "subjectPublicKeyInfo.algorithm")
            return try info.readBitString("subjectPublicKey").octets
        }
    }
}
