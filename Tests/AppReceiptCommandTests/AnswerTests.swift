import Foundation
import TestSupport
import Testing

@Suite("app-receipt answer")
struct AnswerTests {
    private static let options = [
        "answer", "--root", "Vectors/certificates/root.der", "--now", "2024-06-01T12:34:56.789Z",
    ]
    private static let production = options + ["--production"]
    private static let sandbox = options + ["--sandbox"]

    private func text(_ file: String) throws -> String {
        Data(try vector("receipts/\(file)")).base64EncodedString()
    }

    private func body(_ file: String, _ others: String = "") throws -> String {
        "{\"receipt-data\":\"\(try text(file))\"\(others)}"
    }

    private func run(_ arguments: [String], _ input: String) async throws -> CommandRun {
        try await CommandRun(arguments, input: [UInt8](input.utf8))
    }

    /// The status of each answer.
    private func statuses(_ run: CommandRun) throws -> [JSONValue?] { try run.objects().map { $0["status"] } }

    @Test("answers one request on each line, in order, and skips blank lines")
    func lines() async throws {
        let input = try [
            body("sandbox-sha256.der"), "", body("production-sha256.der"), " \t\r", "[]", "{}", "x",
            body("signature-of-another-key.der"), body("sandbox-sha256.der"),
        ].joined(separator: "\n")
        for end in ["", "\n", "\r\n\n"] {
            let run = try await run(Self.sandbox, input + end)
            #expect(
                try statuses(run) == [0, 21008, 21000, 21002, 21000, 21002, 0].map { .number($0) },
                "\(run)"
            )
            #expect(run.status == 1)
            let messages = run.errors.split(separator: "\n")
            #expect(messages.count == 5, "\(run.errors)")
            #expect(
                messages[0].hasPrefix("app-receipt: standard input: request 2: status 21008: environment: ")
            )
            #expect(messages[4].contains("request 6: status 21002: "))
        }
    }

    @Test("says of a receipt of StoreKit testing in Xcode alone what it is")
    func xcode() async throws {
        let requests = try [
            body("xcode-like.der"), body("signature-of-another-key.der"), "{\"receipt-data\":\"MIA=\"}",
        ]
        for (request, isOfXcode) in zip(requests, [true, false, false]) {
            let run = try await run(Self.sandbox, request)
            #expect(run.status == 1 && run.errors.contains("status 21002"), "\(run)")
            #expect(run.errors.contains("is of StoreKit testing in Xcode") == isOfXcode, "\(run)")
        }
    }

    @Test("with --lines, every line gets one answer, whatever the lines before it hold")
    func everyLine() async throws {
        let valid = try body("sandbox-sha256.der")
        for hostile in [
            "{", "[1,", "{\"a\":1", "", " \t", "\"", "\u{0}", "{\"receipt-data\":\"A", "{\"a\":\"\\",
        ] {
            let run = try await run(Self.sandbox + ["--lines"], "\(hostile)\n\(valid)\n\n\(valid)\n")
            #expect(
                try statuses(run) == [21000, 0, 21000, 0].map { .number($0) },
                "after \(hostile): \(run)"
            )
            let isCut = hostile.first.map { "{[\"".contains($0) } ?? false
            #expect(run.errors.contains("must not contain line breaks") == isCut, "\(run.errors)")
        }
    }

    @Test("a request with line breaks in its base64 gets one answer, which names them, or is repaired")
    func lineBreaks() async throws {
        let text = try text("sandbox-sha256.der")
        let good = try body("sandbox-sha256.der")
        for end in ["\n", "\r\n"] {
            let wrapped = stride(from: 0, to: text.count, by: 76)
                .map { String(text.dropFirst($0).prefix(76)) }.joined(separator: end)
            let broken = "{\"receipt-data\":\"\(wrapped)\"\(end), \"password\":\"x\"}"
            for (input, strict) in [
                (broken, [21000]), (broken + end, [21000]),
                (good + end + broken + end + good, [0, 21000, 0]),
                (broken + end + broken + end + good + end, [21000, 21000, 0]),
                ("{\(end)\"receipt-data\":\"\(wrapped)\"}", [21000]),
            ] {
                let run = try await run(Self.sandbox, input)
                #expect(try statuses(run) == strict.map { .number(Int64($0)) }, "\(run)")
                #expect(run.errors.count(of: "request.line-break") == strict.count { $0 == 21000 })
                let repaired = try await self.run(Self.sandbox + ["--repair"], input)
                #expect(try statuses(repaired) == strict.map { _ in .number(0) }, "\(repaired)")
            }
        }
    }

    @Test("a string that never ends takes no request that follows")
    func openString() async throws {
        let good = try body("sandbox-sha256.der")
        let lines = String(repeating: "QUJD\n", count: 1000)
        let long = String(repeating: "QUJD\n", count: 800_000)
        for (input, expected) in [
            ("{\"receipt-data\":\"\(lines)\(good)\n\(good)\n", [21000, 0, 0]),
            ("{\"receipt-data\":\"\(lines)  \t\(good)\n", [21000, 0]),
            ("{\"receipt-data\":\"\(lines)\n\n  \n\(good)\n", [21000, 0]),
            ("{\"receipt-data\":\"\(lines)", [21000]),
            // More than a body may have.
            ("{\"receipt-data\":\"\(long)\(good)\n", [21000, 0]),
            ("{\"receipt-data\":\"\(long)\"}\n\(good)\n", [21000, 0]),
            // Braces and quotes in the string do not end it.
            ("{\"a\":\"}\\\"\n]}\\\\\\\"}\n\"}\n\(good)\n", [21000, 0]),
            // A line that is no JSON before the line end is a request of its own.
            ("{'a':\"\nx\n\(good)\n", [21000, 21000, 0]),
        ] {
            let run = try await run(Self.sandbox, input)
            #expect(try statuses(run) == expected.map { .number(Int64($0)) }, "\(input.prefix(40)): \(run)")
        }
    }

    @Test("answers a valid request with Apple's members, at the time of --now")
    func answer() async throws {
        let run = try await run(Self.sandbox, body("sandbox-sha256.der"))
        let object = try #require(try run.objects().first)
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(object["environment"] == .string("Sandbox"))
        #expect(object["receipt"]?["bundle_id"] == .string("com.example.receipts"))
        #expect(object["receipt"]?["request_date_ms"] == .string("1717245296789"))
        #expect(object["receipt"]?["in_app"]?.elements.isEmpty == false)
        let production = try await self.run(Self.production, body("sandbox-sha256.der"))
        #expect(production.text == "{\"status\":21007}\n" && production.status == 1)
        let portable = try await self.run(Self.sandbox + ["--portable"], body("sandbox-sha256.der"))
        #expect(portable.output == run.output)
    }

    @Test("adds latest_receipt_info only with --with-latest-receipt-info, and changes nothing else")
    func latestReceiptInfo() async throws {
        try await withDirectory { directory in
            let path = directory.appending(path: "receipt").path
            let root = directory.appending(path: "root").path
            let minted = try await CommandRun([
                "mint", "--bundle-id", "com.example.app", "--subscription", "com.example.pro=2024-07-01",
                "--out", path, "--root-out", root,
            ])
            #expect(minted.status == 0, "\(minted)")
            let receipt = try Data(contentsOf: URL(filePath: path)).base64EncodedString()
            let arguments = ["answer", "--root", root, "--now", "2024-06-01", "--production"]
            let input = "{\"receipt-data\":\"\(receipt)\"}"
            let plain = try #require(try await run(arguments, input).objects().first)
            let option = "--with-latest-receipt-info"
            var listing = try #require(try await run(arguments + [option], input).objects().first)
            #expect(plain["latest_receipt_info"] == nil && plain["status"] == .number(0), "\(plain)")
            let list = listing.removeValue(forKey: "latest_receipt_info")
            #expect(list?.elements.count == 1 && list == plain["receipt"]?["in_app"])
            #expect(listing == plain)
            let help = try await CommandRun(["answer", "--help"]).text
            #expect(help.contains("renewals and refunds after its signing are missing"))
        }
    }

    @Test("reads the whole input as one request if its JSON has several lines")
    func whole() async throws {
        let text = try text("sandbox-sha256.der")
        for input in [
            "{\n  \"receipt-data\": \"\(text)\"\n}\n", "\n\n{\r\n\"receipt-data\":\r\n\"\(text)\"}",
            "{\"password\":\"x\",\n\"receipt-data\":\"\(text)\"\n\n}\n\n",
        ] {
            let run = try await run(Self.sandbox, input)
            #expect(try statuses(run) == [.number(0)], "\(run)")
        }
        // An object that never ends, and two indented objects.
        for input in ["{\n\n\n", "{\n}\n{\n}\n", "{\n\"receipt-data\":\"\n\"}\n"] {
            let run = try await run(Self.sandbox, input)
            #expect(run.text == "{\"status\":21000}\n", "\(run)")
        }
    }

    @Test("a first line that is cut inside a string is a request of its own")
    func cutLine() async throws {
        let run = try await run(Self.sandbox, "{\"receipt-data\":\"MIA\n\(body("sandbox-sha256.der"))\n")
        #expect(try statuses(run) == [.number(21000), .number(0)])
    }

    @Test("reads bodies up to Apple's limit, and answers a longer one with 21000")
    func limit() async throws {
        let body = try body("sandbox-sha256.der")
        let padding = String(repeating: " ", count: 3_145_728 - body.utf8.count)
        let long = body + padding + " "
        let longer = body + padding + String(repeating: " ", count: 3_000_000)
        let input = [long, body + padding, longer, body, longer].joined(separator: "\n")
        let run = try await run(Self.sandbox, input)
        #expect(try statuses(run) == [21000, 0, 21000, 0, 21000].map { .number($0) })
        #expect(run.errors.contains("request.too-large"))
        let whole = try await self.run(Self.sandbox, "{\n" + padding + body.dropFirst() + "\n")
        #expect(whole.text == "{\"status\":21000}\n")
    }

    @Test("reads files, and goes on after one that cannot be read or holds no request")
    func files() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (one, two) = (directory.appending(path: "one"), directory.appending(path: "two"))
        try Data(body("sandbox-sha256.der").utf8).write(to: one)
        try Data(" \n\n".utf8).write(to: two)
        let run = try await CommandRun(Self.sandbox + [one.path, "no/such/file", two.path, one.path])
        #expect(try statuses(run) == [.number(0), .number(0)])
        #expect(run.status == 3)
        #expect(run.errors.contains("cannot read no/such/file: ") && run.errors.contains("holds no request"))
        let empty = try await CommandRun(Self.sandbox + ["-"])
        #expect(empty.status == 3 && empty.output.isEmpty)
    }

    @Test("compares passwords with the secrets of --secret-file")
    func secrets() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let names = try ["s3cret\n", "other\r\n", "", "\n"].enumerated().map { index, secret in
            let file = directory.appending(path: "\(index)")
            try Data(secret.utf8).write(to: file)
            return file.path
        }
        let input = try ["s3cret", "other", "s3cret\\n", "", "s3cre"].map {
            try body("sandbox-sha256.der", ",\"password\":\"\($0)\"")
        }
        let lines = try (input + [body("sandbox-sha256.der")]).joined(separator: "\n")
        let arguments = Self.sandbox + ["--secret-file", names[0], "--secret-file=\(names[1])"]
        let run = try await run(arguments, lines)
        #expect(try statuses(run) == [0, 0, 21004, 21004, 21004, 21003].map { .number($0) })
        #expect(!run.errors.contains("s3cre"))
        for name in names[2...] + ["no/such/file"] {
            let refused = try await self.run(Self.sandbox + ["--secret-file", name], lines)
            #expect(
                refused.output.isEmpty && refused.status == (name == "no/such/file" ? 3 : 2),
                "\(refused)"
            )
        }
    }

    @Test("repairs base64 only if it is asked to")
    func repair() async throws {
        let text = try text("sandbox-sha256.der").replacingOccurrences(of: "+", with: " ")
        let input = "{\"receipt-data\":\"\(text)\"}"
        #expect(try await statuses(run(Self.sandbox, input)) == [.number(21002)])
        #expect(try await statuses(run(Self.sandbox + ["--repair"], input)) == [.number(0)])
    }

    @Test("writes no reasons with --quiet")
    func quiet() async throws {
        let run = try await run(Self.sandbox + ["--quiet"], "{}\n[]\n")
        #expect(
            run.errors.isEmpty && run.text == "{\"status\":21002}\n{\"status\":21000}\n" && run.status == 1
        )
    }

    @Test("writes each answer before it waits for the next request")
    func dialogue() async throws {
        let process = CommandRun.process(Self.sandbox + ["--quiet", "-"])
        process.currentDirectoryURL = SharedData.packageRoot
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        for line in ["{}", "[]", "{}"] {
            try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
            let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            #expect(answer == (line == "{}" ? "{\"status\":21002}\n" : "{\"status\":21000}\n"))
        }
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
    }

    @Test(
        "needs one of the two endpoints",
        arguments: [["answer", "-"], ["answer", "--production", "--sandbox", "-"]]
    )
    func endpoint(_ arguments: [String]) async throws {
        let run = try await CommandRun(arguments)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("app-receipt: which endpoint? Give either --production or --sandbox"))
    }

    @Test("the published codes include those of requests")
    func codes() async throws {
        let run = try await CommandRun(["errors"])
        #expect(
            run.text.contains("request.missing-receipt-data") && run.text.contains("request.wrong-password")
        )
    }
}
