import Foundation
import TestSupport
import Testing

@Suite("app-receipt and its streams")
struct StreamTests {
    /// A shell command in which `$0` is the tool.
    private func shell(_ command: String, environment: [String: String] = [:]) throws -> (Int32, String) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command, CommandRun.executable.path]
        process.currentDirectoryURL = SharedData.packageRoot
        process.environment = ["PATH": "/usr/bin:/bin", "TERM": "xterm"].merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test("ends with status 141 if the reader of the output leaves early")
    func closedPipe() throws {
        // Far more than a pipe holds, so that the tool still writes when the reader is gone.
        let receipts = String(repeating: " Vectors/receipts/many-purchases.der", count: 20)
        let root = "--root Vectors/certificates/root.der --bundle-id any --environment any"
        let (_, output) = try shell("$0 verify --json \(root)\(receipts) | head -c 8")
        #expect(output == "{\"key\":\"")
        let (_, status) = try shell(
            "{ $0 verify --json \(root)\(receipts); echo $? >&2; } | head -c 1 >/dev/null"
        )
        #expect(status == "141\n")
    }

    @Test("reports a full disk", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() throws {
        let (status, output) = try shell("$0 errors >/dev/full")
        #expect(status == 3 && output == "app-receipt: cannot write: No space left on device\n")
    }

    @Test("writes no colour to a file or a pipe")
    func noColour() throws {
        let run = try CommandRun([
            "inspect", "--root=Vectors/certificates/root.der", "Vectors/receipts/vpp.der",
        ])
        #expect(run.status == 0 && !run.output.contains(0x1B))
    }

    @Test(
        "colours a terminal, unless NO_COLOR or a dumb terminal forbids it",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/script"), "there is no script(1)"),
        arguments: [
            ([:], true), (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false),
        ]
    )
    func terminal(_ environment: [String: String], _ hasColour: Bool) throws {
        let (_, output) = try shell("script -qec \"$0 errors\" /dev/null", environment: environment)
        #expect(output.contains("der.truncated") && output.contains("\u{1B}[") == hasColour)
    }

    @Test(
        "asks for a file if standard input is a terminal",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/script"), "there is no script(1)")
    )
    func terminalInput() throws {
        let (status, output) = try shell(
            "script -qec \"$0 verify --bundle-id any --environment any\" /dev/null"
        )
        #expect(status == 2 && output.contains("which file? Name one, or - for standard input"))
    }

    @Test("reads standard input without a file if it is not a terminal")
    func standardInput() throws {
        let receipt = try vector("receipts/sandbox-sha256.der")
        let root = ["--root", "Vectors/certificates/root.der"]
        let run = try CommandRun(["verify"] + root + CommandRun.anyReceipt, input: receipt)
        #expect(run.status == 0 && run.lines.first == "standard input: valid")
    }

    @Test("reads a file whose name is not UTF-8, and writes the bytes of the name to JSON")
    func nameOfBytes() throws {
        try withDirectory { directory in
            let copy =
                "cp Vectors/receipts/sandbox-sha256.der \"$(printf '\(directory.path)/\\377\"\\001')\""
            let verify =
                "$0 verify --json --root Vectors/certificates/root.der --bundle-id any --environment any "
                + "\(directory.path)/*"
            let (status, output) = try shell("\(copy) && \(verify)")
            #expect(status == 0)
            let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
            let bytes = [UInt8](directory.path.utf8) + [0x2F, 0xFF, 0x22, 0x01]
            let digits = bytes.map { String(format: "%02x", $0) }.joined()
            #expect(object?["source"] as? String == "not UTF-8: \(digits)")
        }
    }

    @Test("escapes control characters of receipts and file names for the terminal")
    func controlCharacters() throws {
        let run = try CommandRun(["verify"] + CommandRun.anyReceipt + ["no\u{1B}[31m\u{202E}such"])
        #expect(run.errors.contains("no\\u{1b}[31m\\u{202e}such"), "\(run)")
    }
}
