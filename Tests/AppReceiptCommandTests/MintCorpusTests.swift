import Foundation
import TestSupport
import Testing

@Suite("mint-corpus, which makes receipts for tests and benchmarks")
struct MintCorpusTests {
    /// Few keys, and a seed that leads to their primes soon: in a debug build, making keys takes seconds.
    private static let options = ["--chains", "1", "--seed", "124"]

    private func mint(_ options: [String]) async throws -> CommandRun {
        try await CommandRun(["mint-corpus"] + options)
    }

    /// The records of a run that succeeds.
    private func records(_ options: [String]) async throws -> [[String: String]] {
        let run = try await mint(["--format", "ndjson"] + options)
        try #require(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return try run.text.split(separator: "\n").map { line in
            guard case .object(let object) = try JSONValue.parse([UInt8](line.utf8)) else {
                throw CocoaError(.fileReadCorruptFile)
            }
            return object.compactMapValues(\.string)
        }
    }

    @Test("makes a receipt from its number and the seed alone")
    func seeds() async throws {
        let many = try await mint(Self.options + ["--count", "140"]).text.split(separator: "\n")
        #expect(many.count == 140 && Set(many).count == 140)
        let four = try await mint(Self.options + ["--count", "4"]).text.split(separator: "\n")
        #expect(four == Array(many[..<4]))
        let others = try await mint(["--chains", "1", "--seed", "75", "--count", "4"]).text
        #expect(Set(others.split(separator: "\n")).isDisjoint(with: many))
    }

    @Test("says of each record of every kind what corpus verify finds")
    func truth() async throws {
        try await withDirectory { place in
            let (root, corpus) = (place.appending(path: "root").path, place.appending(path: "corpus").path)
            let options = ["--count", "200", "--bad", "0.7", "--root-out", root]
            let run = try await mint(Self.options + options + ["--format", "ndjson", "--out", corpus])
            #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
            let kinds = try await Dictionary(grouping: records(Self.options + options)) { $0["kind"] }
            #expect(
                Set(kinds.keys) == [
                    "good", "tampered-payload", "wrong-signature", "foreign-root", "missing-marker",
                    "expired-path", "truncated", "not-base64", "wrong-bundle", "wrong-environment",
                ]
            )
            #expect(Set(kinds["good", default: []].map { $0["status"] }) == ["valid"])
            let markers = kinds["missing-marker", default: []].map { $0["step"] }
            #expect(Set(markers) == ["leaf-marker", "intermediate-marker"])
            let verified = try await CommandRun([
                "corpus", "verify", "--root", root, "--environment", "Production", "--bundle-id-field",
                "bundle_id", "--format", "ndjson", "--keep", "status,step,sha256", corpus,
            ])
            let results = try verified.objects()
            #expect(results.count == 200)
            for result in results {
                for name in ["status", "step", "sha256"] {
                    #expect(result[name]?.string ?? "" == result["keep"]?[name]?.string, "\(result)")
                }
            }
        }
    }

    @Test("writes the same receipts as lines of base64 and of JSON")
    func formats() async throws {
        let options = Self.options + ["--count", "3", "--bad", "0.5"]
        let lines = try await mint(options).text.split(separator: "\n").map(String.init)
        #expect(try await records(options).map { $0["receipt"] } == lines)
    }

    @Test("writes the SHA-256 of each receipt")
    func sums() async throws {
        try await withDirectory { place in
            let minted = try await records(Self.options + ["--count", "20"])
            let files = try minted.enumerated().map { index, record in
                let file = place.appending(path: String(index))
                try #require(Data(base64Encoded: record["receipt"] ?? "")).write(to: file)
                return file.path
            }
            let openssl = try await ProgramRun("/usr/bin/env", ["openssl", "dgst", "-sha256", "-r"] + files)
            #expect(
                openssl.text.split(separator: "\n").map { String($0.prefix(64)) }
                    == minted.map { $0["sha256"] }
            )
        }
    }

    @Test("makes receipts as long as genuine ones, with both digests and all apps and chains")
    func distribution() async throws {
        let minted = try await records(["--seed", "92", "--count", "200", "--chains", "2"])
        let receipts = try minted.map { try #require(Data(base64Encoded: $0["receipt"] ?? "")) }
        let sizes = receipts.map(\.count)
        #expect(try #require(sizes.min()) >= 4700 && #require(sizes.max()) <= 82_000)
        #expect(try #require(sizes.max()) >= 16_000, "no long ones")
        #expect((5800...8200).contains(sizes.reduce(0, +) / sizes.count))
        #expect(Set(minted.map { $0["bundle_id"] }) == Set((1...3).map { "com.example.app\($0)" }))
        // The digest of the content: the first algorithm after the OBJECT IDENTIFIER of signedData.
        let overSHA1 = receipts.filter {
            $0.prefix(60).range(of: Data([0x2B, 0x0E, 0x03, 0x02, 0x1A])) != nil
        }
        #expect((30...70).contains(overSHA1.count))
        // Leaves have these four octets, and their chain, in their serial numbers.
        let leaves = receipts.map { receipt in
            let serial = receipt.range(of: Data("Mint".utf8) + Data(repeating: 0, count: 11))
            return serial.map { receipt[$0.upperBound] }
        }
        #expect(Set(leaves) == [0, 1])
    }

    @Test("keeps to the share of bad receipts and their kinds")
    func shares() async throws {
        func kinds(_ options: String...) async throws -> [String: Int] {
            let minted = try await records(Self.options + ["--count", "50"] + options)
            return Dictionary(grouping: minted) { $0["kind"] ?? "" }.mapValues(\.count)
        }
        #expect(try await kinds() == ["good": 50])
        #expect(try await kinds("--bad", "1", "--kinds", "truncated") == ["truncated": 50])
        let mixed = try await kinds("--bad", "0.5", "--kinds", "not-base64,wrong-bundle")
        #expect(Set(mixed.keys) == ["good", "not-base64", "wrong-bundle"])
        #expect((12...38).contains(mixed["good", default: 0]))
    }

    @Test(
        "refuses options that make no sense",
        arguments: [
            [], ["--count", "1", "--format", "hex"],
            ["--count", "0"], ["--count", "-1"], ["--count", "many"], ["--count", "1000000001"],
            ["--count", "1", "--seed", "x"], ["--count", "1", "--chains", "0"],
            ["--count", "1", "--chains", "100001"], ["--count", "1", "--bad", "1.5"],
            ["--count", "1", "--bad", "half"], ["--count", "1", "--bad", "nan"],
            ["--count", "1", "--bad", "-0.1"], ["--count", "1", "--kinds", "rotten"],
            ["--count", "1", "--kinds", "good"], ["--count", "1", "--kinds", ""],
            ["--count", "1", "--count", "1"], ["--count"], ["--count", "1", "receipt.der"],
        ]
    )
    func nonsense(_ options: [String]) async throws {
        let run = try await mint(options)
        #expect(
            run.status == 2 && run.output.isEmpty && run.errors.contains("mint-corpus --help"),
            "\(run.errors)"
        )
    }

    @Test("reports a place that does not exist, and a full disk")
    func unwritable() async throws {
        for name in ["no/such/file", "/dev/full"] {
            let run = try await mint(Self.options + ["--count", "1", "--out", name])
            #expect(run.status == 3 && run.errors.contains("cannot write"), "\(run.errors)")
        }
    }
}
