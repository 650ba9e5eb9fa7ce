import Foundation
import TestSupport
import Testing

@Suite("app-receipt verify")
struct VerifyTests {
    static let rows = (try? Row.table(vector("receipts.tsv"))) ?? []

    /// The options that ask what a row asks.
    static func options(_ row: Row) -> [String] {
        var options = [
            "--root", "Vectors/certificates/\(row["root"])", "--environment", row["environment"],
            "--bundle-id=\(row["bundle_identifier"])",
        ]
        if row["root"] == "storekit.der" { options.append("--xcode") }
        if !row["app_version"].isEmpty { options += ["--app-version", row["app_version"]] }
        if !row["device_identifier"].isEmpty { options += ["--device-id", row["device_identifier"]] }
        if !row["now"].isEmpty { options += ["--now", row["now"]] }
        return options
    }

    @Test("the table is there")
    func tableIsThere() { #expect(Self.rows.count > 70) }

    @Test("each row of the vectors gets its verdict, step and exit status", arguments: rows)
    func verdict(_ row: Row) throws {
        let path = "Vectors/receipts/\(row["file"])"
        let run = try CommandRun(["verify", "--json"] + Self.options(row) + [path])
        let objects = try run.objects()
        let object = try #require(objects.first)
        #expect(objects.count == 1 && object["file"] == .string(path) && run.errors.isEmpty, "\(run)")
        let portable = try CommandRun(["verify", "--json", "--portable"] + Self.options(row) + [path])
        #expect(portable.output == run.output && portable.status == run.status, "\(portable)")
        if row["verdict"] == "accept" {
            #expect(run.status == 0 && object["valid"] == .bool(true), "\(row["why"]) \(run)")
            #expect(object["status"] == .string("valid"))
            var notChecked: [JSONValue] = []
            if row["root"] == "storekit.der" {
                notChecked += [.string("intermediate-marker"), .string("leaf-marker")]
            }
            if row["app_version"].isEmpty { notChecked.append(.string("app-version")) }
            if row["device_identifier"].isEmpty { notChecked.append(.string("device-hash")) }
            if row["now"].isEmpty { notChecked.append(.string("expiration-date")) }
            #expect(object["not_checked"] == .array(notChecked))
        } else {
            let isUnreadable = ["empty.der", "not-base64.b64"].contains(row["file"])
            #expect(run.status == (isUnreadable ? 3 : 1), "\(row["why"]) \(run)")
            #expect(object["valid"] == .bool(false) && object["receipt"] == nil)
            #expect(object["error"]?["step"] == .string(row["step"]), "\(row["why"]) \(run)")
            let status = try #require(object["status"]?.string)
            if row["step"] == "input" {
                #expect(status == (isUnreadable ? "unreadable" : "unsupported"), "\(run)")
            } else {
                #expect(["invalid", "unsupported"].contains(status), "\(run)")
            }
            #expect(object["error"]?["code"]?.string?.contains(".") == true)
            #expect(object["error"]?["message"]?.string?.isEmpty == false)
        }
    }

    @Test(
        "a valid receipt is written as its record says",
        arguments: rows.filter { $0["verdict"] == "accept" }
    )
    func record(_ row: Row) throws {
        let run = try CommandRun(
            ["verify", "--json"] + Self.options(row) + ["Vectors/receipts/\(row["file"])"]
        )
        let name = row["file"].prefix { $0 != "." }
        let record = try JSONValue.parse(vector("receipts/\(name).json"))
        try expect(run.objects().first?["receipt"], saysWhat: record["payload"])
    }

    @Test("what nobody asked for is not checked, and said so, for people and machines")
    func notChecked() throws {
        let file = ["--root", "Vectors/certificates/root.der", "Vectors/receipts/sandbox-sha256.der"]
        let all = ["environment", "bundle-identifier", "app-version", "device-hash", "expiration-date"]
        let json = try CommandRun(["verify", "--json"] + file)
        #expect(try json.objects().first?["not_checked"] == .array(all.map { .string($0) }))
        let text = try CommandRun(["verify"] + file)
        #expect(text.text.contains("not checked: \(all.joined(separator: ", "))\n"), "\(text)")
        #expect(text.lines.first == "Vectors/receipts/sandbox-sha256.der: valid")
        let any = try CommandRun(["verify", "--json", "--environment", "any"] + file)
        #expect(any.output == json.output)
        let noMarkers = try CommandRun(["verify", "--json", "--no-markers"] + file)
        #expect(
            try noMarkers.objects().first?["not_checked"]?.elements.prefix(2)
                == [.string("intermediate-marker"), .string("leaf-marker")]
        )
    }

