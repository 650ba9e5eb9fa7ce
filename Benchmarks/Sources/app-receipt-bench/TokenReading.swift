import Basics
import SignedPayloads

/// A sum over every value that it is given, so that the optimiser does not remove the decoding.
private struct Sum {
    var value = 0

    mutating func add(_ text: String?) { value &+= text?.utf8.count ?? 0 }
    mutating func add(_ texts: [String]?) { texts?.forEach { add($0) } }
    mutating func add(_ time: Timestamp?) {
        value &+= Int(truncatingIfNeeded: time?.millisecondsSince1970 ?? 0)
    }
    mutating func add(_ number: Int64?) { value &+= Int(truncatingIfNeeded: number ?? 0) }
    mutating func add(_ flag: Bool?) { value &+= flag == true ? 1 : 0 }
    mutating func add(_ descriptors: AdvancedCommerceDescriptors?) {
        add(descriptors?.description)
        add(descriptors?.displayName)
    }
    mutating func add(_ offer: AdvancedCommerceOffer?) {
        add(offer?.period)
        add(offer?.periodCount)
        add(offer?.price)
        add(offer?.reason)
    }
    mutating func add(_ environment: StoreEnvironment?) { value &+= environment == .production ? 1 : 0 }
}

/// Decodes every documented member of a transaction.
///
/// - Returns: a number that depends on everything decoded.
func decode(_ one: VerifiedTransaction) -> Int {
    var sum = Sum()
    for text in [
        one.transactionId, one.originalTransactionId, one.webOrderLineItemId, one.bundleId, one.productId,
        one.subscriptionGroupIdentifier, one.type, one.appAccountToken, one.inAppOwnershipType,
        one.revocationType, one.offerIdentifier, one.offerDiscountType, one.offerPeriod,
        one.transactionReason, one.storefront, one.storefrontId, one.currency, one.appTransactionId,
        one.billingPlanType, one.deviceVerification, one.deviceVerificationNonce,
    ] { sum.add(text) }
    sum.add(one.environment)
    sum.add(one.signedDate)
    sum.add(one.purchaseDate)
    sum.add(one.originalPurchaseDate)
    sum.add(one.expiresDate)
    sum.add(one.revocationDate)
    sum.add(one.quantity)
    sum.add(one.revocationReason)
    sum.add(one.revocationPercentage)
    sum.add(one.offerType)
    sum.add(one.price)
    sum.add(one.isUpgraded)
    if let commerce = one.advancedCommerceInfo {
        sum.add(commerce.descriptors)
        sum.add(commerce.estimatedTax)
        sum.add(commerce.taxExclusivePrice)
        for text in [commerce.period, commerce.requestReferenceId, commerce.taxCode, commerce.taxRate] {
            sum.add(text)
        }
        for item in commerce.items ?? [] {
            for text in [item.sku, item.description, item.displayName] { sum.add(text) }
            sum.add(item.offer)
            sum.add(item.price)
            sum.add(item.revocationDate)
            for refund in item.refunds ?? [] {
                sum.add(refund.refundAmount)
                sum.add(refund.refundDate)
                sum.add(refund.refundReason)
                sum.add(refund.refundType)
            }
        }
    }
    if let commitment = one.commitmentInfo {
        sum.add(commitment.billingPeriodNumber)
        sum.add(commitment.totalBillingPeriods)
        sum.add(commitment.commitmentPrice)
        sum.add(commitment.commitmentExpiresDate)
    }
    return sum.value
}

/// Decodes every documented member of renewal information, as ``decode(_:)`` of a transaction.
func decode(_ one: VerifiedRenewalInfo) -> Int {
    var sum = Sum()
    for text in [
        one.originalTransactionId, one.productId, one.autoRenewProductId, one.currency, one.offerIdentifier,
        one.offerDiscountType, one.offerPeriod, one.appAccountToken, one.appTransactionId,
        one.renewalBillingPlanType, one.deviceVerification, one.deviceVerificationNonce,
    ] { sum.add(text) }
    sum.add(one.environment)
    sum.add(one.signedDate)
    sum.add(one.renewalDate)
    sum.add(one.gracePeriodExpiresDate)
    sum.add(one.recentSubscriptionStartDate)
    sum.add(one.autoRenewStatus)
    sum.add(one.renewalPrice)
    sum.add(one.expirationIntent)
    sum.add(one.priceIncreaseStatus)
    sum.add(one.offerType)
    sum.add(one.isInBillingRetryPeriod)
    sum.add(one.eligibleWinBackOfferIds)
    if let commerce = one.advancedCommerceInfo {
        sum.add(commerce.descriptors)
        for text in [
            commerce.consistencyToken, commerce.period, commerce.requestReferenceId, commerce.taxCode,
        ] { sum.add(text) }
        for item in commerce.items ?? [] {
            for text in [item.sku, item.description, item.displayName] { sum.add(text) }
            sum.add(item.offer)
            sum.add(item.price)
            sum.add(item.priceIncreaseInfo?.dependentSKUs)
            sum.add(item.priceIncreaseInfo?.price)
            sum.add(item.priceIncreaseInfo?.status)
        }
    }
    if let commitment = one.commitmentInfo {
        sum.add(commitment.commitmentAutoRenewProductId)
        sum.add(commitment.commitmentAutoRenewStatus)
        sum.add(commitment.commitmentRenewalBillingPlanType)
        sum.add(commitment.commitmentRenewalDate)
        sum.add(commitment.commitmentRenewalPrice)
    }
    return sum.value
}

/// Decodes every documented member of a notification and of the tokens inside it.
func decode(_ one: VerifiedNotification) -> Int {
    var sum = Sum()
    for text in [
        one.notificationType, one.subtype, one.notificationUUID, one.version, one.bundleId, one.bundleVersion,
        one.consumptionRequestReason, one.requestIdentifier, one.productId, one.externalPurchaseId,
        one.tokenType,
    ] { sum.add(text) }
    sum.add(one.environment)
    sum.add(one.signedDate)
    sum.add(one.tokenCreationDate)
    sum.add(one.tokenExpirationDate)
    sum.add(one.appAppleId)
    sum.add(one.status)
    sum.add(one.succeededCount)
    sum.add(one.failedCount)
    sum.add(one.storefrontCountryCodes)
    return sum.value &+ (one.transaction.map(decode) ?? 0) &+ (one.renewalInfo.map(decode) ?? 0)
        &+ (one.appTransaction.map(decode) ?? 0)
}

/// Decodes every documented member of an app transaction.
func decode(_ one: VerifiedAppTransaction) -> Int {
    var sum = Sum()
    for text in [
        one.bundleId, one.applicationVersion, one.originalApplicationVersion, one.originalPlatform,
        one.appTransactionId, one.deviceVerification, one.deviceVerificationNonce,
    ] { sum.add(text) }
    sum.add(one.environment)
    sum.add(one.signedDate)
    sum.add(one.requestDate)
    sum.add(one.originalPurchaseDate)
    sum.add(one.preorderDate)
    sum.add(one.appAppleId)
    sum.add(one.versionExternalIdentifier)
    return sum.value
}

/// Decodes every documented member of a realtime request.
func decode(_ one: VerifiedRealtimeRequest) -> Int {
    var sum = Sum()
    for text in [one.requestIdentifier, one.originalTransactionId, one.productId, one.userLocale] {
        sum.add(text)
    }
    sum.add(one.environment)
    sum.add(one.signedDate)
    sum.add(one.appAppleId)
    return sum.value
}
