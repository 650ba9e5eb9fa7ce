import Basics
import DER
import PKIX
import Processor
import RSA
import SHA
import TestSupport
import Testing

/// Trail of Bits' x509-limbo, on keys of P-256. Its signatures are judged by a table.
@Suite("x509-limbo", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct LimboTests {
    @Test("decides each row as demanded or for a listed reason, with at most 16 signature checks")
    func rows() throws {
        let suite = try VectorSuite("limbo-ec")
        let signatures = try Set(Row.table(vector("limbo/signatures.tsv")).map(\.signature))
        #expect(signatures.count > 300)
        let judgements = try suite.rows().map { row in
            let demanded: VectorSuite.Demand
            switch row["strict"] {
            case "accept", "policy:accept": demanded = .accept
            case "accept-or-reject": demanded = .either
            case "reject", "policy:reject", "reject-fast", "reject-if-NC-unsupported": demanded = .reject
            default: throw UnknownDemand(name: row["strict"])
            }
            var keys = KeyCache<TableKey>(SignatureTable(right: signatures))
            let refusal = try Self.refusal(of: row, &keys)
            #expect(keys.requirements.calls <= 16, "\(row)")
            return VectorSuite.Judgement(row["id"], demanded: demanded, refusal: refusal)
        }
        suite.judge(judgements)
    }

    private struct UnknownDemand: Error {
        let name: String
    }

    private static let serverAuthentication = ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 1)

    private static func refusal(of row: Row, _ keys: inout KeyCache<TableKey>) throws -> Refusal? {
        let encodings = { (column: String) in row[column].split(separator: ",").map { base64($0) } }
        let moment = row["validation_time"]
        let digits = moment.split { !$0.isNumber }.compactMap { Int($0) }
        let time = try #require(
            Timestamp(
                year: digits[0],
                month: digits[1],
                day: digits[2],
                hour: digits[3],
                minute: digits[4],
                second: digits[5],
                millisecond: moment.contains(".") ? digits[6] : 0
            )
        )
        let count = 1...(Int(row["max_depth"]).map { min($0, 8) + 2 } ?? 10)
        do throws(Refusal) {
            var anchors: [TrustAnchor] = []
            for encoding in encodings("roots_b64") { anchors.append(try TrustAnchor(certificate: encoding)) }
            let bag = try Bag(encodings: encodings("leaf_b64") + encodings("intermediates_b64"))
            let path = try bag.path(
                to: anchors,
                at: time,
                policy: .any(count, purpose: .permitted(serverAuthentication)),
                keys: &keys
            )
            let isCritical = path.indices.contains { bag.certificates[$0].unknownCriticalExtension != nil }
            #expect(!isCritical)
            return nil
        } catch {
            return error
        }
    }
}

/// The signatures that OpenSSL accepts, from `Vectors/limbo/signatures.tsv`, and a count of the questions.
///
/// Tests use one table on one thread.
private final class SignatureTable: @unchecked Sendable, Hashable {
    /// Names of the signed part, the signature, and the key.
    struct Signature: Hashable {
        let tbsCertificate: String
        let value: String
        let subjectPublicKeyInfo: String
    }

    /// All other signatures are wrong.
    let right: Set<Signature>
    var calls = 0

    init(right: Set<Signature>) { self.right = right }

    static func == (one: SignatureTable, other: SignatureTable) -> Bool { one === other }
    func hash(into hasher: inout Hasher) { hasher.combine(right.count) }
}

/// A key whose signatures are right if the table has them.
private struct TableKey: SignatureKey {
    /// Any algorithm. The digest under SHA-256 names the signed part in the table.
    struct Algorithm: SignatureAlgorithm {
        var hash: HashAlgorithm { .sha256 }
        init(ofCertificate identifier: AlgorithmIdentifier) {}
        init(ofSigner identifier: AlgorithmIdentifier, digest: HashAlgorithm) {}
    }

    let name: String
    let table: SignatureTable

    init(
        subjectPublicKeyInfo bytes: Span<UInt8>,
        in range: Range<Int>,
        requirements: SignatureTable
    ) {
        name = Self.name(HashAlgorithm.sha256.digest(of: bytes.extracting(range)))
        table = requirements
    }

    var checkWeight: Int { 1 }

    private static func name(_ digest: Digest) -> String { String(digest.description.prefix(32)) }

    static func checkEncoding(ofSubjectPublicKeyInfo bytes: Span<UInt8>, in range: Range<Int>) {}

    func verify(
        _ signature: Span<UInt8>,
        of digest: Digest,
        by algorithm: Algorithm,
        acceleration: Acceleration
    ) throws(Refusal) {
        table.calls += 1
        let asked = SignatureTable.Signature(
            tbsCertificate: Self.name(digest),
            value: Self.name(HashAlgorithm.sha256.digest(of: signature)),
            subjectPublicKeyInfo: name
        )
        guard table.right.contains(asked) else {
            throw Refusal(.signatureMismatch, at: 0, reading: "signature")
        }
    }
}

extension Row {
    fileprivate var signature: SignatureTable.Signature {
        SignatureTable.Signature(
            tbsCertificate: self["tbs_certificate"],
            value: self["signature"],
            subjectPublicKeyInfo: self["subject_public_key_info"]
        )
    }
}
