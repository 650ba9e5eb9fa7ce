import AppReceipt
import AppReceiptMint
import Basics
import DER
import Foundation
import TestSupport
import Testing
import VerifyReceipt

@Suite("The members of an answer")
struct FieldTests {
    private static let date = Timestamp(millisecondsSince1970: 1_717_243_200_000)

    /// A date's three names.
    private static func triplet(_ name: String) -> [String] { [name, "\(name)_ms", "\(name)_pst"] }

    private static func full(_ payload: inout PayloadTemplate) {
        payload.downloadIdentifier = 500_000_000_000_000_001
        payload.versionExternalIdentifier = 812_345_678
        payload.originalPurchaseDate = date
        payload.expirationDate = date
        payload.rawAttributes = [.date(32, date)]
        payload.developerIdentifier = 7
        payload.purchaseDate = date
        payload.platform = 3
    }

    @Test("of a receipt with every attribute are Apple's, in Apple's order, and no others")
    func order() throws {
        let receipt = try answered { Self.full(&$0) }
        let expected =
            [
                "receipt_type", "adam_id", "app_item_id", "bundle_id", "application_version", "download_id",
                "version_external_identifier",
            ] + Self.triplet("receipt_creation_date") + Self.triplet("request_date")
            + Self.triplet("original_purchase_date") + ["original_application_version"]
            + Self.triplet("preorder_date") + Self.triplet("expiration_date") + ["in_app"]
        #expect(receipt.names == expected)
        #expect(
            receipt["adam_id"] == .number("1234567890") && receipt["app_item_id"] == .number("1234567890")
        )
        // More digits than binary64 holds.
        #expect(receipt["download_id"] == .number("500000000000000001"))
        #expect(receipt["version_external_identifier"] == .number("812345678"))
        #expect(receipt["in_app"] == .array([]))
        #expect(receipt["request_date"] == .string("2024-06-01 12:34:56 Etc/GMT"))
        #expect(receipt["request_date_ms"] == .string("1717245296789"))
    }

    @Test("of a receipt with few attributes are absent, and only download_id is null")
    func fewest() throws {
        let receipt = try answered {
            $0.appStoreIdentifier = nil
            $0.bundleIdentifier = nil
            $0.appVersion = nil
            $0.originalAppVersion = nil
        }
        #expect(
            receipt.names == ["receipt_type", "download_id"] + Self.triplet("receipt_creation_date")
                + Self.triplet("request_date") + ["in_app"]
        )
        #expect(receipt["download_id"] == .null)
    }

    @Test("of a malformed or empty attribute are absent")
    func malformed() throws {
        let receipt = try answered {
            $0.appStoreIdentifier = nil
            $0.downloadIdentifier = nil
            $0.originalAppVersion = nil
            $0.rawAttributes = [
                .utf8String(1, "1"), .utf8String(15, "1"), .ia5String(18, "yesterday"), .utf8String(19, ""),
                .ia5String(32, ""),
            ]
        }
        #expect(receipt["adam_id"] == nil && receipt["original_purchase_date"] == nil)
        #expect(receipt["original_application_version"] == nil && receipt["preorder_date"] == nil)
        #expect(receipt["download_id"] == .null)
    }

    @Test("of a purchase with every attribute are Apple's, in Apple's order, and no others")
    func purchaseOrder() throws {
        let purchase = try answeredPurchase {
            $0.productType = 3
            $0.expiresDate = Self.date
            $0.cancellationDate = Self.date
            $0.webOrderLineItemIdentifier = 576_460_752_303_423_487
            $0.isTrialPeriod = true
            $0.isInIntroductoryOfferPeriod = false
            $0.cancellationReason = 1
            $0.promotionalOfferIdentifier = "offer"
            $0.rawAttributes = [.integer(1722, 1), .integer(1710, 5), .utf8String(1709, "x")]
        }
        let expected =
            ["quantity", "product_id", "transaction_id", "original_transaction_id"]
            + Self.triplet("purchase_date") + Self.triplet("original_purchase_date")
            + Self.triplet("expires_date") + Self.triplet("cancellation_date")
            + [
                "web_order_line_item_id", "is_trial_period", "is_in_intro_offer_period",
                "cancellation_reason", "in_app_ownership_type", "promotional_offer_id",
            ]
        #expect(purchase.names == expected)
        // Every value of a purchase is a string.
        #expect(purchase.members.allSatisfy { $0.value.string != nil })
        #expect(purchase["quantity"] == .string("1"))
        #expect(purchase["web_order_line_item_id"] == .string("576460752303423487"))
        #expect(purchase["is_trial_period"] == .string("true"))
        #expect(purchase["is_in_intro_offer_period"] == .string("false"))
        #expect(purchase["cancellation_reason"] == .string("1"))
        #expect(purchase["in_app_ownership_type"] == .string("FAMILY_SHARED"))
        #expect(purchase["promotional_offer_id"] == .string("offer"))
    }

    @Test("of a purchase are absent if the attribute is absent or empty, or the web order is 0")
    func absent() throws {
        let purchase = try answeredPurchase {
            $0.quantity = nil
            $0.transactionIdentifier = nil
            $0.originalTransactionIdentifier = nil
            $0.purchaseDate = nil
            $0.originalPurchaseDate = nil
            $0.webOrderLineItemIdentifier = 0
            $0.rawAttributes = [.ia5String(1708, ""), .ia5String(1712, "")]
        }
        #expect(purchase.names == ["product_id"])
    }

    @Test(
        "of the ownership are there only for the two known numbers",
        arguments: [(0, "PURCHASED"), (1, "FAMILY_SHARED"), (2, nil), (255, nil)] as [(Int64, String?)]
    )
    func ownership(_ number: Int64, _ name: String?) throws {
        let purchase = try answeredPurchase { $0.rawAttributes = [.integer(1722, number)] }
        #expect(purchase["in_app_ownership_type"] == name.map { .string($0) })
    }

    @Test(
        "of the reason and the quantity have any number",
        arguments: [
            0, 1, 9, 10, 99, 100, 101, 12_345_678, 99_999_999, 100_000_000, 100_000_001,
            1_200_000_000_000_000,
            9_999_999_999_999_999, 10_000_000_000_000_000, Int64.max,
        ]
    )
    func numbers(_ number: Int64) throws {
        let purchase = try answeredPurchase {
            $0.quantity = number
            $0.cancellationReason = number
            $0.webOrderLineItemIdentifier = number
        }
        #expect(purchase["quantity"] == .string("\(number)"))
        #expect(purchase["cancellation_reason"] == .string("\(number)"))
        #expect(purchase["web_order_line_item_id"] == (number == 0 ? nil : .string("\(number)")))
    }

    @Test("keep the order of the purchases in the receipt, and leave out a purchase that does not decode")
    func purchases() throws {
        let names = ["c", "a", "b", "a"]
        let receipt = try answered {
            $0.isSorted = false
            $0.purchases = names.map { PurchaseTemplate(productIdentifier: $0) }
            $0.rawAttributes = [AttributeTemplate(17, value: [0x31, 0x00])]
        }
        #expect(receipt["in_app"]?.elements.map { $0["product_id"] } == names.map { .string($0) })
    }

    @Test(
        "hold every string as the receipt has it",
        arguments: [
            "é", "e\u{301}", "\"", "\\", "a\\u0041", "\u{0}", "\u{1}\u{1F}\u{7F}\u{80}\u{9F}",
            "a\nb\r\tc\u{8}\u{C}",
            "🧾", "\u{2028}\u{2029}", "\u{202E}abc", "\u{FEFF}", "</script>", "\u{10FFFF}",
            String(repeating: "x", count: 100) + "\"",
            "aaaaaaa\"", "aaaaaaaa\"", "\"aaaaaaaaa", "aaaaaaaaaaaa\\aaaaa", "aaaaaaaaaa\u{1F}aaaaaaa",
            "aaaaaaaa aaaaaaaaaa!", "aaaaaaaaaa\u{7F}aaaaaaa",
        ]
    )
    func strings(_ text: String) throws {
        let receipt = try answered {
            $0.bundleIdentifier = text
            $0.appVersion = text
            $0.originalAppVersion = text
            $0.purchases = [PurchaseTemplate(productIdentifier: text, transactionIdentifier: text)]
        }
        let purchase = try #require(receipt["in_app"]?.elements.first)
        for found in [
            receipt["bundle_id"], receipt["application_version"], receipt["original_application_version"],
            purchase["product_id"], purchase["transaction_id"], purchase["original_transaction_id"],
        ] {
            #expect(found == .string(text))
        }
    }

    @Test("are in one line of printable characters, as Apple's strings are with slashes")
    func line() {
        let receipt = Minted.mint.receipt(bundleIdentifier: "a\nb/c\u{2028}\u{1B}[0m")
        let answer = Minted.production.answer(receipt: receipt)
        #expect(answer.status == .valid)
        #expect(answer.body.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
        #expect(answer.text.contains("2024-06-01 12:00:00 Etc/GMT") && answer.text.contains("b/c"))
    }

    @Test("of a receipt alone equal those in its answer")
    func alone() throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: Minted.trust)
        )
        let receipt = try validator.validate(Minted.receipt)
        let object = try OrderedJSON(receipt.verifyReceiptObject(requestedAt: Minted.now))
        #expect(try object == Minted.production.answer(TestRequests.valid).receipt)
    }

    @Test("never hold what only Apple's database knows")
    func database() throws {
        let json = try Minted.production.answer(
            receipt: Minted.receipt,
            ",\"password\":\"x\",\"exclude-old-transactions\":false"
        ).json
        #expect(json.names == ["status", "environment", "receipt"])
    }
}
