import Foundation
import TestSupport
import Testing

@Suite("app-receipt corpus verify: broken records")
struct CorpusHostileTests {
    static let good = Corpus.base64(Corpus.good)

    @Test(
        "a bad record has a line, and the next record is judged",
        arguments: [
            ("base64", "\n\(good)\n", ["input.empty", "valid"]),
            ("base64", "nonsense!\n\(good)\n", ["input.not-base64", "valid"]),
            ("base64", "\u{0}\u{1}\u{7F}\n\(good)\n", ["input.not-base64", "valid"]),
            ("base64", "\(good)\n\(good.prefix(101))", ["valid", "input.not-base64"]),
            ("base64", "\(good)\n\(good.prefix(100))", ["valid", "der.truncated"]),
            ("base64", "eyJhIjoxfQ.e30.x\n\(good)\n", ["input.jws", "valid"]),
            ("base64", "%2\n%zz\n\(good)", ["input.not-base64", "input.not-base64", "valid"]),
            (
                "hex", "308\n3z\n\n\(Corpus.hexadecimal(Corpus.good))",
                ["input.cut-off", "record.not-hexadecimal", "input.empty", "valid"]
            ),
            ("ndjson", "\n{\"receipt\":\"\(good)\"}\n", ["input.empty", "valid"]),
            ("ndjson", "{\"receipt\":\"\(good)\"}\n{\"receipt\":\"\(good)", ["valid", "record.not-json"]),
            (
                "ndjson", "{\"receipt\":\"\\ud800\"}\n{\"receipt\":\"\\x\"}\n{\"receipt\":\"\(good)\"}\n",
                ["record.missing-field", "record.not-json", "valid"]
            ),
            (
                "ndjson", String(repeating: "[", count: 100_000) + "\n{\"receipt\":\"\(good)\"}\n",
                ["record.not-json", "valid"]
            ),
            (
                "ndjson", String(repeating: "{\"a\":", count: 100_000) + "\n{\"receipt\":\"\(good)\"}\n",
                ["record.not-json", "valid"]
            ),
            (
                "ndjson", "{\"receipt\":\"\(good)\"}x\n{\"receipt\":01}\n{\"receipt\":\"\(good)\",}\n",
                ["record.not-json", "record.not-json", "record.not-json"]
            ),
            ("csv", "receipt\n\n\(good)\n", ["input.empty", "valid"]),
            ("csv", "receipt\n\"\(good)\n\(good)\n", ["record.unclosed-quote", "valid"]),
            ("csv", "receipt\n\"\(good)", ["record.unclosed-quote"]),
            ("csv", "receipt\n\"\(good)\"x\n\(good)\n", ["input.not-base64", "valid"]),
            ("csv", "a,receipt\n1\n2,\(good)\n", ["record.missing-field", "valid"]),
            ("pgcopy", "\\\n\(good)\n", ["input.not-base64", "valid"]),
            ("pgcopy", "\\\\xzz\n\(good)\n", ["input.not-hexadecimal", "valid"]),
            ("length-prefixed", "\u{0}\u{0}\u{0}", ["record.truncated"]),
            (
                "length-prefixed", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{1}\u{0}x",
                ["input.empty", "record.truncated"]
            ),
            ("file", "", ["input.empty"]),
        ]
    )
    func broken(_ format: String, _ source: String, _ codes: [String]) async throws {
        let run = try await Corpus.run(["--format", format, "--quiet", "-"], source)
        // After a wrong length, the run cannot find any further record.
        let isWhole = codes.last != "record.truncated"
        #expect(run.status == (isWhole ? 0 : 3) && run.errors.isEmpty == isWhole, "\(run)")
        #expect(try run.codes() == codes, "\(run.text)")
        #expect(try run.all("record") == (1...codes.count).map { .number(Int64($0)) })
    }

    @Test("an empty source has one line, and its next source is judged", arguments: Corpus.formats + ["file"])
    func empty(_ format: String) async throws {
        for header in ["csv", "tsv"].contains(format) ? ["", "receipt\n"] : [""] {
            let run = try await Corpus.run(["--format", format, "-"], header)
            #expect(try run.codes() == ["input.empty"] && run.status == 0, "\(run)")
            #expect(try run.all("source") == [.string("-")] && run.all("record") == [.number(1)])
            #expect(run.errors.contains("1 read = 1 written + 0 filtered"))
        }
    }

