import DER
import RSA
import SHA
import TestSupport
import Testing

@Suite(.enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct VectorTests {
    /// The signatures under one key of one table.
    struct Group: Sendable, CustomTestStringConvertible {
        let table: String
        let key: Row
        let signatures: [Row]
        var testDescription: String { "\(table) \(key)" }
    }

    static let groups: [Group] = {
        guard SharedData.isExpected else { return [] }
        return ["wycheproof-verify", "wycheproof-siggen", "nist-sigver15", "rsalabs-pkcs1v15sign"].flatMap {
            table in
            let keys = (try? SharedData.table("vectors/rsa-pkcs1v15/\(table).keys.tsv")) ?? []
            let rows = (try? SharedData.table("vectors/rsa-pkcs1v15/\(table).tsv")) ?? []
            let byKey = Dictionary(grouping: rows) { $0["key"] }
            return keys.map { Group(table: table, key: $0, signatures: byKey[$0["key"]] ?? []) }
        }
    }()

    static let algorithms: [String: HashAlgorithm] = [
        "sha1": .sha1, "sha256": .sha256, "sha384": .sha384, "sha512": .sha512,
    ]

    @Test("a signature of the public suites is accepted or refused as it should be", arguments: groups)
    func verdict(_ group: Group) throws {
        let key = try PublicKey(
            modulus: number(group.key["n_hex"]),
            exponent: number(group.key["e_hex"])
        )
        #expect(String(key.modulusBitCount) == group.key["bits"])
        for row in group.signatures {
            let algorithm = try #require(Self.algorithms[row["hash"]])
            let digest = algorithm.digest(of: hex(row["msg_hex"]))
            let signature = hex(row["sig_hex"])
            let isAccepted =
                refusal { () throws(Refusal) in try key.verify(signature, digest: digest) } == nil
            #expect(isAccepted == (row["strict"] == "accept"), "\(row): \(row["comment"])")
        }
    }

    @Test("all signatures of the suites are there")
    func completeness() {
        #expect(Self.groups.count == 93)
        #expect(Self.groups.reduce(0) { $0 + $1.signatures.count } == 4020)
        #expect(Self.groups.allSatisfy { !$0.signatures.isEmpty })
    }
}

@Suite("Signatures made by openssl, and forgeries (Vectors/rsa)")
struct OpenSSLVectorTests {
    static let rows = (try? Row.table(vector("rsa/signatures.tsv"))) ?? []

    @Test("the table is there")
    func tableIsThere() {
        #expect(Self.rows.count == 102)
        #expect(Self.rows.count { $0["verdict"] == "reject" } > Self.rows.count / 2)
    }

    @Test("a signature is accepted or refused as it should be", arguments: rows)
    func verdict(_ row: Row) throws {
        let key = try PublicKey(subjectPublicKeyInfo: vector("rsa/keys/\(row["key"])"))
        #expect(String(key.modulusBitCount) == row["bits"] && String(key.exponent) == row["exponent"])
        let digest = try #require(VectorTests.algorithms[row["hash"]]).digest(of: hex(row["message_hex"]))
        let signature = hex(row["signature_hex"])
        let isAccepted = refusal { () throws(Refusal) in try key.verify(signature, digest: digest) } == nil
        #expect(isAccepted == (row["verdict"] == "accept"), "\(row["why"])")
    }
}
