import DER

// Questions about all purchases of a validated receipt. As in Questions.swift, the answers are as of
// Receipt/creationDate.

extension Receipt {
    /// The identifiers of all products ever bought, cancelled and expired ones included.
    ///
    /// Each identifier occurs once, in the order in which the receipt first names it. Identifiers are
    /// compared byte for byte.
    public var allProductIdentifiers: [String] {
        var seen: Set<ArraySlice<UInt8>> = []
        var identifiers: [String] = []
        forEach { purchase in
            guard let octets = purchase.contents.buffer.octets(purchase.contents.fields.productIdentifier),
                seen.insert(octets).inserted
            else { return }
            identifiers.append(purchase.productIdentifier)
        }
        return identifiers
    }

    /// How the customer came to own the product, among the purchases that Apple has not taken back.
    ///
    /// `.purchased` if the customer bought it at least once. `.familyShared` if every purchase is shared by a
    /// member of the family. Nil if there is none, or if the receipt does not say: receipts made before 2021
    /// have no attribute 1722.
    ///
    /// - Parameter identifier: the product identifier, compared byte for byte.
    public func ownership(ofProduct identifier: String) -> InAppPurchase.Ownership? {
        var ownership: InAppPurchase.Ownership?
        forEach { purchase in
            guard purchase.cancellationDate == nil, purchase.matches(productIdentifier: identifier),
                let next = purchase.ownership, ownership != .purchased
            else { return }
            ownership = next
        }
        return ownership
    }

    /// The renewal chain of one original transaction: its purchases in the order of their purchase dates.
    ///
    /// The chain has every purchase whose original transaction identifier is the given one, and the purchase
    /// that has it as its own transaction identifier. Cancelled purchases, upgrades and other products of
    /// the same subscription belong to it. Purchases without a date come first; equal dates keep the order of
    /// the receipt.
    ///
    /// - Parameter identifier: the original transaction identifier, compared byte for byte.
    public func renewals(ofOriginalTransaction identifier: String) -> [InAppPurchase] {
        var purchases: [InAppPurchase] = []
        forEach { purchase in
            if purchase.matches(originalTransactionIdentifier: identifier)
                || purchase.matches(transactionIdentifier: identifier)
            {
                purchases.append(purchase)
            }
        }
        return purchases.inOrderOfPurchase
    }

    /// The subscriptions that the customer has left for another one of the same group, in the order of the
    /// receipt: see ``InAppPurchase/isUpgraded``.
    public var upgradedPurchases: [InAppPurchase] {
        var purchases: [InAppPurchase] = []
        forEach { if $0.isUpgraded { purchases.append($0) } }
        return purchases
    }
}

extension InAppPurchase {
    /// Whether the purchase was cancelled because the customer upgraded to another subscription: it is an
    /// auto-renewable subscription with a cancellation date and without a reason.
    ///
    /// Apple's server gives refunds a reason (1720), and upgrades none. Receipts have the reason only if they
    /// were made after Apple introduced it, so an old refund without a reason looks like an upgrade. Either
    /// way the purchase grants nothing: another purchase stands for an upgrade.
    public var isUpgraded: Bool {
        productType == .autoRenewableSubscription && cancellationDate != nil && cancellationReason == nil
    }
}

extension [InAppPurchase] {
    /// The purchases in the order of their purchase dates. Purchases without a date come first; equal dates
    /// keep the order of the receipt.
    var inOrderOfPurchase: [InAppPurchase] {
        sorted { one, other in
            switch (one.purchaseDate, other.purchaseDate) {
            case (let date?, let otherDate?) where date != otherDate: date < otherDate
            case (nil, _?): true
            case (_?, nil): false
            default: one.contents.fields.position < other.contents.fields.position
            }
        }
    }
}
