import Basics
import CMS
import DER

/// A validated receipt: signed under a root that the trust policy names, and in accordance with the
/// validator's policy. ``notChecked`` lists the checks that were not made.
///
/// Only ``ReceiptValidator`` and ``ReceiptBatch`` make receipts.
public struct Receipt: ReceiptContents {
    @usableFromInline let content: CheckedContent

    init(_ content: CheckedContent) { self.content = content }

    /// The receipt's values, in the type for unverified receipts. Pass it to code that only shows values.
    @inlinable public var unverified: UnverifiedReceipt { content.unverified }
}

extension Receipt {
    /// The hash algorithm of the digest that the signature covers.
    public var digestAlgorithm: HashAlgorithm { content.digestAlgorithm }
    /// The SHA-256 digest of the signed content, which identifies the receipt.
    ///
    /// The content is the octets of `eContent` (RFC 5652 §5.2); in Xcode's BER, its segments joined. The
    /// digest of the receipt's bytes identifies nothing: parts that no signature covers, such as the version
    /// of the container, can be changed in a valid receipt. Each access computes the digest unless the
    /// signature covers SHA-256.
    public var contentDigest: Digest { content.contentDigest }
    /// The SHA-256 fingerprint of the trusted root that the receipt was signed under.
    public var rootFingerprint: Digest { content.rootFingerprint }
    /// The date when the receipt was made and signed, as the signer claims (attribute 12).
    public var creationDate: Timestamp { content.creationDate }
    /// The checks that were not made, in the order of the steps: every check that the policy does not ask
    /// for, and `revocation` unless evidence proves for each certificate except the root's that the
    /// certificate is not revoked.
    public var notChecked: [ReceiptError.Step] { content.notChecked }
    /// The signer's certificate in DER. The slice shares the receipt's bytes, so its indices do not begin at
    /// zero.
    public var signingCertificate: ArraySlice<UInt8> { unverified.buffer.bytes[content.signer] }
    /// The in-app purchases that decode (attributes of type 17), in the order of the receipt. Each access
    /// decodes all of them into a new array; keep the array to use it more than once.
    ///
    /// ``malformedInAppPurchases`` has the purchases that do not decode.
    public var inAppPurchases: [InAppPurchase] { unverified.purchases() }
    /// The number of purchases that decode. Decodes all of them, and allocates nothing.
    package var inAppPurchaseCount: Int {
        var count = 0
        forEachPurchase { _ in count += 1 }
        return count
    }
    /// The number of attributes of type 17, whether they decode or not. Decodes nothing.
    package var purchaseAttributeCount: Int { unverified.purchaseCount }

    /// Lends the values of each purchase, without an allocation. Passes over purchases that do not decode.
    package func forEachPurchase(_ body: (borrowing AttributeValues) -> Void) {
        unverified.forEachPurchase {
            body($0)
            return true
        }
    }

    /// The error for a caller that refuses the receipt's environment: `.environmentMismatch`, or
    /// `.missingEnvironment` if the receipt's environment is absent or empty.
    package var environmentMismatch: ReceiptError {
        let refusal =
            values.range(.environment).map {
                Refusal(.environmentMismatch, at: $0.lowerBound, reading: "environment")
            } ?? Refusal(.missingEnvironment, at: unverified.set.lowerBound, reading: "environment")
        return ReceiptError(.environment, unverified.normalised?.mappedToInput(refusal) ?? refusal)
    }
}

/// The properties of a receipt, validated or not: ``Receipt`` or ``UnverifiedReceipt``.
///
/// The number in parentheses is the type of the attribute. A property is nil if the receipt lacks the
/// attribute, and if a text or date is empty. Each access to a string property makes the string anew.
public protocol ReceiptContents: Sendable, CustomStringConvertible {
    /// The receipt's values, in the type for unverified receipts.
    var unverified: UnverifiedReceipt { get }
}

