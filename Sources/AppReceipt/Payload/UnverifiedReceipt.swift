import Bytes
import CMS
import DER

/// A receipt whose signature is unverified: what some bytes claim. Show it to people, and never grant
/// anything for it.
public struct UnverifiedReceipt: ReceiptContents {
    /// The decoded attributes, with the bytes that the receipt keeps.
    let payload: Payload
    /// The limits that the payload was decoded within. They apply to its purchases, too.
    let limits: Limits

    init(_ payload: Payload, _ limits: Limits) {
        self.payload = payload
        self.limits = limits
    }

    /// Decodes the payload of a container. Certificates and signature are not read.
    ///
    /// - Parameters:
    ///   - bytes: the container, in DER or BER. The receipt keeps the array.
    ///   - limits: the limits on the work that the receipt may cause.
    /// - Throws: `ReceiptError` of the steps `container` and `payload`.
    public init(unverified bytes: [UInt8], limits: Limits = .standard) throws(ReceiptError) {
        let envelope: Envelope
        do throws(Refusal) {
            envelope = try Envelope(bytes.borrowedSpan, limits: limits.message.encoding)
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
            throw ReceiptError(.payload, envelope.mappedToInput(error))
        }
        self.limits = limits
    }

    /// Decodes a payload that the caller took out of its container.
    ///
    /// - Parameters:
    ///   - bytes: the payload: the SET of attributes. The receipt keeps the array.
    ///   - limits: `attributes` bounds the number of attributes. The length of the payload is not limited.
    /// - Throws: `ReceiptError` of the step `payload`; offsets count from the start of `bytes`.
    public init(unverifiedPayload bytes: [UInt8], limits: Limits = .standard) throws(ReceiptError) {
        do throws(Refusal) {
            payload = try Payload(AttributeBuffer(bytes), nil, content: 0..<bytes.count, limits: limits)
        } catch {
            throw ReceiptError(.payload, error)
        }
        self.limits = limits
    }

    /// The date when the bytes claim that the receipt was made (12); nil if it is absent or empty.
    public var creationDate: Timestamp? { payload.creationDate }

    /// The in-app purchases that the bytes claim and that decode (17), in the order of the bytes. Each access
    /// decodes all of them and makes one array.
    public var unverifiedInAppPurchases: UnverifiedInAppPurchases {
        UnverifiedInAppPurchases(payload, limits: limits)
    }
}

extension UnverifiedReceipt {
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
