import Bytes
import DER

/// The decoded attributes of a receipt, with the buffer that it keeps.
///
/// A payload says nothing about its signature. ``Receipt`` and ``UnverifiedReceipt`` do, and both read their
/// properties from a payload.
///
/// ```
/// Payload ::= SET OF ReceiptAttribute
/// ```
///
/// The order within the SET is not enforced, because Xcode does not sort it. One known emitter wraps the SET
/// in one more OCTET STRING, which the decoder removes.
struct Payload: Sendable {
    let buffer: AttributeBuffer
    /// Maps offsets in the buffer to offsets in the input; nil if the buffer is the input.
    let normalised: Normalised?
    /// The range of the SET's contents.
    let set: Range<Int>

    // Attributes that validation needs. A malformed one refuses the payload.
    @CompactRange var environment: Range<Int>?
    @CompactRange var bundleIdentifier: Range<Int>?
    /// The octets of the bundle identifier's value, tag and length included. The device hash covers them.
    @CompactRange var rawBundleIdentifier: Range<Int>?
    @CompactRange var appVersion: Range<Int>?
    @CompactRange var opaqueValue: Range<Int>?
    @CompactRange var sha1Hash: Range<Int>?
    @CompactTime var creationDate: Timestamp?
    @CompactTime var expirationDate: Timestamp?
    /// The offset of the expiration date's value, for errors.
    var expirationDateOffset = 0

    // The other attributes. A malformed one is counted and reads as nil.
    @CompactNumber var appStoreIdentifier: Int64?
    @CompactTime var purchaseDate: Timestamp?
    @CompactRange var ageRating: Range<Int>?
    @CompactNumber var developerIdentifier: Int64?
    @CompactNumber var downloadIdentifier: Int64?
    @CompactNumber var versionExternalIdentifier: Int64?
    @CompactTime var originalPurchaseDate: Timestamp?
    @CompactRange var originalAppVersion: Range<Int>?
    @CompactNumber var platform: Int64?
    /// Nil if the attribute is malformed or occurs twice, too. It is not counted then, because Apple does not
    /// document it.
    @CompactTime var preorderDate: Timestamp?

    /// The number of malformed attributes that read as nil.
    var malformedCount = 0
    /// The number of attributes of type 17, whether they decode or not.
    private(set) var purchaseCount = 0

    /// Decodes the payload.
    ///
    /// - Parameters:
    ///   - buffer: the bytes that the payload keeps.
    ///   - normalised: the result of the BER normaliser that made the buffer; nil if the buffer is the input.
    ///   - content: the range of the signed content in the buffer.
    /// - Throws: a refusal of a malformed structure, of too many attributes, of a repeated attribute, or of a
    ///   malformed attribute that validation needs.
    init(
        _ buffer: AttributeBuffer,
        _ normalised: Normalised?,
        content: Range<Int>,
        limits: Limits
    ) throws(Refusal) {
        let bytes = buffer.bytes.borrowedSpan
        self.buffer = buffer
        self.normalised = normalised
        set = try Self.attributeSet(bytes, content)
        // Ranges are kept in 32 bits, so a receipt must be smaller than 4 GiB.
        guard set.upperBound <= UInt32.max else {
            throw Refusal(.inputTooLarge, at: content.lowerBound, reading: "payload")
        }
        var walk = AttributeWalk(bytes, in: set, limits: limits, "payload")
        while let attribute = try walk.next() {
            // Most attributes of a large receipt are purchases.
            if attribute.type == ReceiptAttributeType.inAppPurchase.rawValue {
                purchaseCount += 1
                continue
            }
            guard let type = ReceiptAttributeType(rawValue: attribute.type) else { continue }
            // The numbers of all known types are below 64.
            if type == .preorderDate {
                let isRepeated = walk.isRepeated(number: attribute.type)
                preorderDate = isRepeated ? nil : Self.preorderDate(bytes, attribute)
            } else {
                try walk.rejectDuplicate(attribute, number: attribute.type)
                try decode(type, attribute, ValueReader(bytes, attribute))
            }
        }
    }

