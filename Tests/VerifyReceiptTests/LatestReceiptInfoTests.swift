import AppReceipt
import AppReceiptMint
import Basics
import DER
import TestSupport
import Testing
import VerifyReceipt

@Suite("The list of purchases in answers, latest_receipt_info")
struct LatestReceiptInfoTests {
    private static let listing = ReceiptEndpoint(
        .production,
        ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: Minted.trust),
        listsPurchases: true
    )

    private static func time(_ day: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: 1_700_000_000_000) + .days(day)
    }

    private static func purchase(_ name: String, bought: Int64?, expires: Int64? = nil) -> PurchaseTemplate {
        var purchase = PurchaseTemplate(productIdentifier: "com.example.pro", transactionIdentifier: name)
        purchase.purchaseDate = bought.map(time)
        purchase.expiresDate = expires.map(time)
        return purchase
    }

    private static func receipt(_ purchases: [PurchaseTemplate]) -> [UInt8] {
        Minted.mint.receipt(bundleIdentifier: "com.example.app") {
            $0.purchases = purchases
            $0.isSorted = false
        }
    }

    @Test("is absent by default, and the rest of an answer is the same with and without it")
    func optional() throws {
        let receipt = Self.receipt([Self.purchase("1", bought: 1, expires: 31)])
        let plain = Minted.production.answer(receipt: receipt)
        #expect(try plain.json.names == ["status", "environment", "receipt"])
        #expect(!Minted.production.listsPurchases && Self.listing.listsPurchases)
        let json = try Self.listing.answer(receipt: receipt).json
        #expect(json.names == ["status", "environment", "receipt", "latest_receipt_info"])
        #expect(try json.without(["latest_receipt_info"]) == plain.json)
    }

    @Test("has all purchases as in_app has them, in the order of their dates, undated ones first")
    func order() throws {
        let receipt = Self.receipt([
            Self.purchase("d", bought: 9, expires: 39), Self.purchase("c", bought: 4),
            Self.purchase("a", bought: nil), Self.purchase("e", bought: 9), Self.purchase("b", bought: nil),
        ])
        let json = try Self.listing.answer(receipt: receipt).json
        let (list, purchases) = (json["latest_receipt_info"], json["receipt"]?["in_app"])
        #expect(list?.elements.compactMap { $0["transaction_id"]?.string } == ["a", "b", "c", "d", "e"])
        #expect(purchases?.elements.compactMap { $0["transaction_id"]?.string } == ["d", "c", "a", "e", "b"])
        for purchase in purchases?.elements ?? [] {
            #expect(list?.elements.contains(purchase) == true, "\(purchase)")
        }
        #expect(list?.elements.count == 5)
    }

    @Test("is absent if no purchase has an expiration date, and leaves out malformed purchases")
    func absent() throws {
        var malformed = Self.purchase("2", bought: 2, expires: 32)
        malformed.quantity = -1
        for purchases in [[], [Self.purchase("1", bought: 1)], [malformed]] {
            let json = try Self.listing.answer(receipt: Self.receipt(purchases)).json
            #expect(json.names == ["status", "environment", "receipt"])
        }
        let both = Self.receipt([malformed, Self.purchase("1", bought: 1, expires: 31)])
        let list = try Self.listing.answer(receipt: both).json["latest_receipt_info"]
        #expect(list?.elements.map { $0["transaction_id"] } == [.string("1")])
    }

    @Test("ignores exclude-old-transactions, as the recorded answer of 2017 did")
    func oldTransactions() throws {
        let receipt = Self.receipt([
            Self.purchase("1", bought: 1, expires: 31), Self.purchase("2", bought: 31, expires: 61),
        ])
        let answer = Self.listing.answer(receipt: receipt, ",\"exclude-old-transactions\":true")
        #expect(try answer.json["latest_receipt_info"]?.elements.count == 2)
    }

    @Test("is in no refusal")
    func refusals() throws {
        let strict = ReceiptEndpoint(
            .production,
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: Minted.trust),
            sharedSecrets: [[1]],
            listsPurchases: true
        )
        let receipt = Self.receipt([Self.purchase("1", bought: 1, expires: 31)])
        for (endpoint, bytes) in [
            (strict, receipt), (Self.listing, Minted.sandboxReceipt), (Self.listing, [0x30, 0x00]),
            (ReceiptEndpoint(.production, listsPurchases: true), receipt),
        ] {
            let answer = endpoint.answer(receipt: bytes)
            #expect(answer.status != .valid)
            #expect(try answer.json.names.allSatisfy { ["status", "environment"].contains($0) })
        }
    }

    @Test("lists hundreds of purchases in linear time")
    func many() throws {
        let purchases = (0..<2000).map {
            Self.purchase("\($0)", bought: Int64($0 * 7919 % 2000), expires: 9999)
        }
        let list = try Self.listing.answer(receipt: Self.receipt(purchases)).json["latest_receipt_info"]
        let dates = list?.elements.compactMap { $0["purchase_date_ms"]?.string } ?? []
        #expect(dates.count == 2000 && dates == dates.sorted())
    }

    // MARK: Recorded answers

    /// The members that Apple's database had changed or added when it answered, by the recording's name.
    private static func changed(in name: String) -> [String] {
        let original = ["original_purchase_date", "original_purchase_date_ms", "original_purchase_date_pst"]
        return switch name {
        case "revenuecat-sampleapp-2020": ["subscription_group_identifier"]
        case let name where name.contains("-20170724"): original
        case let name where name.hasSuffix("-20180105"): original + ["is_in_intro_offer_period"]
        default: []
        }
    }

    /// Apple's answer has a member latest_receipt, and no list.
    private static let withoutList = "linjunpop-griddiary-2016-autorenew-to-sandbox-201810"

    @Test(
        "equals Apple's recorded list in the receipt's own purchases, in names, values and order",
        .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"),
        arguments: RecordedAnswer.valid
    )
    func recorded(_ recorded: RecordedAnswer) throws {
        let endpoint = ReceiptEndpoint(.sandbox, listsPurchases: true)
        let found = try endpoint.answer(request(text: recorded.text)).json["latest_receipt_info"]
        let theirs = try OrderedJSON(recorded.answer)["latest_receipt_info"]
        guard recorded.name != Self.withoutList else {
            #expect(theirs == nil && found?.elements.count == 15)
            return
        }
        #expect((found == nil) == (theirs == nil))
        let own = Set((found?.elements ?? []).compactMap { $0["transaction_id"]?.string })
        let changed = Self.changed(in: recorded.name)
        func comparable(_ list: OrderedJSON?) -> [OrderedJSON] {
            (list?.elements ?? []).filter { $0["transaction_id"]?.string.map(own.contains) ?? false }
                .map { $0.without(changed) }
        }
        #expect(comparable(found) == comparable(theirs))
        #expect(comparable(found).count == found?.elements.count ?? 0)
    }
}
