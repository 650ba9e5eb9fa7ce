import Foundation
import TestSupport
import Testing

@Suite("app-receipt at the keyboard")
struct UsageTests {
    @Test(
        "what makes no sense is named on standard error, with the help to ask, and exit status 2",
        arguments: [
            (["verify", "--bundle-identifier", "x", "-"], "unknown option --bundle-identifier", "verify"),
            (["verify", "--jsn"], "unknown option --jsn (did you mean --json?)", "verify"),
            (["verify", "-x"], "unknown option -x", "verify"),
            (["verify", "--bundle-id"], "--bundle-id needs a value: --bundle-id IDENTIFIER", "verify"),
            (["verify", "--bundle-id", "--json", "-"], "--bundle-id needs a value", "verify"),
            (["verify", "--json=yes", "-"], "--json takes no value", "verify"),
            (["verify", "--at=now", "--at=creation", "-"], "--at is given twice", "verify"),
            (["verify", "--json", "--quiet", "-"], "--json and --quiet exclude each other", "verify"),
            (
                ["verify", "--environment", "production", "-"], "--environment production is none of",
                "verify"
            ),
            (["verify", "--device-id", "0011", "-"], "--device-id 0011 is neither", "verify"),
            (["verify", "--at", "yesterday", "-"], "--at yesterday is no date", "verify"),
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
            (["verify", "--bundle-id", "", "-"], "--bundle-id is empty: --bundle-id IDENTIFIER", "verify"),
            (["verify", "--bundle-id=", "-"], "--bundle-id is empty", "verify"),
            (["inspect", "--app-version", "", "-"], "--app-version is empty", "inspect"),
            (["mint", "--bundle-id", ""], "--bundle-id is empty", "mint"),
            (["mint", "--product", ""], "--product is empty", "mint"),
            (["mint", "--subscription", "=2030-01-01"], "--subscription =2030-01-01 is not", "mint"),
            (["inspect", "a", "b"], "one too many: b", "inspect"),
            (["inspect", "--json", "-"], "unknown option --json", "inspect"),
            (["asn1", "--dep", "-"], "unknown option --dep (did you mean --deep?)", "asn1"),
            (["errors", "x"], "one too many: x", "errors"),
        ]
    )
    func usage(_ arguments: [String], _ message: String, _ command: String) throws {
        let run = try CommandRun(arguments)
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(run.errors.hasPrefix("app-receipt: \(message)"), "\(run)")
        #expect(run.errors.hasSuffix("; see app-receipt \(command) --help\n"), "\(run)")
    }

    @Test(
        "an environment that is nearly one of the names gets that name as advice, another none",
        arguments: [
            ("Sandbox", "ProductionSandbox"), ("sandbox", "ProductionSandbox"), ("production", "Production"),
            ("Prodcution", "Production"), ("XCODE", "Xcode"), ("VPPSandbox", "ProductionVPPSandbox"),
            ("staging", nil), ("n", nil),
        ]
    )
    func environment(_ word: String, _ name: String?) throws {
        let run = try CommandRun(["verify", "--environment", word, "-"])
        #expect(run.status == 2 && run.errors.hasPrefix("app-receipt: --environment \(word) is none of "))
        if let name {
            #expect(run.errors.contains(" (did you mean \(name)?)"), "\(run)")
        } else {
            #expect(!run.errors.contains("did you mean"), "\(run)")
        }
    }

    @Test(
        "an unknown command, or none, is said",
        arguments: [
            ([], "which command?"), (["corpus"], "which command? One of corpus verify"),
            (["verfy"], "unknown command verfy (did you mean verify?)"),
            (["help", "verfy"], "unknown command verfy (did you mean verify?)"),
        ]
    )
    func command(_ arguments: [String], _ message: String) throws {
        let run = try CommandRun(arguments)
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(run.errors.hasPrefix("app-receipt: \(message)"), "\(run)")
        #expect(run.errors.contains("app-receipt --help"))
    }

