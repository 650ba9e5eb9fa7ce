import AppReceipt
import Basics
import PKIX
import TestSupport
import Testing

/// Messages from the tests of asn1crypto, and the examples of RFC 4134.
@Suite("Found samples", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct FoundSamplesTests {
    @Test("signatures by RSA are decided as OpenSSL decided, and others are refused")
    func rows() throws {
        let suite = try VectorSuite("found-samples")
        // The keys of RFC 4134 have 1024 bits.
        var requirements = SigningKey.Requirements()
        requirements.minimumModulusBits = 1024
        var keys = KeyCache<SigningKey>(requirements)
        let judgements = try suite.rows().map { row in
            var refusal: Refusal?
            do throws(Refusal) {
                try verify(base64(row["der_b64"]), &keys)
            } catch {
                refusal = error
            }
            let isRSA = !row["sigalg"].hasSuffix("dsa")
            return VectorSuite.Judgement(
                row["name"],
                demanded: row["openssl_sigonly(3.0.19,-noverify)"] == "ok" && isRSA ? .accept : .reject,
                refusal: refusal
            )
        }
        suite.judge(judgements)
    }
}
