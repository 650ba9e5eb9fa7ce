import AppReceipt
import AppReceiptFoundation
import AppReceiptMint
import Testing

@Suite("The replay guard in memory")
struct ReplayGuardTests {
    private let purchase = ClaimedPurchase(environment: "Production", originalTransactionIdentifier: "1000")

    @Test("the first account gets a purchase, again whenever it asks, and no other account does")
    func claims() async {
        let memory = ReplayGuardInMemory()
        #expect(await memory.claim(purchase, for: "a") == .granted)
        #expect(await memory.claim(purchase, for: "a") == .alreadyGranted)
        #expect(await memory.claim(purchase, for: "b") == .takenByAnother)
        #expect(await memory.claim(purchase, for: "") == .takenByAnother)
        #expect(await memory.owner(of: purchase) == "a")
        #expect(!ReplayClaim.takenByAnother.isGranted)
        #expect(ReplayClaim.granted.isGranted && ReplayClaim.alreadyGranted.isGranted)
    }

    @Test("of many claims at once, one account gets the purchase")
    func race() async {
        for _ in 0..<20 {
            let memory = ReplayGuardInMemory()
            let purchase = purchase
            let claims = await withTaskGroup(of: ReplayClaim.self) { group in
                for account in 0..<50 { group.addTask { await memory.claim(purchase, for: "\(account)") } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(claims.filter { $0 == .granted }.count == 1)
            #expect(claims.filter { $0 == .takenByAnother }.count == 49)
        }
    }

    @Test("the environment and each byte of the identifiers count")
    func identity() async {
        let memory = ReplayGuardInMemory()
        #expect(await memory.claim(purchase, for: "a") == .granted)
        // é as one scalar and as two: equal for ==, and different bytes.
        let others = [
            ("ProductionSandbox", "1000"), ("Production", "1000 "), ("Production", "01000"),
            ("Production", ""),
            ("Production", "\u{E9}"), ("Production", "e\u{301}"), ("Production1", "000"),
        ]
        for (environment, identifier) in others {
            let other = ClaimedPurchase(environment: environment, originalTransactionIdentifier: identifier)
            #expect(other != purchase)
            #expect(await memory.claim(other, for: "b") == .granted, "\(environment) \(identifier)")
        }
    }

    @Test("accounts are compared byte for byte")
    func accounts() async {
        let memory = ReplayGuardInMemory()
        #expect(await memory.claim(purchase, for: "\u{E9}") == .granted)
        #expect(await memory.claim(purchase, for: "e\u{301}") == .takenByAnother)
        #expect(await memory.release(purchase, by: "e\u{301}") == false)
    }

    @Test("only the owner gives a purchase up, and then it is free")
    func release() async {
        let memory = ReplayGuardInMemory()
        #expect(await memory.release(purchase, by: "a") == false)
        _ = await memory.claim(purchase, for: "a")
        #expect(await memory.release(purchase, by: "b") == false)
        #expect(await memory.owner(of: purchase) == "a")
        #expect(await memory.release(purchase, by: "a"))
        #expect(await memory.owner(of: purchase) == nil)
        #expect(await memory.claim(purchase, for: "b") == .granted)
    }

    private func claimed(_ change: (inout PayloadTemplate) -> Void) throws -> [ClaimedPurchase?] {
        let bytes = Receipts.mint.receipt(bundleIdentifier: "com.example.app", change)
        let expected = try Receipts.validator()
        let receipt = try ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: expected.policy.trust)
        ).validate(bytes)
        return receipt.inAppPurchases.map { ClaimedPurchase($0, in: receipt) }
    }

    @Test("a renewal and a restoration are the purchase of their original transaction")
    func original() throws {
        let claimed = try claimed { payload in
            payload.purchases = ["2", "3"].map { identifier in
                var purchase = PurchaseTemplate(productIdentifier: "a", transactionIdentifier: identifier)
                purchase.originalTransactionIdentifier = "1"
                return purchase
            }
        }
        let expected = ClaimedPurchase(environment: "Production", originalTransactionIdentifier: "1")
        #expect(claimed == [expected, expected])
    }

    @Test(
        "a purchase without an original transaction is its own; one without any identifier cannot be claimed"
    )
    func withoutIdentifiers() throws {
        var purchase = PurchaseTemplate(productIdentifier: "a", transactionIdentifier: "7")
        purchase.originalTransactionIdentifier = nil
        let own = try claimed { $0.purchases = [purchase] }
        #expect(own == [ClaimedPurchase(environment: "Production", originalTransactionIdentifier: "7")])
        purchase.transactionIdentifier = nil
        #expect(try claimed { $0.purchases = [purchase] } == [nil])
        purchase.transactionIdentifier = ""
        purchase.originalTransactionIdentifier = ""
        #expect(try claimed { $0.purchases = [purchase] } == [nil])
    }

    @Test("a purchase of a receipt without an environment cannot be claimed")
    func withoutEnvironment() throws {
        let claimed = try claimed {
            $0.environment = nil
            $0.purchases = [PurchaseTemplate(productIdentifier: "a")]
        }
        #expect(claimed == [nil])
    }
}
