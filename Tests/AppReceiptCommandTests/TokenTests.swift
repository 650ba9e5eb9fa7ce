import Foundation
import TestSupport
import Testing

@Suite("app-receipt and tokens")
struct TokenTests {
    static let root = ["--root", "Vectors/tokens/root.der"]
    static let app = ["--bundle-id", "com.example.app"]

    /// A row of `Vectors/tokens/tokens.tsv`, which `make` beside it describes.
    struct Vector {
        let row: Row
        let token: String

        init(_ row: Row, header: String) {
            self.row = row
            token = row["token"].replacing("~", with: header)
        }

        /// The options for the row's verdict, except `--kind`.
        ///
        /// - Parameter fingerprint: the one of the root. A root known by its certificate needs no place in
        ///   `x5c`.
        func options(_ fingerprint: String, _ place: URL) throws -> [String] {
            let isPinned = row["trust"] == "pinned"
            var options = app + ["--app-apple-id", "1234567890"]
            if !isPinned { options += ["--xcode-testing"] }
            if row["root"].isEmpty, isPinned || row["trust"] == "xcode" {
                options += ["--root", fingerprint]
            } else if !row["root"].isEmpty, row["trust"] != "self-signed" {
                let der = try #require(Data(base64Encoded: row["root"]))
                let file = place.appending(path: "\(der.hashValue).der")
                try der.write(to: file)
                options += ["--root", file.path]
            }
            for environment in isPinned ? ["Production", "Sandbox"] : ["Xcode", "LocalTesting"] {
                options += ["--environment", environment]
            }
            if !row["device"].isEmpty { options += ["--device-verification-id", row["device"]] }
            if let now = Int64(row["now"]) {
                let formatter = ISO8601DateFormatter()
                formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
                let date = Date(timeIntervalSince1970: Double(now) / 1000)
                options += ["--max-age", "3600", "--now", formatter.string(from: date)]
            }
            return options
        }
    }

    static func vectors() throws -> [Vector] {
        let header = String(decoding: try vector("tokens/header.txt").dropLast(), as: UTF8.self)
        return try Row.table(vector("tokens/tokens.tsv")).map { Vector($0, header: header) }
    }

    static func token(_ name: String) throws -> String {
        try #require(try vectors().first { $0.row["name"] == name }).token
    }

    private func run(_ arguments: [String], _ input: String, _ command: String = "verify") async throws
        -> CommandRun
    {
        try await CommandRun([command] + arguments + ["-"], input: [UInt8](input.utf8))
    }

    /// The one result of a run, which must have ended with the right status.
    func result(_ arguments: [String], _ input: String) async throws -> [String: JSONValue] {
        let run = try await run(["--json"] + arguments, input)
        let object = try #require(try run.objects().first)
        let status = try #require(object["status"]?.string)
        #expect(run.status == ["valid": 0, "unreadable": 3][status] ?? 1, "\(run)")
        #expect((object["payload"] != nil) == (status == "valid") && object["receipt"] == nil)
        return object
    }

    @Test(
        "gives every token of the vectors its verdict, the step and the code",
        arguments: ["transaction", "renewal-info", "notification", "app-transaction", "realtime-request"]
    )
    func vectors(_ kind: String) async throws {
        let vectors = try Self.vectors().filter { $0.row["kind"] == kind }
        #expect(vectors.count > 5)
        let inspected = try await run(["--json"], Self.token("every member of a transaction"), "inspect")
        let certificates = try #require(try inspected.objects().first?["certificates"]?.elements)
        let fingerprint = try #require(certificates.last?["sha256"]?.string)
        try await withDirectory { place in
            var runs: [[String]: [(Vector, String)]] = [:]
            for (index, vector) in vectors.enumerated() {
                let file = place.appending(path: "\(index)").path
                try Data(vector.token.utf8).write(to: URL(filePath: file))
                runs[try vector.options(fingerprint, place), default: []].append((vector, file))
            }
            for (options, list) in runs {
                let run = try await CommandRun(
                    ["verify", "--json", "--kind", kind] + options + list.map(\.1)
                )
                let lines = run.lines.dropLast()
                #expect(lines.count == list.count, "\(run)")
                for ((vector, _), line) in zip(list, lines) {
                    // A member that Apple may add has numbers that are no integers. Foundation reads none
                    // beyond the range of Double.
                    let readable = line.replacing("1e400", with: "1e300")
                    let parsed = try JSONSerialization.jsonObject(with: Data(readable.utf8))
                    let object = try #require(parsed as? [String: Any])
                    let name = vector.row["name"]
                    let isGood = vector.row["step"] == "accept"
                    #expect(object["kind"] as? String == kind)
                    #expect((object["status"] as? String == "valid") == isGood, "\(name)")
                    #expect(object["step"] as? String ?? "accept" == vector.row["step"], "\(name)")
                    #expect(object["code"] as? String ?? "" == vector.row["code"], "\(name)")
                    #expect((object["payload"] != nil) == isGood)
                }
            }
        }
    }

