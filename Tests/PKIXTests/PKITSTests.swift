import DER
import PKIX
import TestSupport
import Testing

/// NIST's Public Key Interoperability Test Suite, certification paths in the order from the root to the leaf.
@Suite("PKITS", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct PKITSTests {
    private static func certificates() throws -> [String: [UInt8]] {
        let rows = try SharedData.table("vectors/x509/pkits-certs.tsv")
        return Dictionary(
            rows.map { ($0["name"], base64($0["der_b64"])) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Beside what the suite says: nothing is known of revocation, so that a path is as good as if there were
    /// none; policies and name constraints are not processed, and refuse it where they are critical.
    ///
    /// Whether the root comes with the others or from the caller.
    @Test(
        "paths are decided as they say, with no revocation, and no policies or name constraints",
        arguments: [true, false]
    )
    func rows(isRootInBag: Bool) throws {
        let suite = try VectorSuite("pkits-tests")
        let encodings = try Self.certificates()
        var verifier = RSAVerifier()
        var refused = 0
        let judgements = try suite.rows().map { row in
            let refusal = try Self.refusal(of: row, encodings, isRootInBag: isRootInBag, &verifier)
            let demanded: VectorSuite.Demand
            switch row["class"] {
            case "core", "core-noCRL":
                demanded = try #require(VectorSuite.Demand(rawValue: row["upstream"]))
            case "policies", "nameconstraints":
                let bag = try Bag(encodings: try Self.names(row).map { try #require(encodings[$0]) })
                let isCritical = bag.certificates.contains { $0.unknownCriticalExtension != nil }
                if isCritical {
                    #expect(refusal?.code == .unknownCriticalExtension, "\(row["num"]) \(row)")
                    refused += 1
                }
                demanded = isCritical ? .reject : .accept
            case "na-dsa": demanded = .reject
            case "na-crl": demanded = .accept
            default: throw UnknownClass(name: row["class"])
            }
            return VectorSuite.Judgement("\(row["num"]) \(row["name"])", demanded: demanded, refusal: refusal)
        }
        suite.judge(judgements)
        #expect(refused > 60)
    }

    private struct UnknownClass: Error {
        let name: String
    }

    private static func names(_ row: Row) -> [String] {
        row["certs(root..leaf)"].split(separator: ",").map(String.init)
    }

    /// Why the path is refused; nil where it is accepted.
    private static func refusal(
        of row: Row,
        _ encodings: [String: [UInt8]],
        isRootInBag: Bool,
        _ verifier: inout RSAVerifier
    ) throws -> Refusal? {
        let path = try names(row).map { try #require(encodings[$0]) }
        let time = try #require(Timestamp(year: 2011, month: 4, day: 15))
        #expect(row["validation_time"] == time.description)
        do throws(Refusal) {
            let anchor = try TrustAnchor(certificate: path[0])
            let bag = try Bag(encodings: isRootInBag ? path : [[UInt8]](path.dropFirst()))
            let signer = bag.certificates.count - 1
            _ = try bag.path(to: [anchor], from: signer, at: time, verifier: &verifier)
            return nil
        } catch {
            return error
        }
    }
}
