import Basics
import Revocation
import Testing

/// The verdicts of `Vectors/revocation/make`, which `cryptography` has checked.
@Suite("OCSP responses and revocation lists, one piece at a time")
struct EvidenceTests {
    @Test("every piece gets its verdict", arguments: EvidenceRow.all)
    func verdict(_ row: EvidenceRow) {
        let status = row.status()
        switch row.verdict {
        case "good": #expect(status == .good)
        case "revoked":
            let reason = row.more.count > 1 ? RevocationReason(rawValue: UInt8(row.more[1])) : nil
            #expect(status == .revoked(at: Timestamp(millisecondsSince1970: row.more[0]), reason: reason))
        default:
            #expect(status.code.map { "\($0.name)" } == row.verdict, "\(status)")
            #expect((status.error?.refusal.offset).map(Int64.init) == row.more.first, "\(status)")
        }
    }

    @Test("negatives outnumber positives, and each kind and family has both")
    func counts() {
        #expect(EvidenceRow.all.count > 300)
        for isList in [false, true] {
            for isRSA in [false, true] {
                let rows = EvidenceRow.all.filter { $0.isList == isList && $0.isRSA == isRSA }
                let good = rows.count { $0.verdict == "good" }
                #expect(good > 10 && rows.count { !["good", "revoked"].contains($0.verdict) } > 2 * good)
            }
        }
    }

    @Test("the error names the piece at fault")
    func piece() throws {
        let (stale, list) = (EvidenceRow.named("ecdsa-ocsp-stale"), EvidenceRow.named("ecdsa-crl-stale"))
        #expect(stale.status().error?.piece == .ocspResponse(0))
        #expect(list.status().error?.piece == .revocationList(0))
        let message = list.status().error?.description ?? ""
        #expect(message.hasPrefix("revocation list 0: revocation.stale at"))
        let other = EvidenceRow.named("ecdsa-ocsp-other-serial")
        let none = try #require(other.status().error)
        #expect(none.piece == nil)
        #expect(other.status([], and: [other.piece]).error?.piece == .ocspResponse(0))
        #expect(other.status(and: [[]]).error?.piece == .ocspResponse(1))
        #expect(other.status(and: [stale.piece], now: stale.now).error?.piece == .ocspResponse(1))
    }

    @Test("a truncated piece is never usable", arguments: EvidenceRow.representatives)
    func truncated(_ row: EvidenceRow) {
        for count in 0..<row.piece.count {
            #expect(row.status(Array(row.piece[..<count])).error != nil, "\(count)")
        }
    }

    // No byte is harmless: the pieces have no certificate but the responder's.
    @Test("a piece with a changed byte is never usable", arguments: EvidenceRow.representatives)
    func changed(_ row: EvidenceRow) {
        for index in row.piece.indices {
            for bit in 0..<8 where row.isRSA == false || (index + bit) % 8 == 0 {
                var changed = row.piece
                changed[index] ^= 1 << bit
                #expect(row.status(changed).error != nil, "bit \(bit) of byte \(index)")
            }
        }
    }
}

extension EvidenceRow {
    /// A response by the issuer, one by a delegate, one that revokes, and lists.
    static let representatives: [Self] = ["ecdsa", "rsa"].flatMap { family in
        ["ocsp-good-sha256", "ocsp-delegate", "ocsp-key-compromise", "crl-others-revoked", "crl-first"].map {
            named("\(family)-\($0)")
        }
    }
}
