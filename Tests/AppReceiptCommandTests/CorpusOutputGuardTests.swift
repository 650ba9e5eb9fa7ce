import Foundation
import TestSupport
import Testing

@Suite("app-receipt corpus verify: no file that is read is written")
struct CorpusOutputGuardTests {
    /// A shell command in a directory with a source `a` of one line, results of it in `out`, links `hard`
    /// and `soft` to `a`, a directory `files` with `files/b`, and a link `to files`. In it, `$v` is the tool.
    private func shell(_ command: String) async throws -> (status: Int32, text: String) {
        try await withDirectory { directory in
            let verify =
                "\"$0\" corpus verify --allow-unreadable --bundle-id any --environment any --format base64"
            let make = """
                cd "$1" && echo one >a && ln a hard && ln -s a soft && mkdir files && echo two >files/b &&
                ln -s files 'to files' && \(verify) --quiet --out out a || exit 99
                """
            return try await CommandRun.shell(
                make + "\n" + command.replacing("$v", with: verify),
                [directory.path]
            )
        }
    }

    @Test(
        "an output file that is a source under any name is refused and not changed",
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
    func source(_ command: String, _ message: String) async throws {
        let (status, text) = try await shell(
            command + "; s=$?; [ \"$(cat a)\" = one ] && [ ! -e new ] && exit $s"
        )
        #expect(status == 2 && text.contains(message), "\(status) \(text)")
    }

    @Test(
        "an output file inside a walked directory is refused under any names",
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
                "--summary link is a link to a file that is missing"
            ),
        ]
    )
    func directory(_ command: String, _ message: String) async throws {
        let (status, text) = try await shell(
            command + "; s=$?; [ ! -e files/new ] && [ ! -e new ] && exit $s"
        )
        #expect(status == 2 && text.contains(message), "\(status) \(text)")
    }

    @Test("a hard link in a directory to an output is not read, and a message says so")
    func links() async throws {
        // Links to the results, and to the file that is standard output.
        let (status, text) = try await shell(
            ": >new; ln new files/a; $v --resume --quiet --out new files; echo $?; cat new"
        )
        #expect(
            status == 0
                && text.hasPrefix(
                    "app-receipt: files/a leads to a file that this run writes, and is not read\n3\n"
                ),
            "\(text)"
        )
        let (_, output) = try await shell("$v --quiet files >files/a; echo $?")
        #expect(
            output.hasPrefix(
                "app-receipt: files/a leads to a file that this run writes, and is not read\n3\n"
            ),
            "\(output)"
        )
    }

    @Test("an output that is not a regular file is refused")
    func noFile() async throws {
        for name in ["files", "/dev/null", "no/such"] {
            let (status, text) = try await shell("$v --resume --out \(name) a")
            #expect(status == 2 && text.contains("--out \(name)"), "\(text)")
        }
    }

    // MARK: Full disks

    /// A source whose results are longer than a limit of the shell's, which takes 512 or 1024 bytes for one.
    private static let fill =
        "i=0; while [ $i -lt 900 ]; do echo $i!; i=$((i+1)); done >many; $v --quiet many >whole;"

    @Test("a full disk is an error that leaves whole lines, and the run can be resumed")
    func fullDisk() async throws {
        let (status, text) = try await shell(
            """
            \(Self.fill) (ulimit -f 256; $v --checkpoint-every 0 --summary s --out new many); echo "status $?"
            [ $(wc -c <new) -gt 0 ] && [ $(wc -c <new) -lt $(wc -c <whole) ] && tail -c 1 new | od -An -c
            head -c $(wc -c <new) whole | cmp - new && echo "lines $(wc -l <new)"
            $v --quiet --summary s --resume --out new many; cmp new whole && cat s
            """
        )
        #expect(
            text.contains(
                "the output is incomplete: cannot write new: File too large; to continue, give the same command with --resume"
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
    func fullStandardOutput() async throws {
        let (status, text) = try await shell(
            """
            \(Self.fill) echo before >new; (ulimit -f 256; $v many >>new); echo "status $?"
            tail -n +2 new >rest; head -c $(wc -c <rest) whole | cmp - rest && tail -c 1 new | od -An -c
            """
        )
        #expect(text.contains("the output is incomplete: cannot write: File too large") && status == 0)
        #expect(text.contains("status 4\n") && text.hasSuffix("\\n\n"), "\(text)")
    }

    @Test("a checkpoint that cannot be written is an error")
    func checkpoint() async throws {
        // A directory takes the checkpoint's name while the run waits for input.
        let (_, text) = try await shell(
            """
            { echo one; while [ ! -s new ]; do sleep 0.1; done; rm new.checkpoint; mkdir new.checkpoint; echo two; } |
            $v --checkpoint-every 0 --out new -; echo "status $?"; ls
            """
        )
        #expect(text.contains("cannot write new.checkpoint: "), "\(text)")
        #expect(text.contains("status 4\n") && !text.contains(".new\n"), "\(text)")
    }

    // MARK: Links and permissions

    @Test(
        "the draft of a checkpoint overwrites no file, follows no link and waits for no pipe",
        arguments: ["echo mine >$n", "echo mine >mine; ln -s mine $n", "mkfifo $n"]
    )
    func draft(_ command: String) async throws {
        let (status, text) = try await shell(
            """
            n=new.checkpoint.new; \(command)
            timeout 20 $v --quiet --out new a; echo "status $?"; [ -p $n ] || cat $n; [ -f new.checkpoint ]
            """
        )
        #expect(status == 0 && text.contains("status 0\n"), "\(text)")
        #expect(command.hasPrefix("mkfifo") || text.hasSuffix("mine\n"), "\(text)")
    }

    @Test("a checkpoint that is a link or a pipe is refused, and not read")
    func linkedCheckpoint() async throws {
        for make in [
            "cp new.checkpoint c; rm new.checkpoint; ln -s c new.checkpoint",
            "rm new.checkpoint; mkfifo new.checkpoint",
        ] {
            let (status, text) = try await shell("$v --quiet --out new a; \(make); $v --resume --out new a")
            #expect(status == 2 && text.contains("new.checkpoint") || text.contains("--out new:"), "\(text)")
        }
    }

    @Test(
        "only the owner can read results and checkpoints, and the umask may forbid more",
        arguments: [
            ("022", "600 600"), ("000", "600 600"), ("0277", "400 400"),
        ]
    )
    func permissions(_ mask: String, _ expected: String) async throws {
        let (_, text) = try await shell(
            "(umask \(mask); $v --quiet --out new a); echo $(stat -c %a new new.checkpoint)"
        )
        #expect(text.hasSuffix("\(expected)\n"), "\(text)")
    }

    @Test(
        "results that are removed or replaced during a run are an incomplete output",
        arguments: [
            "rm new", "mv new old; echo other >new",
        ]
    )
    func removed(_ command: String) async throws {
        let (_, text) = try await shell(
            """
            { echo one; while [ ! -s new ]; do sleep 0.1; done; \(command); echo two; } |
            $v --checkpoint-every 1000 --out new -; echo "status $?"
            """
        )
        #expect(text.contains("status 4\n"), "\(text)")
        #expect(
            text.contains("cannot write new: the file was removed or replaced while it was being written\n"),
            "\(text)"
        )
    }

    @Test(
        "results that another process changes during a run are an incomplete output without a hole",
        arguments: [
            "truncate -s 10 new", ": >new", "echo more >>new", "cp a new",
            // The length stays.
            "n=$(wc -c <new); truncate -s 10 new; truncate -s $n new",
            "printf x | dd of=new conv=notrunc bs=1 seek=$(($(wc -c <new) - 9)) 2>/dev/null",
        ],
        [0, 1000]
    )
    func changed(_ command: String, _ interval: Int) async throws {
        let (_, text) = try await shell(
            """
            printf 'one\\ntwo\\nthree\\n' >c; $v --quiet --out whole - <c
            { head -n 1 c; while [ ! -s new ]; do sleep 0.1; done; sleep 0.3; \(command); tail -n +2 c; } |
            $v --checkpoint-every \(interval) --out new -; echo "status $?, $(tr -dc '\\000' <new | wc -c) NUL"
            tr -d '\\000' <new >without; cmp -s new without && echo no more NUL
            $v --quiet --resume --out new - <c; echo "then $?"; cmp -s new whole && echo same
            """
        )
        #expect(text.contains("status 4, "), "\(text)")
        #expect(
            text.contains(
                "cannot write new: another process changed the file while it was being written; to continue, "
            ),
            "\(text)"
        )
        // The run itself makes no hole.
        #expect(text.contains("no more NUL") || command.hasPrefix("n="), "\(text)")
        // The same command with --resume gives the same results as an undisturbed run, or says why not.
        #expect(
            text.contains("then 0\nsame\n")
                || text.contains("new was changed since its last checkpoint") && text.contains("then 2\n"),
            "\(text)"
        )
    }

    @Test("a new summary is for its owner alone to read, like the results")
    func summary() async throws {
        let (_, text) = try await shell(
            "(umask 0; $v --quiet --summary s --out new a); stat -c %a s; echo >t; $v --quiet --summary t a"
        )
        #expect(text.contains("600\n"), "\(text)")
    }

    @Test("links inside a directory are skipped with a message, and a link that the caller names is followed")
    func skippedLinks() async throws {
        let (status, text) = try await shell("ln -s ../a files/x; ln -s .. files/y; $v --quiet files")
        #expect(status == 0 && text.contains("files/x is a symbolic link and is not followed"), "\(text)")
        #expect(
            text.contains("2 symbolic links were not followed") && text.count(of: "\"source\"") == 1,
            "\(text)"
        )
        let list = "ln -s ../a files/x; find -L files -type f -print0 | $v --quiet --files-from -"
        #expect(try await shell(list).text.count(of: "\"source\"") == 2)
        #expect(try await shell("$v --quiet 'to files'").text.count(of: "\"source\"") == 1)
    }
}

extension String {
    /// How often a text occurs.
    func count(of text: String) -> Int { components(separatedBy: text).count - 1 }
}
