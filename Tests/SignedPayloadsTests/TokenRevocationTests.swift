import Basics
import PKIX
import Revocation
import SHA
import SignedPayloads
import TestSupport
import Testing

@Suite("Revocation of tokens")
struct TokenRevocationTests {
    /// 2025-06-17T00:00:00Z, when the responses of `Vectors/tokens/evidence.tsv` are fresh.
    private static let now = Timestamp(millisecondsSince1970: 1_750_118_400_000)
    /// 2025-06-24T00:00:00Z, when they are stale.
    private static let later = Timestamp(millisecondsSince1970: 1_750_723_200_000)

    /// The response about a certificate of the usual header: 0 for the leaf, 1 for the intermediate.
    private static func response(_ index: Int, _ status: String) throws -> [UInt8] {
        let rows = try Row.table(vector("tokens/evidence.tsv"))
        let row = try #require(rows.first { $0["certificate"] == "\(index)" && $0["status"] == status })
        return hex(row["response"])
    }

    private typealias Policy = RevocationPolicy<ECDSASignatureKey>

    /// Responses by certificate and status; the time; the certificate that is revoked; the first one without
    /// evidence, and why.
    private static let cases:
        [(pieces: [(Int, String)], now: Timestamp, revoked: Int?, unknown: (Int, Refusal.Code)?)] = [
            ([(0, "good"), (1, "good")], now, nil, nil),
            ([(1, "good"), (0, "good")], now, nil, nil),
            ([(0, "revoked"), (1, "good")], now, 0, nil),
            ([(0, "good"), (0, "revoked"), (1, "good")], now, 0, nil),
            ([(0, "good"), (1, "revoked")], now, 1, nil),
            ([(1, "revoked")], now, 1, nil),
            ([(0, "revoked")], later, 0, nil),
            ([(0, "good"), (1, "good")], later, nil, (0, .staleEvidence)),
            ([(0, "good")], now, nil, (1, .noRevocationEvidence)),
            ([(1, "good")], now, nil, (0, .noRevocationEvidence)),
            ([], now, nil, (0, .noRevocationEvidence)),
        ]

    @Test(
        "good, revoked, stale and missing evidence: not asked, if present, required; also from the cache",
        arguments: cases.indices
    )
    func verdicts(_ index: Int) throws {
        let one = Self.cases[index]
        let token = try TokenVector.named("every member of a transaction")
        let evidence = try RevocationEvidence(
            ocspResponses: one.pieces.map { try Self.response($0.0, $0.1) }
        )
        var cache = SignedPayloadCache()
        let required = Policy.required(evidence, now: one.now)
        for policy in [nil, .ifPresent(evidence, now: one.now), required, nil] {
            for _ in 1...2 {
                do throws(SignedPayloadError) {
                    let judged = try Judged(
                        token.kind,
                        token.token,
                        token.policy.with { $0.revocation = policy },
                        cache: &cache
                    )
                    #expect(policy == nil || one.revoked == nil)
                    #expect(policy !== required || one.unknown == nil)
                    let isListed = policy == nil || one.unknown != nil
                    #expect(judged.notChecked.contains(.revocation) == isListed)
                } catch {
                    #expect(policy != nil && error.step == .revocation, "\(error)")
                    if let revoked = one.revoked {
                        #expect(error.code == .certificateRevoked && error.certificateIndex == revoked)
                    } else if let unknown = one.unknown {
                        #expect(error.code == unknown.1 && error.certificateIndex == unknown.0)
                    } else {
                        Issue.record("\(error)")
                    }
                }
            }
        }
    }

    @Test("required evidence refuses what evidence if present only lists")
    func required() throws {
        let token = try TokenVector.named("every member of a transaction")
        for one in Self.cases where one.unknown != nil {
            let evidence = try RevocationEvidence(
                ocspResponses: one.pieces.map { try Self.response($0.0, $0.1) }
            )
            let lenient = token.policy.with { $0.revocation = .ifPresent(evidence, now: one.now) }
            let steps = try Judged(token.kind, token.token, lenient).notChecked
            #expect(steps.first == .revocation)
            let strict = token.policy.with { $0.revocation = .required(evidence, now: one.now) }
            #expect(throws: SignedPayloadError.self) { try Judged(token.kind, token.token, strict) }
        }
    }

