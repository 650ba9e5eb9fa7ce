import AppReceipt
import Basics
import CMS
import DER
import PKIX
import TestSupport
import Testing

/// Messages that break one rule each, and controls.
@Suite("Messages with one flaw", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct OneFlawTests {
    @Test("each flaw is refused, and each message that the standard allows is accepted")
    func rows() throws {
        let suite = try VectorSuite("one-flaw-cms")
        let anchor = try TrustAnchor(certificate: SharedData.bytes("one-flaw/cms/root.der"))
        let time = try #require(Timestamp(year: 2024, month: 9, day: 20, hour: 12, minute: 0, second: 0))
        var keys = KeyCache<SigningKey>(SigningKey.Requirements())
        let judgements = try suite.rows().map { row in
            let message = try SharedData.bytes("one-flaw/cms/\(row["message"])")
            let detached = row["detached"]
            let content = detached.isEmpty ? nil : try SharedData.bytes("one-flaw/cms/\(detached)")
            var refusal: Refusal?
            do throws(Refusal) {
                let attached = if let content { try attach(content, to: message) } else { message }
                try Self.judge(attached, anchor, time, &keys)
            } catch {
                refusal = error
            }
            return VectorSuite.Judgement(
                row["name"],
                demanded: try #require(VectorSuite.Demand(expected: row["expected"])),
                refusal: refusal
            )
        }
        suite.judge(judgements)
    }

    private static func judge(
        _ message: [UInt8],
        _ anchor: TrustAnchor,
        _ time: Timestamp,
        _ keys: inout KeyCache<SigningKey>
    ) throws(Refusal) {
        let envelope = try Envelope(message.span)
        let bytes = envelope.der ?? message
        let signed = envelope.signedData.view(in: bytes.span)
        let certificates = try SignedData.decodeCertificates(bytes.span, in: signed.fields.certificates)
        let list = CertificateList(certificates, in: bytes.span)
        _ = try CertificationPath.find(
            from: try signed.signerIndex(among: list),
            among: list,
            at: time,
            to: [anchor],
            policy: PathPolicy(certificateCount: 1...10, purpose: .permitted(.anyExtendedKeyUsage)),
            keys: &keys
        )
        try verify(message, &keys)
    }
}
