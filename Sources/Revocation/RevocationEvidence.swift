import Basics
import PKIX
import Processor

/// OCSP responses (RFC 6960) and revocation lists (RFC 5280 §5) that the caller hands in.
///
/// Nothing is fetched. The initialiser parses the pieces. ``status(of:issuedBy:now:keys:acceleration:)`` then
/// says what they prove about a certificate.
public struct RevocationEvidence: Sendable {
    private var responses: [OCSPResponse] = []
    private var lists: [CertificateRevocationList] = []
    private let limits: RevocationLimits

    /// Parses evidence.
    ///
    /// Each piece must be DER of a supported form. A response that reports an error of the responder, a delta
    /// CRL, an indirect list, a list of some reasons or of attribute certificates only, a piece without
    /// nextUpdate, and a piece with an unknown critical extension are refused here. Signatures and times are
    /// judged later, because they depend on the certificate.
    ///
    /// - Parameters:
    ///   - ocspResponses: OCSP responses in DER, in any order.
    ///   - revocationLists: revocation lists (CRLs) in DER, in any order.
    ///   - limits: the limits on the evidence, and on the work to judge it.
    /// - Throws: the refusal of the first piece that is refused, with the offset in that piece. The responses
    ///   come before the lists.
    public init(
        ocspResponses: [[UInt8]] = [],
        revocationLists: [[UInt8]] = [],
        limits: RevocationLimits = .standard
    ) throws(RevocationEvidenceError) {
        self.init(limits: limits)
        for (index, bytes) in ocspResponses.enumerated() {
            do throws(Refusal) {
                try add(ocspResponse: bytes)
            } catch {
                throw RevocationEvidenceError(.ocspResponse(index), error)
            }
        }
        for (index, bytes) in revocationLists.enumerated() {
            do throws(Refusal) {
                try add(revocationList: bytes)
            } catch {
                throw RevocationEvidenceError(.revocationList(index), error)
            }
        }
    }

    /// Creates evidence without a piece, to which pieces can be added within the limits.
    package init(limits: RevocationLimits) { self.limits = limits }

    /// Parses an OCSP response in DER, and adds it as the last one. Throws the refusal with an offset in the
    /// response, and then adds nothing.
    package mutating func add(ocspResponse bytes: [UInt8]) throws(Refusal) {
        guard responses.count < limits.responses else {
            throw Refusal(.tooMuchEvidence, at: 0, reading: "OCSPResponse")
        }
        responses.append(try OCSPResponse(bytes, limits: limits))
    }

    /// Parses a revocation list in DER, and adds it as the last one. Throws the refusal with an offset in the
    /// list, and then adds nothing.
    package mutating func add(revocationList bytes: [UInt8]) throws(Refusal) {
        guard lists.count < limits.lists else {
            throw Refusal(.tooMuchEvidence, at: 0, reading: "CertificateList")
        }
        lists.append(try CertificateRevocationList(bytes, limits: limits))
    }

    /// Whether there is no OCSP response and no revocation list.
    public var isEmpty: Bool { responses.isEmpty && lists.isEmpty }

    /// The status that the evidence proves for a certificate.
    ///
    /// - A revocation counts at whatever date it began, also if the evidence is stale, because a
    ///   revocation does not end. The exception is a revocation with the reason `certificateHold`, which
    ///   can end: it counts only if the evidence is fresh. The date of the revocation is not compared with
    ///   a date that signed data claims, because the holder of a compromised key can sign any date.
    /// - Only fresh evidence proves that the certificate is good: evidence that was made at `now` or
    ///   before, with a minute for clocks that differ, and whose nextUpdate is not a second or more before
    ///   `now`. If the certificate expired before the evidence was made, the evidence must also say that it
    ///   covers certificates that expired as early as this one.
    /// - If two pieces disagree, the revocation counts. A piece that is unusable or about another certificate
    ///   changes nothing about the others, except that its signature checks count towards the limit.
    /// - The signature of a piece is verified only if the rest of the piece is usable. The signature of a
    ///   list is verified at most once, and the signature of a response at most once for each certificate
    ///   that may be the responder's.
    ///
    /// - Parameters:
    ///   - certificate: the certificate in question.
    ///   - issuer: the certificate of its issuer. Precondition: the caller has verified that the issuer's key
    ///     signed `certificate`, and trusts the issuer.
    ///   - now: the time at which the evidence must be fresh. This is the present time, also if the caller
    ///     judges the path at an earlier one. A caller that has kept evidence from an earlier time, together
    ///     with what it validates, gives that time.
    ///   - keys: decoded keys, which this function uses and adds to.
    ///   - acceleration: the instruction sets that may be used. They do not change the result.
    /// - Returns: `.unknown` if `certificate` does not name `issuer` as its issuer, by the name and, if it
    ///   has one, by the authority key identifier: then no piece is judged. Else `.revoked` if a usable
    ///   piece says so. Else `.unknown` if no usable piece says that the certificate is good, or if a piece
    ///   was not judged because of ``RevocationLimits/signatureChecks``. Else `.good`.
    ///
    ///   The error of `.unknown` names the first piece that was not judged, if there is one. Else the
    ///   error names the first unusable piece about the certificate. Else the error names the first list
    ///   in the name of the issuer that is for another key than that of `issuer`, or is about other
    ///   certificates.
    public func status<Key: SignatureKey>(
        of certificate: CertificateView,
        issuedBy issuer: CertificateView,
        now: Timestamp,
        keys: inout KeyCache<Key>,
        acceleration: Acceleration = .none
    ) -> RevocationStatus {
        status(
            of: certificate,
            issuedBy: issuer,
            now: now,
            keys: &keys,
            acceleration: acceleration,
            distrusted: .empty
        )
    }

