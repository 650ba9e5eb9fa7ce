import Basics
import PKIX
import TestSupport
import Testing

/// Odd certificates that the tests of `cryptography` collected.
@Suite("Certificate zoo", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct CertificateZooTests {
    @Test("decodes each well-formed certificate that OpenSSL decodes, and refuses every other row")
    func rows() throws {
        let suite = try VectorSuite("cert-zoo")
        let judgements = try suite.rows().map { row in
            let encoding = base64(row["der_b64"])
            #expect(encoding.count == Int(row["len"]))
            var refusal: Refusal?
            do throws(Refusal) {
                _ = try TrustAnchor(certificate: encoding)
            } catch {
                refusal = error
            }
            let isSound = row["openssl_d2i_X509"] == "exact" && row["DER_wellformed"] == "1"
            return VectorSuite.Judgement(
                row["name"],
                demanded: isSound ? .accept : .reject,
                refusal: refusal
            )
        }
        suite.judge(judgements)
    }
}