    /// The date of a preorder; nil if it is empty or malformed.
    @inline(never)
    private static func preorderDate(_ bytes: Span<UInt8>, _ attribute: AttributeRange) -> Timestamp? {
        (try? ValueReader(bytes, attribute).date("preorder date")) ?? nil
    }

    private mutating func decode(
        _ type: ReceiptAttributeType,
        _ attribute: AttributeRange,
        _ value: borrowing ValueReader
    ) throws(Refusal) {
        switch type {
        case .environment: environment = try value.utf8(type.name)
        case .bundleIdentifier:
            bundleIdentifier = try value.utf8(type.name)
            rawBundleIdentifier = attribute.value
        case .appVersion: appVersion = try value.utf8(type.name)
        case .opaqueValue: opaqueValue = attribute.value
        case .sha1Hash: sha1Hash = attribute.value
        case .creationDate: creationDate = try value.date(type.name)
        case .expirationDate:
            expirationDate = try value.date(type.name)
            expirationDateOffset = attribute.value.lowerBound
        default:
            do throws(Refusal) {
                try decodeFurther(type, value)
            } catch {
                malformedCount += 1
            }
        }
    }

    /// Decodes the attributes that no check needs.
    private mutating func decodeFurther(
        _ type: ReceiptAttributeType,
        _ value: borrowing ValueReader
    ) throws(Refusal) {
        switch type {
        case .appStoreIdentifier: appStoreIdentifier = try value.number(type.name)
        case .purchaseDate: purchaseDate = try value.date(type.name)
        case .ageRating: ageRating = try value.ia5(type.name)
        case .developerIdentifier: developerIdentifier = try value.number(type.name)
        case .downloadIdentifier: downloadIdentifier = try value.number(type.name)
        case .versionExternalIdentifier: versionExternalIdentifier = try value.number(type.name)
        case .originalPurchaseDate: originalPurchaseDate = try value.date(type.name)
        case .originalAppVersion: originalAppVersion = try value.utf8(type.name)
        case .platform: platform = try value.number(type.name)
        default: break
        }
    }

    /// The range of the contents of the SET that fills a content. One OCTET STRING may wrap the SET.
    ///
    /// - Throws: the refusals of the DER reader, also for a byte after the SET or after the OCTET STRING.
    static func attributeSet(_ bytes: Span<UInt8>, _ content: Range<Int>) throws(Refusal) -> Range<Int> {
        var reader = Reader(bytes, in: content)
        if reader.isNext(.octetString) {
            let inner = try reader.readOctetString("payload")
            try reader.finish("payload")
            reader = Reader(bytes, in: inner)
        }
        let set = try reader.read(.set, "payload")
        try reader.finish("payload")
        return set
    }

    /// The creation date (attribute 12). Nothing else of a payload may be read before its signature is
    /// verified.
    ///
    /// - Throws: `.missingCreationDate` if the date is absent or empty; `.duplicateAttributeType` if it
    ///   occurs twice; `.invalidDate`; and a refusal of every malformed structure up to the end of the SET.
    static func creationDate(
        _ bytes: Span<UInt8>,
        _ content: Range<Int>,
        limits: Limits
    ) throws(Refusal) -> Timestamp {
        let set = try attributeSet(bytes, content)
        var walk = AttributeWalk(bytes, in: set, limits: limits, "creation date")
        var found: Timestamp?
        while let attribute = try walk.next() {
            guard attribute.type == ReceiptAttributeType.creationDate.rawValue else { continue }
            try walk.rejectDuplicate(attribute, number: attribute.type)
            let value = ValueReader(bytes, attribute)
            guard let date = try value.date("creation date") else {
                throw Refusal(.missingCreationDate, at: attribute.start, reading: "creation date")
            }
            found = date
        }
        guard let found else {
            throw Refusal(.missingCreationDate, at: set.lowerBound, reading: "creation date")
        }
        return found
    }
}
