import Basics
import DER
import PKIX

/// An entry of a revocation list (RFC 5280 §5.1.2.6).
///
/// ```
/// RevokedCertificate ::= SEQUENCE {
///     userCertificate     INTEGER,
///     revocationDate      Time,
///     crlEntryExtensions  Extensions OPTIONAL }
/// ```
struct RevokedCertificate {
    /// The date of the revocation, and the reason if the entry gives one.
    let revocation: RevocationAnswer.Revocation

    /// Decodes one entry and leaves the reader after it.
    ///
    /// The reason code (RFC 5280 §5.3.1) is the one extension that counts. Any other extension is refused if
    /// it is critical, such as a critical certificateIssuer (§5.3.3), which belongs to an indirect list.
    ///
    /// - Throws: `Refusal`: `.serialNumberTooLong`, `.invalidRevocationReason`, `.tooManyEvidenceElements`,
    ///   `.duplicateExtension`, `.unknownCriticalExtension`, or a code of `DER`.
    init(_ reader: inout Reader, limits: RevocationLimits) throws(Refusal) {
        var entry = try reader.nested(.sequence, "revokedCertificate")
        _ = try entry.readSerialNumber("userCertificate")
        let date = try entry.readTime("revocationDate")
        var reason: RevocationReason?
        if !entry.isAtEnd {
            let bytes = entry.bytes
            try entry.readExtensions("crlEntryExtensions", limit: limits.extensions) {
                (next) throws(Refusal) in
                guard next.identifier == .reasonCode else { return false }
                var value = Reader(bytes, in: next.value)
                reason = try RevocationReason(&value, "reasonCode")
                try value.finish("reasonCode")
                return true
            }
        }
        try entry.finish("revokedCertificate")
        revocation = RevocationAnswer.Revocation(date: date, reason: reason)
    }
}

extension CertificateRevocationList {
    /// The revocation of the certificate in question; nil if the list has no entry with its serial number.
    ///
    /// The entries may be in any order. If a serial number occurs twice, a revocation that does not end
    /// counts before `certificateHold`.
    func revocation(
        of question: borrowing RevocationQuestion
    ) throws(Refusal) -> RevocationAnswer.Revocation? {
        let span = bytes.borrowedSpan
        var found: RevocationAnswer.Revocation?
        var reader = Reader(span, in: revokedCertificates)
        while !reader.isAtEnd {
            let start = reader.offset
            var entry = try reader.nested(.sequence, "revokedCertificate")
            let serialNumber = try entry.read(.integer, "userCertificate")
            guard question.hasSerialNumber(serialNumber, in: span) else { continue }
            if let found, found.reason != .certificateHold { return found }
            var whole = Reader(span, in: start..<reader.offset)
            found = try RevokedCertificate(&whole, limits: limits).revocation
        }
        return found
    }
}

extension ObjectIdentifier {
    fileprivate static var reasonCode: Self { Self(2, 5, 29, 21) }
}
