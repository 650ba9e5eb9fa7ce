import AppReceipt
import AppReceiptFoundation
import Foundation
import TestSupport
import Testing

@Suite("Answers of Apple's endpoint", .enabled(if: SharedData.isExpected))
struct RecordedAnswerTests {
    private static let files = (try? SharedData.files(in: "verify-receipt", suffix: ".response.json")) ?? []

    private func answer(_ file: String) async throws -> VerifyReceiptClient.Answer {
        let body = Data(try SharedData.bytes("verify-receipt/\(file)"))
        return try await VerifyReceiptClient(transport: FixedTransport(body: body)).ask(
            .production,
            about: ""
        )
    }

    @Test("there are recorded answers")
    func filesExist() {
        #expect(Self.files.count >= 5)
    }

    @Test("the properties are the members of the recorded answer", arguments: files)
    func recorded(_ file: String) async throws {
        let answer = try await answer(file)
        let json = try JSONValue.parse(SharedData.bytes("verify-receipt/\(file)"))
        #expect(json["status"] == .number(Int64(answer.status.rawValue)))
        #expect(answer.environment == json["environment"]?.string)
        #expect(answer.latestReceipt == json["latest_receipt"]?.string)
        let receipt = json["receipt"]
        #expect((answer.receipt == nil) == (receipt == nil))
        let inApp = receipt?["in_app"]?.elements ?? receipt.map { [$0] } ?? []
        try expect(answer.receipt?.inAppPurchases ?? [], inApp)
        let latest = json["latest_receipt_info"] ?? json["latest_expired_receipt_info"]
        try expect(answer.latestTransactions, latest.map { $0.elements.isEmpty ? [$0] : $0.elements } ?? [])
        #expect(answer.pendingRenewals.count == json["pending_renewal_info"]?.elements.count ?? 0)
    }

    private func expect(
        _ transactions: [VerifyReceiptClient.Answer.Transaction],
        _ elements: [JSONValue]
    ) throws {
        #expect(transactions.count == elements.count)
        for (transaction, element) in zip(transactions, elements) {
            #expect(transaction.productIdentifier == element["product_id"]?.string)
            #expect(transaction.transactionIdentifier == element["transaction_id"]?.string)
            #expect(transaction.originalTransactionIdentifier == element["original_transaction_id"]?.string)
            #expect(transaction.quantity.map { String($0) } == element["quantity"]?.string)
            #expect(milliseconds(transaction.purchaseDate) == element["purchase_date_ms"]?.string)
            #expect(
                milliseconds(transaction.originalPurchaseDate) == element["original_purchase_date_ms"]?.string
            )
            let expires = element["expires_date_ms"] ?? element["expires_date"]
            #expect(milliseconds(transaction.expiresDate) == expires?.string)
            #expect(transaction.isTrialPeriod.map { "\($0)" } == element["is_trial_period"]?.string)
        }
    }

    private func milliseconds(_ time: Timestamp?) -> String? { time.map { String($0.millisecondsSince1970) } }
}

@Suite("Members of an answer")
struct AnswerTests {
    private func answer(_ json: String) async throws -> VerifyReceiptClient.Answer {
        try await VerifyReceiptClient(transport: FixedTransport(body: Data(json.utf8)))
            .ask(.production, about: "")
    }

    @Test("members of a wrong type are nil, and the others are read")
    func wrongTypes() async throws {
        let answer = try await answer(
            """
            {"status": 0, "environment": {}, "latest_receipt": [], "latest_receipt_info": "x",
             "pending_renewal_info": 5, "receipt": {"bundle_id": true, "application_version": 42, "in_app":
             [1, null, {"product_id": "a", "quantity": "many", "purchase_date_ms": "1.5",
                        "is_trial_period": "yes", "expires_date_ms": 1700000000000}, [], "b"]}}
            """
        )
        #expect(answer.environment == nil)
        #expect(answer.latestReceipt == nil)
        #expect(answer.latestTransactions.isEmpty && answer.pendingRenewals.isEmpty)
        #expect(answer.receipt?.bundleIdentifier == nil)
        #expect(answer.receipt?.appVersion == "42")
        let purchase = try #require(answer.receipt?.inAppPurchases.first)
        #expect(answer.receipt?.inAppPurchases.count == 1)
        #expect(purchase.productIdentifier == "a")
        #expect(purchase.quantity == nil && purchase.purchaseDate == nil && purchase.isTrialPeriod == nil)
        #expect(purchase.expiresDate == Timestamp(millisecondsSince1970: 1_700_000_000_000))
    }

