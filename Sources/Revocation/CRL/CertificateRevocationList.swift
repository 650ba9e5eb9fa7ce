import Basics
import DER
import PKIX

/// A certificate revocation list (RFC 5280 §5.1), as ranges of its bytes.
///
/// ```
/// CertificateList ::= SEQUENCE {
///     tbsCertList         TBSCertList,
///     signatureAlgorithm  AlgorithmIdentifier,
///     signatureValue      BIT STRING }
/// TBSCertList ::= SEQUENCE {
///     version              INTEGER { v2(1) },
///     signature            AlgorithmIdentifier,
///     issuer               Name,
///     thisUpdate           Time,
///     nextUpdate           Time,
///     revokedCertificates  SEQUENCE OF RevokedCertificate OPTIONAL,
///     crlExtensions        [0] EXPLICIT Extensions OPTIONAL }
/// ```
struct CertificateRevocationList: Sendable {
    /// The DER of the whole list, in which all ranges and offsets count.
    let bytes: [UInt8]
    /// The limits that the list was decoded under.
    let limits: RevocationLimits
    /// The issuer's signature over `tbsCertList`.
    let signature: EvidenceSignature
    /// The name of the list's issuer.
    let issuer: Name
    /// The times `thisUpdate` and `nextUpdate`.
    let updates: UpdateTimes
    /// The range of the contents of `revokedCertificates`, whose entries are well-formed; empty if the field
    /// is absent.
    let revokedCertificates: Range<Int>
    /// The authority key identifier extension (RFC 5280 §5.2.1); nil if absent.
    private(set) var authorityKeyIdentifier: AuthorityKeyIdentifier?
    /// The issuing distribution point extension (RFC 5280 §5.2.5); nil if absent.
    private(set) var issuingDistributionPoint: IssuingDistributionPoint?
    /// The expiredCertsOnCRL extension (X.509 §9.5.2.8): expired certificates are covered, too, if they
    /// expired at this time or later. Nil if absent.
    private(set) var expiredCertificatesFrom: Timestamp?

    /// Decodes the list that fills the bytes.
    ///
    /// - Throws: `Refusal` with an offset in the bytes: `.evidenceTooLarge` or `.tooManyEvidenceElements`
    ///   beyond the limits; `.revocationListVersion`, `.missingNextUpdate`, `.emptyRevocationList`,
    ///   `.deltaRevocationList` or `.partialRevocationList` for a form that is not supported;
    ///   `.invalidRevocationReason`, and the codes of `DER` and `PKIX`, for a malformed list.
    init(_ bytes: [UInt8], limits: RevocationLimits) throws(Refusal) {
        guard bytes.count <= limits.listBytes else {
            throw Refusal(.evidenceTooLarge, at: 0, reading: "CertificateList")
        }
        self.bytes = bytes
        self.limits = limits
        let span = bytes.borrowedSpan
        var reader = Reader(span)
        var list = try reader.nested(.sequence, "CertificateList")
        try reader.finish("CertificateList")
        let start = list.offset
        var tbs = try list.nested(.sequence, "tbsCertList")
        let signed = start..<list.offset
        let algorithm = try AlgorithmIdentifier(&list, "signatureAlgorithm")
        let value = try list.readOctetAlignedBitString("signatureValue")
        signature = EvidenceSignature(signed: signed, algorithm: algorithm, value: value)
        try list.finish("CertificateList")

        try Self.readHead(&tbs, algorithm)
        issuer = try Name(&tbs, "issuer")
        let offset = tbs.offset
        let thisUpdate = try tbs.readTime("thisUpdate")
        guard tbs.isNext(.utcTime) || tbs.isNext(.generalizedTime) else {
            throw Refusal(.missingNextUpdate, at: tbs.offset, reading: "nextUpdate")
        }
        let nextUpdate = try tbs.readTime("nextUpdate")
        updates = UpdateTimes(thisUpdate: thisUpdate, nextUpdate: nextUpdate, offset: offset)
        revokedCertificates = try Self.readRevokedCertificates(&tbs, limits)
        if tbs.isNext(.constructed(0)) {
            var explicit = try tbs.nested(.constructed(0), "crlExtensions")
            try explicit.readExtensions("crlExtensions", limit: limits.extensions) {
                (next) throws(Refusal) in
                try decode(next, span)
            }
            try explicit.finish("crlExtensions")
        }
        try tbs.finish("tbsCertList")
    }

