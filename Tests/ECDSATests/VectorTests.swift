import Basics
import DER
import ECDSA
import Processor
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

    /// The keys of a suite by name.
    static func keys(_ name: String) throws -> [String: ECPublicKey] {
        let rows = try SharedData.table("vectors/ecdsa/\(name).keys.tsv")
        return try Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let curve: Curve = try #require(["P-256": .p256, "P-384": .p384][row["curve"]])
                return (row["key"], try ECPublicKey(curve, point: hex(row["point_hex_uncompressed"])))
            }
        )
    }

    @Test(
        "accepts and refuses signatures as the suite requires",
        arguments: ["wycheproof-ecdsa", "nist-ecdsa-sigver-186-3"]
    )
    func verdict(_ name: String) throws {
        let suite = try VectorSuite(name)
        let keys = try Self.keys(name)
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

    /// r ‖ s for a signature in DER; nil if it is not DER, or a number does not fit.
    private static func concatenated(_ signature: [UInt8], octetCount: Int) -> [UInt8]? {
        var reader = Reader(signature.span)
        guard var value = try? reader.nested(.sequence, "ECDSA-Sig-Value"),
            let r = try? value.readUnsignedInteger("r"), let s = try? value.readUnsignedInteger("s"),
            r.count <= octetCount, s.count <= octetCount
        else { return nil }
        return [r, s].flatMap { [UInt8](repeating: 0, count: octetCount - $0.count) + signature[$0] }
    }

    @Test(
        "a key with tables gives the verdict of the key",
        arguments: ["wycheproof-ecdsa", "nist-ecdsa-sigver-186-3"]
    )
    func tables(_ name: String) throws {
        let keys = try Self.keys(name)
        let base = P256Multiples.ofBasePoint
        var tabulated: [String: TabulatedKey] = [:]
        var (accepted, refused) = (0, 0)
        var lists = ([.none] + accelerations).map { TabulatedSignatures(acceleration: $0) }
        var verdicts: [Bool] = []
        for row in try VectorSuite(name).rows() {
            let key = try #require(keys[row["key"]])
            if key.curve != .p256 { continue }
            let table = try #require(tabulated[row["key"]] ?? TabulatedKey(key, base: base))
            tabulated[row["key"]] = table
            let digest = try #require(Self.algorithms[row["hash"]]).digest(of: hex(row["msg_hex"]).span)
            var signature = hex(row["sig_hex"])
            if row["sigenc"] != "p1363" {
                // A signature that the DER reader refuses does not reach the arithmetic.
                guard let concatenated = Self.concatenated(signature, octetCount: 32) else { continue }
                signature = concatenated
            }
            var (refusal, other): (Refusal?, Refusal?)
            do throws(Refusal) {
                try key.verify(concatenated: signature, digest: digest)
                accepted += 1
            } catch {
                refusal = error
                refused += 1
            }
            do throws(Refusal) {
                try table.verify(concatenated: signature.span, digest: digest)
            } catch {
                other = error
            }
            #expect(refusal == other, "\(row["id"])")
            verdicts.append(refusal == nil)
            for index in lists.indices {
                lists[index].append(concatenated: signature.span, digest: digest, by: table)
            }
        }
        // Signatures that are verified together get the verdicts that they get alone.
        for index in lists.indices {
            #expect(lists[index].verify() == verdicts)
            #expect(lists[index].verify().isEmpty)
        }
        #expect(accepted >= 12 && refused >= 48, "\(accepted) accepted, \(refused) refused")
    }
}
