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

    let process: Process
    private let ended: Task<Int32, Never>
    private let errorPipe = Pipe()
    private let out: URL
    private let oldLength: Int

    /// Runs the process to its end, or kills it at a moment. The process has to need nothing from the test.
    ///
    /// - Returns: what ``end(_:)`` returns.
    static func run(
        _ arguments: [String],
        out: URL,
        input: Any = FileHandle.nullDevice,
        until moment: Moment = .never
    ) async throws -> (status: Int32, errors: String) {
        try await ProgramTurns.shared.take {
            try await KilledRun(arguments, out: out, input: input).end(moment)
        }
    }

    /// - Parameter input: the process's standard input.
    init(_ arguments: [String], out: URL, input: Any = FileHandle.nullDevice) throws {
        self.out = out
        oldLength = Self.length(out)
        process = CommandRun.process(
            ["corpus", "verify", "--allow-unreadable"] + Corpus.any + [
                "--out", out.path, "--checkpoint-every", "0",
            ] + arguments
        )
        #if os(Linux)
            // A program started by nohup(1) ignores SIGHUP, and keeps ignoring it.
            let program = try #require(process.executableURL).path
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["--default-signal=HUP", program] + (process.arguments ?? [])
        #endif
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errorPipe
        ended = try process.start()
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: the exit status, or the negative number of the signal that ended the process, and its
    ///   messages.
    func end(_ moment: Moment = .never) async throws -> (status: Int32, errors: String) {
        if case .length(let length, let signal) = moment {
            let enough = max(length, oldLength + 1)
            // A task would look too late: it sleeps on while long tests occupy the threads of all tasks.
            try await onOwnThread { [process, out] in
                while process.isRunning, Self.length(out) < enough { usleep(1000) }
                if process.isRunning { kill(process.processIdentifier, signal.rawValue) }
            }
        }
        // The messages fit into the pipe's buffer.
        let status = await ended.value
        let errors = try errorPipe.fileHandleForReading.readToEnd() ?? Data()
        return (status, String(decoding: errors, as: UTF8.self))
    }

    /// The file's length, or -1 if the file is missing.
    private static func length(_ out: URL) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: out.path)
        return attributes?[.size] as? Int ?? -1
    }
}
