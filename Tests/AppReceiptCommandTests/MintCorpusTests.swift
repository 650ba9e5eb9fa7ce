import Foundation
import TestSupport
import Testing

@Suite("app-receipt mint-corpus")
struct MintCorpusTests {
    /// Few keys, and a seed that leads to their primes soon: in a debug build, making keys takes seconds.
    private static let options = ["mint-corpus", "--chains", "1", "--seed", "124"]

    @Test("writes the same receipts and truth with any number of jobs")
    func jobs() async throws {
        try await withDirectory { place in
            let made = try await ["1", "7"].mapInTurn { jobs in
                let truth = place.appending(path: jobs).path
                let run = try await CommandRun(
                    Self.options + ["--count", "140", "--bad", "0.5", "--jobs", jobs, "--truth", truth]
                )
                #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
                return run.output + [UInt8](try Data(contentsOf: URL(filePath: truth)))
            }
            #expect(made[0] == made[1])
        }
    }

    @Test(
        "makes a receipt from its number and the seed alone"
    )
    func seeds() async throws {
        let ten = try await CommandRun(Self.options + ["--count", "10"]).lines
        #expect(ten.count == 11 && Set(ten).count == 11)
        #expect(try await CommandRun(Self.options + ["--count", "4"]).lines.dropLast() == ten[..<4])
        let others = try await CommandRun(["mint-corpus", "--chains", "1", "--seed", "75", "--count", "4"])
            .lines
        #expect(Set(others.dropLast()).isDisjoint(with: ten))
    }

    @Test("writes the same receipts in every format")
    func formats() async throws {
        try await withDirectory { place in
            func run(_ format: String, _ more: String...) async throws -> CommandRun {
                let options = ["--count", "20", "--bad", "0.4", "--bad", "not-base64=0", "--format", format]
                let run = try await CommandRun(Self.options + options + more)
                #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
                return run
            }
            let truth = try Truth(
                try await run("base64", "--truth", place.appending(path: "truth").path),
                place
            )
            let receipts = try await run("base64").lines.dropLast().map {
                try #require(Data(base64Encoded: $0))
            }
            let identifiers = truth.rows.map(\.bundle)
            let numbers = (1...20).map(String.init)
            #expect(truth.rows.map(\.record) == Array(1...20))

            #expect(try await run("hex").lines.dropLast().map(bytes(ofHexadecimal:)) == receipts)

            let objects = try await run("ndjson").objects()
            #expect(objects.map { $0["id"] } == (1...20).map { JSONValue.number($0) })
            #expect(objects.map { $0["bundle_id"]?.string } == identifiers)
            #expect(objects.map { $0["receipt"]?.string.flatMap { Data(base64Encoded: $0) } } == receipts)

            for (format, separator) in [("csv", ","), ("tsv", "\t")] {
                let rows = try await run(format).lines.dropLast().map {
                    $0.components(separatedBy: separator)
                }
                #expect(rows[0] == ["id", "bundle_id", "receipt"])
                #expect(rows.dropFirst().map { $0[0] } == numbers)
                #expect(rows.dropFirst().map { $0[1] } == identifiers)
                #expect(rows.dropFirst().map { Data(base64Encoded: $0[2]) } == receipts)
            }

            let copied = try await run("pgcopy").lines.dropLast().map { $0.components(separatedBy: "\t") }
            #expect(copied.map { $0[0] } == numbers && copied.map { $0[1] } == identifiers)
            #expect(copied.allSatisfy { $0[2].hasPrefix(#"\\x"#) })
            #expect(copied.map { bytes(ofHexadecimal: String($0[2].dropFirst(3))) } == receipts)

            var rest = try await run("length-prefixed").output[...]
            for receipt in receipts {
                let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                #expect(Data(rest.dropFirst(4).prefix(count)) == receipt)
                rest = rest.dropFirst(4 + count)
            }
            #expect(rest.isEmpty)

            let directory = place.appending(path: "receipts")
            #expect(try await run("directory", "--out", directory.path).output.isEmpty)
            let files = (1...20).map { directory.appending(path: name(ofRecord: $0)) }
            #expect(try files.map { try Data(contentsOf: $0) } == receipts)
        }
    }

