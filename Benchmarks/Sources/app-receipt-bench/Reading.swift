import AppReceipt
import DER

/// Keeps the optimiser from leaving out work whose results nobody looks at.
@inline(never)
func consume(_ sum: Int) { last = sum }

/// Written by `consume` alone; this program has one thread.
nonisolated(unsafe) private var last = 0

/// Every attribute of every purchase met: its type, its version, and where its value lies. The receipt's own
/// are read by the validation.
func walk(_ purchases: InAppPurchases) -> Int {
    var sum = 0
    purchases.forEachAttribute { sum &+= $0 &+ Int(truncatingIfNeeded: $1 &+ $2) &+ $3.count }
    return sum
}

/// Every string, number and time that a receipt has, as a number that depends on all of them.
func decode(_ receipt: some ReceiptContents, _ purchases: InAppPurchases) -> Int {
    var sum = 0
    func take(_ text: String?) { sum &+= text?.utf8.count ?? 0 }
    func take(_ time: Timestamp?) { sum &+= Int(truncatingIfNeeded: time?.millisecondsSince1970 ?? 0) }
    func take(_ number: Int64?) { sum &+= Int(truncatingIfNeeded: number ?? 0) }
    func take(_ flag: Bool?) { sum &+= flag == true ? 1 : 0 }
    func take(_ octets: ArraySlice<UInt8>?) { sum &+= octets?.count ?? 0 }

    take(receipt.environmentName)
    take(receipt.appStoreIdentifier)
    take(receipt.bundleIdentifier)
    take(receipt.appVersion)
    take(receipt.opaqueValue)
    take(receipt.sha1Hash)
    take(receipt.purchaseDate)
    take(receipt.ageRating)
    take(receipt.developerIdentifier)
    take(receipt.downloadIdentifier)
    take(receipt.versionExternalIdentifier)
    take(receipt.originalPurchaseDate)
    take(receipt.originalAppVersion)
    take(receipt.expirationDate)
    take(receipt.platform)
    for purchase in purchases {
        take(purchase.quantity)
        take(purchase.productIdentifier)
        take(purchase.transactionIdentifier)
        take(purchase.purchaseDate)
        take(purchase.originalTransactionIdentifier)
        take(purchase.originalPurchaseDate)
        take(purchase.productTypeNumber)
        take(purchase.expiresDate)
        take(purchase.webOrderLineItemIdentifier)
        take(purchase.cancellationDate)
        take(purchase.isTrialPeriod)
        take(purchase.isInIntroductoryOfferPeriod)
        take(purchase.cancellationReason)
        take(purchase.promotionalOfferIdentifier)
    }
    return sum
}
