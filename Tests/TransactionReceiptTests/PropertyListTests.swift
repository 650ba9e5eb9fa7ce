import AppReceipt
import AppReceiptMint
import Basics
import DER
import TestSupport
import Testing
import TransactionReceipt

/// A text that is no property list of the accepted kind, with the code and the byte of the refusal.
struct MalformedList: Sendable, CustomTestStringConvertible {
    let text: String
    let code: Refusal.Code
    let offset: Int

    init(_ text: String, _ code: Refusal.Code, at offset: Int) {
        (self.text, self.code, self.offset) = (text, code, offset)
    }

    var testDescription: String { text }

    static let all = [
        MalformedList("", .propertyListTruncated, at: 0),
        MalformedList(" \n", .propertyListTruncated, at: 2),
        MalformedList("{", .propertyListTruncated, at: 1),
        MalformedList("{\"a\"", .propertyListTruncated, at: 4),
        MalformedList("{\"a", .propertyListTruncated, at: 3),
        MalformedList("{\"a\"=", .propertyListTruncated, at: 5),
        MalformedList("{\"a\"=\"b", .propertyListTruncated, at: 7),
        MalformedList("{\"a\"=\"b\"", .propertyListTruncated, at: 8),
        MalformedList("{\"a\"=\"b\";", .propertyListTruncated, at: 9),
        MalformedList("\"a\"", .unexpectedByte, at: 0),
        MalformedList("(\"a\")", .unexpectedByte, at: 0),
        MalformedList("\u{FEFF}{}", .unexpectedByte, at: 0),
        MalformedList("{\"a\"=\"b\"}", .unexpectedByte, at: 8),
        MalformedList("{\"a\":\"b\";}", .unexpectedByte, at: 4),
        MalformedList("{\"a\"=\"b\",}", .unexpectedByte, at: 8),
        MalformedList("{\"a\" \"b\";}", .unexpectedByte, at: 5),
        MalformedList("{;}", .notAQuotedString, at: 1),
        MalformedList("{a=\"b\";}", .notAQuotedString, at: 1),
        MalformedList("{\"a\"=b;}", .notAQuotedString, at: 5),
        MalformedList("{\"a\"=1;}", .notAQuotedString, at: 5),
        MalformedList("{'a'=\"b\";}", .notAQuotedString, at: 1),
        MalformedList("{\"a\"={};}", .notAQuotedString, at: 5),
        MalformedList("{\"a\"={\"b\"=\"c\";};}", .notAQuotedString, at: 5),
        MalformedList("{\"a\"=(\"b\");}", .notAQuotedString, at: 5),
        MalformedList("{\"a\"=<00>;}", .notAQuotedString, at: 5),
        MalformedList("{/* c */\"a\"=\"b\";}", .notAQuotedString, at: 1),
        MalformedList("{// c\n\"a\"=\"b\";}", .notAQuotedString, at: 1),
        MalformedList("{\"a\"=\"b\";} //", .bytesAfterPropertyList, at: 11),
        MalformedList("{}{}", .bytesAfterPropertyList, at: 2),
        MalformedList("{}\0", .bytesAfterPropertyList, at: 2),
        MalformedList("{\u{0B}}", .notAQuotedString, at: 1),
        MalformedList("{\"a\\\"\"=\"b\";}", .invalidStringCharacter, at: 3),
        MalformedList("{\"a\"=\"\\n\";}", .invalidStringCharacter, at: 6),
        MalformedList("{\"a\"=\"\\U0041\";}", .invalidStringCharacter, at: 6),
        MalformedList("{\"a\"=\"\n\";}", .invalidStringCharacter, at: 6),
        MalformedList("{\"a\"=\"\0\";}", .invalidStringCharacter, at: 6),
        MalformedList("{\"a\"=\"\u{7F}\";}", .invalidStringCharacter, at: 6),
        MalformedList("{\"a\"=\"é\";}", .invalidStringCharacter, at: 6),
        MalformedList("{\"\"=\"b\";}", .emptyKey, at: 1),
        MalformedList("{\"a\"=\"b\";\"a\"=\"b\";}", .duplicateKey, at: 10),
        MalformedList("{\"a-b\"=\"\";\"a_b\"=\"\";}", .duplicateKey, at: 11),
        MalformedList("{\"a_-\"=\"\";\"a--\"=\"\";}", .duplicateKey, at: 11),
        MalformedList("{\"a\"=\"b\";\"c\"=\"d\";\"a\"=\"\";}", .duplicateKey, at: 18),
    ]
}

