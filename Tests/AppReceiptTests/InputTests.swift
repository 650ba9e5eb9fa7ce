import AppReceipt
import Basics
import DER
import Foundation
import TestSupport
import Testing

@Suite("Input")
struct InputTests {
    private func decode(_ text: String) throws(ReceiptError) -> [UInt8] {
        try ReceiptInput.decode([UInt8](text.utf8))
    }

    /// Bytes that begin like a container. Their base64 text has every character of the alphabet.
    private static let container: [UInt8] =
        [0x30, 0x82, 0x01, 0x00] + (0...255).map { UInt8(truncatingIfNeeded: $0 * 31 + 7) }
    private static let text = Data(container).base64EncodedString()

    private static let pluses = text.replacing("+", with: " ")
    private static let variants: [(name: String, text: String)] = [
        ("as it is", text),
        ("with line feeds", lines(text, "\n")),
        ("with carriage returns and line feeds", lines(text, "\r\n")),
        ("with a final line feed", text + "\n"),
        ("with white space around", " \t\r\n" + text + " \n"),
        ("with indented lines", lines(text, "\n    ")),
        ("in groups", lines(text, " ", length: 4)),
        ("after a byte order mark", "\u{FEFF}" + text),
        ("in the URL-safe alphabet", text.replacing("+", with: "-").replacing("/", with: "_")),
        ("without padding", text.replacing("=", with: "")),
        ("with padding on a line of its own", text.replacing("=", with: "\n=")),
        ("with spaces where a form took the plus signs", pluses),
        ("in lines, with spaces for plus signs", lines(pluses, "\r\n")),
        ("with spaces for plus signs, and white space around", "\n" + pluses + " \r\n"),
    ]

    /// A text that the plain decoder accepts, and a text with spaces, which it does not.
    private static let plainOrNot: [String] = [text, lines(text, " ", length: 4)]

    @Test("decodes base64 in every variant that people send", arguments: variants)
    func base64(_ name: String, _ text: String) throws {
        #expect(Self.text.contains("+") && Self.text.contains("/") && Self.text.hasSuffix("="))
        #expect(try decode(text) == Self.container, "\(name)")
    }

    @Test("the plain decoder accepts text without spaces and gives an equal result", arguments: variants)
    func plain(_ name: String, _ text: String) {
        let bytes = [UInt8](text.utf8)
        let behind = bytes.drop { $0 <= 0x20 }
        let plain = ReceiptInput.decodePlain(bytes[...])
        #expect(plain == (behind.contains(0x20) ? nil : Self.container), "\(name)")
        // A slice whose indices do not begin at zero.
        #expect(ReceiptInput.decodePlain(([0, 0] + bytes)[2...], acceleration: acceleration) == plain)
    }

    @Test("the plain decoder leaves spaces in the padding, other beginnings, long text and empty text")
    func notPlain() {
        func plain(_ text: String, limit: Int = 1 << 20) -> [UInt8]? {
            var limits = Limits.standard
            limits.inputBytes = limit
            return ReceiptInput.decodePlain([UInt8](text.utf8)[...], limits: limits)
        }
        #expect(plain("MAsECQAA++++AAAAAA==")?.count == 13)
        for text in [
            "MAsECQAA++++AAAAAA= =", "MAsECQAA++++AAAAAA== ", "MAsECQAA ++++AAAAAA==",
            "MAsECQAA%2B+++AAAAAA==", "LAsECQAA++++AAAAAA==", "NAsECQAA++++AAAAAA==",
            "MAsECQAA++++AAAAAA===", "MAsECQAA++++AAAAA", "M", "", "\n",
            // The octet 0x31, whose base64 begins with an M as well.
            "MQsECQAA++++AAAAAA==",
        ] {
            #expect(plain(text) == nil, "\(text)")
        }
        #expect(plain(Self.text, limit: Self.text.utf8.count / 2) == Self.container)
        #expect(plain(Self.text, limit: Self.text.utf8.count / 2 - 1) == nil)
    }

