import Foundation
import TestSupport
import Testing

extension TokenTests {
    @Test("judges evidence about revocation, and says how to give it")
    func revocation() async throws {
        let token = try Self.token("every member of a transaction")
        let options = ["--kind", "transaction"] + Self.root + Self.app + ["--environment", "Sandbox"]
        let rows = try Row.table(vector("revocation/evidence.tsv"))
        try await withDirectory { place in
            func file(_ index: Int, _ status: String) throws -> [String] {
                let row = try #require(
                    rows.first {
                        $0["path"] == "token" && $0["kind"] == "ocsp" && $0["signer"] == "issuer"
                            && $0["certificate"] == "\(index)" && $0["status"] == status
                    }
                )
                let file = place.appending(path: "\(index)-\(status).der")
                try Data(hex(row["piece"])).write(to: file)
                return ["--ocsp", file.path]
            }
            let now = ["--now", "2026-06-15"]
            let good = try file(0, "good") + file(1, "good")
            let step = JSONValue.string("revocation")
            for (more, code, isListed) in [
                ([], nil, true), (good + now, nil, false),
                (good + ["--now", "2026-06-24"], "revocation.stale", false),
                (good, "revocation.stale", false),
                (good + ["--now", "2026-06-24", "--revocation", "if-present"], nil, true),
                (try file(0, "good") + now, "revocation.no-evidence", false),
                (try file(0, "good") + now + ["--revocation", "required"], "revocation.no-evidence", false),
                (try file(0, "good") + now + ["--revocation", "if-present"], nil, true),
                (try file(0, "revoked") + now + ["--revocation", "if-present"], "revocation.revoked", false),
                (try file(1, "revoked") + now, "revocation.revoked", false),
                (try file(0, "good") + file(1, "revoked") + now, "revocation.revoked", false),
            ] {
                let found = try await result(options + more, token)
                #expect(found["code"]?.string == code, "\(more)")
                if code != nil { #expect(found["step"] == step) }
                #expect((found["not_checked"]?.elements.contains(step) ?? false) == isListed, "\(more)")
            }
            // A token inside a notification needs evidence about its own signer.
            let outer = ["--kind", "notification"] + Self.root + Self.app + ["--environment", "Sandbox"]
            for (name, isListed) in [
                ("a notification with data", false), ("a nested transaction by another signer", true),
            ] {
                let lenient = outer + good + now + ["--revocation", "if-present"]
                let found = try await result(lenient, Self.token(name))
                #expect(found["status"]?.string == "valid")
                #expect((found["not_checked"]?.elements.contains(step) ?? false) == isListed, "\(name)")
            }
            // The receipt of another authority has no evidence.
            let receipt = ["--root", "Vectors/certificates/root.der", "Vectors/receipts/sandbox-sha256.der"]
            for (more, code, isListed) in [
                ([], nil, true), (["--revocation", "if-present"] + good, nil, true),
                (good, "revocation.no-evidence", false),
            ] {
                for command in [["verify", "--json"], ["corpus", "verify", "--quiet"]] {
                    let run = try await CommandRun(command + CommandRun.anyReceipt + more + receipt)
                    let found = try #require(try run.objects().first)
                    #expect(found["code"]?.string == code, "\(run)")
                    #expect((found["not_checked"]?.elements.contains(step) ?? false) == isListed, "\(run)")
                }
            }
            for (more, message) in [
                (["--revocation", "required"], "--revocation needs evidence: add --ocsp FILE or --crl FILE"),
                (["--revocation", "yes"] + good, "--revocation yes is neither required nor if-present"),
                (["--ocsp", "Vectors/tokens/root.der"], "--ocsp Vectors/tokens/root.der cannot be used: "),
                (["--crl", "Vectors/tokens/root.der"], "--crl Vectors/tokens/root.der cannot be used: "),
                (["--crl", "Vectors/README.md"], "--crl Vectors/README.md"),
            ] {
                let run = try await CommandRun(["verify"] + CommandRun.anyReceipt + more + receipt)
                #expect(run.status == 2 && run.errors.hasPrefix("app-receipt: \(message)"), "\(run)")
            }
        }
    }
}
