import Foundation
import TestSupport
import Testing

@Suite("app-receipt and wrong command lines")
struct UsageTests {
    @Test(
        "names a wrong word on standard error, points to the help, and ends with status 2",
        arguments: [
            (["verify", "--bundle-identifier", "x", "-"], "unknown option --bundle-identifier", "verify"),
            (["verify", "--jsn"], "unknown option --jsn (did you mean --json?)", "verify"),
            (["verify", "-x"], "unknown option -x", "verify"),
            (["verify", "--bundle-id"], "--bundle-id needs a value: --bundle-id IDENTIFIER|any", "verify"),
            (["verify", "--bundle-id", "--json", "-"], "--bundle-id needs a value", "verify"),
            (["verify", "--json=yes", "-"], "--json takes no value", "verify"),
            (["verify", "--at=now", "--at=creation", "-"], "--at is given twice", "verify"),
            (["verify", "--json", "--quiet", "-"], "--json and --quiet exclude each other", "verify"),
            (
                ["verify", "--environment", "production", "-"], "--environment production is none of",
                "verify"
            ),
            (["verify", "--device-id", "0011", "-"], "--device-id 0011 is neither", "verify"),
            (
                ["verify", "--at", "yesterday", "-"],
                "--at yesterday is no date; write for example 2023-02-22T14:30:15Z", "verify"
            ),
            (["verify", "--now", "2023-02-30", "-"], "--now 2023-02-30 is no date", "verify"),
            (
                ["verify", "--root", "Package.swift", "-"],
                "--root Package.swift is not a certificate in DER or PEM (der.", "verify"
            ),
            (
                ["verify", "--root", "Vectors/keys/leaf.pem", "-"],
                "--root Vectors/keys/leaf.pem is not a certificate in DER or PEM", "verify"
            ),
            (["verify", "--root", "abcd", "-"], "--root abcd is neither a file that can be read", "verify"),
            (
                ["inspect", "--root", String(repeating: "0", count: 63), "-"],
                "--root \(String(repeating: "0", count: 63)) is neither a file that can be read nor a "
                    + "SHA-256 fingerprint of 64 hexadecimal digits", "inspect"
            ),
            (["verify", "--root", "AB:CD", "-"], "--root AB:CD is neither", "verify"),
            (
                ["verify", "--bundle-id", "", "-"], "--bundle-id is empty: --bundle-id IDENTIFIER|any",
                "verify"
            ),
            (["verify", "--bundle-id=", "-"], "--bundle-id is empty", "verify"),
            (["inspect", "--app-version", "", "-"], "--app-version is empty", "inspect"),
            (["mint", "--bundle-id", ""], "--bundle-id is empty", "mint"),
            (["mint", "--product", ""], "--product is empty", "mint"),
            (["mint", "--subscription", "=2030-01-01"], "--subscription =2030-01-01 is not", "mint"),
            (
                ["verify", "--bundle-id", "any", "--bundle-id", "a", "--environment", "any", "-"],
                "--bundle-id any accepts everything; leave out the other values of --bundle-id", "verify"
            ),
            (
                ["verify", "--environment", "any", "--environment", "Xcode", "-"],
                "--environment any accepts everything; leave out", "verify"
            ),
            (
                ["verify", "--without-markers", "-"],
                "--without-markers is for a private PKI: add --root FILE",
                "verify"
            ),
            (
                [
                    "verify", "--xcode-testing", "--root", "Vectors/certificates/root.der",
                    "--without-markers",
                ],
                "--xcode-testing asks for no markers; leave out --without-markers", "verify"
            ),
            (
                ["verify", "--xcode-testing", "--environment", "Production", "-"],
                "--xcode-testing accepts one environment; write --environment Xcode", "verify"
            ),
            (["inspect", "a", "b"], "one operand too many: b; leave it out", "inspect"),
            (["inspect", "--quiet", "-"], "unknown option --quiet", "inspect"),
            (["asn1", "--dep", "-"], "unknown option --dep (did you mean --deep?)", "asn1"),
            (
                ["answer", "--production", "--ocsp", "x"],
                "unknown option --ocsp (leave it out: it is about evidence of revocation, and this command "
                    + "accepts none); see", "answer"
            ),
            (
                ["answer", "--sandbox", "--kind=transaction"],
                "unknown option --kind (leave it out: it is about kinds of tokens, and this command accepts "
                    + "none); see", "answer"
            ),
            (["errors", "x"], "one operand too many: x", "errors"),
        ]
    )
    func usage(_ arguments: [String], _ message: String, _ command: String) async throws {
        let run = try await CommandRun(arguments)
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(run.errors.hasPrefix("app-receipt: \(message)"), "\(run)")
        #expect(run.errors.hasSuffix("; see app-receipt \(command) --help\n"), "\(run)")
    }

