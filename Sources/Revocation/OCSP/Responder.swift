import Basics
import DER
import PKIX
import Processor
import SHA

extension OCSPResponse {
    /// The answer of the response about the certificate in question; nil if the response has no status of
    /// the certificate.
    ///
    /// If the response has several statuses of the certificate, a revocation counts before all others, and
    /// one that does not end before `certificateHold`. The certificate is good only if each status says so.
    ///
    /// - Parameters:
    ///   - question: the certificate, its issuer, and the time at which the response must be fresh.
    ///   - keys: decoded keys, which this function uses and adds to.
    ///   - budget: the signature checks that are left.
    /// - Throws: `Refusal` with an offset in the response, if the response is unusable: the status is
    ///   unknown, not fresh, or does not cover the certificate, which had expired; the responder is not
    ///   authorised; the signature is refused; or `budget` is too small. A revocation that does not end need
    ///   not be fresh.
    func answer<Key: SignatureKey>(
        to question: borrowing RevocationQuestion,
        _ keys: inout KeyCache<Key>,
        _ budget: inout SignatureBudget
    ) throws(Refusal) -> RevocationAnswer? {
        let span = bytes.borrowedSpan
        var reader = Reader(span, in: responses)
        var answer: RevocationAnswer?
        var refusal: Refusal?
        while !reader.isAtEnd {
            let single = try SingleResponse(&reader, limits: limits)
            guard try single.certID.matches(question, in: span) else { continue }
            do throws(Refusal) {
                let next = try self.answer(of: single, to: question)
                if case .revoked(let found)? = answer {
                    guard found.reason == .certificateHold, case .revoked = next else { continue }
                }
                answer = next
            } catch {
                refusal = refusal ?? error
            }
        }
        switch answer {
        case .revoked?:
            // A revocation counts also if the responder's certificate is not valid any more.
            try verify(question, isFresh: false, &keys, &budget)
        default:
            if let refusal { throw refusal }
            guard answer != nil else { return nil }
            try verify(question, isFresh: true, &keys, &budget)
        }
        return answer
    }

    /// The answer that a status of the certificate in question gives. Throws `.unknownToResponder` if the
    /// status is unknown. A status good, and a revocation with the reason `certificateHold`, must be
    /// fresh. A status good must also cover the certificate if that had expired, and its response's
    /// producedAt must be at most a minute after the question's `now`. Otherwise throws the code that says
    /// why.
    private func answer(
        of single: SingleResponse,
        to question: borrowing RevocationQuestion
    ) throws(Refusal) -> RevocationAnswer {
        switch single.status {
        case .unknown:
            throw Refusal(.unknownToResponder, at: single.offset, reading: "certStatus")
        case .revoked(let revocation):
            if revocation.reason == .certificateHold { try single.updates.checkFreshness(question) }
            return .revoked(revocation)
        case .good:
            try question.checkFreshness(single.updates, cutoff: single.archiveCutoff)
            try question.checkIsPast(producedAt, at: producedAtOffset, "producedAt")
            return .good
        }
    }

    /// Verifies the response's signature by the issuer's key, or by the key of a certificate in the response
    /// that the issuer has authorised (RFC 6960 §4.2.2.2). The ResponderID must name the one or the other.
    ///
    /// Several certificates may be the responder's, for example the one before a renewal beside the present
    /// one, or one with the issuer's own name. Of those that the ResponderID names, the function tries the
    /// issuer's key first and then each certificate, until one verifies the response. The limits on
    /// certificates and signature checks bound the work.
    ///
    /// If the issuer signs the response itself, its key usage is not checked: RFC 6960 does not require it,
    /// and the certificates of Apple's authorities have keyCertSign and cRLSign alone.
    ///
    /// - Parameters:
    ///   - question: the certificate in question, its issuer and the present time.
    ///   - isFresh: whether the responder's certificate must be valid at the present time, too.
    ///   - keys: decoded keys, which this function uses and adds to.
    ///   - budget: the signature checks that are left.
    /// - Throws: `.tooManyEvidenceChecks` if the budget ends before a key verifies the response;
    ///   `.responderNotFound` if neither the issuer nor a certificate of the response is the responder; else
    ///   why the first of them that is the responder, or a signature by it, is refused. If the ResponderID is
    ///   a key, a certificate with a malformed SubjectPublicKeyInfo is refused as the responder's would be.
    private func verify<Key: SignatureKey>(
        _ question: borrowing RevocationQuestion,
        isFresh: Bool,
        _ keys: inout KeyCache<Key>,
        _ budget: inout SignatureBudget
    ) throws(Refusal) {
        let span = bytes.borrowedSpan
        var refusal: Refusal?
        if try isResponder(question.issuer) {
            do throws(Refusal) {
                try signature.verify(in: span, by: question.issuer, &keys, &budget, question.acceleration)
                return
            } catch {
                if error.code == .tooManyEvidenceChecks { throw error }
                refusal = error
            }
        }
        for fields in certificates {
            do throws(Refusal) {
                let responder = fields.view(in: span)
                guard try isResponder(responder) else { continue }
                try checkAuthorisation(of: responder, question, isFresh: isFresh)
                let issued = EvidenceSignature(
                    signed: fields.tbsCertificate,
                    algorithm: fields.signatureAlgorithm,
                    value: fields.signatureValue
                )
                try issued.verify(in: span, by: question.issuer, &keys, &budget, question.acceleration)
                try signature.verify(in: span, by: responder, &keys, &budget, question.acceleration)
                return
            } catch {
                // A certificate that was not tried could verify a revocation.
                if error.code == .tooManyEvidenceChecks { throw error }
                refusal = refusal ?? error
            }
        }
        let none = Refusal(.responderNotFound, at: signature.signed.lowerBound, reading: "responderID")
        throw refusal ?? none
    }

