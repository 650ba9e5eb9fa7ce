import Foundation
import TestSupport
import Testing

@Suite("app-receipt corpus verify --kind")
struct CorpusTokenTests {
    private static let kinds = [
        "transaction", "renewal-info", "notification", "app-transaction", "realtime-request",
    ]
    /// The expectations under which the vectors without a device and a time have their verdicts.
    private static let options =
        TokenTests.root + TokenTests.app
        + ["--app-apple-id", "1234567890", "--environment", "Production", "--environment", "Sandbox"]

    /// The tokens of the vectors that need no other trust, device or time.
    private static func tokens(_ kind: String) throws -> [(token: String, step: String, code: String)] {
        try TokenTests.vectors().filter { vector in
            let row = vector.row
            return row["kind"] == kind && row["trust"] == "pinned"
                && ["root", "device", "now"].allSatisfy { row[$0].isEmpty }
        }.map { ($0.token, $0.row["step"], $0.row["code"]) }
    }

    /// The member that holds tokens of a kind in what Apple sends.
    private static func member(_ kind: String) -> String {
        let names = [
            "transaction": "signedTransactionInfo", "renewal-info": "signedRenewalInfo",
            "app-transaction": "signedAppTransactionInfo",
        ]
        return names[kind] ?? "signedPayload"
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Encodes tokens as the records of a format.
    private static func encode(_ tokens: [String], _ format: String, _ kind: String) -> [UInt8] {
        func lines(_ header: String = "", _ line: (Int, String) -> String) -> [UInt8] {
            [UInt8](header.utf8) + tokens.enumerated().flatMap { [UInt8]((line($0, $1) + "\n").utf8) }
        }
        let name = member(kind)
        switch format {
        case "base64": return lines { $0 % 2 == 0 ? $1 : "{\"\(name)\":\(quoted($1))}" }
        case "hex": return lines { Corpus.hexadecimal([UInt8]($1.utf8)) }
        case "ndjson": return lines { "{\"id\":\($0),\"\($0 % 2 == 0 ? name : "token")\":\(quoted($1))}" }
        case "csv": return lines("id,jws\n") { "\($0),\"\($1.replacing("\"", with: "\"\""))\"" }
        case "tsv": return lines("id\t\(name)\n") { "\($0)\t\($1)" }
        case "pgcopy": return lines { "\\\\x\(Corpus.hexadecimal([UInt8]($1.utf8)))\t\($0)" }
        case "length-prefixed": return tokens.flatMap { Corpus.prefixed([UInt8]($0.utf8)) }
        default: return []
        }
    }

    private static func run(_ arguments: [String], _ input: [UInt8]) async throws -> CommandRun {
        try await CommandRun(["corpus", "verify", "--allow-unreadable", "--quiet"] + arguments, input: input)
    }

    /// The lines without the key and the place, which differ between commands.
    private static func verdicts(_ run: CommandRun) -> [Substring] {
        run.lines.dropLast().map { line in
            line.range(of: "\"sha256\":").map { line[$0.lowerBound...] } ?? Substring(line)
        }
    }

    @Test("says of tokens, and not of receipts, that the format base64 reads them")
    func guessed() async throws {
        let token = try TokenTests.token("every member of a transaction")
        let receipt = Data(try vector("receipts/sandbox-sha256.der")).base64EncodedString()
        for (text, isToken) in [(token, true), (" \(token)\n\(token)", true), (receipt, false)] {
            let run = try await CommandRun(
                ["corpus", "verify", "--kind", "transaction"] + CommandRun.anyReceipt + ["-"],
                input: [UInt8](text.utf8)
            )
            let kind = isToken ? "tokens, which the format base64 reads" : "base64"
            #expect(run.errors.contains("standard input looks like \(kind);"), "\(run.errors)")
        }
    }

    @Test(
        "every token has the result of verify, in every format and with any number of jobs",
        arguments: kinds
    )
    func formats(_ kind: String) async throws {
        let tokens = try Self.tokens(kind)
        #expect(tokens.count > 5 && tokens.contains { $0.step == "accept" })
        let shown = try await CommandRun(
            ["inspect", "--json", "-"],
            input: [UInt8](TokenTests.token("every member of a transaction").utf8)
        )
        // A root that is known by its certificate may be missing from x5c.
        let root = try #require(try shown.objects().first?["certificates"]?.elements.last?["sha256"]?.string)
        let options = ["--kind", kind, "--root", root] + Self.options.dropFirst(2)
        try await withDirectory { place in
            let files = tokens.indices.map { place.appending(path: "\(1000 + $0)") }
            for (file, token) in zip(files, tokens) { try Data(token.token.utf8).write(to: file) }
            let single = try await CommandRun(["verify", "--json"] + options + files.map(\.path))
            let expected = Self.verdicts(single)
            #expect(expected.count == tokens.count)
            for (line, token) in zip(expected, tokens) {
                #expect(line.contains("\"status\":\"valid\"") == (token.step == "accept"))
                #expect(token.code.isEmpty || line.contains("\"code\":\"\(token.code)\""))
            }
            let all = options + ["--fields", "all"]
            #expect(Self.verdicts(try await Self.run(all + [place.path], [])) == expected)
            for format in Corpus.formats {
                let source = Self.encode(tokens.map(\.token), format, kind)
                let one = try await Self.run(all + ["--format", format, "--jobs", "1", "-"], source)
                #expect(one.status == 0 && Self.verdicts(one) == expected, "\(format)")
                let two = try await Self.run(all + ["--format", format, "--jobs", "2", "-"], source)
                #expect(two.output == one.output)
            }
        }
    }

    @Test("CSV says what JSON says, cell by cell", arguments: kinds, ["none", "brief", "all"])
    func csv(_ kind: String, _ fields: String) async throws {
        // A member that Apple may add has a number that is no integer.
        let tokens = try Self.tokens(kind).map(\.token).filter { !$0.isEmpty }
        let source = Self.encode(tokens, "ndjson", kind) + [UInt8]("x\n".utf8)
        let options =
            ["--kind", kind, "--fields", fields, "--keep", "id", "--format", "ndjson"] + Self.options
        let lines = try await Self.run(options + ["-"], source).lines.dropLast()
        let table = CSVTable(try await Self.run(options + ["--csv", "-"], source).text)
        #expect(table.rows.count == lines.count && Set(table.names).count == table.names.count)
        for (row, line) in zip(table.rows, lines) {
            #expect(row.count == table.names.count)
            guard let object = try? JSONValue.parse([UInt8](line.utf8)) else { continue }
            for (name, cell) in zip(table.names, row) {
                let value = name.split(separator: ".").reduce(object) { $0?[String($1)] }
                #expect(try CorpusOutputTests.agrees(cell, value), "\(name): \(cell)")
            }
        }
        let hasPayload = table.names.contains { $0.hasPrefix("payload.") }
        #expect(hasPayload == (fields != "none") && !table.names.contains { $0.hasPrefix("receipt") })
        #expect(table.names.contains("error.nested_token") == (kind == "notification"))
    }

    @Test("a brief payload names the app, the notification, and what was bought")
    func brief() async throws {
        func payload(_ kind: String, _ name: String) async throws -> JSONValue {
            let source = [UInt8](try TokenTests.token(name).utf8)
            let run = try await Self.run(["--kind", kind] + Self.options + ["-"], source)
            return try #require(try run.objects().first?["payload"])
        }
        let transaction = try await payload("transaction", "every member of a transaction")
        #expect(transaction["bundleId"]?.string == "com.example.app" && transaction["subtype"] == .null)
        #expect(transaction["environment"]?.string == "Sandbox" && transaction["expiresDate"] == nil)
        #expect(transaction["transactionId"]?.string == "2000000000000002")
        let notification = try await payload("notification", "a notification with data")
        #expect(
            notification["notificationType"]?.string != nil && notification["notificationUUID"]?.string != nil
        )
        for name in ["bundleId", "environment", "transactionId", "originalTransactionId", "productId"] {
            #expect(notification[name]?.string != nil && notification[name] == transaction[name], "\(name)")
        }
        let app = try await payload("app-transaction", "every member of an app transaction")
        #expect(app["environment"]?.string != nil && app["signedDate"]?.string != nil)
        #expect(app["bundleId"]?.string == "com.example.app" && app["transactionId"] == .null)
        let renewal = try await payload("renewal-info", "every member of renewal information")
        #expect(renewal["bundleId"] == .null && renewal["originalTransactionId"]?.string != nil)
    }

    @Test("notifications are judged as they arrive, between records that are none")
    func notifications() async throws {
        let token = try TokenTests.token("a notification with data")
        let transaction = try TokenTests.token("every member of a transaction")
        let body = "{\"signedPayload\":\"\(token)\"}"
        let cases: [(String, String)] = [
            (body, "valid"), ("", "input.empty"), ("{\"signedPayload\":null}", "record.missing-field"),
            ("{\"signedPayload\":null,\"token\":\"\(token)\"}", "valid"),
            ("{\"signedPayload\":{\"signedPayload\":\"\(token)\"}}", "valid"), ("{}", "record.missing-field"),
            ("{\"signedPayload\":7}", "record.missing-field"), ("junk", "record.not-json"),
            ("[\"\(token)\"]", "record.missing-field"),
            ("{\"receipt\":\"\(token)\"}", "record.missing-field"),
            ("{\"signedPayload\":\"\"}", "input.empty"), ("{\"signedPayload\":\"x\"}", "jws.segments"),
            ("{\"signedPayload\":{}}", "jws.segments"),
            ("{\"signedPayload\":\"\(transaction)\"}", "payload.other-kind"),
            ("{\"token\":\(Self.quoted(body))}", "valid"), ("{\"signedPayload\":\"\(token)\\n\"}", "valid"),
            ("{\"signedPayload\":\"\(token)", "record.not-json"),
        ]
        let options = ["--kind", "notification", "--format", "ndjson"] + Self.options
        let run = try await Self.run(
            options + ["-"],
            [UInt8](cases.map { $0.0 + "\n" }.joined().utf8)
        )
        #expect(try run.codes() == cases.map(\.1), "\(run)")
        #expect(try run.all("kind").allSatisfy { $0 == .string("notification") })
        let digests = try run.objects().filter { $0["status"]?.string == "valid" }.map { $0["sha256"] }
        #expect(digests.count == 5 && Set(digests.map { $0?.string }).count == 1)
        // The same object as one line, as a file, and in a named field.
        let single = try await Self.run(
            ["--kind", "notification"] + Self.options + ["-"],
            [UInt8](body.utf8)
        )
        #expect(Self.verdicts(single) == [Self.verdicts(run)[0]])
        let pretty = "{\r\n \"signedPayload\" :\r\n\"\(token)\"}\r\n"
        let file = try await Self.run(
            ["--kind", "notification"] + Self.options + ["-"],
            [UInt8](pretty.utf8)
        )
        #expect(Self.verdicts(file) == [Self.verdicts(run)[0]])
        let log =
            "{\"time\":1,\"body\":\(body)}\n{\"time\":2,\"body\":\(Self.quoted(body))}\n{\"body\":null}\n"
        for field in ["body", "body.signedPayload"] {
            let found = try await Self.run(options + ["--field", field, "-"], [UInt8](log.utf8))
            let codes = ["valid", field == "body" ? "valid" : "record.missing-field", "record.missing-field"]
            #expect(try found.codes() == codes)
        }
    }

    @Test("a record can name its environment and its bundle identifier")
    func expectations() async throws {
        let token = try TokenTests.token("every member of a transaction")
        let rows = [
            ("com.example.app", "Sandbox", "valid"),
            ("com.example.other", "Sandbox", "payload.bundle-identifier-mismatch"),
            ("com.example.app", "Production", "payload.environment-mismatch"),
            ("", "Sandbox", "record.no-expectation"),
            ("com.example.app", "ProductionSandbox", "record.no-expectation"),
            ("com.example.app", "Sandbox", "valid"),
        ]
        let lines = rows.map { "\($0.0),\($0.1),\(token)\n" }.joined()
        let options = ["--kind", "transaction", "--format", "csv"] + TokenTests.root
        let fields = ["--bundle-id-field", "app", "--environment-field", "environment"]
        let run = try await Self.run(
            options + fields + ["-"],
            [UInt8]("app,environment,token\n\(lines)".utf8)
        )
        #expect(try run.codes() == rows.map(\.2), "\(run)")
        let mismatch = try #require(try run.objects()[1]["error"])
        #expect(mismatch["found"]?.string == "com.example.app")
        #expect(mismatch["expected"]?.elements == [.string("com.example.other")])
    }

    @Test("refuses text that holds no token, and warns that no record has one")
    func noTokens() async throws {
        let options = ["--kind", "transaction"] + TokenTests.root + CommandRun.anyReceipt
        let receipts = Corpus.encode(Array(repeating: Corpus.good, count: 3), "base64")
        let run = try await CommandRun(["corpus", "verify"] + options + ["-"], input: receipts)
        #expect(try run.codes() == Array(repeating: "jws.segments", count: 3))
        #expect(run.status == 3)
        #expect(run.errors.contains("the records hold no tokens, or their column is too short"), "\(run)")
        let token = try TokenTests.token("every member of a transaction")
        for (format, text, codes) in [
            (
                "base64", "\(token) \(token)\n\(token)=\n\"\(token)\"\n",
                ["jws.segments"] + Array(repeating: "jws.not-base64url", count: 2)
            ),
            ("base64", "\(token)\r\(token)\r", ["record.carriage-return"]),
            ("base64", "\(token)\r\n", ["valid"]),
            ("hex", "6\n6g\n\\x\n", ["record.not-hexadecimal", "record.not-hexadecimal", "input.empty"]),
            ("csv", "jws\n\"\(token)\n", ["record.unclosed-quote"]), ("csv", "jws,x\n,1\n", ["input.empty"]),
            ("pgcopy", "\\N\n", ["record.missing-field"]),
            ("length-prefixed", "\0\0\0\u{3}a.b", ["jws.segments"]),
        ] {
            let run = try await Self.run(options + ["--format", format, "-"], [UInt8](text.utf8))
            #expect(try run.codes() == codes, "\(format) \(run)")
        }
        // Without --kind, tokens are named and not judged.
        let receipt = try await Self.run(CommandRun.anyReceipt + ["-"], [UInt8](token.utf8))
        #expect(try receipt.codes() == ["input.jws"])
    }

    @Test(
        "refuses options that contradict each other",
        arguments: [
            (
                ["--kind", "transaction", "--rows", "purchases"],
                "--rows is for receipts, and --kind for tokens"
            ),
            (["--kind", "transaction", "--device-id-field", "x"], "--device-id-field is for receipts"),
            (["--kind", "transaction", "--app-version", "1"], "--app-version is for receipts"),
            (["--kind", "receipt"], "--kind receipt is none of transaction|"),
            (["--max-age", "1"], "--max-age is for tokens; say with --kind"),
            (["--kind", "transaction", "--distrust", "00"], "--distrust 00 is not a SHA-256 fingerprint"),
            (
                ["--kind", "transaction", "--environment", "ProductionSandbox"],
                "--environment ProductionSandbox is none of"
            ),
            (["--environment", "Sandbox"], "--environment Sandbox is none of"),
        ]
    )
    func usage(_ options: [String], _ message: String) async throws {
        let run = try await CommandRun(["corpus", "verify"] + options + ["-"])
        #expect(run.status == 2 && run.errors.hasPrefix("app-receipt: \(message)"), "\(run)")
    }

    @Test("a run goes on only with the same kind and the same options for tokens")
    func resume() async throws {
        let tokens = try Self.tokens("transaction").map(\.token)
        try await withDirectory { place in
            let (source, out) = (place.appending(path: "source"), place.appending(path: "out").path)
            try Data(Self.encode(tokens, "base64", "transaction")).write(to: source)
            func run(_ options: [String]) async throws -> CommandRun {
                try await Self.run(options + TokenTests.root + ["--out", out, "--resume", source.path], [])
            }
            let any = CommandRun.anyReceipt
            let digest = ["--distrust", String(repeating: "0", count: 64)]
            let first = ["--kind", "transaction", "--app-apple-id", "1", "--max-age", "9"] + digest + any
            #expect(try await run(first).status == 0)
            #expect(try await run(first).status == 0)
            for (options, message) in [
                (
                    ["--kind", "renewal-info", "--app-apple-id", "1", "--max-age", "9"] + digest,
                    "--kind renewal-info"
                ),
                (
                    ["--kind", "transaction", "--app-apple-id", "2", "--max-age", "9"] + digest,
                    "--app-apple-id 2"
                ),
                (["--kind", "transaction", "--app-apple-id", "1", "--max-age", "8"] + digest, "--max-age 8"),
                (["--kind", "transaction", "--app-apple-id", "1", "--max-age", "9"], "no such option"),
                ([], "no such option"),
            ] {
                let other = try await run(options + any)
                #expect(other.status == 2 && other.errors.contains("now there is \(message)"), "\(other)")
            }
        }
    }

    @Test("a run that is killed and resumed writes the output of an uninterrupted run")
    func killed() async throws {
        let tokens = try Self.tokens("transaction").map(\.token)
        try await withDirectory { place in
            let source = place.appending(path: "source")
            let lines = Self.encode((0..<8).flatMap { _ in tokens }, "base64", "transaction")
            try Data(lines).write(to: source)
            func run(_ name: String, _ moment: KilledRun.Moment) async throws -> Int32 {
                let options =
                    ["--kind", "transaction", "--resume", "--quiet", "--jobs", "2"] + TokenTests.root
                let out = place.appending(path: name)
                return try await KilledRun.run(options + [source.path], out: out, until: moment).status
            }
            #expect(try await run("whole", .never) == 0)
            let whole = try Data(contentsOf: place.appending(path: "whole"))
            for step in 0..<3 {
                #expect([-9, 0].contains(try await run("killed", .length(whole.count * step / 3, .kill))))
            }
            #expect(try await run("killed", .never) == 0)
            #expect(try Data(contentsOf: place.appending(path: "killed")) == whole)
        }
    }
}

