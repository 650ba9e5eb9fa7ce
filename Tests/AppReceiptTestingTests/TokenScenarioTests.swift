import AppReceipt
import AppReceiptMint
import AppReceiptTesting
import SignedPayloads
import Testing

@Suite("The server that grants purchases")
struct GrantTests {
    @Test("grants what the token says, and nothing else", arguments: AppUnderTest().tokenScenarios)
    func grant(_ scenario: TokenScenario) {
        let validator = SignedPayloadValidator(scenario.app.tokenPolicy)
        var cache = SignedPayloadCache()
        let transaction: VerifiedTransaction? =
            switch scenario.kind {
            case .transaction: try? validator.validate(transaction: scenario.token, cache: &cache)
            case .notification:
                try? validator.validate(notification: scenario.token, cache: &cache).transaction
            case .renewalInfo, .appTransaction, .realtimeRequest: nil
            }
        let isRefunded = transaction?.revocationDate != nil
        let isGranted = transaction?.productId == scenario.app.product && !isRefunded
        #expect(isGranted == (scenario.outcome.facts?.ownsProduct ?? false))
    }
}

@Suite("The cases of tokens")
struct TokenScenarioTests {
    /// The step and the code of each refusal, by their published names.
    static let refusals: [(testCase: TokenCase, step: String, code: String)] = [
        (.text, "form", "jws.segments"), (.truncated, "form", "jws.segments"),
        (.otherAlgorithm, "header", "jws.algorithm"),
        (.undated, "signed-date", "payload.missing-signed-date"),
        (.expiredCertificate, "certificate-path", "pkix.expired"),
        (.forgedRoot, "root", "pkix.untrusted-root"),
        (.developerCertificate, "leaf-marker", "receipt.missing-leaf-marker"),
        (.tampered, "signature", "ecdsa.signature-mismatch"),
        (.forgedSignature, "signature", "ecdsa.signature-mismatch"),
        (.otherEnvironment, "environment", "payload.environment-mismatch"),
        (.otherApp, "bundle-identifier", "payload.bundle-identifier-mismatch"),
        (.otherAppleIdentifier, "app-apple-id", "payload.app-apple-id-mismatch"),
        (.nestedTransactionOfOtherApp, "bundle-identifier", "payload.nested-mismatch"),
        (.nestedRenewalOfOtherEnvironment, "environment", "payload.nested-mismatch"),
    ]

    @Test("the validator gives each case its outcome, for any app", arguments: ReceiptCaseTests.apps)
    func outcomes(_ app: AppUnderTest) {
        for scenario in app.tokenScenarios {
            let outcome = TokenOutcome(of: scenario.token, scenario.kind, for: app)
            #expect(outcome == scenario.outcome, "\(scenario)")
            #expect((outcome.facts != nil) == scenario.testCase.isValid, "\(scenario)")
        }
    }

    @Test("each refused case has its own step and code", arguments: refusals)
    func refused(_ testCase: TokenCase, _ step: String, _ code: String) throws {
        let scenarios = AppUnderTest().tokenScenarios.filter { $0.testCase == testCase }
        #expect(!scenarios.isEmpty)
        for scenario in scenarios {
            guard case .refused(let found, let reason, _) = scenario.outcome else {
                Issue.record("accepted: \(scenario)")
                continue
            }
            #expect(found.rawValue == step && "\(reason.name)" == code, "\(scenario)")
        }
    }

    @Test("every case occurs as a notification, and as each other kind that can have it")
    func completeness() {
        let nested: Set<TokenCase> = [.nestedTransactionOfOtherApp, .nestedRenewalOfOtherEnvironment]
        let purchases: Set<TokenCase> = [.purchase, .refundedPurchase]
        let subscriptions: Set<TokenCase> = [.subscription, .lapsedSubscription]
        let missing: [TokenScenario.Kind: Set<TokenCase>] = [
            .notification: [], .transaction: nested.union([.noPurchase, .otherAppleIdentifier]),
            .renewalInfo: nested.union(purchases).union([.noPurchase, .otherApp, .otherAppleIdentifier]),
            .appTransaction: nested.union(purchases).union(subscriptions),
            .realtimeRequest: nested.union(purchases).union(subscriptions).union([.otherApp]),
        ]
        let scenarios = AppUnderTest().tokenScenarios
        for kind in TokenScenario.Kind.allCases {
            let found = scenarios.filter { $0.kind == kind }.map(\.testCase)
            let expected = TokenCase.allCases.filter { missing[kind]?.contains($0) == false }
            #expect(found == expected, "\(kind)")
        }
        let invalid = TokenCase.allCases.filter { !$0.isValid }
        #expect(invalid == Self.refusals.map(\.testCase))
    }

    @Test("the facts differ where the valid cases differ")
    func facts() {
        for scenario in AppUnderTest().tokenScenarios where scenario.testCase.isValid {
            let expected =
                switch (scenario.testCase, scenario.kind) {
                case (.purchase, _): TokenFacts(ownsProduct: true)
                case (.subscription, .transaction): TokenFacts(isSubscribed: true)
                case (.subscription, .renewalInfo): TokenFacts(renews: true)
                case (.subscription, _): TokenFacts(isSubscribed: true, renews: true)
                default: TokenFacts()
                }
            #expect(scenario.outcome == .accepted(expected), "\(scenario)")
        }
    }

    @Test("the tokens are the same bytes each time")
    func deterministic() {
        #expect(AppUnderTest().tokenScenarios.map(\.token) == AppUnderTest().tokenScenarios.map(\.token))
    }

    @Test("no token of a case is valid under Apple's root")
    func otherRoots() {
        let validator = SignedPayloadValidator(
            SignedPayloadPolicy(environments: .any, bundleIdentifier: .any)
        )
        var cache = SignedPayloadCache()
        for scenario in AppUnderTest().tokenScenarios {
            do throws(SignedPayloadError) {
                switch scenario.kind {
                case .transaction: _ = try validator.validate(transaction: scenario.token, cache: &cache)
                case .notification: _ = try validator.validate(notification: scenario.token, cache: &cache)
                case .renewalInfo: _ = try validator.validate(renewalInfo: scenario.token, cache: &cache)
                case .appTransaction:
                    _ = try validator.validate(appTransaction: scenario.token, cache: &cache)
                case .realtimeRequest:
                    _ = try validator.validate(realtimeRequest: scenario.token, cache: &cache)
                }
                Issue.record("accepted: \(scenario)")
            } catch {
                #expect(
                    [.form, .header, .signedDate, .root, .certificatePath].contains(error.step),
                    "\(error)"
                )
            }
        }
    }
}