    @Test("a root is named by its file in DER or PEM, or by its fingerprint in either spelling")
    func roots() throws {
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
        try withDirectory { directory in
            let file = directory.appending(path: "root.pem")
            try Data(pem.utf8).write(to: file)
            for root in [file.path, fingerprint, colons] {
                let run = try CommandRun([
                    "verify", "--quiet", "--root", root, "Vectors/receipts/sandbox-sha256.der",
                ])
                #expect(run.status == 0, "\(root) \(run)")
            }
        }
        let other = fingerprint.dropLast() + (fingerprint.hasSuffix("0") ? "1" : "0")
        #expect(
            try CommandRun([
                "verify", "--quiet", "--root", String(other), "Vectors/receipts/sandbox-sha256.der",
            ]).status == 1
        )
    }

    @Test("one of several roots, bundle identifiers, environments and devices is enough")
    func several() throws {
        let run = try CommandRun([
            "verify", "--quiet", "--root=Vectors/certificates/root-4096.der",
            "--root=Vectors/certificates/root.der", "--bundle-id=com.example.other",
            "--bundle-id=com.example.receipts", "--environment=Production",
            "--environment=ProductionSandbox", "--device-id=020000000001",
            "--device-id=00112233-4455-6677-8899-AABBCCDDEEFF", "Vectors/receipts/sandbox-sha256.der",
        ])
        #expect(run.status == 0, "\(run)")
    }

    @Test("without the markers a developer's certificate is enough, and only then")
    func markers() throws {
        let arguments = [
            "verify", "--quiet", "--root", "Vectors/certificates/root.der",
            "Vectors/receipts/leaf-without-marker.der",
        ]
        #expect(try CommandRun(arguments).status == 1)
        #expect(try CommandRun(arguments + ["--no-markers"]).status == 0)
    }

    @Test("certificates are judged at the time that is given")
    func pathTime() throws {
        func status(_ at: String) throws -> Int32 {
            try CommandRun([
                "verify", "--quiet", "--root", "Vectors/certificates/root.der", "--at", at,
                "Vectors/receipts/production-sha1.der",
            ]).status
        }
        #expect(try status("creation") == 0)
        #expect(try status("2016-02-11T12:00:00Z") == 0)
        #expect(try status("2016-02-11") == 0)
        #expect(try status("now") == 1)
        #expect(try status("2001-01-01T00:00:00+03:00") == 1)
    }

    @Test("SHA-1 is refused where SHA-256 is required")
    func requireSHA256() throws {
        let root = ["--root", "Vectors/certificates/root.der"]
        let options = ["verify", "--json", "--require-sha256"] + root
        #expect(try CommandRun(options + ["Vectors/receipts/sandbox-sha256.der"]).status == 0)
        #expect(try CommandRun(options + ["Vectors/receipts/production-sha1.der"]).status == 1)
    }

    @Test("of several files each has its line, in order, and the gravest sets the exit status")
    func manyFiles() throws {
        let root = ["--root", "Vectors/certificates/root.der"]
        let good = "Vectors/receipts/sandbox-sha256.der"
        let bad = "Vectors/receipts/tampered-signature.der"
        let missing = "Vectors/receipts/no-such-file.der"
        func statuses(_ files: [String]) throws -> (Int32, [String]) {
            let run = try CommandRun(["verify", "--json"] + root + files)
            return (run.status, try run.objects().compactMap { $0["status"]?.string })
        }
        #expect(try statuses([good, good]) == (0, ["valid", "valid"]))
        #expect(try statuses([good, bad, good]) == (1, ["valid", "invalid", "valid"]))
        #expect(try statuses([missing, bad, good]) == (3, ["unreadable", "invalid", "valid"]))
    }

    @Test("quiet writes no verdict, and still says what cannot be read")
    func quiet() throws {
        let root = ["--root", "Vectors/certificates/root.der"]
        let good = try CommandRun(["verify", "--quiet"] + root + ["Vectors/receipts/sandbox-sha256.der"])
        #expect(good.status == 0 && good.output.isEmpty && good.errors.isEmpty)
        let bad = try CommandRun(["verify", "--quiet"] + root + ["Vectors/receipts/tampered-payload.der"])
        #expect(bad.status == 1 && bad.output.isEmpty && bad.errors.isEmpty)
        let missing = try CommandRun(["verify", "--quiet"] + root + ["nowhere.der"])
        #expect(missing.status == 3 && missing.output.isEmpty)
        #expect(missing.errors == "app-receipt: cannot read nowhere.der: No such file or directory\n")
        let garbage = try CommandRun(["verify", "--quiet"] + root + ["Vectors/receipts/not-base64.b64"])
        #expect(garbage.status == 3 && garbage.output.isEmpty)
        #expect(garbage.errors.hasPrefix("app-receipt: Vectors/receipts/not-base64.b64: "), "\(garbage)")
        #expect(garbage.errors.hasSuffix(" (input.not-base64)\n"), "\(garbage)")
        let binary = try CommandRun(["verify", "--quiet"], input: [0xA7, 0x00, 0xFF, 0x13])
        #expect(binary.status == 3 && binary.output.isEmpty && !binary.errors.contains("text"), "\(binary)")
        let jws = try CommandRun(["verify", "--quiet", "Vectors/receipts/signed-transaction.jws"])
        #expect(jws.status == 1 && jws.output.isEmpty && jws.errors.isEmpty)
    }
}
