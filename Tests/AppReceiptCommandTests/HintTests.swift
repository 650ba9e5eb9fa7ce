import Foundation
import TestSupport
import Testing

@Suite("what app-receipt advises")
struct HintTests {
    private static let root = ["--root", "Vectors/certificates/root.der"]

    /// The advice about a refusal; nil where there is none.
    private func hint(_ arguments: [String], input: [UInt8] = []) throws -> String? {
        let hints = try ["verify", "inspect"].map { command in
            let run = try CommandRun([command] + arguments, input: input)
            #expect(run.status == 1 || run.status == 3, "\(run)")
            let hints = run.lines.filter { $0.hasPrefix("    hint: ") }.map { $0.dropFirst(10) }
            #expect(hints.count <= 1, "\(run)")
            return hints.first.map { String($0) }
        }
        #expect(hints[0] == hints[1], "verify and inspect differ")
        return hints[0]
    }

    @Test(
        "a root is proposed where the path ends at it untrusted, and nowhere else",
        arguments: [
            ("root-foreign.der", root, "root-foreign.der"), ("root-impostor.der", root, "root-impostor.der"),
            ("sandbox-sha256.der", [], "root.der"), ("four-certificates.der", root, nil),
            ("intermediate-missing.der", root, nil), ("tampered-leaf.der", root, nil),
        ]
    )
    func untrustedRoot(_ file: String, _ options: [String], _ proposed: String?) throws {
        let hint = try hint(options + ["Vectors/receipts/\(file)"])
        guard let proposed else {
            #expect(hint == nil)
            return
        }
        let row = try Row.table(vector("certificates.tsv")).first { $0["file"] == proposed }
        let fingerprint = try #require(row)["sha256"]
        #expect(hint == "it carries the root \(fingerprint); if you trust that: --root \(fingerprint)")
    }

    @Test("the device of zeros is proposed where the hash is of it, and nowhere else")
    func device() throws {
        let zeros = String(repeating: "0", count: 32)
        try withDirectory { place in
            let receipt = place.appending(path: "receipt.der").path
            let root = place.appending(path: "root.der").path
            #expect(try CommandRun(["mint", "--out", receipt, "--root-out", root]).status == 0)
            let hint = try hint(["--root", root, "--device-id", "020000000001", receipt])
            #expect(hint == "the receipt was fetched from a server, for which --device-id is \(zeros)")
        }
        let other = "Vectors/receipts/sandbox-sha256.der"
        #expect(try hint(Self.root + ["--device-id", "020000000001", other]) == nil)
        #expect(try hint(Self.root + ["--device-id", zeros, other]) == nil)
    }

    @Test(
        "a mismatch says what was asked, and what the receipt says",
        arguments: [
            (
                ["--bundle-id", "a", "--bundle-id", "b", "Vectors/receipts/sandbox-sha256.der"],
                "the receipt is for com.example.receipts, and --bundle-id asks for a or b"
            ),
            (
                ["--app-version", "43", "Vectors/receipts/sandbox-sha256.der"],
                "the receipt is for version 42, and --app-version asks for 43"
            ),
            (
                ["--now", "2026-06-15T12:00:01Z", "Vectors/receipts/vpp.der"],
                "the receipt expired at 2026-06-15T12:00:00Z, before --now 2026-06-15T12:00:01Z"
            ),
        ]
    )
    func mismatch(_ arguments: [String], _ expected: String) throws {
        #expect(try hint(Self.root + arguments) == expected)
    }

    @Test("a certificate is named as one, in DER or PEM")
    func certificate() throws {
        let der = try vector("certificates/root.der")
        for input in [der, pem(der, "CERTIFICATE")] {
            #expect(try hint(["-"], input: input) == "this is a certificate, not a receipt")
        }
        #expect(try hint(["-"], input: Array(der.dropLast())) == nil)
    }

    @Test("JSON and quotes around a receipt are named, other text is not")
    func quotation() throws {
        let base64 = Data(try vector("receipts/sandbox-sha256.der")).base64EncodedString()
        let json = "this is JSON: jq -r '.\"receipt-data\"' FILE | app-receipt verify -"
        for (text, expected) in [
            ("{\"receipt-data\":\"\(base64)\"}", json),
            (" {\n  \"password\": \"\",\n  \"receipt-data\": \"\(base64)\"\n}\n", json),
            ("\"\(base64)\"\n", "remove the quotes around it"),
            ("'\(base64)'", "remove the quotes around it"),
            ("{\"receipt\":\"\(base64)\"}", nil), ("\"hello\"", nil), ("hello, world", nil), ("{", nil),
        ] {
            #expect(try hint(["-"], input: Array(text.utf8)) == expected, "\(text.prefix(40))")
        }
    }

    @Test("a receipt in PEM is the same receipt", arguments: ["PKCS7", "CMS"])
    func textualEncoding(_ label: String) throws {
        let der = try vector("receipts/sandbox-sha256.der")
        for command in ["verify", "inspect", "asn1"] {
            let options = command == "asn1" ? [] : Self.root
            let plain = try CommandRun([command] + options, input: der)
            let run = try CommandRun([command] + options, input: pem(der, label))
            #expect(run.status == 0 && run.output == plain.output, "\(run)")
        }
    }

    @Test("PEM inside of DER, and PEM whose base64 is broken, are not taken out")
    func noTextualEncoding() throws {
        let text = pem(try vector("receipts/sandbox-sha256.der"), "PKCS7")
        let string = [0x30, 0x82, UInt8(text.count >> 8), UInt8(text.count & 0xFF)] + text
        #expect(try CommandRun(["verify"] + Self.root, input: string).status == 1)
        let broken = text.map { $0 == UInt8(ascii: "M") ? UInt8(ascii: "!") : $0 }
        let run = try CommandRun(["verify", "--json"] + Self.root, input: broken)
        #expect(try run.objects().first?["error"]?["code"] == .string("input.not-base64"), "\(run)")
        #expect(run.status == 3)
    }

    @Test("an offset is in the input, whichever certificate it is in")
    func place() throws {
        let run = try CommandRun(["verify"] + Self.root + ["Vectors/receipts/four-certificates.der"])
        #expect(
            run.text.contains("    pkix.path-too-long at byte 1325, in certificate 1, reading "),
            "\(run)"
        )
    }

    private func pem(_ bytes: [UInt8], _ label: String) -> [UInt8] {
        let body = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Array("-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n".utf8)
    }
}
