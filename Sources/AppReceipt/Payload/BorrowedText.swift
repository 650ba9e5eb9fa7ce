// Texts as the bytes that a receipt keeps. Nothing is allocated, where a `String` would be. The payload's decoder
// has found all of them to be well-formed UTF-8.

extension Receipt {
    package var environmentText: ArraySlice<UInt8>? { payload.buffer.octets(payload.environment) }
    package var bundleIdentifierText: ArraySlice<UInt8>? { payload.buffer.octets(payload.bundleIdentifier) }
    package var appVersionText: ArraySlice<UInt8>? { payload.buffer.octets(payload.appVersion) }
    package var originalAppVersionText: ArraySlice<UInt8>? {
        payload.buffer.octets(payload.originalAppVersion)
    }
    package var ageRatingText: ArraySlice<UInt8>? { payload.buffer.octets(payload.ageRating) }
}

extension InAppPurchase {
    package var productIdentifierText: ArraySlice<UInt8>? {
        contents.buffer.octets(contents.fields.productIdentifier)
    }
    package var transactionIdentifierText: ArraySlice<UInt8>? {
        contents.buffer.octets(contents.fields.transactionIdentifier)
    }
    package var originalTransactionIdentifierText: ArraySlice<UInt8>? {
        contents.buffer.octets(contents.fields.originalTransactionIdentifier)
    }
    package var promotionalOfferIdentifierText: ArraySlice<UInt8>? {
        contents.buffer.octets(contents.fields.promotionalOfferIdentifier)
    }
}
