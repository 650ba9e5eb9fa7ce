import AppReceipt
import Basics
import DER
import PKIX
import TestSupport
import Testing

/// Certification paths that break one rule each, and controls.
@Suite("Paths with one flaw", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct OneFlawTests {
    /// `id-kp-serverAuth` (RFC 5280 §4.2.1.12).
    private static let serverAuthentication = ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 1)

    @Test("each flaw is refused, and each path that the standard allows is accepted")
    func rows() throws {
        let suite = try VectorSuite("one-flaw-x509")
        let time = try #require(Timestamp(year: 2024, month: 9, day: 27, hour: 12, minute: 0, second: 0))
        var keys = KeyCache<SigningKey>()
        let judgements = try suite.rows().map { row in
            #expect(row["time"] == time.description)
            let path = try row["path"].split(separator: ",").map {
                try SharedData.bytes("one-flaw/x509/\($0)")
            }
            let anchor = try TrustAnchor(certificate: SharedData.bytes("one-flaw/x509/\(row["anchor"])"))
            var refusal: Refusal?
            do throws(Refusal) {
                _ = try Bag(encodings: path).path(
                    to: [anchor],
                    at: time,
                    policy: .any(purpose: .permitted(Self.serverAuthentication)),
                    keys: &keys
                )
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
}