    @Test(
        "refuses a command line that does not say which app and environment it accepts",
        arguments: [
            (["verify", "-"], "--bundle-id com.example.app --environment Production (any accepts all)"),
            (["verify", "--environment", "any", "-"], "--bundle-id com.example.app (any accepts all)"),
            (["verify", "--bundle-id", "any", "-"], "--environment Production (any accepts all)"),
            (
                ["corpus", "verify", "-"],
                "--bundle-id com.example.app --environment Production (any accepts all, and --bundle-id-field "
                    + "and --environment-field read them from each record)"
            ),
            (
                ["corpus", "verify", "--bundle-id-field", "2", "-"],
                "--environment Production (any accepts all, and --environment-field reads it from each record)"
            ),
            (
                ["corpus", "verify", "--environment-field", "2", "-"],
                "--bundle-id com.example.app (any accepts all, and --bundle-id-field reads it from each record)"
            ),
        ]
    )
    func expectations(_ arguments: [String], _ example: String) async throws {
        let run = try await CommandRun(arguments)
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(
            run.errors.hasPrefix("app-receipt: say which receipts to accept: add for example \(example)"),
            "\(run)"
        )
    }

    @Test(
        "proposes the name that a misspelt environment resembles",
        arguments: [
            ("sandbox", "Sandbox"), ("ocalTesting", "LocalTesting"), ("production", "Production"),
            ("Prodcution", "Production"), ("XCODE", "Xcode"), ("VPPSandbox", "ProductionVPPSandbox"),
            ("staging", nil), ("n", nil),
        ]
    )
    func environment(_ word: String, _ name: String?) async throws {
        let run = try await CommandRun(["verify", "--environment", word, "-"])
        #expect(run.status == 2 && run.errors.hasPrefix("app-receipt: --environment \(word) is none of "))
        if let name {
            #expect(run.errors.contains(" (did you mean \(name)?)"), "\(run)")
        } else {
            #expect(!run.errors.contains("did you mean"), "\(run)")
        }
    }

    @Test("proposes the sandbox of receipts where no token is judged", arguments: ["Sandbox", "sandbox"])
    func sandbox(_ word: String) async throws {
        let run = try await CommandRun(["corpus", "verify", "--environment", word, "-"])
        #expect(run.status == 2 && run.errors.contains(" (did you mean ProductionSandbox?)"), "\(run)")
    }

    @Test(
        "reports a missing or unknown command",
        arguments: [
            ([], "which command?"), (["corpus"], "which command? Name one of corpus verify"),
            (["verfy"], "unknown command verfy (did you mean verify?)"),
            (["help", "verfy"], "unknown command verfy (did you mean verify?)"),
        ]
    )
    func command(_ arguments: [String], _ message: String) async throws {
        let run = try await CommandRun(arguments)
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(run.errors.hasPrefix("app-receipt: \(message)"), "\(run)")
        #expect(run.errors.contains("app-receipt --help"))
    }

    @Test(
        "shows examples first in the help of each command",
        arguments: ["verify", "inspect", "asn1", "mint", "mint-corpus", "errors"]
    )
    func help(_ command: String) async throws {
        let run = try await CommandRun([command, "--help"])
        #expect(run.status == 0 && run.errors.isEmpty)
        let example = try #require(run.text.range(of: "  app-receipt \(command)"))
        let usage = try #require(run.text.range(of: "usage: app-receipt \(command)"))
        #expect(example.lowerBound < usage.lowerBound)
        #expect(run.text.contains("--help\n") && run.text.contains("--version\n"))
        #expect(try await CommandRun([command, "-h"]).text == run.text)
        #expect(try await CommandRun(["help", command]).text == run.text)
        #expect(try await CommandRun(["--help"]).text.contains("\n  \(command)"))
    }

