import AppReceipt
import Basics
import ECDSA
import Revocation
import SignedPayloads
import Testing

@Suite("The codes of Revocation")
struct CodesTests {
    static let codes = Refusal.Code.allOfRevocation

    @Test("they are numbered from 1100 on, and share no number, name or meaning with other codes")
    func codes() {
        #expect(Self.codes.map(\.number) == (0..<29).map { 1100 + $0 })
        let others = Refusal.Code.all + Refusal.Code.ecdsa + Refusal.Code.allOfSignedPayloads
        let all = Self.codes + others
        #expect(Set(all.map(\.number)).count == all.count)
        #expect(Set(all.map { "\($0.name)" }).count == all.count)
        #expect(Set(all.map { "\($0.meaning)" }).count == all.count)
        for code in Self.codes {
            let area = "\(code.name)".split(separator: ".")[0]
            #expect(["revocation", "ocsp", "crl"].contains(area) && "\(code.meaning)".hasSuffix("."))
        }
    }

    /// The codes of a revoked certificate and a distrusted responder are shown by `RevocationPolicyTests`.
    @Test("a vector or a test of limits shows each code")
    func shown() {
        let limits: [Refusal.Code] = [
            .tooMuchEvidence, .evidenceTooLarge, .tooManyEvidenceElements, .tooManyEvidenceChecks,
            .certificateRevoked, .distrustedResponder,
        ]
        let shown = Set(EvidenceRow.all.map(\.verdict)).union(limits.map { "\($0.name)" })
        #expect(Self.codes.filter { !shown.contains("\($0.name)") } == [])
    }
}