@Suite("The property list of a transaction receipt")
struct PropertyListTests {
    static func read(_ bytes: [UInt8], limit: Int = 128) throws(Refusal) -> [[String]] {
        try PropertyList(bytes.borrowedSpan, limit: limit).entries.map {
            [
                String(decoding: bytes[$0.key], as: UTF8.self),
                String(decoding: bytes[$0.value], as: UTF8.self),
            ]
        }
    }

    @Test("entries in any white space are read in order; values may be empty")
    func entries() throws {
        #expect(try Self.read([UInt8]("{}".utf8)) == [])
        #expect(try Self.read([UInt8]("\t{ \r\n}\n".utf8)) == [])
        let text = "{\"b\"=\"1\";\n\t\"a\" = \"\" ; \"c d\"\n=\n\"~ !=;{}/*\";}"
        #expect(try Self.read([UInt8](text.utf8)) == [["b", "1"], ["a", ""], ["c d", "~ !=;{}/*"]])
    }

    @Test("keys that differ in one byte, or in case, are different keys")
    func keys() throws {
        let text = "{\"a\"=\"1\";\"A\"=\"2\";\"aa\"=\"3\";\"a \"=\"4\";}"
        #expect(try Self.read([UInt8](text.utf8)).count == 4)
    }

    @Test("everything else is refused with its code at its byte", arguments: MalformedList.all)
    func malformed(_ list: MalformedList) throws {
        let refusal = try #require(throws: Refusal.self) { try Self.read([UInt8](list.text.utf8)) }
        #expect(refusal.code == list.code && refusal.offset == list.offset, "\(refusal)")
    }

    @Test("bytes that are not UTF-8 are refused in strings and between them")
    func notUTF8() throws {
        for byte in UInt8(0x80)...0xFF {
            let inString = try #require(throws: Refusal.self) {
                try Self.read([UInt8]("{\"a\"=\"".utf8) + [byte] + [UInt8]("\";}".utf8))
            }
            #expect(inString.code == .invalidStringCharacter && inString.offset == 6)
            let between = try #require(throws: Refusal.self) { try Self.read([0x7B, byte, 0x7D]) }
            #expect(between.code == .notAQuotedString && between.offset == 1)
        }
    }

    @Test("a list may have as many entries as the limit, and not one more")
    func limit() throws {
        func list(_ count: Int) -> [UInt8] {
            TransactionReceiptTemplate.propertyList((0..<count).map { ("key\($0)", "value") })
        }
        #expect(try Self.read(list(128)).count == 128)
        #expect(try #require(throws: Refusal.self) { try Self.read(list(129)) }.code == .tooManyEntries)
        #expect(
            try #require(throws: Refusal.self) { try Self.read(list(1), limit: 0) }.code == .tooManyEntries
        )
    }
}

@Suite("The input of a transaction receipt")
struct TransactionReceiptInputTests {
    private func code(_ bytes: [UInt8], _ limits: Limits = .standard) -> Refusal.Code? {
        do throws(ReceiptError) {
            _ = try TransactionReceiptInput.decode(bytes, limits: limits)
            return nil
        } catch {
            return error.step == .input ? error.code : .untrustedInputStep
        }
    }

    @Test("a property list is returned as it is, and base64 is decoded")
    func decoded() throws {
        let list = Minted.three.template().propertyList()
        #expect(try TransactionReceiptInput.decode(list) == list)
        #expect(try TransactionReceiptInput.decode(Minted.three.template().base64()) == list)
    }

    @Test("other formats are named")
    func others() {
        #expect(code([]) == .emptyInput)
        #expect(code([0x20, 0x0A]) == .emptyInput)
        #expect(code([0x30, 0x80]) == .appReceiptGiven)
        #expect(code([UInt8]("MIIB".utf8)) == .appReceiptGiven)
        #expect(code([UInt8]("eyJhbGciOiJFUzI1NiJ9.e30.AA".utf8)) == .jsonWebSignature)
        // The base64 of {"a"="b";}, which no genuine list is, but which the format allows.
        #expect(code([UInt8]("eyJhIj0iYiI7fQ==".utf8)) != .jsonWebSignature)
        #expect(code([UInt8]("not base64!".utf8)) == .notAPropertyList)
        #expect(code([UInt8]("AAAA".utf8)) == .notAPropertyList)
        #expect(code([0xFF]) == .notAPropertyList)
        #expect(code([UInt8]("{\"transactionId\":\"1\"}".utf8)) == .storeKitJSON)
        var twice: [UInt8] = []
        twice.append(base64: Minted.three.receipt()[...])
        #expect(code(twice) == .base64Twice)
    }

