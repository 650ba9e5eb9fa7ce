import AppReceipt
import Basics
import DER
import PKIX
import SignedPayloads
import TestSupport
import Testing

@testable import AppReceiptMint

/// Judges tokens of any kind.
struct TokenJudge {
    var policy: SignedPayloadPolicy

    /// A policy that pins the root of a mint, and expects everything that the templates have.
    init(_ mint: TokenMint) throws {
        policy = SignedPayloadPolicy(
            environments: .only(.production),
            bundleIdentifier: .exactly("com.example.app"),
            trust: .pinned([try TrustAnchor(certificate: mint.root)]),
            appAppleIdentifier: 1_234_567_890
        )
    }

    /// Validates a token, and returns the members of its payload.
    @discardableResult
    func judge(_ token: [UInt8], _ kind: TokenTemplate.Kind) throws(SignedPayloadError) -> PayloadObject {
        let validator = SignedPayloadValidator(policy)
        var cache = SignedPayloadCache()
        switch kind {
        case .transaction: return try validator.validate(transaction: token, cache: &cache).members
        case .renewalInfo: return try validator.validate(renewalInfo: token, cache: &cache).members
        case .notification: return try validator.validate(notification: token, cache: &cache).members
        case .appTransaction: return try validator.validate(appTransaction: token, cache: &cache).members
        case .realtimeRequest: return try validator.validate(realtimeRequest: token, cache: &cache).members
        }
    }

    /// Expects a refusal.
    func refuses(
        _ token: [UInt8],
        _ kind: TokenTemplate.Kind,
        _ step: SignedPayloadError.Step,
        _ code: Refusal.Code,
        in nested: SignedPayloadError.NestedToken? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(SignedPayloadError) {
            try judge(token, kind)
            Issue.record("accepted", sourceLocation: sourceLocation)
        } catch {
            #expect(
                error.step == step && error.code == code && error.nestedToken == nested,
                "\(error)",
                sourceLocation: sourceLocation
            )
        }
    }
}

@Suite("Tokens of the mint")
struct TokenMintTests {
    static let mint = TokenMint()
    /// One template of each kind, and of each object that a notification can have; then complete ones.
    static let templates: [TokenTemplate] = {
        let kinds = TokenTemplate.Kind.allCases
        let contents = TokenTemplate.Content.allCases
        return kinds.map { TokenTemplate($0) } + contents.map { TokenTemplate(notification: $0) }
            + kinds.map { .complete($0) } + contents.map { .complete(.notification, content: $0) }
    }()

    @Test("are valid under the mint's root, and refused under Apple's", arguments: templates.indices)
    func valid(_ index: Int) throws {
        let template = Self.templates[index]
        let token = Self.mint.token(template)
        var judge = try TokenJudge(Self.mint)
        try judge.judge(token, template.kind)
        judge.policy.trust = .appStore
        judge.refuses(token, template.kind, .root, .untrustedRoot)
    }

    @Test("have every documented member, each with its type", arguments: templates.indices)
    func complete(_ index: Int) throws {
        let kind = Self.templates[index].kind
        let template = TokenTemplate.complete(kind, content: Self.templates[index].content ?? .data)
        let payload = try TokenJudge(Self.mint).judge(Self.mint.token(template), kind)
        func check(_ object: PayloadObject, _ table: ObjectTable) throws {
            #expect(object.members(unknownTo: table).isEmpty)
            for row in table.rows {
                switch row.kind {
                case .text: #expect(object.text(row.name) != nil, "\(row.name)")
                case .integer: #expect(object.integer(row.name) != nil, "\(row.name)")
                case .date: #expect(object.date(row.name) != nil, "\(row.name)")
                case .flag: #expect(object.flag(row.name) != nil, "\(row.name)")
                case .texts: #expect(object.texts(row.name)?.isEmpty == false, "\(row.name)")
                case .object(let inner):
                    // A notification has one object of four.
                    guard table != .notification || row.name == template.content?.rawValue else { continue }
                    try check(#require(object.object(row.name), "\(row.name)"), inner)
                case .objects(let inner):
                    for object in try #require(object.objects(row.name), "\(row.name)") {
                        try check(object, inner)
                    }
                }
            }
        }
        try check(payload, kind.shape.table)
    }

