import Foundation
import TestSupport
import Testing

@Suite("app-receipt corpus verify --resume")
struct CorpusResumeTests {
    /// Records for several batches. Most of the records are cheap to judge.
    static let records: [String] = (0..<1000).map { index in
        index % 40 == 0
            ? Corpus.base64(Corpus.receipts[index / 40 % Corpus.receipts.count]) : "record \(index)!"
    }
    static let source = Data((records.joined(separator: "\n") + "\n").utf8)

    static let kinds =
        ["file", "several", "files", "shards", "gz", "standard input"]
        + (FileManager.default.fileExists(atPath: "/usr/bin/zstd") ? ["zst"] : [])

    /// Makes the sources of a kind.
    ///
    /// - Returns: the arguments that name the sources, and the standard input of a run.
    static func make(_ kind: String, in directory: URL) async throws -> ([String], () throws -> Any) {
        let nothing: () throws -> Any = { FileHandle.nullDevice }
        let file = directory.appending(path: "source.txt")
        try source.write(to: file)
        func pack(_ words: [String]) async throws {
            #expect(try await ProgramRun("/usr/bin/env", words).status == 0)
        }
        let shards = directory.appending(path: "shards")
        try FileManager.default.createDirectory(
            at: shards.appending(path: "b"),
            withIntermediateDirectories: true
        )
        switch kind {
        case "files":
            for (index, record) in records.enumerated() {
                let name = index % 3 == 0 ? "b/\(index)" : "\(index)"
                try Data(record.utf8).write(to: shards.appending(path: name))
            }
            return ([shards.path], nothing)
        case "shards", "several":
            let names = ["a", "b/a", "b/b", "c"]
            for (index, name) in names.enumerated() {
                let part = records[(index * 250)..<(index * 250 + 250)].joined(separator: "\n")
                try Data(part.utf8).write(to: shards.appending(path: name))
            }
            try await pack(["gzip", shards.appending(path: "b/a").path])
            let paths = ["b/b", "no such", "b/a.gz", "a", "c"].map { shards.appending(path: $0).path }
            return (["--format", "base64"] + (kind == "shards" ? [shards.path] : paths), nothing)
        case "gz", "zst":
            try await pack(kind == "gz" ? ["gzip", "-k", file.path] : ["zstd", "-q", file.path])
            return (["--format", "base64", "\(file.path).\(kind)"], nothing)
        case "standard input": return (["--format", "base64", "-"], { try FileHandle(forReadingFrom: file) })
        default: return (["--format", "base64", file.path], nothing)
        }
    }

    /// The summary of an uninterrupted run, without the values that depend on time and on the number of jobs.
    static func counts(_ file: URL) throws -> [String: JSONValue] {
        guard case .object(var summary) = try JSONValue.parse([UInt8](Data(contentsOf: file))) else {
            return [:]
        }
        for name in ["milliseconds", "records_per_second", "slowest", "jobs"] { summary[name] = nil }
        return summary
    }

    @Test(
        "a run that is killed at any point and resumed writes the output of an uninterrupted run",
        arguments: kinds,
        [["--csv"], ["--only-invalid"]]
    )
    func killed(_ kind: String, _ options: [String]) async throws {
        try await withDirectory { directory in
            let (sources, input) = try await Self.make(kind, in: directory)
            func run(_ name: String, jobs: Int, _ moment: KilledRun.Moment) async throws -> Int32 {
                let summary = ["--summary", directory.appending(path: "\(name).json").path]
                let arguments = sources + options + summary + ["--jobs", "\(jobs)", "--resume", "--quiet"]
                let out = directory.appending(path: name)
                return try await KilledRun.run(arguments, out: out, input: input(), until: moment).status
            }
            let status = try await run("whole", jobs: 2, .never)
            let whole = try Data(contentsOf: directory.appending(path: "whole"))
            #expect(status == (kind == "several" ? 3 : 0) && !whole.isEmpty)
            for step in 0..<5 {
                let signal: KilledRun.SignalNumber = step == 3 ? .interrupt : .kill
                // The first run is killed as soon as the file exists, and the last after the last record.
                let end = try await run("killed", jobs: 1 + step % 2, .length(whole.count * step / 4, signal))
                // An interrupt may come before the process has installed its handlers.
                #expect([-9, -2, 130, status].contains(end))
            }
            #expect(try await run("killed", jobs: 1, .never) == status)
            #expect(try Data(contentsOf: directory.appending(path: "killed")) == whole)
            let counts = try ["whole", "killed"].map {
                try Self.counts(directory.appending(path: "\($0).json"))
            }
            #expect(counts[0] == counts[1])
        }
    }
}