    @Test("of two members with one name the last counts, and escapes in names are decoded")
    func duplicates() async throws {
        let answer = try await answer(#"{"status":21002,"st\u0061tus":0,"environment":"Sandb\u006Fx"}"#)
        #expect(answer.status == .valid)
        #expect(answer.environment == "Sandbox")
    }

    @Test("the flat answer about a transaction receipt of version 4 is read with its newer members")
    func versionFour() async throws {
        let answer = try await answer(
            """
            {"status":0,"auto_renew_status":1,"auto_renew_product_id":"b","latest_receipt":"ewo",
             "receipt":{"bid":"com.example.app","product_id":"a","in_app_ownership_type":"FAMILY_SHARED",
             "is_trial_period":"false","is_in_intro_offer_period":"true",
             "subscription_group_identifier":"20400000"},"latest_receipt_info":{"product_id":"b"}}
            """
        )
        let purchase = try #require(answer.receipt?.inAppPurchases.first)
        #expect(purchase.productIdentifier == "a" && purchase.ownershipType == "FAMILY_SHARED")
        #expect(purchase.isTrialPeriod == false && purchase.isInIntroductoryOfferPeriod == true)
        #expect(purchase.subscriptionGroupIdentifier == "20400000")
        #expect(answer.latestTransactions.map(\.productIdentifier) == ["b"])
    }

    @Test("a list of 65,536 elements is read, and one more is a failure of its own")
    func longList() async throws {
        func text(_ count: Int, in list: String = "latest_receipt_info") -> String {
            #"{"status":0,""# + list + #"":["#
                + Array(repeating: "{}", count: count).joined(separator: ",")
                + "]}"
        }
        #expect(try await answer(text(65_536)).latestTransactions.count == 65_536)
        for list in ["latest_receipt_info", "pending_renewal_info"] {
            await #expect { try await answer(text(65_537, in: list)) } throws: {
                if case .listTooLong(65_536)? = $0 as? VerifyReceiptClient.Failure { true } else { false }
            }
        }
    }

    @Test("a quarter of a MiB of the densest JSON is read within a minute", .timeLimit(.minutes(1)))
    func dense() async throws {
        for (head, part, tail) in [
            (#"{"status":0,"x":["#, "0,", "0]}"), (#"{"status":0,"receipt":{"#, #""":0,"#, #""":0}}"#),
            (#"{"status":0,"in_app":["#, "{},", "{}]}"),
        ] {
            let count = (1 << 18) / part.utf8.count
            let text = head + String(repeating: part, count: count) + tail
            #expect(try await answer(text).status == .valid)
        }
    }

    @Test("a refusal in words of the wire is read with its flag and without a receipt")
    func refusal() async throws {
        let answer = try await answer(
            #"{"status":21010,"environment":"Production","is_retryable":false,"exception":"x"}"#
        )
        #expect(answer.status == .accountNotFound)
        #expect(answer.isRetryable == false)
        #expect(answer.receipt == nil)
    }

    @Test("a pending renewal is read from strings")
    func pendingRenewal() async throws {
        let answer = try await answer(
            """
            {"status":0,"pending_renewal_info":[{"original_transaction_id":"1","product_id":"a",
             "auto_renew_product_id":"b","auto_renew_status":"0","expiration_intent":"2",
             "is_in_billing_retry_period":"1","grace_period_expires_date_ms":"1700000000000"}]}
            """
        )
        let renewal = try #require(answer.pendingRenewals.first)
        #expect(renewal.originalTransactionIdentifier == "1")
        #expect(renewal.productIdentifier == "a" && renewal.renewalProductIdentifier == "b")
        #expect(renewal.willRenew == false && renewal.isInBillingRetryPeriod == true)
        #expect(renewal.expirationIntent == 2)
        #expect(renewal.gracePeriodExpiresDate?.millisecondsSince1970 == 1_700_000_000_000)
    }

    @Test("failures name neither the receipt nor the password")
    func noSecrets() async throws {
        let client = VerifyReceiptClient(
            password: "hunter2",
            transport: FixedTransport(body: Data("hunter2".utf8))
        )
        do {
            _ = try await client.verify(base64: "c2VjcmV0")
            Issue.record("accepted")
        } catch {
            for words in [error.localizedDescription, "\(error)", String(reflecting: error)] {
                #expect(!words.contains("hunter2") && !words.contains("c2VjcmV0"))
            }
        }
    }
}
