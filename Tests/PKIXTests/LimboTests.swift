import DER
import PKIX
import RSA
import SHA
import TestSupport
import Testing

/// Trail of Bits' x509-limbo, on keys of P-256. Its signatures are judged by a table.
@Suite("x509-limbo", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct LimboTests {
    @Test("each row is decided as it says, with few questions, or for a reason in another way")
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
            var verifier = TableVerifier(right: signatures)
            let refusal = try Self.refusal(of: row, &verifier)
            #expect(verifier.calls <= 16, "\(row)")
            return VectorSuite.Judgement(row["id"], demanded: demanded, refusal: refusal)
        }
        suite.judge(judgements)
    }

    private struct UnknownDemand: Error {
        let name: String
    }

    private static let serverAuthentication = ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 1)

    private static func refusal(of row: Row, _ verifier: inout TableVerifier) throws -> Refusal? {
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
                verifier: &verifier
            )
            let isCritical = path.indices.contains { bag.certificates[$0].unknownCriticalExtension != nil }
            #expect(!isCritical)
            return nil
        } catch {
            return error
        }
    }
}

/// Says of a signature what `openssl` says in `Vectors/limbo/signatures.tsv`, and counts the questions.
private struct TableVerifier: SignatureVerifier {
    /// What is signed, by whom and how.
    struct Signature: Hashable {
        let tbsCertificate: String
        let value: String
        let subjectPublicKeyInfo: String
    }

    /// All others are wrong.
    let right: Set<Signature>
    var calls = 0

    /// Of what is signed, and what names it in the table.
    func hashAlgorithm(of signatureAlgorithm: AlgorithmIdentifier) throws(Refusal) -> HashAlgorithm {
        .sha256
    }

    mutating func verify(
        _ signature: Range<Int>,
        in bytes: Span<UInt8>,
        of digest: Digest,
        by subjectPublicKeyInfo: Range<Int>,
        in keyBytes: Span<UInt8>
    ) throws(Refusal) {
        calls += 1
        let name = { (digest: Digest) in String(digest.description.prefix(32)) }
        let asked = Signature(
            tbsCertificate: name(digest),
            value: name(HashAlgorithm.sha256.digest(of: bytes.extracting(signature))),
            subjectPublicKeyInfo: name(
                HashAlgorithm.sha256.digest(of: keyBytes.extracting(subjectPublicKeyInfo))
            )
        )
        guard right.contains(asked) else {
            throw Refusal(.signatureMismatch, at: signature.lowerBound, reading: "signature")
        }
    }
}

extension Row {
    fileprivate var signature: TableVerifier.Signature {
        TableVerifier.Signature(
            tbsCertificate: self["tbs_certificate"],
            value: self["signature"],
            subjectPublicKeyInfo: self["subject_public_key_info"]
        )
    }
}
