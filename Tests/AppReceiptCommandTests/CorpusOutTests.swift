import Foundation
import TestSupport
import Testing

@Suite("app-receipt corpus verify --out")
struct CorpusOutTests {
    private static let lines = "record 1!\nrecord 2!\nrecord 3!\n"

    /// A directory with a source, its results, and their checkpoint, and runs over them.
    private struct Place {
        let directory: URL
        var source: URL { directory.appending(path: "source") }
        var out: URL { directory.appending(path: "out") }
        var checkpoint: URL { directory.appending(path: "out.checkpoint") }

        func run(_ arguments: [String], _ input: String = "") async throws -> CommandRun {
            try await Corpus.run(["--format", "base64", "--out", out.path] + arguments, input)
        }
    }

    private func withPlace(_ body: (Place) async throws -> Void) async throws {
        try await withDirectory { directory in
            let place = Place(directory: directory)
            try Data(Self.lines.utf8).write(to: place.source)
            try await body(place)
        }
    }

    private func edit(_ file: URL, _ body: (inout String) -> Void) throws {
        var text = try String(contentsOf: file, encoding: .utf8)
        body(&text)
        try text.write(to: file, atomically: false, encoding: .utf8)
    }

    @Test("a complete run that is resumed reads nothing and gives the same status and counts")
    func complete() async throws {
        try await withPlace { place in
            let first = try await place.run(["--fail-on", "invalid", "-"], Self.lines)
            let results = try Data(contentsOf: place.out)
            let again = try await place.run(["--fail-on", "invalid", "--resume", "-"])
            #expect(first.status == 1 && again.status == 1)
            #expect(again.errors.contains("this run is complete: 3 records were read"))
            #expect(again.errors.contains("3 read = 3 written + 0 filtered"))
            #expect(try Data(contentsOf: place.out) == results)
        }
    }

    @Test(
        "where there is nothing to go on with, --resume begins, also behind a run killed before its checkpoint"
    )
    func begin() async throws {
        try await withPlace { place in
            let plain = try await Corpus.run(["--format", "base64", place.source.path])
            for isKilled in [false, true] {
                if isKilled {
                    // These files remain if a run is killed after it made the file and before it put the
                    // checkpoint beside it.
                    try FileManager.default.removeItem(at: place.checkpoint)
                    try Data().write(to: place.out)
                    try Data("{\"check".utf8).write(to: place.directory.appending(path: "out.checkpoint.new"))
                }
                let run = try await place.run(["--resume", place.source.path])
                #expect(try run.status == 0 && [UInt8](Data(contentsOf: place.out)) == plain.output)
            }
        }
    }

