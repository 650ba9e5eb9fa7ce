import DER

/// What a shop asks of a receipt. Only a validated one answers.
///
/// All answers are as of ``Receipt/creationDate``: a refund or renewal after it is not in the receipt.
extension Receipt {
    /// Whether this product was bought, and not taken back by Apple since. A subscription counts when it has
    /// expired, too: for those ask ``activeSubscription(toProduct:at:gracePeriodMilliseconds:)``.
    public func contains(product identifier: String) -> Bool {
        inAppPurchases.contains { $0.isOf(product: identifier) && $0.cancellationDate == nil }
    }

    /// The purchase with this transaction identifier.
    public func purchase(transaction identifier: String) -> InAppPurchase? {
        inAppPurchases.first { $0.isTransaction(identifier) }
    }

    /// The purchases of this product, cancelled ones included, in the order of their dates; those without a
    /// date come first.
    public func purchases(ofProduct identifier: String) -> [InAppPurchase] {
        inAppPurchases.filter { $0.isOf(product: identifier) }
            .sorted { one, other in
                guard let otherDate = other.purchaseDate else { return false }
                return one.purchaseDate.map { $0 < otherDate } ?? true
            }
    }

    /// The purchase that keeps an auto-renewable subscription of this product active at a time: bought by
    /// then, not yet expired, not cancelled by then. Of several, the one that lasts longest.
    ///
    /// - Parameters:
    ///   - gracePeriodMilliseconds: how long after its expiry it still counts; less than none is none.
    /// - Returns: nil where there is none, as far as the receipt knows.
    public func activeSubscription(
        toProduct identifier: String,
        at time: Timestamp,
        gracePeriodMilliseconds: Int64 = 0
    ) -> InAppPurchase? {
        var longest: InAppPurchase?
        for purchase in inAppPurchases where purchase.isOf(product: identifier) {
            guard let bought = purchase.purchaseDate, bought <= time else { continue }
            guard let expires = purchase.expiresDate else { continue }
            let elapsed = time.millisecondsSince1970.subtractingReportingOverflow(
                expires.millisecondsSince1970
            )
            guard !elapsed.overflow, elapsed.partialValue < max(0, gracePeriodMilliseconds) else {
                continue
            }
            if let cancelled = purchase.cancellationDate, cancelled <= time { continue }
            if let other = longest?.expiresDate, other >= expires { continue }
            longest = purchase
        }
        return longest
    }

    /// Whether the customer may still have an introductory offer or free trial in these products, which are
    /// those of one subscription group: none of them was ever bought with one.
    ///
    /// No where nothing is asked about, and where a purchase does not decode, which may have been one.
    public func isEligibleForIntroductoryOffer(inProducts identifiers: [String]) -> Bool {
        guard !identifiers.isEmpty, malformedInAppPurchases.isEmpty else { return false }
        return !inAppPurchases.contains { purchase in
            (purchase.isTrialPeriod == true || purchase.isInIntroductoryOfferPeriod == true)
                && identifiers.contains { purchase.isOf(product: $0) }
        }
    }

    /// What was originally bought, for apps that went from paid to free: whoever bought a version before the
    /// change has paid for what it holds.
    ///
    /// In the sandbox the version is always `1.0` and the date 2013-08-01.
    public var originalPurchase: (appVersion: String?, date: Timestamp?) {
        (originalAppVersion, originalPurchaseDate)
    }
}
