import Foundation
import Processor
import TestSupport
import Testing

@Suite("app-receipt verify")
struct VerifyTests {
    /// The options that accept every app and environment under the root of the vectors.
    private static let anyReceipt = ["--root", "Vectors/certificates/root.der"] + CommandRun.anyReceipt

    @Test(
        "says what a refusal found and what was expected, with the names of object identifiers",
        arguments: [
            ("four-certificates.der", "found 4, expected 3"),
            (
                "leaf-critical-unknown.der",
                "found 1.2.840.113635.100.6.99.1, expected subjectKeyIdentifier (2.5.29.14) or keyUsage "
                    + "(2.5.29.15) or basicConstraints (2.5.29.19) or certificatePolicies (2.5.29.32) or "
                    + "authorityKeyIdentifier (2.5.29.35) or extendedKeyUsage (2.5.29.37) or Apple receipt "
                    + "signing marker (1.2.840.113635.100.6.11.1)"
            ),
        ]
    )
    func found(_ file: String, _ line: String) async throws {
        for command in ["verify", "inspect"] {
            let run = try await CommandRun(
                [command, "--root", "Vectors/certificates/root.der"] + CommandRun.anyReceipt
                    + ["Vectors/receipts/\(file)"]
            )
            #expect(run.lines.dropFirst(2).first == "    " + line, "\(run)")
        }
    }

    @Test(
        "refuses the name of instructions that the architecture lacks, and lists the names",
        arguments: [
            "", "SHA_NI", "sse9", "avx2,", "avx2 sha_ni",
        ]
    )
    func unknownInstructions(_ name: String) async throws {
        let options = ["--environment", "any", "--bundle-id", "any", "--without=\(name)"]
        let run = try await CommandRun(["verify"] + options + ["Vectors/receipts/sandbox-sha256.der"])
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(name.isEmpty || run.errors.contains(Acceleration.flags.joined(separator: ", ")), "\(run)")
    }

    @Test("finds the cases of the vectors")
    func casesAreThere() { #expect(VectorCase.all.count > 70) }

    @Test(
        "gives each case of the vectors its verdict, its values and its exit status",
        arguments: VectorCase.all
    )
    func verdict(_ one: VectorCase) async throws {
        let path = "Vectors/\(one.receipt)"
        let run = try await CommandRun(["verify", "--json"] + one.options + [path])
        let objects = try run.objects()
        let object = try #require(objects.first)
        #expect(objects.count == 1 && object["source"] == .string(path) && run.errors.isEmpty, "\(run)")
        let portable = try await CommandRun(["verify", "--json", "--portable"] + one.options + [path])
        #expect(portable.output == run.output && portable.status == run.status, "\(portable)")
        let older = try await CommandRun(
            ["verify", "--json", "--without", Acceleration.flags.dropLast().joined(separator: ",")]
                + one.options + [path]
        )
        #expect(older.output == run.output && older.status == run.status, "\(older)")
        #expect(JSONValue.object(object).differences(from: one.expected) == [])
        let status = try #require(object["status"]?.string)
        #expect(run.status == ["valid": 0, "unreadable": 3][status] ?? 1)
        if status == "valid" {
            #expect(object["error"] == nil)
        } else {
            #expect(object["not_checked"] == .null && object["receipt"] == nil)
            #expect(object["error"]?["message"]?.string?.isEmpty == false)
        }
    }

    @Test("lists the checks that no option asks for, in text and in JSON")
    func notChecked() async throws {
        let file = Self.anyReceipt + ["Vectors/receipts/sandbox-sha256.der"]
        let all = [
            "revocation", "environment", "bundle-identifier", "app-version", "device-hash", "expiration-date",
        ]
        let json = try await CommandRun(["verify", "--json"] + file)
        #expect(try json.objects().first?["not_checked"] == .array(all.map { .string($0) }))
        let text = try await CommandRun(["verify"] + file)
        #expect(text.text.contains("not checked: \(all.joined(separator: ", "))\n"), "\(text)")
        #expect(text.lines.first == "Vectors/receipts/sandbox-sha256.der: valid")
        let withoutMarkers = try await CommandRun(["verify", "--json", "--without-markers"] + file)
        #expect(
            try withoutMarkers.objects().first?["not_checked"]?.elements.prefix(3)
                == [.string("revocation"), .string("intermediate-marker"), .string("leaf-marker")]
        )
    }

