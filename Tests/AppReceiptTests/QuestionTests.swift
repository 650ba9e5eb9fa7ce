import AppReceipt
import AppReceiptMint
import DER
import TestSupport
import Testing

@Suite("What a shop asks")
struct QuestionTests {
    private static let product = "com.example.pro"
    /// When things are bought, and as good a time as any.
    private static let bought: Int64 = 1_700_000_000_000

    private static func time(_ milliseconds: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: milliseconds)
    }

    private static func purchase(
        _ identifier: String = "1",
        of product: String = product,
        _ change: (inout PurchaseTemplate) -> Void = { _ in }
    ) -> PurchaseTemplate {
        var purchase = PurchaseTemplate(
            productIdentifier: product,
            transactionIdentifier: identifier,
            purchaseDate: time(bought)
        )
        change(&purchase)
        return purchase
    }

    /// In the order of the array.
    private static func receipt(
        _ purchases: [PurchaseTemplate],
        _ change: (inout PayloadTemplate) -> Void = { _ in }
    ) throws -> Receipt {
        let bytes = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
            $0.purchases = purchases
            $0.isSorted = false
            change(&$0)
        }
        return try Minted.validator.validate(bytes)
    }

    // MARK: Products and transactions

    @Test("a receipt contains a product that was bought, unless each purchase of it was cancelled")
    func contains() throws {
        let cancelled = Self.purchase { $0.cancellationDate = Self.time(Self.bought) }
        let good = Self.purchase("2")
        #expect(try Self.receipt([good]).contains(product: Self.product))
        #expect(try Self.receipt([cancelled, good]).contains(product: Self.product))
        #expect(try Self.receipt([good, cancelled]).contains(product: Self.product))
        #expect(try !Self.receipt([cancelled]).contains(product: Self.product))
        #expect(try !Self.receipt([cancelled, cancelled]).contains(product: Self.product))
        #expect(try !Self.receipt([]).contains(product: Self.product))
        // Apple writes an empty date where nothing was cancelled.
        let empty = Self.purchase { $0.rawAttributes = [.ia5String(1712, "")] }
        #expect(try Self.receipt([empty]).contains(product: Self.product))
    }

    @Test(
        "products are compared byte for byte",
        arguments: ["com.example.Pro", "com.example.pro ", "com.example", "", "com.example.pro\0"]
    )
    func otherProduct(_ other: String) throws {
        let receipt = try Self.receipt([Self.purchase()])
        #expect(!receipt.contains(product: other))
        #expect(receipt.purchases(ofProduct: other).isEmpty)
        #expect(receipt.activeSubscription(toProduct: other, at: Self.time(Self.bought)) == nil)
    }

    @Test("a precomposed letter is not a decomposed one")
    func normalisation() throws {
        let receipt = try Self.receipt([Self.purchase("caf\u{E9}", of: "caf\u{E9}")])
        #expect(receipt.contains(product: "caf\u{E9}") && !receipt.contains(product: "cafe\u{301}"))
        #expect(receipt.purchase(transaction: "caf\u{E9}") != nil)
        #expect(receipt.purchase(transaction: "cafe\u{301}") == nil)
    }

    @Test("a malformed purchase grants nothing")
    func malformed() throws {
        let bad = Self.purchase { $0.rawAttributes = [.integer(1713, 2)] }
        let receipt = try Self.receipt([bad])
        #expect(!receipt.contains(product: Self.product))
        #expect(receipt.purchase(transaction: "1") == nil)
        #expect(receipt.purchases(ofProduct: Self.product).isEmpty)
        #expect(receipt.malformedInAppPurchases.count == 1)
    }

    @Test("a purchase is found by its transaction identifier, and not by the original one's")
    func transaction() throws {
        let receipt = try Self.receipt([
            Self.purchase("1"),
            Self.purchase("2", of: "com.example.other") { $0.originalTransactionIdentifier = "0" },
        ])
        #expect(receipt.purchase(transaction: "1")?.productIdentifier == Self.product)
        #expect(receipt.purchase(transaction: "2")?.productIdentifier == "com.example.other")
        for other in ["0", "3", "", "12", "1 "] { #expect(receipt.purchase(transaction: other) == nil) }
    }

    @Test("a purchase without a transaction identifier is found under none")
    func noTransaction() throws {
        let receipt = try Self.receipt([
            Self.purchase { $0.transactionIdentifier = nil }, Self.purchase { $0.transactionIdentifier = "" },
        ])
        #expect(receipt.purchase(transaction: "") == nil)
        #expect(receipt.inAppPurchases.allSatisfy { $0.transactionIdentifier == nil })
    }

    @Test(
        "purchases of a product come in the order of their dates, those without one first, ties as they were"
    )
    func purchasesOfProduct() throws {
        let dates: [(String, Int64?)] = [
            ("e", 5), ("b", nil), ("d", 4), ("f", 5), ("a", -1), ("c", nil), ("g", 5),
        ]
        var purchases = dates.map { name, date in
            Self.purchase(name) { $0.purchaseDate = date.map { Self.time(Self.bought + $0) } }
        }
        purchases.insert(Self.purchase("x", of: "com.example.other"), at: 3)
        purchases[0].cancellationDate = Self.time(Self.bought)
        let found = try Self.receipt(purchases).purchases(ofProduct: Self.product)
        #expect(found.compactMap(\.transactionIdentifier) == ["b", "c", "a", "d", "e", "f", "g"])
    }

    // MARK: Subscriptions

    private static func subscription(
        _ identifier: String = "1",
        of product: String = product,
        from start: Int64? = bought,
        to end: Int64? = bought + 1000,
        cancelled: Int64? = nil
    ) -> PurchaseTemplate {
        purchase(identifier, of: product) {
            $0.productType = 3
            $0.purchaseDate = start.map(time)
            $0.expiresDate = end.map(time)
            $0.cancellationDate = cancelled.map(time)
        }
    }

    private static func active(
        _ receipt: Receipt,
        at milliseconds: Int64,
        gracePeriod: Int64 = 0
    ) -> String? {
        receipt.activeSubscription(
            toProduct: product,
            at: time(milliseconds),
            gracePeriodMilliseconds: gracePeriod
        )?
        .transactionIdentifier
    }

    @Test("a subscription is active from the purchase on, and no longer at its expiry")
    func edges() throws {
        let receipt = try Self.receipt([Self.subscription()])
        for active in [Self.bought, Self.bought + 1, Self.bought + 999] {
            #expect(Self.active(receipt, at: active) == "1", "\(active)")
        }
        for inactive in [.min, 0, Self.bought - 1, Self.bought + 1000, Self.bought + 1001, .max] {
            #expect(Self.active(receipt, at: inactive) == nil, "\(inactive)")
        }
        let expiry = Self.time(Self.bought + 1000)
        #expect(receipt.activeSubscription(toProduct: Self.product, at: expiry) == nil)
    }

    @Test(
        "a grace period moves the expiry, and a negative one is none",
        arguments: [(0, 0), (1, 1), (500, 500), (-1, 0), (.min, 0)] as [(Int64, Int64)]
    )
    func gracePeriod(_ gracePeriod: Int64, _ effective: Int64) throws {
        let receipt = try Self.receipt([Self.subscription()])
        let end = Self.bought + 1000 + effective
        #expect(Self.active(receipt, at: Self.bought - 1, gracePeriod: gracePeriod) == nil)
        #expect(Self.active(receipt, at: Self.bought, gracePeriod: gracePeriod) == "1")
        #expect(Self.active(receipt, at: end - 1, gracePeriod: gracePeriod) == "1")
        #expect(Self.active(receipt, at: end, gracePeriod: gracePeriod) == nil)
    }

    @Test("the longest grace period does not overflow")
    func longestGracePeriod() throws {
        let receipt = try Self.receipt([Self.subscription()])
        #expect(Self.active(receipt, at: Self.bought + 1_000_000_000_000, gracePeriod: .max) == "1")
        #expect(Self.active(receipt, at: .max, gracePeriod: .max) == "1")
        #expect(Self.active(receipt, at: .min, gracePeriod: .max) == nil)
        #expect(Self.active(receipt, at: .max, gracePeriod: .max - 1) == "1")
        #expect(Self.active(receipt, at: .max, gracePeriod: .max - Self.bought - 1000) == nil)
    }

    @Test("an expiry before 1970 overflows nothing either")
    func beforeEpoch() throws {
        let receipt = try Self.receipt([Self.subscription(from: -2000, to: -1000)])
        #expect(Self.active(receipt, at: -1001) == "1")
        #expect(Self.active(receipt, at: -1000) == nil)
        #expect(Self.active(receipt, at: .max) == nil)
        #expect(Self.active(receipt, at: .min) == nil)
        // Longer than any grace period can be.
        #expect(Self.active(receipt, at: .max, gracePeriod: .max) == nil)
    }

    @Test("a subscription is active until it is cancelled, and not at that time")
    func cancelled() throws {
        let receipt = try Self.receipt([Self.subscription(cancelled: Self.bought + 500)])
        #expect(Self.active(receipt, at: Self.bought + 499) == "1")
        for time in [Self.bought + 500, Self.bought + 501] { #expect(Self.active(receipt, at: time) == nil) }
        #expect(Self.active(receipt, at: Self.bought + 1000, gracePeriod: 1000) == nil)
        let atOnce = try Self.receipt([Self.subscription(cancelled: Self.bought)])
        #expect(Self.active(atOnce, at: Self.bought) == nil)
    }

    @Test("of several, the one that lasts longest, in whatever order; of equals, the first")
    func longest() throws {
        let first = Self.subscription("1")
        let longer = Self.subscription("2", to: Self.bought + 2000)
        let later = Self.subscription("3", from: Self.bought + 1500, to: Self.bought + 3000)
        let cancelled = Self.subscription("4", to: Self.bought + 9000, cancelled: Self.bought)
        let other = Self.subscription("5", of: "com.example.other", to: Self.bought + 9000)
        let all = [first, longer, later, cancelled, other]
        for purchases in [all, all.reversed()] {
            let receipt = try Self.receipt(purchases)
            #expect(Self.active(receipt, at: Self.bought) == "2")
            #expect(Self.active(receipt, at: Self.bought + 1499) == "2")
            #expect(Self.active(receipt, at: Self.bought + 1500) == "3")
            #expect(Self.active(receipt, at: Self.bought + 2999) == "3")
            #expect(Self.active(receipt, at: Self.bought + 3000) == nil)
        }
        let equal = try Self.receipt([Self.subscription("1"), Self.subscription("2")])
        #expect(Self.active(equal, at: Self.bought) == "1")
    }

    @Test("a gap between renewals is a gap")
    func gap() throws {
        let receipt = try Self.receipt([
            Self.subscription("1"), Self.subscription("2", from: Self.bought + 2000, to: Self.bought + 3000),
        ])
        #expect(Self.active(receipt, at: Self.bought + 1000) == nil)
        #expect(Self.active(receipt, at: Self.bought + 1999) == nil)
        #expect(Self.active(receipt, at: Self.bought + 1999, gracePeriod: 1000) == "1")
        #expect(Self.active(receipt, at: Self.bought + 2000, gracePeriod: 1001) == "2")
    }

    @Test("what lacks a purchase date or an expiry is no subscription")
    func missingDates() throws {
        let receipt = try Self.receipt([
            Self.subscription(from: nil), Self.subscription(to: nil), Self.subscription(from: nil, to: nil),
        ])
        for time in [.min, Self.bought, .max] {
            #expect(Self.active(receipt, at: time, gracePeriod: .max) == nil)
        }
    }

    @Test("what expires before it is bought was never active")
    func backwards() throws {
        let receipt = try Self.receipt([Self.subscription(to: Self.bought - 1)])
        for time in [Self.bought - 2, Self.bought - 1, Self.bought] {
            #expect(Self.active(receipt, at: time) == nil)
        }
    }

    // MARK: Introductory offers

    private static func isEligible(
        _ purchases: [PurchaseTemplate],
        _ group: [String] = [product, "com.example.plus"]
    ) throws -> Bool {
        try receipt(purchases).isEligibleForIntroductoryOffer(inProducts: group)
    }

    @Test("whoever bought none of the group, or without an offer, may have one")
    func eligible() throws {
        let none = Self.purchase {
            $0.isTrialPeriod = false
            $0.isInIntroductoryOfferPeriod = false
        }
        let other = Self.purchase(of: "com.example.other") { $0.isTrialPeriod = true }
        #expect(try Self.isEligible([]))
        #expect(try Self.isEligible([Self.purchase()]))
        #expect(try Self.isEligible([none]))
        #expect(try Self.isEligible([other, none]))
    }

    @Test("whoever had a trial or an introductory offer in the group may have no other, cancelled or not")
    func ineligible() throws {
        let trial = Self.purchase {
            $0.isTrialPeriod = true
            $0.isInIntroductoryOfferPeriod = false
        }
        let introductory = Self.purchase(of: "com.example.plus") { $0.isInIntroductoryOfferPeriod = true }
        let cancelled = Self.purchase {
            $0.isTrialPeriod = true
            $0.cancellationDate = Self.time(Self.bought)
        }
        for purchase in [trial, introductory, cancelled] {
            #expect(try !Self.isEligible([purchase]))
            #expect(try !Self.isEligible([Self.purchase(), purchase]))
            #expect(try Self.isEligible([purchase], ["com.example.else"]))
        }
    }

    @Test("where a purchase does not decode, or nothing is asked about, the answer is no")
    func doubt() throws {
        let malformed = Self.purchase(of: "com.example.other") { $0.quantity = -1 }
        #expect(try !Self.isEligible([malformed]))
        #expect(try !Self.isEligible([Self.purchase(), malformed]))
        #expect(try !Self.isEligible([Self.purchase()], []))
        #expect(try !Self.isEligible([], []))
    }

    // MARK: The app itself

    @Test("the original purchase is the version and date that were first bought, each absent by itself")
    func originalPurchase() throws {
        let both = try Self.receipt([]) {
            $0.originalAppVersion = "0.9"
            $0.originalPurchaseDate = Self.time(Self.bought)
        }.originalPurchase
        #expect(both.appVersion == "0.9" && both.date == Self.time(Self.bought))
        let empty = try Self.receipt([]) {
            $0.originalAppVersion = ""
            $0.originalPurchaseDate = nil
            $0.purchaseDate = Self.time(Self.bought)
        }.originalPurchase
        #expect(empty.appVersion == nil && empty.date == nil)
    }
}