    @Test("lines after the last checkpoint are written again, and the header of a table once")
    func tail() async throws {
        try await withPlace { place in
            let process = try KilledRun(
                ["--format", "base64", "--csv", "--resume", "-"],
                out: place.out,
                input: Pipe()
            )
            let pipe = try #require(process.process.standardInput as? Pipe)
            try pipe.fileHandleForWriting.write(contentsOf: Data(Self.lines.utf8))
            // The header is written before the first record is read, so wait for the lines as well.
            let lines = try await Corpus.run(["--format", "base64", "--csv", "-"], Self.lines)
            let end = try await process.end(.length(lines.output.count, .interrupt))
            #expect(end.status == 130 && end.errors.contains("3 read = 3 written + 0 filtered"), "\(end)")
            let handle = try FileHandle(forWritingTo: place.out)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("standard in".utf8))
            let run = try await place.run(["--csv", "--resume", "-"], Self.lines + "record 4!\n")
            let plain = try await Corpus.run(
                ["--format", "base64", "--csv", "-"],
                Self.lines + "record 4!\n"
            )
            #expect(run.status == 0 && run.errors.contains("going on where 3 records were read"), "\(run)")
            #expect(try [UInt8](Data(contentsOf: place.out)) == plain.output)
        }
    }

    @Test(
        "a run is not resumed with other options or sources, and the results stay unchanged",
        arguments: [
            (["--keep", "a"], "it was begun with no such option, and now there is --keep a"),
            (["--only-invalid"], "now there is --only-invalid"),
            (["--bundle-id", "a"], "now there is --bundle-id a"), (["--csv"], "now there is --csv"),
            (["Package.swift"], "it was begun with other sources"),
        ]
    )
    func otherOptions(_ options: [String], _ message: String) async throws {
        try await withPlace { place in
            #expect(try await place.run([place.source.path]).status == 0)
            let results = try Data(contentsOf: place.out)
            let run = try await place.run(["--resume", place.source.path] + options)
            #expect(
                run.status == 2 && run.errors.contains("--resume: ") && run.errors.contains(message),
                "\(run)"
            )
            #expect(try Data(contentsOf: place.out) == results)
            // These options do not influence the results.
            #expect(
                try await place.run(["--resume", "--jobs", "3", "--quiet", place.source.path]).status == 0
            )
        }
    }

    @Test("a root file with another content is another option")
    func otherRoot() async throws {
        try await withPlace { place in
            let root = place.directory.appending(path: "root")
            let arguments = [
                "--allow-unreadable", "--format", "base64", "--bundle-id", "any", "--environment", "any",
                "--root", root.path,
                "--out", place.out.path, place.source.path,
            ]
            try Data(vector("certificates/root.der")).write(to: root)
            #expect(try await CommandRun(["corpus", "verify"] + arguments).status == 0)
            // Another name of the file is no other option.
            let copy = place.directory.appending(path: "copy")
            try FileManager.default.copyItem(at: root, to: copy)
            let renamed = arguments.map { $0 == root.path ? copy.path : $0 }
            #expect(try await CommandRun(["corpus", "verify", "--resume"] + renamed).status == 0)
            try Data(vector("certificates/intermediate.der")).write(to: root)
            let run = try await CommandRun(["corpus", "verify", "--resume"] + arguments)
            #expect(
                run.status == 2 && run.errors.contains("--resume: it was begun with --root of SHA-256"),
                "\(run)"
            )
        }
    }

    @Test("a source with another size, time or beginning is refused, and a missing source")
    func otherSource() async throws {
        try await withPlace { place in
            let files = FileManager.default
            let date = try #require(
                files.attributesOfItem(atPath: place.source.path)[.modificationDate] as? Date
            )
            #expect(try await place.run([place.source.path]).status == 0)
            func isRefused() async throws -> Bool {
                let run = try await place.run(["--resume", place.source.path])
                return run.status == 2 && run.errors.contains("has changed: its size")
            }
            #expect(try await !isRefused())
            try Data((Self.lines + "x\n").utf8).write(to: place.source)
            try files.setAttributes([.modificationDate: date], ofItemAtPath: place.source.path)
            #expect(try await isRefused())
            try Data(Self.lines.utf8).write(to: place.source)
            try files.setAttributes([.modificationDate: date + 1], ofItemAtPath: place.source.path)
            #expect(try await isRefused())
            try Data(Self.lines.replacing("1", with: "4").utf8).write(to: place.source)
            try files.setAttributes([.modificationDate: date], ofItemAtPath: place.source.path)
            #expect(try await isRefused())
            try files.removeItem(at: place.source)
            #expect(try await isRefused())
        }
    }

    @Test("changed results, changed checkpoints and other versions are refused")
    func otherResults() async throws {
        try await withPlace { place in
            #expect(try await place.run([place.source.path]).status == 0)
            let (results, checkpoint) = (
                try Data(contentsOf: place.out), try Data(contentsOf: place.checkpoint)
            )
            func refusal() async throws -> String {
                let run = try await place.run(["--resume", place.source.path])
                try results.write(to: place.out)
                try checkpoint.write(to: place.checkpoint)
                return run.status == 2 ? run.errors : "\(run)"
            }
            try edit(place.out) { $0.append("\n") }
            #expect(try await refusal().contains("was changed since its last checkpoint"))
            try edit(place.out) { $0.removeLast() }
            #expect(try await refusal().contains("was changed since its last checkpoint"))
            try edit(place.out) { $0.replace("\"record\":1", with: "\"record\":7") }
            #expect(try await refusal().contains("was changed since its last checkpoint"))
            try edit(place.checkpoint) { $0.replace("app-receipt 0", with: "app-receipt 9") }
            #expect(
                try await refusal().contains(
                    "it was begun by app-receipt 9.1.0, and this is app-receipt 0.1.0"
                )
            )
            for (old, new) in [
                ("{\"checkpoint\":3", "{\"checkpoint\":1"), ("\"length\":", "\"length\":-"), ("{", "["),
                ("\"read\":3", "\"read\":99999999999999999999"), ("\"sources\":[", "\"sources\":[1,"),
            ] {
                try edit(place.checkpoint) { $0.replace(old, with: new, maxReplacements: 1) }
                #expect(
                    try await refusal().contains(
                        "out.checkpoint is not a checkpoint that this version reads"
                    ),
                    "\(new)"
                )
            }
            try FileManager.default.removeItem(at: place.checkpoint)
            #expect(try await refusal().contains("cannot be continued: there is no"))
            try FileManager.default.removeItem(at: place.out)
            #expect(try await refusal().contains("of results that are gone"))
        }
    }

    @Test(
        "a change in the part of a directory that was already read is refused",
        arguments: ["changed", "added", "removed", "renamed"]
    )
    func otherDirectory(_ change: String) async throws {
        try await withPlace { place in
            let files = FileManager.default
            let directory = place.directory.appending(path: "files")
            try files.createDirectory(at: directory, withIntermediateDirectories: true)
            for index in 1000..<3000 {
                try Data("\(index)".utf8).write(to: directory.appending(path: "\(index)"))
            }
            let arguments = ["--resume", directory.path]
            // The first batch of 256 lines takes about 110,000 bytes. Its checkpoint is written before the
            // second batch.
            let moment = KilledRun.Moment.length(200_000, .kill)
            #expect(try await KilledRun.run(arguments, out: place.out, until: moment).status == -9)
            switch change {
            case "changed": try Data("7777".utf8).write(to: directory.appending(path: "1000"))
            case "added": try Data("7777".utf8).write(to: directory.appending(path: "10000"))
            case "removed": try files.removeItem(at: directory.appending(path: "1000"))
            default:
                let names = ["1000", "10000"].map { directory.appending(path: $0) }
                try files.moveItem(at: names[0], to: names[1])
            }
            let end = try await KilledRun.run(arguments, out: place.out)
            #expect(
                end.status == 2
                    && end.errors.contains("--resume: the directories have changed since they were read"),
                "\(end)"
            )
        }
    }

    @Test("standard input with another beginning, or with too early an end, is refused")
    func otherInput() async throws {
        try await withPlace { place in
            let run = try KilledRun(["--format", "base64", "-"], out: place.out, input: Pipe())
            let pipe = try #require(run.process.standardInput as? Pipe)
            try pipe.fileHandleForWriting.write(contentsOf: Data(Self.lines.utf8))
            #expect(try await run.end(.length(200, .interrupt)).status == 130)
            for input in [Self.lines.replacing("1", with: "4"), "record 1!\n", ""] {
                let other = try await place.run(["--resume", "-"], input)
                #expect(other.status == 2 && other.errors.contains("standard input does not begin as it did"))
            }
            #expect(try await place.run(["--resume", "-"], Self.lines).status == 0)
        }
    }

    @Test("the results are locked while they are written")
    func lock() async throws {
        try await withPlace { place in
            let run = try KilledRun(["--format", "base64", "-"], out: place.out, input: Pipe())
            let pipe = try #require(run.process.standardInput as? Pipe)
            while !FileManager.default.fileExists(atPath: place.checkpoint.path) {
                try await Task.sleep(for: .milliseconds(1))
            }
            let other = try await place.run(["--resume", "-"])
            #expect(
                other.status == 5 && other.errors.contains("is being written by another process"),
                "\(other)"
            )
            try pipe.fileHandleForWriting.close()
            #expect(try await run.end().status == 0)
        }
    }

    @Test("--resume and --checkpoint-every require --out")
    func usage() async throws {
        for option in ["--resume", "--checkpoint-every=1"] {
            let run = try await Corpus.run([option, "-"])
            #expect(run.status == 2 && run.errors.contains("is for a run with --out"))
        }
    }
}
