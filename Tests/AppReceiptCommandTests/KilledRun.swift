import Foundation
import TestSupport
import Testing

/// A run of `corpus verify` that writes to a file and may be ended by a signal.
struct KilledRun {
    enum Moment {
        case never
        /// The moment when the file has grown and has at least this length.
        case length(Int, SignalNumber)
    }
    enum SignalNumber: Int32 {
        case hangUp = 1
        case interrupt = 2
        case kill = 9
        case terminate = 15
    }

    let process = Process()
    private let errorPipe = Pipe()
    private let out: URL
    private let oldLength: Int

    /// - Parameter input: the process's standard input.
    init(_ arguments: [String], out: URL, input: Any = FileHandle.nullDevice) throws {
        self.out = out
        oldLength = Self.length(out)
        process.executableURL = CommandRun.executable
        process.arguments =
            ["corpus", "verify", "--allow-unreadable"] + Corpus.any + [
                "--out", out.path, "--checkpoint-every", "0",
            ] + arguments
        process.currentDirectoryURL = SharedData.packageRoot
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errorPipe
        try process.run()
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: the exit status, or the negative number of the signal that ended the process, and its
    ///   messages.
    func end(_ moment: Moment = .never) throws -> (status: Int32, errors: String) {
        if case .length(let length, let signal) = moment {
            while process.isRunning, Self.length(out) < max(length, oldLength + 1) { usleep(1000) }
            kill(process.processIdentifier, signal.rawValue)
        }
        // The messages fit into the pipe's buffer.
        process.waitUntilExit()
        let errors = String(
            decoding: try errorPipe.fileHandleForReading.readToEnd() ?? Data(),
            as: UTF8.self
        )
        let status = process.terminationStatus
        return (process.terminationReason == .exit ? status : -status, errors)
    }

    /// The file's length, or -1 if the file is missing.
    private static func length(_ out: URL) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: out.path)
        return attributes?[.size] as? Int ?? -1
    }
}
