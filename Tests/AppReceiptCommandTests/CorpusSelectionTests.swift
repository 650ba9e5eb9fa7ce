import Foundation
import TestSupport
import Testing

@Suite("app-receipt corpus verify: selection of records and warnings about unreadable ones")
struct CorpusSelectionTests {
    static let good = Corpus.base64(Corpus.good)

    @Test("sources without a readable record end with status 3 and a warning, unless that is allowed")
    func suspicious() async throws {
        let source = [UInt8]("{\"data\":\"\(Self.good)\"}\n".utf8)
        let run = try await Corpus.strict(["--format", "ndjson", "--quiet", "-"], source)
        #expect(run.status == 3 && run.lines.count == 2, "\(run)")
        #expect(
            run.errors.contains("WARNING: all 1 records are unreadable (input record.missing-field: 1)"),
            "\(run)"
        )
        #expect(run.errors.contains("Likely cause: the wrong field"), "\(run)")
        let allowed = try await Corpus.run(["--format", "ndjson", "--quiet", "-"], source)
        #expect(allowed.status == 0 && allowed.errors.isEmpty, "\(allowed)")
        let field = try await Corpus.strict(
            ["--format", "ndjson", "--field", "data", "--quiet", "-"],
            source
        )
        #expect(field.status == 0 && field.errors.isEmpty, "\(field)")
    }

    @Test(
        "a run warns of 1,000 unreadable records at its beginning, and not of 999",
        arguments: [999, 1000]
    )
    func firstRecords(_ count: Int) async throws {
        let source = [UInt8]((String(repeating: "x!\n", count: count) + Self.good + "\n").utf8)
        let run = try await Corpus.strict(["--format", "base64", "--quiet", "-"], source)
        #expect(run.status == (count == 1000 ? 3 : 0) && run.lines.count == count + 2, "\(run.errors)")
        #expect(
            run.errors.contains("WARNING: the first 1000 records are unreadable") == (count == 1000),
            "\(run.errors)"
        )
    }

    @Test("--fail-on does not hide that no record could be read")
    func failOn() async throws {
        let arguments = ["--format", "base64", "--fail-on", "unreadable", "-"]
        let run = try await Corpus.strict(arguments, [UInt8]("x!\n".utf8))
        #expect(run.status == 3, "\(run)")
        let allowed = try await Corpus.strict(arguments + ["--allow-unreadable"], [UInt8]("x!\n".utf8))
        #expect(allowed.status == 1, "\(allowed)")
    }

    @Test("a complete run that is resumed repeats its warning")
    func resumed() async throws {
        try await withDirectory { directory in
            let arguments = ["--format", "base64", "--out", directory.appending(path: "out").path, "-"]
            let first = try await Corpus.strict(arguments, [UInt8]("x!\n".utf8))
            let again = try await Corpus.strict(["--resume"] + arguments)
            let allowed = try await Corpus.strict(["--resume", "--allow-unreadable"] + arguments)
            #expect(first.status == 3 && again.status == 3 && allowed.status == 0)
        }
    }

    @Test("a complete run that is resumed takes another --fail-on, which changes the exit status alone")
    func resumedWithFailOn() async throws {
        try await withDirectory { directory in
            let arguments = [
                "--allow-unreadable", "--format", "base64", "--out", directory.appending(path: "out").path,
                "-",
            ]
            let first = try await Corpus.strict(arguments, [UInt8]("x!\n".utf8))
            let again = try await Corpus.strict(["--resume", "--fail-on", "unreadable"] + arguments)
            #expect(first.status == 0 && again.status == 1, "\(first) \(again)")
        }
    }

    @Test("invalid records cause no warning")
    func invalid() async throws {
        let foreign = try Corpus.base64(vector("receipts/root-foreign.der"))
        let run = try await Corpus.strict(
            ["--format", "base64", "--quiet", "-"],
            [UInt8]("\(foreign)\n".utf8)
        )
        #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
    }

    @Test(
        "--delimiter sets the character between columns",
        arguments: [
            (["--delimiter", ";", "--format", "csv"], "id;receipt\n\"a;b,c\";R\n"),
            (["--delimiter=|"], "id|receipt\na|R\n"),
            (["--delimiter", "tab", "--format", "csv"], "id\treceipt\na\tR\n"),
            (["--delimiter", ",", "--format", "pgcopy", "--field", "2"], "a,R\n"),
            (["--delimiter", ";", "--format", "tsv"], "id;receipt\na\tb;R\n"),
        ]
    )
    func delimiter(_ arguments: [String], _ source: String) async throws {
        let input = [UInt8](source.replacingOccurrences(of: "R", with: Self.good).utf8)
        let run = try await Corpus.strict(arguments + ["-"], input)
        #expect(try run.status == 0 && run.codes() == ["valid"], "\(run)")
    }

    @Test(
        "an unsuitable delimiter is refused",
        arguments: [
            (["--delimiter", ";;"], 2), (["--delimiter", "\""], 2), (["--delimiter", "a"], 2),
            (["--delimiter", ";", "--format", "hex"], 2),
        ]
    )
    func wrongDelimiter(_ arguments: [String], _ status: Int) async throws {
        let run = try await Corpus.run(arguments + ["-"], "x\n")
        #expect(Int(run.status) == status && run.errors.contains("--delimiter"), "\(run)")
    }

    @Test("--files-from reads names of sources that lines or zero bytes separate")
    func filesFrom() async throws {
        try await withDirectory { directory in
            let names = ["Vectors/receipts/ber.ber", "Vectors/receipts/sandbox-sha256.der"]
            let whole = try await Corpus.run(names)
            for separator in ["\n", "\0"] {
                let list = directory.appending(path: "list")
                try Data((names.joined(separator: separator) + separator).utf8).write(to: list)
                #expect(try await Corpus.run(["--files-from", list.path]).output == whole.output)
                let both = try await Corpus.run(["--files-from", list.path, names[0]])
                #expect(try both.objects().count == 3)
                let input = try await Corpus.run(["--files-from", "-"], [UInt8](Data(contentsOf: list)))
                #expect(input.output == whole.output)
            }
            #expect(try await Corpus.run(["--files-from", "-"], "").errors.contains("names no source"))
            #expect(try await Corpus.run(["--files-from", "-"], "-\n").status == 2)
            #expect(try await Corpus.run(["--files-from", "no/such/list"]).status == 3)
            let list = directory.appending(path: "list").path
            #expect(
                try await Corpus.run(["--files-from", list, "--resume", "--out", list]).errors.contains(
                    "is one of the sources"
                )
            )
        }
    }

    @Test(
        "a file of COPY that ends in its end marker without a line feed is whole",
        arguments: ["", "\n", "\r\n"]
    )
    func endMarker(_ end: String) async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "rows.pgcopy")
            try Data("\(Self.good)\n\\.\(end)".utf8).write(to: file)
            let run = try await Corpus.strict([file.path])
            #expect(try run.status == 0 && run.codes() == ["valid"], "\(run)")
        }
    }

    @Test("two different file names have different renderings")
    func forgedName() async throws {
        try await withDirectory { directory in
            let command = """
                cd "$1" && mkdir d && printf x >"$(printf 'd/\\377')" && printf x >'not UTF-8: 642fff' &&
                "$0" corpus verify --allow-unreadable --bundle-id any --environment any --quiet d 'not UTF-8: 642fff'
                """
            let run = try await ProgramRun(
                "/bin/sh",
                ["-c", command, CommandRun.executable.path, directory.path]
            )
            let names = try run.output.split(separator: 10).map {
                try JSONValue.parse(Array($0))["source"]?.string
            }
            #expect(names.count == 2 && Set(names).count == 2 && names[0] == "not UTF-8: 642fff", "\(names)")
        }
    }
}
