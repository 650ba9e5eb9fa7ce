import AppReceipt
import Basics
import ReceiptCorpus
import ReceiptResults
import SignedPayloads
import Testing

@Suite("The token of a record")
struct TokenFieldTests {
    private static func contents(
        _ text: String,
        _ format: CorpusFormat,
        _ kind: SignedPayloadKind = .notification,
        _ change: (inout RecordFields) -> Void = { _ in }
    ) throws -> RecordContents {
        let bytes = [UInt8](text.replacing("`", with: "\"").utf8)
        var fields = RecordFields(for: kind)
        change(&fields)
        if format.hasColumns { #expect(fields.resolve(in: nil) == nil) }
        let origin = RecordOrigin(source: "", layout: RecordLayout(format), fields: fields)
        let decoder = try RecordDecoder(bytes, in: bytes.indices, origin)
        let policy = SignedPayloadPolicy(environments: .any, bundleIdentifier: .any)
        return try decoder.token(in: bytes.indices, fields, kind, policy)
    }

    /// Takes the record apart: the token, and the bytes beside it.
    private static func parts(_ text: String, _ contents: RecordContents) -> [String] {
        let bytes = [UInt8](text.replacing("`", with: "\"").utf8)
        return [contents.container, contents.rest.flatMap { bytes[$0] }].map {
            String(decoding: $0, as: UTF8.self).replacing("\"", with: "`")
        }
    }

    @Test(
        "is found in every format, and the bytes beside it are the rest of the record",
        arguments: [
            (CorpusFormat.base64, "a.b.c", ["a.b.c", ""]), (.base64, " a.b.c \r", ["a.b.c", ""]),
            (.base64, "{`signedPayload`:`a.b.c`}", ["a.b.c", ""]),
            (.file, "\u{FEFF}\na.b.c\n", ["a.b.c", ""]),
            (.file, "{\n`signedPayload`:\r\n`a.b.c`}\n", ["a.b.c", ""]),
            (.lengthPrefixed, "a.b", ["a.b", ""]),
            (.hex, "61 2E62", ["a.b", ""]), (.base64, "\\x612e62", ["a.b", ""]),
            (.base64, "0X612e62", ["a.b", ""]),
            (.csv, "`a.b`,x", ["a.b", ",x"]), (.csv, "`{``signedPayload``:``a.b``}`,x", ["a.b", ",x"]),
            (.tsv, "a.b\tx", ["a.b", "\tx"]), (.pgcopy, "\\\\x612e62\tx", ["a.b", "\tx"]),
            (.ndjson, "{`x`:1,`signedPayload`:`a.b`}", ["a.b", "{`x`:1,`signedPayload`:}"]),
            (.ndjson, "{`signedPayload`:null,`jws`:`a.b`}", ["a.b", "{`signedPayload`:null,`jws`:}"]),
            (
                .ndjson, "{`token`:{`signedPayload`:`a.b`}}", ["a.b", "{`token`:{`signedPayload`:`a.b`}}"]
            ),
            (.ndjson, "{`token`:`a.b`,`signedPayload`:`c.d`}", ["c.d", "{`token`:`a.b`,`signedPayload`:}"]),
            // An object without a token is identified by all its bytes.
            (.ndjson, "{`token`:{`receipt`:`a.b`}}", ["", "{`token`:{`receipt`:`a.b`}}"]),
            (.base64, "{`receipt`:`a.b`}", ["", "{`receipt`:`a.b`}"]),
            (.base64, "{`signedPayload`", ["", "{`signedPayload`"]),
        ] as [(CorpusFormat, String, [String])]
    )
    func found(_ format: CorpusFormat, _ text: String, _ parts: [String]) throws {
        #expect(try Self.parts(text, Self.contents(text, format)) == parts)
    }

    @Test(
        "is refused by name if it is missing, empty or not what the format says",
        arguments: [
            (CorpusFormat.base64, " ", "input.empty"), (.file, "\n", "input.empty"),
            (.hex, "", "input.empty"),
            (.hex, "6", "record.not-hexadecimal"), (.hex, "6g", "record.not-hexadecimal"),
            (.base64, "0x6", "record.not-hexadecimal"), (.base64, "\\x6g", "record.not-hexadecimal"),
            (.base64, "0x", "input.empty"), (.base64, "a.b.c\ra.b.c", "record.carriage-return"),
            (.csv, "", "input.empty"), (.csv, ",a.b", "input.empty"),
            (.pgcopy, "\\N\ta.b", "record.missing-field"),
            (.ndjson, "{}", "record.missing-field"),
            (.ndjson, "{`signedPayload`:null}", "record.missing-field"),
            (.ndjson, "{`signedPayload`:[`a.b`]}", "record.missing-field"),
            (.ndjson, "{`signedPayload`:`~ud800`}", "record.missing-field"),
            (.ndjson, "{`signedTransactionInfo`:`a.b`}", "record.missing-field"),
            (.ndjson, "{`receipt`:`a.b`}", "record.missing-field"), (.ndjson, "{`token`:``}", "input.empty"),
            (.ndjson, "{`token`:`a.b`", "record.not-json"), (.ndjson, "[]", "record.missing-field"),
        ] as [(CorpusFormat, String, String)]
    )
    func refused(_ format: CorpusFormat, _ text: String, _ code: String) {
        let text = text.replacing("~", with: "\\")
        do {
            let contents = try Self.contents(text, format)
            Issue.record("\(contents.container)")
        } catch let refusal as Refusal {
            #expect("\(refusal.code.name)" == code)
        } catch {
            Issue.record(error)
        }
    }

    @Test("the kind selects the member of an object with several tokens")
    func kinds() throws {
        let text =
            "{`signedTransactionInfo`:`a`,`signedRenewalInfo`:`b`,`signedAppTransactionInfo`:`c`,`token`:`d`}"
        for (kind, token) in [
            (SignedPayloadKind.transaction, "a"), (.renewalInfo, "b"), (.appTransaction, "c"),
            (.notification, "d"), (.realtimeRequest, "d"),
        ] { #expect(try Self.parts(text, Self.contents(text, .ndjson, kind))[0] == token) }
    }

    @Test("a named field has the token, and other fields the expected app and environment")
    func fields() throws {
        func contents(_ environment: String, _ app: String) throws -> RecordContents {
            let text = "{`a`:{`b`:`x.y`},`token`:`z`,`environment`:`\(environment)`,`app`:\(app)}"
            return try Self.contents(text, .ndjson) { fields in
                fields.receipt = FieldName("a.b")
                fields.environment = FieldName("environment")
                fields.bundleIdentifier = FieldName("app")
            }
        }
        let found = try contents("Sandbox", "`com.example`")
        #expect(found.container == [UInt8]("x.y".utf8))
        guard case .token(let policy)? = found.policy else {
            Issue.record("a token's record has no policy for tokens")
            return
        }
        #expect(policy.environments == .only(.sandbox))
        #expect(policy.bundleIdentifier == .exactly("com.example"))
        for (environment, app) in [
            ("ProductionSandbox", "`com.example`"), ("", "`com.example`"), ("Sandbox", "null"),
            ("Sandbox", "``"),
        ] { #expect(throws: Refusal.self) { try contents(environment, app) } }
    }
}
