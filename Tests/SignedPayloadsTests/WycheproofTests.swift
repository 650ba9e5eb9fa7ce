import Basics
import ECDSA
import Foundation
import Processor
import SignedPayloads
import TestSupport
import Testing

/// One case of Wycheproof's JWS suite.
struct WycheproofCase: Sendable, CustomTestStringConvertible {
    let number: Int
    let comment: String
    let isValid: Bool
    let token: [UInt8]
    /// The algorithm of the group's key.
    let algorithm: String
    /// The point of the group's key, if it is one on P-256.
    let point: [UInt8]?

    var testDescription: String { "\(number) \(comment)" }

    static let all: [WycheproofCase] = {
        let path = "vectors/jws/json_web_signature_test.json"
        guard let suite = try? JSON.parse(SharedData.bytes(path)) else { return [] }
        return suite["testGroups"]?.elements.flatMap { group in
            group["tests"]?.elements.compactMap {
                WycheproofCase($0, group["public"] ?? group["private"] ?? .null)
            } ?? []
        } ?? []
    }()

    private init?(_ test: JSON, _ key: JSON) {
        guard let number = test["tcId"]?.number, let comment = test["comment"]?.string,
            let result = test["result"]?.string
        else { return nil }
        (self.number, self.comment, isValid) = (Int(number), comment, result == "valid")
        // A token in JSON is no compact serialisation.
        token = [UInt8]((test["jws"]?.string ?? "{}").utf8)
        algorithm = key["alg"]?.string ?? ""
        let coordinates = ["x", "y"].compactMap { key[$0]?.string }.compactMap { Data(base64URL: $0) }
        point = key["crv"] == .string("P-256") ? [4] + coordinates.joined() : nil
    }

    /// Verifies the token by the group's key, with the header's rules.
    func verify() throws(Refusal) {
        let jws = try CompactSerialisation(token, limits: .standard, .none)
        try jws.checkHeader(.standard)
        let point = point ?? []
        try jws.verify(by: try ECPublicKey(.p256, point: point.borrowedSpan), .none)
    }
}

@Suite("Wycheproof's JWS", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct WycheproofTests {
    @Test("has the cases that are known")
    func dataIsThere() {
        #expect(WycheproofCase.all.count == 401)
        #expect(WycheproofCase.all.filter { $0.algorithm == "ES256" }.count == 39)
    }

    @Test("gets its verdict with ES256", arguments: WycheproofCase.all.filter { $0.algorithm == "ES256" })
    func verdict(_ test: WycheproofCase) {
        do throws(Refusal) {
            try test.verify()
            #expect(test.isValid, "accepted")
        } catch {
            #expect(!test.isValid, "\(error)")
        }
    }

    // Two groups for P-256 have keys without `alg`: their cases are about members of JWK, which is not read.
    @Test(
        "is refused with any other algorithm, before a key is used",
        arguments: WycheproofCase.all.filter { $0.algorithm != "ES256" && $0.point == nil }
    )
    func otherAlgorithms(_ test: WycheproofCase) throws {
        let error = try #require(throws: Refusal.self) { try test.verify() }
        #expect(
            [.unexpectedAlgorithm, .notCompactJWS, .notBase64URL, .notAnObject, .criticalHeader].contains(
                error.code
            ),
            "\(error)"
        )
    }

    @Test("is refused without x5c", arguments: WycheproofCase.all)
    func withoutCertificates(_ test: WycheproofCase) throws {
        let policy = SignedPayloadPolicy(environments: .any, bundleIdentifier: .any)
        let error = try #require(throws: SignedPayloadError.self) {
            try Judged("transaction", test.token, policy)
        }
        #expect(error.step == .form || error.step == .header, "\(error)")
    }
}