    @Test("reads a space as a plus sign wherever a container needs one, also at the end", arguments: 0..<64)
    func everyPlus(_ value: Int) throws {
        // The last character of the text takes all 64 values, `+` among them.
        let container: [UInt8] = [0x30, 0x04, 0x04, 0x02, 0xFB, UInt8(192 + value)]
        let text = Data(container).base64EncodedString()
        #expect(try decode(text.replacing("+", with: " ")) == container)
        #expect(try decode(Self.lines(text, "\n", length: 4).replacing("+", with: " ")) == container)
    }

    @Test("skips white space after a text whose spaces are plus signs")
    func spaceBehind() throws {
        let container: [UInt8] = [0x30, 0x0A, 0x04, 0x08, 0, 0, 0xFB, 0xEF, 0xBE, 0, 0, 0]
        for space in ["", " ", "  ", "\r\n", " \r\n", "\n \n"] {
            #expect(try decode("MAoECAAA++++AAAA" + space) == container)
            #expect(try decode("MAoECAAA    AAAA" + space) == container)
        }
    }

    @Test("skips white space in the padding of a text whose spaces are plus signs")
    func spaceInPadding() throws {
        let container: [UInt8] = [0x30, 0x0B, 0x04, 0x09, 0, 0, 0xFB, 0xEF, 0xBE, 0, 0, 0, 0]
        #expect(try decode("MAsECQAA++++AAAAAA==") == container)
        #expect(try decode("MAsECQAA    AAAAAA= =") == container)
    }

    private static func lines(_ text: String, _ separator: String, length: Int = 64) -> String {
        stride(from: 0, to: text.count, by: length).map { String(text.dropFirst($0).prefix(length)) }
            .joined(separator: separator)
    }

    @Test(
        "refuses text that is not base64 at its offset",
        arguments: [
            ("MIIB*AAA", 4), ("MIIBé", 4), ("MIIB\0AAA", 4), ("MIIBA", 5), ("MIIBAB==A", 8), ("MIIBAB=A", 7),
            ("MIIBAA=", 6), ("MIIBAAA==", 7), ("MIIB====", 4), ("=MIIB", 1), ("MIIBAB==", 6), ("MIIBAAB=", 7),
            ("MIIBAA===", 6),
        ]
    )
    func notBase64(_ text: String, _ offset: Int) throws {
        let error = try #require(throws: ReceiptError.self) { try decode(text) }
        #expect(error.code == .notBase64 && error.step == .input && error.offset == offset, "\(error)")
    }

    @Test(
        "refuses base64 of anything but a SEQUENCE",
        arguments: ["aGVsbG8gd29ybGQ=", "AAAA", "NotBase64ButLooksSo"]
    )
    func somethingElse(_ text: String) throws {
        let error = try #require(throws: ReceiptError.self) { try decode(text) }
        #expect(error.code == .notBase64)
    }

    @Test("refuses empty text", arguments: ["", " ", "\r\n\t ", "\u{FEFF}", "\u{FEFF} \n"])
    func nothing(_ text: String) throws {
        let error = try #require(throws: ReceiptError.self) { try decode(text) }
        #expect(error.code == .emptyInput && error.code.kind == .unreadable)
    }

