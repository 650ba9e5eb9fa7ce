import AppReceipt
import Foundation
import SignedPayloads
import TestSupport
import Testing

/// The bindings and the schema write the names of attributes anew. Each must have the names of the table.
@Suite("Names of attributes outside of the table")
struct AttributeNameTests {
    private let receipt = ReceiptAttribute.allCases.map(\.row)
    private let purchase = PurchaseAttribute.allCases.map(\.row)

    private func names(_ rows: [AttributeRow]) -> [String] { rows.map { "\($0.json)" } }

    private func text(_ path: String) throws -> String {
        String(decoding: try vector("../\(path)"), as: UTF8.self)
    }

    /// The first group of each match of a pattern.
    private func matches(_ pattern: String, in text: some StringProtocol) throws -> [String] {
        let text = String(text)
        let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
        return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
            Range($0.range(at: 1), in: text).map { String(text[$0]) }
        }
    }

    /// The part of a text between two others.
    private func part(of text: String, from start: String, to end: String) throws -> Substring {
        let start = try #require(text.range(of: start), "\(start)")
        let rest = text[start.upperBound...]
        return rest[..<(try #require(rest.range(of: end), "\(end)").lowerBound)]
    }

    @Test("the schema requires a member for each row")
    func schema() throws {
        let schema = try #require(JSONValue.parse(vector("schema/result.schema.json"))["$defs"])
        func required(_ name: String) -> Set<String> {
            Set(schema[name]?["required"]?.elements.compactMap(\.string) ?? [])
        }
        #expect(
            required("receipt").subtracting(names(receipt)) == [
                "content_sha256", "in_app", "malformed_in_app", "undocumented_attributes",
            ]
        )
        #expect(required("receipt").isSuperset(of: names(receipt)))
        #expect(required("purchase") == Set(names(purchase)).union(["undocumented_attributes"]))
    }

    @Test("the schema requires a member for each row of the tables of signed payloads, with its type")
    func payloads() throws {
        let schema = try #require(JSONValue.parse(vector("schema/result.schema.json"))["$defs"])
        let names: [ObjectTable: String] = [
            .transaction: "transactionPayload", .renewalInfo: "renewalInfoPayload",
            .notification: "notificationPayload", .appTransaction: "appTransactionPayload",
            .realtimeRequest: "realtimeRequestPayload", .notificationData: "notificationData",
            .summary: "notificationSummary", .externalPurchaseToken: "externalPurchaseToken",
            .appData: "notificationAppData", .transactionCommitment: "transactionCommitment",
            .renewalCommitment: "renewalCommitment",
            .advancedCommerceTransaction: "advancedCommerceTransaction",
            .advancedCommerceTransactionItem: "advancedCommerceTransactionItem",
            .advancedCommerceRenewal: "advancedCommerceRenewal",
            .advancedCommerceRenewalItem: "advancedCommerceRenewalItem",
            .advancedCommerceDescriptors: "advancedCommerceDescriptors",
            .advancedCommerceOffer: "advancedCommerceOffer",
            .advancedCommerceRefund: "advancedCommerceRefund",
            .advancedCommercePriceIncrease: "advancedCommercePriceIncrease",
        ]
        func reference(_ name: String) -> JSONValue { .object(["$ref": .string("#/$defs/\(name)")]) }
        func type(_ name: String) -> JSONValue? { .array([.string(name), .string("null")]) }
        for table in ObjectTable.allCases {
            let name = try #require(names[table])
            let definition = try #require(schema[name])
            #expect(definition["additionalProperties"] == .bool(false))
            let required = definition["required"]?.elements.compactMap(\.string)
            #expect(required == table.rows.map(\.name) + ["unknown_members"])
            for row in table.rows {
                let member = try #require(definition["properties"]?[row.name])
                switch row.kind {
                case .text:
                    // A token inside a notification is written as its payload.
                    let isToken = SignedPayloadError.NestedToken(rawValue: row.name) != nil
                    #expect((isToken ? member["anyOf"]?.elements.last : member)?["type"] == type("string"))
                case .integer: #expect(member == reference("integer"))
                case .date: #expect(member == reference("payloadDate"))
                case .flag: #expect(member["type"] == type("boolean"))
                case .texts: #expect(member["type"] == type("array"))
                case .object(let inner):
                    #expect(member["anyOf"]?.elements.first == names[inner].map(reference))
                case .objects(let inner):
                    #expect(member["type"] == type("array"))
                    #expect(member["items"] == names[inner].map(reference))
                }
            }
        }
    }

    @Test("Python reads a member for each row, and no other")
    func python() throws {
        let source = try text("Bindings/Python/src/swift_app_receipt/_receipts.py")
        func read(_ function: String) throws -> [String] {
            let body = try part(of: source, from: "def \(function)(members", to: "\n\n\n")
            return try matches(#"members(?:\.get\(|\[)"(\w+)""#, in: body)
        }
        #expect(
            try read("_receipt") == names(receipt) + [
                "in_app", "malformed_in_app", "undocumented_attributes",
            ]
        )
        #expect(try read("_purchase") == names(purchase) + ["undocumented_attributes"])
    }

    @Test("Python declares an attribute for each row of the tables of signed payloads, with its type")
    func pythonPayloads() throws {
        let source = try text("Bindings/Python/src/swift_app_receipt/_payloads.py")
        let classes: [ObjectTable: String] = [
            .transaction: "Transaction", .renewalInfo: "RenewalInfo", .notification: "Notification",
            .appTransaction: "AppTransaction", .realtimeRequest: "RealtimeRequest",
            .notificationData: "NotificationData", .summary: "NotificationSummary",
            .externalPurchaseToken: "ExternalPurchase", .appData: "NotificationAppData",
            .transactionCommitment: "TransactionCommitment", .renewalCommitment: "RenewalCommitment",
            .advancedCommerceTransaction: "AdvancedCommerceTransaction",
            .advancedCommerceTransactionItem: "AdvancedCommerceTransactionItem",
            .advancedCommerceRenewal: "AdvancedCommerceRenewal",
            .advancedCommerceRenewalItem: "AdvancedCommerceRenewalItem",
            .advancedCommerceDescriptors: "AdvancedCommerceDescriptors",
            .advancedCommerceOffer: "AdvancedCommerceOffer",
            .advancedCommerceRefund: "AdvancedCommerceRefund",
            .advancedCommercePriceIncrease: "AdvancedCommercePriceIncrease",
        ]
        func nested(_ name: String) -> String? {
            switch SignedPayloadError.NestedToken(rawValue: name) {
            case .transaction: classes[.transaction]
            case .renewalInfo: classes[.renewalInfo]
            case .appTransaction: classes[.appTransaction]
            case nil: nil
            }
        }
        for table in ObjectTable.allCases {
            let name = try #require(classes[table])
            let body = try part(of: source, from: "\nclass \(name)(Payload", to: "\n\n\n")
            let expected = table.rows.map { row in
                let attribute = row.name.replacing(/([a-z])([A-Z])/) { "\($0.1)_\($0.2)" }.lowercased()
                let type =
                    switch row.kind {
                    case .text: nested(row.name) ?? "str"
                    case .integer: "int"
                    case .date: "datetime"
                    case .flag: "bool"
                    case .texts: "tuple[str, ...]"
                    case .object(let inner): classes[inner] ?? "?"
                    case .objects(let inner): "tuple[\(classes[inner] ?? "?"), ...]"
                    }
                return "\(attribute): \(type) | None"
            }
            #expect(try matches(#"^    (\w+: .+)$"#, in: body) == expected, "\(name)")
        }
    }

    @Test("the declarations for TypeScript name members of the table")
    func javaScript() throws {
        let source = try text("Bindings/JavaScript/app-receipt.d.ts")
        let declared = try matches(
            #"^  (\w+)\?:"#,
            in: part(of: source, from: "interface InAppPurchase {", to: "\n}")
        )
        #expect(declared.count >= 10 && Set(declared).isSubset(of: names(purchase)))
    }

    @Test(
        "the page has the columns of the table, and a title for each row of a receipt"
    )
    func page() throws {
        let worker = try part(of: text("Bindings/Page/source/worker.js"), from: "const csvKeys = [", to: "]")
        #expect(try matches(#""(\w+)""#, in: worker) == names(purchase))
        let titles = try part(of: text("Bindings/Page/source/fields.js"), from: "titles = {", to: "};")
        #expect(Set(try matches(#"(\w+): ""#, in: titles)).isSuperset(of: names(receipt)))
    }

    @Test("the page looks for the app in each object of a notification, and for members of the tables alone")
    func pageTokens() throws {
        let source = try text("Bindings/Page/source/policy.js")
        let claims = try part(of: source, from: "function notAskedOfToken(", to: "\n}")
        let objects = ObjectTable.notification.rows.compactMap { row in
            if case .object = row.kind { row.name } else { nil }
        }
        #expect(try Set(matches(#"payload\?\.(\w+)"#, in: claims)) == Set(objects))
        let members = try Set(
            matches(#""(\w+)" in claims"#, in: claims) + matches(#"claims\.(\w+)"#, in: claims)
        )
        let known = Set(ObjectTable.allCases.flatMap { $0.rows.map(\.name) })
        #expect(members.count == 3 && members.isSubset(of: known), "\(members)")
    }

    @Test("the header for C has a number for each row, with its kind of value")
    func header() throws {
        let source = try text("Bindings/C/include/app_receipt.h")
        for (rows, base, later) in [(receipt, 1, 22), (purchase, 101, 117)] {
            for row in rows {
                // Rows beyond the first version's come after numbers of other values.
                let number = row.position < later - base - 1 ? row.position + base : row.position + base + 1
                let kind = try matches(#"^    APP_RECEIPT_\w+ = \#(number),? +/\* (\w+)"#, in: source)
                let expected =
                    switch row.kind {
                    case .text, .ascii: "text"
                    case .number, .identifier, .ownership: "integer"
                    case .flag: "boolean"
                    case .date: "time"
                    case .octets: "octets"
                    }
                #expect(kind == [expected], "\(row.name)")
            }
        }
    }
}