    @Test("reads a token alone, with white space around it, and in the JSON that Apple sends")
    func forms() async throws {
        let token = try Self.token("every member of a transaction")
        let options = Self.root + Self.app + ["--environment", "Sandbox"]
        let plain = try await result(options, token)
        #expect(plain["status"]?.string == "valid" && plain["kind"]?.string == "transaction")
        for text in [
            "\u{FEFF} \(token)\r\n", "{\"signedTransactionInfo\":\"\(token)\"}",
            " {\"status\":1, \"signedTransactionInfo\" : \"\(token)\"} ",
        ] { #expect(try await result(options, text) == plain) }
        let renewal = try Self.token("every member of renewal information")
        let both = "{\"signedTransactionInfo\":\"\(token)\",\"signedRenewalInfo\":\"\(renewal)\"}"
        for kind in ["transaction", "renewal-info"] {
            let found = try await result(options + ["--kind", kind], both)
            #expect(found["status"]?.string == "valid" && found["kind"]?.string == kind)
        }
        let notification = try Self.token("a notification with data")
        let body = "{\"signedPayload\":\"\(notification)\"}"
        let posted = try await result(options, body)
        #expect(posted["kind"]?.string == "notification" && posted["sha256"] != plain["sha256"])
        #expect(
            posted["payload"]?["data"]?["signedTransactionInfo"]?["bundleId"] == .string("com.example.app")
        )
        #expect(try await result(options + ["--kind", "notification"], body) == posted)
    }

    @Test("refuses other text as a token of the named kind")
    func otherForms() async throws {
        let token = try Self.token("every member of a transaction")
        let options = ["--kind", "transaction"] + Self.root + Self.app + ["--environment", "Sandbox"]
        for (text, code) in [
            ("", "jws.segments"), ("eyJ", "jws.segments"), ("{}", "jws.segments"), ("a.b", "jws.segments"),
            ("{\"signedPayload\":\"\(token)\"}", "jws.segments"), ("[\"\(token)\"]", "jws.not-base64url"),
            ("{\"signedTransactionInfo\":[\"\(token)\"]}", "jws.segments"),
            ("\"\(token)\"", "jws.not-base64url"),
            ("\(token)\n\(token)", "jws.segments"), ("\(token)=", "jws.not-base64url"),
            ("{\"signedTransactionInfo\":\"\(token)\"", "jws.segments"),
        ] {
            let found = try await result(options, text)
            #expect(found["code"]?.string == code, "\(text.prefix(60)) \(found)")
        }
        let receipt = ["Vectors/receipts/sandbox-sha256.der"]
        let run = try await CommandRun(["verify"] + options + receipt)
        #expect(run.status == 3 && run.text.contains("jws.segments"), "\(run)")
    }

    @Test("refuses by name a token whose kind must be named")
    func unnamed() async throws {
        let token = try Self.token("every member of a transaction")
        let renewal = try Self.token("every member of renewal information")
        let realtime = try Self.token("every member of a realtime request")
        let any = Self.root + CommandRun.anyReceipt
        let options = Self.root + ["--environment", "Sandbox"] + Self.app
        for (options, text) in [
            // They name no bundle identifier, so they would pass for any app.
            (options, renewal), (options, realtime), (options, "{\"signedRenewalInfo\":\"\(renewal)\"}"),
            // Only receipts have these.
            (options + ["--app-version", "1"], token),
            (options + ["--device-id", "00112233445566778899aabbccddeeff"], token),
            // The payload tells no kind, or several, or cannot be read.
            (any, "eyJhbGciOiJFUzI1NiJ9.e30.AAAA"), (any, String(token.dropLast(100))),
            (any, try Self.token("payload that is an array")), (any, "{\"signedPayload\":\"eyJ\"}"),
            (any, "{\"signedTransactionInfo\":\"\(token)\",\"signedRenewalInfo\":\"\(renewal)\"}"),
            (any, "{\"signedTransactions\":[\"\(token)\"]}"), (any, "{\"receipt-data\":\"\(token)\"}"),
        ] {
            let run = try await run(["--json"] + options, text)
            let object = try #require(try run.objects().first)
            #expect(run.status == 1 && object["code"]?.string == "input.jws", "\(run)")
            #expect(object["kind"] == nil && object["sha256"] == .null && object["payload"] == nil)
            let shown = try await self.run(options, text)
            #expect(shown.lines.contains { $0.hasPrefix("    hint: the command judges a token that") })
        }
        for (kind, text) in [("renewal-info", renewal), ("realtime-request", realtime)] {
            #expect(try await result(any, text)["kind"]?.string == kind)
            let named = try await result(
                Self.root + Self.app + ["--environment", "any", "--kind", kind],
                text
            )
            #expect(named["status"]?.string == "valid")
            #expect(named["not_checked"]?.elements.contains(.string("bundle-identifier")) == true)
        }
        let corpus = try await CommandRun(
            ["corpus", "verify", "--quiet"] + any + ["-"],
            input: [UInt8](token.utf8)
        )
        #expect(corpus.text.contains("\"input.jws\""), "\(corpus)")
    }