    @Test("names other formats as unsupported")
    func otherFormats() throws {
        let list = "{\n\t\"signature\" = \"Asn…\";\n\t\"purchase-info\" = \"ewo…\";\n}"
        let cases: [(String, Refusal.Code)] = [
            ("eyJhbGciOiJFUzI1NiIsIng1YyI6W119.eyJ0cmFuc2FjdGlvbklkIjoiMSJ9.AAAA", .jsonWebSignature),
            (Data(list.utf8).base64EncodedString(), .transactionReceipt),
            (list, .transactionReceipt),
            (Data(Self.text.utf8).base64EncodedString(), .base64Twice),
            (" eyJhbGciOiJFUzI1NiJ9.e30.AAAA", .jsonWebSignature),
            ("\u{FEFF}\r\n eyJhbGciOiJFUzI1NiJ9.e30.AAAA", .jsonWebSignature),
            (" { \"signature\" = \"Asn…\"; }", .transactionReceipt),
            ("{\"signature\" = \"Asn…\"; }", .transactionReceipt),
            // The keys may come in any order, and white space is optional.
            ("{\"pod\"=\"100\";\"signature\"=\"Asn…\";}", .transactionReceipt),
            (Data("{\"pod\"=\"100\";}".utf8).base64EncodedString(), .transactionReceipt),
            (Data("{\"signature\" = \"Asn…\"; }".utf8).base64EncodedString(), .transactionReceipt),
            // The header of a JWS alone.
            ("eyJhbGciOiJFUzI1NiJ9", .jsonWebSignature),
        ]
        for (text, code) in cases {
            let error = try #require(throws: ReceiptError.self) { try decode(text) }
            #expect(error.code == code && error.code.kind == .unsupported, "\(error)")
        }
        // The offset is the start of the text, also if the decoded bytes begin with white space.
        let spaces = String(repeating: "\n", count: 70)
        for text in [cases[0].0, list] {
            for text in [text, Data((spaces + text).utf8).base64EncodedString()] {
                let error = try #require(throws: ReceiptError.self) { try decode(spaces + text) }
                #expect(error.code.kind == .unsupported && error.offset == 70, "\(error)")
            }
        }
    }

    @Test(
        "reads spaces as plus signs if the BER begins and ends as it must (X.690 §8.1.3.6)",
        arguments: [(0, [0x00, 0x00]), (1, [0x00, 0x00]), (2, [0x00, 0x00])] as [(Int, [UInt8])]
    )
    func indefinite(_ padding: Int, _ end: [UInt8]) throws {
        let contents = [UInt8](repeating: 0xFB, count: 40 + padding)
        let container = [0x30, 0x80, 0x04, UInt8(contents.count)] + contents + end
        let text = Data(container).base64EncodedString()
        #expect(text.contains("+"))
        #expect(try decode(text.replacing("+", with: " ")) == container)
        // Without both end-of-contents octets it is not a container, so the spaces are skipped.
        for end in [[], [0x00], [0x00, 0x01], [0x01, 0x00]] as [[UInt8]] {
            let bytes = container.dropLast(2) + end
            let text = Data(bytes).base64EncodedString().replacing("+", with: " ")
            #expect((try? decode(text)) != Array(bytes), "\(end)")
        }
    }

    @Test(
        "skips the spaces between the lines of BER with an indefinite length, and reads them as plus signs",
        arguments: [64, 76],
        ["", "\n", "\r\n"]
    )
    func indefiniteInLines(_ length: Int, _ separator: String) throws {
        let container = try vector("receipts/ber.ber")
        let text = Data(container).base64EncodedString()
        #expect(container.starts(with: [0x30, 0x80]) && text.contains("+"))
        for count in [1, 2, 4, 8] {
            let indent = separator + String(repeating: " ", count: count)
            #expect(try decode(Self.lines(text, indent, length: length)) == container, "\(count)")
        }
        let pluses = text.replacing("+", with: " ")
        #expect(try decode(Self.lines(pluses, separator, length: length)) == container)
    }

    @Test("reads spaces as plus signs in BER that is too deep to be read to its end")
    func deepIndefinite() throws {
        let container =
            [[UInt8]](repeating: [0x30, 0x80], count: 200).joined() + [0x04, 0x03, 0xFB, 0xEF, 0xBE]
            + [UInt8](repeating: 0, count: 400)
        let text = Data(container).base64EncodedString()
        #expect(text.contains("++++"))
        #expect(try decode(text.replacing("+", with: " ")) == Array(container))
    }

    @Test("skips the spaces of a text if plus signs in their place give no container")
    func noContainer() throws {
        // With plus signs, the bytes end as BER of indefinite length ends, and begin otherwise.
        let bytes: [UInt8] = [0x31, 0x80, 0x00, 0xFB, 0xEF, 0xBE, 0x00, 0x00, 0x00]
        let text = Data(bytes).base64EncodedString()
        #expect(text == "MYAA++++AAAA")
        let error = try #require(throws: ReceiptError.self) { try decode("MYAA   +AAAA") }
        // Nine characters are no base64: the last group has one.
        #expect(error.code == .notBase64 && error.offset == 12)
        // One byte is no container either way. A space in its padding is skipped.
        #expect(try decode("MA= =") == [0x30])
    }

