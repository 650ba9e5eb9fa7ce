import AppReceipt
import AppReceiptMint
import Basics
import Testing

@Suite("Questions about a receipt")
struct QuestionTests {
    private static let product = "com.example.pro"
    /// The time of all purchases that state no other, in milliseconds since 1970.
    private static let bought: Int64 = 1_700_000_000_000
    /// The creation date of all receipts that state no other, before every purchase: a time before it counts
    /// as it.
    private static let made: Int64 = 1_000_000_000_000

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

    /// A validated receipt with these purchases, in the order of the array.
    private static func receipt(
        _ purchases: [PurchaseTemplate],
        _ change: (inout PayloadTemplate) -> Void = { _ in }
    ) throws -> Receipt {
        let bytes = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
            $0.purchases = purchases
            $0.creationDate = time(made)
            $0.isSorted = false
            change(&$0)
        }
        return try Minted.validator.validate(bytes)
    }

    // MARK: Products and transactions

    @Test("contains a product if one purchase of it is not cancelled")
    func contains() throws {
        let cancelled = Self.purchase { $0.cancellationDate = Self.time(Self.bought) }
        let good = Self.purchase("2")
        #expect(try Self.receipt([good]).contains(product: Self.product))
        #expect(try Self.receipt([cancelled, good]).contains(product: Self.product))
        #expect(try Self.receipt([good, cancelled]).contains(product: Self.product))
        #expect(try !Self.receipt([cancelled]).contains(product: Self.product))
        #expect(try !Self.receipt([cancelled, cancelled]).contains(product: Self.product))
        #expect(try !Self.receipt([]).contains(product: Self.product))
        // Apple writes an empty cancellation date into purchases that are not cancelled.
        let empty = Self.purchase { $0.rawAttributes = [.ia5String(1712, "")] }
        #expect(try Self.receipt([empty]).contains(product: Self.product))
    }

    @Test(
        "compares product identifiers byte for byte",
        arguments: ["com.example.Pro", "com.example.pro ", "com.example", "", "com.example.pro\0"]
    )
    func otherProduct(_ other: String) throws {
        let receipt = try Self.receipt([Self.purchase()])
        #expect(!receipt.contains(product: other))
        #expect(receipt.purchases(ofProduct: other).isEmpty)
        #expect(receipt.activeSubscription(toProduct: other, at: Self.time(Self.bought)) == nil)
    }

    @Test("tells a precomposed letter from a decomposed one")
    func normalisation() throws {
        let receipt = try Self.receipt([Self.purchase("caf\u{E9}", of: "caf\u{E9}")])
        #expect(receipt.contains(product: "caf\u{E9}") && !receipt.contains(product: "cafe\u{301}"))
        #expect(receipt.purchase(transaction: "caf\u{E9}") != nil)
        #expect(receipt.purchase(transaction: "cafe\u{301}") == nil)
    }

    @Test("grants nothing for a malformed purchase")
    func malformed() throws {
        let bad = Self.purchase { $0.rawAttributes = [.integer(1713, 2)] }
        let receipt = try Self.receipt([bad])
        #expect(!receipt.contains(product: Self.product))
        #expect(receipt.purchase(transaction: "1") == nil)
        #expect(receipt.purchases(ofProduct: Self.product).isEmpty)
        #expect(receipt.malformedInAppPurchases.count == 1)
    }

    @Test("finds a purchase by its transaction identifier, not by the original one")
    func transaction() throws {
        let receipt = try Self.receipt([
            Self.purchase("1"),
            Self.purchase("2", of: "com.example.other") { $0.originalTransactionIdentifier = "0" },
        ])
        #expect(receipt.purchase(transaction: "1")?.productIdentifier == Self.product)
        #expect(receipt.purchase(transaction: "2")?.productIdentifier == "com.example.other")
        for other in ["0", "3", "", "12", "1 "] { #expect(receipt.purchase(transaction: other) == nil) }
    }

    @Test("finds the first of several purchases with one transaction identifier")
    func firstTransaction() throws {
        let products = ["first", "second", "third"].map { Self.purchase("1", of: $0) }
        for purchases in [products, products.reversed()] {
            let receipt = try Self.receipt([Self.purchase("0")] + purchases)
            let found = receipt.purchase(transaction: "1")
            #expect(found?.productIdentifier == purchases[0].productIdentifier)
        }
    }

    @Test("finds no purchase without a transaction identifier by an empty identifier")
    func noTransaction() throws {
        let receipt = try Self.receipt([
            Self.purchase { $0.transactionIdentifier = nil }, Self.purchase { $0.transactionIdentifier = "" },
        ])
        #expect(receipt.purchase(transaction: "") == nil)
        #expect(receipt.inAppPurchases.allSatisfy { $0.transactionIdentifier == nil })
    }

    @Test(
        "sorts a product's purchases by date: undated ones first, ties in the order of the receipt"
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
            gracePeriod: .milliseconds(gracePeriod)
        )?
        .transactionIdentifier
    }

    @Test("treats a subscription as active from its purchase until just before its expiry")
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
        "a grace period moves the expiry, and a negative one counts as zero",
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

    @Test("survives the longest grace period without overflow")
    func longestGracePeriod() throws {
        let receipt = try Self.receipt([Self.subscription()])
        #expect(Self.active(receipt, at: Self.bought + 1_000_000_000_000, gracePeriod: .max) == "1")
        #expect(Self.active(receipt, at: .max, gracePeriod: .max) == "1")
        #expect(Self.active(receipt, at: .min, gracePeriod: .max) == nil)
        #expect(Self.active(receipt, at: .max, gracePeriod: .max - 1) == "1")
        #expect(Self.active(receipt, at: .max, gracePeriod: .max - Self.bought - 1000) == nil)
    }

    @Test("survives an expiry before 1970 without overflow")
    func beforeEpoch() throws {
        let receipt = try Self.receipt([Self.subscription(from: -2000, to: -1000)])
        for time in [Int64.min, -1001, -1000, 0, .max] { #expect(Self.active(receipt, at: time) == nil) }
        #expect(Self.active(receipt, at: .min, gracePeriod: Self.made + 1001) == "1")
        #expect(Self.active(receipt, at: .min, gracePeriod: Self.made + 1000) == nil)
        // The time since the expiry exceeds every grace period.
        #expect(Self.active(receipt, at: .max, gracePeriod: .max) == nil)
    }

    @Test("treats a subscription as active until just before its cancellation")
    func cancelled() throws {
        let receipt = try Self.receipt([Self.subscription(cancelled: Self.bought + 500)])
        #expect(Self.active(receipt, at: Self.bought + 499) == "1")
        for time in [Self.bought + 500, Self.bought + 501] { #expect(Self.active(receipt, at: time) == nil) }
        #expect(Self.active(receipt, at: Self.bought + 1000, gracePeriod: 1000) == nil)
        let atOnce = try Self.receipt([Self.subscription(cancelled: Self.bought)])
        #expect(Self.active(atOnce, at: Self.bought) == nil)
    }

    @Test("chooses the subscription that expires last, and the first of equals")
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

    // MARK: Slow clocks

    @Test(
        "a purchase is active from its receipt's creation on, however slow the clock is",
        arguments: [-1, 0, 1, 90_000, .max] as [Int64]
    )
    func slowClock(_ gracePeriod: Int64) throws {
        let receipt = try Self.receipt([Self.subscription(from: Self.bought, to: Self.bought + 3_600_000)]) {
            $0.creationDate = Self.time(Self.bought + 2000)
        }
        for time in [.min, 0, Self.bought - 90_000, Self.bought - 1, Self.bought, Self.bought + 3_599_999] {
            #expect(Self.active(receipt, at: time, gracePeriod: gracePeriod) == "1", "\(time)")
            for purchase in [
                receipt.activeSubscription(toProduct: Self.product, at: Self.time(time)),
                receipt.activeSubscriptions(toAnyOf: [Self.product], at: Self.time(time)).first,
            ] {
                #expect(purchase?.transactionIdentifier == "1", "\(time)")
            }
        }
    }

    @Test("a slow clock does not revive what had expired or was cancelled when the receipt was made")
    func slowClockGrantsNothing() throws {
        let (made, product) = (Self.bought + 500_000, Self.product)
        let purchases = [
            // Expired at the creation date, cancelled at it, and bought after it.
            Self.subscription("1", to: made),
            Self.subscription("2", to: made + 9000, cancelled: made),
            Self.subscription("3", from: made + 1, to: made + 9000),
        ]
        let receipt = try Self.receipt(purchases) { $0.creationDate = Self.time(made) }
        for time in [.min, 0, Self.bought, Self.bought + 1, made - 1, made] {
            let time = Self.time(time)
            #expect(receipt.activeSubscription(toProduct: product, at: time) == nil, "\(time)")
            #expect(receipt.activeSubscriptions(toAnyOf: [product], at: time).isEmpty, "\(time)")
        }
        #expect(Self.active(receipt, at: made + 1) == "3")
        // The grace period counts from the creation date, and not from the time of the slow clock.
        #expect(Self.active(receipt, at: .min, gracePeriod: 1) == "1")
        #expect(Self.active(receipt, at: made + 1, gracePeriod: 1) == "3")
    }

    @Test("finds all active purchases of a group, the one that expires last first")
    func group() throws {
        let plus = "com.example.plus"
        let receipt = try Self.receipt([
            Self.subscription("1", to: Self.bought + 1000),
            Self.subscription("2", of: plus, to: Self.bought + 2000),
            Self.subscription("3", of: "com.example.other", to: Self.bought + 9000),
            Self.subscription("4", of: plus, to: Self.bought + 1000),
            Self.subscription("5", to: Self.bought + 9000, cancelled: Self.bought),
            Self.subscription("6", of: plus, from: Self.bought + 5000, to: Self.bought + 6000),
        ])
        func active(_ products: [String], at offset: Int64, _ gracePeriod: TimeSpan = .zero) -> [String] {
            let time = Self.time(Self.bought + offset)
            let all = receipt.activeSubscriptions(toAnyOf: products, at: time, gracePeriod: gracePeriod)
            for product in products {
                let one = receipt.activeSubscription(toProduct: product, at: time, gracePeriod: gracePeriod)
                #expect(one == all.first { $0.productIdentifier == product })
            }
            return all.compactMap(\.transactionIdentifier)
        }
        #expect(active([Self.product, plus], at: 0) == ["2", "1", "4"])
        #expect(active([plus], at: 0) == ["2", "4"] && active([Self.product], at: 0) == ["1"])
        #expect(active([Self.product, plus], at: 1000) == ["2"])
        #expect(active([Self.product, plus], at: 1000, .milliseconds(1)) == ["2", "1", "4"])
        #expect(active([Self.product, plus], at: 2000) == [] && active([], at: 0) == [])
        #expect(active(["com.example"], at: 0) == [])
    }

    @Test("treats a subscription as inactive between two renewals")
    func gap() throws {
        let receipt = try Self.receipt([
            Self.subscription("1"), Self.subscription("2", from: Self.bought + 2000, to: Self.bought + 3000),
        ])
        #expect(Self.active(receipt, at: Self.bought + 1000) == nil)
        #expect(Self.active(receipt, at: Self.bought + 1999) == nil)
        #expect(Self.active(receipt, at: Self.bought + 1999, gracePeriod: 1000) == "1")
        #expect(Self.active(receipt, at: Self.bought + 2000, gracePeriod: 1001) == "2")
    }

    @Test("ignores purchases without a purchase date or an expiry")
    func missingDates() throws {
        let receipt = try Self.receipt([
            Self.subscription(from: nil), Self.subscription(to: nil), Self.subscription(from: nil, to: nil),
        ])
        for time in [.min, Self.bought, .max] {
            #expect(Self.active(receipt, at: time, gracePeriod: .max) == nil)
        }
    }

    @Test("ignores a purchase that expires before it was bought")
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

    @Test("allows an offer if no purchase of the group had one")
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

    @Test("allows no second offer after a trial or an introductory price, cancelled or not")
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

    @Test("allows no offer if a purchase is malformed or no product is given")
    func doubt() throws {
        let malformed = Self.purchase(of: "com.example.other") { $0.quantity = -1 }
        #expect(try !Self.isEligible([malformed]))
        #expect(try !Self.isEligible([Self.purchase(), malformed]))
        #expect(try !Self.isEligible([Self.purchase()], []))
        #expect(try !Self.isEligible([], []))
    }
}
