import AppReceipt
import Basics
import JSONText
import PKIX
import SHA
import TestSupport
import Testing
import TransactionReceipt

@testable import ReceiptResults

/// The cases of `Vectors/cases.json`, which every binding runs.
@Suite("Vectors/cases.json")
struct CaseTests {
    @Test("has valid and refused receipts")
    func casesAreThere() {
        let valid = VectorCase.all.count { $0.expected["status"] == .string("valid") }
        #expect(valid > 10 && VectorCase.all.count - valid > 40)
    }

    private static func judge(for one: VectorCase) throws -> ReceiptJudge {
        let policy = one.policy
        let anchor = try TrustAnchor(certificate: vector(try #require(policy["root"]?.string)))
        let environment = policy["environment"]?.string.flatMap(ReceiptEnvironment.init(name:))
        return ReceiptJudge(
            ReceiptPolicy(
                environments: .only(try #require(environment)),
                bundleIdentifier: .exactly(try #require(policy["bundle_identifier"]?.string)),
                trust: one.isXcodeTesting ? .xcodeTesting(pinned: [anchor]) : .pinned([anchor]),
                issuers: try policy["issuer"]?.string.map { [try IssuerCertificate(vector($0))] } ?? [],
                appVersion: policy["app_version"]?.string,
                deviceIdentifiers: policy["device_identifier"]?.string.flatMap(DeviceIdentifier.init)
                    .map { [$0] },
                now: policy["now"]?.string.flatMap(Timestamp.init(rfc3339:))
            )
        )
    }

    @Test("gives each case its verdict and its values", arguments: VectorCase.all)
    func verdict(_ one: VectorCase) throws {
        let judge = try Self.judge(for: one)
        let input = try vector(one.receipt)
        var head = ResultHead()
        var receipt: ValidReceipt?
        do throws(ReceiptError) {
            let container = try ReceiptInput.container(input[...])
            head.digest = HashAlgorithm.sha256.digest(of: container.span)
            var cache = ValidationCache()
            receipt = try judge.judge(container, cache: &cache)
            head.receipt = receipt
        } catch {
            head.fault = Fault(error)
        }
        let json = JSONWriter.object { json in
            json.verdict(head)
            if let app = receipt?.app {
                json.member("receipt") {
                    $0.receipt(app.unverified, contentDigest: app.contentDigest)
                }
            }
            if let transaction = receipt?.transaction {
                json.member("transaction_receipt") {
                    $0.transaction(
                        transaction.unverified,
                        contentDigest: transaction.contentDigest,
                        withEntries: true
                    )
                }
            }
        }
        #expect(try JSONValue.parse(json.bytes).differences(from: one.expected) == [])
    }
}