    @Test("the validator names text as text, not as malformed DER")
    func textToValidator() throws {
        let validator = ReceiptValidator(ReceiptPolicy(environments: .any, bundleIdentifier: .any))
        for text in [
            Self.text, "MIIT\r\nzQYJ", "\tMIITzQYJ", "\n",
            "eyJhbGciOiJFUzI1NiJ9.e30.AAAA", "{\"receipt-data\": \"MII\"}",
            "-----BEGIN PKCS7-----",
        ] {
            let error = try #require(throws: ReceiptError.self) { try validator.validate([UInt8](text.utf8)) }
            #expect(error.step == .container && error.code == .textGiven && error.code.kind == .unreadable)
        }
        for bytes: [UInt8] in [[0x31, 0x80, 0, 0], [0xFF], [0x30] + Self.text.utf8] {
            let error = try #require(throws: ReceiptError.self) { try validator.validate(bytes) }
            #expect(error.code != .textGiven)
        }
    }

    @Test("returns bytes that begin like a SEQUENCE unchanged")
    func passesThrough() throws {
        for bytes: [UInt8] in [[0x30], [0x30, 0x80, 0, 0], [0x30, 0x0D, 0x0A], Self.container] {
            #expect(try ReceiptInput.decode(bytes) == bytes)
        }
    }

    @Test("gives each of 256 characters its value (RFC 4648 §4, §5), skips it, or refuses it")
    func characters() throws {
        let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let other = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for byte in UInt8.min...UInt8.max {
            // The byte stands for six bits of a container of six bytes, or for the padding of one of five
            // bytes.
            let text = [UInt8]("MAQEAgA".utf8) + [byte]
            let padded = [UInt8]("MAMEAgA".utf8) + [byte]
            if let value = alphabet.firstIndex(of: byte) ?? other.firstIndex(of: byte) {
                #expect(try ReceiptInput.decode(text) == [0x30, 4, 4, 2, 0, UInt8(value)])
            } else if "\t\n\r =".utf8.contains(byte) {
                #expect(try ReceiptInput.decode(padded) == [0x30, 3, 4, 2, 0])
                // Within a text, white space is skipped, and padding ends the text.
                let within = [UInt8]("MAMEAg".utf8) + [byte] + "A".utf8
                #expect((try? ReceiptInput.decode(within)) == (byte == 0x3D ? nil : [0x30, 3, 4, 2, 0]))
            } else {
                // Around a text, every control character counts as white space.
                let ends = byte < 0x20 ? [] : [text, padded]
                // A percent sign before two digits is decoded.
                let after = byte == UInt8(ascii: "%") ? [] : [text + "AAAA".utf8, text + "AAA=".utf8]
                for text in ends + after {
                    let error = try #require(throws: ReceiptError.self) { try ReceiptInput.decode(text) }
                    #expect(error.code == .notBase64 && error.offset == 7, "\(byte)")
                }
            }
        }
    }

    @Test("decodes part of a buffer, with offsets from the start of the part")
    func parts() throws {
        let text = [UInt8](Self.text.utf8)
        let buffer = [0x41, 0x20] + text + [0x21]
        #expect(try ReceiptInput.container(buffer[2..<(2 + text.count)]) == Self.container)
        let whole = [0x00] + Self.container + [0x00]
        #expect(try ReceiptInput.container(whole[1..<(1 + Self.container.count)]) == Self.container)
        let error = try #require(throws: ReceiptError.self) { try ReceiptInput.container(buffer[2...]) }
        #expect(error.code == .notBase64 && error.offset == text.count)
        #expect(throws: ReceiptError.self) { try ReceiptInput.container(buffer[0..<0]) }
    }