    /// Whether a certificate has the name or the key of the response's ResponderID. Throws if the
    /// certificate's SubjectPublicKeyInfo is malformed and the ResponderID is a key.
    private func isResponder(_ certificate: CertificateView) throws(Refusal) -> Bool {
        let span = bytes.borrowedSpan
        switch responder {
        case .name(let name):
            return span.holds(name, sameAs: certificate.bytes, certificate.fields.subject.range)
        case .key(let digest):
            let key = certificate.bytes.extracting(try certificate.subjectPublicKey)
            return HashAlgorithm.sha1.digest(of: key).equals(span.extracting(digest))
        }
    }

    /// Checks that a responder's certificate authorises the responder (RFC 6960 §4.2.2.2). The signature of
    /// the certificate is not verified here.
    ///
    /// The certificate names the issuer, names the purpose id-kp-OCSPSigning, and was valid when the response
    /// was signed. Its key usage, if present, has digitalSignature. No critical extension is unknown. It must
    /// have id-pkix-ocsp-nocheck (§4.2.2.2.1): without this extension its own status would have to be known,
    /// and the evidence for that status would need a responder in turn. Neither the certificate nor its key
    /// is on the question's list of distrusted ones.
    ///
    /// - Parameter isFresh: whether the certificate must also be valid at the question's `now`.
    /// - Throws: `Refusal` with an offset in the response.
    private func checkAuthorisation(
        of responder: CertificateView,
        _ question: borrowing RevocationQuestion,
        isFresh: Bool
    ) throws(Refusal) {
        guard question.issuer.isIssuer(of: responder) else {
            throw responder.refusal(.responderOfOtherIssuer, "issuer")
        }
        let hasPurpose = responder.purposes?.contains {
            ObjectIdentifier(responder.bytes, in: $0) == .ocspSigning
        }
        guard hasPurpose == true else { throw responder.refusal(.missingOCSPSigning, "extendedKeyUsage") }
        if let usage = responder.fields.keyUsage, !usage.digitalSignature {
            throw responder.refusal(.missingDigitalSignature, "keyUsage")
        }
        if let unknown = responder.unknownCriticalExtension(besides: .noCheck) {
            throw Refusal(.unknownCriticalExtension, at: unknown.range.lowerBound, reading: "extension")
        }
        guard responder.extension(.noCheck) != nil else {
            throw responder.refusal(.missingNoCheck, "extensions")
        }
        try responder.fields.validity.check(producedAt)
        if isFresh { try responder.fields.validity.check(question.now) }
        guard !question.distrusted.contains(responder) else {
            throw responder.refusal(.distrustedResponder, "certificate")
        }
    }
}

extension ObjectIdentifier {
    /// `id-kp-OCSPSigning` (RFC 6960 §4.2.2.2).
    fileprivate static var ocspSigning: Self { Self(1, 3, 6, 1, 5, 5, 7, 3, 9) }
    /// `id-pkix-ocsp-nocheck` (RFC 6960 §4.2.2.2.1).
    fileprivate static var noCheck: Self { Self(1, 3, 6, 1, 5, 5, 7, 48, 1, 5) }
}