    /// Sources, the codes of their lines, and a part of the messages. `c` is a file with one valid receipt.
    @Test(
        "every named source has a line, whatever it is",
        arguments: [
            ("e c", ["input.empty", "valid"], 0, ""),
            ("c e e", ["valid", "input.empty", "input.empty"], 0, ""),
            ("e.gz c", ["input.empty", "valid"], 0, ""), ("e.csv c", ["input.empty", "valid"], 0, ""),
            ("header.csv c", ["input.empty", "valid"], 0, ""),
            ("e.ndjson c", ["input.empty", "valid"], 0, ""),
            ("end.pgcopy c", ["input.empty", "valid"], 0, ""), ("blank c", ["input.empty", "valid"], 0, ""),
            ("missing c", ["input.cannot-read", "valid"], 3, "cannot read missing: "),
            ("c/x c", ["input.cannot-read", "valid"], 3, "cannot read c/x: "),
            ("broken.gz c", ["input.cannot-read", "valid"], 3, "broken.gz could not be decompressed"),
            ("other.csv c", ["source.not-read", "valid"], 3, "other.csv has no column receipt"),
            ("p.parquet c", ["source.not-read", "valid"], 3, "p.parquet is Parquet"),
            ("empty c", ["input.empty", "valid"], 0, ""), ("empty/ c", ["input.empty", "valid"], 0, ""),
            ("nested c", ["input.empty", "valid"], 0, ""), ("linked c", ["input.empty", "valid"], 0, ""),
            ("empty empty", ["input.empty", "input.empty"], 3, ""),
            ("full empty c", ["valid", "input.empty", "input.empty", "valid"], 0, ""),
            ("fifo c", ["input.empty", "valid"], 0, ""), ("/dev/null c", ["input.empty", "valid"], 0, ""),
            ("- c", ["input.empty", "valid"], 0, ""),
        ]
    )
    func everySource(_ sources: String, _ codes: [String], _ status: Int32, _ message: String) async throws {
        try await withDirectory { directory in
            try Data(Self.good.utf8).write(to: directory.appending(path: "c"))
            let root = SharedData.packageRoot.appending(path: "Vectors/certificates/root.der").path
            let feeder = sources.contains("fifo") ? ": >fifo &" : ""
            let run = try await CommandRun.shell(
                """
                cd "$1"; : >e; : | gzip >e.gz; : >e.csv; echo receipt >header.csv; : >e.ndjson; mkfifo fifo
                printf '\\\\.\\n' >end.pgcopy; printf ' \\n\\t' >blank; gzip <c | head -c 9 >broken.gz
                printf 'a,b\\n1,2\\n' >other.csv; printf PAR1 >p.parquet; mkdir empty full nested nested/deep linked
                cp c full/a; : >full/b; ln -s ../c linked/c; \(feeder)
                "$0" corpus verify --root "$2" --bundle-id any --environment any --quiet \(sources) 2>m </dev/null
                echo "status $?" >&2; cat m >&2
                """,
                [directory.path, root]
            )
            let lines = run.text.split(separator: "\n").filter { $0.hasPrefix("{") }
            let found = try lines.map { line -> String in
                guard case .object(let object) = try JSONValue.parse([UInt8](line.utf8)) else { return "" }
                return object["code"]?.string ?? object["status"]?.string ?? ""
            }
            #expect(found == codes && run.text.contains("status \(status)\n"), "\(run.text)")
            #expect(message.isEmpty || run.text.contains(message), "\(run.text)")
        }
    }

    @Test("the place of a fault in JSON counts from its record")
    func offset() async throws {
        let broken = "{\"receipt\" 5}"
        for before in ["", "{\"receipt\":\"AAAA\"}\n", "\(broken)\n\n"] {
            let run = try await Corpus.run(["--format", "ndjson", "-"], Array("\(before)\(broken)\n".utf8))
            #expect(try run.objects().last?["error"]?["offset"] == .number(11), "\(run)")
        }
    }