    @Test("accepts white space and a whole byte order mark around a text, and nothing else")
    func around() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for index in mark.indices {
            var broken = mark
            broken[index] ^= 1
            let error = try #require(throws: ReceiptError.self) {
                try ReceiptInput.decode(broken + Self.text.utf8)
            }
            #expect(error.code == .notBase64 && error.offset == 0)
        }
        for count in 0..<3 {
            #expect(throws: ReceiptError.self) { try ReceiptInput.decode(Array(mark.prefix(count))) }
        }
        for text in ["!" + Self.text, Self.text + "!"] {
            #expect(throws: ReceiptError.self) { try decode(text) }
        }
        for text in ["", " ", "\r\n", "\u{FEFF}", "\u{FEFF} "] {
            let error = try #require(throws: ReceiptError.self) { try decode(text) }
            #expect(error.code == .emptyInput && error.offset == 0)
        }
        let error = try #require(throws: ReceiptError.self) { try decode("{!\"signature\" = \"\";}") }
        #expect(error.code == .notBase64)
    }

    @Test("counts white space before and after a text in the limit of twice its bytes", arguments: plainOrNot)
    func spaceAround(_ text: String) throws {
        let space = [UInt8](repeating: 0x0A, count: 64)
        for spaced in [space + text.utf8, text.utf8 + space] {
            var limits = Limits.standard
            limits.inputBytes = spaced.count / 2
            #expect(try ReceiptInput.decode(spaced, limits: limits) == Self.container)
            limits.inputBytes -= 1
            let error = try #require(throws: ReceiptError.self) {
                try ReceiptInput.decode(spaced, limits: limits)
            }
            #expect(error.code == .inputTooLarge && error.offset == 0)
        }
    }

    @Test("the validator calls input text if its first 64 bytes are text")
    func text() throws {
        let validator = ReceiptValidator(ReceiptPolicy(environments: .any, bundleIdentifier: .any))
        for byte in UInt8.min...UInt8.max {
            for (place, counts) in [(1, true), (63, true), (64, false)] {
                var bytes = [UInt8](repeating: 0x41, count: 65)
                bytes[place] = byte
                let isText = (0x09...0x0D).contains(byte) || (0x20...0x7E).contains(byte)
                let error = try #require(throws: ReceiptError.self) { try validator.validate(bytes) }
                #expect((error.code == .textGiven) == (isText || !counts), "\(byte) at \(place)")
                #expect(error.code != .textGiven || error.offset == 0)
            }
        }
        let error = try #require(throws: ReceiptError.self) { try validator.validate([]) }
        #expect(error.step == .container && error.code == .emptyInput && error.offset == 0)
    }

    @Test("refuses text beyond the limit before decoding it", arguments: plainOrNot)
    func tooLarge(_ text: String) throws {
        var limits = Limits.standard
        limits.inputBytes = text.utf8.count / 2
        #expect(try ReceiptInput.decode([UInt8](text.utf8), limits: limits) == Self.container)
        limits.inputBytes -= 1
        let error = try #require(throws: ReceiptError.self) {
            try ReceiptInput.decode([UInt8](text.utf8), limits: limits)
        }
        #expect(error.code == .inputTooLarge && error.code.kind == .unsupported)
    }

    @Test("counts spaces at the end against the limit, because they may be plus signs")
    func tooManySpaces() throws {
        var limits = Limits.standard
        limits.inputBytes = 100
        // The first nine bytes of a container of 3,073 bytes, its header included.
        let text = Data([0x30, 0x82, 0x0B, 0xFD, 0, 0, 0, 0, 0]).base64EncodedString()
        for filler in ["+", " "] {
            let error = try #require(throws: ReceiptError.self) {
                let text = [UInt8](text.utf8) + String(repeating: filler, count: 4096).utf8
                return try ReceiptInput.decode(text, limits: limits)
            }
            #expect(error.code == .inputTooLarge && error.offset == 0, "\(filler)")
        }
    }

    @Test("reads a device identifier of 16 or 6 bytes, or of their text")
    func deviceIdentifier() {
        let uuid = "e6181098-62dd-433f-bb94-675d3815d263"
        let bytes = hex(uuid)
        #expect(DeviceIdentifier(bytes)?.bytes == bytes)
        for text in [uuid, uuid.uppercased(), uuid.replacing("-", with: "")] {
            #expect(DeviceIdentifier(text)?.bytes == bytes)
        }
        for text in ["0200a1B2c3D4", "02:00:a1:b2:c3:d4"] {
            #expect(DeviceIdentifier(text)?.bytes == [0x02, 0x00, 0xA1, 0xB2, 0xC3, 0xD4])
        }
        #expect(DeviceIdentifier.server.bytes == [UInt8](repeating: 0, count: 16))
        let refused = [
            "", "e618", "0200a1B2c3D", "0200a1B2c3D4e5", "02-00-a1-b2-c3-d4",
            "e618109862dd-433f-bb94-675d3815d2-63",
            "0g00a1b2c3d4", "02:00:a1:b2:c3d4:", " 0200a1b2c3d4", uuid + "0",
            // The separators stand where they belong, but some are missing.
            "e6181098-62dd433fbb94675d3815d263", "e618109862dd4-33fbb94675d3815d263", "02:00a1b2c3d4",
            "02:00:a1b2c3d4", "0200a1b2-c3d4",
        ]
        for text in refused { #expect(DeviceIdentifier(text) == nil, "\(text)") }
        for count in 0..<40 where count != 6 && count != 16 {
            #expect(DeviceIdentifier([UInt8](repeating: 1, count: count)) == nil)
        }
    }
}

