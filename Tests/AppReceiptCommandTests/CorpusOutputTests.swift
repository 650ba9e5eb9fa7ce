import Foundation
import TestSupport
import Testing

@Suite("The output of app-receipt corpus verify")
struct CorpusOutputTests {
    /// Good and bad receipts, and a receipt with several purchases that do and do not decode.
    static let source = Corpus.encode(Corpus.receipts, "ndjson")
    static let common = ["--format", "ndjson", "--keep", "id", "-"]

    @Test(
        "CSV says what JSON says, cell by cell",
        arguments: ["none", "brief", "all"],
        ["records", "purchases"]
    )
    func csv(_ fields: String, _ rows: String) async throws {
        let options = Self.common + ["--fields", fields, "--rows", rows]
        let objects = try await Corpus.run(options, Self.source).objects()
        let table = CSVTable(try await Corpus.run(options + ["--csv"], Self.source).text)
        #expect(table.rows.count == objects.count && !objects.isEmpty)
        #expect(table.rows.allSatisfy { $0.count == table.names.count })
        for (row, object) in zip(table.rows, objects) {
            for (name, cell) in zip(table.names, row) {
                let path = name.split(separator: ".").map(String.init)
                let value = path.dropFirst().reduce(object[path[0]]) { $0?[$1] }
                #expect(try Self.agrees(cell, value), "\(name): \(cell) and \(String(describing: value))")
            }
        }
        let members = Set(objects.flatMap { Self.paths(.object($0)) })
        #expect(members == Set(table.names))
    }

    @Test("a cell with special characters is in quotes, and a kept string is without its JSON quotes")
    func quotes() async throws {
        let id = "a \"quoted\", one\\nand another"
        let line = "{\"id\":\"\(id.replacing("\"", with: "\\\""))\",\"n\":null,\"receipt\":\"\"}\n"
        let run = try await Corpus.run(["--format", "ndjson", "--csv", "--keep", "id,n", "-"], line)
        let table = CSVTable(run.text)
        #expect(table.rows.first?.suffix(2) == ["a \"quoted\", one\nand another", ""], "\(run)")
        #expect(table.names.suffix(2) == ["keep.id", "keep.n"])
    }

    @Test(
        "an empty source gives one line below the header of CSV, and a piece after the first record gives none"
    )
    func header() async throws {
        let empty = try await Corpus.run(["--format", "base64", "--csv", "-"], "")
        #expect(
            empty.lines.count == 3
                && empty.text.hasPrefix("key,source,record,offset,sha256,status,step,code,")
        )
        let piece = try await Corpus.run(["--format", "base64", "--csv", "--first-record", "2", "-"], "\n")
        // A hyphen alone gets an apostrophe, like every cell that begins with a hyphen.
        let cells = ",'-,2,0,,unreadable,input,input.empty,,"
        #expect(piece.lines.count == 2 && piece.text.contains(cells), "\(piece)")
    }

    @Test("each purchase and each record that is not valid has a row; a receipt without purchases has none")
    func purchases() async throws {
        let run = try await Corpus.run(
            [
                "--format", "ndjson", "--rows", "purchases", "--fields", "none", "-",
            ],
            Self.source
        )
        let whole = try await Corpus.run(
            ["--format", "ndjson", "--fields", "all", "--quiet", "-"],
            Self.source
        )
        let expected = try whole.objects().flatMap { record -> [String] in
            guard let receipt = record["receipt"] else { return [record["code"]?.string ?? ""] }
            return (receipt["in_app"]?.elements ?? []).map {
                $0["transaction_id"]?.string ?? ""
            } + (receipt["malformed_in_app"]?.elements ?? []).map { $0["code"]?.string ?? "" }
        }
        let rows = try run.objects().map { row in
            guard let purchase = row["purchase"] else { return row["code"]?.string ?? "" }
            return purchase["malformed"]?.string ?? purchase["transaction_id"]?.string ?? ""
        }
        #expect(rows == expected && rows.count > Corpus.names.count)
        let withRow = Set(try run.objects().map { "\($0["record"] ?? .null)" }).count
        let filtered = Corpus.names.count - withRow
        #expect(run.errors.contains("\(Corpus.names.count) read = \(withRow) written + \(filtered) filtered"))
        #expect(filtered > 0 && run.status == 0)
    }

    @Test("the summary counts by signer, and shows the ten slowest")
    func summary() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "summary.json")
            let run = try await Corpus.run(["--summary", file.path, "--format", "ndjson", "-"], Self.source)
            let summary = try JSONValue.parse([UInt8](Data(contentsOf: file)))
            let valid = try await Corpus.verdicts.count { $0[0] == .string("valid") }
            let signers = try #require(Self.counts(summary["signers"]))
            #expect(signers.values.reduce(0, +) == valid)
            // By sha256sum, of Vectors/certificates/leaf.der.
            let leaf = "bc989ab18b532838f5b6e14d08ffc6e00a62af724be532e16490b8b8b3d7c401"
            #expect(signers.max { $0.value < $1.value }?.key == leaf)
            #expect(run.errors.contains(leaf))
            #expect(summary["slowest"]?.elements.count == 10)
            let shown = run.lines(ofErrorsAfter: "slowest, in milliseconds").prefix { $0.hasPrefix("  ") }
            #expect(shown.count == 10 && shown.allSatisfy { $0.hasSuffix(" of -") })
        }
    }

    @Test("the summary counts environments apart whose names are equivalent in Unicode")
    func environments() async throws {
        try await withDirectory { directory in
            let root = directory.appending(path: "root.der").path
            var receipts: [String] = []
            for name in ["caf\u{E9}", "cafe\u{301}"] {
                receipts.append(directory.appending(path: "\(receipts.count).der").path)
                let options = ["--environment", name, "--out", receipts[receipts.count - 1]]
                #expect(try await CommandRun(["mint", "--root-out", root] + options).status == 0)
            }
            let run = try await CommandRun(
                ["corpus", "verify", "--root", root] + CommandRun.anyReceipt + receipts
            )
            let shown = run.lines(ofErrorsAfter: "environments").prefix { $0.hasPrefix("  ") }
            #expect(run.status == 0 && shown.count == 2, "\(run)")
        }
    }

    private static func counts(_ value: JSONValue?) -> [String: Int64]? {
        guard case .object(let members) = value else { return nil }
        return members.compactMapValues { if case .number(let count) = $0 { count } else { nil } }
    }

    /// The names of a value's inner values.
    private static func paths(_ value: JSONValue) -> [String] {
        guard case .object(let members) = value else { return [] }
        return members.flatMap { name, value in
            if case .object = value { paths(value).map { "\(name).\($0)" } } else { [name] }
        }
    }

    static func agrees(_ cell: String, _ value: JSONValue?) throws -> Bool {
        switch value {
        case nil, .null: cell.isEmpty
        case .string(let text): cell == text
        case .number(let number): cell == "\(number)"
        case .bool(let flag): cell == "\(flag)"
        default: try JSONValue.parse([UInt8](cell.utf8)) == value
        }
    }
}