    @Test("a text that is not UTF-8 is a bad record")
    func illFormed() async throws {
        let run = try await Corpus.run(
            ["--format", "ndjson", "-"],
            Array("{\"receipt\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)
        )
        #expect(try run.codes() == ["record.not-json"])
        let column = try await Corpus.run(
            ["--format", "csv", "--bundle-id-field=2", "--keep=2", "--no-header", "-"],
            Array("\(Self.good),".utf8) + [0xFF, 0x0A]
        )
        #expect(try column.codes() == ["record.no-expectation"])
        #expect(try column.objects()[0]["keep"]?["2"] == .string("\u{FFFD}"))
    }

    @Test(
        "a record over the limit is skipped in little memory, and the next record is judged",
        arguments: Corpus.formats
    )
    func tooLarge(_ format: String) async throws {
        let size = 17 << 20
        let next = Corpus.encode([Corpus.good], format)
        let rows = ["csv", "tsv"].contains(format) ? [UInt8](next.drop { $0 != 10 }.dropFirst()) : next
        var source = ["csv", "tsv"].contains(format) ? [UInt8](next.prefix { $0 != 10 }) + [10] : []
        if format == "length-prefixed" {
            source += Corpus.prefixed([UInt8](repeating: 0x41, count: size))
        } else {
            source += [UInt8](repeating: 0x41, count: size) + [10]
        }
        let run = try await Corpus.run(["--format", format, "-"], source + rows)
        let objects = try run.objects()
        #expect(try run.status == 0 && run.codes() == ["der.input-too-large", "valid"], "\(run)")
        #expect(objects[0]["status"] == .string("unsupported") && objects[0]["sha256"] == .null)
        #expect(objects[1]["offset"] == .number(Int64(source.count)))
    }

    @Test("an unclosed quote spoils only its own line")
    func unclosedQuote() async throws {
        var source = [UInt8]("receipt\n\"x\n\(Self.good)\n".utf8)
        source += [UInt8](repeating: 0x41, count: 17 << 20)
        source += [UInt8]("\n\(Self.good)\n".utf8)
        let run = try await Corpus.run(["--format", "csv", "-"], source)
        #expect(
            try run.codes() == ["record.unclosed-quote", "valid", "der.input-too-large", "valid"],
            "\(run)"
        )
        let oneLine = [UInt8]("receipt\n\"".utf8) + [UInt8](repeating: 0x41, count: 17 << 20)
        let rest = try await Corpus.run(["--format", "csv", "-"], oneLine + [UInt8]("\n\(Self.good)\n".utf8))
        #expect(try rest.codes() == ["der.input-too-large", "valid"], "\(rest)")
    }

    @Test(
        "a source that is cut anywhere gives whole lines, and unchanged lines before the cut",
        arguments: Corpus.formats
    )
    func cut(_ format: String) async throws {
        let source = Corpus.encode(Array(repeating: Corpus.good, count: 3), format)
        let whole = try await Corpus.run(["--format", format, "-"], source).lines
        for length in stride(from: 0, through: source.count, by: 4001) {
            let run = try await Corpus.run(["--format", format, "-"], Array(source.prefix(length)))
            let records = try run.objects().count
            let isHeaderCut = length < 10
            let isTold = try run.codes().last == "record.truncated"
            #expect(run.status == (isTold ? 3 : 0) || isHeaderCut, "\(length): \(run)")
            #expect(run.lines.dropLast(2).elementsEqual(whole.prefix(max(0, records - 1))), "\(length)")
        }
    }

    @Test(
        "the run ends by itself for random bytes in any format",
        arguments: Corpus.formats + ["file"]
    )
    func noise(_ format: String) async throws {
        var state: UInt64 = 88
        func random() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        let alphabet = Array("\n\n\t,\"\"\\{}[]:0Na1x%\r\u{0}".utf8)
        for round in 0..<6 {
            let noise = (0..<3000).map { _ in
                round % 2 == 0
                    ? UInt8(truncatingIfNeeded: random()) : alphabet[Int(random()) % alphabet.count]
            }
            let run = try await Corpus.run(
                ["--format", format, "--keep=1", "-"].filter { format != "file" || $0 != "--keep=1" },
                noise
            )
            #expect([0, 3].contains(run.status), "\(run)")
            #expect(try !run.objects().contains { $0["status"] == .string("valid") })
        }
    }
}
