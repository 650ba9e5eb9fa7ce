import Foundation
import TestSupport
import Testing

@Suite("Installed Mac apps")
struct AppBundleTests {
    /// A directory of apps.
    private struct Apps {
        let directory: URL

        /// Makes the directory of an app.
        ///
        /// - Parameter receipt: the receipt, or nil for none.
        func make(_ name: String, _ receipt: [UInt8]? = Corpus.good) throws {
            let app = directory.appending(path: name)
            let place = app.appending(path: "Contents/_MASReceipt")
            let files = FileManager.default
            try files.createDirectory(at: place, withIntermediateDirectories: true)
            if let receipt { try Data(receipt).write(to: place.appending(path: "receipt")) }
            // Other files of an app are not looked at.
            try Data(Corpus.good).write(to: app.appending(path: "Contents/Info.plist"))
        }

        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(
                atPath: directory.appending(path: name).path,
                withDestinationPath: target
            )
        }

        func remove(_ name: String) throws {
            try FileManager.default.removeItem(at: directory.appending(path: name))
        }

        /// The source and the code of each line about the directory.
        func rows(_ arguments: [String] = [], of names: [String] = [""]) async throws -> [String] {
            let paths = names.map { directory.appending(path: $0).path }
            let run = try await Corpus.run(["--quiet"] + arguments + paths)
            return try run.objects().map { object in
                let source = object["source"]?.string?.dropFirst(directory.path.count + 1) ?? ""
                return "\(source) \(object["code"]?.string ?? "valid")"
            }
        }

