import Foundation
import TestSupport
import Testing

@Suite("What app-receipt corpus verify writes is none of what it reads")
struct CorpusOutputGuardTests {
    /// A shell command in a directory with a source `a` of one line, results of it in `out`, links `hard`
    /// and `soft` to `a`, a directory `files` with `files/b`, and a link `to files`. In it, `$v` is the tool.
    private func shell(_ command: String) throws -> (status: Int32, text: String) {
        try withDirectory { directory in
            let verify = "\"$0\" corpus verify --format base64"
            let make = """
                cd "$1" && echo one >a && ln a hard && ln -s a soft && mkdir files && echo two >files/b &&
                ln -s files 'to files' && \(verify) --quiet --out out a || exit 99
                """
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = [
                "-c", make + "\n" + command.replacing("$v", with: verify), CommandRun.executable.path,
                directory.path,
            ]
            let pipe = Pipe()
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: output, as: UTF8.self))
        }
    }

    @Test(
        "a file to write that is a source, by whatever name, is refused, and left as it is",
        arguments: [
            ("$v --resume --out a a", "--out a is one of the sources"),
            ("$v --resume --out a ./files/../a", "--out a is one of the sources"),
            ("$v --resume --out hard a", "--out hard is one of the sources"),
            ("$v --resume --out soft a", "--out soft is one of the sources"),
            ("$v --resume --out a soft", "--out a is one of the sources"),
            ("$v --resume --out a - <a", "--out a is one of the sources"),
            ("$v --resume --out a /dev/stdin <hard", "--out a is one of the sources"),
            ("$v --resume --out /dev/fd/3 a 3<>a", "--out /dev/fd/3 is one of the sources"),
            ("$v --out new --summary a a", "--summary a is one of the sources"),
            ("$v --out new --summary hard - <soft", "--summary hard is one of the sources"),
            ("cp a n.checkpoint; $v --out n n.checkpoint", "--out n.checkpoint is one of the sources"),
            ("$v a >>a", "standard output is a file that is one of the sources"),
            ("$v --summary out --resume --out out a", "--summary out is a file that is written already"),
            (
                "ln out o; $v --summary o --resume --out out a",
                "--summary o is a file that is written already"
            ),
            ("$v --summary new --out new a", "--summary new is a file that is written already"),
            ("$v --summary ./new.checkpoint --out new a", "is a file that is written already"),
            (
                "$v --resume --out out a 2>>out; s=$?; cat out; (exit $s)",
                "--out out is where standard output"
            ),
        ]
    )
    func source(_ command: String, _ message: String) throws {
        let (status, text) = try shell(command + "; s=$?; [ \"$(cat a)\" = one ] && [ ! -e new ] && exit $s")
        #expect(status == 2 && text.contains(message), "\(status) \(text)")
    }

    @Test(
        "a file to write inside of a directory that is walked is refused, however either is named",
        arguments: [
            ("$v --out files/new files", "--out files/new is inside of a directory"),
            ("$v --out 'to files/new' files", "--out to files/new is inside of a directory"),
            ("$v --out files/new 'to files'", "--out files/new is inside of a directory"),
            ("cd files; $v --out new .", "--out new is inside of a directory"),
            ("mkdir files/deep; $v --out files/deep/new .", "--out files/deep/new is inside of a directory"),
            ("$v --out ./files/../new .", "--out ./files/../new is inside of a directory"),
            ("$v --out /tmp/../$PWD/new .", "is inside of a directory"),
            ("ln -s ../files/b files/link; $v --resume --out files/link files", "is inside of a directory"),
            ("ln -s files/b link; $v --resume --out link files", "--out link is inside of a directory"),
            ("$v --summary files/new files", "--summary files/new is inside of a directory"),
            (
                "ln -s files/new link; $v --summary link files",
                "--summary link is a link to what is not there"
            ),
        ]
    )
    func directory(_ command: String, _ message: String) throws {
        let (status, text) = try shell(command + "; s=$?; [ ! -e files/new ] && [ ! -e new ] && exit $s")
        #expect(status == 2 && text.contains(message), "\(status) \(text)")
    }

    @Test("what a link in a directory leads to is not read where it is written, which is said")
    func links() throws {
        // To the directory of the results, to the results themselves, and to what standard output is.
        let (status, text) = try shell("ln -s .. files/up; $v --quiet --out new files; echo $?; cat new")
        #expect(
            status == 0
                && text.hasPrefix("app-receipt: files/up leads to what is written, and is not read\n3\n")
        )
        #expect(text.split(separator: "\n").count == 3 && text.contains("\"source\":\"files/b\""), "\(text)")
        let (_, other) = try shell("ln -s ../new files/a; $v --quiet --out new files; echo $?; cat new")
        #expect(
            other.hasPrefix("app-receipt: files/a leads to what is written, and is not read\n3\n"),
            "\(other)"
        )
        let (_, output) = try shell("$v --quiet files >files/a; echo $?")
        #expect(
            output.hasPrefix("app-receipt: files/a leads to what is written, and is not read\n3\n"),
            "\(output)"
        )
    }

    @Test("a file to write that is none is refused")
    func noFile() throws {
        for name in ["files", "/dev/null", "no/such"] {
            let (status, text) = try shell("$v --resume --out \(name) a")
            #expect(status == 2 && text.contains("--out \(name)"), "\(text)")
        }
    }

    // MARK: Full disks

    /// A source whose results are longer than a limit of the shell's, which takes 512 or 1024 bytes for one.
    private static let fill =
        "i=0; while [ $i -lt 900 ]; do echo $i!; i=$((i+1)); done >many; $v --quiet many >whole;"

    @Test("a full disk is an error, what was written is whole lines, and the run can be gone on with")
    func fullDisk() throws {
        let (status, text) = try shell(
            """
            \(Self.fill) (ulimit -f 128; $v --checkpoint-every 0 --summary s --out new many); echo "status $?"
            [ $(wc -c <new) -gt 0 ] && [ $(wc -c <new) -lt $(wc -c <whole) ] && tail -c 1 new | od -An -c
            head -c $(wc -c <new) whole | cmp - new && echo "lines $(wc -l <new)"
            $v --quiet --summary s --resume --out new many; cmp new whole && cat s
            """
        )
        #expect(
            text.contains(
                "the output is incomplete: cannot write new: File too large; --resume goes on with it"
            )
        )
        #expect(
            text.contains("status 4\n") && text.contains("\\n\n") && !text.contains("slowest\":[]"),
            "\(text)"
        )
        let lines = try #require(text.firstMatch(of: /lines +(\d+)/)?.1)
        #expect(text.contains("\(lines) read = \(lines) written + 0 filtered"), "\(text)")
        #expect(status == 0 && text.contains("\"read\":900,\"written\":900,\"filtered\":0"), "\(text)")
    }

    @Test("a full disk under standard output leaves whole lines")
    func fullStandardOutput() throws {
        let (status, text) = try shell(
            """
            \(Self.fill) echo before >new; (ulimit -f 128; $v many >>new); echo "status $?"
            tail -n +2 new >rest; head -c $(wc -c <rest) whole | cmp - rest && tail -c 1 new | od -An -c
            """
        )
        #expect(text.contains("the output is incomplete: cannot write: File too large") && status == 0)
        #expect(text.contains("status 4\n") && text.hasSuffix("\\n\n"), "\(text)")
    }

    @Test("where the checkpoint cannot be written, that is an error, and the last one stays")
    func checkpoint() throws {
        // A directory in the place of the file that is to replace the last one.
        let (status, text) = try shell(
            "mkdir new.checkpoint.new; $v --out new a; echo $?; rmdir new.checkpoint.new; $v --resume --out new a"
        )
        #expect(status == 0 && text.contains("cannot write new.checkpoint: Is a directory"), "\(text)")
        #expect(text.contains("\n4\n"), "\(text)")
    }
}
