import Foundation
import TestSupport
import Testing

@Suite("app-receipt corpus verify and the formats of its sources")
struct CorpusFormatTests {
    @Test("finds the receipts to make corpora of")
    func receiptsAreThere() async throws {
        let verdicts = try await Corpus.verdicts
        #expect(Corpus.receipts.count > 50 && verdicts.count == Corpus.receipts.count)
        #expect(Set(verdicts.compactMap { $0[0]?.string }) == ["valid", "invalid", "unsupported"])
    }

    @Test(
        "in every format, given or guessed, each record gets the verdict that verify gives",
        arguments: Corpus.formats,
        [true, false]
    )
    func verdicts(_ format: String, _ isTold: Bool) async throws {
        let source = Corpus.encode(Corpus.receipts, format)
        let run = try await Corpus.run(isTold ? ["--format", format, "-"] : ["-"], source)
        let objects = try run.objects()
        let verdicts = try await Corpus.verdicts(in: format)
        #expect(run.status == 0 && objects.map { [$0["status"], $0["step"], $0["code"]] } == verdicts)
        #expect(run.errors.contains("standard input looks like \(format);") == !isTold, "\(run.errors)")
        #expect(objects.compactMap { $0["record"] } == (1...objects.count).map { .number(Int64($0)) })
        for object in objects where object["status"] == .string("valid") {
            #expect(object["sha256"]?.string?.count == 64 && object["source"] == .string("-"))
        }
    }

    @Test("the offset of each record is the offset of its first byte", arguments: Corpus.formats)
    func offsets(_ format: String) async throws {
        let source = Corpus.encode(Array(Corpus.receipts.prefix(9)), format)
        let objects = try await Corpus.run(["--format", format, "-"], source).objects()
        #expect(objects.count == 9)
        let header = ["csv", "tsv"].contains(format) ? 11 : 0
        for (index, object) in objects.enumerated() {
            let before = Corpus.encode(Array(Corpus.receipts.prefix(index)), format).count
            let end = format == "pgcopy" ? 3 : 0
            let expected = index == 0 ? header : before - end
            #expect(object["offset"] == .number(Int64(expected)))
        }
    }

    static let receipt = Corpus.base64(Corpus.good)
    static let response = "{\"status\":0,\"receipt\":{\"a\":[1]},\"latest_receipt\":\"\(receipt)\"}"
    static let escaped = receipt.replacing("/", with: "\\/").replacing("+", with: "\\u002B")

