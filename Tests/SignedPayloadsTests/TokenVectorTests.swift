import AppReceiptMint
import Basics
import DER
import ECDSA
import Foundation
import PKIX
import SHA
import SignedPayloads
import TestSupport
import Testing

/// A row of `Vectors/tokens/tokens.tsv`, which `make` beside it describes.
struct TokenVector: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: String
    let token: [UInt8]
    /// The step of the refusal; nil if the token is good.
    let step: SignedPayloadError.Step?
    let code: String
    let policy: SignedPayloadPolicy

    var testDescription: String { name }

    static let all: [TokenVector] = {
        guard let table = try? vector("tokens/tokens.tsv"), let rows = try? Row.table(table) else {
            return []
        }
        return rows.compactMap { try? TokenVector($0) }
    }()

    static func named(_ name: String) throws -> TokenVector {
        try #require(all.first { $0.name == name })
    }

    init(_ row: Row) throws {
        (name, kind, code) = (row["name"], row["kind"], row["code"])
        step = SignedPayloadError.Step(rawValue: row["step"])
        guard step != nil || row["step"] == "accept" else { throw UnexpectedJSON() }
        let header = String(decoding: try vector("tokens/header.txt").dropLast(), as: UTF8.self)
        token = [UInt8](row["token"].replacing("~", with: header).utf8)
        let der = row["root"].isEmpty ? try vector("tokens/root.der") : base64(row["root"])
        let root = try #require(TrustAnchor(sha256: HashAlgorithm.sha256.digest(of: der.borrowedSpan).bytes))
        let now = Int64(row["now"]).map { Timestamp(millisecondsSince1970: $0) }
        let isPinned = row["trust"] == "pinned"
        policy = SignedPayloadPolicy(
            environments: isPinned
                ? .only(.production, .sandbox) : .only(.production, .sandbox, .xcode, .localTesting),
            bundleIdentifier: .exactly("com.example.app"),
            trust: isPinned
                ? .pinned([root])
                : row["trust"] == "xcode"
                    ? .xcodeTesting(pinned: [root]) : .anySelfSignedProvingIntegrityOnly,
            appAppleIdentifier: 1_234_567_890,
            deviceVerificationIdentifier: row["device"].isEmpty ? nil : row["device"],
            age: now.map { AgeExpectation(now: $0, maximum: .hours(1)) }
        )
    }

    /// The payload as Foundation reads it.
    var payload: JSON {
        get throws {
            let segments = String(decoding: token, as: UTF8.self).components(separatedBy: ".")
            return try JSON.parse([UInt8](try #require(Data(base64URL: segments[1]))))
        }
    }
}

@Suite("Tokens under a private PKI")
struct TokenVectorTests {
    @Test("are all there")
    func all() {
        #expect(TokenVector.all.count == 266)
        #expect(TokenVector.all.filter { $0.step == nil }.count == 36)
    }

    @Test(
        "get their verdict, with the step and the code, also after good tokens",
        arguments: TokenVector.all
    )
    func verdict(_ vector: TokenVector) throws {
        // The last caches have a table for the good tokens' signer, or make it for the next token.
        for count in [0, 1, 2, 3, 10, 16, 17] {
            var cache = SignedPayloadCache()
            for good in TokenVector.all.prefix(1) {
                for _ in 0..<count { _ = try? Judged(good.kind, good.token, vector.policy, cache: &cache) }
            }
            for _ in 1...2 {
                do throws(SignedPayloadError) {
                    _ = try Judged(vector.kind, vector.token, vector.policy, cache: &cache)
                    #expect(vector.step == nil, "accepted")
                } catch {
                    #expect(error.step == vector.step && "\(error.code.name)" == vector.code, "\(error)")
                    #expect(error.offset >= 0 && error.offset <= vector.token.count)
                    let nested = vector.name.contains("nested")
                    #expect(nested == (error.nestedToken != nil) || vector.name.contains("header nested"))
                }
            }
        }
    }
}

/// Rules that a table cannot show.
@Suite("The policy of tokens")
struct TokenPolicyTests {
    private static func good() throws -> TokenVector {
        try TokenVector.named("every member of a transaction")
    }

    /// The digests of a certificate and of its key by all hash algorithms.
    private static func digests(_ der: [UInt8]) throws -> [Digest] {
        var reader = Reader(der.borrowedSpan)
        let certificate = try Certificate(&reader)
        return [certificate.range, certificate.subjectPublicKeyInfo].flatMap { range in
            HashAlgorithm.allCases.map { $0.digest(of: der[range].borrowedSpan) }
        }
    }

    @Test("accepts another last certificate only if the root's certificate is at hand")
    func rootAtHand() throws {
        let root = try TrustAnchor(certificate: vector("tokens/root.der"))
        for name in ["root missing", "the root issued anew with its key"] {
            let token = try TokenVector.named(name)
            for digest in try Self.digests(vector("tokens/root.der")) {
                let distrusting = token.policy.with {
                    ($0.trust, $0.distrusted) = (.pinned([root]), [digest])
                }
                let error = try #require(throws: SignedPayloadError.self) {
                    try Judged(token.kind, token.token, distrusting)
                }
                #expect(error.step == .distrust && error.certificateIndex == 1)
            }
            #expect(throws: SignedPayloadError.self) { try Judged(token.kind, token.token, token.policy) }
            var cache = SignedPayloadCache()
            for _ in 1...2 {
                let policy = token.policy.with { $0.trust = .pinned([root]) }
                _ = try Judged(token.kind, token.token, policy, cache: &cache)
            }
        }
    }

    @Test("asks the root at hand to be valid, also if the signer was accepted before")
    func rootAtHandExpires() throws {
        let pki = TokenPKI(seed: 1)
        var template = TokenTemplate(.transaction)
        let date = try #require(template.signedDate)
        let good = TokenMint(pki).token(template)
        template.signedDate = date + .hours(48)
        let late = TokenMint(pki).token(template)
        // `x5c` has another certificate of the same root, which does not expire.
        let expiring = pki.reissued(.root) { $0.notAfter = date }
        let policy = try Self.policy(TokenMint(expiring))
        var cache = SignedPayloadCache()
        for _ in 1...2 {
            _ = try Judged("transaction", good, policy, cache: &cache)
            let error = try #require(throws: SignedPayloadError.self) {
                try Judged("transaction", late, policy, cache: &cache)
            }
            // The path with the certificate in `x5c`, which is not trusted, goes further.
            #expect(error.step == .root && error.code == .untrustedRoot, "\(error)")
        }
    }

    @Test("gives the offset 0 to a signer's key on another curve")
    func otherCurve() throws {
        let vectors = TokenVector.all.filter { $0.code == "jws.key-curve" }
        #expect(!vectors.isEmpty)
        for vector in vectors {
            let error = try #require(throws: SignedPayloadError.self) {
                try Judged(vector.kind, vector.token, vector.policy)
            }
            #expect(error.offset == 0 && error.certificateIndex == nil, "\(error)")
        }
    }

    /// A policy for the tokens of a mint.
    private static func policy(_ mint: TokenMint) throws -> SignedPayloadPolicy {
        let trust = TokenTrust.pinned([try TrustAnchor(certificate: mint.root)])
        return SignedPayloadPolicy(environments: .any, bundleIdentifier: .any, trust: trust)
    }

    @Test(
        "names the certificate that lacks its marker",
        arguments: [(TokenFlaw.missingLeafMarker, 0), (.missingIntermediateMarker, 1)]
    )
    func missingMarker(_ flaw: TokenFlaw, _ index: Int) throws {
        let mint = TokenMint(flaw: flaw)
        let error = try #require(throws: SignedPayloadError.self) {
            try Judged("transaction", mint.token(TokenTemplate(.transaction)), Self.policy(mint))
        }
        #expect(error.certificateIndex == index, "\(error)")
        #expect(error.code == (index == 0 ? .missingLeafMarker : .missingIntermediateMarker))
    }

    @Test("names the certificate that is malformed, and none for a wrong number of them")
    func malformedCertificate() throws {
        let pki = TokenPKI(seed: 1)
        var mint = TokenMint(pki)
        for index in pki.certificates.indices {
            var certificates = pki.certificates
            certificates[index] = [0x30, 0x00]
            mint.signature.header["x5c"] = JWSTemplate.value(of: certificates)
            let error = try #require(throws: SignedPayloadError.self) {
                try Judged("transaction", mint.token(TokenTemplate(.transaction)), Self.policy(mint))
            }
            #expect(error.step == .header && error.certificateIndex == index, "\(error)")
        }
        mint.signature.header["x5c"] = JWSTemplate.value(of: Array(pki.certificates.dropLast()))
        let error = try #require(throws: SignedPayloadError.self) {
            try Judged("transaction", mint.token(TokenTemplate(.transaction)), Self.policy(mint))
        }
        #expect(error.code == .certificateCount && error.certificateIndex == nil, "\(error)")
    }

    @Test("compares the device in lower case, and other characters as they are")
    func letterCase() throws {
        let mint = TokenMint()
        for (device, written, isAccepted) in [
            ("AZ@[_", "az@[_", true), ("az@[_", "az@[_", true), ("az`[_", "az@[_", false),
            ("az@{_", "az@[_", false), ("az@[\u{7F}", "az@[_", false),
        ] {
            let digest = HashAlgorithm.sha384.digest(of: Array("n\(written)".utf8).borrowedSpan)
            var template = TokenTemplate(.transaction)
            template.payload["deviceVerificationNonce"] = .text("N")
            template.payload["deviceVerification"] = .text(Data(digest.bytes).base64EncodedString())
            let policy = try Self.policy(mint).with { $0.deviceVerificationIdentifier = device }
            let judged = try? Judged("transaction", mint.token(template), policy)
            #expect((judged != nil) == isAccepted, "\(device)")
        }
    }

    @Test("asks no device of notifications and realtime requests, and no age of the tokens inside")
    func notAsked() throws {
        let mint = TokenMint()
        let device = try Self.policy(mint).with { $0.deviceVerificationIdentifier = "a" }
        _ = try Judged("notification", mint.token(TokenTemplate(.notification)), device)
        _ = try Judged("realtime-request", mint.token(TokenTemplate(.realtimeRequest)), device)
        var template = TokenTemplate(.notification)
        let date = try #require(template.signedDate)
        template.changeNested(.transaction) { $0.signedDate = date - .hours(48) }
        let fresh = AgeExpectation(now: date, maximum: .hours(1))
        _ = try Judged("notification", mint.token(template), Self.policy(mint).with { $0.age = fresh })
    }

    @Test("names the certificate whose signature is cut short", arguments: 0..<2)
    func cutSignature(_ index: Int) throws {
        let pki = TokenPKI(seed: 1)
        var certificates = pki.certificates
        // The last element is a BIT STRING that holds an ECDSA-Sig-Value of less than 128 octets.
        let bytes = certificates[index]
        let start = try #require(
            bytes.indices.dropLast(5).first {
                bytes[$0] == 0x03 && Int(bytes[$0 + 1]) == bytes.count - $0 - 2
            }
        )
        certificates[index][start + 4] += 1
        var mint = TokenMint(pki)
        mint.signature.header["x5c"] = JWSTemplate.value(of: certificates)
        let error = try #require(throws: SignedPayloadError.self) {
            try Judged("transaction", mint.token(TokenTemplate(.transaction)), Self.policy(mint))
        }
        #expect(error.code == .truncated && error.certificateIndex == index, "\(error)")
    }

    @Test("refuses a path with a distrusted certificate or key, also from the cache", arguments: 0..<3)
    func distrust(_ index: Int) throws {
        let good = try Self.good()
        let header = try JSON.parse(
            [UInt8](
                try #require(
                    Data(base64URL: String(decoding: vector("tokens/header.txt").dropLast(), as: UTF8.self))
                )
            )
        )
        for digest in try Self.digests(base64(try #require(header["x5c"]?.elements[index].string))) {
            var cache = SignedPayloadCache()
            _ = try Judged(good.kind, good.token, good.policy, cache: &cache)
            for _ in 1...2 {
                let error = try #require(throws: SignedPayloadError.self) {
                    try Judged(
                        good.kind,
                        good.token,
                        good.policy.with { $0.distrusted = [digest] },
                        cache: &cache
                    )
                }
                #expect(
                    error.step == .distrust && error.code == .distrusted && error.certificateIndex == index
                )
            }
            _ = try Judged(good.kind, good.token, good.policy, cache: &cache)
        }
    }

    // Python's `cryptography` replaced s by n - s in the certificates of the header, and verified them again.
    @Test(
        "refuses a certificate that differs from a distrusted one in its signature alone",
        arguments: [
            (0, "c88c104f734d11266dd8a53d56f318c0c3f46bf12da95f2af725dabe43afdcf2"),
            (1, "cba333d4550f6a649da0d579e804875553e0c1d59f8f9686225e60714537ac3c"),
        ]
    )
    func mirrored(_ index: Int, fingerprint: String) throws {
        let good = try Self.good()
        let policy = good.policy.with { $0.distrusted = [digest(fingerprint)] }
        let error = try #require(throws: SignedPayloadError.self) {
            try Judged(good.kind, good.token, policy)
        }
        #expect(error.step == .distrust && error.code == .distrusted && error.certificateIndex == index)
        func digest(_ digits: String) -> Digest { Digest(.sha256, bytes: hex(digits).span)! }
    }

    @Test("lists each check that is not made, in the order of the steps")
    func notChecked() throws {
        let good = try Self.good()
        let all = SignedPayloadPolicy(environments: .any, bundleIdentifier: .any, trust: good.policy.trust)
        let claims: [SignedPayloadError.Step] = [
            .environment, .bundleIdentifier, .appAppleIdentifier, .deviceVerification, .age,
        ]
        let others = [.revocation] + claims.dropFirst(2)
        #expect(try Judged(good.kind, good.token, all).notChecked == [.revocation] + claims)
        #expect(try Judged(good.kind, good.token, good.policy).notChecked == others)
        let app = try TokenVector.named("every member of an app transaction")
        #expect(try Judged(app.kind, app.token, app.policy).notChecked == [.revocation, .age])
        let sandbox = try TokenVector.named("no Apple ID in the sandbox")
        #expect(try Judged(sandbox.kind, sandbox.token, sandbox.policy).notChecked == others)
        let local = try TokenVector.named("Xcode, self-signed")
        #expect(
            try Judged(local.kind, local.token, local.policy).notChecked == [
                .revocation, .intermediateMarker, .leafMarker,
            ]
                + claims.dropFirst(2)
        )
        let realtime = try TokenVector.named("every member of a realtime request")
        #expect(
            try Judged(realtime.kind, realtime.token, realtime.policy).notChecked
                == [.revocation, .bundleIdentifier, .deviceVerification, .age]
        )
    }

    @Test("gives the same verdict at the same offset with each set of instructions")
    func accelerated() throws {
        for vector in TokenVector.all {
            let outcomes = ([.none] + accelerations).map { acceleration in
                Result<Judged, SignedPayloadError> { () throws(SignedPayloadError) in
                    let policy = vector.policy.with { $0.acceleration = acceleration }
                    return try Judged(vector.kind, vector.token, policy)
                }
            }
            for outcome in outcomes {
                switch (outcome, outcomes[0]) {
                case (.success, .success): break
                case (.failure(let error), .failure(let portable)):
                    #expect(error == portable, "\(vector.name)")
                default: Issue.record("\(vector.name): \(outcome)")
                }
            }
        }
    }

    @Test("remembers a bounded number of signers, and forgets them under other rules")
    func cache() throws {
        let signers = TokenVector.all.filter { $0.step == nil && $0.kind == "transaction" }
        var cache = SignedPayloadCache()
        for limit in 100..<120 {
            for signer in signers {
                let policy = signer.policy.with { $0.limits.members = limit }
                _ = try Judged(signer.kind, signer.token, policy, cache: &cache)
            }
        }
        // A token that was good under one root is not good under another.
        let good = try Self.good()
        _ = try Judged(good.kind, good.token, good.policy, cache: &cache)
        let error = try #require(throws: SignedPayloadError.self) {
            try Judged(good.kind, good.token, good.policy.with { $0.trust = .appStore }, cache: &cache)
        }
        #expect(error.step == .root)
    }

    @Test("judges tokens of a hundred signers with one cache, good and bad ones")
    func manySigners() throws {
        let pki = TokenPKI(seed: 1)
        let tokens = (0..<100).map { serial in
            TokenMint(pki.reissued(.leaf) { $0.serialNumber = [0x01, UInt8(serial)] })
                .token(TokenTemplate(.transaction))
        }
        let root = try TrustAnchor(certificate: TokenMint(pki).root)
        let policy = SignedPayloadPolicy(environments: .any, bundleIdentifier: .any, trust: .pinned([root]))
        var cache = SignedPayloadCache()
        for _ in 1...2 {
            for token in tokens { _ = try Judged("transaction", token, policy, cache: &cache) }
        }
        for (token, other) in zip(tokens, tokens.dropFirst()) {
            // The signature of another signer's token.
            let parts = (token + [UInt8(ascii: ".")] + other).split(separator: UInt8(ascii: "."))
            let wrong = Array([parts[0], parts[1], parts[5]].joined(separator: [UInt8(ascii: ".")]))
            let error = try #require(throws: SignedPayloadError.self) {
                try Judged("transaction", wrong, policy, cache: &cache)
            }
            #expect(error.step == .signature && error.code == .ecSignatureMismatch)
        }
    }

    @Test("makes tables for signers of many good tokens, and for four signers at most")
    func tables() throws {
        let good = try Self.good()
        var signers: [(header: ArraySlice<UInt8>, vector: TokenVector)] = []
        for vector in TokenVector.all where vector.step == nil && vector.policy.trust == good.policy.trust {
            let header = vector.token.prefix { $0 != UInt8(ascii: ".") }
            guard vector.kind == "transaction", !signers.contains(where: { $0.header == header }) else {
                continue
            }
            signers.append((header, vector))
        }
        #expect(signers.count == 6)
        var cache = SignedPayloadCache()
        // Refused tokens do not count: this one's signature is wrong.
        var wrong = good.token
        wrong[wrong.count - 10] =
            wrong[wrong.count - 10] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        func refuse(_ cache: inout SignedPayloadCache) throws {
            let error = try #require(throws: SignedPayloadError.self) {
                try Judged(good.kind, wrong, good.policy, cache: &cache)
            }
            #expect(error.step == .signature && error.code == .ecSignatureMismatch)
        }
        for _ in 1...20 { try refuse(&cache) }
        for (index, signer) in signers.enumerated() {
            for count in 1...20 {
                let vector = signer.vector
                _ = try Judged(vector.kind, vector.token, good.policy, cache: &cache)
                try refuse(&cache)
                #expect(cache.tableCount == min(count > 16 ? index + 1 : index, 4))
            }
        }
        // Each signer still gets its verdict, with a table or without one.
        for (_, vector) in signers { _ = try Judged(vector.kind, vector.token, good.policy, cache: &cache) }
        #expect(cache.tableCount == 4)
        // Other rules forget the tables.
        let other = good.policy.with { $0.limits.members += 1 }
        _ = try Judged(good.kind, good.token, other, cache: &cache)
        #expect(cache.tableCount == 0)
    }

    @Test("says what to do next, and which token inside a notification was refused")
    func nextStep() throws {
        for (name, step) in [
            ("another Apple ID", NextStep.deny), ("no Apple ID in production", .deny),
            ("the payload of another token", .refresh), ("leaf expired at signedDate", .refresh),
        ] {
            let vector = try TokenVector.named(name)
            let error = try #require(throws: SignedPayloadError.self, "\(name)") {
                try Judged(vector.kind, vector.token, vector.policy)
            }
            #expect(error.nextStep == step, "\(name)")
            #expect(error.nestedToken == nil && !"\(error)".contains("signedTransactionInfo"))
        }
        let nested = try TokenVector.named("a nested transaction that is renewal information")
        let error = try #require(throws: SignedPayloadError.self) {
            try Judged(nested.kind, nested.token, nested.policy)
        }
        #expect(error.nestedToken == .transaction && "\(error)".contains("signedTransactionInfo"))
    }

    @Test("judges certificates at the caller's time, if there is one")
    func pathTime() throws {
        let late = try TokenVector.named("everything expired at signedDate")
        let policy = late.policy.with { $0.pathTime = Timestamp(year: 2025, month: 1, day: 1) }
        _ = try Judged(late.kind, late.token, policy)
        let missing = try TokenVector.named("signedDate missing in a notification")
        #expect(try Judged(missing.kind, missing.token, policy).signedDate == nil)
        // Without a date, nothing can be said of the age.
        let now = try #require(Timestamp(year: 2025, month: 1, day: 1))
        let ageless = try #require(throws: SignedPayloadError.self) {
            try Judged(
                missing.kind,
                missing.token,
                policy.with { $0.age = AgeExpectation(now: now, maximum: .days(1)) }
            )
        }
        #expect(ageless.step == .age && ageless.code == .missingSignedDate)
        let early = try Self.good()
        let error = try #require(throws: SignedPayloadError.self) {
            try Judged(
                early.kind,
                early.token,
                early.policy.with { $0.pathTime = Timestamp(year: 2035, month: 1, day: 1) }
            )
        }
        #expect(error.step == .certificatePath && error.code == .expired)
    }
}

extension SignedPayloadPolicy {
    func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
