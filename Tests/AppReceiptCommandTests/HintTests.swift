import Foundation
import TestSupport
import Testing

@Suite("Hints of app-receipt")
struct HintTests {
    private static let root = ["--root", "Vectors/certificates/root.der"]
    /// The root of the vectors, every app and every environment.
    private static let any = root + CommandRun.anyReceipt

    /// The hint about a refusal, or nil. Fails if a hint names an option.
    private func hint(_ arguments: [String], input: [UInt8] = []) async throws -> String? {
        var arguments = arguments
        for index in [0, 2] where !arguments.contains(CommandRun.anyReceipt[index]) {
            arguments = CommandRun.anyReceipt[index..<(index + 2)] + arguments
        }
        let hints = try await ["verify", "inspect"].mapInTurn { command in
            let run = try await CommandRun([command] + arguments, input: input)
            #expect(run.status == 1 || run.status == 3, "\(run)")
            let hints = run.lines.filter { $0.hasPrefix("    hint: ") }.map { $0.dropFirst(10) }
            #expect(hints.count <= 1, "\(run)")
            return hints.first.map { String($0) }
        }
        #expect(hints[0] == hints[1], "verify and inspect differ")
        let isOfXcode = hints[0]?.contains("StoreKit testing in Xcode; anybody can make one") ?? false
        #expect(hints[0]?.contains("--") != true || isOfXcode, "a hint names an option")
        return hints[0]
    }

    @Test(
        "names the untrusted root that the path ends at",
        arguments: [
            ("root-foreign.der", root, "root-foreign.der"), ("root-impostor.der", root, "root-impostor.der"),
            ("sandbox-sha256.der", [], "root.der"), ("four-certificates.der", root, nil),
            ("intermediate-missing.der", root, nil), ("tampered-leaf.der", root, nil),
        ]
    )
    func untrustedRoot(_ file: String, _ options: [String], _ untrusted: String?) async throws {
        let hint = try await hint(options + ["Vectors/receipts/\(file)"])
        guard let untrusted else {
            #expect(hint == nil)
            return
        }
        let row = try Row.table(vector("certificates.tsv")).first { $0["file"] == untrusted }
        let fingerprint = try #require(row)["sha256"]
        let trusted = options.isEmpty ? "Apple's roots" : "the given roots"
        #expect(
            hint
                == "the path ends at the root with the SHA-256 \(fingerprint); the command trusts only \(trusted)"
        )
    }

    @Test("names the option for a receipt of Xcode, and who must not use it", arguments: ["der", "ber"])
    func xcode(_ suffix: String) async throws {
        let hint = try #require(try await hint(["Vectors/receipts/xcode-like.\(suffix)"]))
        for part in [
            "anybody can make one, so it proves no purchase",
            "For tests on your own machine, --xcode-testing",
            "On a server that customers reach, it would give everything away",
        ] { #expect(hint.contains(part), "\(hint)") }
    }

    @Test("says that a receipt was fetched from a server if its device is 16 zero bytes")
    func device() async throws {
        let zeros = String(repeating: "0", count: 32)
        try await withDirectory { place in
            let receipt = place.appending(path: "receipt.der").path
            let root = place.appending(path: "root.der").path
            #expect(try await CommandRun(["mint", "--out", receipt, "--root-out", root]).status == 0)
            let hint = try await hint(["--root", root, "--device-id", "020000000001", receipt])
            #expect(
                hint
                    == "the receipt was fetched from Apple's server: its device is 16 zero bytes, not a real one"
            )
        }
        let other = "Vectors/receipts/sandbox-sha256.der"
        #expect(try await hint(Self.root + ["--device-id", "020000000001", other]) == nil)
        #expect(try await hint(Self.root + ["--device-id", zeros, other]) == nil)
    }

    @Test(
        "says the found and the expected value of a mismatch",
        arguments: [
            (
                ["--bundle-id", "a", "--bundle-id", "b", "Vectors/receipts/sandbox-sha256.der"],
                "the receipt's bundle identifier is com.example.receipts, and the command expects a or b"
            ),
            (
                ["--environment", "Production", "Vectors/receipts/sandbox-sha256.der"],
                "the receipt's environment is ProductionSandbox, and the command expects Production"
            ),
            (
                ["--app-version", "43", "Vectors/receipts/sandbox-sha256.der"],
                "the receipt's app version is 42, and the command expects 43"
            ),
            (
                ["--now", "2026-06-15T12:00:01Z", "Vectors/receipts/vpp.der"],
                "the receipt expired at 2026-06-15T12:00:00Z, before 2026-06-15T12:00:01Z"
            ),
        ]
    )
    func mismatch(_ arguments: [String], _ expected: String) async throws {
        #expect(try await hint(Self.root + arguments) == expected)
    }

    @Test("recognises a certificate in DER or PEM")
    func certificate() async throws {
        let der = try vector("certificates/root.der")
        for input in [der, pem(der, "CERTIFICATE")] {
            #expect(try await hint(["-"], input: input) == "this is a certificate, not a receipt")
        }
        #expect(try await hint(["-"], input: Array(der.dropLast())) == nil)
    }

    @Test("reads a receipt in PEM", arguments: ["PKCS7", "CMS"])
    func textualEncoding(_ label: String) async throws {
        let der = try vector("receipts/sandbox-sha256.der")
        for command in ["verify", "inspect", "asn1"] {
            let options = command == "asn1" ? [] : Self.any
            let plain = try await CommandRun([command] + options, input: der)
            let run = try await CommandRun([command] + options, input: pem(der, label))
            #expect(run.status == 0 && run.output == plain.output, "\(run)")
        }
    }

    @Test("does not decode PEM inside of DER, or PEM with broken base64")
    func noTextualEncoding() async throws {
        let text = pem(try vector("receipts/sandbox-sha256.der"), "PKCS7")
        let string = [0x30, 0x82, UInt8(text.count >> 8), UInt8(text.count & 0xFF)] + text
        #expect(try await CommandRun(["verify"] + Self.any, input: string).status == 1)
        let broken = text.map { $0 == UInt8(ascii: "M") ? UInt8(ascii: "!") : $0 }
        let run = try await CommandRun(["verify", "--json"] + Self.any, input: broken)
        #expect(try run.objects().first?["code"] == .string("input.not-base64"), "\(run)")
        #expect(run.status == 3)
    }

    @Test("counts offsets from the start of the input, also inside of a certificate")
    func place() async throws {
        let run = try await CommandRun(["verify"] + Self.any + ["Vectors/receipts/four-certificates.der"])
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
