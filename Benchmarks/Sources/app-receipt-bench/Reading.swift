import AppReceipt
import Basics
import DER

/// Uses a result, so that the optimiser does not remove the work that computed it.
@inline(never)
func consume(_ sum: Int) { unsafe last = sum }

/// The last result that was used. Only `consume` writes it, and this program has one thread.
nonisolated(unsafe) private var last = 0

/// Reads the type, the version and the range of the value of every attribute of every purchase. The
/// validation has already read the receipt's own attributes.
///
/// - Returns: a number that depends on everything read.
func walk(_ receipt: some ReceiptContents) -> Int {
    var sum = 0
    receipt.forEachPurchaseAttribute { sum &+= $0 &+ Int(truncatingIfNeeded: $1 &+ $2) &+ $3.count }
    return sum
}

/// Decodes every string, number and time of a receipt and its purchases.
///
/// - Returns: a number that depends on everything decoded.
func decode(_ receipt: some ReceiptContents, _ purchases: some Sequence<some InAppPurchaseContents>) -> Int {
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
        take(purchase.productType?.rawValue)
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
