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
    init(_ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]) async throws {
        let run = try await ProgramRun(
            Self.executable.path,
            arguments,
            input: input,
            environment: ["TERM": "xterm"].merging(environment) { $1 }
        )
        (status, output, errors) = (run.status, run.output, run.errors)
    }

    /// Runs a shell command in which `$0` is the tool, and `$1` the first of the arguments.
    ///
    /// - Returns: the exit status, and the text on standard output and standard error.
    static func shell(
        _ command: String,
        _ arguments: [String] = [],
        environment: [String: String]? = nil
    ) async throws -> (status: Int32, text: String) {
        let run = try await ProgramRun(
            "/bin/sh",
            ["-c", command, executable.path] + arguments,
            environment: environment,
            joinsErrors: true
        )
        return (run.status, run.text)
    }

    /// A process of the tool that is not started yet.
    static func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = SharedData.packageRoot
        return process
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

extension Sequence {
    /// The results of a body that waits, one after the other.
    func mapInTurn<Result>(_ body: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
