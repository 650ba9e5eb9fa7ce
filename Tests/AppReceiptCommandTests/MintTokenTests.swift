import Foundation
import TestSupport
import Testing

@Suite("app-receipt mint-token")
struct MintTokenTests {
    private static let kinds = [
        "transaction", "renewal-info", "notification", "app-transaction", "realtime-request",
    ]
    private static let app = ["--bundle-id", "com.example.app", "--environment", "Production"]

    /// Makes a token and its root, and judges the token.
    private func judge(
        _ kind: String,
        _ options: [String],
        _ expectations: [String]
    ) async throws -> CommandRun {
        try await withDirectory { place in
            let token = place.appending(path: "token").path
            let root = place.appending(path: "root.der").path
            let minted = try await CommandRun(
                ["mint-token", "--kind", kind, "--out", token, "--root-out", root] + options
            )
            #expect(minted.status == 0 && minted.output.isEmpty && minted.errors.isEmpty, "\(minted)")
            return try await CommandRun(
                ["verify", "--json", "--kind", kind, "--root", root] + expectations + [token]
            )
        }
    }

    @Test("makes tokens of every kind that verify accepts under their root alone", arguments: kinds)
    func accepted(_ kind: String) async throws {
        for options in [[], ["--all-members"], ["--seed", "9"]] {
            let run = try await judge(kind, options, Self.app + ["--app-apple-id", "1234567890"])
            #expect(run.status == 0, "\(run.text)")
        }
        let token = try await CommandRun(["mint-token", "--kind", kind])
        let foreign = try await CommandRun(
            ["verify", "--kind", kind] + Self.app + ["-"],
            input: token.output
        )
        #expect(foreign.status == 1 && foreign.text.contains("root"), "\(foreign.text)")
    }

    @Test(
        "warns of a date at which the certificates are not valid",
        arguments: [
            (["--signed-date", "1999-12-31T23:59:59Z"], true), (["--signed-date", "2000-01-01"], false),
            (["--signed-date", "2049-12-31T23:59:59Z"], false),
            (["--signed-date", "2049-12-31T23:59:59.999Z"], false), (["--signed-date", "2050-01-01"], true),
            (["--set", "signedDate=2055-01-01T00:00:00Z"], true),
            (["--xcode-like", "--signed-date", "2055-01-01"], true), (["--xcode-like"], false),
            (["--flaw", "expired-path"], false),
        ]
    )
    func warning(_ options: [String], _ isWarned: Bool) async throws {
        let run = try await CommandRun(["mint-token"] + options)
        #expect(run.status == 0 && run.output.starts(with: "eyJ".utf8))
        #expect(run.errors.isEmpty == !isWarned, "\(run.errors)")
        let warning = "certificates are not valid: they are from 2000-01-01T00:00:00Z to 2049-12-31T23:59:59Z"
        #expect(run.errors.contains(warning) == isWarned, "\(run.errors)")
    }

    @Test("makes each object of a notification", arguments: ["summary", "externalPurchaseToken", "appData"])
    func contents(_ content: String) async throws {
        let run = try await judge("notification", ["--content", content], Self.app)
        #expect(run.status == 0 && run.text.contains("\"\(content)\":{"), "\(run.text)")
    }

    @Test("writes what the options say, inside a notification as well")
    func values() async throws {
        let run = try await judge(
            "notification",
            [
                "--bundle-id", "org.example", "--environment", "Sandbox", "--app-apple-id", "7",
                "--signed-date", "2025-01-01", "--set", "notificationType=REFUND", "--set", "data.status=5",
                "--set", "future={\"a\":1}",
            ],
            ["--bundle-id", "org.example", "--environment", "Sandbox", "--app-apple-id", "7"]
        )
        #expect(run.status == 0, "\(run.text)")
        for text in ["\"REFUND\"", "\"status\":5", "2025-01-01T00:00:00Z", "\"bundleId\":\"org.example\""] {
            #expect(run.text.contains(text), "\(run.text)")
        }
    }

    @Test("binds a transaction to a device, and signs as Xcode does")
    func others() async throws {
        let device = ["--device-verification-id", "8C0B3A54-6F0E-4B5D-9C52-0E7A1D4F2B36"]
        #expect(try await judge("transaction", device, Self.app + device).status == 0)
        #expect(try await judge("transaction", [], Self.app + device).status == 1)
        let xcode = ["--bundle-id", "com.example.app", "--environment", "Xcode", "--xcode-testing"]
        #expect(try await judge("transaction", ["--xcode-like"], xcode).status == 0)
    }

    @Test(
        "makes tokens that verify refuses at the step of their flaw",
        arguments: [
            ("tampered-payload", "signature"), ("wrong-algorithm", "header"), ("foreign-root", "root"),
            ("missing-leaf-marker", "leaf-marker"), ("expired-path", "certificate-path"),
            ("missing-date", "signed-date"), ("wrong-environment", "environment"),
            ("nested-other-app", "bundle-identifier"),
        ]
    )
    func flaws(_ flaw: String, _ step: String) async throws {
        let run = try await judge("notification", ["--flaw", flaw], Self.app)
        #expect(run.status == 1 && run.text.contains("\"step\":\"\(step)\""), "\(run.text)")
    }

