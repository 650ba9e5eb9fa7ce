import DER

/// The properties of a receipt, validated or not: ``Receipt`` or ``UnverifiedReceipt``.
///
/// The number in parentheses is the type of the attribute. A property is nil if the receipt lacks the
/// attribute or its value is empty. Each access to a string property makes the string anew.
public protocol ReceiptContents: Sendable, CustomStringConvertible {
    /// The environment in which the app was bought or run (0); nil if it is absent or unknown.
    /// ``environmentName`` has the unknown names, too.
    var environment: ReceiptEnvironment? { get }
    /// The environment as the receipt writes it (0).
    var environmentName: String? { get }
    /// The App Store's number for the app (1); 0 in the sandbox.
    var appStoreIdentifier: Int64? { get }
    /// The app's bundle identifier (2).
    var bundleIdentifier: String? { get }
    /// The app's version (3): `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    var appVersion: String? { get }
    /// The opaque value, which the device hash covers (4).
    var opaqueValue: ArraySlice<UInt8>? { get }
    /// The device hash: SHA-1 of the device identifier, the opaque value and the bundle identifier (5).
    var sha1Hash: ArraySlice<UInt8>? { get }
    /// The date when the app was bought (8).
    var purchaseDate: Timestamp? { get }
    /// The age rating, such as `4+` (10).
    var ageRating: String? { get }
    /// The App Store's number for the developer (11).
    var developerIdentifier: Int64? { get }
    /// The App Store's number for the download (15).
    var downloadIdentifier: Int64? { get }
    /// The App Store's number for the app's version (16).
    var versionExternalIdentifier: Int64? { get }
    /// The date when the app was first bought (18).
    var originalPurchaseDate: Timestamp? { get }
    /// The version of the app that was first bought (19).
    var originalAppVersion: String? { get }
    /// The date when a Volume Purchase receipt expires (21).
    var expirationDate: Timestamp? { get }
    /// The platform, by observation: 3 for iOS, 2 for macOS (25).
    var platform: Int64? { get }
    /// The date when the app was ordered before its release (32).
    ///
    /// Apple does not document the type. The date is nil if the attribute is malformed or occurs twice, too.
    var preorderDate: Timestamp? { get }

    /// The number of documented attributes that are malformed and read as nil. No check needs these
    /// attributes. The undocumented ``preorderDate`` is not counted.
    var malformedAttributeCount: Int { get }
    /// All attributes with their raw values, in the order of the receipt.
    var attributes: [Attribute] { get }

    /// The in-app purchases that do not decode, each with the reason. They grant nothing.
    var malformedInAppPurchases: [MalformedInAppPurchase] { get }
    /// Calls `body` with each attribute of each in-app purchase, in the order of the receipt. Does not decode
    /// the values. Copies and allocates nothing.
    ///
    /// In a malformed purchase, `body` receives the attributes before the first whose type, version or value
    /// cannot be read.
    ///
    /// - Parameter body: receives the number of the purchase among all attributes of type 17, from zero; and
    ///   the type, the version and the octets of the value of one attribute.
    func forEachPurchaseAttribute(
        _ body: (_ purchase: Int, _ type: Int64, _ version: Int64, _ value: Span<UInt8>) -> Void
    )
}

extension ReceiptContents {
    /// The attributes of one type with their raw values. Use it to read undocumented attributes.
    public func attributes(ofType type: Int64) -> [Attribute] { attributes.filter { $0.type == type } }
}
