import Basics
import CMS
import DER
import PKIX
import RSA
import TestSupport
import Testing

/// The fuzzing corpora of OpenSSL and BoringSSL.
@Suite("Fuzzers' corpora", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct FuzzCorpusTests {
    /// The tables say whether an accepted input is well-formed. They say nothing about a refused input.
    @Test("every input accepted as DER, or normalised from BER, is well-formed, and no decoder traps")
    func rows() throws {
        let suite = try VectorSuite("fuzz-corpora")
        var accepted = (strict: 0, tolerant: 0, messages: 0, certificates: 0, keys: 0)
        let judgements = try suite.tables.flatMap { table in
            try SharedData.table("vectors/\(table)").map { row in
                let input = base64(row["data_b64"])
                #expect(input.count == Int(row["len"]))
                let isStrict = Self.isDER(input)
                let isTolerant = Self.isDER(afterNormalising: input)
                let isMessage = Self.isAccepted { () throws(Refusal) in _ = try Envelope(input.span) }
                let isCertificate = Self.isAccepted { () throws(Refusal) in
                    _ = try TrustAnchor(certificate: input)
                }
                let isKey = Self.isAccepted { () throws(Refusal) in
                    _ = try PublicKey(subjectPublicKeyInfo: input.span)
                }
                accepted.strict += isStrict ? 1 : 0
                accepted.tolerant += isTolerant ? 1 : 0
                accepted.messages += isMessage ? 1 : 0
                accepted.certificates += isCertificate ? 1 : 0
                accepted.keys += isKey ? 1 : 0
                let isRight =
                    (!(isStrict || isCertificate || isKey) || row["DER_wellformed"] == "1")
                    && (!(isTolerant || isMessage) || row["BER_wellformed"] == "1")
                let isAccepted = isStrict || isTolerant || isMessage || isCertificate || isKey
                return VectorSuite.Judgement(
                    "\(table.split(separator: "/").last?.dropLast(4) ?? "")/\(row["file"])",
                    demanded: isRight && isAccepted ? .accept : .reject,
                    decided: isAccepted ? .accept : .reject,
                    why: "accepted, and ill-formed"
                )
            }
        }
        suite.judge(judgements)
        // If nothing were accepted, the test would show nothing.
        #expect(accepted == (strict: 802, tolerant: 1556, messages: 0, certificates: 226, keys: 1))
    }

    private static func isAccepted(_ body: () throws(Refusal) -> Void) -> Bool {
        do throws(Refusal) {
            try body()
            return true
        } catch { return false }
    }

    private static func isDER(_ input: [UInt8]) -> Bool {
        isAccepted { () throws(Refusal) in
            var reader = Reader(input.span)
            try walk(&reader, depth: 0)
            try reader.finish("input")
        }
    }

    private static func isDER(afterNormalising input: [UInt8]) -> Bool {
        guard
            let normalised = try? Normaliser.normalise(
                input.span,
                limits: .standard,
                verbatim: { _, _, _ in false }
            )
        else { return isDER(input) }
        return isDER(normalised.bytes)
    }

    private static func walk(_ reader: inout Reader, depth: Int) throws(Refusal) {
        let element = try reader.readElement("element")
        guard element.tag.isConstructed else { return }
        guard depth < 256 else { throw Refusal(.tooDeep, at: element.start, reading: "element") }
        var inner = Reader(reader.bytes, in: element.contents)
        while !inner.isAtEnd { try walk(&inner, depth: depth + 1) }
    }
}