    @Test(
        "a receipt is decoded from every form of text that corpora hold",
        arguments: [
            ("base64", "\u{FEFF}\(receipt)\r\n"),
            ("base64", receipt),
            ("base64", receipt.replacing("+", with: "%2B").replacing("=", with: "%3d")),
            ("base64", receipt.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")),
            ("base64", response),
            ("hex", "\u{FEFF}0x\(Corpus.hexadecimal(Corpus.good).uppercased())\r\n"),
            ("hex", "0X\(Corpus.hexadecimal(Corpus.good))\n"),
            ("hex", "0x \(Corpus.hexadecimal(Corpus.good))\n"),
            ("hex", "\\x\(Corpus.hexadecimal(Corpus.good))"),
            ("ndjson", "\u{FEFF}{\"receipt-data\" : \"\(escaped)\" , \"b\":[{},null,-1.5e+3,true]}\r\n"),
            ("ndjson", response),
            ("ndjson", "{\"receipt\":\(response)}"),
            ("ndjson", "{\"receipt\":null,\"receipt_data\":\"\(receipt)\"}"),
            ("csv", "\u{FEFF}receipt,x\r\n\"\(receipt)\",\"a\r\n\"\"b\"\"\"\r\n"),
            (
                "csv",
                "x,receipt\n\"\(receipt.prefix(64))\n\",\"\(receipt.prefix(64))\n\(receipt.dropFirst(64))\"\n"
            ),
            ("csv", "x,latest_receipt\n5\" disk,\(receipt)"),
            ("csv", "receipt\n0x\(Corpus.hexadecimal(Corpus.good))\n"),
            ("ndjson", "{\"receipt\":\"0x\(Corpus.hexadecimal(Corpus.good).uppercased())\"}"),
            ("tsv", "a\treceipt\r\n\"1\t\"\(receipt)\"\r\n"),
            ("pgcopy", "\(receipt)\t\\N\r\n"),
            ("pgcopy", "\(receipt.prefix(76))\\n\(receipt.dropFirst(76))\n\\.\n\n"),
            ("pgcopy", "\\\\x\(Corpus.hexadecimal(Corpus.good))\n"),
            ("pgcopy", "\\115\\x49\(receipt.dropFirst(2))\n"),
            ("file", receipt.replacing("A", with: "A\n")),
            ("file", "{\n \"latest_receipt\": \"\(receipt)\"\n}\n"),
        ]
    )
    func text(_ format: String, _ source: String) async throws {
        let run = try await Corpus.run(["--format", format, "--quiet", "-"], source)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(
            try run.all("sha256") == [.string(Corpus.goodDigest)] && run.codes() == ["valid"],
            "\(run.text)"
        )
    }

    @Test(
        "the receipt is read from the field that --field names",
        arguments: [
            (["ndjson", "--field", "a.b"], "{\"a\":{\"b\":\"\(receipt)\"}}"),
            (["ndjson", "--field", "a.b"], "{\"a.b\":\"\(receipt)\",\"a\":{\"b\":\"x\"}}"),
            (["ndjson", "--field", "a.b"], "{\"a\":{\"b\":\"x\",\"b\":\"\(receipt)\"}}"),
            (["csv", "--field", "data"], "receipt,data\nx,\(receipt)"),
            (["csv", "--field", "2"], "receipt,data\nx,\(receipt)"),
            (["csv", "--field", "1"], "2,1\nx,\(receipt)"),
            (["csv", "--no-header", "--field", "2"], "x,\(receipt)"),
            (["csv", "--no-header"], "\(receipt),x"),
            (["csv", "--field", "1"], "anything\n\(receipt)"),
            (["tsv", "--field=3"], "a\tb\tc\n\t\t\(receipt)"),
            (["pgcopy", "--field", "2"], "\\N\t\(receipt)"),
        ]
    )
    func field(_ arguments: [String], _ source: String) async throws {
        let run = try await Corpus.run(["--quiet", "-", "--format"] + arguments, source)
        #expect(try run.status == 0 && run.codes() == ["valid"], "\(run)")
    }

    @Test(
        "a missing column is an error of the source, and a missing member an error of the record",
        arguments: [
            (["csv", "--field", "data"], "receipt\nx\n", 3, "standard input has no column data"),
            (["csv", "--field", "2"], "receipt\nx\n", 3, "standard input has no column 2"),
            (["csv", "--keep", "id"], "receipt\nx\n", 3, "standard input has no column id"),
            // A first line that is not a header is not taken for one and lost.
            (["csv"], "anything\nx\n", 3, "standard input has no column receipt, receipt_data, receipt-data"),
            (["csv"], receipt, 3, "--no-header says that the first line is a record"),
            (
                ["csv"], "receipt,id\r\(receipt),1\r", 3,
                "standard input has lines that end in carriage returns"
            ),
            (
                ["tsv"], "id\treceipt\r1\t\(receipt)\r", 3,
                "standard input has lines that end in carriage returns"
            ),
            (["pgcopy", "--field", "data"], "x\n", 3, "standard input has no column data"),
            (["csv", "--no-header", "--field", "data"], "x\n", 3, "standard input has no column data"),
            (
                ["base64", "--field", "data"], "x\n", 3,
                "standard input is read as base64, which has no fields"
            ),
            (["csv", "--no-header", "--field", "2"], "x\n", 0, "record.missing-field"),
            (["ndjson", "--field", "a.b"], "{\"a\":{\"c\":1}}\n", 0, "record.missing-field"),
            (["ndjson"], "{\"receipt\":{\"c\":1}}\n", 0, "record.missing-field"),
            (["ndjson"], "[]\n", 0, "record.missing-field"),
            (["pgcopy"], "\\N\n", 0, "record.missing-field"),
        ]
    )
    func missing(_ arguments: [String], _ source: String, _ status: Int32, _ message: String) async throws {
        let run = try await Corpus.run(["-", "--format"] + arguments, source)
        #expect(run.status == status && run.errors.contains(message), "\(run)")
        #expect(try run.objects().count == 1 && (run.codes() == ["source.not-read"]) == (status != 0))
    }

    @Test("a line of tab-separated values is a record, with any quotes in it")
    func tabbed() async throws {
        let rows = ["\"The Boss", "Mr \"X\"", "\"a \"\"b\"\"\"", "\"a\"b\"", "\"", "\"\""]
        let source = "name\treceipt\n" + rows.map { "\($0)\t\"\(Self.receipt)\"\n" }.joined()
        let run = try await Corpus.run(["--format", "tsv", "--keep", "name", "-"], source)
        #expect(try run.codes() == rows.map { _ in "valid" } && run.status == 0, "\(run)")
        let kept = try run.objects().map { $0["keep"]?["name"]?.string }
        #expect(kept == ["\"The Boss", "Mr \"X\"", "a \"b\"", "\"a\"b\"", "\"", ""])
    }

    @Test("text after the end marker of COPY and bytes missing from a length are reported")
    func unread() async throws {
        let row = "\(Self.receipt)\n"
        for (source, isWhole) in [
            ("\(row)\\.\n", true), ("\(row)\\.\r\n \n\n", true), ("\(row)\\.", true), (row, true),
            ("\(row)\\.\n\(row)", false), ("\(row)\\.\n\n--\n", false), ("\(row)\\.\n\\.\n", false),
        ] {
            let run = try await Corpus.run(["--format", "pgcopy", "-"], source)
            #expect(run.status == (isWhole ? 0 : 3), "\(run)")
            #expect(run.errors.contains("has data after the end marker of COPY (\\.)") != isWhole)
            #expect(try run.codes() == ["valid"])
        }
        let frame = Corpus.encode([Corpus.good], "length-prefixed")
        let cut = try await Corpus.run(
            ["--format", "length-prefixed", "-"],
            frame + [0, 0x10, 0, 0] + frame
        )
        #expect(try cut.status == 3 && cut.codes() == ["valid", "record.truncated"])
        for (excess, isWhole) in [([UInt8](repeating: 0, count: 1 << 25), true), (frame + frame, false)] {
            let run = try await Corpus.run(
                ["--format", "length-prefixed", "-"],
                frame + [2, 0, 0, 0] + excess
            )
            #expect(run.status == (isWhole ? 0 : 3), "\(run.errors)")
            #expect(run.errors.contains("ends inside its last record") != isWhole)
            #expect(try run.codes() == ["valid", "der.input-too-large"])
        }
    }

    @Test(
        "lines that end in carriage returns are refused, and a record is not taken for a header",
        arguments: [
            (["csv", "--no-header"], "R,0\rR,1\r", "record.carriage-return"),
            (["csv", "--field", "1"], "receipt,id\nR,\"0\"\rR,1\n", "record.carriage-return"),
            (["csv", "--keep", "id"], "receipt,id\nR,\"0\r\n1\"\r\n", "valid"),
            (["tsv", "--no-header"], "R\t0\rR\t1\r", "record.carriage-return"),
            (["pgcopy"], "R\t0\rR\t1\r", "record.carriage-return"),
            (["base64"], "R\rR\r", "record.carriage-return"),
            (["hex"], "30\r30\r", "record.carriage-return"), (["base64"], "R\r", "valid"),
            (["file"], "M!\r\nM!\r\n", "input.not-base64"),
            (["csv", "--field", "1"], "R\nR\n", "begins with a record, and no header"),
            (["csv", "--field", "2"], "i,R\ni,R\n", "begins with a record, and no header"),
            (["tsv"], "receipt\tid\rR\t1\r", "has lines that end in carriage returns"),
            (["csv", "--field", "2"], "i,\ni,R\n", "begins with a record, and no header"),
            (["csv"], "receipt,\"id\n", "begins with a line that is no header (record.unclosed-quote)"),
            (
                ["csv"], "receipt,\"id\nR,\"0\"\n",
                "begins with a line that is no header (record.unclosed-quote)"
            ),
        ]
    )
    func carriageReturns(_ arguments: [String], _ source: String, _ message: String) async throws {
        let run = try await Corpus.run(
            ["-", "--format"] + arguments,
            source.replacing("R", with: Self.receipt)
        )
        let isRecord = ["record.carriage-return", "input.not-base64", "valid"].contains(message)
        #expect(run.status == (isRecord ? 0 : 3), "\(run)")
        #expect(try isRecord ? run.codes() == [message] : run.errors.contains(message), "\(run)")
    }

    /// Splits a text into lines.
    private static func lines(_ text: String, _ length: Int, end: String = "\n") -> String {
        var (lines, rest) = ("", Substring(text))
        while !rest.isEmpty {
            lines += rest.prefix(length) + end
            rest = rest.dropFirst(length)
        }
        return lines
    }

    @Test(
        "a source that is one receipt over several lines is read as one receipt",
        arguments: [
            lines(receipt, 76), lines(receipt, 64), lines(receipt, 76, end: "\r\n"),
            "\n\n" + lines(receipt, 64),
            "-----BEGIN PKCS7-----\n\(lines(receipt, 64))-----END PKCS7-----\n",
        ]
    )
    func wrapped(_ source: String) async throws {
        let run = try await Corpus.strict(["-"], Array(source.utf8))
        #expect(try run.codes() == ["valid"] && run.status == 0, "\(run)")
        #expect(run.errors.contains("standard input looks like file;"), "\(run)")
    }

    @Test(
        "white space before the first record does not hide the format",
        arguments: [(" {\"receipt\":\"\(receipt)\"}", "ndjson"), ("\n\nreceipt,x\n\(receipt),\n", "csv")]
    )
    func whiteSpace(_ source: String, _ format: String) async throws {
        let run = try await Corpus.run(["-"], source)
        #expect(run.errors.contains("standard input looks like \(format);"), "\(run)")
    }

    @Test("records that are cut off are reported as a likely mistake, if there is no other record")
    func cutOff() async throws {
        let cut = "receipt\n" + String(repeating: "\(Self.receipt.prefix(252))\n", count: 3)
        let run = try await Corpus.strict(["--format", "csv", "-"], Array(cut.utf8))
        #expect(try run.codes() == ["der.truncated", "der.truncated", "der.truncated"])
        #expect(run.status == 3 && run.errors.contains("all 3 records are unreadable or cut off"), "\(run)")
        #expect(run.errors.contains("a column that is too short for receipts"), "\(run)")
        let source = Array((cut + Self.receipt + "\n").utf8)
        #expect(try await Corpus.strict(["--format", "csv", "-"], source).status == 0)
    }

    @Test(
        "each block of PEM is a record, also a block that is not closed",
        arguments: [
            (1, 0, ["valid"]), (2, 0, ["valid", "valid"]), (0, 1, ["input.unclosed-pem"]),
            (1, 1, ["valid", "input.unclosed-pem"]), (0, 2, ["input.unclosed-pem", "input.unclosed-pem"]),
        ]
    )
    func blocks(_ closed: Int, _ unclosed: Int, _ codes: [String]) async throws {
        let lines = Self.lines(Self.receipt, 64)
        let open = "-----BEGIN PKCS7-----\n\(lines)"
        let source =
            String(repeating: open + "-----END PKCS7-----\n", count: closed)
            + String(repeating: open, count: unclosed)
        let run = try await Corpus.run(["--format", "file", "-"], source)
        #expect(try run.codes() == codes, "\(run)")
        let offsets = try run.objects().map { $0["offset"] }
        #expect(
            offsets
                == source.ranges(of: "-----BEGIN").map {
                    .number(Int64(source.utf8.distance(from: source.startIndex, to: $0.lowerBound)))
                }
        )
    }

