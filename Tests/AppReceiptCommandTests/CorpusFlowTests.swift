import Foundation
import TestSupport
import Testing

@Suite("app-receipt corpus verify: order, status and summary")
struct CorpusFlowTests {
    /// More than one batch, good and bad.
    static let many = (0..<600).map { Corpus.receipts[$0 % Corpus.receipts.count] }
    static let source = Corpus.encode(many, "base64")

    @Test("the output has the same bytes with any number of jobs", arguments: ["2", "3", "16"])
    func jobs(_ jobs: String) async throws {
        let one = try await Corpus.run(["--format", "base64", "--jobs", "1", "-"], Self.source)
        let other = try await Corpus.run(["--format", "base64", "--jobs", jobs, "-"], Self.source)
        #expect(one.status == 0 && one.lines.count == 601 && one.output == other.output)
    }

    @Test(
        "the outputs of all pieces of a source, joined, equal the output of the whole source",
        arguments: [1, 2, 5],
        [[], ["--only-invalid"]]
    )
    func partition(_ count: Int, _ options: [String]) async throws {
        let lines = Corpus.encode(Corpus.receipts, "base64").split(separator: 10).map { Array($0) + [10] }
        let common = ["--format", "base64", "--source", "all", "-"] + options
        let whole = try await Corpus.run(common, Array(lines.joined()))
        var output: [UInt8] = []
        var first = 0
        var offset = 0
        for piece in 0..<count {
            // The pieces have different sizes. An empty piece would have a line, like every source.
            let end = piece == count - 1 ? lines.count : min(lines.count, first + (piece + 1) * 3)
            let bytes = Array(lines[first..<end].joined())
            let place = ["--first-record", "\(first + 1)", "--first-offset", "\(offset)"]
            output += try await Corpus.run(common + place, bytes).output
            first = end
            offset += bytes.count
        }
        #expect(output == whole.output && !output.isEmpty)
    }

