import DER

// The questions that a shop asks about a validated receipt.
//
// All answers are as of Receipt/creationDate: the receipt does not contain a later refund or renewal. The
// questions decode the purchases one after the other and stop at the answer.

extension Receipt {
    /// Whether the receipt has an in-app purchase that decodes, cancelled or not.
    public var hasPurchases: Bool {
        var hasPurchases = false
        payload.forEachPurchase(limits: limits) { _ in
            hasPurchases = true
            return false
        }
        return hasPurchases
    }

    /// Whether the product was bought and Apple has not taken it back.
    ///
    /// An expired subscription counts as well. Use ``activeSubscription(toProduct:at:gracePeriod:)`` to ask
    /// for an active one. A non-renewing subscription has no expiry in a receipt: count from its purchase
    /// date.
    ///
    /// - Parameter identifier: the product identifier, compared byte for byte.
    public func contains(product identifier: String) -> Bool {
        first { $0.matches(productIdentifier: identifier) && $0.cancellationDate == nil } != nil
    }

    /// The first purchase with this transaction identifier; nil if there is none.
    ///
    /// - Parameter identifier: the transaction identifier, compared byte for byte.
    public func purchase(transaction identifier: String) -> InAppPurchase? {
        first { $0.matches(transactionIdentifier: identifier) }
    }

    /// The purchases of the product in the order of their purchase dates, cancelled ones included. Purchases
    /// without a date come first; equal dates keep the order of the receipt.
    ///
    /// - Parameter identifier: the product identifier, compared byte for byte.
    public func purchases(ofProduct identifier: String) -> [InAppPurchase] {
        var purchases: [InAppPurchase] = []
        forEach { if $0.matches(productIdentifier: identifier) { purchases.append($0) } }
        return purchases.inOrderOfPurchase
    }

    /// The version of the app and the date of the original purchase. Use it for an app that became free: a
    /// customer who bought an earlier version has paid for its contents.
    ///
    /// In the sandbox the version is always `1.0` and the date 2013-08-01.
    public var originalPurchase: (appVersion: String?, date: Timestamp?) {
        (originalAppVersion, originalPurchaseDate)
    }
}

// MARK: Subscriptions

extension Receipt {
    /// The purchase that keeps a subscription to the product active at a time; nil if there is none in the
    /// receipt.
    ///
    /// A purchase is active if it was bought by then, has an expiry that is not yet reached, and was not
    /// cancelled by then. A non-renewing subscription has no expiry, so it is never active. If several
    /// purchases are active, the result is the one that expires last.
    ///
    /// - Parameters:
    ///   - identifier: the product identifier, compared byte for byte.
    ///   - time: the time to ask about.
    ///   - gracePeriod: how long a purchase stays active after its expiry. A negative span counts as zero.
    public func activeSubscription(
        toProduct identifier: String,
        at time: Timestamp,
        gracePeriod: TimeSpan = .zero
    ) -> InAppPurchase? {
        longest(at: time, gracePeriod) { $0.matches(productIdentifier: identifier) }
    }

    /// The purchase that keeps a subscription to any of the products active at a time; nil if there is none
    /// in the receipt. If several purchases are active, the result is the one that expires last.
    ///
    /// - Parameters:
    ///   - products: the product identifiers, such as all products of one subscription group, compared byte
    ///     for byte.
    ///   - time: the time to ask about.
    ///   - gracePeriod: how long a purchase stays active after its expiry. A negative span counts as zero.
    public func activeSubscription(
        toAnyOf products: [String],
        at time: Timestamp,
        gracePeriod: TimeSpan = .zero
    ) -> InAppPurchase? {
        longest(at: time, gracePeriod) { $0.matches(anyOf: products) }
    }

    /// All purchases that keep a subscription to any of the products active at a time. The one that expires
    /// last comes first; equal expiries keep the order of the receipt.
    ///
    /// - Parameters:
    ///   - products: the product identifiers, such as all products of one subscription group, compared byte
    ///     for byte.
    ///   - time: the time to ask about.
    ///   - gracePeriod: how long a purchase stays active after its expiry. A negative span counts as zero.
    public func activeSubscriptions(
        toAnyOf products: [String],
        at time: Timestamp,
        gracePeriod: TimeSpan = .zero
    ) -> [InAppPurchase] {
        var active: [InAppPurchase] = []
        forEach { purchase in
            if purchase.matches(anyOf: products), purchase.isActive(at: time, gracePeriod) {
                active.append(purchase)
            }
        }
        return active.sorted { one, other in
            guard let expiry = one.expiresDate, let otherExpiry = other.expiresDate, expiry != otherExpiry
            else { return one.contents.fields.position < other.contents.fields.position }
            return expiry > otherExpiry
        }
    }

    /// Whether the customer may still get an introductory offer or a free trial for the products: no purchase
    /// of any of them had one.
    ///
    /// The answer is no if `identifiers` is empty, and if the receipt has a malformed purchase, because that
    /// purchase may have had an offer.
    ///
    /// - Parameter identifiers: the product identifiers of one subscription group, compared byte for byte.
    public func isEligibleForIntroductoryOffer(inProducts identifiers: [String]) -> Bool {
        guard !identifiers.isEmpty, malformedInAppPurchases.isEmpty else { return false }
        return first { purchase in
            (purchase.isTrialPeriod == true || purchase.isInIntroductoryOfferPeriod == true)
                && purchase.matches(anyOf: identifiers)
        } == nil
    }

    /// The active purchase that `isMeant` accepts and that expires last. If several expire last, the result
    /// is the first in the receipt.
    private func longest(
        at time: Timestamp,
        _ gracePeriod: TimeSpan,
        _ isMeant: (InAppPurchase) -> Bool
    ) -> InAppPurchase? {
        var longest: InAppPurchase?
        forEach { purchase in
            guard isMeant(purchase), purchase.isActive(at: time, gracePeriod) else { return }
            if let expiry = purchase.expiresDate, let other = longest?.expiresDate, other >= expiry { return }
            longest = purchase
        }
        return longest
    }
}

// MARK: Purchases one by one

extension Receipt {
    /// Calls `body` with each purchase that decodes, without an allocation.
    func forEach(_ body: (InAppPurchase) -> Void) {
        payload.forEachPurchase(limits: limits) { contents in
            body(InAppPurchase(contents: contents))
            return true
        }
    }

    /// The first purchase that satisfies a condition; nil if there is none.
    private func first(where condition: (InAppPurchase) -> Bool) -> InAppPurchase? {
        var found: InAppPurchase?
        payload.forEachPurchase(limits: limits) { contents in
            let purchase = InAppPurchase(contents: contents)
            if condition(purchase) { found = purchase }
            return found == nil
        }
        return found
    }
}

extension InAppPurchase {
    fileprivate func matches(anyOf products: [String]) -> Bool {
        products.contains { matches(productIdentifier: $0) }
    }

    /// Whether the purchase is active at a time: bought at that time or earlier, not cancelled by then, and
    /// with an expiry that, extended by the grace period, is later.
    ///
    /// False without a purchase date or an expiry. A negative grace period counts as zero.
    fileprivate func isActive(at time: Timestamp, _ gracePeriod: TimeSpan) -> Bool {
        guard let bought = purchaseDate, bought <= time, let expiry = expiresDate,
            time - expiry < max(.zero, gracePeriod)
        else { return false }
        return cancellationDate.map { $0 > time } ?? true
    }
}
