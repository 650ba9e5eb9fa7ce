import Foundation
import TestSupport
import Testing

@Suite("app-receipt mint")
struct MintTests {
    @Test("makes a receipt that verify accepts under its root alone")
    func accepted() async throws {
        try await withDirectory { place in
            let receipt = place.appending(path: "receipt.der").path
            let root = place.appending(path: "root.der").path
            let minted = try await CommandRun([
                "mint", "--bundle-id", "com.example.minted", "--environment", "ProductionSandbox",
                "--device-id", "02:00:a1:b2:c3:d4", "--product", "com.example.pro",
                "--subscription", "com.example.monthly=2030-01-01", "--out", receipt, "--root-out", root,
            ])
            #expect(minted.status == 0 && minted.output.isEmpty && minted.errors.isEmpty)
            let expectations = [
                "--bundle-id", "com.example.minted", "--environment", "ProductionSandbox",
                "--device-id", "0200a1b2c3d4", receipt,
            ]
            #expect(try await CommandRun(["verify", "--root", root] + expectations).status == 0)
            #expect(try await CommandRun(["verify"] + expectations).status == 1)
        }
    }

    @Test("makes the same bytes from the same seed")
    func seed() async throws {
        let bytes = try await CommandRun(["mint", "--seed", "9"]).output
        #expect(bytes.first == 0x30)
        #expect(try await CommandRun(["mint", "--seed", "9"]).output == bytes)
        #expect(try await CommandRun(["mint", "--seed", "10"]).output != bytes)
    }

    @Test(
        "makes receipts that verify refuses at the step that the options break",
        arguments: [
            (["--markers", "none"], "intermediate-marker"),
            (["--markers", "swapped"], "intermediate-marker"),
            (["--markers", "intermediate-only"], "leaf-marker"),
            (["--markers", "in-policies"], "intermediate-marker"),
            (["--markers", "leaf-only"], "intermediate-marker"), (["--bits", "1024"], "certificate-path"),
            (["--creation-date", "1999-12-31T23:59:59Z"], "certificate-path"),
            (["--creation-date", "2050-01-01"], "certificate-path"),
            (["--payload", "/dev/null"], "creation-date"),
        ]
    )
    func wrong(_ options: [String], _ step: String) async throws {
        try await withDirectory { place in
            let receipt = place.appending(path: "receipt.der").path
            let root = place.appending(path: "root.der").path
            #expect(
                try await CommandRun(["mint"] + options + ["--out", receipt, "--root-out", root]).status == 0
            )
            let verified = try await CommandRun(
                ["verify", "--json", "--root", root] + CommandRun.anyReceipt + [receipt]
            )
            #expect(
                verified.status == 1 && verified.text.contains("\"step\":\"\(step)\""),
                "\(verified.text)"
            )
        }
    }

    @Test(
        "warns of a creation date at which the certificates are not valid",
        arguments: [
            ("1999-12-31T23:59:59Z", true), ("2000-01-01", false), ("2049-12-31T23:59:59Z", false),
            ("2055-01-01", true),
        ]
    )
    func warning(_ date: String, _ isWarned: Bool) async throws {
        let run = try await CommandRun(["mint", "--creation-date", date])
        #expect(run.status == 0 && run.output.first == 0x30)
        #expect(run.errors.isEmpty == !isWarned, "\(run.errors)")
        let warning = "certificates are not valid: they are from 2000-01-01T00:00:00Z to 2049-12-31T23:59:59Z"
        #expect(run.errors.contains(warning) == isWarned, "\(run.errors)")
    }

    @Test(
        "mints what the next certificate may be, and verify accepts it",
        arguments: [
            ["--digest", "sha512"], ["--digest", "sha384", "--certificate-digest", "sha1"],
            ["--certificate-digest", "sha512"], ["--valid-until", "9999-12-31T23:59:59Z"],
            ["--markers", "critical"], ["--signer-identifier", "subject-key-identifier"],
            ["--signed-attributes"],
            ["--signer-identifier", "subject-key-identifier", "--signed-attributes", "--digest", "sha384"],
        ]
    )
    func nextCertificate(_ options: [String]) async throws {
        try await withDirectory { place in
            let (receipt, root) = (place.appending(path: "receipt").path, place.appending(path: "root").path)
            let run = try await CommandRun(["mint", "--out", receipt, "--root-out", root] + options)
            #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
            let plain = try await CommandRun(["mint"]).output
            #expect(try [UInt8](Data(contentsOf: URL(filePath: receipt))) != plain)
            let verified = try await CommandRun(
                ["verify", "--root", root] + CommandRun.anyReceipt + [receipt]
            )
            #expect(verified.status == 0, "\(verified)")
        }
    }

    @Test("the certificates' last second counts for the warning")
    func validUntil() async throws {
        for (until, date, isWarned) in [
            ("2024-05-31", "2024-06-01", true), ("2055-01-01", "2054-12-31", false),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", false),
            ("2024-05-31T00:00:00Z", "2024-05-31T00:00:00.999Z", false),
            ("2024-05-31T00:00:00Z", "2024-05-31T00:00:01Z", true),
        ] {
            let run = try await CommandRun(["mint", "--valid-until", until, "--creation-date", date])
            #expect(run.status == 0 && run.errors.isEmpty == !isWarned, "\(run.errors)")
        }
    }

    @Test("writes a PKI as six files in a new directory")
    func pki() async throws {
        try await withDirectory { place in
            let directory = place.appending(path: "pki").path
            #expect(try await CommandRun(["mint", "--pki", directory]).status == 0)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == [
                    "intermediate.der", "intermediate.key.der", "leaf.der", "leaf.key.der", "root.der",
                    "root.key.der",
                ]
            )
            let again = try await CommandRun(["mint", "--pki", directory])
            #expect(again.status == 3 && again.errors.contains("cannot write"))
        }
    }

    @Test(
        "refuses options that make no sense",
        arguments: [
            ["--seed", "x"], ["--seed", "-1"], ["--bits", "2047"], ["--bits", "512"], ["--bits", "8194"],
            ["--digest", "md5"], ["--certificate-digest", "md5"], ["--signer-identifier", "key"],
            ["--valid-until", "1999-12-31"], ["--valid-until", "never"],
            ["--xcode-like", "--signed-attributes"],
            ["--xcode-like", "--valid-until", "2050-01-01"], ["--markers", "everywhere"],
            ["--device-id", "12"],
            ["--creation-date", "now-ish"],
            ["--subscription", "com.example.monthly"], ["--subscription", "a=b=c"],
            ["--subscription", "a=soon"],
            ["--xcode-like", "--markers", "none"], ["--xcode-like", "--pki", "x"], ["receipt.der"],
            ["--out", "same", "--root-out", "same"],
        ]
    )
    func nonsense(_ options: [String]) async throws {
        let run = try await CommandRun(["mint"] + options)
        #expect(run.status == 2 && run.output.isEmpty && run.errors.contains("mint --help"), "\(run.errors)")
    }
}
