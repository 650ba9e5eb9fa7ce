import AppReceipt
import AppReceiptMint
import Basics
import DER
import Foundation
import TestSupport
import Testing
import VerifyReceipt

@Suite("Requests")
struct RequestTests {
    @Test(
        "a body that is not a JSON object gets 21000",
        arguments: [
            "", " ", "null", "[]", "\"receipt-data\"", "1", "{", "}", "{}{}", "{\"receipt-data\"}",
            "{\"receipt-data\":\"\",}", "{receipt-data:\"\"}", "{'receipt-data':''}", "receipt-data=MAA%3D",
            "{\"receipt-data\":\"\t\"}", "\u{FEFF}{}", "[{\"receipt-data\":\"\"}]", "{\"a\":1 \"b\":2}",
            "{\"a\":\"\\x\"}", "{\"a\":01}", "{} //",
        ]
    )
    func notAnObject(_ body: String) {
        let answer = Minted.production.answer(Array(body.utf8))
        #expect(answer.text == "{\"status\":21000}")
        #expect(answer.error?.code == .requestNotAnObject)
    }

    @Test("a line break in a string gets 21000 with its place, and is repaired on request")
    func lineBreaks() {
        let text = Data(Minted.receipt).base64EncodedString()
        for lineBreak in ["\n", "\r\n", "\r"] {
            let lines = stride(from: 0, to: text.count, by: 76)
                .map { String(text.dropFirst($0).prefix(76)) }.joined(separator: lineBreak)
            let body = Array("{\"receipt-data\":\"\(lines)\"}".utf8)
            let answer = Minted.production.answer(body)
            #expect(answer.text == "{\"status\":21000}" && answer.error?.code == .lineBreak)
            if case .request(let refusal)? = answer.error { #expect(refusal.offset == 17 + 76) }
            let repairing = ReceiptEndpoint(
                .production,
                ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: Minted.trust),
                base64: .repairing
            )
            #expect(repairing.answer(body) == Minted.production.answer(TestRequests.valid))
            // Other control characters, and JSON that is wrong elsewhere, are not repaired.
            for wrong in ["{\"receipt-data\":\"\(lines)\"", "{\"receipt-data\":\"\t\(lines)\"}"] {
                #expect(repairing.answer(Array(wrong.utf8)).error?.code == .requestNotAnObject)
            }
        }
    }

