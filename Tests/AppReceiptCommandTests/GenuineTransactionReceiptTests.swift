import Foundation
import TestSupport
import Testing

@Suite(
    "app-receipt on genuine transaction receipts",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct GenuineTransactionReceiptTests {
    static let names = ((try? SharedData.files(in: "transaction-receipts", suffix: ".b64")) ?? []).map {
        String($0.dropLast(4))
    }
    private static let newest = "v4-consumable-2023-sandbox"

    private func path(_ name: String, _ suffix: String = "b64") -> String {
        SharedData.root.appending(path: "transaction-receipts/\(name).\(suffix)").path
    }

    private func record(_ name: String) throws -> JSONValue {
        try JSONValue.parse(SharedData.bytes("transaction-receipts/\(name).json"))
    }

    /// The members that results must have for a record, in the form of `JSONValue.normalised`.
    private func expected(_ record: JSONValue) throws -> JSONValue {
        let info = try #require(record["purchase_info"])
        let texts = [
            "bundle_id": "bid", "application_version": "bvrs", "item_id": "item-id",
            "app_item_id": "app-item-id", "version_external_identifier": "version-external-identifier",
            "unique_identifier": "unique-identifier", "unique_vendor_identifier": "unique-vendor-identifier",
            "subscription_group_identifier": "subscription-group-identifier", "product_id": "product-id",
            "transaction_id": "transaction-id", "original_transaction_id": "original-transaction-id",
            "web_order_line_item_id": "web-order-line-item-id",
            "in_app_ownership_type": "in-app-ownership-type",
        ]
        let numbers = [
            "quantity": "quantity", "purchase_date": "purchase-date-ms",
            "original_purchase_date": "original-purchase-date-ms", "expires_date": "expires-date",
        ]
        let flags = [
            "is_trial_period": "is-trial-period", "is_in_intro_offer_period": "is-in-intro-offer-period",
        ]
        var members = texts.compactMapValues { info[$0] }
        for (name, key) in numbers {
            members[name] = info[key]?.string.flatMap { Int64($0) }.map { .number($0) }
        }
        for (name, key) in flags { members[name] = info[key]?.string.map { .bool($0 == "true") } }
        members["signature_version"] = record["version"]
        members["claimed_environment"] = record["outer"]?["environment"]
        return .object(members).normalised()
    }

    /// Compares a result with a record.
    private func expect(_ found: JSONValue?, _ record: JSONValue, withEntries: Bool) throws {
        guard case .object(var members)? = found else {
            Issue.record("no receipt")
            return
        }
        let entries = members.removeValue(forKey: "purchase_info")
        let digest = members.removeValue(forKey: "content_sha256")
        #expect((digest != nil) == withEntries)
        #expect(JSONValue.object(members).normalised() == (try expected(record)))
        guard withEntries else {
            #expect(entries == nil)
            return
        }
        let pairs = entries?.elements.map { ($0["key"]?.string ?? "", $0["value"] ?? .null) } ?? []
        #expect(.object(Dictionary(uniqueKeysWithValues: pairs)) == record["purchase_info"])
    }

    @Test("finds the data")
    func dataIsThere() { #expect(Self.names.count == 4 && Self.names.contains(Self.newest)) }

    @Test("verify, inspect and corpus verify write every field as its record has it", arguments: names)
    func fields(_ name: String) async throws {
        let record = try record(name)
        for suffix in ["b64", "plist"] {
            let verify = try await CommandRun(
                ["verify", "--json"] + CommandRun.anyReceipt + [path(name, suffix)]
            )
            let object = try #require(verify.objects().first)
            #expect(verify.status == 0 && object["status"] == .string("valid"), "\(verify)")
            try expect(object["transaction_receipt"], record, withEntries: true)
        }
        let inspect = try await CommandRun(["inspect", "--json", path(name)])
        try expect(inspect.objects().first?["transaction_receipt"], record, withEntries: true)
        let text = try await CommandRun(["inspect", path(name)])
        #expect(text.status == 0 && text.text.contains("verified against Apple's roots"), "\(text)")
        #expect(text.text.contains("signature version         \(record["version"] == .number(4) ? 4 : 2)\n"))
        for (fields, hasEntries) in [("all", true), ("brief", false)] {
            let corpus = try await CommandRun(
                ["corpus", "verify", "--quiet", "--fields", fields] + CommandRun.anyReceipt + [path(name)]
            )
            try expect(corpus.objects().first?["transaction_receipt"], record, withEntries: hasEntries)
        }
    }

    @Test("answer gives the flat object with every key and value of the record as text", arguments: names)
    func answered(_ name: String) async throws {
        let text = String(decoding: try SharedData.bytes("transaction-receipts/\(name).b64"), as: UTF8.self)
        let body = "{\"receipt-data\":\"\(text.filter { !$0.isWhitespace })\"}\n"
        let record = try record(name)
        guard case .object(let info)? = record["purchase_info"] else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let isExpired = info["expires-date"] != nil
        let run = try await CommandRun(
            ["answer", "--sandbox", "--now", "2024-06-01T12:34:56Z"],
            input: [UInt8](body.utf8)
        )
        let answer = try #require(run.objects().first)
        #expect(Set(answer.keys) == ["receipt", "status"])
        #expect(answer["status"] == .number(isExpired ? 21006 : 0), "\(run)")
        let pairs = info.map { ($0.key.replacing("-", with: "_"), $0.value) }
        #expect(answer["receipt"] == .object(Dictionary(uniqueKeysWithValues: pairs)))
        let production = try await CommandRun(["answer", "--production"], input: [UInt8](body.utf8))
        #expect(try production.objects().first == ["status": .number(21007)])
    }

    @Test("--require-sha256 accepts version 4 alone, and the summary counts by digest", arguments: names)
    func digests(_ name: String) async throws {
        let isNewest = name == Self.newest
        let strict = ["--require-sha256"] + CommandRun.anyReceipt + [path(name)]
        #expect(try await CommandRun(["verify", "--quiet"] + strict).status == (isNewest ? 0 : 1))
        try await withDirectory { directory in
            let file = directory.appending(path: "summary.json")
            let run = try await CommandRun(
                ["corpus", "verify", "--quiet", "--summary", file.path] + CommandRun.anyReceipt
                    + [path(name)]
            )
            let summary = try JSONValue.parse([UInt8](Data(contentsOf: file)))
            #expect(
                run.status == 0 && summary["digests"]?[isNewest ? "sha256" : "sha1"] == .number(1),
                "\(run)"
            )
        }
    }

    @Test("a table has the ownership, the trial and the introductory offer in the columns of purchases")
    func table() async throws {
        let run = try await CommandRun(
            ["corpus", "verify", "--quiet", "--csv", "--rows", "purchases"] + CommandRun.anyReceipt
                + [path(Self.newest)]
        )
        let table = CSVTable(run.text)
        try #require(table.rows.count == 1, "\(run)")
        let cells = Dictionary(uniqueKeysWithValues: zip(table.names, table.rows[0]))
        #expect(cells["purchase.in_app_ownership_type"] == "PURCHASED")
        #expect(cells["purchase.is_trial_period"] == "false")
        #expect(cells["purchase.is_in_intro_offer_period"] == "false")
        #expect(cells["purchase.product_id"] == "zooports.dev.acorn.50")
    }
}
