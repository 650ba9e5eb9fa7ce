import AppReceiptMint
import Basics
import PKIX
import Revocation
import SHA
import TestSupport
import Testing

@testable import AppReceipt

/// Evidence about the certificates of ``Minted/pki``, and what it does to a receipt.
struct RevocationCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let lists: [[UInt8]]
    /// The time at which the evidence is judged.
    let now: Timestamp
    /// The index of the certificate that is refused whenever revocation is asked; nil for none.
    let revoked: Int?
    /// The index of the first certificate without evidence; nil if there is none.
    let unknown: Int?
    /// The reason why the status of that certificate is unknown.
    let reason: Refusal.Code?

    private init(
        _ description: String,
        _ lists: [[UInt8]],
        now: Timestamp = Minted.creationDate + .days(400),
        revoked: Int? = nil,
        unknown: Int? = nil,
        _ reason: Refusal.Code? = nil
    ) {
        testDescription = description
        (self.lists, self.now) = (lists, now)
        (self.revoked, self.unknown, self.reason) = (revoked, unknown, reason)
    }

    var evidence: RevocationEvidence { get throws { try RevocationEvidence(revocationLists: lists) } }

    private static let pki = Minted.pki
    /// A list that is fresh at the usual time, long after the receipt was made.
    private static func list(_ issuer: Identity, _ revoked: Identity...) -> [UInt8] {
        let date = Minted.creationDate + .days(399)
        return issuer.revocationList(revoked, date, until: date + .days(7))
    }

    private static let ofLeaf = list(pki.intermediate)
    private static let ofIntermediate = list(pki.root)
    private static let leafRevoked = list(pki.intermediate, pki.leaf)

    static let all = [
        Self("good", [ofLeaf, ofIntermediate]),
        Self("good, in the other order", [ofIntermediate, ofLeaf]),
        Self("leaf revoked", [leafRevoked, ofIntermediate], revoked: 0),
        Self(
            "leaf revoked, and a list that does not say so",
            [ofLeaf, leafRevoked, ofIntermediate],
            revoked: 0
        ),
        Self("intermediate revoked", [ofLeaf, list(pki.root, pki.intermediate)], revoked: 1),
        Self(
            "intermediate revoked, and nothing about the leaf",
            [list(pki.root, pki.intermediate)],
            revoked: 1
        ),
        Self("both revoked", [leafRevoked, list(pki.root, pki.intermediate)], revoked: 0),
        Self(
            "leaf revoked, and stale",
            [leafRevoked, ofIntermediate],
            now: Minted.creationDate + .days(407),
            revoked: 0
        ),
        Self("another certificate revoked", [list(pki.intermediate, pki.intermediate), ofIntermediate]),
        Self(
            "stale",
            [ofLeaf, ofIntermediate],
            now: Minted.creationDate + .days(407),
            unknown: 0,
            .staleEvidence
        ),
        Self(
            "made later",
            [ofLeaf, ofIntermediate],
            now: Minted.creationDate + .days(398),
            unknown: 0,
            .evidenceNotYetValid
        ),
        Self("nothing about the intermediate", [ofLeaf], unknown: 1, .noRevocationEvidence),
        Self("nothing about the leaf", [ofIntermediate], unknown: 0, .noRevocationEvidence),
        Self("nothing", [], unknown: 0, .noRevocationEvidence),
        Self(
            "signed by an impostor of the intermediate",
            [list(Minted.impostors.intermediate, pki.leaf), ofIntermediate],
            unknown: 0
        ),
        Self(
            "signed by an impostor of the root",
            [ofLeaf, list(Minted.impostors.root, pki.intermediate)],
            unknown: 1
        ),
    ]
}

