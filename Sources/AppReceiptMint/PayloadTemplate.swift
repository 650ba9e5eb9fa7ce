import AppReceipt
import Basics
import SHA

/// The attributes to write into a receipt. Attributes of known types have properties, and others are raw.
///
/// An attribute whose property is nil is left out, except the device hash: see ``sha1Hash``. To write any
/// other attribute with a malformed value, set its property to nil and add an attribute of its type to
/// ``rawAttributes``.
public struct PayloadTemplate: Sendable {
    /// The environment (attribute type 0), `Production`, `ProductionVPP`, `ProductionSandbox`,
    /// `ProductionVPPSandbox` or `Xcode` in genuine receipts; nil leaves it out.
    public var environment: String? = "Production"
    /// The app's identifier in the App Store (attribute type 1); nil leaves it out.
    public var appStoreIdentifier: Int64? = 1_234_567_890
    /// The app's bundle identifier (attribute type 2); nil leaves it out.
    public var bundleIdentifier: String?
    /// The app's version (attribute type 3); nil leaves it out.
    public var appVersion: String? = "1"
    /// The opaque value (attribute type 4), written with the attribute version 2; nil leaves it out.
    public var opaqueValue: [UInt8]? = [UInt8](0..<16)
    /// The device identifier that the device hash (attribute type 5) covers. It is not written itself.
    ///
    /// It is the 16 octets of `identifierForVendor`, or the 6 octets of a MAC address. The default is 16
    /// zeros.
    public var deviceIdentifier = [UInt8](repeating: 0, count: 16)
    /// The device hash to write (attribute type 5). Nil stands for the correct hash, or for no hash if the
    /// opaque value or the bundle identifier is nil.
    public var sha1Hash: [UInt8]?
    /// The date of the app's purchase (attribute type 8); nil leaves it out.
    public var purchaseDate: Timestamp?
    /// The app's age rating (attribute type 10); nil leaves it out.
    public var ageRating: String? = "4+"
    /// The developer's identifier (attribute type 11); nil leaves it out.
    public var developerIdentifier: Int64?
    /// The receipt's creation date (attribute type 12), by default 2024-06-01T12:00:00Z; nil leaves it out.
    public var creationDate: Timestamp? = Timestamp(millisecondsSince1970: 1_717_243_200_000)
    /// The identifier of the download (attribute type 15); nil leaves it out.
    public var downloadIdentifier: Int64?
    /// The App Store's number for the app's version (attribute type 16); nil leaves it out.
    public var versionExternalIdentifier: Int64?
    /// The in-app purchases. Each purchase is one attribute of type 17.
    ///
    /// If the caller did not set the transaction identifier of a purchase, the receipt gives the purchase an
    /// identifier. Every receipt counts from `1000000000000001`, and skips the identifiers that the caller
    /// set as ``PurchaseTemplate/transactionIdentifier`` of its other purchases. Identifiers in
    /// ``PurchaseTemplate/rawAttributes`` are not skipped.
    public var purchases: [PurchaseTemplate] = []
    /// The date of the app's original purchase (attribute type 18); nil leaves it out.
    public var originalPurchaseDate: Timestamp?
    /// The app's version at the original purchase (attribute type 19); nil leaves it out.
    public var originalAppVersion: String? = "1"
    /// The receipt's expiration date (attribute type 21); nil leaves it out.
    public var expirationDate: Timestamp?
    /// The platform (attribute type 25): 3 for iOS, 2 for macOS; nil leaves it out.
    public var platform: Int64?
    /// The date of the app's preorder (attribute type 32, which Apple does not document); nil leaves it out.
    public var preorderDate: Timestamp?
    /// Further attributes of the receipt, of any type and value. They follow all others in ``attributes``.
    ///
    /// In the encoding they also stand last if ``isSorted`` is false. Otherwise the order of DER decides.
    public var rawAttributes: [AttributeTemplate] = []
    /// Whether the payload's SET is in the order of DER (true) or in the order of ``attributes`` (false).
    public var isSorted = true

    /// Makes the payload of a receipt for an app that was bought in production, without purchases.
    public init(bundleIdentifier: String = "com.example.app") { self.bundleIdentifier = bundleIdentifier }

    /// All attributes to write: the properties in the order of their attribute types, then the purchases,
    /// then ``rawAttributes``.
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

    /// The purchases, each with the transaction identifier that the caller set or that this receipt gives it.
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

