import Basics
import DER
import PKIX
import Revocation
import SHA
import SignedPayloads
import TestSupport
import Testing

@Suite("Revocation of tokens")
struct TokenRevocationTests {
    /// 2026-06-15T12:00:00Z, when the responses of `Vectors/revocation/evidence.tsv` are fresh.
    private static let now = Timestamp(millisecondsSince1970: 1_781_524_800_000)
    /// 2026-06-22T12:00:00Z, when they are stale.
    private static let later = now + .days(7)

    /// The response about a certificate of the usual header: 0 for the leaf, 1 for the intermediate.
    private static func response(
        _ index: Int,
        _ status: String,
        by signer: String = "issuer"
    ) throws -> [UInt8] {
        let rows = try Row.table(vector("revocation/evidence.tsv"))
        let row = try #require(
            rows.first {
                $0["path"] == "token" && $0["kind"] == "ocsp" && $0["certificate"] == "\(index)"
                    && $0["status"] == status && $0["signer"] == signer
            }
        )
        return hex(row["piece"])
    }

    /// Evidence from responses by certificate and status.
    private static func evidence(_ pieces: (Int, String)...) throws -> RevocationEvidence {
        try RevocationEvidence(ocspResponses: pieces.map { try response($0.0, $0.1) })
    }

    /// Judges a token of `Vectors/tokens` under a changed policy.
    private static func judge(
        _ name: String = "every member of a transaction",
        cache: inout SignedPayloadCache,
        _ change: (inout SignedPayloadPolicy) -> Void
    ) throws -> Result<Judged, SignedPayloadError> {
        let token = try TokenVector.named(name)
        return Result { () throws(SignedPayloadError) in
            try Judged(token.kind, token.token, token.policy.with(change), cache: &cache)
        }
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
        let evidence = try RevocationEvidence(
            ocspResponses: one.pieces.map { try Self.response($0.0, $0.1) }
        )
        var cache = SignedPayloadCache()
        let required = Policy.required(evidence, now: one.now)
        for policy in [nil, .ifPresent(evidence, now: one.now), required, nil] {
            let revoked = one.revoked.map { ($0, Refusal.Code.certificateRevoked) }
            let refusal = policy == nil ? nil : revoked ?? (policy == required ? one.unknown : nil)
            for _ in 1...2 {
                switch try Self.judge(cache: &cache, { $0.revocation = policy }) {
                case .success(let judged):
                    #expect(refusal == nil)
                    let isListed = policy == nil || one.unknown != nil
                    #expect(judged.notChecked.contains(.revocation) == isListed)
                case .failure(let error):
                    let (index, code) = try #require(refusal, "\(error)")
                    #expect(error.step == .revocation && error.code == code, "\(error)")
                    #expect(error.certificateIndex == index)
                }
            }
        }
    }

    @Test("judges the intermediate by the root that is at hand, if x5c has another one")
    func rootAtHand() throws {
        let root = try TrustAnchor(certificate: vector("tokens/root.der"))
        for (status, isGood) in [("good", true), ("revoked", false)] {
            let evidence = try Self.evidence((0, "good"), (1, status))
            var cache = SignedPayloadCache()
            let judged = try Self.judge("root missing", cache: &cache) {
                $0.trust = .pinned([root])
                $0.revocation = .required(evidence, now: Self.now)
            }
            switch judged {
            case .success(let judged): #expect(isGood && !judged.notChecked.contains(.revocation))
            case .failure(let error): #expect(!isGood && error.code == .certificateRevoked, "\(error)")
            }
        }
    }

    /// The fingerprints that list the delegate: of its certificate, of its key, and of its certificate with
    /// another signature by the issuer.
    private static func fingerprints() throws -> [[UInt8]] {
        let rows = try Row.table(vector("revocation/certificates.tsv"))
        func named(_ name: String) throws -> [UInt8] {
            hex(try #require(rows.first { $0["name"] == name })["certificate"])
        }
        let responder = try named("token-responder")
        var reader = Reader(responder.borrowedSpan)
        let key = try Certificate(&reader).subjectPublicKeyInfo
        return [responder, Array(responder[key]), try named("token-responder-mirrored")].map {
            HashAlgorithm.sha256.digest(of: $0.borrowedSpan).bytes
        }
    }

    @Test("a distrusted responder does not speak for revocation", arguments: 0..<3, ["good", "revoked"])
    func distrustedResponder(_ index: Int, _ status: String) throws {
        let fingerprint = try Self.fingerprints()[index]
        let evidence = try RevocationEvidence(
            ocspResponses: [
                try Self.response(0, status, by: "delegate"), try Self.response(1, "good"),
            ]
        )
        let policies = [
            Policy.ifPresent(evidence, now: Self.now), .required(evidence, now: Self.now),
        ]
        let lists = [DistrustList.empty, try #require(DistrustList(sha256: [fingerprint]))]
        var cache = SignedPayloadCache()
        for (policy, list) in [(0, 0), (0, 1), (1, 0), (1, 1), (1, 0), (1, 1)] {
            let judged = try Self.judge(cache: &cache) {
                ($0.revocation, $0.distrusted) = (policies[policy], lists[list])
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
        let evidence = try RevocationEvidence(
            ocspResponses: [
                try Self.response(0, "good", by: "delegate"), try Self.response(1, "good"),
            ]
        )
        let other = HashAlgorithm.sha256.digest(of: [UInt8]("another".utf8).borrowedSpan)
        var cache = SignedPayloadCache()
        let judged = try Self.judge(cache: &cache) {
            $0.revocation = .required(evidence, now: Self.now)
            $0.distrusted = [other]
        }
        #expect(try !judged.get().notChecked.contains(.revocation))
    }

    @Test("applies to the tokens inside a notification")
    func nested() throws {
        let evidence = try Self.evidence((0, "revoked"))
        var cache = SignedPayloadCache()
        let judged = try Self.judge("a notification with data", cache: &cache) {
            $0.revocation = .ifPresent(evidence, now: Self.now)
        }
        let error = try #require(throws: SignedPayloadError.self) { try judged.get() }
        #expect(error.step == .revocation && error.code == .certificateRevoked)
    }

    // The evidence is about the notification's signer and the intermediate. Another signer is inside.
    @Test("lists revocation for a notification if a token inside it lacks evidence")
    func otherSigner() throws {
        let evidence = try Self.evidence((0, "good"), (1, "good"))
        for (name, lacksEvidence) in [
            ("a notification with data", false), ("a nested transaction by another signer", true),
        ] {
            let token = try TokenVector.named(name)
            var cache = SignedPayloadCache()
            let lenient = token.policy.with { $0.revocation = .ifPresent(evidence, now: Self.now) }
            // The last time, the cache was used for another policy before.
            for policy in [lenient, lenient, token.policy, lenient] {
                let validator = SignedPayloadValidator(policy)
                let one = try validator.validate(notification: token.token, cache: &cache)
                let many = validator.validate(notifications: [token.token], cache: &cache)
                let isAsked = policy.revocation != nil
                let steps: [SignedPayloadError.Step] = [.deviceVerification, .age]
                let expected = (isAsked && !lacksEvidence ? [] : [.revocation]) + steps
                #expect(one.notChecked == expected)
                #expect(try many[0].get().notChecked == expected)
                #expect(one.transaction?.notChecked.contains(.revocation) == (!isAsked || lacksEvidence))
                #expect(one.renewalInfo?.notChecked.contains(.revocation) == !isAsked)
            }
            do throws(SignedPayloadError) {
                let strict = token.policy.with { $0.revocation = .required(evidence, now: Self.now) }
                _ = try Judged(token.kind, token.token, strict)
                #expect(!lacksEvidence)
            } catch {
                #expect(lacksEvidence && error.step == .revocation && error.code == .noRevocationEvidence)
                #expect(error.nestedToken == .transaction && error.certificateIndex == 0)
            }
        }
    }
}
