import CMS
import DER
import PKIX
import RSA
import TestSupport
import Testing

/// NIST's Public Key Interoperability Test Suite, its S/MIME messages.
@Suite("PKITS messages", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct PKITSTests {
    private static let exceptions = Exceptions([
        (
            "names are compared as bytes, not prepared: letter case, spaces and string types count (RFC 5280 §7.1)",
            [
                "ValidNameChainingWhitespaceTest3", "ValidNameChainingWhitespaceTest4",
                "ValidNameChainingCapitalizationTest5",
                "ValidRolloverfromPrintableStringtoUTF8StringTest10",
                "ValidUTF8StringCaseInsensitiveMatchTest11",
            ]
        )
    ])

    private static let signatureExceptions = Exceptions([
        (
            "all certificates of a message are decoded, and a signature has whole octets (RFC 8017 §8.2.2)",
            ["InvalidCASignatureTest2"]
        )
    ])

    @Test("every signature by RSA holds, and none by DSA is supported")
    func signatures() throws {
        var verifier = RSAVerifier()
        let verdicts = try SharedData.table("vectors/cms/pkits-smime.tsv").map { row in
            let message = try Self.attached(row)
            var refusal: Refusal?
            do throws(Refusal) {
                try verify(message, &verifier)
            } catch {
                refusal = error
            }
            let isRight = row["openssl_sigonly"] == "ok" && row["class"] != "na-dsa"
            return (
                row["name"], isRight ? Verdict.accept : .reject, refusal == nil ? Verdict.accept : .reject,
                refusal.map { "\($0)" } ?? "accepted"
            )
        }
        #expect(verdicts.count == 224)
        Self.signatureExceptions.judge(verdicts)
    }

    @Test("messages whose paths need neither revocation nor policies are decided as they say")
    func paths() throws {
        let roots = try SharedData.table("vectors/x509/pkits-certs.tsv")
        let root = try #require(roots.first { $0["name"] == "TrustAnchorRootCertificate" })
        let anchor = try TrustAnchor(certificate: base64(root["der_b64"]))
        var verifier = RSAVerifier()
        let verdicts = try SharedData.table("vectors/cms/pkits-smime.tsv")
            .filter { ["core", "core-noCRL"].contains($0["class"]) }
            .map { row in
                let refusal = try Self.refusal(Self.attached(row), anchor, &verifier)
                let expected = try #require(Verdict(rawValue: row["path_expected(at"]))
                return (
                    row["name"], expected, refusal == nil ? Verdict.accept : .reject,
                    refusal.map { "\($0)" } ?? "accepted"
                )
            }
        #expect(verdicts.count == 54)
        Self.exceptions.judge(verdicts)
    }

    private static func refusal(
        _ message: [UInt8],
        _ anchor: TrustAnchor,
        _ verifier: inout RSAVerifier
    ) throws -> Refusal? {
        let time = try #require(Timestamp(year: 2011, month: 4, day: 15))
        do throws(Refusal) {
            let signedData = try SignedData(message.span)
            let certificates = try SignedData.decodeCertificates(message.span, in: signedData.certificates)
            let signer = try signedData.signer.certificate(
                among: certificates,
                in: message.span,
                bytes: message.span
            )
            _ = try CertificationPath.find(
                from: signer,
                among: certificates,
                in: message.span,
                at: time,
                to: [anchor],
                policy: PathPolicy(certificateCount: 1...10, purpose: .permitted(.anyExtendedKeyUsage)),
                verifier: &verifier
            )
            try verify(message, &verifier)
            return nil
        } catch {
            return error
        }
    }

    private static func attached(_ row: Row) throws -> [UInt8] {
        try attach(base64(row["detached_content_b64"]), to: base64(row["signeddata_der_b64"]))
    }
}

/// A message with the content inside of it that was apart.
func attach(_ content: [UInt8], to message: [UInt8]) throws(Refusal) -> [UInt8] {
    var reader = Reader(message.span)
    var contentInfo = try reader.nested(.sequence, "ContentInfo")
    let type = try contentInfo.readElement("contentType").range
    var explicit = try contentInfo.nested(.constructed(0), "content")
    var signedData = try explicit.nested(.sequence, "SignedData")
    let start = signedData.offset
    _ = try signedData.readElement("version")
    _ = try signedData.readElement("digestAlgorithms")
    let encapsulated = try signedData.readElement("encapContentInfo")
    return CertificateBuilder.encode { writer in
        writer.nest(.sequence) { contentInfo in
            contentInfo.writeEncoded([UInt8](message[type]))
            contentInfo.nest(.constructed(0)) { explicit in
                explicit.nest(.sequence) { signedData in
                    signedData.writeEncoded([UInt8](message[start..<encapsulated.start]))
                    signedData.nest(.sequence) {
                        $0.writeEncoded([UInt8](message[encapsulated.contents]))
                        $0.nest(.constructed(0)) { $0.writeOctetString(content) }
                    }
                    signedData.writeEncoded([UInt8](message[encapsulated.range.upperBound...]))
                }
            }
        }
    }
}
