import DER

/// A validated receipt: signed under a root that the trust policy names, and made for the app and the
/// environment that the validator expects.
///
/// Only ``ReceiptValidator`` and ``ReceiptBatch`` make receipts.
public struct Receipt: ReceiptContents {
    private let content: CheckedContent

    init(_ content: CheckedContent) { self.content = content }
}

extension Receipt {
    var payload: Payload { content.payload }
    var limits: Limits { content.limits }
    /// The hash algorithm of the digest that the signature covers.
    public var digestAlgorithm: HashAlgorithm { content.digestAlgorithm }
    /// The SHA-256 fingerprint of the trusted root that the receipt was signed under.
    public var rootFingerprint: Digest { content.rootFingerprint }
    /// The date when the receipt was made and signed, as the signer claims (12).
    public var creationDate: Timestamp { content.creationDate }
    /// The checks that the validator was not asked for, in the order of the steps.
    public var notChecked: [ReceiptError.Step] { content.leftOut.steps }
    /// The signer's certificate in DER. The slice shares the receipt's bytes, so its indices do not begin at
    /// zero.
    public var signingCertificate: ArraySlice<UInt8> { payload.buffer.bytes[content.signer] }
    /// The in-app purchases that decode (17), in the order of the receipt. Each access decodes all of them
    /// and makes one array; keep the result to use it more than once.
    ///
    /// ``malformedInAppPurchases`` has the purchases that do not decode.
    public var inAppPurchases: InAppPurchases { InAppPurchases(payload, limits: limits) }
    /// The number of purchases that decode. Decodes all of them, and allocates nothing.
    package var inAppPurchaseCount: Int { payload.decodablePurchaseCount(limits: limits) }
    /// The number of attributes of type 17, whether they decode or not. Decodes nothing.
    package var purchaseAttributeCount: Int { payload.purchaseCount }

    /// Decodes the purchases one after the other, without an allocation, and lends each one's fields together
    /// with the bytes that the fields' ranges lie in. Purchases that do not decode are passed over.
    package func forEachPurchaseFields(
        _ body: (_ bytes: Span<UInt8>, _ fields: borrowing PurchaseFields) -> Void
    ) {
        payload.forEachPurchaseFields(limits: limits, body)
    }

    /// The same values as claims. Code that only shows values takes this type, so that it exists once.
    package var unverified: UnverifiedReceipt { UnverifiedReceipt(payload, limits) }

    /// The error for a caller that does not accept the environment of this receipt.
    package var environmentMismatch: ReceiptError {
        let refusal =
            payload.environment.map {
                Refusal(.environmentMismatch, at: $0.lowerBound, reading: "environment")
            } ?? Refusal(.missingEnvironment, at: payload.set.lowerBound, reading: "environment")
        return ReceiptError(.environment, payload.normalised?.mappedToInput(refusal) ?? refusal)
    }
}

extension Receipt {
    public var environment: ReceiptEnvironment? {
        ReceiptEnvironment.allCases.first { payload.buffer.holds(payload.environment, $0.name) }
    }
    public var environmentName: String? { payload.buffer.string(payload.environment) }
    public var appStoreIdentifier: Int64? { payload.appStoreIdentifier }
    public var bundleIdentifier: String? { payload.buffer.string(payload.bundleIdentifier) }
    public var appVersion: String? { payload.buffer.string(payload.appVersion) }
    public var opaqueValue: ArraySlice<UInt8>? { payload.buffer.octets(payload.opaqueValue) }
    public var sha1Hash: ArraySlice<UInt8>? { payload.buffer.octets(payload.sha1Hash) }
    public var purchaseDate: Timestamp? { payload.purchaseDate }
    public var ageRating: String? { payload.buffer.string(payload.ageRating) }
    public var developerIdentifier: Int64? { payload.developerIdentifier }
    public var downloadIdentifier: Int64? { payload.downloadIdentifier }
    public var versionExternalIdentifier: Int64? { payload.versionExternalIdentifier }
    public var originalPurchaseDate: Timestamp? { payload.originalPurchaseDate }
    public var originalAppVersion: String? { payload.buffer.string(payload.originalAppVersion) }
    public var expirationDate: Timestamp? { payload.expirationDate }
    public var platform: Int64? { payload.platform }
    public var preorderDate: Timestamp? { payload.preorderDate }
    public var malformedAttributeCount: Int { payload.malformedCount }
    public var attributes: [Attribute] { payload.buffer.attributes(in: payload.set) }

    public var malformedInAppPurchases: [MalformedInAppPurchase] {
        payload.malformedPurchases(limits: limits)
    }

    @usableFromInline
    var purchaseAttributes: PurchaseAttributes { PurchaseAttributes(payload, limits: limits) }

    @inlinable
    public func forEachPurchaseAttribute(
        _ body: (_ purchase: Int, _ type: Int64, _ version: Int64, _ value: Span<UInt8>) -> Void
    ) {
        purchaseAttributes.forEach(body)
    }
}
