import Foundation
import TestSupport
import Testing

@Suite("Transaction receipts on the command line")
struct TransactionReceiptCommandTests {
    /// Mints a receipt, and runs a body with the paths of the receipt, and of its root and issuer as options.
    private func withReceipt(
        _ options: [String] = [],
        _ body: (_ receipt: String, _ trust: [String]) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            let paths = ["receipt", "root", "issuer"].map { directory.appending(path: $0).path }
            // The key of version 2 is generated, and version 3 is quicker.
            let version = options.contains("--signature-version") ? [] : ["--signature-version", "3"]
            let run = try await CommandRun(
                ["mint-transaction"] + version + options
                    + ["--out", paths[0], "--root-out", paths[1], "--issuer-out", paths[2]]
            )
            #expect(run.status == 0, "\(run)")
            try await body(paths[0], ["--root", paths[1], "--issuer", paths[2]])
        }
    }

    @Test(
        "verify accepts a minted receipt of each version, and writes what it says",
        arguments: ["2", "3", "4"]
    )
    func verified(_ version: String) async throws {
        try await withReceipt(["--signature-version", version, "--expires", "2015-07-01"]) { receipt, trust in
            let expected = ["--bundle-id", "com.example.app", "--environment", "ProductionSandbox"]
            let run = try await CommandRun(["verify", "--json"] + expected + trust + [receipt])
            let object = try #require(run.objects().first)
            #expect(run.status == 0 && object["status"] == .string("valid"), "\(run)")
            let skipped = ["revocation", "app-version", "device-hash"]
            #expect(object["not_checked"] == .array(skipped.map { .string($0) }))
            #expect(object["receipt"] == nil)
            let said = try #require(object["transaction_receipt"])
            #expect(said["signature_version"] == .number(Int64(version) ?? 0))
            #expect(said["claimed_environment"] == .string("Sandbox"))
            #expect(said["bundle_id"] == .string("com.example.app"))
            #expect(said["product_id"] == .string("com.example.app.pro"))
            #expect(said["purchase_date"] == .string("2015-06-01T12:00:00Z"))
            #expect(said["expires_date"] == .string("2015-07-01T00:00:00Z"))
            let isNew = version == "4"
            #expect(said["in_app_ownership_type"] == (isNew ? .string("PURCHASED") : .null))
            #expect(said["is_trial_period"] == (isNew ? .bool(false) : .null))
            #expect(said["is_in_intro_offer_period"] == (isNew ? .bool(false) : .null))
            #expect(said["subscription_group_identifier"] == (isNew ? .string("20400000") : .null))
            #expect(said["purchase_info"]?.elements.count == (isNew ? 21 : 16))
            #expect(said["cancellation_reason"] == nil)
            let text = try await CommandRun(["verify"] + expected + trust + [receipt]).text
            #expect(text.contains("valid\n    com.example.app 1, transaction 1000000000000001 of"))
        }
    }

    @Test("verify names the step of a refused receipt, and the value that was found")
    func refused() async throws {
        try await withReceipt { receipt, trust in
            let other = ["--bundle-id", "com.example.other", "--environment", "any"]
            let run = try await CommandRun(["verify", "--json"] + other + trust + [receipt])
            let object = try #require(run.objects().first)
            #expect(run.status == 1 && object["step"] == .string("bundle-identifier"), "\(run)")
            #expect(object["error"]?["found"] == .string("com.example.app"))
            #expect(object["transaction_receipt"] == nil)
            // Without the issuer, and under Apple's root.
            let noIssuer = try await CommandRun(
                ["verify", "--json"] + CommandRun.anyReceipt + Array(trust.prefix(2)) + [receipt]
            )
            #expect(try noIssuer.objects().first?["code"] == .string("pkix.issuer-not-found"))
            let apple = try await CommandRun(["verify", "--json"] + CommandRun.anyReceipt + [receipt])
            #expect(try apple.objects().first?["step"] == .string("certificate-path"))
            let sha256 = ["--require-sha256"] + CommandRun.anyReceipt + trust
            #expect(try await CommandRun(["verify"] + sha256 + [receipt]).status == 1)
            let device = ["--device-id", "00112233445566778899aabbccddeeff"] + CommandRun.anyReceipt + trust
            let elsewhere = try await CommandRun(["verify", "--json"] + device + [receipt])
            #expect(try elsewhere.objects().first?["step"] == .string("device-hash"))
        }
    }

    @Test("a receipt of the sandbox without its environment is refused as one from production")
    func production() async throws {
        try await withReceipt(["--environment", "none"]) { receipt, trust in
            let expected = ["--bundle-id", "any", "--environment", "Production"]
            let run = try await CommandRun(["verify", "--json"] + expected + trust + [receipt])
            let code = try run.objects().first?["code"]
            #expect(code == .string("transaction.environment-contradiction"), "\(run)")
        }
    }

    @Test("inspect shows the list, the certificate and the purchase, verified or not")
    func inspected() async throws {
        try await withReceipt { receipt, trust in
            let run = try await CommandRun(["inspect"] + trust + [receipt])
            #expect(run.status == 0 && run.text.contains("verified against the given roots"), "\(run)")
            #expect(run.text.contains("\nProperty list, which is not signed\n"))
            #expect(run.text.contains("receipt signing (1.2.840.113635.100.6.11.1)"))
            #expect(run.text.contains("\nPurchase\n") && run.text.contains("com.example.app.pro"))
            let claims = try await CommandRun(["inspect", receipt])
            #expect(claims.status == 1 && claims.text.contains("\nPurchase, as the bytes claim\n"))
            let json = try await CommandRun(["inspect", "--json", receipt])
            let object = try #require(json.objects().first)
            #expect(object["transaction_receipt"] == nil && object["unverified_receipt"] == nil)
            let claimed = object["unverified_transaction_receipt"]
            #expect(claimed?["product_id"] == .string("com.example.app.pro"))
            #expect(object["certificates"]?.elements.count == 1)
        }
    }

    @Test("corpus verify judges both formats in one file, in their order")
    func corpus() async throws {
        try await withReceipt { receipt, trust in
            let transaction = try String(contentsOfFile: receipt, encoding: .utf8).dropLast()
            let app = Data(try vector("receipts/sandbox-sha256.der")).base64EncodedString()
            let damaged = transaction.replacing("Zj", with: "Zk")
            let corpus = [
                transaction[...], app[...], transaction[...], damaged[...], "eyJhbGciOiJFUzI1NiJ9.e30.AA",
            ]
            .joined(separator: "\n")
            let root = ["--root", "Vectors/certificates/root.der"]
            for jobs in ["1", "2"] {
                let run = try await CommandRun(
                    ["corpus", "verify", "--quiet", "--jobs", jobs, "--format", "base64"]
                        + CommandRun.anyReceipt
                        + root + trust + ["-"],
                    input: [UInt8]((corpus + "\n").utf8)
                )
                let objects = try run.objects()
                try #require(
                    objects.map { $0["status"]?.string }
                        == ["valid", "valid", "valid", "invalid", "unsupported"],
                    "\(run)"
                )
                #expect(objects[0]["transaction_receipt"]?["product_id"] == .string("com.example.app.pro"))
                #expect(objects[0]["transaction_receipt"]?["purchase_info"] == nil)
                #expect(objects[1]["receipt"] != nil && objects[1]["transaction_receipt"] == nil)
                #expect(
                    objects[0]["sha256"] == objects[2]["sha256"] && objects[0]["key"] != objects[2]["key"]
                )
            }
            let table = try await CommandRun(
                ["corpus", "verify", "--quiet", "--format", "base64", "--csv", "--rows", "purchases"]
                    + CommandRun.anyReceipt + root + trust + ["-"],
                input: [UInt8](transaction.utf8)
            )
            try #require(table.lines.count == 3, "\(table)")
            let columns = table.lines[0].split(separator: ",", omittingEmptySubsequences: false)
            let place = try #require(columns.firstIndex(of: "purchase.product_id"))
            #expect(table.lines[1].contains(",com.example.app.pro,1000000000000001,"))
            #expect(place > 0)
        }
    }

    @Test("asn1 shows the certificate, and refuses a broken receipt")
    func asn1() async throws {
        try await withReceipt { receipt, _ in
            let run = try await CommandRun(["asn1", receipt])
            #expect(run.status == 0 && run.text.contains("Mint Receipt Signing"), "\(run)")
        }
        let broken = try await CommandRun(["asn1", "Vectors/receipts/transaction-receipt.b64"])
        #expect(broken.status == 1 && broken.errors.contains("transaction.unsupported-version"), "\(broken)")
        #expect(broken.output.isEmpty)
    }

    @Test("a wrong issuer or version is a wrong command line")
    func usage() async throws {
        let issuer = ["verify", "--issuer", "Vectors/receipts.tsv"] + CommandRun.anyReceipt
        let run = try await CommandRun(issuer + ["Vectors/receipts/sandbox-sha256.der"])
        #expect(run.status == 2 && run.errors.contains("--issuer"), "\(run)")
        let version = try await CommandRun(["mint-transaction", "--signature-version", "1"])
        #expect(version.status == 2 && version.errors.contains("1 is none of 2|3|4"), "\(version)")
        let twice = try await CommandRun(["mint-transaction", "--root-out", "same", "--issuer-out", "same"])
        #expect(twice.status == 2 && twice.errors.contains("same is named twice"), "\(twice)")
    }
}