    @Test("says what it found and what it expected, and which checks it left out")
    func text() async throws {
        let token = try Self.token("every member of a transaction")
        let valid = try await run(Self.root + Self.app + ["--environment", "Sandbox"], token)
        #expect(valid.status == 0 && valid.lines[0] == "standard input: valid", "\(valid)")
        #expect(valid.lines[1].hasPrefix("    transaction of com.example.app, Sandbox, signed 2025-06-15T"))
        #expect(valid.lines[2] == "    not checked: revocation, app-apple-id, device-verification, age")
        let sandbox = Self.root + ["--environment", "Sandbox"]
        let notification = try Self.token("a notification with data")
        for (options, text, hint) in [
            (
                sandbox + ["--bundle-id", "com.example.other"], token,
                "the payload's bundle identifier is com.example.app, and the command expects com.example.other"
            ),
            (
                Self.root + Self.app + ["--environment", "Production", "--environment", "Xcode"], token,
                "the payload's environment is Sandbox, and the command expects Production or Xcode"
            ),
            (
                Self.root + Self.app + ["--environment", "ProductionSandbox"], token,
                "the payload's environment is Sandbox, and the command expects ProductionSandbox"
            ),
            (
                sandbox + Self.app + ["--kind", "notification", "--app-apple-id", "7"], notification,
                "the payload's app apple id is 1234567890, and the command expects 7"
            ),
            (
                sandbox + Self.app + ["--kind", "renewal-info"], token,
                "the payload has the member of a kind: transaction"
            ),
            (
                Self.root + Self.app + ["--environment", "any", "--kind", "notification"],
                try Self.token("a nested app transaction with another Apple ID"),
                "the signedAppTransactionInfo's app apple id is 1, and the command expects 1234567890"
            ),
        ] {
            let run = try await run(options, text)
            #expect(run.status == 1 && run.lines.contains("    hint: \(hint)"), "\(run)")
        }
        let receipt = try await CommandRun(
            [
                "verify", "--root", "Vectors/certificates/root.der", "--bundle-id", "any", "--environment",
                "Sandbox",
            ]
                + ["Vectors/receipts/sandbox-sha256.der"]
        )
        let hint = "the receipt's environment is ProductionSandbox, and the command expects Sandbox"
        #expect(receipt.status == 1 && receipt.lines.contains("    hint: \(hint)"), "\(receipt)")
    }