    @Test(
        "each command has a help with its examples first",
        arguments: ["verify", "inspect", "asn1", "mint", "mint-corpus", "errors"]
    )
    func help(_ command: String) throws {
        let run = try CommandRun([command, "--help"])
        #expect(run.status == 0 && run.errors.isEmpty)
        let example = try #require(run.text.range(of: "  app-receipt \(command)"))
        let usage = try #require(run.text.range(of: "usage: app-receipt \(command)"))
        #expect(example.lowerBound < usage.lowerBound)
        #expect(run.text.contains("--help\n") && run.text.contains("--version\n"))
        #expect(try CommandRun([command, "-h"]).text == run.text)
        #expect(try CommandRun(["help", command]).text == run.text)
        #expect(try CommandRun(["--help"]).text.contains("\n  \(command)"))
    }

    @Test("the help of a group is that of what is in it", arguments: ["--help", "-h"])
    func groupHelp(_ option: String) throws {
        let whole = try CommandRun(["corpus", "verify", "--help"])
        let group = try CommandRun(["corpus", option])
        #expect(group.status == 0 && group.text == whole.text && group.errors.isEmpty)
        #expect(try CommandRun(["help", "corpus"]).text == whole.text)
        #expect(try CommandRun(["help", "corpus", "verify"]).text == whole.text)
    }

    @Test(
        "the version is told everywhere, and what hashes",
        arguments: [["--version"], ["verify", "--version"]]
    )
    func version(_ arguments: [String]) throws {
        let run = try CommandRun(arguments)
        let version = /app-receipt \d+\.\d+\.\d+\nSHA, RSA-2048, base64: (.+)\n/
        let used = run.text.wholeMatch(of: version)?.1
        // The tests are built as the command is.
        #expect(run.status == 0 && used.map(String.init) == "\(acceleration)", "\(run)")
    }

    @Test("after -- a file may be named like an option")
    func endOfOptions() throws {
        let run = try CommandRun(["verify", "--json", "--", "--json"])
        #expect(run.status == 3)
        #expect(try run.objects().first?["file"] == .string("--json"))
    }

    @Test("what cannot be read is named with the system's reason, and is unreadable")
    func unreadable() throws {
        let missing = try CommandRun(["verify", "no/such/file"])
        #expect(missing.status == 3 && missing.output.isEmpty)
        #expect(missing.errors == "app-receipt: cannot read no/such/file: No such file or directory\n")
        let directory = try CommandRun(["verify", "--json", "Vectors"])
        let object = try #require(directory.objects().first)
        #expect(directory.status == 3 && object["status"] == .string("unreadable"))
        #expect(object["error"]?["code"] == .string("input.cannot-read"))
        #expect(object["error"]?["step"] == .string("input") && object["error"]?["offset"] == .null)
        #expect(object["error"]?["message"] == .string("cannot read Vectors: Is a directory"))
        for command in ["inspect", "asn1"] {
            let run = try CommandRun([command, "Vectors"])
            #expect(run.status == 3 && run.output.isEmpty)
            #expect(run.errors == "app-receipt: cannot read Vectors: Is a directory\n")
        }
        let root = try CommandRun(["verify", "--root", "nowhere.pem", "-"])
        #expect(root.status == 3)
        #expect(root.errors == "app-receipt: cannot read nowhere.pem: No such file or directory\n")
    }

    @Test(
        "a file that may not be read says so",
        .enabled(if: getuid() != 0, "the superuser reads everything")
    )
    func permission() throws {
        try withDirectory { directory in
            let file = directory.appending(path: "locked")
            try Data([0x30, 0x00]).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
            let run = try CommandRun(["verify", file.path])
            #expect(run.status == 3 && run.errors.hasSuffix("Permission denied\n"), "\(run)")
        }
    }

    @Test("more than could be a receipt is unsupported, and is not read to its end")
    func tooLarge() throws {
        let run = try CommandRun(["verify", "--json", "/dev/zero"])
        let object = try #require(run.objects().first)
        #expect(run.status == 1 && object["status"] == .string("unsupported"))
        #expect(object["error"]?["code"] == .string("der.input-too-large"))
    }
}
