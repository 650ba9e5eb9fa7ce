import Basics

// The questions that a shop asks about a validated receipt.
//
// All answers are as of Receipt/creationDate: the receipt does not contain a later refund or renewal. The
// questions decode the purchases one after the other and stop at the answer.
//
// A question about the present takes the caller's time. The receipt was made before it was read, so its
// creation date is a lower bound of the present: an earlier time comes from a slow clock, and counts as the
// creation date.

extension Receipt {
    /// Whether the receipt has a purchase of the product that Apple has not taken back.
    ///
    /// An expired subscription counts as well. Use ``activeSubscription(toProduct:at:gracePeriod:)`` to ask
    /// for an active one. A non-renewing subscription has no expiry in a receipt: count from its purchase
    /// date.
    ///
    /// - Parameter identifier: the product identifier, compared byte for byte.
    public func contains(product identifier: String) -> Bool {
        first { $0.isOf(identifier) && $0.cancellationDate == nil } != nil
    }

    /// The first purchase with this transaction identifier; nil if there is none.
    ///
    /// - Parameter identifier: the transaction identifier, compared byte for byte.
    public func purchase(transaction identifier: String) -> InAppPurchase? {
        first { $0.values.holds(.transactionIdentifier, identifier) }
    }

    /// The purchases of the product in the order of their purchase dates, cancelled ones included. Purchases
    /// without a date come first; equal dates keep the order of the receipt.
    ///
    /// - Parameter identifier: the product identifier, compared byte for byte.
    public func purchases(ofProduct identifier: String) -> [InAppPurchase] {
        var purchases: [InAppPurchase] = []
        forEach { if $0.isOf(identifier) { purchases.append($0) } }
        // In place: a receipt may have thousands of purchases.
        purchases.sort { one, other in
            switch (one.purchaseDate, other.purchaseDate) {
            case (let date?, let otherDate?) where date != otherDate: date < otherDate
            case (nil, _?): true
            case (_?, nil): false
            default: one.values.position < other.values.position
            }
        }
        return purchases
    }
}

// MARK: Subscriptions

extension Receipt {
    /// The purchase that keeps a subscription to the product active at a time; nil if there is none in the
    /// receipt.
    ///
    /// A purchase is active if it was bought by then, has an expiry that is not yet reached, and was not
    /// cancelled by then. A non-renewing subscription has no expiry, so it is never active. If several
    /// purchases are active, the result is the first of the purchases that expire last.
    ///
    /// A time before ``creationDate`` counts as the creation date. A device whose clock is slow would deny a
    /// purchase of this minute otherwise, because it lies in the future of that clock. A grace period does
    /// not help there: it moves the expiry only. To ask about the past, compare the dates of
    /// ``purchases(ofProduct:)``.
    ///
    /// - Parameters:
    ///   - identifier: the product identifier, compared byte for byte.
    ///   - time: the present time.
    ///   - gracePeriod: how long a purchase stays active after its expiry. A negative span counts as zero.
    public func activeSubscription(
        toProduct identifier: String,
        at time: Timestamp,
        gracePeriod: TimeSpan = .zero
    ) -> InAppPurchase? {
        var longest: InAppPurchase?
        let present = max(time, creationDate)
        forEach { purchase in
            guard purchase.isOf(identifier), purchase.isActive(at: present, gracePeriod) else { return }
            if let expiry = purchase.expiresDate, let other = longest?.expiresDate, other >= expiry { return }
            longest = purchase
        }
        return longest
    }

    /// All purchases that keep a subscription to any of the products active at a time. The one that expires
    /// last comes first; equal expiries keep the order of the receipt.
    ///
    /// - Parameters:
    ///   - products: the product identifiers, such as all products of one subscription group, compared byte
    ///     for byte.
    ///   - time: the present time. A time before ``creationDate`` counts as the creation date.
    ///   - gracePeriod: how long a purchase stays active after its expiry. A negative span counts as zero.
    public func activeSubscriptions(
        toAnyOf products: [String],
        at time: Timestamp,
        gracePeriod: TimeSpan = .zero
    ) -> [InAppPurchase] {
        var active: [InAppPurchase] = []
        let present = max(time, creationDate)
        forEach { purchase in
            if products.contains(where: purchase.isOf), purchase.isActive(at: present, gracePeriod) {
                active.append(purchase)
            }
        }
        return active.sorted { one, other in
            guard let expiry = one.expiresDate, let otherExpiry = other.expiresDate, expiry != otherExpiry
            else { return one.values.position < other.values.position }
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
                && identifiers.contains(where: purchase.isOf)
        } == nil
    }
}

// MARK: Purchases one by one

extension Receipt {
    private func forEach(_ body: (InAppPurchase) -> Void) { forEachPurchase { body(InAppPurchase(copy $0)) } }

    /// The first purchase that satisfies a condition; nil if there is none.
    private func first(where condition: (InAppPurchase) -> Bool) -> InAppPurchase? {
        var found: InAppPurchase?
        unverified.forEachPurchase { values in
            let purchase = InAppPurchase(copy values)
            if condition(purchase) { found = purchase }
            return found == nil
        }
        return found
    }
}

extension InAppPurchase {
    /// Whether the product identifier equals `product`, byte for byte. Swift's `==` would also accept another
    /// spelling of the same text, such as é as one scalar and as e with U+0301.
    fileprivate func isOf(_ product: String) -> Bool { values.holds(.productIdentifier, product) }

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

extension InAppPurchase {
    /// Whether the purchase was cancelled because the customer upgraded to another subscription: it is an
    /// auto-renewable subscription with a cancellation date and without a reason.
    ///
    /// Apple's server gives refunds a reason (attribute 1720), and upgrades none. Receipts have the reason
    /// only if they were made after Apple introduced it, so an old refund without a reason looks like an
    /// upgrade. Either way the purchase grants nothing: another purchase stands for an upgrade.
    public var isUpgraded: Bool {
        productType == .autoRenewableSubscription && cancellationDate != nil && cancellationReason == nil
    }
}
