import Foundation
import TestSupport

/// The `openssl` command: a second opinion on everything that is minted.
enum OpenSSL {
    /// Where the command is; nil where it is not installed.
    private static let executable: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "openssl") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    /// Whether tests that need the command should run: under CI they do, and fail without it.
    static let isExpected = executable != nil || ProcessInfo.processInfo.environment["CI"] != nil

    struct Outcome {
        let status: Int32
        /// What it wrote to standard output and standard error.
        let text: String
        /// What it wrote to the file `output`; empty if nothing.
        let output: [UInt8]
    }

    /// Runs the command in a directory of its own that holds these files.
    static func run(_ arguments: String, files: [String: [UInt8]]) throws -> Outcome {
        guard let executable else { throw CocoaError(.executableNotLoadable) }
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "mint-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, bytes) in files { try Data(bytes).write(to: directory.appending(path: name)) }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = executable
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = directory
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let text = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let output = (try? Data(contentsOf: directory.appending(path: "output"))) ?? Data()
        return Outcome(
            status: process.terminationStatus,
            text: String(decoding: text, as: UTF8.self),
            output: [UInt8](output)
        )
    }

    /// The textual encoding of RFC 7468.
    static func pem(_ der: [UInt8]) -> [UInt8] {
        let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return [UInt8]("-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n".utf8)
    }

    /// Verifies a message under a root at 2024-06-01T12:00:00Z, and writes its content to `output`.
    ///
    /// Any purpose will do, since a receipt's signer is not one for mail; and any hash, since Apple used
    /// SHA-1 for long.
    static func verify(_ message: [UInt8], root: [UInt8]) throws -> Outcome {
        try run(
            "cms -verify -binary -inform DER -in message -CAfile root -purpose any -auth_level 0"
                + " -attime 1717243200 -out output",
            files: ["message": message, "root": pem(root)]
        )
    }
}
