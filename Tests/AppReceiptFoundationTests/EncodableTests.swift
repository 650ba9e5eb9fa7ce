import AppReceipt
import AppReceiptFoundation
import AppReceiptMint
import DER
import Foundation
import TestSupport
import Testing

@Suite("Receipts as JSON")
struct EncodableTests {
    /// The rows of Vectors/receipts.tsv that are accepted, one for each file.
    static let rows: [Row] = {
        guard let rows = try? Row.table(vector("receipts.tsv")) else { return [] }
        var files: Set<String> = []
        return rows.filter { $0["verdict"] == "accept" && files.insert($0["file"]).inserted }
    }()

    @Test("the table names receipts, so that the tests below have something to compare")
    func rowsExist() {
        #expect(Self.rows.count >= 15)
    }

    @Test("JSONEncoder writes the object `receipt` of `app-receipt verify --json`", arguments: rows)
    func equalsCommand(_ row: Row) async throws {
        let isXcode = row["environment"] == "Xcode"
        let run = try await ProgramRun(
            Bundle.main.bundleURL.appending(path: "app-receipt").path,
            ["verify", "--json", "--root", "Vectors/certificates/\(row["root"])"]
                + (isXcode ? ["--xcode-testing"] : [])
                + ["--environment", "any", "--bundle-id", "any", "Vectors/receipts/\(row["file"])"]
        )
        #expect(run.status == 0, "\(run.errors)")
        let expected = try #require(try JSONValue.parse(run.output)["receipt"])
        let root = try TrustAnchor(certificate: vector("certificates/\(row["root"])"))
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: isXcode ? .xcodeTesting(pinned: [root]) : .pinned([root])
            )
        )
        let data = Data(try vector("receipts/\(row["file"])"))
        let receipt = try validator.validate(Data(try ReceiptInput.decode(data)))
        #expect(try JSONValue.parse([UInt8](JSONEncoder().encode(receipt))) == expected)
    }

    @Test("JSONEncoder writes the object `unverified_receipt` of `app-receipt inspect --json`")
    func equalsInspect() async throws {
        let path = "Vectors/receipts/tampered-payload.der"
        let run = try await ProgramRun(
            Bundle.main.bundleURL.appending(path: "app-receipt").path,
            ["inspect", "--json", path]
        )
        let expected = try #require(try JSONValue.parse(run.output)["unverified_receipt"])
        let receipt = try UnverifiedReceipt(unverified: Data(try vector("receipts/tampered-payload.der")))
        #expect(try JSONValue.parse([UInt8](JSONEncoder().encode(receipt))) == expected)
    }

    private func encoded(_ change: (inout PayloadTemplate) -> Void) throws -> JSONValue {
        let bytes = Receipts.mint.receipt(bundleIdentifier: "com.example.app", change)
        return try JSONValue.parse([UInt8](JSONEncoder().encode(Receipts.validator().validate(bytes))))
    }

    @Test("an absent value is null, and a missing list is empty")
    func absent() throws {
        let receipt = try encoded { $0.ageRating = nil }
        #expect(receipt["age_rating"] == .null)
        #expect(receipt["in_app"] == .array([]))
        #expect(receipt["malformed_in_app"] == .array([]))
    }

    @Test("a number beyond 2^53 - 1 is a string, and 2^53 - 1 is a number")
    func largeNumbers() throws {
        let receipt = try encoded { payload in
            payload.purchases = [1 << 53 - 1, 1 << 53, .max].map { quantity in
                var purchase = PurchaseTemplate(productIdentifier: "com.example.pro")
                purchase.quantity = quantity
                return purchase
            }
            payload.purchases.indices.forEach { payload.purchases[$0].transactionIdentifier = "\($0)" }
            payload.isSorted = false
        }
        #expect(
            receipt["in_app"]?.elements.map { $0["quantity"] } == [
                .number(9_007_199_254_740_991), .string("9007199254740992"),
                .string("9223372036854775807"),
            ]
        )
    }

    @Test("an identifier is a string, a date is RFC 3339 in UTC, and octets are hexadecimal digits")
    func forms() throws {
        let receipt = try encoded {
            $0.downloadIdentifier = 5
            $0.purchaseDate = Timestamp(millisecondsSince1970: 1)
            $0.opaqueValue = [0xAB, 0x01]
            $0.rawAttributes = [AttributeTemplate(900, value: [0xFF])]
        }
        #expect(receipt["download_id"] == .string("5"))
        #expect(receipt["purchase_date"] == .string("1970-01-01T00:00:00.001Z"))
        #expect(receipt["opaque_value"] == .string("ab01"))
        let undocumented = receipt["undocumented_attributes"]?.elements ?? []
        #expect(
            undocumented == [.object(["type": .number(900), "version": .number(1), "value": .string("ff")])]
        )
    }
}

@Suite("Errors in words")
struct LocalizedErrorTests {
    @Test("localizedDescription names the step, the code and the meaning")
    func words() throws {
        let error = #expect(throws: ReceiptError.self) {
            try Receipts.validator().validate(Data(Receipts.ofAnotherApp))
        }
        let words = try #require(error).localizedDescription
        #expect(words.hasPrefix("bundle-identifier: "))
        #expect(words.contains("\(Refusal.Code.bundleIdentifierMismatch.name)"))
        #expect(error?.failureReason == "\(Refusal.Code.bundleIdentifierMismatch.meaning)")
        #expect(error?.recoverySuggestion?.contains("another app or environment") == true)
    }

    @Test("a refusal has its own words behind `any Error`")
    func refusal() {
        let error: any Error = Refusal(.truncated, at: 7, reading: "INTEGER")
        #expect(error.localizedDescription.contains("at byte 7, reading INTEGER"))
    }

    @Test("every advice has words for the customer")
    func advice() {
        for code in Refusal.Code.all {
            #expect(Refusal(code, at: 0, reading: "test").recoverySuggestion?.isEmpty == false)
        }
    }

    @Test("a failure of the refresher names the reason and the refresh")
    func failure() async throws {
        let refresher = ReceiptRefresher(
            try Receipts.validator(),
            source: FakeSource(.missing),
            request: FakeRequest(fails: true)
        )
        let failure = try #require(try await refresher.validateOrRefresh().failure)
        #expect(failure.localizedDescription.hasPrefix("there is no receipt; the refresh failed: "))
        #expect(failure.recoverySuggestion != nil)
    }
}