    /// The status that the evidence proves for a certificate, if responses by distrusted responders do not
    /// count.
    ///
    /// The parameters and the result are those of ``status(of:issuedBy:now:keys:acceleration:)``. A response
    /// that only a distrusted certificate or key verifies is unusable. `distrusted` is not searched for
    /// `issuer`, which signs lists and may sign responses. Precondition: the caller does not distrust
    /// `issuer`.
    func status<Key: SignatureKey>(
        of certificate: CertificateView,
        issuedBy issuer: CertificateView,
        now: Timestamp,
        keys: inout KeyCache<Key>,
        acceleration: Acceleration,
        distrusted: DistrustList
    ) -> RevocationStatus {
        var verdict = Verdict()
        guard issuer.isIssuer(of: certificate) else {
            verdict.add(nil, Refusal(.issuerNotFound, at: 0, reading: "issuer"))
            return verdict.status
        }
        let question = RevocationQuestion(
            certificate,
            issuedBy: issuer,
            now: now,
            acceleration,
            distrusted: distrusted
        )
        var budget = SignatureBudget(limits.signatureChecks)
        for index in responses.indices where !verdict.isRevoked {
            do throws(Refusal) {
                verdict.add(try responses[index].answer(to: question, &keys, &budget))
            } catch {
                verdict.add(.ocspResponse(index), error)
            }
        }
        for index in lists.indices where !verdict.isRevoked {
            do throws(Refusal) {
                verdict.add(try lists[index].answer(to: question, &keys, &budget))
            } catch {
                verdict.add(.revocationList(index), error)
            }
        }
        return verdict.status
    }
}

extension RevocationEvidence: Hashable {
    /// Whether the pieces of evidence have the same bytes in the same order, under the same limits.
    public static func == (one: Self, other: Self) -> Bool {
        one.limits == other.limits && one.responses.map { $0.bytes } == other.responses.map { $0.bytes }
            && one.lists.map { $0.bytes } == other.lists.map { $0.bytes }
    }

    /// Hashes the lengths of the pieces of evidence.
    public func hash(into hasher: inout Hasher) {
        for response in responses { hasher.combine(response.bytes.count) }
        for list in lists { hasher.combine(list.bytes.count) }
    }
}

/// The joint verdict of the pieces of evidence that were judged so far.
private struct Verdict {
    /// How much a refusal matters to the status of the certificate, in ascending order.
    private enum Weight: Int {
        /// The revocation list is for another key of the issuer, or about other certificates.
        case aboutOthers
        /// Any other refusal: a piece of evidence is unusable, or the issuer's name is not the one that the
        /// certificate has.
        case unusable
        /// The piece of evidence could not be judged within the limit on signature checks.
        case notJudged

        init(_ code: Refusal.Code) {
            switch code {
            case .tooManyEvidenceChecks: self = .notJudged
            case .otherListKey, .otherListScope: self = .aboutOthers
            default: self = .unusable
            }
        }
    }

    private var revocation: RevocationAnswer.Revocation?
    private var isGood = false
    private var error: RevocationEvidenceError?
    /// The weight of ``error``; nil without an error.
    private var weight: Weight?

    /// Whether a usable piece of evidence says that the certificate is revoked.
    var isRevoked: Bool { revocation != nil }

    /// Adds the answer of a usable piece of evidence. If the answer is nil, the piece is about other
    /// certificates, and nothing changes.
    mutating func add(_ answer: RevocationAnswer?) {
        switch answer {
        case .good?: isGood = true
        case .revoked(let found)?: revocation = found
        case nil: break
        }
    }

    /// Adds a refusal and the piece that it is about, if it is about one. The status names the first of the
    /// refusals with the greatest weight.
    mutating func add(_ piece: RevocationEvidenceError.Piece?, _ refusal: Refusal) {
        let weight = Weight(refusal.code)
        if let greatest = self.weight, greatest.rawValue >= weight.rawValue { return }
        (error, self.weight) = (RevocationEvidenceError(piece, refusal), weight)
    }

    /// The status of the certificate. It is not good if the limit on signature checks left a response or list
    /// unjudged, which might say that the certificate is revoked. An unusable one does not count against it.
    var status: RevocationStatus {
        if let revocation { return .revoked(at: revocation.date, reason: revocation.reason) }
        if isGood, weight != .notJudged { return .good }
        let none = Refusal(.noRevocationEvidence, at: 0, reading: "evidence")
        return .unknown(error ?? RevocationEvidenceError(nil, none))
    }
}