    @Test("judges the intermediate by the root that is at hand, if x5c has another one")
    func rootAtHand() throws {
        let token = try TokenVector.named("root missing")
        let root = try TrustAnchor(certificate: vector("tokens/root.der"))
        for (status, isGood) in [("good", true), ("revoked", false)] {
            let evidence = try RevocationEvidence(
                ocspResponses: [try Self.response(0, "good"), try Self.response(1, status)]
            )
            let policy = token.policy.with {
                $0.trust = .pinned([root])
                $0.revocation = .required(evidence, now: Self.now)
            }
            let judged = Result { () throws(SignedPayloadError) in
                try Judged(token.kind, token.token, policy)
            }
            switch judged {
            case .success(let judged): #expect(isGood && !judged.notChecked.contains(.revocation))
            case .failure(let error): #expect(!isGood && error.code == .certificateRevoked, "\(error)")
            }
        }
    }

    // The third fingerprint is of a certificate that differs from the responder's in its signature alone.
    @Test("a distrusted responder does not speak for revocation", arguments: 0..<3, ["good", "revoked"])
    func distrustedResponder(_ index: Int, _ status: String) throws {
        let token = try TokenVector.named("every member of a transaction")
        let rows = try Row.table(vector("tokens/evidence.tsv"))
        let row = try #require(rows.first { $0["status"] == "delegated \(status)" })
        let fingerprint = hex(row["responder"].split(separator: " ")[index])
        let evidence = try RevocationEvidence(
            ocspResponses: [hex(row["response"]), try Self.response(1, "good")]
        )
        let policies = [
            Policy.ifPresent(evidence, now: Self.now), .required(evidence, now: Self.now),
        ]
        let lists = [DistrustList.empty, try #require(DistrustList(sha256: [fingerprint]))]
        var cache = SignedPayloadCache()
        for (policy, list) in [(0, 0), (0, 1), (1, 0), (1, 1), (1, 0), (1, 1)] {
            let judged = Result { () throws(SignedPayloadError) in
                try Judged(
                    token.kind,
                    token.token,
                    token.policy.with {
                        ($0.revocation, $0.distrusted) = (policies[policy], lists[list])
                    },
                    cache: &cache
                )
            }
            switch judged {
            case .success(let judged):
                #expect(judged.notChecked.contains(.revocation) == (list == 1))
                #expect(list == 1 ? policy == 0 : status == "good")
            case .failure(let error):
                #expect(error.step == .revocation && error.certificateIndex == 0, "\(error)")
                let distrusted = "ocsp.distrusted-responder"
                #expect("\(error.code.name)" == (list == 1 ? distrusted : "revocation.revoked"))
                #expect(list == 1 ? policy == 1 : status == "revoked")
            }
        }
    }

    @Test("a list of others silences no responder")
    func otherDistrusted() throws {
        let token = try TokenVector.named("every member of a transaction")
        let rows = try Row.table(vector("tokens/evidence.tsv"))
        let row = try #require(rows.first { $0["status"] == "delegated good" })
        let evidence = try RevocationEvidence(
            ocspResponses: [hex(row["response"]), try Self.response(1, "good")]
        )
        let other = Digest(.sha256, bytes: [UInt8](repeating: 0, count: 32).span)
        let policy = token.policy.with {
            $0.revocation = .required(evidence, now: Self.now)
            $0.distrusted = DistrustList([other].compactMap { $0 })
        }
        #expect(try !Judged(token.kind, token.token, policy).notChecked.contains(.revocation))
    }

    @Test("applies to the tokens inside a notification")
    func nested() throws {
        let token = try TokenVector.named("a notification with data")
        let evidence = try RevocationEvidence(ocspResponses: [try Self.response(0, "revoked")])
        let error = try #require(throws: SignedPayloadError.self) {
            try Judged(
                token.kind,
                token.token,
                token.policy.with { $0.revocation = .ifPresent(evidence, now: Self.now) }
            )
        }
        #expect(error.step == .revocation && error.code == .certificateRevoked)
    }
}
