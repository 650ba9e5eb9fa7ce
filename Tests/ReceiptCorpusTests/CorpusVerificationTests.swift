import AppReceipt
import Basics
import DER
import Foundation
import ReceiptCorpus
import SignedPayloads
import TestSupport
import Testing

@Suite("The engine of corpus verify, without the command line")
struct CorpusVerificationTests {
    /// Collects messages.
    private struct Observer: CorpusObserver {
        let report: @Sendable (String) -> Void
        mutating func update(_ tally: CorpusTally, bytes: Int) {}
        mutating func report(_ message: String) { report(message) }
        mutating func finish() {}
    }

    /// A directory with a source, its results and their checkpoint.
    private struct Place {
        let directory: URL
        var source: URL { directory.appending(path: "source") }
        var out: URL { directory.appending(path: "out") }
        var checkpoint: URL { directory.appending(path: "out.checkpoint") }

        static func name(_ url: URL) -> FileName { FileName(bytes: [UInt8](url.path.utf8)) }

        func verification(
            isResuming: Bool = false,
            _ change: (inout CorpusVerification.Options) -> Void = { _ in }
        ) throws -> CorpusVerification {
            var options = CorpusVerification.Options()
            options.sources.format = .base64
            options.out = Self.name(out)
            options.isResuming = isResuming
            options.allowsUnreadable = true
            change(&options)
            return try CorpusVerification(
                [Self.name(source)],
                options,
                version: "test 1",
                settings: ["--some option"],
                present: Timestamp(millisecondsSince1970: 0)
            )
        }

        func run(
            isResuming: Bool = false,
            _ change: (inout CorpusVerification.Options) -> Void = { _ in },
            report: @escaping @Sendable (String) -> Void = { _ in }
        ) async throws -> CorpusVerification.Ending {
            let verification = try verification(isResuming: isResuming, change)
            let judge = CorpusJudge(
                policy: ReceiptPolicy(environments: .any, bundleIdentifier: .any),
                tokenPolicy: SignedPayloadPolicy(environments: .any, bundleIdentifier: .any),
                form: ResultForm(detail: .brief, rows: .records, isCSV: false, kept: [])
            )
            return try await verification.run(judge, observer: Observer(report: report))
        }
    }

    private func withPlace(
        _ lines: String = "record 1!\nrecord 2!\n\n\n\nrecord 6!\n",
        _ body: (Place) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let place = Place(directory: directory)
        try Data(lines.utf8).write(to: place.source)
        try await body(place)
    }

    private func isRefused(_ place: Place) -> Bool {
        do {
            _ = try place.verification(isResuming: true)
            return false
        } catch let failure as CorpusFailure {
            return failure.kind == .usage
        } catch {
            return false
        }
    }

