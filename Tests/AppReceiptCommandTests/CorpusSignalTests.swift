import Foundation
import TestSupport
import Testing

@Suite("app-receipt corpus verify and signals", .serialized)
struct CorpusSignalTests {
    @Test(
        "SIGINT, SIGTERM and SIGHUP end a run with a checkpoint and a summary",
        arguments: [
            KilledRun.SignalNumber.interrupt, .terminate, .hangUp,
        ]
    )
    func signals(_ signal: KilledRun.SignalNumber) async throws {
        try await withDirectory { directory in
            let out = directory.appending(path: "out")
            let run = try KilledRun(["--format", "base64", "-"], out: out, input: Pipe())
            let pipe = try #require(run.process.standardInput as? Pipe)
            try pipe.fileHandleForWriting.write(contentsOf: Data("record 1!\nrecord 2!\nrec".utf8))
            let end = try await run.end(.length(200, signal))
            #expect(end.status == 130 && end.errors.contains("2 read = 2 written + 0 filtered"), "\(end)")
            let rest = try await Corpus.run(
                ["--format", "base64", "--resume", "--out", out.path, "-"],
                "record 1!\nrecord 2!\nrecord 3!\n"
            )
            #expect(rest.status == 0 && rest.errors.contains("going on where 2 records were read"), "\(rest)")
        }
    }

    @Test("a signal while --resume looks for its place leaves the results and the checkpoint as they are")
    func signalBeforeResuming() async throws {
        try await withDirectory { directory in
            let (out, first) = (directory.appending(path: "out"), directory.appending(path: "first"))
            try Data("record 1!\nrecord 2!\n".utf8).write(to: first)
            let sources = ["--format", "base64", first.path, "-"]
            let begun = try KilledRun(sources, out: out, input: Pipe())
            let pipe = try #require(begun.process.standardInput as? Pipe)
            try pipe.fileHandleForWriting.write(contentsOf: Data("record 3!\nrecord 4!\nrec".utf8))
            // Three lines are shorter than this, and four are longer.
            #expect(try await begun.end(.length(1100, .interrupt)).status == 130)
            func kept() throws -> [Data] {
                try ["out", "out.checkpoint"].map { try Data(contentsOf: directory.appending(path: $0)) }
            }
            let before = try kept()

            // It waits for the records that the first run has read from the pipe.
            let waiting = try KilledRun(sources + ["--resume"], out: out, input: Pipe())
            try await Task.sleep(for: .seconds(1))
            kill(waiting.process.processIdentifier, SIGINT)
            let end = try await waiting.end()
            // On a slow machine, the signal may come before the program notices signals.
            #expect(
                end.status == 130 && end.errors.contains("4 read = 4 written") || end.status == -2,
                "\(end)"
            )
            #expect(try kept() == before)

            let rest = try await Corpus.run(
                sources + ["--resume", "--out", out.path],
                "record 3!\nrecord 4!\nrecord 5!\n"
            )
            #expect(rest.status == 0 && rest.errors.contains("5 read = 5 written"), "\(rest)")
        }
    }

    @Test("a second signal ends the process at once", arguments: ["INT", "TERM", "HUP"])
    func secondSignal(_ name: String) async throws {
        // The run waits for a pipe whose writer stays, so that only the first signal ends it.
        let (status, _) = try await CommandRun.shell(
            "d=$(mktemp -d); mkfifo $d/p; sleep 20 >$d/p & sleep=$!; $0 corpus verify --bundle-id any --environment any --quiet --format base64 $d/p & "
                + "sleep 1; kill -TERM $!; kill -\(name) $!; wait $!; s=$?; kill $sleep; rm -r $d; exit $s"
        )
        // The second signal may come when the first has ended the run.
        #expect([130, 128 + ["INT": 2, "TERM": 15, "HUP": 1][name, default: 0]].contains(status))
    }

    @Test("a signal ends a run whose compressed source waits for another process", .timeLimit(.minutes(1)))
    func waitingDecompressor() async throws {
        let (status, text) = try await CommandRun.shell(
            "d=$(mktemp -d); mkfifo $d/p.gz; { printf 'H4sIAAAAAAAAAw==' | base64 -d; sleep 30; } >$d/p.gz & "
                + "writer=$!; $0 corpus verify --bundle-id any --environment any $d/p.gz & run=$!; "
                + "sleep 1; kill -INT $run; wait $run; echo status $?; kill $writer; rm -r $d"
        )
        #expect(status == 0 && text.contains("status 130"), "\(text)")
    }

    @Test("a process that ignores SIGHUP from the start keeps ignoring it")
    func ignoredHangUp() async throws {
        let (status, text) = try await CommandRun.shell(
            "{ echo x!; sleep 2; echo y!; } | { trap '' HUP; exec $0 corpus verify --bundle-id any --environment any --allow-unreadable --format base64 -; } & "
                + "sleep 1; pkill -HUP -P $! 2>/dev/null; kill -HUP $!; wait $!; echo status $?"
        )
        #expect(status == 0 && text.contains("status 0"), "\(text)")
    }

    @Test(
        "process 1 of a container ends on a signal, and at once on a second one",
        .enabled("unshare(1) is missing or not permitted") {
            try await ProgramRun("/usr/bin/env", ["unshare", "--pid", "--fork", "true"]).status == 0
        },
        .timeLimit(.minutes(1)),
        arguments: [(1, 130), (2, 143)]
    )
    func firstProcess(_ count: Int, _ status: Int32) async throws {
        let first = Process()
        first.executableURL = URL(filePath: "/usr/bin/env")
        first.arguments =
            ["unshare", "--pid", "--fork", CommandRun.executable.path, "corpus", "verify", "--quiet"]
            + CommandRun.anyReceipt + [
                "--format", "base64", "-",
            ]
        let (input, errors) = (Pipe(), Pipe())
        (first.standardInput, first.standardError) = (input, errors)
        first.standardOutput = FileHandle.nullDevice
        let end = try first.start()
        try await Task.sleep(for: .seconds(1))
        let children = try String(
            contentsOfFile: "/proc/\(first.processIdentifier)/task/\(first.processIdentifier)/children",
            encoding: .utf8
        )
        let child = try #require(Int32(children.trimmingCharacters(in: .whitespacesAndNewlines)))
        for _ in 0..<count { kill(child, SIGTERM) }
        let ended = await end.value
        #expect(ended == status || count == 2 && ended == 130)
    }

    @Test(
        "the progress line fits the terminal",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/script"), "there is no script(1)"),
        arguments: [20, 40, 60, 200]
    )
    func progressWidth(_ width: Int) async throws {
        let command =
            "stty cols \(width); { echo x!; sleep 0.4; echo y!; sleep 0.4; echo z!; } | $0 corpus verify --bundle-id any --environment any "
            + "--allow-unreadable --quiet --format base64 - >/dev/null"
        let (_, text) = try await CommandRun.shell(
            "script -qec '\(command.replacing("$0", with: CommandRun.executable.path))' /dev/null"
        )
        let lines = text.components(separatedBy: "\r\u{1B}[K").filter { $0.contains("records") }
        #expect(!lines.isEmpty, "\(text)")
        #expect(lines.allSatisfy { $0.unicodeScalars.count < width || !$0.contains("records") }, "\(lines)")
    }
}