    @Test("a directory is walked once, in the order of its names, and each name of a file is a record")
    func directory() async throws {
        try await withDirectory { directory in
            let files = FileManager.default
            for path in ["b", "b/a", "c"] {
                try files.createDirectory(
                    at: directory.appending(path: path),
                    withIntermediateDirectories: true
                )
            }
            for path in ["a.der", "b/a/x", "b/z", "c/y", "b.der"] {
                try Data(Corpus.good).write(to: directory.appending(path: path))
            }
            try files.createSymbolicLink(
                atPath: directory.appending(path: "c/loop").path,
                withDestinationPath: directory.path
            )
            try files.createSymbolicLink(
                atPath: directory.appending(path: "d").path,
                withDestinationPath: "b/z"
            )
            try files.createSymbolicLink(
                atPath: directory.appending(path: "e").path,
                withDestinationPath: "b/z"
            )
            try files.createSymbolicLink(
                atPath: directory.appending(path: "f").path,
                withDestinationPath: "nowhere"
            )
            let run = try await Corpus.run([directory.path])
            let names = try run.all("source").compactMap { $0?.string?.dropFirst(directory.path.count + 1) }
            #expect(names == ["a.der", "b/a/x", "b/z", "b.der", "c/y"], "\(names)")
            #expect(run.status == 0)
            let twice = try await Corpus.run([directory.path, directory.path])
            #expect(try twice.all("source") == run.all("source") + run.all("source"))
            let shards = try await Corpus.run(["--format", "hex", directory.path])
            #expect(
                try Set(shards.codes()).isSubset(of: [
                    "record.not-hexadecimal", "input.empty", "input.cut-off",
                ])
            )
        }
    }

    @Test("several shards are read in one run, and a shard that cannot be read is reported")
    func shards() async throws {
        try await withDirectory { directory in
            let shards = ["1.csv", "2.hex", "3.ndjson"].map { directory.appending(path: $0) }
            for (shard, format) in zip(shards, ["csv", "hex", "ndjson"]) {
                try Data(Corpus.encode(Corpus.receipts, format)).write(to: shard)
            }
            let paths = shards.map(\.path)
            let run = try await Corpus.run([paths[0], paths[1], "no/such/file", paths[2]])
            let objects = try run.objects()
            #expect(run.status == 3 && objects.count == 3 * Corpus.receipts.count + 1)
            let verdicts = try await ["csv", "hex", "ndjson"].mapInTurn { format in
                try await Corpus.verdicts(in: format)
            }
            let unread: [JSONValue?] = ["unreadable", "input", "input.cannot-read"].map { .string($0) }
            #expect(
                objects.map { [$0["status"], $0["step"], $0["code"]] }
                    == verdicts[0] + verdicts[1] + [unread] + verdicts[2]
            )
            #expect(run.errors.contains("cannot read no/such/file: No such file or directory"))
        }
    }

    @Test(
        "the exit status is 1 only with --fail-on",
        arguments: [([], 0, 4), (["--fail-on", "invalid"], 1, 4), (["--fail-on", "unreadable"], 1, 4)]
    )
    func failOn(_ options: [String], _ status: Int32, _ count: Int) async throws {
        let foreign = try Corpus.base64(vector("receipts/root-foreign.der"))
        let good = Corpus.base64(Corpus.good)
        let run = try await Corpus.run(
            ["--format", "base64", "-"] + options,
            "\(good)\n\(foreign)\n!\n\(good)\n"
        )
        #expect(try run.status == status && run.objects().count == count, "\(run)")
        let allGood = try await Corpus.run(["--format", "base64", "-"] + options, "\(good)\n")
        #expect(allGood.status == 0)
    }

    @Test(
        "a wrong command line is explained, with exit status 2",
        arguments: [
            ([], "which source?"), (["--format", "xml", "-"], "--format is none of"),
            (["--jobs", "0", "-"], "--jobs 0 is not a number from 1"),
            (["--fields", "some", "-"], "--fields some is none of none|brief|all"),
            (["--first-record", "x", "-"], "--first-record x is not a number"),
            (["--source", "x", "a", "b"], "--source is for one source"),
            (["--first-record", "2", "Vectors"], "--first-record is for one source"),
            (["--fail-on", "valid", "-"], "--fail-on valid is none of"),
            (["--out", "Package.swift", "-"], "--out Package.swift: File exists"),
            (["--out", "Vectors/receipts/x/../out", "Vectors/receipts"], "--out"),
            (
                ["--out", "Vectors/receipts/out", "Vectors"],
                "--out Vectors/receipts/out is inside of a directory"
            ),
        ]
    )
    func usage(_ arguments: [String], _ message: String) async throws {
        let run = try await Corpus.run(arguments)
        #expect(
            run.status == 2 && run.output.isEmpty && run.errors.hasPrefix("app-receipt: \(message)"),
            "\(run)"
        )
        #expect(run.errors.hasSuffix("see app-receipt corpus verify --help\n"))
    }

    @Test("the two words of the command are looked up together and have one help")
    func name() async throws {
        let unknown = try await CommandRun(["corpus", "verfy"])
        #expect(
            unknown.status == 2
                && unknown.errors.contains("unknown command corpus verfy (did you mean corpus verify?)")
        )
        #expect(try await CommandRun(["corpus"]).status == 2)
        let help = try await CommandRun(["corpus", "verify", "--help"])
        let example = try #require(help.text.range(of: "  app-receipt corpus verify --"))
        let usage = try #require(help.text.range(of: "usage: app-receipt corpus verify"))
        #expect(help.status == 0 && example.lowerBound < usage.lowerBound)
        #expect(help.lines.allSatisfy { $0.count <= 120 })
    }

    @Test("the summary counts the written records, for people and as JSON")
    func summary() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "summary.json")
            let run = try await Corpus.run(
                ["--format", "base64", "--only-invalid", "--summary", file.path, "-"],
                Self.source
            )
            let summary = try JSONValue.parse([UInt8](Data(contentsOf: file)))
            let written = try run.objects()
            #expect(summary["read"] == .number(600) && summary["written"] == .number(Int64(written.count)))
            #expect(
                summary["filtered"] == .number(Int64(600 - written.count))
                    && summary["reconciled"] == .bool(true)
            )
            #expect(
                summary["bytes"] == .number(Int64(Self.source.count)) && summary["exit_status"] == .number(0)
            )
            guard case .object(let errors)? = summary["errors"] else { throw CocoaError(.coderValueNotFound) }
            let counted = Dictionary(grouping: written) {
                "\($0["step"]?.string ?? "") \($0["code"]?.string ?? "")"
            }
            #expect(errors == counted.mapValues { .number(Int64($0.count)) })
            #expect(summary["slowest"]?.elements.count == 10)
            #expect(
                run.errors.contains("600 read = \(written.count) written + \(600 - written.count) filtered")
            )
            let quiet = try await Corpus.run(["--format", "base64", "--quiet", "-"], Self.source)
            #expect(quiet.errors.isEmpty)
        }
    }

    @Test("a summary that cannot be written is noticed before the run")
    func unwritableSummary() async throws {
        let run = try await Corpus.run(
            ["--format", "base64", "--summary", "/nonexistent/summary", "-"],
            Self.source
        )
        #expect(run.status == 4 && run.output.isEmpty, "\(run)")
        #expect(run.errors == "app-receipt: cannot write /nonexistent/summary: No such file or directory\n")
    }

    @Test("--fields chooses how much of a valid receipt is written")
    func fields() async throws {
        let path = "Vectors/receipts/many-purchases.der"
        let none = try await Corpus.run(["--fields", "none", path]).objects()[0]
        let brief = try await Corpus.run([path]).objects()[0]["receipt"]
        let all = try await Corpus.run(["--fields", "all", path]).objects()[0]["receipt"]
        let verified = try await CommandRun(["verify", "--json"] + Corpus.any + [path]).objects()[0][
            "receipt"
        ]
        #expect(none["status"] == .string("valid") && none["receipt"] == nil)
        #expect(all != nil && all == verified)
        #expect(brief?["bundle_id"] == all?["bundle_id"] && brief?["in_app"] == nil)
        #expect(
            brief?["in_app_count"] == .number(Int64(all?["in_app"]?.elements.count ?? -1))
        )
    }
}