    @Test("a list may be as long as the limit, and not one byte longer, in either form")
    func size() {
        let template = Minted.three.template()
        let list = template.propertyList()
        var limits = Limits.standard
        limits.inputBytes = list.count
        #expect(code(list, limits) == nil && code(template.base64(), limits) == nil)
        limits.inputBytes = list.count - 1
        #expect(code(list, limits) == .inputTooLarge && code(template.base64(), limits) == .inputTooLarge)
    }

    @Test("three megabytes are refused before they are decoded")
    func large() throws {
        let filler = [UInt8](repeating: UInt8(ascii: "A"), count: 3 << 20)
        #expect(code([UInt8]("{\"signature\"=\"".utf8) + filler) == .inputTooLarge)
        #expect(code([UInt8]("ewoJ".utf8) + filler) == .inputTooLarge)
        let validator = try Minted.validator(Minted.three)
        #expect(Minted.error(validator, [UInt8]("{".utf8) + filler)?.step == .input)
    }

    @Test("base64 inside the list is strict: no spaces, no wrong padding, no other character")
    func inner() throws {
        let validator = try Minted.validator(Minted.three)
        let list = String(decoding: Minted.three.template().propertyList(), as: UTF8.self)
        let start = "\"purchase-info\" = \""
        for wrong in [" ", "!", "=", "\u{7E}"] {
            let changed = list.replacing(start, with: start + wrong)
            let error = Minted.error(validator, [UInt8](changed.utf8))
            #expect(error?.step == .container && error?.code == .valueNotBase64)
        }
    }

    @Test("missing and malformed entries of the outer list are refused in the container")
    func outer() throws {
        let validator = try Minted.validator(Minted.three)
        let list = String(decoding: Minted.three.template().propertyList(), as: UTF8.self)
        for (from, to, code) in [
            ("\"signature\"", "\"Signature\"", Refusal.Code.missingSignature),
            ("\"purchase-info\"", "\"purchase_info\"", .missingPurchaseInfo),
            ("\"pod\"", "\"signature\"", .duplicateKey),
            ("\"pod\"", "pod", .notAQuotedString),
            ("\"100\"", "{}", .notAQuotedString),
            ("\"100\"", "\"é\"", .invalidStringCharacter),
            ("\"100\";", "\"100\"", .unexpectedByte),
        ] {
            let error = Minted.error(validator, [UInt8](list.replacing(from, with: to).utf8))
            #expect(error?.step == .container && error?.code == code, "\(from) to \(to)")
        }
        #expect(
            Minted.error(validator, [UInt8]("{\"signature\"=\"\";\"purchase-info\"=\"\";}".utf8))?.code
                == .truncatedSignature
        )
    }

    @Test("a purchase-info that is no list, or has a key twice, is refused before the signature is checked")
    func info() throws {
        let validator = try Minted.validator(Minted.three)
        for (info, code) in [
            ("", Refusal.Code.propertyListTruncated), ("{}", .missingPurchaseDate),
            ("<plist/>", .unexpectedByte),
            ("{\"purchase-date-ms\"=\"1\";\"purchase-date-ms\"=\"2\";}", .duplicateKey),
        ] {
            let receipt = Minted.three.receipt { $0.signedInfo = [UInt8](info.utf8) }
            let error = Minted.error(validator, receipt)
            #expect(error?.step == .creationDate && error?.code == code)
        }
    }

    @Test("an error inside of base64 names the character where the byte begins")
    func offsets() throws {
        let list = Minted.three.template().propertyList()
        let text = String(decoding: list, as: UTF8.self)
        let start = "\"purchase-info\" = \""
        let offset = try #require(text.ranges(of: start).first?.upperBound.utf16Offset(in: text))
        // The value is unquoted: byte 5 of the purchase-info, which begins in character 6.
        let receipt = Minted.three.template()
        var broken = receipt
        broken.signedInfo = [UInt8]("{\"a\"=b;}".utf8)
        let error = try #require(Minted.error(try Minted.validator(Minted.three), broken.propertyList()))
        #expect(error.code == .notAQuotedString && error.offset == offset + 6)
    }
}

extension Refusal.Code {
    /// No code of the package: the step is not the input.
    fileprivate static var untrustedInputStep: Self { .init(9999, "test.step", "The step is wrong.") }
}
