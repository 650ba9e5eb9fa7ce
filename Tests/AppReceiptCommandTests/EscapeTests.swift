import Foundation
import TestSupport
import Testing

/// Text that a program could take for something else than text.
@Suite("Escapes in the output of app-receipt")
struct EscapeTests {
    /// Values of a field, hostile ones and harmless ones.
    static let values = [
        "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "'", "'=1", "''", "\\", "\\n",
        "\\u0041",
        "\u{FF1D}1", "a\u{0}b\u{1B}[31m\u{7F}", "a\u{85}b\u{9B}1m", "a\u{2028}b\u{2029}c",
        "a\u{202E}b\u{2066}c\u{200F}",
        "\u{61C}\u{FEFF}", "a,b\"c\" d", "größe 🧾", "", "plain",
        "a;=1+1;b", ";", "a; \"=1\";-1;", "\t;@SUM(A1)",
    ]

    private static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// The values as JSON strings. Characters that JSON allows in a string stand there themselves.
    private static func source(_ values: [String]) -> String {
        values.map { value in
            var text = ""
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\"", "\\": text += "\\\(scalar)"
                case _ where scalar.value < 0x20:
                    text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
                default: text.unicodeScalars.append(scalar)
                }
            }
            return "{\"id\":\"\(text)\",\"list\":[\"\(text)\",\r1],\"receipt\":\"\"}\n"
        }.joined()
    }

    private func run(_ options: [String]) async throws -> CommandRun {
        try await Corpus.run(
            ["--quiet", "--format", "ndjson", "--keep", "id,list"] + options + ["-"],
            Self.source(Self.values)
        )
    }

    @Test("fields that --keep copies to JSON hold no active character, and keep their values")
    func json() async throws {
        let run = try await run([])
        #expect(!run.text.unicodeScalars.contains { Self.isActive($0) && $0 != "\n" })
        let objects = try run.objects()
        #expect(objects.map { $0["keep"]?["id"]?.string } == Self.values)
        #expect(objects.map { $0["keep"]?["list"]?.elements.first?.string } == Self.values)
    }

    @Test("cells of CSV hold no active character, begin no formula, and keep their values")
    func csv() async throws {
        let run = try await run(["--csv"])
        #expect(!run.text.unicodeScalars.contains { Self.isActive($0) && $0 != "\n" })
        #expect(run.lines.count == Self.values.count + 2)
        for line in run.lines {
            // Some spreadsheets separate cells by semicolons, or by both.
            let cells = line.split(separator: /[,;]"?/, omittingEmptySubsequences: false)
            #expect(!cells.contains { $0.first.map { "=+-@\u{FF1D}".contains($0) } ?? false }, "\(line)")
        }
        let table = CSVTable(run.text)
        let id = try #require(table.names.firstIndex(of: "keep.id"))
        let list = try #require(table.names.firstIndex(of: "keep.list"))
        #expect(table.rows.map { $0[id] } == Self.values)
        for (row, value) in zip(table.rows, Self.values) {
            #expect(try JSONValue.parse([UInt8](row[list].utf8)).elements.first?.string == value)
        }
    }

    @Test(
        "Python reads the values back from CSV by the rule that the schema's README states",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/env"))
    )
    func python() async throws {
        let readme = try String(
            contentsOf: SharedData.packageRoot.appending(path: "Vectors/schema/README.md"),
            encoding: .utf8
        )
        let rule = try #require(readme.firstMatch(of: /```python\n((?s).*?)```/)).1
        let script = """
            \(rule)
            import csv, json, sys
            rows = csv.DictReader(sys.stdin.buffer.read().decode().split("\\n")[:-1])
            print(json.dumps([value(row["keep.id"]) for row in rows]))
            """
        let table = try await run(["--csv"]).output
        let python = try await ProgramRun("/usr/bin/env", ["python3", "-c", script], input: table)
        // 127: there is no Python on this machine.
        guard python.status != 127 else { return }
        #expect(try JSONDecoder().decode([String].self, from: Data(python.output)) == Self.values)
    }

    @Test("values of a receipt are escaped in the results of verify and inspect")
    func receipt() async throws {
        try await withDirectory { place in
            let receipt = place.appending(path: "receipt.der").path
            let root = place.appending(path: "root.der").path
            let hostile = "a\u{85}\u{2028}\u{202E}\u{1B}[31m\u{9B}b"
            let minted = try await CommandRun([
                "mint", "--bundle-id", hostile, "--app-version", "=1", "--out", receipt, "--root-out", root,
            ])
            #expect(minted.status == 0)
            for command in [
                ["verify"] + CommandRun.anyReceipt, ["inspect"],
                ["corpus", "verify"] + CommandRun.anyReceipt,
            ] {
                let isCorpus = command[0] == "corpus"
                let options = isCorpus ? ["--quiet"] : ["--json"]
                let run = try await CommandRun(command + options + ["--root", root, receipt])
                #expect(run.status == 0, "\(run)")
                #expect(!run.text.unicodeScalars.contains { Self.isActive($0) && $0 != "\n" }, "\(run)")
                #expect(try run.objects().first?["receipt"]?["bundle_id"] == .string(hostile))
            }
        }
    }
}

