import Foundation
import TestSupport
import Testing

@Suite("app-receipt inspect")
struct InspectTests {
    private let root = ["--root", "Vectors/certificates/root.der"]

    private func inspect(_ file: String, _ options: [String] = []) async throws -> CommandRun {
        try await CommandRun(["inspect"] + options + ["Vectors/receipts/\(file)"])
    }

    @Test("says on the first line that a good receipt is verified, and shows all of it")
    func good() async throws {
        let run = try await inspect("production-sha256.der", root)
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(
            run.lines.first
                == "Vectors/receipts/production-sha256.der: verified against the given roots"
        )
        for line in [
            "  certificates              3", "  signer                    certificate 2",
            "  key                       RSA, 2048 bits, e = 65537",
            "  markers                   receipt signing (1.2.840.113635.100.6.11.1)",
            "  markers                   Apple intermediate (1.2.840.113635.100.6.2.1)",
            "  bundle identifier         com.example.receipts.mac", "In-app purchases: 6",
            "     cancellation date                2025-01-09T10:11:12.500Z",
            "     product type                     3, auto-renewable subscription",
            "     promotional offer identifier     welcome-back",
        ] {
            #expect(run.lines.contains(line), "\(line)")
        }
        let fingerprints = try Row.table(vector("certificates.tsv")).filter {
            ["leaf.der", "intermediate.der", "root.der"].contains($0["file"])
        }
        #expect(fingerprints.count == 3)
        for row in fingerprints { #expect(run.text.contains("SHA-256                   \(row["sha256"])")) }
    }

    @Test(
        "says on the first line why a receipt is not verified, and explains it",
        arguments: [
            (
                "root-foreign.der", ["--root", "Vectors/certificates/root.der"], "root:",
                "the command trusts only the given roots"
            ),
            ("xcode-like.der", [], "root:", "so it proves no purchase"),
            ("xcode-like.ber", [], "root:", "so it proves no purchase"),
            (
                "sandbox-sha256.der", ["--xcode-testing"], "certificate-path:",
                "this is no receipt of StoreKit testing in Xcode"
            ),
            ("sandbox-sha256.der", [], "root:", "the command trusts only Apple's roots"),
            (
                "leaf-without-marker.der", ["--root", "Vectors/certificates/root.der"], "leaf-marker:",
                "certificates of developers lack the mark"
            ),
            (
                "sandbox-sha256.der",
                ["--root", "Vectors/certificates/root.der", "--environment", "Production"], "environment:",
                "the receipt's environment is ProductionSandbox, and the command expects Production"
            ),
            (
                "sandbox-sha256.der", ["--root", "Vectors/certificates/root.der", "--bundle-id", "x"],
                "bundle-identifier:",
                "the receipt's bundle identifier is com.example.receipts, and the command expects x"
            ),
            (
                "production-sha1.der", ["--root", "Vectors/certificates/root.der", "--at", "now"],
                "certificate-path:", "Apple judges them at the receipt's creation date"
            ),
        ]
    )
    func refused(_ file: String, _ options: [String], _ step: String, _ hint: String) async throws {
        let run = try await inspect(file, options)
        #expect(run.status == 1)
        // A path of three is of a length that --xcode-testing does not support.
        let status = options == ["--xcode-testing"] ? "unsupported" : "invalid"
        let verdict = "Vectors/receipts/\(file): not verified (\(status)), \(step)"
        #expect(run.lines[0].hasPrefix(verdict), "\(run)")
        #expect(run.lines.contains { $0.hasPrefix("    hint: ") && $0.contains(hint) }, "\(run)")
        #expect(run.lines.contains("Payload, as the bytes claim"))
    }

    @Test(
        "shows a broken receipt as far as it can be read",
        arguments: [
            ("truncated.der", ["Certificate 0, at byte 258", "  environment               Production"]),
            ("two-signers.der", ["  signers                   2", "Certificate 2, at byte"]),
            ("no-signer.der", ["  signers                   0", "Payload, as the bytes claim"]),
            ("detached.der", ["Certificate 0, at byte", "Payload: none was found"]),
            ("trailing-byte.der", ["Certificate 2, at byte", "  app version               42"]),
            (
                "creation-date-missing.der",
                ["  creation date             -", "  app version               42"]
            ),
            (
                "bundle-identifier-not-utf8.der",
                [
                    "Payload, as the bytes claim, as far as it can be read",
                    "  3 app version             \"42\"",
                ]
            ),
        ]
    )
    func broken(_ file: String, _ lines: [String]) async throws {
        let run = try await inspect(file, root)
        #expect(run.status == 1)
        let status = file == "two-signers.der" ? "unsupported" : "invalid"
        #expect(run.lines[0].hasPrefix("Vectors/receipts/\(file): not verified (\(status)), "))
        for line in lines { #expect(run.lines.contains { $0.hasPrefix(line) }, "\(line)\n\(run)") }
    }

    @Test("shows no fingerprint of a certificate that is cut short")
    func fragment() async throws {
        let run = try await inspect("truncated.der", root)
        let start = try #require(run.lines.firstIndex { $0.hasPrefix("Certificate 1, at byte") })
        let end = try #require(run.lines[start...].firstIndex(of: ""))
        #expect(run.lines[start + 1].hasPrefix("  broken                    "), "\(run)")
        #expect(end == start + 2, "\(run)")
        #expect(run.lines[..<start].contains { $0.hasPrefix("  SHA-256  ") })
    }

    @Test("aligns a malformed purchase with the other values")
    func malformedPurchase() async throws {
        let run = try await inspect("malformed-purchase.der", root)
        let line = "  malformed                 The bytes end before the element does. (der.truncated)"
        #expect(run.status == 0 && run.lines.contains { $0.hasPrefix(line) }, "\(run)")
    }

    @Test(
        "shows a receipt that is truncated anywhere without a trap",
        arguments: ["vpp.der", "xcode-like.ber"]
    )
    func truncated(_ file: String) async throws {
        let receipt = try vector("receipts/\(file)")
        for count in stride(from: 1, to: receipt.count, by: 97) {
            for command in ["inspect", "asn1"] {
                let run = try await CommandRun([command], input: [UInt8](receipt.prefix(count)))
                #expect(run.status == 1 && !run.output.isEmpty, "\(count) \(run)")
            }
        }
    }

    @Test("names input that is no receipt")
    func other() async throws {
        let jws = try await inspect("signed-transaction.jws")
        #expect(jws.status == 1 && jws.lines[0].contains("not verified (unsupported), input: This is a JWS"))
        let garbage = try await inspect("not-base64.b64")
        #expect(garbage.status == 3 && garbage.lines[0].contains("not verified (unreadable), input: "))
        let zeros = try await CommandRun(["inspect"], input: [0x30] + [UInt8](repeating: 0, count: 300))
        #expect(
            zeros.status == 1 && zeros.lines[0].hasPrefix("standard input: not verified (invalid), container")
        )
    }
}