extension ReceiptContents {
    /// The decoded values of the receipt's attributes, without the purchases.
    @inlinable package var values: AttributeValues { unverified.values }
    /// The environment in which the app was bought or run (attribute 0); nil if it is absent or unknown.
    /// ``environmentName`` has the unknown names, too.
    public var environment: ReceiptEnvironment? {
        let values = values
        return ReceiptEnvironment.allCases.first { values.holds(.environment, $0.name) }
    }
    /// The environment as the receipt writes it (attribute 0); nil if it is absent or empty.
    @inlinable public var environmentName: String? { values.string(.environment) }
    /// The App Store's number for the app (attribute 1), 0 in the sandbox; nil if absent or malformed.
    @inlinable public var appStoreIdentifier: Int64? { values.number(.appStoreIdentifier) }
    /// The app's bundle identifier (attribute 2); nil if it is absent or empty.
    @inlinable public var bundleIdentifier: String? { values.string(.bundleIdentifier) }
    /// The app's version (attribute 3): `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS. Nil
    /// if it is absent or empty.
    @inlinable public var appVersion: String? { values.string(.appVersion) }
    /// The opaque value, which the device hash covers (attribute 4); nil if it is absent.
    @inlinable public var opaqueValue: ArraySlice<UInt8>? { values.octets(.opaqueValue) }
    /// The device hash (attribute 5): SHA-1 over the device identifier, the opaque value, and the bundle
    /// identifier's UTF8String with tag and length, in this order. Nil if it is absent.
    @inlinable public var sha1Hash: ArraySlice<UInt8>? { values.octets(.sha1Hash) }
    /// The date when the app was bought (attribute 8); nil if it is absent, empty or malformed.
    @inlinable public var purchaseDate: Timestamp? { values.date(ReceiptAttribute.purchaseDate) }
    /// The age rating, such as `4+` (attribute 10); nil if it is absent, empty or malformed.
    @inlinable public var ageRating: String? { values.string(.ageRating) }
    /// The App Store's number for the developer (attribute 11); nil if it is absent or malformed.
    @inlinable public var developerIdentifier: Int64? { values.number(.developerIdentifier) }
    /// The App Store's number for the download (attribute 15); nil if it is absent or malformed.
    @inlinable public var downloadIdentifier: Int64? { values.number(.downloadIdentifier) }
    /// The App Store's number for the app's version (attribute 16); nil if it is absent or malformed.
    @inlinable public var versionExternalIdentifier: Int64? {
        values.number(.versionExternalIdentifier)
    }
    /// The date when the app was first bought (attribute 18), always on 2013-08-01 in the sandbox; nil if it
    /// is absent, empty or malformed.
    @inlinable public var originalPurchaseDate: Timestamp? {
        values.date(ReceiptAttribute.originalPurchaseDate)
    }
    /// The version of the app that was first bought (attribute 19), always `1.0` in the sandbox; nil if it is
    /// absent, empty or malformed.
    @inlinable public var originalAppVersion: String? { values.string(.originalAppVersion) }
    /// The date when a Volume Purchase receipt expires (attribute 21); nil if it is absent or empty.
    @inlinable public var expirationDate: Timestamp? { values.date(.expirationDate) }
    /// The platform (attribute 25), by observation: 3 for iOS, 2 for macOS; nil if absent or malformed.
    @inlinable public var platform: Int64? { values.number(.platform) }
    /// The date when the app was ordered before its release (attribute 32).
    ///
    /// Apple does not document the type. The date is nil if it is absent, empty, malformed or repeated.
    @inlinable public var preorderDate: Timestamp? { values.date(.preorderDate) }

    /// The number of attributes that are malformed and read as nil, without purchases. No check needs these
    /// attributes. The undocumented ``preorderDate`` is not counted.
    @inlinable public var malformedAttributeCount: Int { unverified.malformedCount }
    /// All attributes of the receipt, documented or not, each with the octets of its value, in their order.
    /// An in-app purchase is one attribute here.
    @inlinable public var attributes: [Attribute] { values.attributes }

    /// The in-app purchases that do not decode, each with the reason. They grant nothing.
    @inlinable public var malformedInAppPurchases: [MalformedInAppPurchase] { unverified.malformedPurchases }
    /// Calls `body` with each attribute of each in-app purchase, in the order of the receipt. Does not decode
    /// the values. Copies and allocates nothing.
    ///
    /// In a malformed purchase, `body` receives the attributes before the first whose type, version or value
    /// cannot be read, and at most `Limits.attributes` of them.
    ///
    /// - Parameter body: receives the number of the purchase among all attributes of type 17, from zero; and
    ///   the type, the version and the octets of the value of one attribute.
    @inlinable
    public func forEachPurchaseAttribute(
        _ body: (_ purchase: Int, _ type: Int64, _ version: Int64, _ value: Span<UInt8>) -> Void
    ) {
        unverified.purchaseWalk.forEach(body)
    }
}