@Suite("Revocation of receipts")
struct RevocationPolicyTests {
    private static func validator(
        _ revocation: RevocationPolicy<SigningKey>?,
        _ trust: TrustPolicy = Minted.fingerprints(Minted.mint.root)
    ) -> ReceiptValidator {
        ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: trust,
                revocation: revocation
            )
        )
    }

    /// Expects the verdict of a case.
    private func check(_ one: RevocationCase, _ verdict: Verdict, isRequired: Bool) {
        if let index = one.revoked ?? (isRequired ? one.unknown : nil) {
            let code = one.revoked == nil ? one.reason : .certificateRevoked
            guard case .refused(let step, let found, _, let certificate) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            #expect(step == .revocation && certificate == index, "\(verdict)")
            if let code { #expect(found == code, "\(verdict)") }
        } else if case .accepted(_, _, _, _, let notChecked) = verdict {
            #expect(notChecked.contains(.revocation) == (one.unknown != nil), "\(verdict)")
        } else {
            Issue.record("\(verdict)")
        }
    }

    @Test(
        "good, revoked, stale and missing evidence: not asked, if present, required; DER, BER, root at hand",
        arguments: RevocationCase.all
    )
    func verdicts(_ one: RevocationCase) throws {
        var mint = Minted.mint
        mint.message.encoding = .ber(segmentByteCount: 100)
        let ber = mint.receipt(bundleIdentifier: "com.example.app")
        let rootless = Minted.receipt(
            carrying: [Minted.pki.leaf.certificate, Minted.pki.intermediate.certificate]
        )
        let fingerprint = Minted.fingerprints(Minted.mint.root)
        for (receipt, trust) in [
            (Minted.receipt, fingerprint), (ber, fingerprint), (rootless, Minted.atHand(Minted.mint.root)),
        ] {
            let plain = Verdict(Self.validator(nil, trust), receipt)
            guard case .accepted(_, _, _, _, let notChecked) = plain else {
                Issue.record("\(plain)")
                continue
            }
            #expect(notChecked.contains(.revocation))
            let ifPresent = Self.validator(.ifPresent(try one.evidence, now: one.now), trust)
            check(one, Verdict(ifPresent, receipt), isRequired: false)
            let required = Self.validator(.required(try one.evidence, now: one.now), trust)
            check(one, Verdict(required, receipt), isRequired: true)
        }
    }

    @Test("a revoked certificate is refused whatever date the receipt claims", arguments: [2000, 2024, 2049])
    func datedBack(_ year: Int) throws {
        let one = try #require(RevocationCase.all.first { $0.testDescription == "leaf revoked" })
        let receipt = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
            $0.creationDate = Timestamp(year: year, month: 6, day: 1)
        }
        check(
            one,
            Verdict(Self.validator(.ifPresent(try one.evidence, now: one.now)), receipt),
            isRequired: false
        )
    }

    @Test("evidence that was not judged for want of signature checks is never passed over")
    func budget() throws {
        let good = RevocationCase.all[0]
        var limits = RevocationLimits.standard
        limits.signatureChecks = 0
        let evidence = try RevocationEvidence(revocationLists: good.lists, limits: limits)
        for policy in [
            RevocationPolicy<SigningKey>.required(evidence, now: good.now),
            .ifPresent(evidence, now: good.now),
        ] {
            let error = try #require(throws: ReceiptError.self) {
                try Self.validator(policy).validate(Minted.receipt)
            }
            #expect(error.step == .revocation && error.code == .tooManyEvidenceChecks)
        }
    }

    @Test("a cache and a batch change no verdict and no list of checks", arguments: RevocationCase.all)
    func remembered(_ one: RevocationCase) throws {
        let validators = [
            Self.validator(nil), Self.validator(.ifPresent(try one.evidence, now: one.now)),
            Self.validator(.required(try one.evidence, now: one.now)),
        ]
        var cache = ValidationCache()
        for order in [[0, 1, 1, 2, 2, 0, 2, 1], [2, 2, 1, 1, 0, 1]] {
            for index in order {
                let verdict = Verdict(validators[index], Minted.receipt, &cache)
                #expect(verdict == Verdict(validators[index], Minted.receipt))
            }
            var batch = ReceiptBatch()
            for index in order { batch.append(Minted.receipt, for: validators[index], cache: &cache) }
            let verdicts = batch.judge(cache: &cache).map { Verdict($0) }
            #expect(verdicts == order.map { Verdict(validators[$0], Minted.receipt) })
        }
    }

    @Test("a cache keeps its paths under one policy, and forgets them under another")
    func cache() throws {
        let good = RevocationCase.all[0]
        let policies = try (0..<2).map { _ in
            RevocationPolicy<SigningKey>.required(try good.evidence, now: good.now)
        }
        var cache = ValidationCache()
        for policy in [policies[0], policies[1], nil] {
            cache.prepare(for: Self.validator(policy).cacheRules)
            #expect(cache.paths.elements.isEmpty)
            for _ in 1...2 {
                #expect(Verdict(Self.validator(policy), Minted.receipt, &cache).isAccepted)
                cache.prepare(for: Self.validator(policy).cacheRules)
                #expect(cache.paths.elements.count == 1)
            }
        }
    }

    @Test("asks nothing about a certificate that signed itself, which nobody could revoke")
    func selfSigned() throws {
        let mint = ReceiptMint.xcodeLike(Keys.bits2048)
        let receipt = mint.receipt(bundleIdentifier: "com.example.app") { $0.environment = "Xcode" }
        let trust = TrustPolicy.xcodeTesting(pinned: [try TrustAnchor(certificate: mint.root)])
        let nothing = try RevocationEvidence()
        let verdict = Verdict(Self.validator(.required(nothing, now: Minted.creationDate), trust), receipt)
        guard case .accepted(_, _, _, _, let notChecked) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(!notChecked.contains(.revocation))
    }

    @Test("a distrusted responder does not speak for revocation", arguments: [false, true])
    func distrustedResponder(_ isRevoked: Bool) throws {
        let now = RevocationCase.all[0].now
        let (pki, dates) = (Minted.pki, (now - .days(1), now + .days(6)))
        let responder = pki.intermediate.responder(Keys.impostors.leaf)
        let evidence = try RevocationEvidence(
            ocspResponses: [
                pki.intermediate.response(
                    about: pki.leaf,
                    isRevoked: isRevoked,
                    by: responder,
                    dates.0,
                    until: dates.1
                )
            ],
            revocationLists: [pki.root.revocationList([], dates.0, until: dates.1)]
        )
        let required = RevocationPolicy<SigningKey>.required(evidence, now: now)
        for revocation in [.ifPresent(evidence, now: now), required] {
            var policy = Self.validator(revocation).policy
            let trusted = Verdict(ReceiptValidator(policy), Minted.receipt)
            #expect(isRevoked ? trusted.code == .certificateRevoked : trusted.isAccepted, "\(trusted)")
            for hash in HashAlgorithm.allCases {
                for octets in [responder.certificate, responder.template.subjectPublicKeyInfo] {
                    policy.distrusted = [hash.digest(of: octets.span)]
                    switch Verdict(ReceiptValidator(policy), Minted.receipt) {
                    case .refused(let step, let code, _, let index):
                        #expect(step == .revocation && index == 0 && revocation == required)
                        #expect("\(code.name)" == "ocsp.distrusted-responder")
                    case .accepted(_, _, _, _, let notChecked):
                        #expect(notChecked.contains(.revocation) && revocation != required)
                    }
                }
            }
        }
    }

    @Test("refuses for distrust before revocation, and for revocation before the markers")
    func order() throws {
        let one = try #require(RevocationCase.all.first { $0.testDescription == "both revoked" })
        var policy = Self.validator(.required(try one.evidence, now: one.now)).policy
        let root = Minted.mint.root
        policy.distrusted = [HashAlgorithm.sha256.digest(of: root.span)]
        #expect(Verdict(ReceiptValidator(policy), Minted.receipt).step == .distrust)
        var options = PrivatePKI.Options()
        options.markers = .none
        let unmarked = ReceiptMint(PrivatePKI(Keys.pki, options: options))
        let receipt = unmarked.receipt(bundleIdentifier: "com.example.app")
        policy.distrusted = .empty
        policy.trust = Minted.fingerprints(unmarked.root)
        #expect(Verdict(ReceiptValidator(policy), receipt).step == .revocation)
        policy.revocation = nil
        #expect(Verdict(ReceiptValidator(policy), receipt).step == .intermediateMarker)
    }
}