    @Test(
        "half of a surrogate pair in a password equals no secret (RFC 8259 §8.2)",
        arguments: ["\\ud800", "\\udfff", "a\\uD800b", "\\udc00\\ud800"]
    )
    func halfSurrogates(_ password: String) throws {
        let replaced = password.replacing(/\\u[dD][89a-fA-F][0-9a-f]{2}/, with: "\u{FFFD}")
        let endpoint = ReceiptEndpoint(
            .production,
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: Minted.trust),
            sharedSecrets: [[], Array(replaced.utf8), Array(password.utf8)]
        )
        let text = Data(Minted.receipt).base64EncodedString()
        func answer(_ password: String) -> Answer {
            endpoint.answer(Array("{\"receipt-data\":\"\(text)\",\"password\":\"\(password)\"}".utf8))
        }
        #expect(answer(password).status == .wrongPassword)
        #expect(answer(password).error?.code == .wrongPassword)
        #expect(answer(replaced).status == .valid && answer("").status == .valid)
        let data = endpoint.answer(Array("{\"receipt-data\":\"\(password)\"}".utf8))
        #expect(data.status == .invalidReceipt && data.error?.code == .receiptDataNotBase64)
    }

    @Test(
        "a body in ill-formed UTF-8 gets 21000, with the place",
        arguments: [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80]]
    )
    func encoding(_ bytes: [UInt8]) {
        let start = Array("{\"receipt-data\":\"".utf8)
        let answer = Minted.production.answer(start + bytes + Array("\"}".utf8))
        #expect(answer.text == "{\"status\":21000}")
        guard case .request(let refusal)? = answer.error else {
            Issue.record("\(answer)")
            return
        }
        #expect(refusal.offset == start.count)
    }

    @Test(
        "an object without a string receipt-data gets 21002",
        arguments: [
            "{}", "{\"receipt_data\":\"MAA=\"}", "{\"Receipt-Data\":\"MAA=\"}", "{\"receipt-data\":null}",
            "{\"receipt-data\":1}", "{\"receipt-data\":true}", "{\"receipt-data\":[\"MAA=\"]}",
            "{\"receipt-data\":{\"receipt-data\":\"MAA=\"}}", "{\"a\":{\"receipt-data\":\"MAA=\"}}",
        ]
    )
    func missing(_ body: String) {
        let answer = Minted.production.answer(Array(body.utf8))
        #expect(answer.text == "{\"status\":21002}")
        #expect(answer.error?.code == .missingReceiptData)
    }

    @Test("of a member that occurs twice, the last one counts, however its name is written")
    func duplicates() {
        let text = Data(Minted.receipt).base64EncodedString()
        func status(_ body: String) -> AnswerStatus { Minted.production.answer(Array(body.utf8)).status }
        #expect(status("{\"receipt-data\":\"foobar\",\"receipt-data\":\"\(text)\"}") == .valid)
        #expect(status("{\"receipt-data\":\"foobar\",\"receipt\\u002ddata\":\"\(text)\"}") == .valid)
        #expect(status("{\"receipt-data\":\"\(text)\",\"receipt-data\":\"foobar\"}") == .invalidReceipt)
        #expect(status("{\"receipt-data\":\"\(text)\",\"receipt-data\":null}") == .invalidReceipt)
        #expect(status("{\"receipt-data\":\"\(text)\",\"r\\u0065ceipt-data\":\"\"}") == .invalidReceipt)
    }

    @Test("unknown members and white space change nothing, nor does exclude-old-transactions")
    func others() {
        let text = Data(Minted.receipt).base64EncodedString()
        let expected = Minted.production.answer(TestRequests.valid)
        for body in [
            " \r\n\t{ \"receipt-data\" : \"\(text)\" } \n",
            "{\"exclude-old-transactions\":true,\"receipt-data\":\"\(text)\"}",
            "{\"exclude-old-transactions\":\"x\",\"receipt-data\":\"\(text)\",\"a\":[{},[null,1e9]],\"\":\"\"}",
        ] {
            #expect(Minted.production.answer(Array(body.utf8)) == expected)
        }
    }

    @Test("escapes in receipt-data are decoded, such as the escaped slashes of PHP")
    func escapes() {
        let text = Data(Minted.receipt).base64EncodedString()
        #expect(text.contains("/") && text.contains("+"))
        let slashes = text.replacingOccurrences(of: "/", with: "\\/")
        let all = text.unicodeScalars.map { "\\u00\(String($0.value, radix: 16))" }.joined()
        for form in [slashes, all] {
            #expect(Minted.production.answer(request(text: form)).status == .valid)
        }
        #expect(Minted.production.answer(request(text: slashes + "\\n")).status == .invalidReceipt)
    }

    @Test("a body of 3,145,728 bytes is read, and one byte more gets 21000")
    func limit() {
        let body = TestRequests.valid
        let padding = [UInt8](repeating: 0x20, count: 3_145_728 - body.count)
        #expect(Minted.production.answer(body + padding).status == .valid)
        #expect(Minted.production.answer(padding + body).status == .valid)
        let answer = Minted.production.answer(body + padding + [0x20])
        #expect(answer.text == "{\"status\":21000}" && answer.error?.code == .requestTooLarge)
    }

    @Test("a body may nest 64 values, also in a member that nothing reads")
    func depth() {
        func answer(_ arrays: Int) -> AnswerStatus {
            let nested = String(repeating: "[", count: arrays) + String(repeating: "]", count: arrays)
            return Minted.production.answer(Array("{\"other\":\(nested)}".utf8)).status
        }
        #expect(answer(63) == .invalidReceipt)
        #expect(answer(64) == .unreadableRequest)
    }

    @Test("hostile JSON is answered, and in time in proportion to its length")
    func hostile() {
        let deep = String(repeating: "[", count: 1_000_000)
        let objects = String(repeating: "{\"a\":", count: 500_000)
        let names = String(repeating: "\"receipt-data\":1,", count: 180_000)
        let escaped = String(repeating: "\\u0072", count: 500_000)
        for (body, expected) in [
            ("{\"a\":\(deep)", AnswerStatus.unreadableRequest), (objects, .unreadableRequest),
            ("{\(names)\"b\":2}", .invalidReceipt), ("{\"\(escaped)\":1}", .invalidReceipt),
            ("{\"receipt-data\":\"\(escaped)\"}", .invalidReceipt),
            ("{\"receipt-data\":\"\(String(repeating: "A", count: 3_000_000))\"}", .invalidReceipt),
            ("{\"receipt-data\":\"\(String(repeating: "MIA", count: 1_000_000))\"}", .invalidReceipt),
        ] {
            #expect(Minted.production.answer(Array(body.utf8)).status == expected)
        }
    }
}