    @Test("UTF-16 is read as one receipt, and refused as lines")
    func utf16() async throws {
        let source = Array(try #require(Self.receipt.data(using: .utf16)))
        #expect(try await Corpus.run(["--format", "file", "-"], source).codes() == ["valid"])
        #expect(try await Corpus.run(["--format", "base64", "-"], source).errors.contains("is UTF-16"))
    }

    @Test("without --format, one line of UTF-16 is one receipt, and several are refused", arguments: [1, 2])
    func guessedUTF16(_ lines: Int) async throws {
        let text = Array(repeating: Self.receipt, count: lines).joined(separator: "\n") + "\r\n"
        let run = try await Corpus.run(["-"], Array(try #require(text.data(using: .utf16))))
        #expect(try run.codes() == [lines == 1 ? "valid" : "source.not-read"], "\(run)")
        #expect(run.errors.contains("is UTF-16") == (lines > 1), "\(run)")
    }

    @Test("JSON without a receipt has its name, also if a member of it holds other JSON")
    func otherJSON() async throws {
        let source = """
            {"transactionId":"1","transactionReceipt":"{}"}
            {"receipt":"{}"}
            {length = 5423, bytes = 0x3082 ... 0000 }

            """
        let codes = try await Corpus.run(["--format", "ndjson", "-"], Array(source.utf8)).codes()
        #expect(codes == ["input.storekit-json", "input.json-without-receipt", "record.not-json"])
        let description = source.split(separator: "\n")[2]
        #expect(try await Corpus.run(["-"], Array(description.utf8)).codes() == ["input.data-description"])
    }

    @Test(
        "a JSON array is refused, and not read as lines or as a table",
        arguments: ["[{\"receipt\":\"A\"},1]", "\n [1]\n"]
    )
    func array(_ source: String) async throws {
        let run = try await Corpus.run(["-"], source)
        #expect(run.status == 3 && run.errors.contains("standard input is a JSON array"), "\(run)")
    }

    @Test("a member's name is found if it is written with escapes")
    func escapedNames() async throws {
        let source =
            "{\"receipt\":\"x\",\"re\\u0063eipt\":\"\(Self.receipt)\",\"gr\\u00f6\\u00dfe\":{\"\\u0061\":1}}"
        let run = try await Corpus.run(["--format", "ndjson", "--keep", "größe.a", "-"], source)
        #expect(try run.codes() == ["valid"])
        #expect(run.lines[0].hasSuffix(",\"keep\":{\"größe.a\":1}}"), "\(run)")
    }

    @Test(
        "--keep copies values unchanged",
        arguments: [
            (
                ["ndjson", "--keep", "id,a.b"], "{\"id\":1e2,\"a\":{\"b\":[ \"\\u00e9\" ]}}",
                "{\"id\":1e2,\"a.b\":[ \"\\u00e9\" ]}"
            ),
            (
                ["ndjson", "--keep", "id", "--keep", "no"], "{\"id\":1234567890123456789}",
                "{\"id\":1234567890123456789,\"no\":null}"
            ),
            (["ndjson", "--keep", "id"], "{broken", "{\"id\":null}"),
            (["ndjson", "--keep", "id"], "{\"id\":[1,\r2]}", "{\"id\":[1, 2]}"),
            (["csv", "--keep", "id"], "receipt,id\nx,\"a \"\"b\"\"\n\"\n", "{\"id\":\"a \\\"b\\\"\\n\"}"),
            (["pgcopy", "--keep", "2,3"], "x\t\\N\t\\t\n", "{\"2\":null,\"3\":\"\\t\"}"),
        ]
    )
    func keep(_ arguments: [String], _ source: String, _ kept: String) async throws {
        let run = try await Corpus.run(["-", "--format"] + arguments, source)
        #expect(run.lines[0].hasSuffix(",\"keep\":\(kept)}") && run.status == 0, "\(run)")
        #expect(try run.objects().count == 1)
    }

    @Test(
        "--keep names each field once",
        arguments: [
            (["--keep", "id", "--keep", "a,id"], "names id twice"),
            (["--keep", ","], "names a field without"),
        ]
    )
    func keptTwice(_ arguments: [String], _ message: String) async throws {
        let run = try await Corpus.run(["--format", "ndjson"] + arguments + ["-"], "{}\n")
        #expect(run.status == 2 && run.errors.contains(message), "\(run)")
    }

    @Test("each record may give its own expectations")
    func expectations() async throws {
        let device = "00112233445566778899aabbccddeeff"
        let rows = [
            ("com.example.receipts", device, "valid"),
            ("com.example.other", device, "receipt.bundle-identifier-mismatch"),
            ("com.example.receipts", "ffffffffffffffffffffffffffffffff", "receipt.device-hash-mismatch"),
            ("com.example.receipts", "1234", "record.no-expectation"),
            // A table has no other way to write NULL.
            ("", device, "record.no-expectation"),
        ]
        let source =
            "receipt,app,device\n"
            + rows.map { "\(Self.receipt),\($0.0),\($0.1)\n" }.joined()
        let run = try await Corpus.run(
            ["--bundle-id-field", "app", "--device-id-field", "device", "--format", "csv", "-"],
            source
        )
        let codes = try run.codes()
        #expect(codes.count == rows.count && codes[0] == "valid")
        #expect(codes[3...] == ["record.no-expectation", "record.no-expectation"])
        #expect(
            try run.all("step")[1...2] == [.string("bundle-identifier"), .string("device-hash")],
            "\(run)"
        )
        for (option, value) in [("--bundle-id", "x"), ("--environment", "any"), ("--device-id", device)] {
            let both = try await Corpus.run([option, value, "\(option)-field", "app", "-"])
            #expect(both.status == 2 && both.errors.contains("exclude each other"), "\(both)")
        }
    }

    @Test("a field names the record's environment, which is one of the known names, byte for byte")
    func environmentField() async throws {
        let rows = [
            ("ProductionSandbox", "valid"), ("Production", "receipt.environment-mismatch"),
            ("productionsandbox", "record.no-expectation"), ("any", "record.no-expectation"),
            ("", "record.no-expectation"),
        ]
        let source = "receipt,environment\n" + rows.map { "\(Self.receipt),\($0.0)\n" }.joined()
        let run = try await Corpus.run(
            ["--environment-field", "environment", "--format", "csv", "-"],
            source
        )
        #expect(try run.codes() == rows.map(\.1), "\(run)")
        let xcode = try await Corpus.run(
            ["--environment-field", "environment", "--xcode-testing", "-"],
            source
        )
        #expect(xcode.status == 2 && xcode.errors.contains("leave out --environment-field"), "\(xcode)")
        let missing = try await Corpus.run(["--environment-field", "store", "--format", "csv", "-"], source)
        #expect(missing.status != 0 && missing.errors.contains("column store"), "\(missing)")
    }

    @Test("Parquet, Avro and compressed data on standard input are refused with advice")
    func refused() async throws {
        for (bytes, advice) in [
            (Array("PAR1".utf8), "duckdb"), (Array("Obj\u{1}".utf8), "avro-tools tojson"),
            ([0x1F, 0x8B, 8, 0], "gzip -dc"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd -dc"),
        ] {
            let run = try await Corpus.run(["-"], bytes)
            #expect(try run.status == 3 && run.codes() == ["source.not-read"], "\(run)")
            #expect(run.errors.contains(advice), "\(run)")
        }
    }

    @Test("every file in a directory has a line, compressed files without their suffix as well")
    func compressedInDirectory() async throws {
        try await withDirectory { directory in
            try Data([0x1F, 0x8B, 8, 0]).write(to: directory.appending(path: "a"))
            try Data(Corpus.good).write(to: directory.appending(path: "b"))
            let run = try await Corpus.strict([directory.path])
            #expect(try run.codes() == ["input.not-base64", "valid"] && run.status == 0, "\(run)")
        }
    }

    @Test("compressed files are read through the system's decompressor, and truncated ones up to their end")
    func compressed() async throws {
        try await withDirectory { directory in
            for (program, suffix) in [("gzip", "gz"), ("zstd", "zst")] {
                guard FileManager.default.fileExists(atPath: "/usr/bin/\(program)") else { continue }
                let file = directory.appending(path: "corpus.csv")
                try Data(Corpus.encode(Corpus.receipts, "csv")).write(to: file)
                #expect(try await ProgramRun("/usr/bin/\(program)", ["-qf", file.path]).status == 0)
                let compressed = file.appendingPathExtension(suffix)
                let whole = try await Corpus.run([compressed.path])
                #expect(whole.status == 0, "\(whole.errors)")
                let objects = try whole.objects()
                let verdicts = try await Corpus.verdicts
                #expect(objects.map { [$0["status"], $0["step"], $0["code"]] } == verdicts)
                let bytes = try Data(contentsOf: compressed)
                try bytes.prefix(bytes.count / 2).write(to: compressed)
                let cut = try await Corpus.run([compressed.path])
                #expect(
                    cut.status == 3 && cut.errors.contains("could not be decompressed to its end"),
                    "\(cut)"
                )
            }
        }
    }
}
