import AppReceipt
import AppReceiptMint
import Basics
import DER
import Foundation
import PKIX
import SHA
import TestSupport
import Testing
import VerifyReceipt

@Suite("Status codes")
struct StatusTests {
    private static let classes: [(String, production: AnswerStatus, sandbox: AnswerStatus)] = [
        ("Production", .valid, .productionReceipt), ("ProductionVPP", .valid, .productionReceipt),
        ("ProductionSandbox", .sandboxReceipt, .valid), ("ProductionVPPSandbox", .sandboxReceipt, .valid),
        ("Xcode", .sandboxReceipt, .valid), ("Sandbox", .invalidReceipt, .invalidReceipt),
        ("production", .invalidReceipt, .invalidReceipt), ("", .invalidReceipt, .invalidReceipt),
    ]

    @Test("the environment of the receipt decides between 0, 21007, 21008 and 21002", arguments: classes)
    func environment(_ name: String, _ production: AnswerStatus, _ sandbox: AnswerStatus) throws {
        let receipt = Minted.mint.receipt(bundleIdentifier: "com.example.app") { $0.environment = name }
        for (endpoint, expected) in [(Minted.production, production), (Minted.sandbox, sandbox)] {
            let answer = endpoint.answer(receipt: receipt)
            #expect(answer.status == expected, "\(answer.text)")
            if expected == .valid {
                #expect(answer.error == nil)
                #expect(try answer.json.names == ["status", "environment", "receipt"])
                #expect(try answer.json["environment"] == .string(endpoint.environment.name))
                #expect(try answer.receipt["receipt_type"] == .string(name))
            } else {
                #expect(answer.text == "{\"status\":\(expected.rawValue)}")
                guard case .receipt(let error) = try #require(answer.error) else {
                    Issue.record("\(answer)")
                    return
                }
                #expect(error.step == .environment)
                #expect(error.code == (name.isEmpty ? .missingEnvironment : .environmentMismatch))
                #expect(receipt[error.offset...].starts(with: name.utf8))
            }
        }
    }

    @Test("a receipt under a distrusted certificate gets 21002, also from the cache")
    func distrust() throws {
        for certificate in Minted.pki.certificates {
            let policy = ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: Minted.trust,
                distrusted: [HashAlgorithm.sha256.digest(of: certificate.span)]
            )
            var cache = ValidationCache()
            for (endpoint, text) in [
                (Minted.production, "{\"status\":0,"),
                (ReceiptEndpoint(.production, policy), "{\"status\":21002}"),
                (ReceiptEndpoint(.sandbox, policy), "{\"status\":21002}"),
            ] {
                let answer = endpoint.answer(request(Minted.receipt), at: Minted.now, cache: &cache)
                #expect(answer.text.hasPrefix(text), "\(answer.text)")
                if case .receipt(let error)? = answer.error { #expect(error.code == .distrusted) }
            }
        }
    }

    @Test("a receipt without an environment gets 21002")
    func noEnvironment() {
        let receipt = Minted.mint.receipt(bundleIdentifier: "com.example.app") { $0.environment = nil }
        #expect(Minted.production.answer(receipt: receipt).text == "{\"status\":21002}")
        #expect(Minted.sandbox.answer(receipt: receipt).text == "{\"status\":21002}")
    }

    @Test("receipts of Xcode are tests, and Apple's roots refuse them")
    func xcode() throws {
        let mint = ReceiptMint.xcodeLike(Keys.bits2048)
        let receipt = mint.receipt(bundleIdentifier: "com.example.app") { $0.environment = "Xcode" }
        let trust = TrustPolicy.xcodeTesting(pinned: [try TrustAnchor(certificate: mint.root)])
        let sandbox = ReceiptEndpoint(
            .sandbox,
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust)
        )
        let production = ReceiptEndpoint(
            .production,
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust)
        )
        #expect(sandbox.answer(receipt: receipt).status == .valid)
        // The error's offset counts in the BER of the input.
        let answer = production.answer(receipt: receipt)
        #expect(answer.status == .sandboxReceipt)
        guard case .receipt(let error)? = answer.error else {
            Issue.record("\(answer)")
            return
        }
        #expect(receipt[error.offset...].starts(with: "Xcode".utf8))
        #expect(ReceiptEndpoint(.sandbox).answer(receipt: receipt).status == .invalidReceipt)
    }

    private static let rows = (try? Row.table(vector("receipts.tsv"))) ?? []

    @Test(
        "every receipt of the vectors gets 0 exactly if the validator accepts it, else 21002",
        arguments: rows
    )
    func vectors(_ row: Row) throws {
        let anchor = try TrustAnchor(certificate: vector("certificates/\(row["root"])"))
        let trust: TrustPolicy =
            row["root"] == "storekit.der" ? .xcodeTesting(pinned: [anchor]) : .pinned([anchor])
        let validator = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust)
        )
        let bytes = try vector("receipts/\(row["file"])")
        // In the file, a receipt may be base64 with line breaks.
        let receipt = (try? ReceiptInput.decode(bytes)) ?? bytes
        // Apple's endpoint ignores bytes after the receipt, which the validator refuses.
        let end = row["file"] == "trailing-byte.der" ? receipt.count - 1 : receipt.count
        let accepted = try? validator.validate(Array(receipt[..<end]))
        let answers = ReceiptEndpoint.Environment.allCases.map {
            ReceiptEndpoint($0, ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust))
                .answer(receipt: receipt)
        }
        if let name = accepted?.environmentName {
            let isSandbox = name.hasSuffix("Sandbox") || name == "Xcode"
            #expect(
                answers.map(\.status)
                    == (isSandbox ? [.sandboxReceipt, .valid] : [.valid, .productionReceipt])
            )
        } else {
            #expect(answers.map(\.text) == ["{\"status\":21002}", "{\"status\":21002}"])
        }
    }

    @Test("a receipt under a foreign root gets 21002 from an endpoint with Apple's roots")
    func foreignRoot() throws {
        let answer = ReceiptEndpoint(.production).answer(TestRequests.valid)
        #expect(answer.text == "{\"status\":21002}")
        guard case .receipt(let error)? = answer.error else {
            Issue.record("\(answer)")
            return
        }
        #expect(error.step == .root && error.code == .untrustedRoot)
    }

    @Test("a change of any byte of a receipt's content gets 21002")
    func tampering() throws {
        let receipt = Minted.receipt
        let content = try #require(receipt.firstRange(of: Array("com.example.app".utf8)))
        for offset in stride(from: content.lowerBound - 40, to: content.upperBound + 60, by: 7) {
            var changed = receipt
            changed[offset] ^= 0x01
            #expect(Minted.production.answer(receipt: changed).text == "{\"status\":21002}")
        }
    }

    @Test("the app and the expiration date are not checked")
    func notChecked() throws {
        let receipt = try answered {
            $0.bundleIdentifier = "com.example.other"
            $0.expirationDate = Timestamp(millisecondsSince1970: 1_500_000_000_000)
        }
        #expect(receipt["bundle_id"] == .string("com.example.other"))
        #expect(receipt["expiration_date"] == .string("2017-07-14 02:40:00 Etc/GMT"))
    }

    @Test("a weaker digest than the endpoint requires gets 21002")
    func minimumDigest() {
        let receipt = ReceiptMint(Minted.pki, digest: .sha1).receipt(bundleIdentifier: "com.example.app")
        #expect(Minted.production.answer(receipt: receipt).status == .valid)
        let strict = ReceiptEndpoint(
            .production,
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: Minted.trust,
                minimumDigest: .sha256
            )
        )
        #expect(strict.answer(receipt: receipt).status == .invalidReceipt)
    }

    @Test("the answers do not depend on the cache")
    func cache() {
        var cache = ValidationCache()
        let bodies = [
            TestRequests.valid, request(Minted.sandboxReceipt), request(text: "foobar"), TestRequests.valid,
        ]
        for body in bodies + bodies {
            let answer = Minted.production.answer(body, at: Minted.now, cache: &cache)
            #expect(answer == Minted.production.answer(body))
        }
    }

    @Test("every status has Apple's number")
    func numbers() {
        #expect(
            Set(AnswerStatus.allCases.map(\.rawValue)).isSuperset(
                of: [0, 21000, 21002, 21003, 21004, 21007, 21008]
            )
        )
    }
}