@Suite("The base64 of receipt-data")
struct Base64Tests {
    private let text = Data(Minted.receipt).base64EncodedString()
    private let repairing = ReceiptEndpoint(
        .production,
        ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: Minted.trust),
        base64: .repairing
    )

    /// Forms that the strict endpoint refuses and the repairing one accepts.
    private var repairable: [String] {
        [
            text.replacingOccurrences(of: "+", with: " "), text.replacingOccurrences(of: "+", with: "-"),
            text.replacingOccurrences(of: "/", with: "_"), text.replacingOccurrences(of: "=", with: ""),
            "\(text)\\n", "\\r\\n\(text)", " \(text)", "\(text) ",
            "\(text.prefix(76))\\r\\n\(text.dropFirst(76))", "\(text.prefix(4))\\t\(text.dropFirst(4))",
        ]
    }

    /// Receipts whose base64 ends in no, one and two padding characters.
    private static let receipts: [[UInt8]] = (0..<3).map { count in
        Minted.mint.receipt(bundleIdentifier: "com.example." + String(repeating: "a", count: count))
    }

    @Test("each number of padding characters occurs in these tests")
    func paddings() {
        let counts = Self.receipts.map { Data($0).base64EncodedString().count { $0 == "=" } }
        #expect(Set(counts) == [0, 1, 2])
    }

    @Test("is accepted in canonical form", arguments: receipts)
    func canonical(_ receipt: [UInt8]) {
        #expect(Minted.production.answer(receipt: receipt).status == .valid)
        #expect(repairing.answer(receipt: receipt).status == .valid)
    }

    @Test("is refused by a strict endpoint in every form that Apple's endpoint refuses")
    func strict() throws {
        // The text needs padding, both special characters, and a byte for each fault.
        let padded = try #require(
            Self.receipts.first { Data($0).base64EncodedString().hasSuffix("=") }
        )
        let text = Data(padded).base64EncodedString()
        var forms = repairable.filter { $0 != self.text }
        forms += ["foobar", "=", "====", "A", "AA", "AAA", "data:;base64,\(text)"]
        forms += ["=", "==", "AAAA", "!", "\\u0000"].map { "\(text)\($0)" }
        forms += ["=", "!"].map { "\($0)\(text)" }
        forms += ["\(text.dropLast())A=", text.replacingOccurrences(of: "=", with: "")]
        // A padding character and a character of two octets in place of as many others.
        forms += ["\(text.prefix(8))=\(text.dropFirst(9))", "\(text.prefix(8))é\(text.dropFirst(10))"]
        for form in forms {
            let answer = Minted.production.answer(request(text: form))
            #expect(answer.text == "{\"status\":21002}", "\(form.prefix(20))…\(form.suffix(20))")
        }
    }

    @Test("is repaired by an endpoint that is asked to")
    func repaired() {
        let expected = Minted.production.answer(TestRequests.valid)
        for form in repairable { #expect(repairing.answer(request(text: form)) == expected) }
    }

    @Test("is repaired if it is an object that holds the receipt")
    func object() {
        func body(_ value: String) -> [UInt8] { Array("{\"receipt-data\":\(value)}".utf8) }
        let expected = Minted.production.answer(TestRequests.valid)
        for name in ["receipt", "latest_receipt", "Payload"] {
            let request = body("{\"\(name)\":\"\(text)\"}")
            #expect(repairing.answer(request) == expected, "\(name)")
            #expect(Minted.production.answer(request).error?.code == .missingReceiptData)
        }
        for value in [
            "{}", "{\"receipt\":1}", "{\"receipt\":{\"receipt\":\"\(text)\"}}", "[\"\(text)\"]", "1",
        ] {
            #expect(repairing.answer(body(value)).error?.code == .missingReceiptData, "\(value.prefix(20))")
        }
    }

    @Test(
        "is not repaired beyond repair",
        arguments: ["", " ", "foobar", "====", "M", "eyJhbGciOiJub25lIn0.e30.", "0"]
    )
    func beyondRepair(_ text: String) {
        let answer = repairing.answer(request(text: text))
        #expect(answer.text == "{\"status\":21002}" && answer.error != nil)
    }

    @Test("may have any unused bits in its last character", arguments: receipts)
    func unusedBits(_ receipt: [UInt8]) throws {
        var text = Array(Data(receipt).base64EncodedString().utf8)
        let padding = text.count { $0 == UInt8(ascii: "=") }
        guard padding > 0 else { return }
        // The last character has two or four unused bits, which are zero. Setting one leads to the next
        // character of the alphabet.
        let last = text.count - padding - 1
        text[last] += 1
        #expect(text[last] != UInt8(ascii: "["))
        let answer = Minted.production.answer(request(text: String(decoding: text, as: UTF8.self)))
        #expect(answer == Minted.production.answer(receipt: receipt))
        #expect(answer.status == .valid)
        // Repairing accepts what strict reading accepts.
        #expect(repairing.answer(request(text: String(decoding: text, as: UTF8.self))) == answer)
    }

    @Test("may hold bytes after the receipt, which are ignored", arguments: [1, 2, 3, 1000])
    func trailingBytes(_ count: Int) {
        let expected = Minted.production.answer(TestRequests.valid)
        for byte in [0x00, 0x30, 0xFF] as [UInt8] {
            let longer = Minted.receipt + [UInt8](repeating: byte, count: count)
            #expect(Minted.production.answer(receipt: longer) == expected)
            #expect(repairing.answer(receipt: longer) == expected)
        }
    }

    @Test("may not hold bytes before the receipt, nor a part of it")
    func otherBytes() {
        for receipt in [
            [0] + Minted.receipt, [0x30] + Minted.receipt, Array(Minted.receipt.dropLast()), [], [0x30],
            [0x30, 0x80], [0x30, 0x00], Array(Data(Minted.receipt).base64EncodedData()),
        ] {
            #expect(Minted.production.answer(receipt: receipt).text == "{\"status\":21002}")
        }
    }

    @Test("is decoded to the same bytes with and without the processor's instructions")
    func instructions() {
        let accelerated = ReceiptEndpoint(
            .production,
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: Minted.trust,
                acceleration: acceleration
            )
        )
        for form in [
            text, "A" + text.dropFirst(), String(text.dropLast(5)),
            text.replacingOccurrences(of: "+", with: "-"),
        ] {
            #expect(accelerated.answer(request(text: form)) == Minted.production.answer(request(text: form)))
        }
    }

    @Test("a fault in it is logged with its place in the body")
    func place() {
        var body = TestRequests.valid
        body[500] = UInt8(ascii: "-")
        guard case .request(let refusal)? = Minted.production.answer(body).error else {
            Issue.record("no fault of the request")
            return
        }
        #expect(refusal.code == .receiptDataNotBase64 && refusal.offset == 500)
    }
}