@Suite(
    "app-receipt corpus verify on tokens of others",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct GenuineCorpusTokenTests {
    @Test(
        "gives each token the verdict of its record, and counts roots, environments and signers",
        arguments: ["transaction", "renewal-info", "notification", "app-transaction"]
    )
    func verdicts(_ kind: String) async throws {
        let names = GenuineTokenTests.names
        var tokens: [(line: String, isGenuine: Bool)] = []
        for name in names {
            let record = try JSONSerialization.jsonObject(with: Data(SharedData.bytes("jws/\(name).json")))
            let members = try #require(record as? [String: Any])
            guard members["kind"] as? String == kind else { continue }
            let verdict = try #require(members["verdict"] as? String)
            let token = String(decoding: try SharedData.bytes("jws/\(name).jws"), as: UTF8.self)
            let isGenuine = verdict.hasPrefix("accept") && verdict.contains("Apple Root CA - G3")
            tokens.append((token.trimmingCharacters(in: .whitespacesAndNewlines) + "\n", isGenuine))
        }
        let good = tokens.count(where: \.isGenuine)
        #expect(good > 0)
        try await withDirectory { place in
            let summary = place.appending(path: "summary")
            let options = ["--kind", kind, "--summary", summary.path] + CommandRun.anyReceipt
            let source = [UInt8](tokens.map(\.line).joined().utf8)
            let run = try await CommandRun(["corpus", "verify"] + options + ["-"], input: source)
            #expect(try run.all("status").map { $0?.string == "valid" } == tokens.map(\.isGenuine), "\(run)")
            let counts = try JSONValue.parse([UInt8](Data(contentsOf: summary)))
            let root = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
            #expect(counts["roots"] == .object([root: .number(Int64(good))]))
            #expect(counts["statuses"]?["valid"] == .number(Int64(good)))
            // Transactions of 2021 name no environment.
            guard case .object(let environments)? = counts["environments"] else {
                throw CocoaError(.coderValueNotFound)
            }
            #expect(environments.keys.allSatisfy { ["Sandbox", "none"].contains($0) })
            #expect(
                environments.values.reduce(0) { if case .number(let n) = $1 { $0 + n } else { $0 } }
                    == Int64(good)
            )
            let first = tokens.first(where: \.isGenuine)?.line ?? ""
            let shown = try await CommandRun(
                ["inspect", "--json", "--kind", kind, "-"],
                input: [UInt8](first.utf8)
            )
            let signer = try shown.objects().first?["certificates"]?.elements.first?["sha256"]?.string
            guard case .object(let signers)? = counts["signers"] else {
                throw CocoaError(.coderValueNotFound)
            }
            #expect(signers[signer ?? ""] != nil && signers.count <= 3)
        }
    }
}
