import Foundation
import TestSupport
import Testing

/// A run of `corpus verify` that writes to a file, and is killed before its end, or not.
struct KilledRun {
    enum Moment {
        case never
        /// When the file is at least so long, and longer than it was before.
        case length(Int, SignalNumber)
    }
    enum SignalNumber: Int32 {
        case interrupt = 2
        case kill = 9
    }

    let process = Process()
    private let errorPipe = Pipe()
    private let out: URL
    private let oldLength: Int

    /// - Parameter input: what its standard input is.
    init(_ arguments: [String], out: URL, input: Any = FileHandle.nullDevice) throws {
        self.out = out
        oldLength = Self.length(out)
        process.executableURL = CommandRun.executable
        process.arguments =
            ["corpus", "verify"] + Corpus.root + ["--out", out.path, "--checkpoint-every", "0"] + arguments
        process.currentDirectoryURL = SharedData.packageRoot
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errorPipe
        try process.run()
    }

    /// Its exit status, or the signal that ended it, below zero; and what it said.
    func end(_ moment: Moment = .never) throws -> (status: Int32, errors: String) {
        if case .length(let length, let signal) = moment {
            while process.isRunning, Self.length(out) < max(length, oldLength + 1) { usleep(1000) }
            kill(process.processIdentifier, signal.rawValue)
        }
        // Less than a pipe holds.
        process.waitUntilExit()
        let errors = String(
            decoding: try errorPipe.fileHandleForReading.readToEnd() ?? Data(),
            as: UTF8.self
        )
        let status = process.terminationStatus
        return (process.terminationReason == .exit ? status : -status, errors)
    }

    /// Below zero where it is not there: not long enough even for a length of 0.
    private static func length(_ out: URL) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: out.path)
        return attributes?[.size] as? Int ?? -1
    }
}