        /// The name of the file and the code that `verify` reports.
        func verdict(_ name: String) async throws -> String {
            let path = directory.appending(path: name).path
            let run = try await CommandRun(["verify", "--json"] + Corpus.any + [path])
            let object = try #require(try run.objects().first, "\(run)")
            let code = object["code"]?.string ?? "valid"
            #expect(run.status == (code == "valid" ? 0 : 3), "\(run)")
            return "\(object["source"]?.string?.dropFirst(directory.path.count + 1) ?? "") \(code)"
        }
    }

    private func withApps(_ body: (Apps) async throws -> Void) async throws {
        try await withDirectory { try await body(Apps(directory: $0)) }
    }

    private static let receipt = "Contents/_MASReceipt/receipt"

    @Test("a directory of apps gives one line for each, also for a missing, an empty and a broken receipt")
    func directory() async throws {
        try await withApps { apps in
            try apps.make("A.app")
            try apps.make("B.app", nil)
            try apps.make("C.app", [])
            try apps.make("D.app", Array("x".utf8))
            try apps.make("Utilities/E.app")
            try FileManager.default.createDirectory(
                at: apps.directory.appending(path: "F.app"),
                withIntermediateDirectories: false
            )
            let run = try await Corpus.strict([apps.directory.path])
            #expect(run.status == 0 && run.errors.contains("6 read = 6 written"), "\(run)")
            let rows = try await apps.rows()
            #expect(
                rows == [
                    "A.app/\(Self.receipt) valid", "B.app/\(Self.receipt) app.no-receipt",
                    "C.app/\(Self.receipt) input.empty", "D.app/\(Self.receipt) input.not-base64",
                    "F.app/\(Self.receipt) app.no-receipt", "Utilities/E.app/\(Self.receipt) valid",
                ]
            )
            // The same line whether the directory or the app is named.
            #expect(try await apps.rows(of: ["A.app", "B.app", "C.app"]) == Array(rows[..<3]))
            #expect(try await apps.rows(of: ["A.app/", "A.app//"]).allSatisfy { $0.hasSuffix(" valid") })
        }
    }

    @Test("verify and inspect read the app's receipt, and name it")
    func verify() async throws {
        try await withApps { apps in
            for (name, receipt, code) in [
                ("A.app", Corpus.good, "valid"), ("B.app", nil, "app.no-receipt"),
                ("C.app", [], "input.empty"),
            ] as [(String, [UInt8]?, String)] {
                try apps.make(name, receipt)
                #expect(try await apps.verdict(name) == "\(name)/\(Self.receipt) \(code)")
                #expect(try await apps.verdict(name + "/") == "\(name)/\(Self.receipt) \(code)")
                let path = apps.directory.appending(path: name).path
                let inspected = try await CommandRun(["inspect", "--json"] + Corpus.root + [path])
                #expect(try inspected.all("code").first == .some(code == "valid" ? .null : .string(code)))
            }
            let path = apps.directory.appending(path: "B.app").path
            let text = try await CommandRun(["verify"] + Corpus.any + [path])
            #expect(text.status == 3 && text.text.contains("unreadable, input: The app has no receipt at"))
            // The keys of results are the keys that the receipt has under its own name.
            let app = try await CommandRun(["verify", "--json"] + Corpus.any + [path]).objects()
            let corpus = try await Corpus.run(["--quiet", path]).objects()
            #expect(app.map { $0["source"] } == corpus.map { $0["source"] })
        }
    }

    @Test("only the name of a directory makes an app: .app in any case, after at least one character")
    func names() async throws {
        try await withApps { apps in
            for name in ["a.APP", "b.App", " .app", "c.app.app", "\u{e9}.app", "d\n.app"] {
                try apps.make(name)
            }
            let plain = [".app", "app", "e.apps", "f.app ", "g-app", "h.\u{ff41}pp"]
            for name in plain { try apps.make(name) }
            try Data(Corpus.good).write(to: apps.directory.appending(path: "i.app"))
            let rows = try await apps.rows()
            // A plain directory has two lines, for Info.plist and for the receipt. A file has one.
            #expect(rows.count == 6 + 2 * plain.count + 1 && rows.allSatisfy { $0.hasSuffix(" valid") })
            #expect(rows.contains { $0.hasPrefix("i.app valid") })
            for name in plain {
                #expect(rows.filter { $0.hasPrefix(name + "/Contents/") }.count == 2, "\(name)")
            }
            #expect(try await apps.rows(of: ["a.APP"]) == ["a.APP/\(Self.receipt) valid"])
            // The way to read an app's directory as a plain one.
            #expect(try await apps.rows(of: ["a.APP/."]).count == 2)
        }
    }

    @Test("an app inside of an app is not looked at")
    func nested() async throws {
        try await withApps { apps in
            try apps.make("A.app")
            for place in ["Contents/Helper.app", "Contents/_MASReceipt/Other.app", "Inner.app"] {
                try apps.make("A.app/\(place)", nil)
            }
            #expect(try await apps.rows() == ["A.app/\(Self.receipt) valid"])
            #expect(
                try await apps.rows(of: ["A.app/Inner.app"]) == [
                    "A.app/Inner.app/\(Self.receipt) app.no-receipt"
                ]
            )
        }
    }

    @Test(
        "no symbolic link in an app is followed",
        arguments: [
            "Contents", "Contents/_MASReceipt", "Contents/_MASReceipt/receipt",
        ]
    )
    func linkInside(_ part: String) async throws {
        try await withApps { apps in
            try apps.make("A.app")
            try apps.make("B.app")
            try apps.remove("B.app/\(part)")
            try apps.link("B.app/\(part)", to: apps.directory.appending(path: "A.app/\(part)").path)
            let (good, bad) = ("A.app/\(Self.receipt) valid", "B.app/\(Self.receipt)")
            #expect(try await apps.rows() == [good, "\(bad) input.cannot-read"])
            #expect(try await apps.rows(of: ["B.app"]) == ["\(bad) input.cannot-read"])
            #expect(try await apps.verdict("B.app") == "\(bad) input.cannot-read")
            let run = try await Corpus.run([apps.directory.path])
            #expect(run.errors.contains("B.app/\(part) is a symbolic link and is not followed"), "\(run)")
        }
    }

    @Test("a link to an app is followed if the caller names it, and not in a directory")
    func linkToApp() async throws {
        try await withApps { apps in
            try apps.make("A.app")
            try FileManager.default.createDirectory(
                at: apps.directory.appending(path: "links"),
                withIntermediateDirectories: false
            )
            try apps.link("links/B.app", to: "../A.app")
            try apps.link("links/plain", to: "../A.app")
            // A directory in which nothing is read has a line of its own.
            #expect(try await apps.rows(of: ["links"]) == ["links input.empty"])
            #expect(try await apps.rows(of: ["links/B.app"]) == ["links/B.app/\(Self.receipt) valid"])
            #expect(try await apps.verdict("links/B.app") == "links/B.app/\(Self.receipt) valid")
        }
    }

    @Test("a receipt that is no file is unreadable, and nothing waits for it")
    func otherKinds() async throws {
        try await withApps { apps in
            for name in ["A.app", "B.app", "C.app", "D.app"] { try apps.make(name, nil) }
            func place(_ name: String) -> String {
                apps.directory.appending(path: "\(name)/\(Self.receipt)").path
            }
            try FileManager.default.createDirectory(
                atPath: place("A.app") + "/inner",
                withIntermediateDirectories: true
            )
            #expect(try await ProgramRun("/usr/bin/env", ["mkfifo", place("B.app")]).status == 0)
            try apps.link("C.app/\(Self.receipt)", to: "nowhere")
            // A file instead of a directory.
            try apps.remove("D.app/Contents")
            try Data([1]).write(to: apps.directory.appending(path: "D.app/Contents"))
            let expected = ["A.app", "B.app", "C.app", "D.app"].map {
                "\($0)/\(Self.receipt) input.cannot-read"
            }
            #expect(try await apps.rows() == expected)
            for (name, verdict) in zip(["A.app", "B.app", "C.app", "D.app"], expected) {
                #expect(try await apps.verdict(name) == verdict)
            }
        }
    }

    @Test("a receipt of an app is one whole file, whatever --format says of other sources")
    func format() async throws {
        try await withApps { apps in
            try apps.make("A.app")
            try apps.make("B.app", nil)
            let text = Corpus.base64(Corpus.good)
            try Data("\(text)\n\(text)\n".utf8).write(to: apps.directory.appending(path: "C"))
            #expect(
                try await apps.rows(["--format", "base64"]) == [
                    "A.app/\(Self.receipt) valid", "B.app/\(Self.receipt) app.no-receipt", "C valid",
                    "C valid",
                ]
            )
        }
    }

    @Test(
        "a killed run over apps resumes, unless a receipt that was read has changed",
        arguments: ["unchanged", "changed", "added", "removed"]
    )
    func resume(_ change: String) async throws {
        try await withApps { apps in
            for number in 1000..<2000 {
                try apps.make("\(number).app", number % 2 == 0 ? Array("receipt \(number)!".utf8) : nil)
            }
            try await withDirectory { other in
                let (out, whole) = (other.appending(path: "out"), other.appending(path: "whole"))
                let arguments = ["--resume", apps.directory.path]
                let complete = try await KilledRun.run(arguments, out: whole)
                #expect(complete.status == 0, "\(complete)")
                // The first batch of 256 lines takes about 110,000 bytes. Its checkpoint is written before
                // the second batch.
                let moment = KilledRun.Moment.length(200_000, .kill)
                #expect(try await KilledRun.run(arguments, out: out, until: moment).status == -9)
                let place = { (name: String) in
                    apps.directory.appending(path: "\(name)/\(Self.receipt)")
                }
                switch change {
                case "changed": try Data("7777".utf8).write(to: place("1000.app"))
                case "added": try Data("7777".utf8).write(to: place("1001.app"))
                case "removed": try FileManager.default.removeItem(at: place("1000.app"))
                default: break
                }
                let end = try await KilledRun.run(arguments, out: out)
                guard change != "unchanged" else {
                    #expect(end.status == 0, "\(end)")
                    #expect(try Data(contentsOf: out) == Data(contentsOf: whole))
                    return
                }
                #expect(
                    end.status == 2 && end.errors.contains("--resume: the directories have changed"),
                    "\(end)"
                )
            }
        }
    }

    @Test("brief results have the App Store's number of the app")
    func appItemIdentifier() async throws {
        try await withApps { apps in
            try apps.make("A.app")
            let path = apps.directory.path
            let brief = try await Corpus.run(["--quiet", path]).objects()[0]["receipt"]?["app_item_id"]
            let all = try await Corpus.run(["--quiet", "--fields", "all", path]).objects()[0]["receipt"]
            #expect(brief?.string != nil && brief == all?["app_item_id"])
            let table = try await Corpus.run(["--quiet", "--csv", path])
            #expect(
                table.lines[0].contains(",receipt.receipt_creation_date,receipt.app_item_id,receipt.in_app")
            )
        }
    }
}