@Suite("The key of a result")
struct KeyTests {
    /// Records with a receipt that several of them share.
    private static let records: [String] = (0..<60).map {
        "{\"id\":\($0),\"receipt\":\"\($0 % 7 == 6 ? "broken" : Corpus.base64(Corpus.good))\",\"user\":\"u\($0 / 2)\"}\n"
    }

    private static func keys(_ records: some Sequence<String>, _ options: String...) async throws -> [String]
    {
        let run = try await Corpus.run(["--quiet", "--format", "ndjson"] + options + ["-"], records.joined())
        let keys = try run.objects().compactMap { $0["key"]?.string }
        #expect(!keys.isEmpty)
        return keys
    }

    /// The expected keys were computed with Python's hashlib, from the description in
    /// `Vectors/schema/README.md`.
    @Test(
        "is half of a SHA-256 over the padded name, the place, and the receipt's digest or the record",
        arguments: [
            ("s", ["e7338162fc391b16a8b29e3726371d44", "b0cb78a4270dd3f4b575295ee4a1b531"]),
            (
                String(repeating: "n", count: 64),
                ["0c71050f6e1057fd1f12eb350d009cf3", "015e53a8979188718c8b7b74657715cf"]
            ),
        ]
    )
    func formula(_ source: String, _ expected: [String]) async throws {
        let records = Corpus.base64(Corpus.good) + "\nbroken!\n"
        let run = try await Corpus.run(["--quiet", "--format", "base64", "--source", source, "-"], records)
        #expect(try run.objects().compactMap { $0["key"]?.string } == expected)
    }

    @Test(
        "is unique over parts that separate processes judge, without further options",
        arguments: [1, 7, 30]
    )
    func parts(_ count: Int) async throws {
        var keys: [String] = []
        for start in stride(from: 0, to: Self.records.count, by: count) {
            keys += try await Self.keys(Self.records[start...].prefix(count))
        }
        #expect(keys.count == Self.records.count && Set(keys).count == keys.count)
    }

    @Test("is the key of one run over the whole if the options name the part")
    func place() async throws {
        let whole = try await Self.keys(Self.records)
        let offset = Self.records[..<20].joined().utf8.count
        let part = try await Self.keys(
            Self.records[20...],
            "--first-record",
            "21",
            "--first-offset",
            "\(offset)"
        )
        #expect(part == Array(whole[20...]) && Set(whole).count == whole.count)
    }

    @Test("does not depend on the number of jobs or on portable code")
    func determined() async throws {
        let keys = try await Self.keys(Self.records, "--jobs", "1")
        #expect(try await Self.keys(Self.records, "--jobs", "5", "--portable") == keys)
        #expect(try await Self.keys(Self.records, "--source", "another") != keys)
    }

    @Test("differs if any other field of the record differs", arguments: ["csv", "tsv", "pgcopy"])
    func columns(_ format: String) async throws {
        let separator = format == "csv" ? "," : "\t"
        let receipt = Corpus.base64(Corpus.good)
        var keys: Set<String> = []
        for fields in [
            ["1", receipt, "a"], ["2", receipt, "a"], ["1", receipt, "b"], ["1a", receipt, ""],
        ] {
            let header =
                format == "pgcopy" ? "" : ["id", "receipt", "user"].joined(separator: separator) + "\n"
            let run = try await Corpus.run(
                ["--quiet", "--format", format, "--field", "2", "-"],
                header + fields.joined(separator: separator) + "\n"
            )
            keys.insert(try #require(run.objects().first?["key"]?.string))
        }
        #expect(keys.count == 4)
    }

    @Test("numbers the purchases of a receipt")
    func purchases() async throws {
        let path = "Vectors/receipts/many-purchases.der"
        let record = try await Corpus.run(["--quiet", path]).objects()[0]["key"]?.string ?? ""
        let keys = try await Corpus.run(["--quiet", "--rows", "purchases", path]).objects().map {
            $0["key"]?.string
        }
        #expect(keys == (1...187).map { "\(record)-\($0)" })
    }

    @Test("is the key that verify and inspect give the file")
    func commands() async throws {
        let path = "Vectors/receipts/tampered-payload.der"
        let keys = try await [
            ["corpus", "verify", "--quiet"] + CommandRun.anyReceipt,
            ["verify", "--json"] + CommandRun.anyReceipt, ["inspect", "--json"],
        ]
        .mapInTurn { try await CommandRun($0 + [path]).objects().first?["key"]?.string }
        #expect(Set(keys).count == 1 && keys[0]?.count == 32)
    }
}
