import AppReceipt
import AppReceiptMint
import PKIX
import TestSupport
import Testing

@Suite("Descriptions for logs")
struct DescriptionTests {
    static let bytes = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
        $0.purchases = [PurchaseTemplate(productIdentifier: "com.example.pro")]
    }

    @Test("describe a receipt and a purchase in one line without their bytes")
    func descriptions() throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .pinned([try TrustAnchor(certificate: Minted.mint.root)])
            )
        )
        let receipt = try validator.validate(Self.bytes)
        let purchase = try #require(receipt.purchase(transaction: "1000000000000001"))
        #expect("\(receipt)" == "com.example.app 1, Production, created 2024-06-01T12:00:00Z")
        #expect(
            String(describing: Optional(purchase))
                == "Optional(com.example.pro, transaction 1000000000000001, bought 2024-05-01T12:00:00Z)"
        )
        #expect("\(try UnverifiedReceipt(unverified: Self.bytes))".hasPrefix("unverified: com.example.app"))
        #expect("\(receipt.notChecked[0])" == "revocation")
    }

    @Test("spell out characters that end a line, control a terminal or change the writing direction")
    func printable() throws {
        let text =
            "a\nb\r\u{1B}[31mc\0\u{1F}\u{7F}\u{85}\u{9B}\u{9F}\u{61C}\u{200E}\u{200F}\u{2028}\u{202E}"
            + "\u{2066}\u{2069}\u{FEFF}d"
        let spelt =
            #"a\u{a}b\u{d}\u{1b}[31mc\u{0}\u{1f}\u{7f}\u{85}\u{9b}\u{9f}\u{61c}\u{200e}\u{200f}\u{2028}\u{202e}"#
            + #"\u{2066}\u{2069}\u{feff}d"#
        let harmless = "é\u{301} ~\u{A0}\u{200D}\u{2010}\u{2027}\u{202F}\u{2065}\u{206A}\u{1F600}\\"
        for (text, shown) in [(text, spelt), (harmless, harmless)] {
            let bytes = Minted.mint.receipt(bundleIdentifier: text) {
                $0.appVersion = text
                $0.environment = text
                $0.purchases = [PurchaseTemplate(productIdentifier: text)]
                $0.purchases[0].transactionIdentifier = text
            }
            let receipt = try UnverifiedReceipt(unverified: bytes)
            #expect("\(receipt)" == "unverified: \(shown) \(shown), \(shown), created 2024-06-01T12:00:00Z")
            let purchase = try #require(receipt.unverifiedInAppPurchases.first { _ in true })
            #expect("\(purchase)".hasPrefix("\(shown), transaction \(shown), bought"))
        }
    }

    @Test("leave out absent fields")
    func absences() throws {
        #expect(
            "\(try UnverifiedReceipt(unverifiedPayload: [0x31, 0x00]))" == "unverified: no bundle identifier"
        )
        var template = PurchaseTemplate(productIdentifier: "com.example.pro")
        template.transactionIdentifier = nil
        template.purchaseDate = nil
        let payload = [AttributeTemplate(17, value: template.encoded())].encodedSet()
        let receipt = try UnverifiedReceipt(unverifiedPayload: payload)
        #expect(receipt.unverifiedInAppPurchases.map { "\($0)" } == ["com.example.pro"])
    }

    @Test("describe an attribute by type and size, and a malformed purchase by its refusal")
    func attributes() throws {
        let payload = [AttributeTemplate(17, value: [0x31, 0x00, 0xA5])].encodedSet()
        let receipt = try UnverifiedReceipt(unverifiedPayload: payload)
        #expect(receipt.attributes.map { "\($0)" } == ["attribute 17, 3 bytes"])
        let malformed = try #require(receipt.malformedInAppPurchases.first)
        #expect("\(malformed)".hasPrefix("malformed: der.trailing-bytes at byte 14, reading in-app purchase"))
    }
}