    @Test("writes certificates and keys that openssl reads")
    func pki() async throws {
        try await withDirectory { place in
            let pki = place.appending(path: "pki").path
            let run = try await CommandRun(["mint-token", "--pki", pki])
            #expect(run.status == 0 && run.output.isEmpty, "\(run)")
            for name in ["root", "intermediate", "leaf"] {
                let key = try await ProgramRun(
                    "/usr/bin/env",
                    ["openssl", "pkey", "-inform", "DER", "-in", "\(pki)/\(name).key.der", "-pubout"]
                )
                let certificate = try await ProgramRun(
                    "/usr/bin/env",
                    ["openssl", "x509", "-inform", "DER", "-in", "\(pki)/\(name).der", "-pubkey", "-noout"]
                )
                #expect(key.text == certificate.text && key.text.contains("PUBLIC KEY"), "\(name)")
            }
        }
    }

    @Test(
        "refuses options that make no sense",
        arguments: [
            ["--kind", "receipt"], ["--content", "data"], ["--flaw", "rotten"],
            ["--flaw", "nested-other-app"], ["--kind", "renewal-info", "--flaw", "wrong-bundle"],
            ["--set", "price"], ["--set", "=1"], ["--set", "price=high"], ["--set", "signedDate=soon"],
            ["--xcode-like", "--flaw", "truncated"], ["--xcode-like", "--pki", "pki"],
            ["--signed-date", "soon"], ["--app-apple-id", "0"], ["token"],
        ]
    )
    func nonsense(_ options: [String]) async throws {
        let run = try await CommandRun(["mint-token"] + options)
        #expect(
            run.status == 2 && run.output.isEmpty && run.errors.contains("mint-token --help"),
            "\(run.errors)"
        )
    }
}

@Suite("mint-corpus, which makes tokens for tests and benchmarks")
struct MintTokenCorpusTests {
    private func records(_ kind: String, _ options: [String]) async throws -> [[String: String]] {
        let run = try await CommandRun(["mint-corpus", "--kind", kind, "--format", "ndjson"] + options)
        try #require(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return try run.text.split(separator: "\n").map { line in
            guard case .object(let object) = try JSONValue.parse([UInt8](line.utf8)) else {
                throw CocoaError(.fileReadCorruptFile)
            }
            return object.compactMapValues(\.string)
        }
    }

    @Test(
        "says of each token what verify finds",
        arguments: ["transaction", "renewal-info", "notification", "app-transaction", "realtime-request"]
    )
    func truth(_ kind: String) async throws {
        try await withDirectory { place in
            let root = place.appending(path: "root").path
            let all = try await records(kind, ["--count", "60", "--bad", "0.8", "--root-out", root])
            #expect(all.count == 60 && Set(all.map { $0["token"] }).count == 60)
            for app in 1...3 {
                let identifier = "com.example.app\(app)"
                let records = all.filter { $0["bundle_id"] == identifier }
                let files = try records.map { record in
                    let file = place.appending(path: UUID().uuidString)
                    try Data((record["token"] ?? "").utf8).write(to: file)
                    return file.path
                }
                #expect(Set(files).count == files.count && !files.isEmpty)
                let verified = try await CommandRun(
                    [
                        "verify", "--json", "--root", root, "--kind", kind, "--environment", "Production",
                        "--app-apple-id", "1234567890", "--bundle-id", identifier,
                    ] + files
                )
                let results = try verified.objects()
                #expect(results.count == records.count)
                for (result, record) in zip(results, records) {
                    for name in ["status", "step", "code", "sha256"] {
                        #expect(result[name]?.string ?? "" == record[name], "\(name) of \(record)")
                    }
                }
            }
        }
    }

    @Test("makes a token from its number and the seed alone, by all signers")
    func seeds() async throws {
        func lines(_ options: String...) async throws -> [Substring] {
            try await CommandRun(["mint-corpus", "--kind", "transaction"] + options).text
                .split(separator: "\n")
        }
        let many = try await lines("--count", "140", "--chains", "3")
        let four = try await lines("--count", "4", "--chains", "3")
        #expect(many.count == 140 && four == Array(many[..<4]))
        #expect(Set(many.map { $0.prefix { $0 != "." } }).count == 3)
        #expect(try await lines("--count", "4", "--chains", "3", "--seed", "2") != four)
    }

    @Test("keeps to the share of bad tokens and their kinds")
    func shares() async throws {
        let minted = try await records(
            "transaction",
            ["--count", "50", "--bad", "0.5", "--kinds", "missing-date,not-base64"]
        )
        let kinds = Dictionary(grouping: minted) { $0["kind"] ?? "" }.mapValues(\.count)
        #expect(Set(kinds.keys) == ["good", "missing-date", "not-base64"])
        #expect((12...38).contains(kinds["good", default: 0]))
    }

    @Test(
        "refuses kinds that such tokens cannot have",
        arguments: [
            ["--kind", "receipt"], ["--kind", "transaction", "--kinds", "nested-other-app"],
            ["--kind", "notification", "--kinds", "missing-marker"], ["--kinds", "missing-date"],
        ]
    )
    func nonsense(_ options: [String]) async throws {
        let run = try await CommandRun(["mint-corpus", "--count", "1"] + options)
        #expect(run.status == 2 && run.output.isEmpty, "\(run.errors)")
    }
}