    /// SHA-1 of the device identifier, the opaque value and the encoded UTF8String of the bundle identifier.
    /// Nil if the opaque value or the bundle identifier is nil.
    private var deviceHash: [UInt8]? {
        guard let opaqueValue, let bundleIdentifier else { return nil }
        let value = AttributeTemplate.utf8String(2, bundleIdentifier).value
        return HashAlgorithm.sha1.digest(of: (deviceIdentifier + opaqueValue + value).borrowedSpan).bytes
    }

    /// The encoded payload: a SET OF ``attributes``, in the order that ``isSorted`` decides.
    public func encoded() -> [UInt8] { attributes.encodedSet(sorted: isSorted) }
}

/// The attributes of one in-app purchase to write. Attributes of known types have properties, and others are
/// raw.
///
/// An attribute that is nil is left out.
public struct PurchaseTemplate: Sendable {
    /// The quantity (attribute type 1701); nil leaves it out.
    public var quantity: Int64? = 1
    /// The product's identifier (attribute type 1702); nil leaves it out.
    public var productIdentifier: String?
    /// The transaction's identifier (attribute type 1703); setting nil leaves it out. A template made without
    /// an identifier has `1000000000000001` here until the caller sets this property. Until then, a receipt
    /// writes its next free number instead; see ``PayloadTemplate/purchases``.
    public var transactionIdentifier: String? { didSet { statesTransaction = true } }
    /// The date of the purchase (attribute type 1704); nil leaves it out.
    public var purchaseDate: Timestamp?
    /// The original transaction's identifier (attribute type 1705); nil leaves it out.
    ///
    /// If a receipt gives the purchase its transaction identifier, the receipt writes the same number here,
    /// unless the caller set this property.
    public var originalTransactionIdentifier: String? { didSet { statesOriginalTransaction = true } }
    /// The date of the original purchase (attribute type 1706); nil leaves it out.
    public var originalPurchaseDate: Timestamp?
    /// The product's type (attribute type 1707): 0 for non-consumable, 1 for consumable, 2 for a non-renewing
    /// subscription, 3 for an auto-renewable subscription; nil leaves it out.
    public var productType: Int64?
    /// The expiration date of a subscription (attribute type 1708); nil leaves it out.
    public var expiresDate: Timestamp?
    /// The identifier of the web order's line item (attribute type 1711); nil leaves it out.
    public var webOrderLineItemIdentifier: Int64?
    /// The date of the cancellation (attribute type 1712); nil leaves it out.
    public var cancellationDate: Timestamp?
    /// Whether the purchase is a trial period (attribute type 1713); nil leaves it out.
    public var isTrialPeriod: Bool?
    /// Whether the purchase is in an introductory offer period (attribute type 1719); nil leaves it out.
    public var isInIntroductoryOfferPeriod: Bool?
    /// The reason of the cancellation (attribute type 1720); nil leaves it out.
    public var cancellationReason: Int64?
    /// The identifier of the promotional offer (attribute type 1721); nil leaves it out.
    public var promotionalOfferIdentifier: String?
    /// The ownership (attribute type 1722, which Apple does not document): 0 if the customer bought the
    /// product, 1 if a family member shares it; nil leaves it out.
    public var ownership: Int64?
    /// Further attributes of the purchase, of any type and value. They follow all others in ``attributes``.
    ///
    /// In the encoding they also stand last if ``isSorted`` is false. Otherwise the order of DER decides.
    public var rawAttributes: [AttributeTemplate] = []
    /// Whether the purchase's SET is in the order of DER (true) or in the order of ``attributes`` (false).
    public var isSorted = true
    /// Whether the transaction identifier was given to the initialiser, or was set to a value or to nil. Then
    /// no receipt numbers the purchase.
    fileprivate private(set) var statesTransaction: Bool
    /// Whether the caller set the original transaction identifier, or gave the initialiser a transaction
    /// identifier.
    private var statesOriginalTransaction: Bool

    /// The number from which each receipt counts the transaction identifiers that it gives to purchases.
    fileprivate static let firstTransaction: Int64 = 1_000_000_000_000_001

    /// Makes the purchase of one item of a product. The transaction is its own original transaction.
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

    /// A copy with this identifier as the transaction identifier. It is also the original transaction
    /// identifier of the copy, unless the caller set that one.
    fileprivate func numbered(_ identifier: String) -> Self {
        var template = self
        template.transactionIdentifier = identifier
        if !statesOriginalTransaction { template.originalTransactionIdentifier = identifier }
        return template
    }

    /// All attributes of the purchase to write: the properties in the order of their attribute types, then
    /// ``rawAttributes``.
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

    /// The encoded SET OF ``attributes``, which is the value of an attribute of type 17 in a payload.
    public func encoded() -> [UInt8] { attributes.encodedSet(sorted: isSorted) }
}
