import AppReceipt
import Foundation
import ReceiptGuard
import TestSupport
import Testing

@Suite("The command line of receipt-guard")
struct GuardRequestTests {
    /// The files that the tests name.
    static func read(_ name: String) throws(GuardFailure) -> [UInt8] {
        switch name {
        case "App/options":
            return [UInt8](
                """
                # What the app expects
                --bundle-id com.example.app\r
                \t--app-version   42  \n
                --root root.der
                --root /pinned.der
                """.utf8
            )
        case "nested": return [UInt8]("--options other".utf8)
        case "output": return [UInt8]("--output /etc/passwd".utf8)
        case "itself": return [UInt8]("--options=itself --seed=7".utf8)
        case "two": return [UInt8]("--seed=7 --function=judge".utf8)
        case "flag": return [UInt8]("--seed".utf8)
        case "word": return [UInt8]("com.example.app".utf8)
        case "large": return [UInt8](repeating: 0x23, count: 1 << 17)
        case "zeros": return [UInt8](repeating: 0, count: 100)
        case "text": return [UInt8]("-----BEGIN CERTIFICATE-----".utf8)
        default: throw .file("cannot read \(name)")
        }
    }

    static func request(_ line: String) throws(GuardFailure) -> GuardRequest {
        try GuardRequest(
            line.split(separator: " ", omittingEmptySubsequences: false).map(String.init),
            reading: read
        )
    }

    @Test("understands every option")
    func options() throws {
        let digits = String(repeating: "0a", count: 32)
        let request = try Self.request(
            "--bundle-id com.example.app --app-version=1.0(7) --environment Production --environment Xcode "
                + "--root a.der --root-sha256 \(digits) --function judge --seed 18446744073709551615 --output x.swift"
        )
        #expect(request.expectations.bundleIdentifier == "com.example.app")
        #expect(request.expectations.appVersion == "1.0(7)")
        #expect(request.expectations.environments == [.production, .xcode])
        #expect(request.rootFiles == ["a.der"])
        #expect(request.expectations.roots.map(\.description) == [digits])
        #expect(request.function == "judge")
        #expect(request.seed == .max)
        #expect(request.output == "x.swift")
    }

    @Test("needs only the bundle identifier")
    func defaults() throws {
        let request = try Self.request("--bundle-id com.example.app")
        #expect(request.expectations.appVersion == nil)
        #expect(request.expectations.roots.count == 3)
        #expect(request.function == "guardedReceipt")
        #expect(request.seed == nil && request.output == nil && request.stamp == nil)
    }

    @Test("reads options from a file, whose file names are relative to it")
    func file() throws {
        let request = try Self.request("--options App/options --seed 3")
        #expect(request.expectations.bundleIdentifier == "com.example.app")
        #expect(request.expectations.appVersion == "42")
        #expect(request.rootFiles == ["App/root.der", "/pinned.der"])
        #expect(request.expectations.roots.isEmpty)
        #expect(request.seed == 3)
    }

    @Test("takes the fingerprint of a certificate file")
    func root() throws {
        let certificate = try vector("certificates/root.der")
        var request = try Self.request("--bundle-id com.example.app --root root.der")
        try request.readRoots { _ throws(GuardFailure) in certificate }
        let expected = try TrustAnchor(certificate: certificate).fingerprint
        #expect(request.expectations.roots == [expected])
    }

    @Test(
        "refuses what it does not understand, and says how to put it right",
        arguments: [
            ("", "add --bundle-id"),
            ("--bundle-id", "needs a value"),
            ("--bundle-id=", "needs a value"),
            ("--bundle-id a/b", "com.example.app"),
            ("--bundle-id com.exämple", "com.example.app"),
            ("--bundle-id com.example.app\u{1b}[31m", "?[31m"),
            ("--bundle-id " + String(repeating: "a", count: 256), "is no bundle identifier"),
            ("--bundle-id a --app-version \u{7f}", "CFBundleVersion"),
            ("--bundle-id a --environment production", "none of Production"),
            ("--bundle-id a --environment Sandbox", "ProductionSandbox"),
            ("--bundle-id a --root-sha256 00", "64 hexadecimal digits"),
            ("--bundle-id a --root-sha256 " + String(repeating: "g", count: 64), "64 hexadecimal digits"),
            ("--bundle-id a --function 1a", "no digit at the beginning"),
            ("--bundle-id a --function guard", "no keyword"),
            ("--bundle-id a --function await", "no keyword"),
            ("--bundle-id a --function _", "no name"),
            ("--bundle-id a --function a-b", "no name"),
            ("--bundle-id a --seed -1", "whole number"),
            ("--bundle-id a --seed 18446744073709551616", "whole number"),
            ("--bundle-id a --bundle-id=a", "--bundle-id is given more than once"),
            ("--bundle-id a --app-version 1 --app-version 1", "--app-version is given more than once"),
            ("--bundle-id a --function a --function b", "--function is given more than once"),
            ("--bundle-id a --seed 1 --seed 1", "--seed is given more than once"),
            ("--bundle-id a --output a --output b", "--output is given more than once"),
            ("--bundle-id a --stamp a --stamp b", "--stamp is given more than once"),
            ("--bundle-id a --stamp a", "--stamp needs --output"),
            ("--bundle-id a --options App/options", "--bundle-id is given more than once"),
            ("--bundle-id a --sede 1", "unknown option --sede"),
            ("com.example.app", "unknown option com.example.app"),
            ("--options", "needs a value"),
            ("--options nested", "line 1"),
            ("--options output", "line 1"),
            ("--options itself", "one option and its value"),
            ("--options two", "one option and its value"),
            ("--options flag", "one option and its value"),
            ("--options word", "one option and its value"),
            ("--options zeros", "line 1"),
        ]
    )
    func wrong(_ line: String, advice: String) {
        let words = line.isEmpty ? [] : line.split(separator: " ").map(String.init)
        let failure = #expect(throws: GuardFailure.self) { try GuardRequest(words, reading: Self.read) }
        #expect(failure?.status == 2)
        #expect(failure?.message.contains(advice) == true, "\(failure?.message ?? "")")
        #expect(failure?.message.utf8.allSatisfy { $0 >= 0x20 } == true)
    }

    @Test("refuses files that it cannot use", arguments: ["--options large", "--options missing"])
    func files(_ line: String) {
        let failure = #expect(throws: GuardFailure.self) { try Self.request(line) }
        #expect(failure?.status == 3)
    }

    @Test("refuses a root that is no certificate in DER", arguments: ["text", "zeros", "missing"])
    func wrongRoot(_ name: String) throws {
        var request = try Self.request("--bundle-id com.example.app --root \(name)")
        let failure = #expect(throws: GuardFailure.self) { try request.readRoots(reading: Self.read) }
        #expect(failure?.status == 3)
    }

    @Test("shows examples before the usage, and names every exit status")
    func help() throws {
        let help = GuardHelp.text
        let example = try #require(help.range(of: "swift package --allow-writing-to-package-directory"))
        let usage = try #require(help.range(of: "usage:"))
        #expect(example.lowerBound < usage.lowerBound)
        #expect(
            help.contains("Exit status: 0") && help.contains("2 the command line")
                && help.contains("3 a file")
        )
    }
}
