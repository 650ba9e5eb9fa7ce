import Basics
import PKIX
import Processor

/// The certificate whose status is asked, its issuer, the time, and what else judging evidence needs.
struct RevocationQuestion: ~Escapable {
    /// The certificate in question.
    let certificate: CertificateView
    /// The certificate of the issuer of ``certificate``.
    let issuer: CertificateView
    /// The time at which evidence must be fresh.
    let now: Timestamp
    /// The instruction sets that may be used. They do not change the answer.
    let acceleration: Acceleration
    /// The distrusted certificates and keys. A certificate that is in this list, or whose key is, does not
    /// authorise the responder of an OCSP response. ``issuer`` is not looked up in the list.
    let distrusted: DistrustList

    /// Creates a question. Each parameter sets the property of its name.
    @_lifetime(copy certificate, copy issuer)
    init(
        _ certificate: CertificateView,
        issuedBy issuer: CertificateView,
        now: Timestamp,
        _ acceleration: Acceleration,
        distrusted: DistrustList
    ) {
        self.certificate = certificate
        self.issuer = issuer
        self.now = now
        self.acceleration = acceleration
        self.distrusted = distrusted
    }

    /// Whether a range of a piece of evidence has the contents octets of the certificate's serial number.
    /// Both numbers are DER, so equal numbers have equal octets.
    func hasSerialNumber(_ serialNumber: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        bytes.holds(serialNumber, sameAs: certificate.bytes, certificate.fields.serialNumber)
    }

    /// The latest time at which fresh evidence can have been made. Clocks may differ by a minute.
    private var latest: Timestamp { now + .minutes(1) }

    /// Checks that evidence was made in the past (RFC 6960 §4.2.2.1). Throws `.evidenceNotYetValid`, with
    /// the offset, for a time more than a minute after ``now``.
    func checkIsPast(_ time: Timestamp, at offset: Int, _ reading: StaticString) throws(Refusal) {
        guard time <= latest else { throw Refusal(.evidenceNotYetValid, at: offset, reading: reading) }
    }

    /// Checks that evidence of the status good counts at ``now``: it is fresh, and it was made before the
    /// certificate expired or covers expired certificates.
    ///
    /// - Parameters:
    ///   - updates: thisUpdate, when the status was known to be right, and nextUpdate.
    ///   - cutoff: the earliest expiry of certificates that the evidence covers although they had expired;
    ///     nil if it says nothing of such certificates. An issuer may remove expired certificates from its
    ///     list (RFC 5280 §3.3), and a responder need not know them (RFC 6960 §2.2).
    /// - Throws: `.evidenceNotYetValid`, `.staleEvidence`, or `.certificateExpiredBefore` if the evidence was
    ///   made after the certificate expired and does not cover it, with an offset in the evidence.
    func checkFreshness(_ updates: UpdateTimes, cutoff: Timestamp?) throws(Refusal) {
        try updates.checkFreshness(self)
        let expiry = certificate.fields.validity.notAfter
        if updates.thisUpdate > expiry {
            guard let cutoff, cutoff <= expiry else {
                throw Refusal(.certificateExpiredBefore, at: updates.offset, reading: "thisUpdate")
            }
        }
    }
}

/// The times of a certificate's status or of a revocation list: the time at which the status or the list
/// was known to be right, and the time by which there will be a newer one.
struct UpdateTimes: Sendable {
    /// The time at which the status or the revocation list was known to be right.
    let thisUpdate: Timestamp
    /// The time by which there will be a newer status or revocation list.
    let nextUpdate: Timestamp
    /// The offset of thisUpdate in the piece of evidence.
    let offset: Int

    /// Checks that the question's `now` lies between thisUpdate and nextUpdate. `now` may also lie up to a
    /// minute before thisUpdate, because clocks differ, and less than a second after nextUpdate, which is
    /// given in whole seconds.
    ///
    /// - Throws: `.evidenceNotYetValid` or `.staleEvidence`, with the offset of thisUpdate.
    func checkFreshness(_ question: borrowing RevocationQuestion) throws(Refusal) {
        try question.checkIsPast(thisUpdate, at: offset, "thisUpdate")
        guard question.now.millisecondsSince1970 < nextUpdate.millisecondsSince1970 + 1000 else {
            throw Refusal(.staleEvidence, at: offset, reading: "nextUpdate")
        }
    }
}

/// The answer of a usable piece of evidence about the certificate.
enum RevocationAnswer {
    /// A revocation: its date, and its reason if one is given.
    struct Revocation {
        /// The date since which the certificate is revoked.
        let date: Timestamp
        /// The reason; nil if the evidence gives none.
        let reason: RevocationReason?
    }

    /// The certificate is not revoked.
    case good
    /// The certificate is revoked.
    case revoked(Revocation)
}