@Suite("Dates of receipts (RFC 3339 §5.6)")
struct DateTests {
    @Test(
        "are read to the millisecond, in UTC",
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("2023-02-22T14:30:15Z", 1_677_076_215_000),
            ("2020-10-08T11:17:49.131Z", 1_602_155_869_131),
            ("2020-10-08T11:17:49.1Z", 1_602_155_869_100),
            ("2020-10-08T11:17:49.131999Z", 1_602_155_869_131),
            ("2021-04-03T22:38:45+0300", 1_617_478_725_000),
            ("2021-04-03T22:38:45+03:00", 1_617_478_725_000),
            ("2021-04-03T14:08:45-05:30", 1_617_478_725_000),
            ("2021-04-04T19:37:45+23:59", 1_617_478_725_000),
            ("4001-01-01T00:00:00Z", 64_092_211_200_000),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("0000-01-01T00:01:00+00:01", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
            ("9999-12-31T23:58:59.999-00:01", 253_402_300_799_999),
        ]
    )
    func read(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(
        "are refused if the day does not exist or the form is another",
        arguments: [
            "", "2023", "2023-02-22", "2023-02-22T14:30:15", "2023-02-22 14:30:15Z", "2023-02-22T14:30Z",
            "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "2023-00-01T00:00:00Z",
            "2023-01-00T00:00:00Z", "2023-04-31T00:00:00Z", "2023-01-01T24:00:00Z", "2023-01-01T00:60:00Z",
            "2023-01-01T00:00:60Z", "2023-01-01T00:00:00.Z", "2023-01-01T00:00:00,5Z", "2023-01-01T00:00:00z",
            "2023-01-01t00:00:00Z", "2023-01-01T00:00:00+24:00", "2023-01-01T00:00:00+00:60",
            "2023-01-01T00:00:00+3", "2023-01-01T00:00:00+03:", "2023-01-01T00:00:00ZZ",
            "2023-01-01T00:00:00Z ",
            " 2023-01-01T00:00:00Z", "-023-01-01T00:00:00Z", "2023-1-01T00:00:00Z", "２023-01-01T00:00:00Z",
            "2023-01-01T00:00:00 0300", "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01",
            "2023-01-01T00:00:00+23:60", "2023-01-01T00:00:00+03 00", "2023-01-01T00:00:00+03x00",
            "2023-01-01T00:00:00+03::00", "2023-01-01T00:00:0", "2023-01-01T00:00:00",
        ]
    )
    func refused(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }
}