    @Test("of a notification hold a transaction and a renewal information")
    func nested() throws {
        let validator = SignedPayloadValidator(try TokenJudge(Self.mint).policy)
        var cache = SignedPayloadCache()
        let token = Self.mint.token(.notification) {
            $0.changeNested(.transaction) { $0.payload["productId"] = "com.example.app.weekly" }
        }
        let notification = try validator.validate(notification: token, cache: &cache)
        #expect(notification.transaction?.productId == "com.example.app.weekly")
        #expect(notification.transaction?.type == "Auto-Renewable Subscription")
        #expect(notification.renewalInfo?.autoRenewStatus == 1)
        #expect(notification.appTransaction == nil)
    }

    @Test("of a notification and of renewal information alone are about one product")
    func product() throws {
        let validator = SignedPayloadValidator(try TokenJudge(Self.mint).policy)
        var cache = SignedPayloadCache()
        let monthly = "com.example.app.monthly"
        for template in [TokenTemplate(.notification), .complete(.notification)] {
            let token = Self.mint.token(template)
            let notification = try validator.validate(notification: token, cache: &cache)
            let (transaction, renewal) = (notification.transaction, notification.renewalInfo)
            #expect(transaction?.productId == monthly && transaction?.type == "Auto-Renewable Subscription")
            #expect(renewal?.productId == monthly && renewal?.autoRenewProductId == monthly)
        }
        let renewal = Self.mint.token(.renewalInfo)
        #expect(try validator.validate(renewalInfo: renewal, cache: &cache).productId == monthly)
        let transaction = Self.mint.token(.subscription())
        #expect(try validator.validate(transaction: transaction, cache: &cache).productId == monthly)
    }

    @Test("are the same from the same seed, and others from another seed")
    func seeds() {
        #expect(TokenMint(seed: 1).token(.notification) == Self.mint.token(.notification))
        #expect(TokenMint(seed: 1).root == Self.mint.root)
        #expect(TokenMint(seed: 2).root != Self.mint.root)
        #expect(TokenMint(seed: 2).token(.transaction) != Self.mint.token(.transaction))
    }

    @Test("of an external purchase have the other environment with the flaw, from either environment")
    func environmentOfExternalPurchase() throws {
        for environment in [StoreEnvironment.sandbox, .production] {
            var template = TokenTemplate(notification: .externalPurchaseToken)
            template.environment = environment.name
            var judge = try TokenJudge(Self.mint)
            judge.policy.environments = .only(environment)
            try judge.judge(Self.mint.token(template), .notification)
            let token = TokenMint(flaw: .wrongEnvironment).token(template)
            judge.refuses(token, .notification, .environment, .environmentClaimMismatch)
        }
    }

    @Test("with a flaw are refused at its step, with its code", arguments: TokenFlaw.allCases)
    func flaws(_ flaw: TokenFlaw) throws {
        let mint = TokenMint(flaw: flaw)
        #expect(mint.root == Self.mint.root)
        let judge = try TokenJudge(mint)
        var count = 0
        for template in Self.templates where flaw.applies(to: template) {
            judge.refuses(
                mint.token(template),
                template.kind,
                flaw.step,
                flaw.code,
                in: flaw.nested(in: template)
            )
            count += 1
        }
        #expect(count >= 4)
    }

    @Test("of a transaction are not for another app, even if it has an undocumented appAppleId")
    func undocumentedApp() throws {
        var template = TokenTemplate(.transaction)
        template.payload["appAppleId"] = .integer(5)
        #expect(!TokenFlaw.wrongApp.applies(to: template))
        try TokenJudge(Self.mint).judge(Self.mint.token(template), template.kind)
    }

    @Test("without a flaw that their kind cannot have are valid", arguments: TokenFlaw.allCases)
    func inapplicableFlaws(_ flaw: TokenFlaw) throws {
        let mint = TokenMint(flaw: flaw)
        for template in Self.templates where !flaw.applies(to: template) {
            try TokenJudge(mint).judge(mint.token(template), template.kind)
        }
    }

