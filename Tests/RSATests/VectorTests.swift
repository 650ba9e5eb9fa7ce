import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import RSA
import TestSupport
import Testing

@Suite(
    "Signatures of the public suites",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct VectorTests {
    static let algorithms: [String: HashAlgorithm] = [
        "sha1": .sha1, "sha256": .sha256, "sha384": .sha384, "sha512": .sha512,
    ]

    /// The public keys of a suite by name.
    private static func keys(_ suite: VectorSuite) throws -> [String: Row] {
        let rows = try SharedData.table("vectors/rsa-pkcs1v15/\(suite.name).keys.tsv")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["key"], $0) })
    }

    @Test(
        "accepts and refuses signatures as the suite requires, for keys of any length",
        arguments: ["wycheproof-verify", "wycheproof-siggen", "nist-sigver15", "rsalabs-pkcs1v15sign"]
    )
    func verdict(_ name: String) throws {
        let suite = try VectorSuite(name)
        let keys = try Self.keys(suite).mapValues { row in
            let key = try PublicKey(modulus: number(row["n_hex"]), exponent: number(row["e_hex"]))
            #expect(String(key.modulusBitCount) == row["bits"])
            return key
        }
        let judgements = try suite.rows().map { row in
            let key = try #require(keys[row["key"]])
            let digest = try #require(Self.algorithms[row["hash"]]).digest(of: hex(row["msg_hex"]))
            let refusal = refusal { () throws(Refusal) in try key.verify(hex(row["sig_hex"]), digest: digest)
            }
            return VectorSuite.Judgement(
                row["id"],
                demanded: try #require(VectorSuite.Demand(rawValue: row["strict"])),
                decided: refusal == nil ? .accept : .reject,
                why: "\(refusal.map { "\($0)" } ?? "accepted"): \(row["comment"])"
            )
        }
        suite.judge(judgements)
        #expect(Set(try suite.rows().map { $0["key"] }) == Set(keys.keys), "keys without a signature")
    }

    @Test(
        "the verifier of certificates refuses every signature by a key of fewer than 2048 bits",
        arguments: [("wycheproof-siggen", 49), ("nist-sigver15", 192), ("rsalabs-pkcs1v15sign", 280)]
    )
    func under2048(_ name: String, _ count: Int) throws {
        let suite = try VectorSuite(name)
        let keys = try Self.keys(suite)
        let rows = try suite.rows().filter { $0["flags"].split(separator: ",").contains("Under2048") }
        #expect(rows.count == count)
        for row in rows {
            let key = try #require(keys[row["key"]])
            var writer = Writer()
            writer.nest(.sequence) { info in
                info.writeEncoded(CertificateBuilder.algorithm(.rsaEncryption))
                var numbers = Writer()
                numbers.nest(.sequence) {
                    $0.writeUnsignedInteger(number(key["n_hex"]))
                    $0.writeUnsignedInteger(number(key["e_hex"]))
                }
                info.writeBitString(numbers.bytes)
            }
            let info = writer.bytes
            let refusal = refusal { () throws(Refusal) in
                _ = try SigningKey(
                    subjectPublicKeyInfo: info.span,
                    in: 0..<info.count,
                    requirements: SigningKey.Requirements()
                )
            }
            #expect(refusal?.code == .keyTooSmall, "\(row)")
        }
    }
}

@Suite("Signatures made by openssl, and forgeries (Vectors/rsa)")
struct OpenSSLVectorTests {
    static let rows = (try? Row.table(vector("rsa/signatures.tsv"))) ?? []

    @Test("the table has rows")
    func tableIsThere() {
        #expect(Self.rows.count == 102)
        #expect(Self.rows.count { $0["verdict"] == "reject" } > Self.rows.count / 2)
    }

    @Test("accepts genuine signatures and refuses forgeries", arguments: rows)
    func verdict(_ row: Row) throws {
        let key = try PublicKey(subjectPublicKeyInfo: vector("rsa/keys/\(row["key"])"))
        #expect(String(key.modulusBitCount) == row["bits"] && String(key.exponent) == row["exponent"])
        let digest = try #require(VectorTests.algorithms[row["hash"]]).digest(of: hex(row["message_hex"]))
        let signature = hex(row["signature_hex"])
        let isAccepted = refusal { () throws(Refusal) in try key.verify(signature, digest: digest) } == nil
        #expect(isAccepted == (row["verdict"] == "accept"), "\(row["why"])")
    }
}