    @Test("every record is counted, and a run of blank lines has one line of results")
    func run() async throws {
        try await withPlace { place in
            let ending = try await place.run()
            #expect(ending.failure == nil && !ending.isInterrupted && !ending.hasFailedSource)
            #expect(ending.tally.read == 6 && ending.tally.written == 4 && ending.tally.filtered == 2)
            #expect(ending.tally.count(ofStatus: "unreadable") == 6 && ending.tally.isSuspicious)
            let lines = try String(contentsOf: place.out, encoding: .utf8).split(separator: "\n")
            #expect(
                lines.count == 4 && lines[2].contains("\"record\":3,") && lines[3].contains("\"record\":6,")
            )
            #expect(lines[2].contains("input.empty"))
        }
    }

    @Test("the results of a second process are locked")
    func locked() async throws {
        try await withPlace { place in
            let first = try place.verification()
            // The second one waits some seconds for the lock.
            let kind = try await onOwnThread { () -> CorpusFailure.Kind? in
                do {
                    _ = try place.verification(isResuming: true)
                    return nil
                } catch let failure as CorpusFailure {
                    return failure.kind
                }
            }
            #expect(kind == .locked)
            _ = first
        }
    }

    @Test("a checkpoint with any number replaced is refused, or continued without a trap")
    func forgedNumbers() async throws {
        try await withPlace { place in
            _ = try await place.run()
            let (results, checkpoint) = (
                try Data(contentsOf: place.out), try Data(contentsOf: place.checkpoint)
            )
            let text = String(decoding: checkpoint, as: UTF8.self)
            let numbers = text.ranges(of: /:\d+/)
            #expect(numbers.count > 15)
            for (index, range) in numbers.enumerated() {
                for number in ["0", "9007199254740992"] {
                    let isComplete = index % 2 == 0 ? "true" : "false"
                    let forged = text.replacingCharacters(in: range, with: ":\(number)")
                        .replacingOccurrences(of: "\"complete\":true", with: "\"complete\":\(isComplete)")
                    try Data(forged.utf8).write(to: place.checkpoint)
                    try results.write(to: place.out)
                    _ = try? await place.run(isResuming: true)
                }
                for number in ["-1", "9007199254740993", "9223372036854775807"] {
                    let forged = text.replacingCharacters(in: range, with: ":\(number)")
                    try Data(forged.utf8).write(to: place.checkpoint)
                    #expect(isRefused(place))
                }
            }
        }
    }

    @Test(
        "a forged checkpoint is refused",
        arguments: [
            ("\"read\":6", "\"read\":7"), ("\"chain\":\"\"", "\"chain\":\"00\""),
            ("\"unreadable\":6", "\"unreadable\":7"), ("\"unreadable\":6", "\"unreadable\":9007199254740992"),
            ("\"leading_unreadable\":6", "\"leading_unreadable\":7"), ("\"length\":", "\"length\":1"),
            ("\"tail_sha256\":\"", "\"tail_sha256\":\"0"),
            ("\"nanoseconds\":", "\"nanoseconds\":9999999999999999"),
            ("\"checkpoint\":3", "\"checkpoint\":4"), ("\"closed_bytes\":", "\"closed_bytes\":9"),
            ("\"sources\":[", "\"sources\":[{},"), ("\"errors\":{", "\"errors\":{\"\\ud800\":1,"),
        ]
    )
    func forged(_ old: String, _ new: String) async throws {
        try await withPlace { place in
            _ = try await place.run()
            #expect(!isRefused(place))
            let text = try String(contentsOf: place.checkpoint, encoding: .utf8)
            #expect(text.contains(old))
            try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: place.checkpoint)
            #expect(isRefused(place))
        }
    }

    @Test("a source whose name is equivalent in Unicode is another source")
    func equivalentName() async throws {
        try await withPlace { place in
            var options = CorpusVerification.Options()
            options.sources.format = .base64
            options.out = Place.name(place.out)
            let names = ["caf\u{E9}", "cafe\u{301}"].map { place.directory.appending(path: $0) }
            for name in names { try FileManager.default.copyItem(at: place.source, to: name) }
            let present = Timestamp(millisecondsSince1970: 0)
            func verification(_ name: String) throws -> CorpusVerification {
                let path = [UInt8](place.directory.path.utf8) + [UInt8(ascii: "/")] + [UInt8](name.utf8)
                return try CorpusVerification(
                    [FileName(bytes: path)],
                    options,
                    version: "test 1",
                    settings: [],
                    present: present
                )
            }
            do {
                let judge = CorpusJudge(
                    policy: ReceiptPolicy(environments: .any, bundleIdentifier: .any),
                    tokenPolicy: SignedPayloadPolicy(environments: .any, bundleIdentifier: .any),
                    form: ResultForm(detail: .none, rows: .records, isCSV: false, kept: [])
                )
                _ = try await verification("caf\u{E9}").run(judge, observer: Observer { _ in })
            }
            options.isResuming = true
            #expect(throws: CorpusFailure.self) { try verification("cafe\u{301}") }
        }
    }

    @Test(
        "sources without any readable record are reported, with a likely cause",
        arguments: [
            (
                "{\"a\":{\"b\":1},\"c\":2}\n", CorpusFormat.ndjson,
                "the wrong field, which --field names; the fields of the first record are a, c"
            ),
            ("nonsense\n", .ndjson, "the source is not NDJSON"),
            ("x!\n", .base64, "see --field and --format"),
            ("-- PostgreSQL database dump\n", .base64, "is an SQL script"), ("zz\n", .hex, "not hexadecimal"),
            ("{\u{0}\"\u{0}a\u{0}\"\u{0}:\u{0}1\u{0}\n", .base64, "is UTF-16"),
        ]
    )
    func suspicious(_ source: String, _ format: CorpusFormat, _ cause: String) async throws {
        try await withPlace(source) { place in
            let messages = Messages()
            let ending = try await place.run { options in
                options.sources.format = format
                options.allowsUnreadable = false
            } report: {
                messages.append($0)
            }
            #expect(ending.tally.isSuspicious)
            #expect(
                messages.all.contains { $0.contains("WARNING: all") && $0.contains(cause) },
                "\(messages.all)"
            )
        }
    }

    @Test(
        "a file in a foreign format is a source that cannot be read",
        arguments: [
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz"), (Array("PGDMP\u{1}\u{e}".utf8), "pg_dump"),
            (Array("SQLite format 3\u{0}".utf8), "sqlite3"),
            ([0xFF, 0xFE, 0x7B, 0, 10, 0, 0x7B, 0], "iconv"),
            (Array("PGCOPY\n".utf8) + [0xFF, 13, 10, 0], "binary COPY"),
        ]
    )
    func foreign(_ bytes: [UInt8], _ advice: String) async throws {
        try await withPlace { place in
            try Data(bytes).write(to: place.source)
            let messages = Messages()
            let ending = try await place.run {
                $0.sources.format = nil
            } report: {
                messages.append($0)
            }
            #expect(
                ending.hasFailedSource && messages.all.contains { $0.contains(advice) },
                "\(messages.all)"
            )
        }
    }
}

/// Messages from any task.
private final class Messages: @unchecked Sendable {
    private let lock = NSLock()
    private var messages: [String] = []

    var all: [String] { lock.withLock { messages } }
    func append(_ message: String) { lock.withLock { messages.append(message) } }
}