    @Test("have the app, environment and date that the template was given, inside notifications as well")
    func statements() throws {
        var judge = try TokenJudge(Self.mint)
        judge.policy.environments = .only(.sandbox)
        judge.policy.bundleIdentifier = .exactly("org.example.notes")
        judge.policy.appAppleIdentifier = 42
        let date = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        judge.policy.age = AgeExpectation(now: date, maximum: .seconds(0))
        for template in Self.templates {
            var template = template
            template.bundleIdentifier = "org.example.notes"
            template.environment = "Sandbox"
            template.appAppleIdentifier = 42
            template.signedDate = date
            try judge.judge(Self.mint.token(template), template.kind)
        }
    }

    @Test("bound to a device are for this device alone")
    func device() throws {
        let device = "8c0b3a54-6f0e-4b5d-9c52-0e7a1d4f2b36"
        var judge = try TokenJudge(Self.mint)
        judge.policy.deviceVerificationIdentifier = device.uppercased()
        for kind in [TokenTemplate.Kind.transaction, .renewalInfo, .appTransaction] {
            let token = Self.mint.token(kind) { $0.bind(toDevice: device) }
            try judge.judge(token, kind)
            let other = Self.mint.token(kind) { $0.bind(toDevice: PayloadSamples.uuid) }
            judge.refuses(other, kind, .deviceVerification, .deviceVerificationMismatch)
            judge.refuses(Self.mint.token(kind), kind, .deviceVerification, .missingDeviceVerification)
        }
    }

    @Test("as Xcode makes them are valid in its environment alone")
    func xcode() throws {
        let mint = TokenMint.xcodeLike()
        var judge = try TokenJudge(mint)
        judge.policy.environments = .any
        let token = mint.token(.transaction) { $0.environment = "Xcode" }
        let anchor = try TrustAnchor(certificate: mint.root)
        for trust in [TokenTrust.xcodeTesting(pinned: [anchor]), .anySelfSignedProvingIntegrityOnly] {
            judge.policy.trust = trust
            try judge.judge(token, .transaction)
            let production = mint.token(.transaction)
            judge.refuses(production, .transaction, .environment, .environmentClaimMismatch)
        }
        judge.policy.trust = .xcodeTesting(pinned: [try TrustAnchor(certificate: Self.mint.root)])
        judge.refuses(token, .transaction, .root, .untrustedRoot)
        judge.policy.trust = .pinned([anchor])
        judge.refuses(token, .transaction, .header, .certificateCount)
    }

    @Test("have any header and payload that the template was given")
    func forgeries() throws {
        let judge = try TokenJudge(Self.mint)
        var mint = Self.mint
        mint.signature.header["crit"] = ["exp"]
        judge.refuses(mint.token(.transaction), .transaction, .header, .criticalHeader)
        mint = Self.mint
        mint.signature.header.members.append(("alg", "ES256"))
        judge.refuses(mint.token(.transaction), .transaction, .header, .duplicateMember)
        mint = Self.mint
        mint.signature.header["x5c"] = nil
        judge.refuses(mint.token(.transaction), .transaction, .header, .certificateCount)
        let duplicate = Self.mint.token(.transaction) {
            $0.payload.members.append(("signedDate", .date(PayloadSamples.date)))
        }
        judge.refuses(duplicate, .transaction, .signedDate, .duplicateMember)
        let text = Self.mint.token(.transaction) { $0.payload["price"] = "9990" }
        judge.refuses(text, .transaction, .payload, .invalidValue)
        let foreign = Self.mint.token(.notification) {
            let inner = TokenMint(seed: 2).token(.transaction)
            $0[claim: "signedTransactionInfo"] = .text(String(decoding: inner, as: UTF8.self))
        }
        judge.refuses(foreign, .notification, .root, .untrustedRoot, in: .transaction)
        let renewal = Self.mint.token(.renewalInfo)
        judge.refuses(renewal, .transaction, .payload, .otherKind)
    }

