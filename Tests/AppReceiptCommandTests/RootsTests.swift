import Foundation
import TestSupport
import Testing

@Suite("app-receipt roots")
struct RootsTests {
    private static let roots = [
        "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
        "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
        "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
    ]

    private static func list(_ options: [String] = []) async throws -> [[String: JSONValue]] {
        try await CommandRun(["roots", "--json"] + options).objects()
    }

    @Test("lists the pinned roots, the built-in intermediates and the signers seen, each once")
    func list() async throws {
        let objects = try await Self.list()
        let fingerprints = objects.compactMap { $0["sha256"]?.string }
        #expect(Set(fingerprints).count == objects.count && objects.count >= 19)
        func listed(_ role: String) -> [[String: JSONValue]] { objects.filter { $0["role"]?.string == role } }
        #expect(Set(listed("root").compactMap { $0["sha256"]?.string }) == Set(Self.roots))
        #expect(listed("test-root").count == 1 && listed("intermediate").count >= 6)
        #expect(listed("signer").count >= 9)
        #expect(objects.count { $0["built_in"] == .bool(true) } >= 6)
        for object in objects {
            let dates = ["not_before", "not_after"].compactMap { object[$0]?.string }
            #expect(dates.count == 2 && dates[0] < dates[1] && object["subject"]?.string?.isEmpty == false)
        }
        let text = try await CommandRun(["roots"])
        #expect(text.status == 0)
        for fingerprint in fingerprints { #expect(text.text.contains("SHA-256 \(fingerprint)")) }
    }

    @Test(
        "lists every certificate of the genuine receipts with its names and dates",
        .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
    )
    func genuine() async throws {
        let listed = try await Self.list()
        var count = 0
        for (folder, suffix) in [("receipts", ".der"), ("transaction-receipts", ".plist")] {
            for file in try SharedData.files(in: folder, suffix: suffix) {
                let input = try SharedData.bytes("\(folder)/\(file)")
                let objects = try await CommandRun(["inspect", "--json", "-"], input: input).objects()
                guard case .array(let certificates)? = objects.first?["certificates"] else { continue }
                for case .object(let certificate) in certificates {
                    let known = listed.first { $0["sha256"] == certificate["sha256"] }
                    count += 1
                    #expect(known != nil, "\(file): \(certificate)")
                    for member in ["subject", "not_before", "not_after"] {
                        #expect(known?[member] == certificate[member], "\(file): \(member)")
                    }
                }
            }
        }
        #expect(count > 40)
    }

    @Test(
        "the state of a certificate is that of the present",
        arguments: [
            ("2005-01-01", ["not-yet-valid": 3]), ("2026-11-25", ["valid": 3]),
            ("2035-02-09T21:40:36.999Z", ["valid": 3]), ("2035-02-09T21:40:37Z", ["ended": 1, "valid": 2]),
        ]
    )
    func states(_ now: String, _ states: [String: Int]) async throws {
        let roots = try await Self.list(["--now", now]).filter { $0["role"] == .string("root") }
        let found = Dictionary(grouping: roots) { $0["state"]?.string ?? "" }.mapValues(\.count)
        #expect(found == states)
    }

    @Test(
        "warns of what new receipts need and ends within the time, with status 1",
        arguments: [
            // The last known signer has ended. Its successor comes with the receipts.
            ("2026-11-25", "180d", []), ("2026-05-01", "180d", ["2026-08-23T14:50:02Z"]),
            // The last second of a validity counts to its end.
            ("2026-08-23T14:50:02.999Z", "0d", []), ("2026-08-23T14:50:03Z", "1d", []),
            ("2026-08-23T14:50:02.999Z", "1d", ["2026-08-23T14:50:02Z"]),
            ("2030-12-10T00:00:00.999Z", "0d", []),
            ("2026-02-20", "180d", []), ("2030-06-01", "180d", []),
            ("2030-06-14", "180d", ["2030-12-10T00:00:00Z"]),
            // Nothing replaces an intermediate that has ended.
            ("2031-01-01", "0d", ["2030-12-10T00:00:00Z"]),
            ("2035-01-01", "60d", ["2035-02-09T21:40:36Z", "2030-12-10T00:00:00Z"]),
        ]
    )
    func warnings(_ now: String, _ within: String, _ ends: [String]) async throws {
        let run = try await CommandRun(["roots", "--now", now, "--within", within])
        #expect(run.status == (ends.isEmpty ? 0 : 1), "\(run)")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == ends.count, "\(run.errors)")
        for (line, end) in zip(lines, ends) { #expect(line.contains(" at \(end) (SHA-256 "), "\(line)") }
        let quiet = try await CommandRun(["roots", "--now", now])
        #expect(quiet.status == 0 && quiet.errors.isEmpty && quiet.output == run.output)
    }

    @Test(
        "refuses a time that is none",
        arguments: [
            ["--within", "180"], ["--within", "d"], ["--within", "-1d"], ["--within", "1000001d"],
            ["--within", "half a year"], ["--now", "soon"], ["x"],
        ]
    )
    func usage(_ options: [String]) async throws {
        let run = try await CommandRun(["roots"] + options)
        #expect(run.status == 2 && run.output.isEmpty && run.errors.contains("roots --help"), "\(run)")
    }
}
