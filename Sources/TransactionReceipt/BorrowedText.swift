// Texts as the bytes that a transaction receipt keeps. Nothing is allocated, where a `String` would be.

extension PurchaseInfo {
    /// The value of a key of the purchase-info; nil if there is no such key.
    package func text(of key: StaticString) -> ArraySlice<UInt8>? {
        contents.range(of: key).map { contents.opened.info.bytes[$0] }
    }

    /// The environment that the outer list claims.
    package var claimedEnvironmentText: ArraySlice<UInt8>? {
        contents.opened.environment.map { contents.opened.bytes[$0] }
    }
}
