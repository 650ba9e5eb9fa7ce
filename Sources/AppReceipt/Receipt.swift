import CMS
import DER

/// What a receipt says, validated or not; the two types that conform say which.
public protocol ReceiptContents: Sendable {
    /// What the properties read, with the bytes that it keeps.
    var payload: Payload { get }
    /// The limits it was decoded within; its purchases are, too.
    var limits: Limits { get }
}

/// A receipt that holds: signed by Apple, or by the root that the policy names, and for whom the app expects.
///
/// Only ``ReceiptValidator`` makes one.
public struct Receipt: ReceiptContents {
    /// What the properties read, with the bytes that it keeps.
    public let payload: Payload
    /// The limits it was decoded within; its purchases are, too.
    public let limits: Limits
    /// The checks that nobody asked for, in the order of the steps.
    public let notChecked: [ReceiptError.Step]
    /// The digest that the content was signed over.
    public let digestAlgorithm: HashAlgorithm
    /// Which of the trusted roots it was signed under: SHA-256 of the root's certificate.
    public let rootFingerprint: Digest
    /// When the receipt was made and signed, which is the signer's word (12).
    public let creationDate: Timestamp
    /// Where the signer's certificate lies in the bytes that are kept.
    private let signer: Range<Int>

    init(
        payload: Payload,
        creationDate: Timestamp,
        limits: Limits,
        notChecked: [ReceiptError.Step],
        digestAlgorithm: HashAlgorithm,
        rootFingerprint: Digest,
        signer: Range<Int>
    ) {
        self.payload = payload
        self.creationDate = creationDate
        self.limits = limits
        self.notChecked = notChecked
        self.digestAlgorithm = digestAlgorithm
        self.rootFingerprint = rootFingerprint
        self.signer = signer
    }
}

extension Receipt {
    /// The signer's certificate in DER, a slice of what the receipt keeps: its indices do not begin at zero.
    public var signingCertificate: ArraySlice<UInt8> { payload.buffer.bytes[signer] }
    /// The in-app purchases (17), decoded one by one as they are reached; those that do not decode are passed
    /// over, and are in ``malformedInAppPurchases``.
    public var inAppPurchases: InAppPurchases { payload.purchases(limits) }
    /// The in-app purchases that do not decode, each with the reason. They grant nothing.
    public var malformedInAppPurchases: [MalformedInAppPurchase] { payload.purchases(limits).malformed }
}

/// What bytes claim that nobody verified: for showing to people, never for granting anything.
public struct UnverifiedReceipt: ReceiptContents {
    /// What the properties read, with the bytes that it keeps.
    public let payload: Payload
    /// The limits it was decoded within; its purchases are, too.
    public let limits: Limits

    /// Decodes a container's payload without looking at certificates or signature.
    ///
    /// - Parameter bytes: the container, in DER or BER; kept.
    /// - Throws: `ReceiptError` of the steps `container` and `payload`.
    public init(unverified bytes: [UInt8], limits: Limits = .standard) throws(ReceiptError) {
        let envelope: Envelope
        do throws(Refusal) {
            envelope = try Envelope(bytes.span, limits: limits)
        } catch {
            throw ReceiptError(.container, error)
        }
        do throws(Refusal) {
            payload = try Payload(
                AttributeBuffer(bytes, envelope),
                envelope.normalised,
                content: envelope.signedData.content,
                limits: limits
            )
        } catch {
            throw ReceiptError(.payload, envelope.inInput(error))
        }
        self.limits = limits
    }

    /// Decodes a payload that somebody else took out of its container. Its length is not limited; the number
    /// of its attributes is.
    public init(unverifiedPayload bytes: [UInt8], limits: Limits = .standard) throws(Refusal) {
        payload = try Payload(AttributeBuffer(bytes), nil, content: 0..<bytes.count, limits: limits)
        self.limits = limits
    }

    /// When the receipt says that it was made (12); nil where absent or empty.
    public var creationDate: Timestamp? { payload.creationDate }
}

extension UnverifiedReceipt {
    /// What the bytes claim to have been bought. The elements have the type of verified ones: mind where they
    /// go.
    public var unverifiedInAppPurchases: InAppPurchases { payload.purchases(limits) }
    /// What they claim, and does not decode.
    public var malformedInAppPurchases: [MalformedInAppPurchase] { payload.purchases(limits).malformed }
}

extension ReceiptContents {
    /// Where the app was bought or run (0); nil where absent, or none that is known: see ``environmentName``.
    public var environment: ReceiptEnvironment? {
        ReceiptEnvironment.allCases.first { payload.buffer.holds(payload.environment, $0.name) }
    }
    /// The environment as the receipt writes it (0).
    public var environmentName: String? { payload.buffer.string(payload.environment) }
    /// The App Store's number for the app (1); 0 in the sandbox.
    public var appStoreIdentifier: Int64? { payload.appStoreIdentifier }
    /// The app's bundle identifier (2).
    public var bundleIdentifier: String? { payload.buffer.string(payload.bundleIdentifier) }
    /// `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS (3).
    public var appVersion: String? { payload.buffer.string(payload.appVersion) }
    /// Goes into the device hash (4).
    public var opaqueValue: ArraySlice<UInt8>? { payload.opaqueValue.map { payload.buffer.bytes[$0] } }
    /// SHA-1 of the device identifier, the opaque value and the bundle identifier (5).
    public var sha1Hash: ArraySlice<UInt8>? { payload.sha1Hash.map { payload.buffer.bytes[$0] } }
    /// When the app was bought (8).
    public var purchaseDate: Timestamp? { payload.purchaseDate }
    /// Such as `4+` (10).
    public var ageRating: String? { payload.buffer.string(payload.ageRating) }
    /// The App Store's number for the developer (11).
    public var developerIdentifier: Int64? { payload.developerIdentifier }
    /// (15)
    public var downloadIdentifier: Int64? { payload.downloadIdentifier }
    /// (16)
    public var versionExternalIdentifier: Int64? { payload.versionExternalIdentifier }
    /// When the app was first bought (18).
    public var originalPurchaseDate: Timestamp? { payload.originalPurchaseDate }
    /// The version that was first bought (19).
    public var originalAppVersion: String? { payload.buffer.string(payload.originalAppVersion) }
    /// When a Volume Purchase receipt ends (21).
    public var expirationDate: Timestamp? { payload.expirationDate }
    /// 3 for iOS, 2 for macOS, by observation (25).
    public var platform: Int64? { payload.platform }

    /// How many documented attributes, of those that no check needs, do not decode and read as nil.
    public var malformedAttributeCount: Int { payload.malformedCount }

    /// The attributes of a type, raw; for what is undocumented.
    public func attributes(ofType type: Int64) -> [Attribute] {
        attributes.filter { $0.type == type }
    }
    /// All attributes, raw, in the order of the receipt.
    public var attributes: [Attribute] { payload.buffer.attributes(in: payload.set) }
}
