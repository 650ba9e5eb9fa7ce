import AppReceipt
import Basics
import PKIX
import Revocation
import SignedPayloads
import Testing

@Suite("Several pieces of evidence")
struct StatusTests {
    let good = EvidenceRow.named("ecdsa-ocsp-good-sha256")
    let revoked = EvidenceRow.named("ecdsa-ocsp-key-compromise")
    let list = EvidenceRow.named("ecdsa-crl-nothing-revoked")
    let revoking = EvidenceRow.named("ecdsa-crl-first")

    func status(
        _ responses: [EvidenceRow],
        _ lists: [EvidenceRow],
        limits: RevocationLimits = .standard
    ) throws(RevocationEvidenceError) -> RevocationStatus {
        let evidence = try RevocationEvidence(
            ocspResponses: responses.map(\.piece),
            revocationLists: lists.map(\.piece),
            limits: limits
        )
        return good.status(by: evidence)
    }

    func isRevoked(_ status: RevocationStatus) -> Bool {
        if case .revoked(_, .keyCompromise?) = status { true } else { false }
    }

    @Test("no evidence is not good")
    func none() throws {
        #expect(try status([], []).code == .noRevocationEvidence)
        #expect(try RevocationEvidence().isEmpty)
        #expect(try !RevocationEvidence(revocationLists: [list.piece]).isEmpty)
        #expect(try !RevocationEvidence(ocspResponses: [good.piece]).isEmpty)
    }

    @Test("the first revocation is the one reported")
    func first() throws {
        let others = ["ecdsa-ocsp-revoked", "ecdsa-crl-hold"].map(EvidenceRow.named)
        #expect(try isRevoked(status([revoked, others[0]], [others[1]])))
        #expect(try isRevoked(status([], [revoking, others[1]])))
        #expect(try !isRevoked(status([others[0], revoked], [revoking])))
        #expect(try !isRevoked(status([], [others[1], revoking])))
    }

    @Test("evidence is fresh until the second of nextUpdate ends")
    func lastMoment() {
        // 16 June 2026, 0:00:00 UTC.
        let end: Int64 = 1_781_568_000_000
        for row in [good, list] {
            #expect(row.status(now: Timestamp(millisecondsSince1970: end + 999)) == .good)
            #expect(row.status(now: Timestamp(millisecondsSince1970: end + 1000)).code == .staleEvidence)
        }
    }

    @Test("a response about another certificate is not judged, whatever its signature")
    func otherSerial() {
        let other = EvidenceRow.named("ecdsa-ocsp-other-serial")
        var forged = other.piece
        forged[forged.count - 1] ^= 1
        #expect(other.status(forged).code == .noRevocationEvidence)
    }

    @Test("a revocation counts before everything else, in any order")
    func disagreement() throws {
        #expect(try status([good], [list]) == .good)
        #expect(try isRevoked(status([good, revoked], [list])))
        #expect(try isRevoked(status([revoked, good], [list])))
        #expect(try isRevoked(status([good], [revoking])))
        #expect(try isRevoked(status([good], [list, revoking])))
    }

    @Test("an unusable piece neither helps nor harms the others")
    func unusable() throws {
        let stale = EvidenceRow.named("ecdsa-ocsp-stale-of-two")
        let forged = EvidenceRow.named("ecdsa-ocsp-other-key-revoked")
        let unknown = EvidenceRow.named("ecdsa-ocsp-unknown")
        for row in [stale, forged, unknown] {
            #expect(try status([row], []).code.map { "\($0.name)" } == row.verdict)
            #expect(try status([row, good], []) == .good)
            #expect(try status([row], [list]) == .good)
            #expect(try isRevoked(status([row], [revoking])))
        }
        #expect(try status([stale, unknown], []).code == .staleEvidence)
        #expect(try status([unknown, stale], []).code == .unknownToResponder)
    }

    @Test("the error names evidence about the certificate before evidence about others, and else the first")
    func telling() throws {
        let stale = EvidenceRow.named("ecdsa-ocsp-stale-of-two")
        let forged = EvidenceRow.named("ecdsa-crl-changed-signature")
        let key = EvidenceRow.named("ecdsa-crl-other-key-identifier")
        let scope = EvidenceRow.named("ecdsa-crl-point-of-none")
        let issuer = EvidenceRow.named("ecdsa-crl-other-issuer")
        for (responses, lists, code, piece) in [
            ([], [key, forged], forged.verdict, .revocationList(1)),
            ([], [scope, forged], forged.verdict, .revocationList(1)),
            ([], [forged, key, scope], forged.verdict, .revocationList(0)),
            ([stale], [key, forged], stale.verdict, .ocspResponse(0)),
            ([], [issuer, key, scope], key.verdict, .revocationList(1)),
            ([], [issuer, scope, key], scope.verdict, .revocationList(1)),
            ([], [issuer], issuer.verdict, nil),
        ] as [([EvidenceRow], [EvidenceRow], String, RevocationEvidenceError.Piece?)] {
            let error = try #require(try status(responses, lists).error)
            #expect("\(error.refusal.code.name)" == code && error.piece == piece, "\(error)")
            let start =
                switch piece {
                case .ocspResponse(let index): "OCSP response \(index): "
                case .revocationList(let index): "revocation list \(index): "
                case nil: ""
                }
            #expect("\(error)" == start + "\(error.refusal)")
        }
        #expect(try status([stale], [key, scope, list]) == .good)
    }

    @Test("refuses an issuer that did not issue the certificate")
    func otherIssuer() throws {
        let evidence = try RevocationEvidence(ocspResponses: [good.piece])
        let other = EvidenceRow(
            name: "",
            isList: false,
            isRSA: false,
            certificate: good.certificate,
            issuer: good.certificate,
            now: good.now,
            verdict: "",
            more: [],
            piece: []
        )
        #expect(other.status(by: evidence).code == .issuerNotFound)
    }

    @Test("refuses evidence that is signed by another kind of key")
    func otherKind() throws {
        let evidence = try RevocationEvidence(ocspResponses: [good.piece])
        var keys = KeyCache<SigningKey>(SigningKey.Requirements())
        #expect(good.status(by: evidence, keys: &keys).code == .unsupportedSignatureAlgorithm)
        let rsa = EvidenceRow.named("rsa-crl-nothing-revoked")
        var curves = KeyCache<ECDSASignatureKey>(ECDSASignatureKey.Requirements())
        let list = try RevocationEvidence(revocationLists: [rsa.piece])
        #expect(rsa.status(by: list, keys: &curves).code == .unsupportedSignatureAlgorithm)
    }

    @Test("the same evidence is equal")
    func equality() throws {
        let one = try RevocationEvidence(ocspResponses: [good.piece], revocationLists: [list.piece])
        let same = try RevocationEvidence(ocspResponses: [good.piece], revocationLists: [list.piece])
        #expect(one == same && one.hashValue == same.hashValue)
        #expect(try one != RevocationEvidence(ocspResponses: [good.piece]))
        var limits = RevocationLimits.standard
        limits.entries = 1
        let other = try RevocationEvidence(
            ocspResponses: [good.piece],
            revocationLists: [list.piece],
            limits: limits
        )
        #expect(one != other)
        #expect(try one != RevocationEvidence(ocspResponses: [revoked.piece], revocationLists: [list.piece]))
    }
}
