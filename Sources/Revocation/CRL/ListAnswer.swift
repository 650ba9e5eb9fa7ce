import Basics
import PKIX

extension CertificateRevocationList {
    /// The answer of the list about the certificate in question; nil if another issuer than the certificate's
    /// made the list.
    ///
    /// - Parameters:
    ///   - question: the certificate, its issuer, and the time at which the list must be fresh.
    ///   - keys: decoded keys, which this function uses and adds to.
    ///   - budget: the signature checks that are left.
    /// - Throws: `Refusal` with an offset in the list, if the list is unusable: the list is for another
    ///   key of the issuer, the issuer's key usage lacks cRLSign, the list does not cover the certificate,
    ///   the list is not fresh, its signature is refused, or `budget` is too small. A list that revokes the
    ///   certificate need not be fresh, unless the reason is `certificateHold`.
    func answer<Key: SignatureKey>(
        to question: borrowing RevocationQuestion,
        _ keys: inout KeyCache<Key>,
        _ budget: inout SignatureBudget
    ) throws(Refusal) -> RevocationAnswer? {
        let span = bytes.borrowedSpan
        let (certificate, list) = (question.certificate, signature.signed.lowerBound)
        guard span.holds(issuer.range, sameAs: certificate.bytes, certificate.fields.issuer.range) else {
            return nil
        }
        guard question.issuer.matches(authorityKeyIdentifier, in: span) else {
            throw Refusal(.otherListKey, at: list, reading: "authorityKeyIdentifier")
        }
        if let usage = question.issuer.fields.keyUsage, !usage.cRLSign {
            throw Refusal(.missingCRLSign, at: list, reading: "keyUsage")
        }
        guard try covers(certificate) else {
            throw Refusal(.otherListScope, at: list, reading: "issuingDistributionPoint")
        }
        let revocation = try revocation(of: question)
        if revocation == nil {
            try question.checkFreshness(updates, cutoff: expiredCertificatesFrom)
        } else if revocation?.reason == .certificateHold {
            try updates.checkFreshness(question)
        }
        try signature.verify(in: span, by: question.issuer, &keys, &budget, question.acceleration)
        return revocation.map(RevocationAnswer.revoked) ?? .good
    }

    /// Whether the list covers a certificate: the list has no issuing distribution point, or one that
    /// covers the certificate. False if reading the certificate's distribution points throws.
    private func covers(_ certificate: CertificateView) throws(Refusal) -> Bool {
        guard let issuingDistributionPoint else { return true }
        do throws(Refusal) {
            return try issuingDistributionPoint.covers(certificate, in: bytes.borrowedSpan)
        } catch {
            return false
        }
    }
}
