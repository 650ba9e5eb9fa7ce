import Basics
import Revocation
import Testing

@Suite("Limits on evidence")
struct LimitTests {
    let good = EvidenceRow.named("ecdsa-ocsp-good-sha256")
    let delegate = EvidenceRow.named("ecdsa-ocsp-delegate")
    let several = EvidenceRow.named("ecdsa-ocsp-among-others")
    let list = EvidenceRow.named("ecdsa-crl-others-revoked")
    let extended = EvidenceRow.named("ecdsa-crl-number-and-other")
    /// A list with two extensions, one of which has three names.
    let names = EvidenceRow.named("ecdsa-crl-point-of-three")
    /// The first of two delegates did not sign the response, so judging it takes four checks.
    let rekeyed = EvidenceRow.named("ecdsa-ocsp-two-delegates-rekeyed-first")

    /// Judges at a limit: the row's piece is good. Judges one below: the piece is refused with a code.
    func bound(
        _ row: EvidenceRow,
        _ property: WritableKeyPath<RevocationLimits, Int>,
        _ value: Int,
        _ code: Refusal.Code,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var limits = RevocationLimits.standard
        limits[keyPath: property] = value
        #expect(row.status(limits: limits) == .good, sourceLocation: sourceLocation)
        limits[keyPath: property] = value - 1
        #expect(row.status(limits: limits).code == code, sourceLocation: sourceLocation)
    }

    @Test("each limit holds at its value and refuses one beyond")
    func bounds() {
        bound(good, \.responses, 1, .tooMuchEvidence)
        bound(list, \.lists, 1, .tooMuchEvidence)
        bound(good, \.responseBytes, good.piece.count, .evidenceTooLarge)
        bound(list, \.listBytes, list.piece.count, .evidenceTooLarge)
        bound(several, \.statuses, 3, .tooManyEvidenceElements)
        bound(list, \.entries, 6, .tooManyEvidenceElements)
        bound(delegate, \.certificates, 1, .tooManyEvidenceElements)
        bound(extended, \.extensions, 3, .tooManyEvidenceElements)
        bound(names, \.extensions, 3, .tooManyEvidenceElements)
        bound(good, \.signatureChecks, 1, .tooManyEvidenceChecks)
        bound(delegate, \.signatureChecks, 2, .tooManyEvidenceChecks)
        bound(rekeyed, \.certificates, 2, .tooManyEvidenceElements)
        bound(rekeyed, \.signatureChecks, 4, .tooManyEvidenceChecks)
        bound(list, \.signatureChecks, 1, .tooManyEvidenceChecks)
    }

    @Test("the defaults are those that AUDIT.md lists")
    func defaults() {
        let limits = RevocationLimits.standard
        #expect([limits.responses, limits.lists] == [16, 16])
        #expect([limits.extensions, limits.signatureChecks] == [16, 16])
        #expect([limits.responseBytes, limits.listBytes] == [65_536, 33_554_432])
        #expect([limits.statuses, limits.entries, limits.certificates] == [64, 1_048_576, 8])
    }

    @Test("evidence of the wrong size is refused at its beginning")
    func offsets() {
        var limits = RevocationLimits.standard
        (limits.responseBytes, limits.listBytes) = (1, 1)
        for row in [good, list] { #expect(row.status(limits: limits).error?.refusal.offset == 0) }
        limits = .standard
        (limits.responses, limits.lists) = (0, 0)
        for row in [good, list] { #expect(row.status(limits: limits).error?.refusal.offset == 0) }
    }

    @Test("a limit below zero refuses, and does not trap")
    func negative() {
        var limits = RevocationLimits.standard
        limits.signatureChecks = .min
        #expect(good.status(limits: limits).code == .tooManyEvidenceChecks)
        limits.responses = -1
        #expect(good.status(limits: limits).code == .tooMuchEvidence)
    }

    @Test("a piece that was not judged within the limit may revoke, so the others are not good")
    func incomplete() {
        var limits = RevocationLimits.standard
        limits.signatureChecks = 1
        let error = good.status(and: [good.piece], limits: limits).error
        #expect(error?.refusal.code == .tooManyEvidenceChecks && error?.piece == .ocspResponse(1))
        // Also after a piece that is unusable for another reason.
        let stale = EvidenceRow.named("ecdsa-ocsp-stale-of-two").piece
        let after = good.status(stale, and: [good.piece, good.piece], limits: limits).error
        #expect(after?.refusal.code == .tooManyEvidenceChecks && after?.piece == .ocspResponse(2))
        limits.signatureChecks = 2
        #expect(good.status(and: [good.piece], limits: limits) == .good)
    }

    @Test("a delegate that was not tried within the limit may revoke")
    func delegates() {
        let revoked = EvidenceRow.named("ecdsa-ocsp-two-delegates-revoked")
        var limits = RevocationLimits.standard
        for checks in 0...3 {
            limits.signatureChecks = checks
            #expect(revoked.status(limits: limits).code == .tooManyEvidenceChecks)
            #expect(rekeyed.status(and: [good.piece], limits: limits).code == .tooManyEvidenceChecks)
        }
    }

    @Test("a response with several statuses costs one signature check")
    func oneCheck() {
        var limits = RevocationLimits.standard
        limits.signatureChecks = 1
        for name in ["good-and-revoked", "revoked-and-good", "unknown-and-revoked"] {
            let status = EvidenceRow.named("ecdsa-ocsp-\(name)").status(limits: limits)
            if case .revoked = status {} else { Issue.record("\(name): \(status)") }
        }
        #expect(several.status(limits: limits) == .good)
    }
}
