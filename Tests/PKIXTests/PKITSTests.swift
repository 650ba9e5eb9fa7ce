import AppReceipt
import Basics
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

    /// Compares the verdicts with the suite's. The validator does not process revocation, so a path with a
    /// revoked certificate is accepted. It does not process policies and name constraints, so a path with
    /// such a critical extension is refused.
    ///
    /// The argument says whether the root comes with the other certificates or from the caller.
    @Test(
        "paths get the suite's verdicts, without revocation, policies and name constraints",
        arguments: [true, false]
    )
    func rows(isRootInBag: Bool) throws {
        let suite = try VectorSuite("pkits-tests")
        let encodings = try Self.certificates()
        var keys = KeyCache<SigningKey>()
        var refused = 0
        let judgements = try suite.rows().map { row in
            let refusal = try Self.refusal(of: row, encodings, isRootInBag: isRootInBag, &keys)
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

    /// The refusal of the path; nil if it is accepted.
    private static func refusal(
        of row: Row,
        _ encodings: [String: [UInt8]],
        isRootInBag: Bool,
        _ keys: inout KeyCache<SigningKey>
    ) throws -> Refusal? {
        let path = try names(row).map { try #require(encodings[$0]) }
        let time = try #require(Timestamp(year: 2011, month: 4, day: 15))
        #expect(row["validation_time"] == time.description)
        do throws(Refusal) {
            let anchor = try TrustAnchor(certificate: path[0])
            let bag = try Bag(encodings: isRootInBag ? path : [[UInt8]](path.dropFirst()))
            let signer = bag.certificates.count - 1
            _ = try bag.path(to: [anchor], from: signer, at: time, keys: &keys)
            return nil
        } catch {
            return error
        }
    }
}
