import CMS
import DER
import PKIX
import TestSupport
import Testing

/// Messages from the tests of asn1crypto, and the examples of RFC 4134.
@Suite("Found samples", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct FoundSamplesTests {
    private static let exceptions = Exceptions([])

    @Test("signatures by RSA are decided as OpenSSL decided, and others are refused")
    func rows() throws {
        let rows = try SharedData.table("vectors/cms/found-samples.tsv")
        #expect(rows.count == 15)
        // The keys of RFC 4134 have 1024 bits.
        var verifier = RSAVerifier(minimumModulusBits: 1024)
        let verdicts = rows.map { row in
            var refusal: Refusal?
            do throws(Refusal) {
                try verify(base64(row["der_b64"]), &verifier)
            } catch {
                refusal = error
            }
            let isRSA = !row["sigalg"].hasSuffix("dsa")
            let expected: Verdict =
                row["openssl_sigonly(3.0.19,-noverify)"] == "ok" && isRSA ? .accept : .reject
            return (
                row["name"], expected, refusal == nil ? Verdict.accept : .reject,
                refusal.map { "\($0)" } ?? "accepted"
            )
        }
        Self.exceptions.judge(verdicts)
    }
}
