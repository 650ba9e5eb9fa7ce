import Bytes
import DER
import SHA

/// The attributes to write into a receipt. Documented attributes are values, and others are raw.
///
/// An attribute that is nil is left out. To write a malformed attribute, set its value to nil and add it to
/// ``rawAttributes``. The numbers in parentheses are attribute types.
public struct PayloadTemplate: Sendable {
    /// The environment (0): `Production`, `ProductionVPP`, `ProductionSandbox`, `ProductionVPPSandbox` or
    /// `Xcode`.
    public var environment: String? = "Production"
    /// The app's identifier in the App Store (1).
    public var appStoreIdentifier: Int64? = 1_234_567_890
    /// The app's bundle identifier (2).
    public var bundleIdentifier: String?
    /// The app's version (3).
    public var appVersion: String? = "1"
    /// The opaque value (4). It is written with version 2, as in genuine receipts.
    public var opaqueValue: [UInt8]? = [UInt8](0..<16)
    /// The device identifier that the hash (5) covers. It is not written itself.
    ///
    /// It is the 16 octets of `identifierForVendor`, or the 6 octets of a MAC address. The default is zeros,
    /// as in receipts fetched from a server.
    public var deviceIdentifier = [UInt8](repeating: 0, count: 16)
    /// The device hash (5). Nil stands for the correct hash, or for no hash if the opaque value or the bundle
    /// identifier is nil.
    public var sha1Hash: [UInt8]?
    /// The date of the app's purchase (8).
    public var purchaseDate: Timestamp?
    /// The app's age rating (10).
    public var ageRating: String? = "4+"
    /// The developer's identifier (11).
    public var developerIdentifier: Int64?
    /// The receipt's creation date (12); 2024-06-01T12:00:00Z by default.
    public var creationDate: Timestamp? = Timestamp(millisecondsSince1970: 1_717_243_200_000)
    /// The identifier of the download (15).
    public var downloadIdentifier: Int64?
    /// The App Store's number for the app's version (16).
    public var versionExternalIdentifier: Int64?
    /// The in-app purchases (17). Each purchase is one attribute.
    public var purchases: [PurchaseTemplate] = []
    /// The date of the app's original purchase (18).
    public var originalPurchaseDate: Timestamp?
    /// The app's version at the original purchase (19).
    public var originalAppVersion: String? = "1"
    /// The receipt's expiration date (21).
    public var expirationDate: Timestamp?
    /// The platform (25): 3 for iOS, 2 for macOS.
    public var platform: Int64?
    /// The date of the app's preorder (32). Apple does not document this type.
    public var preorderDate: Timestamp?
    /// Further attributes, of any type and value. They follow all others in ``attributes``.
    ///
    /// In the encoding they stand last only if ``isSorted`` is false. Otherwise the order of DER decides.
    public var rawAttributes: [AttributeTemplate] = []
    /// Whether the SET is in the order of DER (true) or in the order of ``attributes`` (false).
    public var isSorted = true

    /// Makes a receipt for an app in production, without purchases.
    public init(bundleIdentifier: String = "com.example.app") { self.bundleIdentifier = bundleIdentifier }

    /// All attributes: first the documented ones in the order of their types, then the purchases, then the
    /// raw ones.
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
        attributes.append(32, date: preorderDate)
        for purchase in purchases { attributes.append(AttributeTemplate(17, value: purchase.encoded())) }
        return attributes + rawAttributes
    }

    /// SHA-1 of the device identifier, the opaque value and the value of the bundle identifier's attribute.
    private var deviceHash: [UInt8]? {
        guard let opaqueValue, let bundleIdentifier else { return nil }
        let value = AttributeTemplate.utf8String(2, bundleIdentifier).value
        return SHA1.digest(of: (deviceIdentifier + opaqueValue + value).borrowedSpan).bytes
    }

    /// The encoded payload, which is the content that is signed.
    public func encoded() -> [UInt8] { attributes.encodedSet(sorted: isSorted) }
}

/// The attributes of one in-app purchase to write. Documented attributes are values, and others are raw.
///
/// An attribute that is nil is left out. The numbers in parentheses are attribute types.
public struct PurchaseTemplate: Sendable {
    /// The quantity (1701).
    public var quantity: Int64? = 1
    /// The product's identifier (1702).
    public var productIdentifier: String?
    /// The transaction's identifier (1703).
    public var transactionIdentifier: String?
    /// The date of the purchase (1704).
    public var purchaseDate: Timestamp?
    /// The original transaction's identifier (1705).
    public var originalTransactionIdentifier: String?
    /// The date of the original purchase (1706).
    public var originalPurchaseDate: Timestamp?
    /// The product's type (1707): 0 for a non-consumable product, 1 for a consumable product, 2 for a
    /// non-renewing subscription, 3 for an auto-renewable subscription.
    public var productType: Int64?
    /// The expiration date of a subscription (1708).
    public var expiresDate: Timestamp?
    /// The identifier of the web order's line item (1711).
    public var webOrderLineItemIdentifier: Int64?
    /// The date of the cancellation (1712).
    public var cancellationDate: Timestamp?
    /// Whether the purchase is a trial period (1713).
    public var isTrialPeriod: Bool?
    /// Whether the purchase is in an introductory offer period (1719).
    public var isInIntroductoryOfferPeriod: Bool?
    /// The reason of the cancellation (1720).
    public var cancellationReason: Int64?
    /// The identifier of the promotional offer (1721).
    public var promotionalOfferIdentifier: String?
    /// The ownership (1722): 0 if the customer bought the product, 1 if a family member shares it. Apple does
    /// not document this type.
    public var ownership: Int64?
    /// Further attributes, of any type and value. They follow all others in ``attributes``.
    ///
    /// In the encoding they stand last only if ``isSorted`` is false. Otherwise the order of DER decides.
    public var rawAttributes: [AttributeTemplate] = []
    /// Whether the SET is in the order of DER (true) or in the order of ``attributes`` (false).
    public var isSorted = true

    /// Makes the purchase of one piece of a product. The transaction is its own original transaction.
    ///
    /// - Parameters:
    ///   - productIdentifier: the product's identifier.
    ///   - transactionIdentifier: the transaction's identifier.
    ///   - purchaseDate: the date of the purchase; 2024-05-01T12:00:00Z by default.
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

    /// All attributes: first the documented ones in the order of their types, then the raw ones.
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
        attributes.append(1722, integer: ownership)
        return attributes + rawAttributes
    }

    /// The encoded SET, which is the value of an attribute of type 17.
    public func encoded() -> [UInt8] { attributes.encodedSet(sorted: isSorted) }
}
