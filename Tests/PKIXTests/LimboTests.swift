import DER
import PKIX
import RSA
import SHA
import TestSupport
import Testing

/// Trail of Bits' x509-limbo, on keys of P-256. Its signatures are judged by a table.
@Suite("x509-limbo", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct LimboTests {
    private static let exceptions = Exceptions([
        (
            "name constraints are not processed: critical ones refuse the path (RFC 5280 §4.2)",
            [
                "rfc5280::nc::permitted-dns-match", "rfc5280::nc::permitted-dns-match-more",
                "rfc5280::nc::permitted-ipv4-match", "rfc5280::nc::permitted-ipv6-match",
                "rfc5280::nc::permitted-dn-match", "rfc5280::nc::permitted-self-issued",
                "rfc5280::nc::permitted-different-constraint-type",
                "rfc5280::nc::excluded-different-constraint-type",
                "rfc5280::nc::nc-forbids-alternate-chain-ica",
            ]
        ),
        (
            "subject alternative names are not processed: critical ones refuse the path (RFC 5280 §4.2)",
            ["cve::cve-2024-0567"]
        ),
        (
            "the signer's key usage includes digitalSignature (RFC 5280 §4.2.1.3); these only sign certificates",
            ["pathlen::validation-ignores-pathlen-in-leaf", "rfc5280::ca-as-leaf"]
        ),
        (
            "the policy counts all certificates, self-issued ones too",
            ["pathlen::max-chain-depth-1-self-issued"]
        ),
        (
            "key identifiers help to find a path and are not required of one (RFC 5280 §6.1.3)",
            [
                "rfc5280::aki::critical-aki", "rfc5280::aki::leaf-missing-aki",
                "rfc5280::aki::intermediate-missing-aki", "rfc5280::aki::cross-signed-root-missing-aki",
                "rfc5280::ski::root-missing-ski", "rfc5280::ski::intermediate-missing-ski",
                "webpki::aki::root-with-aki-missing-keyidentifier", "webpki::aki::root-with-aki-all-fields",
                "webpki::aki::root-with-aki-ski-mismatch",
            ]
        ),
        (
            "what binds those who issue, and validation does not ask (RFC 5280 §4.1.2.1, §4.1.2.2, §4.2.1.9, §6.1)",
            [
                "rfc5280::serial::zero", "rfc5280::root-non-critical-basic-constraints",
                "rfc5280::leaf-ku-keycertsign", "webpki::ee-basicconstraints-ca", "webpki::v1-cert",
            ]
        ),
        (
            "extensions that are not critical and not known are passed over (RFC 5280 §4.2)",
            ["rfc5280::pc::ica-noncritical-pc", "webpki::malformed-aia"]
        ),
        (
            "a rule of the CA/Browser Forum's on purposes that RFC 5280 §4.2.1.12 does not have",
            [
                "webpki::eku::ee-anyeku", "webpki::eku::ee-critical-eku", "webpki::eku::ee-without-eku",
                "webpki::eku::root-has-eku",
            ]
        ),
        (
            "key sizes are the verifier's matter, and the table's verifier has no opinion",
            [
                "webpki::forbidden-weak-rsa-key-in-root", "webpki::forbidden-weak-rsa-in-leaf",
                "webpki::forbidden-rsa-not-divisible-by-8-in-root",
                "webpki::forbidden-rsa-key-not-divisible-by-8-in-leaf",
            ]
        ),
    ])

    @Test("each row is decided as it says, or for a reason in another way")
    func rows() throws {
        var verdicts: [(String, Verdict, Verdict, String)] = []
        for row in try SharedData.table("vectors/x509/limbo-ec.tsv") {
            let refusal = try Self.refusal(of: row)
            let verdict: Verdict = refusal == nil ? .accept : .reject
            let expected: Verdict
            switch row["strict"] {
            case "accept", "policy:accept": expected = .accept
            case "accept-or-reject": continue
            default: expected = .reject
            }
            verdicts.append((row["id"], expected, verdict, refusal.map { "\($0)" } ?? "accepted"))
        }
        Self.exceptions.judge(verdicts)
    }

    private static let serverAuthentication = ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 1)

    private static func refusal(of row: Row) throws -> Refusal? {
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
        var verifier = TableVerifier()
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

/// Says of a signature what OpenSSL's ECDSA said: right, but for these of those whose names chain.
private struct TableVerifier: SignatureVerifier {
    /// The first octets of the SHA-256 of what is signed, and of the key that did not.
    static let wrong: Set<[UInt32]> = [
        // invalid-issuer-key
        [0x9657c41f, 0xc8cf3c39], [0x7a332ef7, 0x1fe9702d],
        // self-issued-certs-pathlen, max-chain-depth-1-self-issued
        [0xd73a2b97, 0x72a6129d], [0x0c5fca2a, 0x08ff6f35],
        // intermediate-cycle-same-logical-ca
        [0x3a8d55aa, 0x2aad9600],
        // permitted-self-issued
        [0x7d3d565a, 0xc79e58fb], [0x75d96cd1, 0xe437374a],
        // nc-forbids-alternate-chain-ica
        [0xeed488ee, 0xb1633fd7],
        // nc-forbids-same-chain-ica
        [0x235dfe81, 0x547d3e24], [0x534e0a73, 0x52f873b7], [0x8c01eba7, 0x547d3e24],
        [0x3009d228, 0x52f873b7],
        // mismatching-signature-algorithm
        [0x701c8b9f, 0x8d02536c],
    ]

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
        let key = HashAlgorithm.sha256.digest(of: keyBytes.extracting(subjectPublicKeyInfo))
        let pair = [digest, key].map { digest in (0..<4).reduce(0) { $0 << 8 | UInt32(digest[$1]) } }
        guard !Self.wrong.contains(pair) else {
            throw Refusal(.signatureMismatch, at: signature.lowerBound, reading: "signature")
        }
    }
}
