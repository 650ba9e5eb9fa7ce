import Basics
import Foundation
import PKIX
import SignedPayloads
import TestSupport
import Testing

/// The values that the tests read of a validated token of any kind.
struct Judged {
    let members: PayloadObject
    let unknown: [String]
    let environment: StoreEnvironment?
    let signedDate: Timestamp?
    let notChecked: [SignedPayloadError.Step]
    var nested: [String: PayloadObject] = [:]

    /// Validates a token as the kind that its record names.
    init(
        _ kind: String,
        _ token: [UInt8],
        _ policy: SignedPayloadPolicy,
        cache: inout SignedPayloadCache
    ) throws(SignedPayloadError) {
        let validator = SignedPayloadValidator(policy)
        switch kind {
        case "transaction": self.init(try validator.validate(transaction: token, cache: &cache))
        case "renewal-info": self.init(try validator.validate(renewalInfo: token, cache: &cache))
        case "app-transaction": self.init(try validator.validate(appTransaction: token, cache: &cache))
        case "realtime-request": self.init(try validator.validate(realtimeRequest: token, cache: &cache))
        default:
            let notification = try validator.validate(notification: token, cache: &cache)
            self.init(notification)
            nested["signedTransactionInfo"] = notification.transaction?.members
            nested["signedRenewalInfo"] = notification.renewalInfo?.members
            nested["signedAppTransactionInfo"] = notification.appTransaction?.members
        }
    }

    init(_ kind: String, _ token: [UInt8], _ policy: SignedPayloadPolicy) throws(SignedPayloadError) {
        var cache = SignedPayloadCache()
        try self.init(kind, token, policy, cache: &cache)
    }

    private init<Kind>(_ payload: Verified<Kind>) {
        members = payload.members
        unknown = payload.unknownMembers.map(\.name)
        environment = payload.environment
        signedDate = payload.signedDate
        notChecked = payload.notChecked
    }
}

