import DER

/// What a receipt says, decoded from a buffer that it keeps. It says nothing of who signed it: ``Receipt``
/// does, and ``ReceiptContents`` reads it.
///
/// ```
/// Payload ::= SET OF ReceiptAttribute
/// ```
///
/// The order within the SET is not enforced: Xcode's is not sorted. One emitter wraps the SET in one more
/// OCTET STRING, which is taken off.
public struct Payload: Sendable {
    let buffer: AttributeBuffer
    /// The way back to the input's offsets, where the buffer is not the input.
    let normalised: Normalised?
    /// The contents of the SET.
    let set: Range<Int>

    // What a validation needs, decoded or refused.
    @CompactRange var environment: Range<Int>?
    @CompactRange var bundleIdentifier: Range<Int>?
    /// The attribute's value octets, tag and length included, which the device hash takes.
    @CompactRange var rawBundleIdentifier: Range<Int>?
    @CompactRange var appVersion: Range<Int>?
    @CompactRange var opaqueValue: Range<Int>?
    @CompactRange var sha1Hash: Range<Int>?
    @CompactTime var creationDate: Timestamp?
    @CompactTime var expirationDate: Timestamp?
    /// Where the date stands, for an error.
    var expirationDateOffset = 0

    // The rest: nil where absent, empty, or set apart as malformed.
    @CompactNumber var appStoreIdentifier: Int64?
    @CompactTime var purchaseDate: Timestamp?
    @CompactRange var ageRating: Range<Int>?
    @CompactNumber var developerIdentifier: Int64?
    @CompactNumber var downloadIdentifier: Int64?
    @CompactNumber var versionExternalIdentifier: Int64?
    @CompactTime var originalPurchaseDate: Timestamp?
    @CompactRange var originalAppVersion: Range<Int>?
    @CompactNumber var platform: Int64?

    var malformedCount = 0

    /// - Parameters:
    ///   - buffer: kept.
    ///   - normalised: from what the buffer was made, where it is not the input; kept.
    ///   - content: where the signed content lies in the buffer.
    init(
        _ buffer: AttributeBuffer,
        _ normalised: Normalised?,
        content: Range<Int>,
        limits: Limits
    ) throws(Refusal) {
        let bytes = buffer.bytes.span
        self.buffer = buffer
        self.normalised = normalised
        set = try Self.attributeSet(bytes, content)
        // Ranges are kept in 32 bits; a receipt of four gigabytes is nobody's.
        guard set.upperBound <= UInt32.max else {
            throw Refusal(.inputTooLarge, at: content.lowerBound, reading: "payload")
        }
        var walk = AttributeWalk(bytes, in: set, limits: limits, "payload")
        while let attribute = try walk.next() {
            guard Self.isDocumented(attribute.type) else { continue }
            try walk.passOnce(attribute, number: attribute.type)
            try decode(attribute, bytes)
        }
    }

    /// The types that have a meaning, each at most once, but for purchases (17). All are below 64.
    private static func isDocumented(_ type: Int64) -> Bool {
        switch type {
        case 0...5, 8, 10...12, 15, 16, 18, 19, 21, 25: true
        default: false
        }
    }

    private mutating func decode(_ attribute: AttributeRange, _ bytes: Span<UInt8>) throws(Refusal) {
        let value = ValueReader(bytes, attribute)
        switch attribute.type {
        case 0: environment = try value.utf8("environment")
        case 2:
            bundleIdentifier = try value.utf8("bundle identifier")
            rawBundleIdentifier = attribute.value
        case 3: appVersion = try value.utf8("app version")
        case 4: opaqueValue = attribute.value
        case 5: sha1Hash = attribute.value
        case 12: creationDate = try value.date("creation date")
        case 21:
            expirationDate = try value.date("expiration date")
            expirationDateOffset = attribute.value.lowerBound
        default:
            do throws(Refusal) {
                try decodeFurther(attribute, value)
            } catch {
                malformedCount += 1
            }
        }
    }

    private mutating func decodeFurther(
        _ attribute: AttributeRange,
        _ value: borrowing ValueReader
    ) throws(Refusal) {
        switch attribute.type {
        case 1: appStoreIdentifier = try value.number("App Store item id")
        case 8: purchaseDate = try value.date("purchase date")
        case 10: ageRating = try value.ia5("age rating")
        case 11: developerIdentifier = try value.number("developer id")
        case 15: downloadIdentifier = try value.number("download id")
        case 16: versionExternalIdentifier = try value.number("version external identifier")
        case 18: originalPurchaseDate = try value.date("original purchase date")
        case 19: originalAppVersion = try value.utf8("original app version")
        case 25: platform = try value.number("platform")
        default: break
        }
    }

    /// The contents of the SET, out of the one wrapping that is known.
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

    /// The creation date (attribute 12), and nothing else: all that may be looked at before the signature.
    ///
    /// - Throws: `.missingCreationDate` where it is absent or empty, `.duplicateAttributeType` where it is
    ///   doubled, `.invalidDate`, and what breaks the structure up to the end.
    static func creationDate(
        _ bytes: Span<UInt8>,
        _ content: Range<Int>,
        limits: Limits
    ) throws(Refusal) -> Timestamp {
        let set = try attributeSet(bytes, content)
        var walk = AttributeWalk(bytes, in: set, limits: limits, "creation date")
        var found: Timestamp?
        while let attribute = try walk.next() {
            guard attribute.type == 12 else { continue }
            try walk.passOnce(attribute, number: attribute.type)
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
