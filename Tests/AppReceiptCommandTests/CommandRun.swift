import Foundation
import TestSupport
import Testing

/// One run of the built `app-receipt`: its output and its exit status.
struct CommandRun: CustomStringConvertible {
    let status: Int32
    let output: [UInt8]
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
    var description: String { "status \(status)\n\(text)\n\(errors)" }

    /// - Parameters:
    ///   - input: the bytes of its standard input.
    ///   - environment: variables in addition to `TERM`.
    init(_ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.currentDirectoryURL = SharedData.packageRoot
        process.environment = ["TERM": "xterm"].merging(environment) { $1 }
        // The outputs are files, because a full pipe would keep the process waiting.
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func file(_ name: String, _ bytes: [UInt8]) throws -> FileHandle {
            let url = directory.appending(path: name)
            try Data(bytes).write(to: url)
            return try FileHandle(forUpdating: url)
        }
        process.standardInput = try file("input", input)
        process.standardOutput = try file("output", [])
        process.standardError = try file("errors", [])
        try process.run()
        process.waitUntilExit()
        status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        output = [UInt8](try Data(contentsOf: directory.appending(path: "output")))
        errors = String(
            decoding: try Data(contentsOf: directory.appending(path: "errors")),
            as: UTF8.self
        )
    }

    /// The options with which `verify` and `corpus verify` accept every app and environment.
    static let anyReceipt = ["--bundle-id", "any", "--environment", "any"]

    /// The executable, which the package builds beside the tests.
    static let executable: URL = {
        #if os(macOS)
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
            return bundle.bundleURL.deletingLastPathComponent().appending(path: "app-receipt")
        #else
            return Bundle.main.bundleURL.appending(path: "app-receipt")
        #endif
    }()

    /// The objects of `--json`, one for each line, read by Foundation's decoder.
    func objects() throws -> [[String: JSONValue]] {
        #expect(output.last.map { $0 == UInt8(ascii: "\n") } ?? true, "the last line is not ended")
        return try lines.dropLast().map { line in
            guard case .object(let object) = try JSONValue.parse([UInt8](line.utf8)) else {
                throw CocoaError(.fileReadCorruptFile)
            }
            return object
        }
    }
}

/// Makes a directory for the files of one test, and removes it afterwards.
func withDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try body(directory)
}
