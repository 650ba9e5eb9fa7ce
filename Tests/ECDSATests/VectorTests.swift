import Basics
import ECDSA
import SHA
import TestSupport
import Testing

@Suite(
    "ECDSA signatures of the public suites",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct VectorTests {
    static let algorithms: [String: HashAlgorithm] = [
        "sha1": .sha1, "sha256": .sha256, "sha384": .sha384, "sha512": .sha512,
    ]

    @Test(
        "accepts and refuses signatures as the suite requires",
        arguments: ["wycheproof-ecdsa", "nist-ecdsa-sigver-186-3"]
    )
    func verdict(_ name: String) throws {
        let suite = try VectorSuite(name)
        let rows = try SharedData.table("vectors/ecdsa/\(name).keys.tsv")
        let keys = try Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let curve: Curve = try #require(["P-256": .p256, "P-384": .p384][row["curve"]])
                return (row["key"], try ECPublicKey(curve, point: hex(row["point_hex_uncompressed"])))
            }
        )
        let judgements = try suite.rows().map { row in
            let key = try #require(keys[row["key"]])
            let digest = try #require(Self.algorithms[row["hash"]]).digest(of: hex(row["msg_hex"]).span)
            var refusal: Refusal?
            do throws(Refusal) {
                switch row["sigenc"] {
                case "p1363": try key.verify(concatenated: hex(row["sig_hex"]), digest: digest)
                default: try key.verify(hex(row["sig_hex"]), digest: digest)
                }
            } catch {
                refusal = error
            }
            return VectorSuite.Judgement(
                row["id"],
                demanded: try #require(VectorSuite.Demand(rawValue: row["strict"])),
                refusal: refusal
            )
        }
        suite.judge(judgements)
        #expect(Set(try suite.rows().map { $0["key"] }) == Set(keys.keys), "keys without a signature")
    }
}