    @Test("writes the verdict of verify as the truth about each record of every kind")
    func truth() async throws {
        try await withDirectory { place in
            let directory = place.appending(path: "receipts").path
            let root = place.appending(path: "root.der").path
            let minted = try await CommandRun(
                Self.options + [
                    "--count", "200", "--bad", "0.7", "--format", "directory", "--out", directory,
                    "--root-out", root, "--truth", place.appending(path: "truth").path,
                ]
            )
            let truth = try Truth(minted, place)
            #expect(truth.rows.count == 200)
            let kinds = Dictionary(grouping: truth.rows, by: \.kind)
            #expect(
                Set(kinds.keys) == [
                    "good", "tampered-payload", "wrong-signature", "foreign-root", "missing-marker",
                    "expired-path", "truncated", "not-base64", "wrong-bundle", "wrong-environment",
                ]
            )
            #expect(Set(kinds["good", default: []].map(\.status)) == ["valid"])
            #expect(
                Set(kinds["missing-marker", default: []].map(\.step)) == [
                    "leaf-marker", "intermediate-marker",
                ]
            )

            for (bundle, rows) in Dictionary(grouping: truth.rows, by: \.bundle) {
                let files = rows.map { "\(directory)/\(name(ofRecord: $0.record))" }
                let verified = try await CommandRun(
                    [
                        "verify", "--json", "--root", root, "--bundle-id", bundle, "--environment",
                        "Production",
                    ] + files
                ).objects()
                #expect(verified.count == rows.count)
                for (row, object) in zip(rows, verified) {
                    #expect(object["status"]?.string == row.status, "\(row): \(object)")
                    #expect(object["step"]?.string ?? "" == row.step, "\(row): \(object)")
                }
            }
        }
    }

    @Test("writes the SHA-256 of each receipt to the truth file")
    func sums() async throws {
        try await withDirectory { place in
            let minted = try await CommandRun(
                Self.options + [
                    "--count", "20", "--bad", "not-base64=0.3", "--format", "length-prefixed",
                    "--truth", place.appending(path: "truth").path,
                ]
            )
            let truth = try Truth(minted, place)
            #expect(Set(truth.rows.map(\.kind)) == ["good", "not-base64"])
            var rest = minted.output[...]
            let files = try truth.rows.map { row in
                let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                let file = place.appending(path: String(row.record))
                try Data(rest.dropFirst(4).prefix(count)).write(to: file)
                rest = rest.dropFirst(4 + count)
                return file.path
            }
            #expect(try await opensslSHA256(of: files) == truth.rows.map(\.sum))
        }
    }

    @Test("makes receipts as long as genuine ones, with both digests and all apps and chains")
    func distribution() async throws {
        try await withDirectory { place in
            let options = [
                "mint-corpus", "--seed", "92", "--count", "200", "--chains", "2", "--apps", "5", "--sha1",
                "0.5",
                "--truth", place.appending(path: "truth").path,
            ]
            let minted = try await CommandRun(options)
            let truth = try Truth(minted, place)
            let receipts = try minted.lines.dropLast().map { try #require(Data(base64Encoded: $0)) }
            let sizes = receipts.map(\.count)
            #expect(try #require(sizes.min()) >= 4700 && #require(sizes.max()) <= 82_000)
            #expect(try #require(sizes.max()) >= 16_000, "no long ones")
            #expect((5800...8200).contains(sizes.reduce(0, +) / sizes.count))
            #expect(Set(truth.rows.map(\.bundle)) == Set((1...5).map { "com.example.app\($0)" }))
            // The digest of the content: the first algorithm after the OBJECT IDENTIFIER of signedData.
            let overSHA1 = receipts.filter {
                $0.prefix(60).range(of: Data([0x2B, 0x0E, 0x03, 0x02, 0x1A])) != nil
            }
            #expect((70...130).contains(overSHA1.count))
            // Leaves have these four octets, and their chain, in their serial numbers.
            let leaves = receipts.map { receipt in
                let serial = receipt.range(of: Data("Mint".utf8) + Data(repeating: 0, count: 11))
                return serial.map { receipt[$0.upperBound] }
            }
            #expect(Set(leaves) == [0, 1])
        }
    }

    @Test("keeps to the shares of bad kinds, alone and together")
    func shares() async throws {
        try await withDirectory { place in
            func kinds(_ shares: String...) async throws -> [String: Int] {
                let options = ["--count", "50", "--truth", place.appending(path: "truth").path]
                let minted = try await CommandRun(Self.options + options + shares.flatMap { ["--bad", $0] })
                return Dictionary(grouping: try Truth(minted, place).rows, by: \.kind).mapValues(\.count)
            }
            #expect(try await kinds() == ["good": 50])
            #expect(try await kinds("truncated=1") == ["truncated": 50])
            #expect(try await kinds("0") == ["good": 50])
            let mixed = try await kinds("0.09", "not-base64=0.5", "tampered-payload=0")
            #expect((15...35).contains(mixed["not-base64", default: 0]))
            #expect(mixed["tampered-payload"] == nil && mixed["good", default: 0] > 0)
        }
    }

    @Test(
        "refuses options that make no sense before it writes a file",
        arguments: [
            [], ["--count", "0"], ["--count", "-1"], ["--count", "many"], ["--count", "1000000001"],
            ["--count", "1", "--seed", "x"], ["--count", "1", "--apps", "0"],
            ["--count", "1", "--chains", "0"],
            ["--count", "1", "--chains", "100001"], ["--count", "1", "--jobs", "0"],
            ["--count", "1", "--sha1", "1.5"], ["--count", "1", "--sha1", "half"],
            ["--count", "1", "--sha1", "0.1234567"], ["--count", "1", "--sha1", "."],
            ["--count", "1", "--bad", "-0.1"], ["--count", "1", "--bad", "rotten=0.1"],
            ["--count", "1", "--bad", "good=0.1"], ["--count", "1", "--bad", "truncated="],
            ["--count", "1", "--bad", "0.1", "--bad", "0.2"],
            ["--count", "1", "--bad", "truncated=0.1", "--bad", "truncated=0.1"],
            ["--count", "1", "--bad", "truncated=0.6", "--bad", "not-base64=0.6"],
            ["--count", "1", "--format", "parquet"], ["--count", "1", "--format", "directory"],
            ["--count", "1", "--out", "same", "--truth", "same"],
            ["--count", "1", "--root-out", "same", "--truth", "same"], ["--count", "1", "receipt.der"],
        ]
    )
    func nonsense(_ options: [String]) async throws {
        let run = try await CommandRun(["mint-corpus"] + options)
        #expect(
            run.status == 2 && run.output.isEmpty && run.errors.contains("mint-corpus --help"),
            "\(run.errors)"
        )
    }

    @Test("reports a directory that exists, a place that does not, and a full disk")
    func unwritable() async throws {
        try await withDirectory { place in
            let missing = place.appending(path: "missing/corpus").path
            for options in [
                ["--format", "directory", "--out", place.path], ["--out", missing], ["--truth", missing],
                ["--root-out", missing],
            ] {
                let run = try await CommandRun(Self.options + ["--count", "1"] + options)
                #expect(run.status == 3 && run.errors.contains("cannot write"), "\(run)")
            }
            #if os(Linux)
                let full = try await CommandRun(Self.options + ["--count", "1", "--out", "/dev/full"])
                #expect(full.status == 3 && full.errors.contains("cannot write"), "\(full)")
            #endif
        }
    }

    @Test("states the source of the distribution of purchases and the bad kinds in the help")
    func help() async throws {
        let help = try await CommandRun(["mint-corpus", "--help"]).text
        #expect(help.contains("28-187: 1.5%") && help.contains("fitted to 16 receipts"))
        for kind in ["tampered-payload", "foreign-root", "wrong-environment"] { #expect(help.contains(kind)) }
    }
}

