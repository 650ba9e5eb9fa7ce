import Foundation
import TestSupport
import Testing

@Suite("app-receipt corpus verify and its streams", .serialized)
struct CorpusStreamTests {
    private func shell(_ command: String, input: [UInt8]) async throws -> (status: Int32, text: String) {
        try await withDirectory { directory in
            let file = directory.appending(path: "input")
            try Data(input).write(to: file)
            return try await CommandRun.shell(command, [file.path])
        }
    }

    private let verify =
        "$0 corpus verify --allow-unreadable --root Vectors/certificates/root.der --bundle-id any --environment any "
        + "--format base64"

    @Test(
        "a full disk is an incomplete output",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))
    )
    func fullDisk() async throws {
        let (status, text) = try await shell("\(verify) $1 >/dev/full", input: CorpusFlowTests.source)
        #expect(
            status == 4 && text.contains("the output is incomplete: cannot write: No space left on device"),
            "\(text)"
        )
    }

    @Test(
        "a run that cannot write does not wait for a source",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: ["1", "2"]
    )
    func fullDiskBeforePipe(_ jobs: String) async throws {
        // A process that still waits after twenty seconds is ended by a signal, which gives another status.
        let (status, text) = try await shell(
            "mkfifo $1.fifo; \(verify) --jobs \(jobs) $1 $1.fifo >/dev/full & child=$!; "
                + "{ for _ in $(seq 100); do sleep 0.2; kill -0 $child || exit; done; "
                + "kill -KILL $child; } 2>/dev/null & wait $child",
            input: [UInt8]("\(Corpus.base64(Corpus.good))\n".utf8)
        )
        #expect(
            status == 4 && text.contains("the output is incomplete: cannot write: No space left on device"),
            "\(text)"
        )
    }

    @Test("a reader that leaves early makes the output incomplete")
    func closedPipe() async throws {
        let many = CorpusFlowTests.source
        let (_, text) = try await shell(
            "{ \(verify) $1; echo status $? >&2; } | head -c 1 >/dev/null",
            input: many
        )
        #expect(
            text.contains("the output is incomplete: cannot write: Broken pipe")
                && text.hasSuffix("status 4\n"),
            "\(text)"
        )
    }

    @Test("--out writes the bytes of standard output to a new file, and refuses an existing file")
    func out() async throws {
        try await withDirectory { directory in
            let out = directory.appending(path: "out").path
            let plain = try await Corpus.run(["--format", "base64", "-"], CorpusFlowTests.source)
            let run = try await Corpus.run(["--format", "base64", "--out", out, "-"], CorpusFlowTests.source)
            #expect(run.status == 0 && run.output.isEmpty)
            #expect(try [UInt8](Data(contentsOf: URL(filePath: out))) == plain.output)
            let again = try await Corpus.run(["--format", "base64", "--out", out, "-"], "x\n")
            #expect(again.status == 2 && again.errors.contains("File exists"))
            #expect(try [UInt8](Data(contentsOf: URL(filePath: out))) == plain.output)
        }
    }

    @Test(
        "results are written before the next input arrives, and an interrupt leaves whole lines and a summary"
    )
    func interrupt() async throws {
        let process = CommandRun.process(["corpus", "verify", "--format", "base64"] + Corpus.any + ["-"])
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        let end = try process.start()
        let line = Data("\(Corpus.base64(Corpus.good))\nthe next one has no end".utf8)
        try input.fileHandleForWriting.write(contentsOf: line)
        let first = try await onOwnThread { output.fileHandleForReading.availableData }
        #expect(first.last == 10 && String(decoding: first, as: UTF8.self).contains("\"status\":\"valid\""))
        process.interrupt()
        #expect(await end.value == 130)
        let rest = try output.fileHandleForReading.readToEnd() ?? Data()
        let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(rest.isEmpty && text.contains("1 read = 1 written + 0 filtered"), "\(text)")
        try input.fileHandleForWriting.close()
    }

    @Test("a full batch is judged before the next input arrives, by several jobs too", arguments: ["1", "2"])
    func fullBatch(_ jobs: String) async throws {
        // The sender waits for the results of a batch's 256 records, for ten seconds at most.
        let (_, text) = try await shell(
            "mkfifo $1.fifo; \(verify) --jobs \(jobs) $1.fifo >$1.out & exec 3>$1.fifo; cat $1 >&3; "
                + "for _ in $(seq 100); do [ $(wc -l <$1.out) -lt 256 ] || { echo answered; break; }; sleep 0.1; done; "
                + "exec 3>&-; wait",
            input: [UInt8]((String(repeating: "x!\n", count: 256) + "the next record has no end").utf8)
        )
        #expect(text.contains("answered"), "\(text)")
    }

    @Test("the format is guessed from the first line that is not blank, whenever it arrives")
    func lateFirstLine() async throws {
        let (_, text) = try await shell(
            "{ echo; sleep 0.3; cat $1; } | $0 corpus verify --root Vectors/certificates/root.der --bundle-id any "
                + "--environment any - >/dev/null",
            input: [UInt8]("{\"receipt\":\"\(Corpus.base64(Corpus.good))\"}\n".utf8)
        )
        #expect(text.contains("looks like ndjson"), "\(text)")
    }

    @Test(
        "an interrupt ends a run inside a line that has no end",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/timeout"))
    )
    func interruptInLongLine() async throws {
        let (_, text) = try await shell(
            "truncate -s 256G $1; timeout --preserve-status -s INT -k 20 1 \(verify) $1 >/dev/null; echo status $?",
            input: []
        )
        #expect(text.contains("status 130"), "\(text)")
    }

    @Test("an interrupt after the last read changes nothing")
    func lateInterrupt() async throws {
        // More than a pipe holds, and less than one batch.
        let many = [String](repeating: "Vectors/receipts/many-purchases.der", count: 5)
        let process = CommandRun.process(
            ["corpus", "verify", "--fields", "all"] + Corpus.any + many
                + ["Vectors/receipts/root-foreign.der"]
        )
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let end = try process.start()
        let text = try await onOwnThread {
            let first = try output.fileHandleForReading.read(upToCount: 1) ?? Data()
            process.interrupt()
            return try first + (output.fileHandleForReading.readToEnd() ?? Data())
        }
        #expect(await end.value == 0)
        #expect(text.count > 1 << 17 && text.split(separator: 10).count == 6)
    }

    @Test("a run that is interrupted just before its input ends has the status of an interrupted run")
    func interruptAtEnd() async throws {
        for _ in 0..<10 {
            let process = CommandRun.process(
                ["corpus", "verify", "--format", "base64"] + Corpus.any + ["-"]
            )
            let (input, output) = (Pipe(), Pipe())
            (process.standardInput, process.standardOutput) = (input, output)
            process.standardError = FileHandle.nullDevice
            let end = try process.start()
            try input.fileHandleForWriting.write(contentsOf: Data("\(Corpus.base64(Corpus.good))\n".utf8))
            let last = try await onOwnThread {
                let last = output.fileHandleForReading.availableData.last
                process.interrupt()
                try input.fileHandleForWriting.close()
                return last
            }
            #expect(last == 10)
            #expect(await end.value == 130)
        }
    }

    @Test(
        "a standard error that cannot be written changes neither status nor results nor summary",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: ["2>/dev/full", "2>&-"]
    )
    func fullErrors(_ redirection: String) async throws {
        let summary = "$1.summary"
        let (status, text) = try await shell(
            "{ \(verify) --summary \(summary) $1 \(redirection); echo status $?; cat \(summary); } | tail -2",
            input: CorpusFlowTests.source
        )
        #expect(status == 0 && text.hasPrefix("status 0\n{") && text.contains("\"statuses\""), "\(text)")
        let (full, _) = try await shell("\(verify) $1 >/dev/full 2>/dev/full", input: CorpusFlowTests.source)
        #expect(full == 4)
    }

    @Test("a root from a pipe is read once")
    func rootOnce() async throws {
        let (status, text) = try await shell(
            "cat Vectors/certificates/root.der | $0 corpus verify --quiet --bundle-id any --environment any --root /dev/stdin "
                + "--format base64 $1",
            input: [UInt8]("\(Corpus.base64(Corpus.good))\n".utf8)
        )
        #expect(status == 0 && text.contains("\"status\":\"valid\""), "\(text)")
    }

    @Test("a run is not resumed with another root, even from standard input")
    func rootResumed() async throws {
        func run(_ root: String, _ options: String) -> String {
            "cat Vectors/certificates/\(root) | $0 corpus verify --bundle-id any --environment any --root /dev/stdin "
                + "--format base64 \(options) $1"
        }
        let (status, text) = try await shell(
            "\(run("root.der", "--out $1.out")) && \(run("root.der", "--resume --out $1.out")) && "
                + "echo again && \(run("leaf.der", "--resume --out $1.out"))",
            input: [UInt8]("\(Corpus.base64(Corpus.good))\n".utf8)
        )
        #expect(status == 2 && text.contains("again\n"), "\(text)")
        #expect(text.contains("it was begun with --root of SHA-256"), "\(text)")
    }

    @Test(
        "descriptors that are closed at the start do not lead into the results",
        arguments: ["<&- >&- 2>&-", "<&-"]
    )
    func closed(_ redirections: String) async throws {
        let (status, text) = try await shell(
            "\(verify) --out $1.out $1 \(redirections); status=$?; cat $1.out; exit $status",
            input: CorpusFlowTests.source
        )
        let plain = try await shell("\(verify) --quiet $1", input: CorpusFlowTests.source)
        #expect(status == 0 && text.split(separator: "\n").count >= plain.text.split(separator: "\n").count)
        #expect(redirections == "<&-" || !text.contains("app-receipt: "), "\(text.prefix(200))")
        let (nothing, _) = try await shell("\(verify) --quiet - <&-", input: [])
        #expect(nothing == 3)
    }

    @Test("waiting for a pipe that no process has opened for writing can be interrupted")
    func unopenedPipe() async throws {
        let (status, _) = try await shell(
            "mkfifo $1.fifo; \(verify) $1.fifo & sleep 1; kill -INT $!; wait $!",
            input: []
        )
        #expect(status == 130)
        let (fed, text) = try await shell(
            "mkfifo $1.fifo; { sleep 0.3; cat $1; } >$1.fifo & \(verify) --quiet $1.fifo",
            input: [UInt8]("\(Corpus.base64(Corpus.good))\n".utf8)
        )
        #expect(fed == 0 && text.contains("\"status\":\"valid\""))
    }

    @Test("compressed files are read even if the parent process left SIGCHLD ignored")
    func ignoredChildren() async throws {
        let (status, text) = try await shell(
            "gzip -k $1; trap '' CHLD; exec $0 corpus verify --quiet --only-invalid --bundle-id any --environment any "
                + "--root Vectors/certificates/root.der --format base64 $1.gz",
            input: [UInt8]("\(Corpus.base64(Corpus.good))\n".utf8)
        )
        #expect(status == 0 && text.isEmpty, "\(text)")
    }

    @Test(
        "a result is written before the next record arrives",
        .timeLimit(.minutes(1)),
        arguments: ["1", "2", "16"]
    )
    func conversation(_ jobs: String) async throws {
        let process = CommandRun.process(
            ["corpus", "verify", "--format", "base64", "--quiet", "--jobs", jobs] + Corpus.any + ["-"]
        )
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        let end = try process.start()
        let lines = try await onOwnThread {
            let lines = try Corpus.receipts.map { receipt in
                try input.fileHandleForWriting.write(contentsOf: Data(Corpus.encode([receipt], "base64")))
                var line: [UInt8] = []
                while line.last != 10, let byte = try output.fileHandleForReading.read(upToCount: 1) {
                    line += byte
                }
                return line
            }
            try input.fileHandleForWriting.close()
            return lines
        }
        for (index, line) in lines.enumerated() {
            #expect(line.last == 10)
            #expect(try JSONValue.parse(line)["record"] == .number(Int64(index + 1)))
        }
        #expect(await end.value == 0)
    }

    @Test(
        "results do not wait for a source that is not written yet",
        .timeLimit(.minutes(1)),
        arguments: ["1", "2", "16"]
    )
    func pipes(_ jobs: String) async throws {
        try await withDirectory { directory in
            let paths = ["a", "b", "c"].map { directory.appending(path: $0).path }
            for path in paths { try #require(unsafe mkfifo(path, 0o600) == 0) }
            let process = CommandRun.process(
                ["corpus", "verify", "--format", "base64", "--quiet", "--jobs", jobs] + Corpus.any + paths
            )
            let output = Pipe()
            process.standardOutput = output
            let end = try process.start()
            for path in paths {
                let results = try await onOwnThread {
                    let pipe = try FileHandle(forWritingTo: URL(filePath: path))
                    try pipe.write(contentsOf: Data(Corpus.encode(Corpus.receipts, "base64")))
                    try pipe.close()
                    var results = Data()
                    while results.count(where: { $0 == 10 }) < Corpus.receipts.count {
                        let more = output.fileHandleForReading.availableData
                        if more.isEmpty { break }
                        results += more
                    }
                    return results
                }
                try #require(results.count { $0 == 10 } >= Corpus.receipts.count)
            }
            #expect(await end.value == 0)
        }
    }

    @Test(
        "memory does not grow with the corpus",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status"))
    )
    func memory() async throws {
        // Held open after its last record, so that the process can be looked at when it has done its work.
        let process = CommandRun.process(
            ["corpus", "verify", "--format", "base64", "--quiet", "--only-invalid", "--allow-unreadable"]
                + Corpus.any + ["-"]
        )
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        let end = try process.start()
        defer { process.terminate() }
        let line = [UInt8](repeating: 0x21, count: 5_000) + [10]
        let chunk = Data(Array(repeating: line, count: 200).joined())
        try await onOwnThread {
            for _ in 0..<100 { try input.fileHandleForWriting.write(contentsOf: chunk) }
        }
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let peak = try #require(status.firstMatch(of: /VmHWM:\s+(\d+) kB/)).1
        #expect(try #require(Int(peak)) < 50_000, "\(peak) kB for 100 MB")
        try input.fileHandleForWriting.close()
        #expect(await end.value == 0)
    }

    @Test("progress for machines is JSON on standard error")
    func progress() async throws {
        let (status, text) = try await shell(
            "{ cat $1; sleep 1.2; cat $1; } | \(verify) --progress json --quiet - >/dev/null",
            input: Array(CorpusFlowTests.source.prefix(100_000))
        )
        let object = try JSONValue.parse([UInt8](try #require(text.split(separator: "\n").first).utf8))
        #expect(status == 0 && object["total_bytes"] == .null, "\(text)")
        guard case .object(let statuses)? = object["statuses"], case .number(let records)? = object["records"]
        else {
            Issue.record("no counts: \(text)")
            return
        }
        let sum = statuses.values.reduce(Int64(0)) { sum, count in
            if case .number(let count) = count { sum + count } else { sum }
        }
        #expect(sum == records && records > 0 && statuses["valid"] != nil, "\(text)")
    }
}