    @Test("have members of any value")
    func values() throws {
        var template = TokenTemplate(.transaction)
        template.payload["price"] = .integer(.max)
        template.payload["type"] = "\"\\\u{7F}é\u{2028}"
        template.payload["commitmentInfo.billingPeriodNumber"] = 3
        template.payload["isUpgraded"] = true
        template.payload["future"] = .json("[1, {}]")
        template.payload["currency"] = nil
        let payload = try TokenJudge(Self.mint).judge(Self.mint.token(template), .transaction)
        #expect(payload.integer("price") == .max)
        #expect(payload.text("type") == "\"\\\u{7F}é\u{2028}")
        #expect(payload.object("commitmentInfo")?.integer("billingPeriodNumber") == 3)
        #expect(payload.flag("isUpgraded") == true)
        #expect(payload.members.first { $0.name == "future" }?.json == "[1, {}]")
        #expect(!payload.has("currency"))
    }

    @Test("have members that are set as text by the table of members")
    func setting() throws {
        var template = TokenTemplate.complete(.notification)
        let values = [
            ("data.bundleVersion", "7"), ("data.status", "5"), ("signedDate", "2024-06-02T12:00:00Z"),
            ("subtype", "VOLUNTARY"), ("future", "{\"a\":[1]}"),
        ]
        for (path, text) in values {
            let isSet = template.set(path, to: text)
            #expect(isSet, "\(path)")
        }
        let wrong = [
            ("data.status", "five"), ("data.status", "1.5"), ("signedDate", "yesterday"), ("signedDate", ""),
            ("data.appAppleId", "9223372036854775808"),
        ]
        for (path, text) in wrong {
            let isSet = template.set(path, to: text)
            #expect(!isSet, "\(path) \(text)")
        }
        var transaction = TokenTemplate(.transaction)
        let flags = ["yes", "true"].map { transaction.set("isUpgraded", to: $0) }
        #expect(flags == [false, true])
        var renewal = TokenTemplate(.renewalInfo)
        _ = renewal.set("eligibleWinBackOfferIds", to: "a,b")
        let judge = try TokenJudge(Self.mint)
        let payload = try judge.judge(Self.mint.token(template), .notification)
        #expect(payload.object("data")?.text("bundleVersion") == "7")
        #expect(payload.object("data")?.integer("status") == 5)
        #expect(payload.date("signedDate")?.millisecondsSince1970 == 1_717_329_600_000)
        #expect(payload.text("subtype") == "VOLUNTARY")
        #expect(payload.object("future")?.members.map(\.json) == ["[1]"])
        #expect(try judge.judge(Self.mint.token(transaction), .transaction).flag("isUpgraded") == true)
        let offers = try judge.judge(Self.mint.token(renewal), .renewalInfo).texts("eligibleWinBackOfferIds")
        #expect(offers == ["a", "b"])
    }
}

@Suite(
    "Certificates of tokens, checked by openssl",
    .enabled(if: OpenSSL.isExpected, "openssl is not installed")
)
struct TokenCertificateTests {
    @Test("openssl verifies the path, and names Apple's curves, algorithm and markers")
    func path() async throws {
        let pki = TokenPKI(seed: 1)
        let files = [
            "root": OpenSSL.pem(pki.root.certificate), "leaf": OpenSSL.pem(pki.leaf.certificate),
            "intermediate": OpenSSL.pem(pki.intermediate.certificate),
            "foreign": OpenSSL.pem(TokenPKI(seed: 2).root.certificate),
        ]
        let verify = "verify -x509_strict -attime 1717243200 -untrusted intermediate"
        let valid = try await OpenSSL.run("\(verify) -CAfile root leaf", files: files)
        #expect(valid.status == 0, "\(valid.text)")
        let foreign = try await OpenSSL.run("\(verify) -CAfile foreign leaf", files: files)
        #expect(foreign.status != 0)
        let expected = [
            ("leaf", "prime256v1", "1.2.840.113635.100.6.11.1"),
            ("intermediate", "secp384r1", "1.2.840.113635.100.6.2.1"), ("root", "secp384r1", "CA:TRUE"),
        ]
        for (name, curve, text) in expected {
            let shown = try await OpenSSL.run("x509 -in \(name) -noout -text", files: files)
            for word in ["ecdsa-with-SHA384", "ASN1 OID: \(curve)", text] {
                #expect(shown.text.contains(word), "\(name) lacks \(word)")
            }
        }
    }
}