extension CommandRun {
    fileprivate func lines(ofErrorsAfter title: String) -> ArraySlice<String> {
        let lines = errors.split(separator: "\n").map(String.init)
        return lines.drop { $0 != title }.dropFirst()
    }
}

/// A table in CSV, read as RFC 4180 says, with the escapes that the command line adds taken away.
struct CSVTable {
    let names: [String]
    let rows: [[String]]

    init(_ text: String) {
        var records: [[String]] = [[""]]
        var isQuoted = false
        for scalar in text.unicodeScalars {
            let last = records.count - 1
            switch scalar {
            case "\"":
                // If a quoted cell has two quotes in a row, the first ends the quoting and the second begins
                // it again. `withoutQuotes` makes one quote of the two.
                isQuoted.toggle()
                records[last][records[last].count - 1].unicodeScalars.append(scalar)
            case "," where !isQuoted: records[last].append("")
            case "\n" where !isQuoted: records.append([""])
            default: records[last][records[last].count - 1].unicodeScalars.append(scalar)
            }
        }
        let cells = records.dropLast().map { $0.map(Self.withoutQuotes) }
        names = cells.first ?? []
        rows = Array(cells.dropFirst())
    }

    private static func withoutQuotes(_ cell: String) -> String {
        guard cell.hasPrefix("\"") else { return unescaped(cell) }
        return unescaped(String(cell.dropFirst().dropLast()).replacing("\"\"", with: "\""))
    }

    /// Removes one apostrophe from the beginning, then replaces the escapes.
    private static func unescaped(_ cell: String) -> String {
        var rest = cell.unicodeScalars.dropFirst(cell.hasPrefix("'") ? 1 : 0)
        var text = ""
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "n": text += "\n"
            case "r": text += "\r"
            case "t": text += "\t"
            case "u":
                let digits = String(String.UnicodeScalarView(rest.prefix(4)))
                rest = rest.dropFirst(4)
                text.unicodeScalars.append(
                    UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}"
                )
            case let other?: text.unicodeScalars.append(other)
            case nil: text += "incomplete"
            }
        }
        return text
    }
}
