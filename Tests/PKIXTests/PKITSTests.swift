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

    private static let exceptions = Exceptions([
        (
            "names are compared as bytes, not prepared: letter case, spaces and string types count (RFC 5280 §7.1)",
            ["4.3.3", "4.3.4", "4.3.5", "4.3.10", "4.3.11"]
        )
    ])

    /// Whether the root comes with the others or from the caller.
    @Test(
        "the paths that need neither revocation nor policies are decided as they say",
        arguments: [true, false]
    )
    func core(isRootInBag: Bool) throws {
        let encodings = try Self.certificates()
        var verifier = RSAVerifier()
        let verdicts = try SharedData.table("vectors/x509/pkits-tests.tsv")
            .filter { ["core", "core-noCRL"].contains($0["class"]) }
            .map { row in
                let refusal = try Self.refusal(of: row, encodings, isRootInBag: isRootInBag, &verifier)
                let expected = try #require(Verdict(rawValue: row["upstream"]))
                let verdict: Verdict = refusal == nil ? .accept : .reject
                return (row["num"], expected, verdict, refusal.map { "\($0)" } ?? "accepted")
            }
        #expect(verdicts.count == 54)
        Self.exceptions.judge(verdicts)
    }

    @Test("what is not processed, policies and name constraints, refuses the path where it is critical")
    func criticalConstraints() throws {
        let encodings = try Self.certificates()
        var verifier = RSAVerifier()
        var refused = 0
        for row in try SharedData.table("vectors/x509/pkits-tests.tsv")
        where ["policies", "nameconstraints"].contains(row["class"]) {
            let bag = try Bag(encodings: try Self.names(row).map { try #require(encodings[$0]) })
            let refusal = try Self.refusal(of: row, encodings, isRootInBag: true, &verifier)
            let isCritical = bag.certificates.contains { $0.unknownCriticalExtension != nil }
            if isCritical {
                #expect(refusal?.code == .unknownCriticalExtension, "\(row["num"]) \(row)")
                refused += 1
            } else {
                #expect(refusal == nil, "\(row["num"]) \(row): \(refusal.map { "\($0)" } ?? "")")
            }
        }
        #expect(refused > 60)
    }

    @Test("a signature by DSA is refused, right or wrong")
    func dsa() throws {
        let encodings = try Self.certificates()
        var verifier = RSAVerifier()
        for row in try SharedData.table("vectors/x509/pkits-tests.tsv") where row["class"] == "na-dsa" {
            let refusal = try Self.refusal(of: row, encodings, isRootInBag: true, &verifier)
            #expect(refusal != nil, "\(row["num"])")
        }
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
