import AppReceipt
import AppReceiptMint
import PKIX
import TestSupport
import Testing

@Suite("What a log shows")
struct DescriptionTests {
    static let bytes = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
        $0.purchases = [PurchaseTemplate(productIdentifier: "com.example.pro")]
    }

    @Test("a receipt and a purchase are described in a line, and never dumped")
    func descriptions() throws {
        let validator = ReceiptValidator(
            environments: .any,
            bundleIdentifier: .any,
            trust: .pinned([try TrustAnchor(certificate: Minted.mint.root)])
        )
        let receipt = try validator.validate(Self.bytes)
        let purchase = try #require(receipt.purchase(transaction: "1000000000000001"))
        #expect("\(receipt)" == "com.example.app 1, Production, created 2024-06-01T12:00:00Z")
        #expect(
            String(describing: Optional(purchase))
                == "Optional(com.example.pro, transaction 1000000000000001, bought 2024-05-01T12:00:00Z)"
        )
        #expect("\(try UnverifiedReceipt(unverified: Self.bytes))".hasPrefix("unverified: com.example.app"))
        #expect("\(receipt.notChecked[0])" == "environment")
    }
}
