import DER
import PKIX
import TestSupport
import Testing

/// Odd certificates that the tests of `cryptography` collected.
@Suite("Certificate zoo", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct CertificateZooTests {
    /// What OpenSSL reads, and this does not, or the reverse.
    private static let exceptions = Exceptions([
        (
            "the algorithms inside and outside are the same (RFC 5280 §4.1.1.2)",
            [
                "v1_cert.pem", "mismatch_inner_outer_sig_algorithm.der", "rsa_pss_cert_invalid_mgf.der",
                "rsa_pss_cert_no_sig_params.der", "rsa_pss_cert_unsupported_mgf_hash.der",
            ]
        ),
        ("times have one form (X.690 §11.7, RFC 5280 §4.1.2.5.1)", ["badasn1time.pem"]),
        ("there are three versions (RFC 5280 §4.1.2.1)", ["invalid_version.pem"]),
        ("the issuer has a name (RFC 5280 §4.1.2.4)", ["malformed-ian.pem", "malformed-san.pem"]),
        ("a path length goes with cA (RFC 5280 §4.2.1.9)", ["wosign-bc-invalid.pem"]),
        ("there is at least one purpose (RFC 5280 §4.2.1.12)", ["empty-eku.pem"]),
        ("an extension appears once (RFC 5280 §4.2)", ["two_basic_constraints.pem"]),
        ("named bits have no zeros at the end (X.690 §11.2.2)", ["alternate-rsa-sha1-oid.der"]),
        (
            "the value of a name's attribute is ANY, compared as bytes and never looked into (RFC 5280 §4.1.2.4)",
            [
                "invalid_utf8_common_name.pem", "long-form-name-attribute.pem",
                "name_attribute_unsupported_tag.pem",
            ]
        ),
    ])

    @Test("what is well-formed is decoded, and what is not is refused")
    func rows() throws {
        var verdicts: [(String, Verdict, Verdict, String)] = []
        for row in try SharedData.table("vectors/x509/cert-zoo.tsv") {
            let encoding = base64(row["der_b64"])
            #expect(encoding.count == Int(row["len"]))
            var refusal: Refusal?
            do throws(Refusal) {
                _ = try TrustAnchor(certificate: encoding)
            } catch {
                refusal = error
            }
            let expected: Verdict = row["openssl_d2i_X509"] == "exact" ? .accept : .reject
            verdicts.append(
                (
                    row["name"], expected, refusal == nil ? .accept : .reject,
                    refusal.map { "\($0)" } ?? "accepted"
                )
            )
        }
        Self.exceptions.judge(verdicts)
    }
}