@Suite("Tokens of others", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct GenuineTokenTests {
    static let accepted = GenuineToken.all.filter { $0.verdict.hasPrefix("accept") }
    static let rejected = GenuineToken.all.filter { $0.verdict == "reject" }

    /// A policy that expects what the token claims.
    static func policy(_ token: GenuineToken) throws -> SignedPayloadPolicy {
        var policy = SignedPayloadPolicy(
            environments: .any,
            bundleIdentifier: .any,
            trust: try token.trust()
        )
        // The one notification without a date was made in 2022 or later, under a root of 2022.
        if token.verdict.contains("only at a time") {
            policy.pathTime = Timestamp(year: 2023, month: 1, day: 10)
        }
        return policy
    }

    @Test("are all there")
    func dataIsThere() {
        #expect(Self.accepted.count == 64)
        #expect(Self.rejected.count == 8)
        #expect(GenuineToken.all.count == 72)
    }

    @Test("are accepted with every member of the record, twice with one cache", arguments: accepted)
    func accepts(_ token: GenuineToken) throws {
        var cache = SignedPayloadCache()
        let policy = try Self.policy(token)
        for _ in 1...2 {
            let judged = try Judged(token.kind, token.token, policy, cache: &cache)
            #expect(judged.unknown == [])
            try compare(judged.members, token.payload, Self.json(token.token[...]))
            for (name, object) in judged.nested {
                let inner = token.payload["data"]?[name]?.string ?? ""
                let json = try Self.json(Array(inner.utf8)[...])
                try compare(object, try JSON.parse([UInt8](json.utf8)), json)
            }
            let wanted = ["signedTransactionInfo", "signedRenewalInfo"].filter {
                token.payload["data"]?[$0] != nil
            }
            #expect(judged.nested.keys.sorted() == wanted.sorted())
        }
    }

    /// The text of a token's payload.
    private static func json(_ token: ArraySlice<UInt8>) throws -> String {
        let segments = String(decoding: token, as: UTF8.self).components(separatedBy: ".")
        return String(decoding: try #require(Data(base64URL: segments[1])), as: UTF8.self)
    }

    /// Compares each member with the record, and the digits of numbers with the payload's text.
    private func compare(_ object: PayloadObject, _ expected: JSON, _ json: String) throws {
        #expect(object.members.map(\.name).sorted() == expected.members.keys.sorted())
        for (name, value) in expected.members {
            let text = try #require(object.members.first { $0.name == name }).json
            switch value {
            case .string(let string): #expect(object.text(name) == string)
            case .flag(let flag): #expect(object.flag(name) == flag)
            case .number(let number):
                #expect(json.contains("\"\(name)\":\(text)"))
                #expect(Double(text) == number)
                #expect(object.date(name)?.millisecondsSince1970 == value.milliseconds)
                if !text.contains(".") { #expect(object.integer(name) == value.milliseconds) }
            case .object: try compare(try #require(object.object(name)), value, json)
            default: Issue.record("\(name): \(value)")
            }
        }
    }

    @Test("are accepted for their own app and environment alone", arguments: accepted)
    func expectations(_ token: GenuineToken) throws {
        let claims = token.kind == "notification" ? token.payload["data"] ?? .null : token.payload
        let name = (claims["environment"] ?? claims["receiptType"])?.string
        var policy = try Self.policy(token)
        policy.environments = .only([.production, .sandbox, .xcode].filter { $0.name != name })
        let refused = try #require(throws: SignedPayloadError.self) {
            try Judged(token.kind, token.token, policy)
        }
        #expect(refused.step == .environment)
        #expect(refused.code == (name == nil ? .missingEnvironmentClaim : .environmentClaimMismatch))
        guard let environment = name.flatMap(StoreEnvironment.init(name:)) else { return }
        policy.environments = .only(environment)
        #expect(try Judged(token.kind, token.token, policy).environment == environment)

        policy.bundleIdentifier = .exactly("com.example.other")
        if token.kind == "renewal-info" {
            #expect(try Judged(token.kind, token.token, policy).notChecked.contains(.bundleIdentifier))
            return
        }
        let other = try #require(throws: SignedPayloadError.self) {
            try Judged(token.kind, token.token, policy)
        }
        #expect(other.step == .bundleIdentifier && other.code == .bundleIdentifierClaimMismatch)
        policy.bundleIdentifier = .exactly(try #require(claims["bundleId"]?.string))
        #expect(try !Judged(token.kind, token.token, policy).notChecked.contains(.bundleIdentifier))
    }

    @Test("of Xcode are accepted with any self-signed certificate, and others are not", arguments: accepted)
    func selfSigned(_ token: GenuineToken) throws {
        var policy = try Self.policy(token)
        policy.trust = .anySelfSignedProvingIntegrityOnly
        let isAccepted = (try? Judged(token.kind, token.token, policy)) != nil
        #expect(isAccepted == token.verdict.hasPrefix("accept as Xcode"))
    }

    @Test("get their verdict with one cache for all of them, in any order")
    func oneCache() throws {
        var cache = SignedPayloadCache()
        for token in GenuineToken.all + GenuineToken.all.reversed() {
            var policy = SignedPayloadPolicy(environments: .any, bundleIdentifier: .any)
            policy.pathTime = token.verdict == "reject" ? Timestamp(year: 2023, month: 1, day: 10) : nil
            let isAccepted = (try? Judged(token.kind, token.token, policy, cache: &cache)) != nil
            #expect(isAccepted == token.verdict.contains("Apple Root CA - G3"), "\(token.name)")
        }
    }

    @Test("are refused under the App Store's root unless Apple signed them", arguments: GenuineToken.all)
    func appStore(_ token: GenuineToken) {
        let policy = SignedPayloadPolicy(
            environments: .any,
            bundleIdentifier: .any,
            pathTime: token.name.contains("5c79fcc4") ? Timestamp(year: 2023, month: 1, day: 10) : nil
        )
        let isApple = token.verdict.contains("Apple Root CA - G3")
        let isAccepted = (try? Judged(token.kind, token.token, policy)) != nil
        #expect(isAccepted == isApple)
    }

    @Test(
        "are refused where the record says so, at the step that finds the fault",
        arguments: [
            (
                "foreign-notification-EXPIRE", SignedPayloadError.Step.signedDate,
                Refusal.Code.missingSignedDate
            ),
            ("test-ca-notification-TEST-apple-8fb8c5b5", .header, .certificateCount),
            ("test-ca-notification-TEST-getmimo-1e645919", .header, .unexpectedAlgorithm),
            ("test-ca-notification-TEST-getmimo-d3496faf", .header, .certificateCount),
            ("test-ca-transaction-emindeniz99-18929966", .root, .untrustedRoot),
            ("test-ca-transaction-emindeniz99-e5da2036", .root, .untrustedRoot),
            ("test-ca-transaction-getmimo-bd794f02", .certificatePath, .notCertificateAuthority),
            ("test-ca-unknown-getmimo-dfd60c69", .form, .notCompactJWS),
        ]
    )
    func rejects(_ prefix: String, _ step: SignedPayloadError.Step, _ code: Refusal.Code) throws {
        let token = try GenuineToken.first(prefix)
        #expect(token.verdict == "reject")
        let error = try #require(throws: SignedPayloadError.self) {
            try Judged(token.kind, token.token, try Self.policy(token))
        }
        #expect(error.step == step && error.code == code, "\(error)")
    }

    @Test(
        "are refused for the marker that they lack, and accepted if no marker is required",
        arguments: [
            ("leaf", SignedPayloadError.Step.leafMarker, Refusal.Code.missingLeafMarker),
            ("intermediate", .intermediateMarker, .missingIntermediateMarker),
        ]
    )
    func markers(_ missing: String, _ step: SignedPayloadError.Step, _ code: Refusal.Code) throws {
        let root = try TrustAnchor(
            certificate: SharedData.bytes("jws/roots/emindeniz99-jws-no-\(missing)-oid-root.der")
        )
        var found = 0
        for token in Self.rejected where token.name.contains("emindeniz99") {
            var policy = SignedPayloadPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .pinned([root])
            )
            let error = try #require(throws: SignedPayloadError.self) {
                try Judged(token.kind, token.token, policy)
            }
            guard error.step == step else { continue }
            #expect(error.code == code)
            found += 1
            policy.trust = .pinned([root], requiringMarkers: false)
            let judged = try Judged(token.kind, token.token, policy)
            #expect(Array(judged.notChecked.prefix(3)) == [.revocation, .intermediateMarker, .leafMarker])
        }
        #expect(found == 1)
    }

    @Test(
        "of another app store have the same form, and are refused at the root",
        arguments: rejected.prefix(1)
    )
    func huawei(_ token: GenuineToken) throws {
        let policy = SignedPayloadPolicy(
            environments: .any,
            bundleIdentifier: .any,
            pathTime: Timestamp(
                millisecondsSince1970: try #require(token.payload["signedTime"]?.milliseconds)
            )
        )
        let error = try #require(throws: SignedPayloadError.self) {
            try Judged(token.kind, token.token, policy)
        }
        #expect(error.step == .root && error.code == .untrustedRoot, "\(error)")
    }
}
