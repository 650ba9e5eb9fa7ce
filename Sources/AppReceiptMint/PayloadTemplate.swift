import DER
import SHA

/// What a receipt is to say: the documented attributes as values, nil for those to leave out, and any
/// others raw.
///
/// To write an attribute wrongly, set it to nil and write it among ``rawAttributes``.
public struct PayloadTemplate: Sendable {
    /// `Production`, `ProductionVPP`, `ProductionSandbox`, `ProductionVPPSandbox` or `Xcode` (0).
    public var environment: String? = "Production"
    /// (1)
    public var appStoreIdentifier: Int64? = 1_234_567_890
    /// (2)
    public var bundleIdentifier: String?
    /// (3)
    public var appVersion: String? = "1"
    /// (4), written with version 2, as in genuine receipts.
    public var opaqueValue: [UInt8]? = [UInt8](0..<16)
    /// Goes into the hash (5), and nowhere else: the 16 octets of `identifierForVendor`, or the 6 of a
    /// MAC address. Zeros by default, as in receipts fetched from a server.
    public var deviceIdentifier = [UInt8](repeating: 0, count: 16)
    /// (5); nil for the right one, as far as there are an opaque value and a bundle identifier.
    public var sha1Hash: [UInt8]?
    /// (8)
    public var purchaseDate: Timestamp?
    /// (10)
    public var ageRating: String? = "4+"
    /// (11)
    public var developerIdentifier: Int64?
    /// (12); 2024-06-01T12:00:00Z by default.
    public var creationDate: Timestamp? = Timestamp(millisecondsSince1970: 1_717_243_200_000)
    /// (15)
    public var downloadIdentifier: Int64?
    /// (16)
    public var versionExternalIdentifier: Int64?
    /// (17), one attribute each.
    public var purchases: [PurchaseTemplate] = []
    /// (18)
    public var originalPurchaseDate: Timestamp?
    /// (19)
    public var originalAppVersion: String? = "1"
    /// (21)
    public var expirationDate: Timestamp?
    /// 3 for iOS, 2 for macOS (25).
    public var platform: Int64?
    /// Written after the documented ones.
    public var rawAttributes: [AttributeTemplate] = []
    /// Whether the SET is in the order of DER, or in that of ``attributes``.
    public var isSorted = true

    /// A receipt for an app in production, without purchases.
    public init(bundleIdentifier: String = "com.example.app") { self.bundleIdentifier = bundleIdentifier }

    /// The attributes: the documented ones in the order of their types, but for the purchases, which come
    /// after them, and the raw ones last.
    public var attributes: [AttributeTemplate] {
        var attributes: [AttributeTemplate] = []
        attributes.append(0, utf8String: environment)
        attributes.append(1, integer: appStoreIdentifier)
        attributes.append(2, utf8String: bundleIdentifier)
        attributes.append(3, utf8String: appVersion)
        if let opaqueValue { attributes.append(AttributeTemplate(4, version: 2, value: opaqueValue)) }
        if let hash = sha1Hash ?? deviceHash { attributes.append(AttributeTemplate(5, value: hash)) }
        attributes.append(8, date: purchaseDate)
        attributes.append(10, ia5String: ageRating)
        attributes.append(11, integer: developerIdentifier)
        attributes.append(12, date: creationDate)
        attributes.append(15, integer: downloadIdentifier)
        attributes.append(16, integer: versionExternalIdentifier)
        attributes.append(18, date: originalPurchaseDate)
        attributes.append(19, utf8String: originalAppVersion)
        attributes.append(21, date: expirationDate)
        attributes.append(25, integer: platform)
        for purchase in purchases { attributes.append(AttributeTemplate(17, value: purchase.encoded())) }
        return attributes + rawAttributes
    }

    /// SHA-1 over device identifier, opaque value and the octets of the bundle identifier's value.
    private var deviceHash: [UInt8]? {
        guard let opaqueValue, let bundleIdentifier else { return nil }
        let value = AttributeTemplate.utf8String(2, bundleIdentifier).value
        return SHA1.digest(of: (deviceIdentifier + opaqueValue + value).span).bytes
    }

    /// The payload: what is signed.
    public func encoded() -> [UInt8] { attributes.encodedSet(sorted: isSorted) }
}

/// What one in-app purchase of a receipt is to say: the documented attributes as values, nil for those to
/// leave out, and any others raw.
public struct PurchaseTemplate: Sendable {
    /// (1701)
    public var quantity: Int64? = 1
    /// (1702)
    public var productIdentifier: String?
    /// (1703)
    public var transactionIdentifier: String?
    /// (1704)
    public var purchaseDate: Timestamp?
    /// (1705)
    public var originalTransactionIdentifier: String?
    /// (1706)
    public var originalPurchaseDate: Timestamp?
    /// 0 for a non-consumable product, 1 for a consumable one, 2 for a non-renewing subscription, 3 for
    /// an auto-renewable one (1707).
    public var productType: Int64?
    /// (1708)
    public var expiresDate: Timestamp?
    /// (1711)
    public var webOrderLineItemIdentifier: Int64?
    /// (1712)
    public var cancellationDate: Timestamp?
    /// (1713)
    public var isTrialPeriod: Bool?
    /// (1719)
    public var isInIntroductoryOfferPeriod: Bool?
    /// (1720)
    public var cancellationReason: Int64?
    /// (1721)
    public var promotionalOfferIdentifier: String?
    /// Written after the documented ones.
    public var rawAttributes: [AttributeTemplate] = []
    /// Whether the SET is in the order of DER, or in that of ``attributes``.
    public var isSorted = true

    /// One piece of a product, its original transaction being this one; bought 2024-05-01T12:00:00Z by
    /// default.
    public init(
        productIdentifier: String,
        transactionIdentifier: String = "1000000000000001",
        purchaseDate: Timestamp = Timestamp(millisecondsSince1970: 1_714_564_800_000)
    ) {
        self.productIdentifier = productIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.purchaseDate = purchaseDate
        originalTransactionIdentifier = transactionIdentifier
        originalPurchaseDate = purchaseDate
    }

    /// The attributes: the documented ones in the order of their types, and the raw ones last.
    public var attributes: [AttributeTemplate] {
        var attributes: [AttributeTemplate] = []
        attributes.append(1701, integer: quantity)
        attributes.append(1702, utf8String: productIdentifier)
        attributes.append(1703, utf8String: transactionIdentifier)
        attributes.append(1704, date: purchaseDate)
        attributes.append(1705, utf8String: originalTransactionIdentifier)
        attributes.append(1706, date: originalPurchaseDate)
        attributes.append(1707, integer: productType)
        attributes.append(1708, date: expiresDate)
        attributes.append(1711, integer: webOrderLineItemIdentifier)
        attributes.append(1712, date: cancellationDate)
        attributes.append(1713, flag: isTrialPeriod)
        attributes.append(1719, flag: isInIntroductoryOfferPeriod)
        attributes.append(1720, integer: cancellationReason)
        attributes.append(1721, utf8String: promotionalOfferIdentifier)
        return attributes + rawAttributes
    }

    /// The SET that is the value of an attribute of type 17.
    public func encoded() -> [UInt8] { attributes.encodedSet(sorted: isSorted) }
}
