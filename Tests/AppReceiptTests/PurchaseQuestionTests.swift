import AppReceipt
import AppReceiptMint
import DER
import TestSupport
import Testing

@Suite("Questions about all purchases of a receipt")
struct PurchaseQuestionTests {
    private static let bought: Int64 = 1_700_000_000_000

    private static func time(_ milliseconds: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: bought + milliseconds)
    }

    private static func purchase(
        _ identifier: String,
        of product: String,
        original: String? = nil,
        at milliseconds: Int64? = 0,
        cancelled: Int64? = nil,
        reason: Int64? = nil,
        type: Int64? = 3,
        ownership: [Int64] = []
    ) -> PurchaseTemplate {
        var purchase = PurchaseTemplate(productIdentifier: product, transactionIdentifier: identifier)
        purchase.originalTransactionIdentifier = original
        purchase.purchaseDate = milliseconds.map(time)
        purchase.cancellationDate = cancelled.map(time)
        purchase.cancellationReason = reason
        purchase.productType = type
        purchase.rawAttributes = ownership.map { .integer(1722, $0) }
        return purchase
    }

    private static func receipt(_ purchases: [PurchaseTemplate]) throws -> Receipt {
        let bytes = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
            $0.purchases = purchases
            $0.isSorted = false
        }
        return try Minted.validator.validate(bytes)
    }

    @Test("each product ever bought is listed once, in the order of the receipt, by bytes")
    func products() throws {
        let receipt = try Self.receipt([
            Self.purchase("1", of: "b"), Self.purchase("2", of: "a", cancelled: 1),
            Self.purchase("3", of: "b"), Self.purchase("4", of: "caf\u{E9}"),
            Self.purchase("5", of: "cafe\u{301}"), Self.purchase("6", of: "a"),
        ])
        #expect(
            receipt.allProductIdentifiers.map { Array($0.utf8) }
                == ["b", "a", "caf\u{E9}", "cafe\u{301}"].map {
                    Array($0.utf8)
                }
        )
        #expect(try Self.receipt([]).allProductIdentifiers.isEmpty)
    }

    @Test("a product that was bought is not taken for a shared one")
    func ownership() throws {
        func ownership(_ purchases: PurchaseTemplate...) throws -> InAppPurchase.Ownership? {
            try Self.receipt(purchases).ownership(ofProduct: "p")
        }
        let shared = Self.purchase("1", of: "p", ownership: [1])
        let bought = Self.purchase("2", of: "p", ownership: [0])
        #expect(try ownership(shared) == .familyShared)
        #expect(try ownership(bought) == .purchased)
        #expect(try ownership(shared, bought) == .purchased)
        #expect(try ownership(bought, shared) == .purchased)
        // Refunded, of another product, unknown, repeated, and from before 2021.
        #expect(
            try ownership(Self.purchase("3", of: "p", cancelled: 1, ownership: [0]), shared) == .familyShared
        )
        #expect(try ownership(Self.purchase("4", of: "q", ownership: [0])) == nil)
        #expect(try ownership(Self.purchase("5", of: "p", ownership: [2])) == nil)
        #expect(try ownership(Self.purchase("6", of: "p", ownership: [0, 0])) == nil)
        #expect(try ownership(Self.purchase("7", of: "p")) == nil)
        #expect(try ownership() == nil)
    }

    @Test("a renewal chain has all purchases of the original transaction, by date, and no other")
    func chain() throws {
        let receipt = try Self.receipt([
            Self.purchase("30", of: "yearly", original: "10", at: 30),
            Self.purchase("20", of: "monthly", original: "10", at: 20, cancelled: 25),
            Self.purchase("10", of: "monthly", original: "10", at: 10),
            Self.purchase("11", of: "monthly", original: "11", at: 5),
            Self.purchase("100", of: "monthly", original: "100", at: 6),
            Self.purchase("21", of: "monthly", original: "10", at: nil),
            Self.purchase("22", of: "monthly", original: "10", at: 20),
        ])
        func chain(_ identifier: String) -> [String?] {
            receipt.renewals(ofOriginalTransaction: identifier).map(\.transactionIdentifier)
        }
        #expect(chain("10") == ["21", "10", "20", "22", "30"])
        #expect(chain("11") == ["11"])
        for other in ["", "1", "12", "10 ", "1\u{FF10}"] { #expect(chain(other).isEmpty) }
        // The first purchase of a chain may not name itself as the original.
        let first = try Self.receipt([
            Self.purchase("1", of: "p"), Self.purchase("2", of: "p", original: "1", at: 1),
        ])
        #expect(first.renewals(ofOriginalTransaction: "1").count == 2)
    }

    @Test("only a subscription that was cancelled without a reason is an upgrade")
    func upgrades() throws {
        let receipt = try Self.receipt([
            Self.purchase("1", of: "p", cancelled: 1), Self.purchase("2", of: "p", cancelled: 1, reason: 0),
            Self.purchase("3", of: "p", cancelled: 1, reason: 1), Self.purchase("4", of: "p"),
            Self.purchase("5", of: "p", cancelled: 1, type: 0),
            Self.purchase("6", of: "p", cancelled: 1, type: nil),
            Self.purchase("7", of: "q", cancelled: 2),
        ])
        #expect(receipt.upgradedPurchases.map(\.transactionIdentifier) == ["1", "7"])
        #expect(receipt.inAppPurchases.filter(\.isUpgraded).count == 2)
    }
}