@Suite("Shared secrets")
struct SecretTests {
    private let guarded = ReceiptEndpoint(
        .production,
        ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: Minted.trust),
        sharedSecrets: ["0123456789abcdef0123456789abcdef", "é\"\\"].map { Array($0.utf8) }
    )

    private func status(_ others: String) -> AnswerStatus {
        guarded.answer(receipt: Minted.receipt, others).status
    }

    @Test("one of the secrets is accepted, with escapes or without")
    func right() {
        #expect(status(",\"password\":\"0123456789abcdef0123456789abcdef\"") == .valid)
        #expect(status(",\"password\":\"\\u00e9\\\"\\\\\"") == .valid)
        #expect(status(",\"password\":\"wrong\",\"password\":\"é\\\"\\\\\"") == .valid)
    }

    @Test(
        "every other password gets 21004 with the environment",
        arguments: [
            "", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdef0",
            "0123456789ABCDEF0123456789ABCDEF", " 0123456789abcdef0123456789abcdef", "e\u{301}\\\"\\\\",
        ]
    )
    func wrong(_ password: String) throws {
        let answer = guarded.answer(receipt: Minted.receipt, ",\"password\":\"\(password)\"")
        #expect(answer.text == "{\"status\":21004,\"environment\":\"Production\"}")
        #expect(answer.error?.code == .wrongPassword)
        // The log has no word of the request.
        let description = try #require(answer.error?.description)
        #expect(password.count < 5 || !description.contains(password))
    }

    @Test(
        "a request without a password gets 21003 with the environment",
        arguments: [
            "", ",\"password\":null", ",\"password\":1",
            ",\"password\":[\"0123456789abcdef0123456789abcdef\"]",
            ",\"Password\":\"0123456789abcdef0123456789abcdef\"",
            ",\"password\":\"0123456789abcdef0123456789abcdef\",\"password\":null",
        ]
    )
    func missing(_ others: String) {
        let answer = guarded.answer(receipt: Minted.receipt, others)
        #expect(answer.text == "{\"status\":21003,\"environment\":\"Production\"}")
        #expect(answer.error?.code == .missingPassword)
    }

    @Test("an endpoint with no secret in its list refuses every password, one without a list ignores it")
    func none() {
        let closed = ReceiptEndpoint(
            .production,
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: Minted.trust),
            sharedSecrets: []
        )
        #expect(closed.answer(receipt: Minted.receipt, ",\"password\":\"\"").status == .wrongPassword)
        #expect(Minted.production.answer(receipt: Minted.receipt, ",\"password\":\"x\"").status == .valid)
        #expect(Minted.production.answer(receipt: Minted.receipt, ",\"password\":7").status == .valid)
    }

    @Test("a receipt that is refused, or of the other environment, is refused before its password")
    func order() {
        #expect(guarded.answer(request(text: "foobar")).status == .invalidReceipt)
        #expect(guarded.answer(receipt: Minted.sandboxReceipt).status == .sandboxReceipt)
        #expect(guarded.answer(Array("[]".utf8)).status == .unreadableRequest)
    }
}