    @Test("names the option for a token of Xcode, and who must not use it")
    func xcode() async throws {
        let token = try Self.token("Xcode, self-signed")
        for options in [[], Self.root] {
            let run = try await run(options + CommandRun.anyReceipt, token)
            #expect(run.status == 1 && run.text.contains("jws.certificate-count"), "\(run)")
            for part in [
                "anybody can make one, so it proves no purchase", "--xcode-testing accepts such tokens",
                "On a server that customers reach, it would give everything away",
            ] { #expect(run.text.contains(part), "\(run)") }
        }
        let testing = ["--xcode-testing", "--bundle-id", "any", "--environment", "Xcode"]
        #expect(try await run(testing, token).status == 0)
        let other = try await run(testing + ["--root", "Vectors/tokens/root.der"], token)
        #expect(other.status == 1 && other.text.contains("pkix.untrusted-root"), "\(other)")
        let store = try await run(testing, try Self.token("every member of a transaction"))
        #expect(store.status == 1 && !store.text.contains("hint: this is a token"), "\(store)")
    }

    @Test("names the token inside a notification that it refuses")
    func nested() async throws {
        let token = try Self.token("a nested transaction without a signature")
        let options = Self.root + Self.app + ["--environment", "any", "--kind", "notification"]
        let object = try await result(options, token)
        #expect(object["step"]?.string == "form" && object["code"]?.string == "jws.segments")
        #expect(object["error"]?["nested_token"] == .string("signedTransactionInfo"))
        let run = try await run(options, token)
        #expect(run.lines[1].contains(", in signedTransactionInfo, reading token"), "\(run)")
    }

    @Test("refuses a distrusted certificate and an old signature, and judges certificates at another time")
    func policy() async throws {
        let token = try Self.token("every member of a transaction")
        let options = ["--kind", "transaction"] + Self.root + Self.app + ["--environment", "Sandbox"]
        let inspected = try await CommandRun(
            ["inspect", "--json"] + options + ["-"],
            input: [UInt8](token.utf8)
        )
        let certificates = try #require(try inspected.objects().first?["certificates"]?.elements)
        #expect(certificates.count == 3)
        for certificate in certificates {
            let digest = try #require(certificate["sha256"]?.string)
            let found = try await result(options + ["--distrust", digest], token)
            #expect(found["code"]?.string == "pkix.distrusted" && found["step"]?.string == "distrust")
        }
        let other = String(repeating: "0", count: 64)
        #expect(try await result(options + ["--distrust", other], token)["status"]?.string == "valid")
        let age = options + ["--max-age", "60", "--now"]
        for (now, code) in [
            ("2025-06-15T15:07:40Z", nil), ("2025-06-15T15:07:41Z", "payload.too-old"),
            ("2025-06-15T15:05:00Z", "payload.signed-in-the-future"),
        ] { #expect(try await result(age + [now], token)["code"]?.string == code) }
        #expect(try await result(options + ["--max-age", "60"], token)["code"]?.string == "payload.too-old")
        #expect(try await result(options + ["--at", "2035-01-01"], token)["code"]?.string == "pkix.expired")
        let root = ["--bundle-id", "any", "--environment", "any"]
        #expect(try await result(root, token)["step"]?.string == "root")
    }

    @Test("shows what a refused token claims, and never as a payload")
    func inspect() async throws {
        let token = try Self.token("a notification with data")
        let refused = try await run(["--json"], token, "inspect")
        let object = try #require(try refused.objects().first)
        #expect(
            refused.status == 1 && object["payload"] == nil && object["certificates"]?.elements.count == 3
        )
        let claims = try #require(object["unverified_payload"])
        #expect(claims["data"]?["signedRenewalInfo"]?["environment"] == .string("Sandbox"))
        let text = try await run([], token, "inspect")
        #expect(text.status == 1 && text.lines[0].contains(": not verified (invalid), root: "), "\(text)")
        #expect(text.lines.contains("Payload, as the bytes claim: notification"))
        let verified = try await run(Self.root, token, "inspect")
        #expect(verified.status == 0 && verified.lines[0].contains(": verified against the given roots"))
        #expect(verified.lines.contains("Payload: notification"))
        #expect(verified.lines.contains("  key                       ECDSA on P-256"))
        let claimed = try await run(["--json"] + Self.root, token, "inspect")
        #expect(try claimed.objects().first?["payload"] == claims)
        let broken = try await run(["--kind", "transaction"], "e30.e30", "inspect")
        #expect(broken.status == 3 && broken.lines.contains("Payload: it cannot be read"), "\(broken)")
    }

    @Test(
        "refuses options that contradict each other or make no sense",
        arguments: [
            (["--kind", "receipt"], "--kind receipt is none of transaction|renewal-info|notification|"),
            (["--app-apple-id", "1"], "--app-apple-id is for tokens; say with --kind"),
            (["--max-age", "1"], "--max-age is for tokens"),
            (["--distrust", "00"], "--distrust 00 is not a SHA-256 fingerprint"),
            (["--device-verification-id", "x"], "--device-verification-id is for tokens"),
            (
                ["--kind", "transaction", "--app-version", "1"],
                "--app-version is for receipts, and --kind for"
            ),
            (["--kind", "transaction", "--device-id", "020000000001"], "--device-id is for receipts"),
            (["--kind", "transaction", "--distrust", "00"], "--distrust 00 is not a SHA-256 fingerprint"),
            (["--kind", "transaction", "--max-age", "-1"], "--max-age -1 is not a number from 0"),
            (["--kind", "transaction", "--max-age", "soon"], "--max-age soon is not a number"),
            (["--kind", "transaction", "--app-apple-id", "0"], "--app-apple-id 0 is not a number from 1"),
            (
                [
                    "--kind", "transaction", "--device-verification-id",
                    "00112233445566778899aabbccddeeff",
                ], "--device-verification-id 00112233445566778899aabbccddeeff is not a UUID"
            ),
            (["--xcode-testing", "--environment", "Sandbox"], "--xcode-testing accepts one environment"),
            (["--environment", "localTesting"], "--environment localTesting is none of"),
        ]
    )
    func usage(_ options: [String], _ message: String) async throws {
        let run = try await CommandRun(["verify"] + options + ["-"])
        #expect(run.status == 2 && run.errors.hasPrefix("app-receipt: \(message)"), "\(run)")
    }
}