    @Test("refuses receipts under a distrusted certificate or key, in every command")
    func distrust() async throws {
        let receipt = "Vectors/receipts/sandbox-sha256.der"
        // The SHA-256 fingerprints that OpenSSL gives: of leaf, intermediate and root, and of the leaf's key.
        for (index, digest) in [
            "bc989ab18b532838f5b6e14d08ffc6e00a62af724be532e16490b8b8b3d7c401",
            "3263f832738b3a1e37a41f141d97b5941070016c913cb097e464ed569a47e57f",
            "e5b1db06f482a5978c2b1a157909d669a479ccfc689d1ffd9148da612a7cc5df",
            "5139fd1f39b4d44bada1f311d70f19143ff9cdec882bf63201c1969f7a2e0bda",
        ].enumerated() {
            let options = Self.anyReceipt + ["--distrust", digest]
            let verify = try await CommandRun(["verify", "--json"] + options + [receipt])
            let object = try #require(try verify.objects().first)
            #expect(object["step"]?.string == "distrust" && object["code"]?.string == "pkix.distrusted")
            #expect(object["error"]?["certificate"] == JSONValue.number(Int64((index + 2) % 3)), "\(verify)")
            let corpus = try await CommandRun(["corpus", "verify", "--quiet"] + options + [receipt])
            #expect(try corpus.objects().first?["code"]?.string == "pkix.distrusted", "\(corpus)")
            let request =
                "{\"receipt-data\":\"\(Data(try vector("receipts/sandbox-sha256.der")).base64EncodedString())\"}"
            let root = ["--sandbox", "--root", "Vectors/certificates/root.der"]
            let answer = try await CommandRun(
                ["answer"] + root + ["--distrust", digest],
                input: [UInt8](request.utf8)
            )
            #expect(answer.errors.contains("status 21002: distrust: pkix.distrusted"), "\(answer)")
        }
        for word in ["00", String(repeating: "0", count: 63) + "x"] {
            for command in [["verify"], ["corpus", "verify"], ["inspect"]] {
                let run = try await CommandRun(command + Self.anyReceipt + ["--distrust", word, receipt])
                #expect(
                    run.status == 2 && run.errors.contains("\(word) is not a SHA-256 fingerprint"),
                    "\(run)"
                )
            }
        }
    }

    @Test("accepts a root as a file in DER or PEM, or as a fingerprint with or without colons")
    func roots() async throws {
        let der = try vector("certificates/root.der")
        let pem = """
            A comment, which PEM allows.
            -----BEGIN CERTIFICATE-----\r
            \(Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]))
            -----END CERTIFICATE-----

            """
        let fingerprint = try #require(
            Row.table(vector("certificates.tsv")).first { $0["file"] == "root.der" }
        )["sha256"]
        let colons = stride(from: 0, to: 64, by: 2).map { start in
            fingerprint.dropFirst(start).prefix(2).uppercased()
        }.joined(separator: ":")
        try await withDirectory { directory in
            let file = directory.appending(path: "root.pem")
            try Data(pem.utf8).write(to: file)
            for root in [file.path, fingerprint, colons] {
                let options = ["verify", "--quiet", "--root", root] + CommandRun.anyReceipt
                let run = try await CommandRun(options + ["Vectors/receipts/sandbox-sha256.der"])
                #expect(run.status == 0, "\(root) \(run)")
            }
        }
        let other = fingerprint.dropLast() + (fingerprint.hasSuffix("0") ? "1" : "0")
        let options = ["verify", "--quiet", "--root", String(other)] + CommandRun.anyReceipt
        #expect(try await CommandRun(options + ["Vectors/receipts/sandbox-sha256.der"]).status == 1)
        let misplaced: [String] = [
            "\(colons.dropFirst(2))\(colons.prefix(2))", ":\(fingerprint)", "\(fingerprint):",
            "\(colons.dropLast(3))", "\(colons):00", "\(fingerprint)00",
        ]
        for word in misplaced {
            let options = ["verify", "--quiet", "--root", word] + CommandRun.anyReceipt
            let run = try await CommandRun(options + ["Vectors/receipts/sandbox-sha256.der"])
            #expect(run.status == 2, "\(word) \(run)")
        }
    }

    @Test("an option's file that is too large is unreadable, not a receipt that is not valid")
    func largeRoot() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "root.der")
            try Data(count: 1 << 24 + 1).write(to: file)
            let options = ["verify", "--root", file.path] + CommandRun.anyReceipt
            let run = try await CommandRun(options + ["Vectors/receipts/sandbox-sha256.der"])
            #expect(run.status == 3 && run.errors.contains("root.der") && run.output.isEmpty, "\(run)")
        }
    }

    @Test("accepts a receipt that matches one of several roots, identifiers, environments and devices")
    func several() async throws {
        let run = try await CommandRun([
            "verify", "--quiet", "--root=Vectors/certificates/root-4096.der",
            "--root=Vectors/certificates/root.der", "--bundle-id=com.example.other",
            "--bundle-id=com.example.receipts", "--environment=Production",
            "--environment=ProductionSandbox", "--device-id=020000000001",
            "--device-id=00112233-4455-6677-8899-AABBCCDDEEFF", "Vectors/receipts/sandbox-sha256.der",
        ])
        #expect(run.status == 0, "\(run)")
    }

    @Test("accepts a certificate without Apple's marker only with --without-markers")
    func markers() async throws {
        let arguments =
            ["verify", "--quiet"] + Self.anyReceipt + ["Vectors/receipts/leaf-without-marker.der"]
        #expect(try await CommandRun(arguments).status == 1)
        #expect(try await CommandRun(arguments + ["--without-markers"]).status == 0)
    }

    @Test("--xcode-testing accepts the environment Xcode alone, also where every environment is accepted")
    func xcodeTesting() async throws {
        try await withDirectory { place in
            let receipt = place.appending(path: "receipt.der").path
            let root = place.appending(path: "root.der").path
            for (environment, status) in [("Xcode", Int32(0)), ("Production", 1)] {
                let options = ["--environment", environment, "--out", receipt, "--root-out", root]
                #expect(try await CommandRun(["mint", "--xcode-like"] + options).status == 0)
                let verify = ["verify", "--json", "--xcode-testing", "--root", root] + CommandRun.anyReceipt
                let run = try await CommandRun(verify + [receipt])
                #expect(run.status == status, "\(run)")
                if status == 1 { #expect(try run.objects().first?["step"] == .string("environment")) }
            }
        }
    }

    @Test(
        "writes the found and the expected values of a mismatch",
        arguments: [
            ("environment", ["--environment", "Production", "--environment", "Xcode", "--bundle-id", "any"]),
            ("bundle-identifier", ["--environment", "any", "--bundle-id", "a", "--bundle-id", "b"]),
            ("app-version", CommandRun.anyReceipt + ["--app-version", "7"]),
        ]
    )
    func mismatch(_ step: String, _ options: [String]) async throws {
        let (found, expected) =
            switch step {
            case "environment": ("ProductionSandbox", ["Production", "Xcode"])
            case "bundle-identifier": ("com.example.receipts", ["a", "b"])
            default: ("42", ["7"])
            }
        let file = ["--root", "Vectors/certificates/root.der", "Vectors/receipts/sandbox-sha256.der"]
        let commands = ["verify --json", "inspect --json", "corpus verify --quiet"]
        let objects = try await commands.mapInTurn { command in
            let words = command.split(separator: " ").map(String.init)
            return try await #require(CommandRun(words + options + file).objects().first)
        }
        for object in objects {
            #expect(object["step"] == .string(step), "\(object)")
            #expect(object["error"]?["found"] == .string(found), "\(object)")
            #expect(object["error"]?["expected"] == .array(expected.map { .string($0) }), "\(object)")
        }
        #expect(Set(objects.map { $0["key"]?.string }).count == 1)
    }

    @Test("judges certificates at the given time")
    func pathTime() async throws {
        func status(_ at: String) async throws -> Int32 {
            try await CommandRun([
                "verify", "--quiet", "--root", "Vectors/certificates/root.der", "--at", at,
                "--bundle-id", "any", "--environment", "any", "Vectors/receipts/production-sha1.der",
            ]).status
        }
        #expect(try await status("creation") == 0)
        #expect(try await status("2016-02-11T12:00:00Z") == 0)
        #expect(try await status("2016-02-11") == 0)
        #expect(try await status("now") == 1)
        #expect(try await status("2001-01-01T00:00:00+03:00") == 1)
    }

    @Test("refuses SHA-1 with --require-sha256")
    func requireSHA256() async throws {
        let root = Self.anyReceipt
        let options = ["verify", "--json", "--require-sha256"] + root
        #expect(try await CommandRun(options + ["Vectors/receipts/sandbox-sha256.der"]).status == 0)
        #expect(try await CommandRun(options + ["Vectors/receipts/production-sha1.der"]).status == 1)
    }

    @Test("writes one line for each file in order, and ends with the highest status")
    func manyFiles() async throws {
        let root = Self.anyReceipt
        let good = "Vectors/receipts/sandbox-sha256.der"
        let bad = "Vectors/receipts/tampered-signature.der"
        let missing = "Vectors/receipts/no-such-file.der"
        func statuses(_ files: [String]) async throws -> (Int32, [String]) {
            let run = try await CommandRun(["verify", "--json"] + root + files)
            return (run.status, try run.objects().compactMap { $0["status"]?.string })
        }
        #expect(try await statuses([good, good]) == (0, ["valid", "valid"]))
        #expect(try await statuses([good, bad, good]) == (1, ["valid", "invalid", "valid"]))
        #expect(try await statuses([missing, bad, good]) == (3, ["unreadable", "invalid", "valid"]))
    }

    @Test("writes nothing with --quiet except which inputs cannot be read")
    func quiet() async throws {
        let root = Self.anyReceipt
        let good = try await CommandRun(
            ["verify", "--quiet"] + root + ["Vectors/receipts/sandbox-sha256.der"]
        )
        #expect(good.status == 0 && good.output.isEmpty && good.errors.isEmpty)
        let bad = try await CommandRun(
            ["verify", "--quiet"] + root + ["Vectors/receipts/tampered-payload.der"]
        )
        #expect(bad.status == 1 && bad.output.isEmpty && bad.errors.isEmpty)
        let missing = try await CommandRun(["verify", "--quiet"] + root + ["nowhere.der"])
        #expect(missing.status == 3 && missing.output.isEmpty)
        #expect(missing.errors == "app-receipt: cannot read nowhere.der: No such file or directory\n")
        let garbage = try await CommandRun(
            ["verify", "--quiet"] + root + ["Vectors/receipts/not-base64.b64"]
        )
        #expect(garbage.status == 3 && garbage.output.isEmpty)
        #expect(garbage.errors.hasPrefix("app-receipt: Vectors/receipts/not-base64.b64: "), "\(garbage)")
        #expect(garbage.errors.hasSuffix(" (input.not-base64)\n"), "\(garbage)")
        let binary = try await CommandRun(
            ["verify", "--quiet"] + Self.anyReceipt,
            input: [0xA7, 0x00, 0xFF, 0x13]
        )
        #expect(
            binary.status == 3 && binary.output.isEmpty && binary.errors.contains("neither DER nor"),
            "\(binary)"
        )
        let jws = try await CommandRun(
            ["verify", "--quiet"] + root + ["Vectors/receipts/signed-transaction.jws"]
        )
        #expect(jws.status == 1 && jws.output.isEmpty && jws.errors.isEmpty)
    }
}