    /// Reads `version` and `signature`. Throws `.revocationListVersion` unless the version is 2, and
    /// `.signatureAlgorithmMismatch` unless `signature` has the bytes of `algorithm`, the field
    /// `signatureAlgorithm`. A malformed field throws the refusal of its reader instead.
    private static func readHead(
        _ tbs: inout Reader,
        _ algorithm: AlgorithmIdentifier
    ) throws(Refusal) {
        let start = tbs.offset
        guard tbs.isNext(.integer), try tbs.readInteger("version") == 1 else {
            throw Refusal(.revocationListVersion, at: start, reading: "version")
        }
        let inner = try AlgorithmIdentifier(&tbs, "tbsCertList.signature")
        guard tbs.bytes.holds(inner.range, sameAs: tbs.bytes, algorithm.range) else {
            let offset = inner.range.lowerBound
            throw Refusal(.signatureAlgorithmMismatch, at: offset, reading: "tbsCertList.signature")
        }
    }

    /// Decodes each entry of `revokedCertificates` once, so that a malformed entry refuses the list. Returns
    /// the range of all entries, which is empty if the field is absent. Throws `.emptyRevocationList` if the
    /// field has no entry, and `.tooManyEvidenceElements` if it has more than the limit.
    private static func readRevokedCertificates(
        _ tbs: inout Reader,
        _ limits: RevocationLimits
    ) throws(Refusal) -> Range<Int> {
        guard tbs.isNext(.sequence) else { return tbs.offset..<tbs.offset }
        let offset = tbs.offset
        var entries = try tbs.nested(.sequence, "revokedCertificates")
        guard !entries.isAtEnd else {
            throw Refusal(.emptyRevocationList, at: offset, reading: "revokedCertificates")
        }
        let start = entries.offset
        var count = 0
        while !entries.isAtEnd {
            count += 1
            guard count <= limits.entries else {
                throw Refusal(.tooManyEvidenceElements, at: entries.offset, reading: "revokedCertificates")
            }
            _ = try RevokedCertificate(&entries, limits: limits)
        }
        return start..<entries.offset
    }

    /// Decodes the value of an extension of the list (RFC 5280 §5.2) and sets the property for it. Returns
    /// false for an extension that the module does not act on. Throws `.deltaRevocationList` for a delta CRL
    /// indicator, and the refusal of a value that is malformed or not supported.
    private mutating func decode(_ next: Extension, _ bytes: Span<UInt8>) throws(Refusal) -> Bool {
        var value = Reader(bytes, in: next.value)
        switch next.identifier {
        case .authorityKeyIdentifier?: authorityKeyIdentifier = try AuthorityKeyIdentifier(&value)
        case .issuingDistributionPoint?:
            issuingDistributionPoint = try IssuingDistributionPoint(&value, limits: limits)
        case .expiredCertificatesOnCRL?:
            expiredCertificatesFrom = try value.readWholeSeconds("expiredCertsOnCRL")
        case .deltaCRLIndicator?:
            throw Refusal(.deltaRevocationList, at: next.range.lowerBound, reading: "deltaCRLIndicator")
        default: return false
        }
        try value.finish("crlExtensions")
        return true
    }
}

extension ObjectIdentifier {
    fileprivate static var deltaCRLIndicator: Self { Self(2, 5, 29, 27) }
    fileprivate static var issuingDistributionPoint: Self { Self(2, 5, 29, 28) }
    fileprivate static var expiredCertificatesOnCRL: Self { Self(2, 5, 29, 60) }
}
