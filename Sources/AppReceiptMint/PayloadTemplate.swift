import AppReceipt
import Basics
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
    ///
    /// A purchase that was made without a transaction identifier gets one from its receipt. The receipt
    /// counts from `1000000000000001` and passes over identifiers that other purchases of it state, so the
    /// purchases of one receipt differ. Two receipts count alike.
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
        var attributes = (0..<64).compactMap { ReceiptAttribute(rawValue: $0) }.compactMap {
            template(of: $0)
        }
        for purchase in numberedPurchases {
            attributes.append(
                AttributeTemplate(ReceiptAttribute.inAppPurchase, value: purchase.encoded())
            )
        }
        return attributes + rawAttributes
    }

    private func template(of one: ReceiptAttribute) -> AttributeTemplate? {
        switch one {
        case .environment: one.row.template(environment)
        case .appStoreIdentifier: one.row.template(appStoreIdentifier)
        case .bundleIdentifier: one.row.template(bundleIdentifier)
        case .appVersion: one.row.template(appVersion)
        case .opaqueValue: opaqueValue.map { AttributeTemplate(one.rawValue, version: 2, value: $0) }
        case .sha1Hash: (sha1Hash ?? deviceHash).map { AttributeTemplate(one.rawValue, value: $0) }
        case .purchaseDate: one.row.template(purchaseDate)
        case .ageRating: one.row.template(ageRating)
        case .developerIdentifier: one.row.template(developerIdentifier)
        case .creationDate: one.row.template(creationDate)
        case .downloadIdentifier: one.row.template(downloadIdentifier)
        case .versionExternalIdentifier: one.row.template(versionExternalIdentifier)
        case .originalPurchaseDate: one.row.template(originalPurchaseDate)
        case .originalAppVersion: one.row.template(originalAppVersion)
        case .expirationDate: one.row.template(expirationDate)
        case .platform: one.row.template(platform)
        case .preorderDate: one.row.template(preorderDate)
        }
    }

    /// The purchases, each with the transaction identifier that it states or gets.
    private var numberedPurchases: [PurchaseTemplate] {
        let stated = Set(purchases.compactMap { $0.statesTransaction ? $0.transactionIdentifier : nil })
        var number = PurchaseTemplate.firstTransaction
        return purchases.map { purchase in
            guard !purchase.statesTransaction else { return purchase }
            while stated.contains(String(number)) { number += 1 }
            defer { number += 1 }
            return purchase.numbered(String(number))
        }
    }

    /// SHA-1 of the device identifier, the opaque value and the value of the bundle identifier's attribute.
    private var deviceHash: [UInt8]? {
        guard let opaqueValue, let bundleIdentifier else { return nil }
        let value = AttributeTemplate.utf8String(2, bundleIdentifier).value
        return HashAlgorithm.sha1.digest(of: (deviceIdentifier + opaqueValue + value).borrowedSpan).bytes
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
    ///
    /// A template that was made without an identifier has `1000000000000001` here until another one is set.
    /// A receipt gives it the next free number; see ``PayloadTemplate/purchases``.
    public var transactionIdentifier: String? { didSet { statesTransaction = true } }
    /// The date of the purchase (1704).
    public var purchaseDate: Timestamp?
    /// The original transaction's identifier (1705).
    ///
    /// If the template was made without a transaction identifier and this value was not set, the purchase
    /// stays its own original transaction when a receipt numbers it.
    public var originalTransactionIdentifier: String? { didSet { statesOriginalTransaction = true } }
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
    /// Whether the caller gave the transaction identifier.
    fileprivate private(set) var statesTransaction: Bool
    /// Whether the caller gave the original transaction identifier.
    private var statesOriginalTransaction: Bool

    /// The transaction identifier of the first purchase that states none.
    fileprivate static let firstTransaction: Int64 = 1_000_000_000_000_001

    /// Makes the purchase of one piece of a product. The transaction is its own original transaction.
    ///
    /// - Parameters:
    ///   - productIdentifier: the product's identifier.
    ///   - transactionIdentifier: the transaction's identifier. If nil, the receipt counts its purchases; see
    ///     ``PayloadTemplate/purchases``.
    ///   - purchaseDate: the date of the purchase; 2024-05-01T12:00:00Z by default.
    public init(
        productIdentifier: String,
        transactionIdentifier: String? = nil,
        purchaseDate: Timestamp = Timestamp(millisecondsSince1970: 1_714_564_800_000)
    ) {
        let identifier = transactionIdentifier ?? String(Self.firstTransaction)
        self.productIdentifier = productIdentifier
        self.transactionIdentifier = identifier
        self.purchaseDate = purchaseDate
        originalTransactionIdentifier = identifier
        originalPurchaseDate = purchaseDate
        statesTransaction = transactionIdentifier != nil
        statesOriginalTransaction = statesTransaction
    }

    /// The template with the identifier that its receipt gives it.
    fileprivate func numbered(_ identifier: String) -> Self {
        var template = self
        template.transactionIdentifier = identifier
        if !statesOriginalTransaction { template.originalTransactionIdentifier = identifier }
        return template
    }

    /// All attributes: first the documented ones in the order of their types, then the raw ones.
    public var attributes: [AttributeTemplate] {
        (1701..<1764).compactMap { PurchaseAttribute(rawValue: $0) }.compactMap { template(of: $0) }
            + rawAttributes
    }

    private func template(of one: PurchaseAttribute) -> AttributeTemplate? {
        switch one {
        case .quantity: one.row.template(quantity)
        case .productIdentifier: one.row.template(productIdentifier)
        case .transactionIdentifier: one.row.template(transactionIdentifier)
        case .purchaseDate: one.row.template(purchaseDate)
        case .originalTransactionIdentifier: one.row.template(originalTransactionIdentifier)
        case .originalPurchaseDate: one.row.template(originalPurchaseDate)
        case .productType: one.row.template(productType)
        case .expiresDate: one.row.template(expiresDate)
        case .webOrderLineItemIdentifier: one.row.template(webOrderLineItemIdentifier)
        case .cancellationDate: one.row.template(cancellationDate)
        case .isTrialPeriod: one.row.template(isTrialPeriod)
        case .isInIntroductoryOfferPeriod: one.row.template(isInIntroductoryOfferPeriod)
        case .cancellationReason: one.row.template(cancellationReason)
        case .promotionalOfferIdentifier: one.row.template(promotionalOfferIdentifier)
        case .ownership: one.row.template(ownership)
        }
    }

    /// The encoded SET, which is the value of an attribute of type 17.
    public func encoded() -> [UInt8] { attributes.encodedSet(sorted: isSorted) }
}
