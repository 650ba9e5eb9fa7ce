import Foundation
import ReceiptGuard
import TestSupport
import Testing

@Suite("The program receipt-guard-tool")
struct GuardToolTests {
    static let executable: URL = {
        #if os(macOS)
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
            return bundle.bundleURL.deletingLastPathComponent().appending(path: "receipt-guard-tool")
        #else
            return Bundle.main.bundleURL.appending(path: "receipt-guard-tool")
        #endif
    }()

    static func run(_ arguments: String...) async throws -> ProgramRun {
        try await ProgramRun(executable.path, arguments)
    }

    @Test("writes the code of a seed, and other code without a seed")
    func seeds() async throws {
        let expectations = GuardExpectations(bundleIdentifier: "com.example.app")
        let expected = GuardSource.text(expectations, function: "guardedReceipt", seed: 7)
        #expect(try await Self.run("--bundle-id", "com.example.app", "--seed", "7").text == expected)
        let one = try await Self.run("--bundle-id", "com.example.app").text
        let other = try await Self.run("--bundle-id", "com.example.app").text
        #expect(one != other && one != expected)
    }

    @Test("overwrites its own file, and no other file")
    func overwriting() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "Guard.swift")
            func write() async throws -> ProgramRun {
                try await Self.run("--bundle-id", "com.example.app", "--output", file.path)
            }
            #expect(try await write().status == 0)
            let first = try Data(contentsOf: file)
            #expect(try await write().status == 0)
            #expect(try Data(contentsOf: file) != first)
            let own = Data("let mine = 1\n".utf8)
            try own.write(to: file)
            let refused = try await write()
            #expect(refused.status == 3)
            #expect(refused.errors.contains("did not make it; remove it"))
            #expect(try Data(contentsOf: file) == own)
        }
    }

    @Test("leaves the date of a file that keeps its text")
    func unchanged() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "Guard.swift")
            let arguments = ["--bundle-id", "a", "--seed", "1", "--output", file.path]
            #expect(try await ProgramRun(Self.executable.path, arguments).status == 0)
            let old = Date(timeIntervalSince1970: 1_000_000_000)
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file.path)
            #expect(try await ProgramRun(Self.executable.path, arguments).status == 0)
            let date = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
            #expect(date == old)
        }
    }

    @Test("changes the stamp in each run")
    func stamp() async throws {
        try await withDirectory { directory in
            let stamp = directory.appending(path: "stamp")
            let output = directory.appending(path: "Guard.swift").path
            var found: Set<Data> = []
            for _ in 0..<3 {
                let run = try await Self.run(
                    "--bundle-id",
                    "a",
                    "--seed",
                    "1",
                    "--output",
                    output,
                    "--stamp",
                    stamp.path
                )
                #expect(run.status == 0)
                found.insert(try Data(contentsOf: stamp))
            }
            #expect(found.count == 3)
        }
    }

    @Test("ends with 2 for a wrong command line and with 3 for a wrong file, and writes to standard error")
    func failures() async throws {
        for (arguments, status) in [
            ([], 2), (["--bundle-id", "a b"], 2), (["--bundle-id", "a", "--root", "/nowhere.der"], 3),
            (["--bundle-id", "a", "--output", "/nowhere/Guard.swift"], 3), (["--options", "/nowhere"], 3),
        ] as [([String], Int32)] {
            let run = try await ProgramRun(Self.executable.path, arguments)
            #expect(run.status == status)
            #expect(run.output.isEmpty)
            #expect(run.errors.hasPrefix("receipt-guard: "))
        }
    }

    @Test("refuses a file of more than 1 MiB instead of reading its beginning")
    func largeFile() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "root.der")
            for (count, isTooLarge) in [(1 << 20, false), (1 << 20 | 1, true)] {
                try Data(count: count).write(to: file)
                let run = try await Self.run("--bundle-id", "a", "--root", file.path)
                #expect(run.status == 3 && run.output.isEmpty)
                #expect(run.errors.contains("has more than 1048576 bytes") == isTooLarge, "\(run.errors)")
            }
        }
    }

    @Test("writes no control character of a file's name")
    func printable() async throws {
        try await withDirectory { directory in
            let name = directory.appending(path: "a\u{1b}[31m.swift").path
            try Data("let mine = 1\n".utf8).write(to: URL(filePath: name))
            for arguments in [
                ["--options", "/nowhere/\u{1b}[31m"], ["--bundle-id", "a", "--root", "/nowhere/\u{1b}[31m"],
                ["--bundle-id", "a", "--output", "/nowhere/\u{1b}[31m"],
                ["--bundle-id", "a", "--output", name],
            ] {
                let run = try await ProgramRun(Self.executable.path, arguments)
                #expect(run.status == 3)
                #expect(run.errors.contains("?[31m") && !run.errors.contains("\u{1b}"), "\(run.errors)")
            }
        }
    }
}
