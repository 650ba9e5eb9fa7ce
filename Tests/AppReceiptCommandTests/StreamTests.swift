import Foundation
import TestSupport
import Testing

@Suite("app-receipt and its streams")
struct StreamTests {
    private func shell(_ command: String, environment: [String: String] = [:]) async throws -> (Int32, String)
    {
        let terminal = ["PATH": "/usr/bin:/bin", "TERM": "xterm"]
        return try await CommandRun.shell(command, environment: terminal.merging(environment) { $1 })
    }

    @Test("ends with status 141 if the reader of the output leaves early")
    func closedPipe() async throws {
        // Far more than a pipe holds, so that the tool still writes when the reader is gone.
        let receipts = String(repeating: " Vectors/receipts/many-purchases.der", count: 20)
        let root = "--root Vectors/certificates/root.der --bundle-id any --environment any"
        let (_, output) = try await shell("$0 verify --json \(root)\(receipts) | head -c 8")
        #expect(output == "{\"key\":\"")
        let (_, status) = try await shell(
            "{ $0 verify --json \(root)\(receipts); echo $? >&2; } | head -c 1 >/dev/null"
        )
        #expect(status == "141\n")
    }

    @Test("reports a full disk", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() async throws {
        let (status, output) = try await shell("$0 errors >/dev/full")
        #expect(status == 3 && output == "app-receipt: cannot write: No space left on device\n")
    }

    @Test("reports that standard output or standard input is closed")
    func closedStreams() async throws {
        let output = try await shell("$0 errors >&-")
        #expect(output == (3, "app-receipt: cannot write: Bad file descriptor\n"))
        let input = try await shell("$0 verify --bundle-id any --environment any - <&-")
        #expect(input.0 == 3 && input.1.contains("Bad file descriptor"), "\(input)")
    }

    @Test("waits for streams that other programs made non-blocking")
    func nonBlocking() async throws {
        // The first program makes the pipe non-blocking, and the second one reads later.
        let makeNonBlocking =
            "import fcntl, os, sys; d = int(sys.argv[1]); "
            + "fcntl.fcntl(d, fcntl.F_SETFL, fcntl.fcntl(d, fcntl.F_GETFL) | os.O_NONBLOCK); "
            + "os.execv(sys.argv[2], sys.argv[2:])"
        let receipts = String(repeating: " Vectors/receipts/many-purchases.der", count: 5)
        let options = "--root Vectors/certificates/root.der --bundle-id any --environment any"
        let written = try await shell(
            "{ python3 -c '\(makeNonBlocking)' 1 $0 verify --json \(options)\(receipts); echo $? >&2; } "
                + "| { sleep 1; wc -l; }"
        )
        #expect(written == (0, "0\n5\n") || written == (0, "5\n0\n"), "\(written)")
        let read = try await shell(
            "{ sleep 1; cat Vectors/receipts/sandbox-sha256.der; } "
                + "| python3 -c '\(makeNonBlocking)' 0 $0 verify \(options) -"
        )
        #expect(
            read == (0, "standard input: valid\n") || read.1.hasPrefix("standard input: valid"),
            "\(read)"
        )
    }

    @Test("writes no colour to a file or a pipe")
    func noColour() async throws {
        let run = try await CommandRun([
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
    func terminal(_ environment: [String: String], _ hasColour: Bool) async throws {
        let (_, output) = try await shell("script -qec \"$0 errors\" /dev/null", environment: environment)
        #expect(output.contains("der.truncated") && output.contains("\u{1B}[") == hasColour)
    }

    @Test(
        "asks for a file if standard input is a terminal",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/script"), "there is no script(1)")
    )
    func terminalInput() async throws {
        let (status, output) = try await shell(
            "script -qec \"$0 verify --bundle-id any --environment any\" /dev/null"
        )
        #expect(status == 2 && output.contains("which file? Name one, or - for standard input"))
    }

    @Test("reads standard input without a file if it is not a terminal")
    func standardInput() async throws {
        let receipt = try vector("receipts/sandbox-sha256.der")
        let root = ["--root", "Vectors/certificates/root.der"]
        let run = try await CommandRun(["verify"] + root + CommandRun.anyReceipt, input: receipt)
        #expect(run.status == 0 && run.lines.first == "standard input: valid")
    }

    @Test("reads a file whose name is not UTF-8, and writes the bytes of the name to JSON")
    func nameOfBytes() async throws {
        try await withDirectory { directory in
            let copy =
                "cp Vectors/receipts/sandbox-sha256.der \"$(printf '\(directory.path)/\\377\"\\001')\""
            let verify =
                "$0 verify --json --root Vectors/certificates/root.der --bundle-id any --environment any "
                + "\(directory.path)/*"
            let (status, output) = try await shell("\(copy) && \(verify)")
            #expect(status == 0)
            let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
            let bytes = [UInt8](directory.path.utf8) + [0x2F, 0xFF, 0x22, 0x01]
            let digits = bytes.map { String(format: "%02x", $0) }.joined()
            #expect(object?["source"] as? String == "not UTF-8: \(digits)")
        }
    }

    @Test("escapes control characters of receipts and file names for the terminal")
    func controlCharacters() async throws {
        let run = try await CommandRun(["verify"] + CommandRun.anyReceipt + ["no\u{1B}[31m\u{202E}such"])
        #expect(run.errors.contains("no\\u{1b}[31m\\u{202e}such"), "\(run)")
    }
}
