import Foundation
import TestSupport
import Testing

/// Records whose processing could take much more memory, time or space than their length.
@Suite("app-receipt corpus verify: records that cost much memory or time", .serialized)
struct CorpusAmplificationTests {
    /// Runs `corpus verify` over a source, and measures its largest memory.
    ///
    /// - Returns: the exit status, the number of bytes of results, and the peak memory in kilobytes.
    private func measure(
        _ arguments: [String],
        _ source: [UInt8],
        jobs: Int = 2
    ) async throws -> (status: Int32, length: Int, peak: Int) {
        try await withDirectory { directory in
            let file = directory.appending(path: "source")
            try Data(source).write(to: file)
            let process = CommandRun.process(
                ["corpus", "verify", "--allow-unreadable", "--quiet", "--jobs", "\(jobs)"] + Corpus.any
                    + arguments + [file.path]
            )
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            let end = try process.start()
            let (length, peak) = try await onOwnThread {
                var (length, peak) = (0, 0)
                while true {
                    let bytes = output.fileHandleForReading.availableData
                    if bytes.isEmpty { return (length, peak) }
                    length += bytes.count
                    peak = max(peak, Self.peak(of: process.processIdentifier))
                }
            }
            return (await end.value, length, peak)
        }
    }

    /// The largest memory of a process so far, in kilobytes; 0 where the system does not say.
    private static func peak(of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.1) } ?? 0
    }

    @Test("rows of purchases with a large kept field are written as they are made")
    func keptRows() async throws {
        let receipt = try Corpus.base64(vector("receipts/many-purchases.der"))
        let kept = String(repeating: "k", count: 1 << 19)
        let source = "{\"receipt\":\"\(receipt)\",\"id\":\"\(kept)\"}\n"
        let run = try await measure(
            ["--format", "ndjson", "--rows", "purchases", "--keep", "id"],
            [UInt8](source.utf8)
        )
        let rows =
            try await Corpus.run(["--rows", "purchases", "Vectors/receipts/many-purchases.der"]).lines.count
            - 1
        #expect(rows > 20 && run.status == 0 && run.length > rows * kept.utf8.count)
        #expect(run.peak < 32_000, "\(run.peak) kB for \(rows) rows")
    }

    @Test("the bytes of large records that wait for a slow one are bounded, with any number of jobs")
    func waitingRecords() async throws {
        func record(_ receipt: String, kept: Int, beside: Int) -> String {
            let (id, pad) = (String(repeating: "k", count: kept), String(repeating: "p", count: beside))
            return "{\"receipt\":\"\(receipt)\",\"id\":\"\(id)\",\"pad\":\"\(pad)\"}\n"
        }
        let slow = try record(
            Corpus.base64(vector("receipts/many-purchases.der")),
            kept: 1 << 19,
            beside: 0
        )
        // The line of a large record is long enough that its task waits for its turn, with the record in
        // memory. All 16 take 128 MB.
        let large = [UInt8](record("x!", kept: 9 << 17, beside: 7 << 20).utf8)
        // Whole arrays are appended: a joined sequence would be copied byte by byte.
        var source = [UInt8](slow.utf8)
        for _ in 0..<16 { source += large }
        let run = try await measure(
            ["--format", "ndjson", "--rows", "purchases", "--keep", "id"],
            source,
            jobs: 16
        )
        #expect(run.status == 0 && run.length > 100 << 20)
        // Without the bound, it takes 201 MB or more.
        #expect(run.peak < 190_000, "\(run.peak) kB")
    }

    @Test(
        "a record of very many columns takes little more memory than its length",
        arguments: ["csv", "tsv", "pgcopy"]
    )
    func manyColumns(_ format: String) async throws {
        let separator = UInt8(ascii: format == "csv" ? "," : "\t")
        let row =
            [UInt8](Corpus.base64(Corpus.good).utf8) + [UInt8](repeating: separator, count: 1 << 19) + [10]
        let header = format == "pgcopy" ? [] : [UInt8]("receipt\n".utf8)
        // A short last record makes the process write once more, so that its memory can be measured.
        let short = [UInt8](Corpus.base64(Corpus.good).utf8) + [10]
        let run = try await measure(["--format", format], header + row + short)
        #expect(run.status == 0 && run.length > 400)
        #expect(run.peak < 32_000, "\(run.peak) kB")
    }

    @Test("an object of very many members takes little more memory than its length")
    func manyMembers() async throws {
        let members = [UInt8](String(repeating: "\"\":0,", count: 1 << 18).utf8)
        let row =
            [UInt8]("{".utf8) + members + [UInt8]("\"receipt\":\"\(Corpus.base64(Corpus.good))\"}\n".utf8)
        let run = try await measure(["--format", "ndjson"], row + row)
        #expect(run.status == 0 && run.length > 400 && run.peak < 40_000, "\(run.peak) kB")
    }

    @Test("very many lines of one space are one line of results", .enabled(if: SharedData.isExpected))
    func spaceLines() async throws {
        let file = SharedData.root.appending(path: "cases/space-lines.gz").path
        for format in [[], ["--format", "csv", "--no-header"], ["--format", "ndjson"]] {
            let run = try await Corpus.run(["--quiet"] + format + [file])
            #expect(try run.status == 0 && run.codes() == ["input.empty"], "\(run.lines.count)")
        }
    }

    @Test("two million blank lines are one line of results, and all are counted")
    func blankLines() async throws {
        // The process reads them in several batches.
        let source = [UInt8](repeating: 10, count: 2_000_000)
        let run = try await Corpus.run(["--format", "base64", "-"], source)
        #expect(run.status == 0 && run.lines.count == 2, "\(run.lines.count)")
        #expect(run.errors.contains("2000000 read = 1 written + 1999999 filtered"), "\(run.errors)")
        #expect(run.errors.contains("2000000  input input.empty"), "\(run.errors)")
        let mixed = try await Corpus.run(
            ["--format", "base64", "--jobs", "3", "-"],
            [UInt8]("\n\nx!\n\r\n\n".utf8)
        )
        #expect(try mixed.all("record") == [1, 3, 4].map { .number($0) }, "\(mixed)")
        #expect(mixed.errors.contains("5 read = 3 written + 2 filtered"))
    }
}