/// A truth file.
private struct Truth {
    struct Row {
        let record: Int
        let kind, status, step, bundle, sum: String
    }

    let rows: [Row]

    /// Reads the file `truth` of a directory. Fails if the run that wrote it failed.
    init(_ run: CommandRun, _ place: URL) throws {
        try #require(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        let text = try String(contentsOf: place.appending(path: "truth"), encoding: .utf8)
        let lines = text.components(separatedBy: "\n")
        #expect(lines.first == "record\tkind\tstatus\tstep\tbundle\tsha256" && lines.last == "")
        rows = try lines.dropFirst().dropLast().map { line in
            let fields = line.components(separatedBy: "\t")
            try #require(fields.count == 6)
            return Row(
                record: try #require(Int(fields[0])),
                kind: fields[1],
                status: fields[2],
                step: fields[3],
                bundle: fields[4],
                sum: fields[5]
            )
        }
    }
}

private func name(ofRecord number: Int) -> String {
    String(format: "%06d/%09d.receipt", (number - 1) / 1000, number)
}

private func bytes(ofHexadecimal text: String) -> Data? {
    guard text.utf8.count % 2 == 0 else { return nil }
    var bytes = Data()
    var rest = Substring(text)
    while !rest.isEmpty {
        guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
        bytes.append(byte)
        rest = rest.dropFirst(2)
    }
    return bytes
}

/// The output of the command `openssl`.
private func opensslSHA256(of files: [String]) async throws -> [String] {
    let run = try await ProgramRun("/usr/bin/env", ["openssl", "dgst", "-sha256", "-r"] + files)
    return run.text.split(separator: "\n").map { String($0.prefix(64)) }
}
