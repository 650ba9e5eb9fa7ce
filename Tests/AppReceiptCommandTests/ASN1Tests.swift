import Foundation
import TestSupport
import Testing

@Suite("app-receipt asn1")
struct ASN1Tests {
    private func asn1(_ bytes: [UInt8], _ options: [String] = []) async throws -> CommandRun {
        try await CommandRun(["asn1"] + options, input: bytes)
    }

    @Test(
        "shows elements with offset, lengths, tag and value",
        arguments: [
            ("30 03 02 01 80", ["     0   2      3  SEQUENCE", "     2   2      1    INTEGER -128"]),
            ("02 09 00 ffffffffffffffff", ["     0   2      9  INTEGER 0x00ffffffffffffffff"]),
            ("30 06 06 04 2a 86 48 86", ["     2   2      4    OBJECT IDENTIFIER 2a864886"]),
            (
                "06 09 2a 86 48 86 f7 0d 01 07 02",
                ["     0   2      9  OBJECT IDENTIFIER 1.2.840.113549.1.7.2 (signedData)"]
            ),
            ("bf 85 0a 03 01 01 ff", ["     0   4      3  [650]", "     4   2      1    BOOLEAN TRUE"]),
            ("30 0f 16 0b 61 1b 5b 22 e2 80 ae 62 63 64 65 05 00", ["    15   2      0    NULL"]),
            ("0c 04 c3 a9 0a 2e", ["     0   2      4  UTF8String \"é\\u{a}.\""]),
            ("03 02 04 f0", ["     0   2      2  BIT STRING f0, 4 bits unused"]),
            ("30 82 00 02 05 00", ["     0   4      2  SEQUENCE (padded length)"]),
            (
                "30 80 24 80 04 01 61 00 00 00 00",
                [
                    "     0   2  indef  SEQUENCE", "     2   2  indef    OCTET STRING",
                    "     4   2      1      OCTET STRING 61", "     7   2      0      end of contents",
                    "     9   2      0    end of contents",
                ]
            ),
        ]
    )
    func elements(_ digits: String, _ lines: [String]) async throws {
        let run = try await asn1(hex(digits))
        for line in lines { #expect(run.lines.contains(line), "\(line)\n\(run)") }
    }

    @Test(
        "shows an error at its place, and the elements after it",
        arguments: [
            ("30 05 02 00 02 01 07", "der.empty-contents", 4, "INTEGER 7"),
            ("30 07 30 02 04 05 02 01 07", "der.truncated", 6, "INTEGER 7"),
            ("30 07 30 02 1f 80 02 01 07", "der.non-minimal-tag", 4, "INTEGER 7"),
            ("30 80 02 01 07", "ber.invalid-end-of-contents", 5, "INTEGER 7"),
            ("30 0a 02 01 07", "der.truncated", 5, "INTEGER 7"),
            ("02 01 07 05 00", "der.trailing-bytes", 3, "NULL"),
            ("30 05 04 80 02 01 07", "der.indefinite-length", 3, "SEQUENCE"),
            ("30 85 01 00 00 00 00", "der.length-too-large", 1, "error"),
            ("30 05 06 03 2a 86 80", "der.invalid-object-identifier", 4, "2a8680"),
            ("ff", "der.truncated", 1, "error"),
        ]
    )
    func errors(_ digits: String, _ code: String, _ offset: Int, _ shown: String) async throws {
        let run = try await asn1(hex(digits))
        #expect(run.status == 1)
        let line = try #require(run.lines.first { $0.hasSuffix("(\(code))") }, "\(run)")
        #expect(line.split(separator: " ").first == "\(offset)", "\(line)")
        #expect(run.text.contains(shown), "\(run)")
        #expect(run.errors.contains("standard input: 1 error, the first at byte \(offset)"), "\(run)")
    }

    @Test("shows the encoding inside of a string with --deep")
    func deep() async throws {
        let bytes = hex("30 0c 04 04 30 02 05 00 04 04 30 03 05 00")
        let flat = try await asn1(bytes)
        #expect(flat.status == 0 && !flat.text.contains("NULL"))
        let deep = try await asn1(bytes, ["--deep"])
        #expect(deep.status == 0 && deep.lines.count { $0.contains("NULL") } == 1)
        #expect(deep.lines.contains("     6   2      0        NULL"), "\(deep)")
        let receipt = try await CommandRun(["asn1", "--deep", "Vectors/receipts/sandbox-sha256.b64"])
        #expect(receipt.status == 0 && receipt.text.contains("UTF8String \"com.example.receipts\""))
    }

    @Test("cuts long values, and shows them in full with --full")
    func full() async throws {
        let bytes = [0x04, 0x64] + [UInt8](repeating: 0xAB, count: 100)
        #expect(try await asn1(bytes).text.hasSuffix("abab…\n"))
        let whole = try await asn1(bytes, ["--full"])
        #expect(whole.text.hasSuffix(" \(String(repeating: "ab", count: 100))\n"))
        let text = String(repeating: "é", count: 50)
        let encoded = [0x0C, 0x64] + [UInt8](text.utf8)
        #expect(try await asn1(encoded).text.hasSuffix("éé…\"\n"))
        #expect(try await asn1(encoded, ["--full"]).text.hasSuffix(" \"\(text)\"\n"))
    }

    @Test("limits depth and number of elements")
    func bounds() async throws {
        let deep = try await asn1([UInt8](repeating: 0x30, count: 4000).flatMap { [$0, 0x80] })
        #expect(deep.status == 1 && deep.text.contains("(der.too-deep)") && deep.lines.count < 200)
        let nulls = (0..<0x18_0000).flatMap { _ in [0x05, 0x00] as [UInt8] }
        let many = [0x30, 0x83, 0x30, 0x00, 0x00] + nulls
        let run = try await asn1(many)
        #expect(run.status == 1 && run.text.hasSuffix("(der.too-many-elements)\n"))
    }

    @Test("shows a certificate in PEM, and refuses other text as unreadable")
    func text() async throws {
        let base64 = Data(try vector("certificates/root.der")).base64EncodedString()
        let pem = "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
        let run = try await asn1([UInt8](pem.utf8))
        #expect(run.status == 0 && run.text.contains("2.5.29.19 (basicConstraints)"))
        for nothing in ["", "hello, world"] {
            let run = try await asn1([UInt8](nothing.utf8))
            #expect(run.status == 3 && run.output.isEmpty, "\(run)")
        }
    }
}
