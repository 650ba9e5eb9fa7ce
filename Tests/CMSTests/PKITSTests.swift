import AppReceipt
import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import TestSupport
import Testing

/// NIST's Public Key Interoperability Test Suite, its S/MIME messages.
@Suite("PKITS messages", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct PKITSTests {
    @Test("every RSA signature is valid, and DSA signatures are unsupported")
    func signatures() throws {
        let suite = try VectorSuite("pkits-smime-signatures")
        var keys = KeyCache<SigningKey>(SigningKey.Requirements())
        let judgements = try suite.rows().map { row in
            let message = try Self.attached(row)
            var refusal: Refusal?
            do throws(Refusal) {
                try verify(message, &keys)
            } catch {
                refusal = error
            }
            let isRight = row["openssl_sigonly"] == "ok" && row["class"] != "na-dsa"
            return VectorSuite.Judgement(
                row["name"],
                demanded: isRight ? .accept : .reject,
                refusal: refusal
            )
        }
        suite.judge(judgements)
    }

    /// Compares the verdicts with the suite's. The validator does not process revocation, so a path with a
    /// revoked certificate is accepted. It does not process policies and name constraints, so a path with
    /// such a critical extension is refused.
    @Test("messages get the suite's verdicts, without revocation, policies and name constraints")
    func paths() throws {
        let suite = try VectorSuite("pkits-smime-paths")
        let roots = try SharedData.table("vectors/x509/pkits-certs.tsv")
        let root = try #require(roots.first { $0["name"] == "TrustAnchorRootCertificate" })
        let anchor = try TrustAnchor(certificate: base64(root["der_b64"]))
        var keys = KeyCache<SigningKey>(SigningKey.Requirements())
        let judgements = try suite.rows().map { row in
            let message = try Self.attached(row)
            let refusal = try Self.refusal(message, anchor, &keys)
            let demanded: VectorSuite.Demand
            switch row["class"] {
            case "core", "core-noCRL":
                demanded = try #require(VectorSuite.Demand(rawValue: row["path_expected(at"]))
            case "policies", "nameconstraints":
                let isCritical = try Self.hasUnknownCriticalExtension(message)
                if isCritical { #expect(refusal?.code == .unknownCriticalExtension, "\(row)") }
                demanded = isCritical ? .reject : .accept
            case "na-dsa": demanded = .reject
            case "na-crl": demanded = .accept
            default: throw UnknownClass(name: row["class"])
            }
            return VectorSuite.Judgement(row["name"], demanded: demanded, refusal: refusal)
        }
        suite.judge(judgements)
    }

    private struct UnknownClass: Error {
        let name: String
    }

    private static func hasUnknownCriticalExtension(_ message: [UInt8]) throws(Refusal) -> Bool {
        let signedData = try SignedData(message.span)
        return try SignedData.decodeCertificates(message.span, in: signedData.certificates)
            .contains { $0.unknownCriticalExtension != nil }
    }

    private static func refusal(
        _ message: [UInt8],
        _ anchor: TrustAnchor,
        _ keys: inout KeyCache<SigningKey>
    ) throws -> Refusal? {
        let time = try #require(Timestamp(year: 2011, month: 4, day: 15))
        do throws(Refusal) {
            let signedData = try SignedData(message.span)
            let certificates = try SignedData.decodeCertificates(message.span, in: signedData.certificates)
            let list = CertificateList(certificates, in: message.span)
            let signer = try signedData.view(in: message.span).signerIndex(among: list)
            _ = try CertificationPath.find(
                from: signer,
                among: list,
                at: time,
                to: [anchor],
                policy: PathPolicy(certificateCount: 1...10, purpose: .permitted(.anyExtendedKeyUsage)),
                keys: &keys
            )
            try verify(message, &keys)
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
