import AppReceipt
import AppReceiptMint
import Basics
import Foundation
import Testing

/// A container as it may arrive, and a text that is none.
private enum Form {
    /// Bytes whose base64 has every character that differs between the alphabets, and padding.
    static let container: [UInt8] =
        [0x30, 0x82, 0x01, 0x00] + (0...255).map { UInt8(truncatingIfNeeded: $0 * 31 + 7) }
    static let list = [UInt8]("{\n\t\"signature\" = \"Asn?>\";\n\t\"purchase-info\" = \"ewo~\";\n}\n".utf8)
    /// A container with an indefinite length, as Xcode writes (X.690 §8.1.3.6).
    static let ber: [UInt8] = [0x30, 0x80, 0x04, 40] + [UInt8](repeating: 0xFB, count: 40) + [0, 0]

    static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    static func lines(_ text: String, _ count: Int, _ end: String) -> String {
        stride(from: 0, to: text.count, by: count).map { text.dropFirst($0).prefix(count) + end }.joined()
    }
    static func percent(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
    static func json(_ text: String) -> String {
        let data = try? JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
    static func object(_ name: String, _ text: String) -> String {
        "{\"Store\":\"AppleAppStore\",\"\(name)\" : \(json(text))}"
    }
    static func utf16(_ text: String, isLittle: Bool) -> [UInt8] {
        ([0xFEFF] + text.utf16).flatMap { unit in
            isLittle ? [UInt8(unit & 0xFF), UInt8(unit >> 8)] : [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        }
    }
}

@Suite("The forms of text in which receipts are sent")
struct InputFormsTests {
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Every accepted form of a container.
    private static let forms: [(name: String, form: @Sendable ([UInt8]) -> [UInt8])] = [
        ("the container", { $0 }),
        ("the container after a byte order mark", { mark + $0 }),
        text("base64") { Form.base64($0) },
        text("percent-encoded") { Form.percent(Form.base64($0)) },
        text("percent-encoded but for plus signs") { Form.base64($0).replacing("=", with: "%3d") },
        text("in quotation marks") { "\"\(Form.base64($0))\"\n" },
        text("in apostrophes") { "'\(Form.base64($0))'" },
        text("Python's bytes") { "b'\(Form.base64($0))'" },
        text("Python's bytes with line feeds") { "b'\(Form.lines(Form.base64($0), 76, "\\n"))'" },
        text("with escaped slashes") { Form.base64($0).replacing("/", with: "\\/") },
        text("with escaped characters") {
            Form.base64($0).replacing("/", with: "\\u002F").replacing("+", with: "\\u002b")
        },
        text("with line ends as two characters") { Form.lines(Form.base64($0), 64, "\\r\\n") },
        ("in UTF-16, little-endian", { Form.utf16(Form.base64($0), isLittle: true) }),
        ("in UTF-16, big-endian", { Form.utf16(Form.base64($0) + "\r\n", isLittle: false) }),
        text("a data URI") { "data:application/octet-stream;base64,\(Form.base64($0))" },
        text("a data URI in upper case") { "DATA:;base64,\(Form.base64($0))" },
        text("hexadecimal") { Form.hexadecimal($0) },
        text("hexadecimal in upper case") { " \(Form.hexadecimal($0).uppercased())\n" },
        text("hexadecimal after 0x") { "0x\(Form.hexadecimal($0).uppercased())" },
        text("hexadecimal after 0X") { "0X\(Form.hexadecimal($0))" },
        text("hexadecimal after 0x and a line feed") { "0x\n\(Form.hexadecimal($0))" },
        text("hexadecimal after 0X and white space") { "0X \r\n\t\(Form.hexadecimal($0))" },
        text("hexadecimal after 0x and a tab") { "0x\t\(Form.hexadecimal($0))" },
        text("hexadecimal after 0x and a carriage return") { "0x\r\(Form.hexadecimal($0))" },
        text("bytea") { "\\x\(Form.hexadecimal($0))" },
        text("bytea with an escaped backslash") { "\\\\x\(Form.hexadecimal($0))" },
        text("bytea of base64") { "\\x\(Form.hexadecimal([UInt8](Form.base64($0).utf8)))" },
        text("bytea in quotation marks") { "\"\\x\(Form.hexadecimal($0))\"" },
        text("the description of NSData") { "<\(Form.lines(Form.hexadecimal($0), 8, " "))>" },
        text("PEM") {
            "-----BEGIN PKCS7-----\n\(Form.lines(Form.base64($0), 64, "\n"))-----END PKCS7-----\n"
        },
        text("PEM of any label after a comment") {
            "A receipt - of 2024:\r\n-----BEGIN X Y-----\t\r\n\(Form.base64($0))\r\n-----END Z-----"
        },
        text("an XML property list") {
            "<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><data>\n\(Form.lines(Form.base64($0), 68, "\n"))</data></plist>"
        },
        text("a request") { "{\"password\":\"\",\"receipt-data\":\(Form.json(Form.base64($0)))}" },
        text("a stored answer") { "{\"receipt\":{\"a\":[1]},\"latest_receipt\":\"\(Form.base64($0))\"}" },
        text("an answer in a column of its own") {
            "{\"id\":1,\"receipt\":{\"status\":0,\"latest_receipt\":\"\(Form.base64($0))\"}}"
        },
        text("Unity's wrapper") { Form.object("Payload", Form.base64($0)) },
        text("Unity's wrapper as a JSON string") { Form.json(Form.object("Payload", Form.base64($0))) },
        text("Unity's wrapper as a string in an object") {
            Form.object("receipt", Form.object("Payload", Form.base64($0)))
        },
        text("Unity's wrapper after a space as a string in an object") {
            Form.object("receipt", " \(Form.object("Payload", Form.base64($0)))")
        },
        text("React Native's purchase") {
            "{\"transactionId\":\"1\",\"transactionReceipt\":\"\(Form.base64($0))\"}"
        },
        text("a request whose member occurs twice") {
            "{\"receipt-data\":\"x\",\"receipt-data\":\"\(Form.base64($0))\"}"
        },
        (
            "five forms within each other",
            { Form.utf16(Form.percent(Form.json(Form.object("Payload", Form.base64($0)))), isLittle: true) }
        ),
    ]

    private static func text(
        _ name: String,
        _ form: @escaping @Sendable ([UInt8]) -> String
    ) -> (name: String, form: @Sendable ([UInt8]) -> [UInt8]) {
        (name, { [UInt8](form($0).utf8) })
    }

    @Test("give the same container, of either kind of receipt", arguments: forms.indices)
    func accepted(_ index: Int) throws {
        let (name, form) = Self.forms[index]
        for container in [Form.container, Form.ber, Form.list] {
            let input = form(container)
            #expect(try ReceiptInput.container(input[...]) == container, "\(name)")
            // A part of a buffer whose indices do not begin at zero.
            let buffer = [0x30, 0x30] + input + [0x41]
            #expect(try ReceiptInput.container(buffer[2..<(2 + input.count)]) == container, "\(name)")
        }
        #expect(try ReceiptInput.decode(form(Form.container)) == Form.container)
        let error = try #require(throws: ReceiptError.self) { try ReceiptInput.decode(form(Form.list)) }
        #expect(error.code == .transactionReceipt, "\(name)")
    }

    private static let base64 = Form.base64(Form.container)
    private static let digits = Form.hexadecimal(Form.container)
    private static let block = "-----BEGIN PKCS7-----\n\(base64)\n"

    @Test(
        "are refused by name if there is no receipt in them",
        arguments: [
            ("undefined", .placeholderGiven), ("null", .placeholderGiven), (" NULL\n", .placeholderGiven),
            ("nil", .placeholderGiven), ("\"null\"", .placeholderGiven), ("None", .placeholderGiven),
            ("(null)", .placeholderGiven), ("<null>", .placeholderGiven),
            ("[object Object]", .placeholderGiven), ("%5Bobject Object%5D", .placeholderGiven),
            ("{\"receipt-data\":\"undefined\"}", .placeholderGiven), ("undefined1", .notBase64),
            (Form.base64([UInt8]("0x\(digits)".utf8)), .base64Twice),
            (Form.base64([UInt8](base64.utf8)), .base64Twice),
            (Form.base64([UInt8]("{\"receipt-data\":\"\(base64)\"}".utf8)), .base64Twice), ("", .emptyInput),
            ("\"\"", .emptyInput), ("{\"receipt-data\":\"\"}", .emptyInput),
            ("data:,", .emptyInput), ("0x", .emptyInput), ("b''", .emptyInput),
            ("-----BEGIN X-----\n-----END X-----", .emptyInput),
            ("{length = 5423, bytes = 0x30821536 ... 8a1f }", .dataDescription),
            ("{length=3,bytes=0x308215}", .dataDescription), ("5423 bytes", .dataDescription),
            (" bytes", .notBase64), ("{\"transactionId\":\"1\"}", .storeKitJSON),
            ("{\"originalTransactionId\":1,\"transactionReceipt\":\"{}\"}", .storeKitJSON),
            ("{\"receipt\":\"{}\"}", .noReceiptInJSON), ("{}", .noReceiptInJSON),
            ("{\"receipt-data\":1}", .noReceiptInJSON), ("{\"receipt-data\":null}", .noReceiptInJSON),
            ("{\"signedPayload\":\"eyJ\"}", .jsonWebSignature),
            ("{\"receipt-data\":\"eyJhbGciOiJFUzI1NiJ9.e30.AAAA\"}", .jsonWebSignature),
            ("{", .notBase64), ("{\"receipt-data\":\"\(base64)", .notBase64), ("[\"\(base64)\"]", .notBase64),
            ("{\"signature", .notBase64), ("{signature = 1;}", .notBase64),
        ] as [(String, Refusal.Code)]
    )
    func named(_ text: String, _ code: Refusal.Code) throws {
        #expect(Self.code([UInt8](text.utf8)) == code, "\(text)")
        // JSON in base64 has the same name.
        if code == .storeKitJSON || text.contains("signedPayload") {
            #expect(Self.code([UInt8](Form.base64([UInt8](text.utf8)).utf8)) == code, "\(text)")
        }
    }

    @Test(
        "are unreadable if they are cut off or malformed, and never invalid",
        arguments: [
            (String(digits.dropLast()), .hexadecimalCutOff),
            (String(digits.dropLast(2)), .hexadecimalCutOff),
            ("0x\(digits.dropLast(2))", .hexadecimalCutOff), ("0x\(digits.dropLast())", .hexadecimalCutOff),
            ("\\x\(digits.prefix(10))", .hexadecimalCutOff), ("<\(digits)", .hexadecimalCutOff),
            ("<\(digits.dropLast(2))>", .hexadecimalCutOff), ("308", .hexadecimalCutOff),
            (Form.hexadecimal(Array(Form.ber.dropLast())), .hexadecimalCutOff),
            (Form.hexadecimal(Array(Form.ber.dropLast(2))), .hexadecimalCutOff),
            ("0x3z", .notHexadecimal), ("\\x30-1", .notHexadecimal), ("<30zz>", .notBase64),
            ("<data>x</data>", .notBase64),
            ("30zz", .notBase64), ("0xz", nil), ("deadbeef", .notBase64),
            (block, .unclosedBlock), ("\(block)\(block)-----END PKCS7-----", .unclosedBlock),
            ("\(block)-----END PKCS7-----\n\(block)", .unclosedBlock),
            ("\(block) -----END PKCS7-----", .unclosedBlock), ("\(block)-----END PKCS7----", .unclosedBlock),
            ("\(block)-----END PKCS7-----\n\(block)-----END PKCS7-----\n", .severalReceipts),
            ("<plist><data>\(base64)</data><data>\(base64)</data></plist>", .severalReceipts),
            ("<plist><data>\(base64)</data><data >\(base64)</data></plist>", .severalReceipts),
            ("<plist><data>\(base64)</data><data\n>\(base64)</data></plist>", .severalReceipts),
            ("<plist><data>\(base64)</data><data/></plist>", .severalReceipts),
            ("<plist><data >\(base64)</data><data>\(base64)</data></plist>", .notBase64),
            ("<plist><data/><data>\(base64)</data></plist>", .notBase64),
            ("<plist><!-- <data>\(base64)</data> --></plist>", .notBase64),
            ("<plist><data>\(base64)</data><!-- --></plist>", .notBase64),
            ("<!-- --><plist><data>\(base64)</data></plist>", .notBase64),
            ("<data >\(base64)</data><data>\(base64)</data>", .notBase64), ("<plist><data", .notBase64),
            ("<plist><data>\(base64)", .notBase64), ("<plist><string>\(base64)</string></plist>", .notBase64),
            ("data:\(base64)", .notBase64), ("\"\(base64)", .notBase64), ("\"\(base64)'", .notBase64),
            ("\"", .notBase64), ("b'", .notBase64), ("%", .notBase64), ("\(base64)%4", .notBase64),
            ("%zz\(base64)", .notBase64), ("\(base64)\\", .notBase64), ("\(base64)\\q", .notBase64),
            ("\(base64)\\u00", .notBase64), ("\(base64)\\u00zz", .notBase64),
            ("\(base64)\(base64)", .notBase64), ("-----BEGIN X----\n\(base64)", .notBase64),
        ] as [(String, Refusal.Code?)]
    )
    func malformed(_ text: String, _ code: Refusal.Code?) throws {
        let found = Self.code([UInt8](text.utf8))
        #expect(found == code, "\(text.prefix(20))…\(text.suffix(20))")
        #expect(found?.kind != .invalid)
    }

    @Test("are opened up to eight deep")
    func layers() {
        func quoted(_ count: Int) -> [UInt8] {
            let marks = (0..<count).map { $0 % 2 == 0 ? "\"" : "'" }
            return [UInt8]((marks.reversed().joined() + Self.base64 + marks.joined()).utf8)
        }
        #expect(Self.code(quoted(ReceiptInput.maximumLayers - 1)) == nil)
        #expect(Self.code(quoted(ReceiptInput.maximumLayers)) == .tooManyLayers)
        #expect(Self.code(quoted(100_000)) == .tooManyLayers)
    }

    @Test("the offset is the character's in text that was not decoded, and else the text's")
    func offsets() {
        func offset(_ text: String) -> Int? {
            do throws(ReceiptError) {
                _ = try ReceiptInput.decode([UInt8](text.utf8))
                return nil
            } catch {
                return error.offset
            }
        }
        #expect(offset("  \"MIIB*\"") == 7)
        #expect(offset("data:,MIIB*") == 10)
        #expect(offset("-----BEGIN X-----\nMIIB*\n-----END X-----") == 22)
        #expect(offset("  %22MIIB*%22") == 2)
        #expect(offset(" {\"receipt-data\":\"MIIB*\"}") == 1)
        #expect(offset("\n0x30zz") == 5)
        #expect(offset(Self.block + Self.block) == 0)
        #expect(offset(" data:,") == 7)
        #expect(offset(" \"\"") == 2)
        #expect(offset(" {\"receipt-data\":\"\"}") == 1)
    }

    @Test("half of a surrogate pair and half of a code unit are no base64")
    func brokenUTF16() {
        let text = Form.utf16(Self.base64, isLittle: true)
        #expect(Self.code(text) == nil)
        #expect(Self.code(text + [0x00, 0xD8]) == .notBase64)
        #expect(Self.code(text + [0x3D, 0xD8, 0x00, 0xDE]) == .notBase64)
        #expect(Self.code([0xFF, 0xFE]) == .emptyInput && Self.code([0xFE, 0xFF, 0]) == .emptyInput)
    }

    @Test("every beginning of every form gives a container or a refusal", arguments: forms.indices)
    func cutOff(_ index: Int) {
        let input = Self.forms[index].form(Form.container)
        for count in 0..<input.count { _ = Self.code(Array(input.prefix(count))) }
    }

    private static func code(_ input: [UInt8]) -> Refusal.Code? {
        do throws(ReceiptError) {
            _ = try ReceiptInput.decode(input)
            return nil
        } catch {
            #expect(error.step == .input && (0...input.count).contains(error.offset))
            return error.code
        }
    }
}

@Suite("Other things that are signed as receipts are")
struct OtherKindTests {
    private static func refusal(_ content: [UInt8]) throws -> ReceiptError {
        let message = Minted.mint.message.signed(payload: content)
        return try #require(throws: ReceiptError.self) { try Minted.validator.validate(message) }
    }

    private static func attributes(_ values: [(Int64, String)]) -> [UInt8] {
        values.map { AttributeTemplate($0.0, value: [UInt8]($0.1.utf8)) }.encodedSet()
    }

    @Test("a receipt of App Attest is named", arguments: ["ATTEST", "RECEIPT"])
    func appAttest(_ type: String) throws {
        let error = try Self.refusal(
            Self.attributes([(2, "TEAM.com.example.app"), (6, type), (12, "2024-06-01T12:00:00.000Z")])
        )
        #expect(error.step == .container && error.code == .appAttestReceipt, "\(error)")
        #expect(error.code.kind == .unsupported)
    }

    @Test(
        "a provisioning profile is named",
        arguments: ["<?xml version=\"1.0\"?><plist/>", "<!DOCTYPE plist>"]
    )
    func profile(_ text: String) throws {
        let error = try Self.refusal([UInt8](text.utf8))
        #expect(error.step == .container && error.code == .provisioningProfile, "\(error)")
    }

    @Test("other content keeps its error")
    func others() throws {
        for content in [
            Self.attributes([(6, "ATTEST2"), (12, "2024")]), Self.attributes([(6, "RECEIP")]),
            Self.attributes([(7, "ATTEST")]), [UInt8]("<xml".utf8), [],
        ] {
            let error = try Self.refusal(content)
            #expect(error.step == .creationDate && error.code.kind == .invalid, "\(error)")
        }
    }
}
