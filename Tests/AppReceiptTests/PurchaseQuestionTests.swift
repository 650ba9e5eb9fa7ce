import AppReceipt
import AppReceiptMint
import Basics
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

    @Test("only a subscription that was cancelled without a reason is an upgrade")
    func upgrades() throws {
        let receipt = try Self.receipt([
            Self.purchase("1", of: "p", cancelled: 1), Self.purchase("2", of: "p", cancelled: 1, reason: 0),
            Self.purchase("3", of: "p", cancelled: 1, reason: 1), Self.purchase("4", of: "p"),
            Self.purchase("5", of: "p", cancelled: 1, type: 0),
            Self.purchase("6", of: "p", cancelled: 1, type: nil),
            Self.purchase("7", of: "q", cancelled: 2),
        ])
        #expect(receipt.inAppPurchases.filter(\.isUpgraded).map(\.transactionIdentifier) == ["1", "7"])
    }
}