    @Test(
        "gives environment and bundle identifier in every example of a command that requires them",
        arguments: [["verify"], ["corpus", "verify"]]
    )
    func examples(_ command: [String]) async throws {
        let help = try await CommandRun(command + ["--help"])
        let examples = help.lines.prefix { !$0.hasPrefix("usage: ") }
            .filter { $0.hasPrefix("  ") && $0.contains("app-receipt \(command.joined(separator: " ")) ") }
        #expect(examples.count >= 4)
        for example in examples {
            #expect(example.contains(" --bundle-id") && example.contains(" --environment "), "\(example)")
        }
    }

    @Test("shows the help of all commands of a group", arguments: ["--help", "-h"])
    func groupHelp(_ option: String) async throws {
        let whole = try await CommandRun(["corpus", "verify", "--help"])
        let group = try await CommandRun(["corpus", option])
        #expect(group.status == 0 && group.text == whole.text && group.errors.isEmpty)
        #expect(try await CommandRun(["help", "corpus"]).text == whole.text)
        #expect(try await CommandRun(["help", "corpus", "verify"]).text == whole.text)
    }

    @Test(
        "shows the version, the instruction sets in use, and that a plain build records no commit",
        arguments: [["--version"], ["verify", "--version"]]
    )
    func version(_ arguments: [String]) async throws {
        let run = try await CommandRun(arguments)
        let version =
            /app-receipt \d+\.\d+\.\d+\nSHA, RSA-2048, base64: (.+)\nbuilt by .+ commit, .+ are not recorded\n/
        let used = run.text.wholeMatch(of: version)?.1
        // The tests are built as the command is.
        #expect(run.status == 0 && used.map(String.init) == "\(acceleration)", "\(run)")
    }

    @Test("takes words after -- as file names")
    func endOfOptions() async throws {
        let run = try await CommandRun(["verify", "--json"] + CommandRun.anyReceipt + ["--", "--json"])
        #expect(run.status == 3)
        #expect(try run.objects().first?["source"] == .string("--json"))
    }

    @Test("reports an input that cannot be read with the system's reason")
    func unreadable() async throws {
        let missing = try await CommandRun(["verify"] + CommandRun.anyReceipt + ["no/such/file"])
        #expect(missing.status == 3 && missing.output.isEmpty)
        #expect(missing.errors == "app-receipt: cannot read no/such/file: No such file or directory\n")
        let directory = try await CommandRun(["verify", "--json"] + CommandRun.anyReceipt + ["Vectors"])
        let object = try #require(directory.objects().first)
        #expect(directory.status == 3 && object["status"] == .string("unreadable"))
        #expect(object["code"] == .string("input.cannot-read"))
        #expect(object["step"] == .string("input") && object["error"]?["offset"] == .null)
        #expect(object["error"]?["message"] == .string("cannot read Vectors: Is a directory"))
        for command in ["inspect", "asn1"] {
            let run = try await CommandRun([command, "Vectors"])
            #expect(run.status == 3 && run.output.isEmpty)
            #expect(run.errors == "app-receipt: cannot read Vectors: Is a directory\n")
        }
        let root = try await CommandRun(["verify", "--root", "nowhere.pem", "-"])
        #expect(root.status == 3)
        #expect(root.errors == "app-receipt: cannot read nowhere.pem: No such file or directory\n")
    }

    @Test(
        "reports a file without permission to read",
        .enabled(if: getuid() != 0, "the superuser reads everything")
    )
    func permission() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "locked")
            try Data([0x30, 0x00]).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
            let run = try await CommandRun(["verify"] + CommandRun.anyReceipt + [file.path])
            #expect(run.status == 3 && run.errors.hasSuffix("Permission denied\n"), "\(run)")
        }
    }

    @Test("stops reading an input that is too large for a receipt")
    func tooLarge() async throws {
        let run = try await CommandRun(["verify", "--json"] + CommandRun.anyReceipt + ["/dev/zero"])
        let object = try #require(run.objects().first)
        #expect(run.status == 1 && object["status"] == .string("unsupported"))
        #expect(object["code"] == .string("der.input-too-large"))
    }
}
