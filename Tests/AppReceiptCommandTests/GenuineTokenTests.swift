import Foundation
import TestSupport
import Testing

@Suite(
    "app-receipt on tokens of others",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct GenuineTokenTests {
    private typealias Members = [String: Any]
    static let names = ((try? SharedData.files(in: "jws", suffix: ".jws")) ?? []).map {
        String($0.dropLast(4))
    }

    private func path(_ name: String) -> String { SharedData.root.appending(path: "jws/\(name)").path }

    private func members(_ bytes: [UInt8]) throws -> Members {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? Members)
    }

    /// The payload of a token, as Foundation reads it.
    private func payload(_ token: String) throws -> Members {
        let text = token.split(separator: ".")[1].replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        return try members([UInt8](try #require(Data(base64Encoded: text + padding))))
    }

    /// Fails unless written members are the expected ones, and all others null.
    private func compare(_ written: JSONValue?, _ expected: Members) throws {
        guard case .object(let written)? = written else {
            Issue.record("no object")
            return
        }
        for (name, value) in written where expected[name] == nil && name != "unknown_members" {
            #expect(value == .null, "\(name)")
        }
        #expect(written["unknown_members"] == .object([:]))
        for (name, value) in expected {
            switch (written[name], value) {
            case (.object?, let inner as Members): try compare(written[name], inner)
            case (.object?, let token as String): try compare(written[name], try payload(token))
            case (.string("0000-12-30T00:00:00Z")?, let number as NSNumber):
                #expect(number.int64Value == -62_135_769_600_000)
            case (.string(let text)?, let number as NSNumber) where name.hasSuffix("Date"):
                let formatter = ISO8601DateFormatter()
                formatter.formatOptions =
                    text.contains(".")
                    ? [.withInternetDateTime, .withFractionalSeconds] : .withInternetDateTime
                let date = try #require(formatter.date(from: text))
                #expect((date.timeIntervalSince1970 * 1000).rounded() == number.doubleValue.rounded(.down))
            case (.string(let text)?, let string as String): #expect(text == string)
            case (.bool(let flag)?, let number as NSNumber): #expect(flag == number.boolValue)
            case (.number(let one)?, let number as NSNumber): #expect(one == number.int64Value)
            default: Issue.record("\(name): \(value)")
            }
        }
    }

    /// The options under which the record's verdict holds.
    private func trust(_ verdict: String, _ token: String, _ place: URL) throws -> [String] {
        let roots = [
            "testCA.der": "apple-testCA", "Apple library test CA": "apple-testCA",
            "emindeniz99 jws-root": "emindeniz99-jws-root",
            "emindeniz99 jws-expired-root": "emindeniz99-jws-expired-root",
        ]
        var options = verdict.contains("only at a time") ? ["--at", "2023-01-10"] : []
        if verdict.hasPrefix("accept as Xcode") {
            let file = place.appending(path: "pinned.der")
            let header = try payload("x.\(token)")
            let text = try #require((header["x5c"] as? [String])?.first)
            try #require(Data(base64Encoded: text)).write(to: file)
            return ["--xcode-testing", "--environment", "Xcode", "--root", file.path]
        }
        if let root = roots.first(where: { verdict.contains($0.key) })?.value {
            options += ["--root", path("roots/\(root).der")]
        }
        return options + ["--environment", "any"]
    }

    @Test("gives each token the verdict of its record, and every member", arguments: names)
    func verdict(_ name: String) async throws {
        let record = try members(SharedData.bytes("jws/\(name).json"))
        let verdict = try #require(record["verdict"] as? String)
        let kind = try #require(record["kind"] as? String)
        let token = String(decoding: try SharedData.bytes("jws/\(name).jws"), as: UTF8.self)
        try await withDirectory { place in
            let options =
                ["--kind", kind == "unknown" ? "transaction" : kind, "--bundle-id", "any"]
                + (try trust(verdict, token, place))
            let run = try await CommandRun(["verify", "--json"] + options + [path("\(name).jws")])
            let object = try #require(try run.objects().first)
            guard verdict.hasPrefix("accept") else {
                #expect(run.status == (kind == "unknown" ? 3 : 1) && object["payload"] == nil, "\(run)")
                return
            }
            #expect(run.status == 0 && object["status"]?.string == "valid", "\(run)")
            try compare(object["payload"], try #require(record["payload"] as? Members))
            // A token of Xcode or of a test root is worth nothing at the App Store.
            let store = ["verify", "--quiet", "--kind", kind] + CommandRun.anyReceipt + [path("\(name).jws")]
            let isOfApple = verdict.contains("Apple Root CA - G3")
            #expect(try await CommandRun(store).status == (isOfApple ? 0 : 1))
        }
    }

    @Test("recognises the kind of Apple's tokens, and refuses them for another app or environment")
    func recognised() async throws {
        let names = Self.names.filter { $0.hasPrefix("sandbox-") }
        #expect(names.count == 55)
        let files = names.map { path("\($0).jws") }
        let any = try await CommandRun(["verify", "--json"] + CommandRun.anyReceipt + files)
        let objects = try any.objects()
        #expect(any.status == 0 && objects.count == files.count)
        for (name, object) in zip(names, objects) {
            #expect(name.hasPrefix("sandbox-\(try #require(object["kind"]?.string))-"))
        }
        for (options, steps) in [
            (["--bundle-id", "any", "--environment", "Production"], ["environment"]),
            (["--bundle-id", "com.example.app", "--environment", "any"], ["bundle-identifier", "input"]),
        ] {
            let run = try await CommandRun(["verify", "--json"] + options + files)
            #expect(run.status == 1)
            for object in try run.objects() {
                #expect(steps.contains(object["step"]?.string ?? ""), "\(object)")
            }
        }
    }
}
