import Foundation
import TestSupport

/// The `openssl` command, which gives a second opinion on everything that the mint makes.
enum OpenSSL {
    /// The path of the command; nil if it is not installed.
    private static let executable: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "openssl") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    /// Whether tests that need the command should run. If the environment variable `CI` is set, they run
    /// nevertheless, and fail without the command.
    static let isExpected = executable != nil || ProcessInfo.processInfo.environment["CI"] != nil

    /// The result of a run.
    struct Outcome {
        let status: Int32
        /// The text on standard output and standard error.
        let text: String
        /// The contents of the file `output`; empty if the command did not write it.
        let output: [UInt8]
    }

    /// Runs the command in a new directory that contains these files.
    static func run(_ arguments: String, files: [String: [UInt8]]) async throws -> Outcome {
        guard let executable else { throw CocoaError(.executableNotLoadable) }
        return try await withDirectory { directory in
            for (name, bytes) in files { try Data(bytes).write(to: directory.appending(path: name)) }
            let run = try await ProgramRun(
                executable.path,
                arguments.split(separator: " ").map(String.init),
                directory: directory,
                joinsErrors: true
            )
            let output = (try? Data(contentsOf: directory.appending(path: "output"))) ?? Data()
            return Outcome(status: run.status, text: run.text, output: [UInt8](output))
        }
    }

    /// Encodes a certificate as text (RFC 7468).
    static func pem(_ der: [UInt8]) -> [UInt8] {
        let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return [UInt8]("-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n".utf8)
    }

    /// Verifies a message under a root at 2024-06-01T12:00:00Z, and writes its content to `output`.
    ///
    /// Every purpose is allowed, because a receipt's signer is not a certificate for mail. Every hash is
    /// allowed, because Apple used SHA-1 for a long time.
    static func verify(_ message: [UInt8], root: [UInt8]) async throws -> Outcome {
        try await run(
            "cms -verify -binary -inform DER -in message -CAfile root -purpose any -auth_level 0"
                + " -attime 1717243200 -out output",
            files: ["message": message, "root": pem(root)]
        )
    }
}
