import Foundation
import TestSupport
import Testing

@Suite("app-receipt errors")
struct ErrorsTests {
    @Test("lists every code once, with number, name, status, meaning, next step, advice and HTTP status")
    func list() async throws {
        let objects = try await CommandRun(["errors", "--json"]).objects()
        #expect(objects.count > 100)
        var numbers: Set<Int64> = []
        var names: Set<String> = []
        for object in objects {
            guard case .number(let number)? = object["number"], let name = object["code"]?.string,
                let meaning = object["meaning"]?.string, let status = object["status"]?.string
            else {
                Issue.record("incomplete: \(object)")
                continue
            }
            #expect(numbers.insert(number).inserted && names.insert(name).inserted, "\(name) twice")
            #expect(name.wholeMatch(of: /[a-z]+\.[a-z0-9-]+/) != nil, "\(name)")
            #expect(["invalid", "unsupported", "unreadable"].contains(status))
            #expect(meaning.hasSuffix("."))
            #expect(object["advice"]?.string?.hasSuffix(".") == true)
            let httpStatus: Int64 = ["invalid": 422, "unsupported": 415][status] ?? 400
            #expect(object["http_status"] == .number(httpStatus))
            let isOfOtherApp =
                ["receipt", "payload"].contains { kind in
                    ["environment", "bundle-identifier"].contains { field in
                        ["\(kind).missing-\(field)", "\(kind).\(field)-mismatch"].contains(name)
                    }
                }
                || [
                    "payload.missing-app-apple-id", "payload.app-apple-id-mismatch",
                    "payload.nested-mismatch",
                ].contains(name)
            let nextStep = ["unsupported": "contact-support", "unreadable": "retry"][status]
            #expect(object["next_step"]?.string == nextStep ?? (isOfOtherApp ? "deny" : "refresh"))
        }
        let text = try await CommandRun(["errors"])
        #expect(text.status == 0 && text.lines.count == 2 * objects.count + 1)
        for name in names { #expect(text.text.contains(" \(name)")) }
    }

    @Test("lists every code in the sources of the modules")
    func complete() async throws {
        let listed = try await CommandRun(["errors"]).text
        let sources = SharedData.packageRoot.appending(path: "Sources")
        var count = 0
        for module in ["DER", "RSA", "ECDSA", "PKIX", "CMS", "AppReceipt", "SignedPayloads"] {
            let text = try String(
                contentsOf: sources.appending(path: "\(module)/Codes.swift"),
                encoding: .utf8
            )
            for match in text.matches(of: /\.init\(\s*(\d+),\s*"([^"]+)"/) {
                count += 1
                #expect(listed.contains("\(match.1) \(match.2)"), "\(match.2)")
            }
        }
        #expect(count > 100)
    }
}
