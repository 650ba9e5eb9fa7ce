import Basics
import CMS
import DER

/// The ranges of a payload's attributes whose type is a `ReceiptAttribute`, found by one walk over the
/// payload's SET. The walk counts purchases and keeps no ranges of them. The creation date is the
/// only value that the walk decodes: a validation decodes no other value before the signature is verified.
///
/// ```
/// Payload ::= SET OF ReceiptAttribute
/// ```
///
/// The order within the SET is not enforced, because Xcode does not sort it. One known emitter wraps the SET
/// in one more OCTET STRING, which is removed.
struct LocatedPayload: Sendable {
    /// The range of the contents of the SET, in the bytes that were walked.
    let set: Range<Int>
    /// The creation date (attribute 12); nil if it is absent or empty.
    private var creationDate: Timestamp?
    /// The number of attributes of type 17, whether they decode or not.
    private(set) var purchaseCount = 0
    /// The ranges of the values of the attributes whose type is a `ReceiptAttribute`. If a type occurs more
    /// than once, the range of its first attribute is kept if the type's fault is not `ignored`, and no range
    /// is kept if the fault is `ignored`.
    private(set) var places = AttributeWords()
    /// Bit n is set if n is the type of a `ReceiptAttribute` and the SET has an attribute of this type.
    let met: UInt64
    /// The refusal of the first repeated attribute whose type's fault is not `ignored`; nil if there is no
    /// such attribute.
    private(set) var duplicate: Refusal?

    /// Walks the SET that fills a content.
    ///
    /// - Parameters:
    ///   - content: the range of the signed content.
    ///   - requiresDate: whether an empty creation date is refused. An absent one is not refused here.
    /// - Throws: a refusal of a malformed structure, also of a byte after the SET, of a SET that ends
    ///   at 4 GiB or beyond, of too many attributes, or of a malformed or repeated creation date.
    init(
        _ bytes: Span<UInt8>,
        _ content: Range<Int>,
        limits: Limits,
        requiresDate: Bool
    ) throws(Refusal) {
        set = try Self.attributeSet(bytes, content)
        // Ranges are kept in 32 bits, so a receipt must be smaller than 4 GiB.
        guard set.upperBound <= UInt32.max else {
            throw Refusal(.inputTooLarge, at: content.lowerBound, reading: "payload")
        }
        let reading: StaticString = requiresDate ? "creation date" : "payload"
        var walk = AttributeWalk(bytes, in: set, limit: limits.attributes, reading)
        while let attribute = try walk.next() {
            // Most attributes of a large receipt are purchases.
            if attribute.type == ReceiptAttribute.inAppPurchase {
                purchaseCount += 1
                continue
            }
            guard let one = ReceiptAttribute(rawValue: attribute.type) else { continue }
            let isRepeated = walk.isRepeated(number: attribute.type)
            if one == .creationDate {
                guard !isRepeated else { throw walk.duplicate(attribute) }
                creationDate = try ValueReader(bytes, in: attribute.value).date("creation date")
                guard creationDate != nil || !requiresDate else {
                    throw Self.missingDate(at: attribute.start)
                }
            }
            if !isRepeated {
                places[one.row.position] = AttributeWord(attribute.value)
            } else if one.row.fault == .ignored {
                places[one.row.position] = AttributeWord()
            } else if duplicate == nil {
                duplicate = Refusal(.duplicateAttributeType, at: attribute.start, reading: "payload")
            }
        }
        met = walk.met
    }

    /// The creation date. Throws `.missingCreationDate` if it is absent or empty.
    func requiredCreationDate() throws(Refusal) -> Timestamp {
        guard let creationDate else { throw Self.missingDate(at: set.lowerBound) }
        return creationDate
    }

    private static func missingDate(at offset: Int) -> Refusal {
        Refusal(.missingCreationDate, at: offset, reading: "creation date")
    }

    /// The range of the contents of the SET that fills a content. One OCTET STRING may wrap the SET.
    ///
    /// - Throws: the refusals of the DER reader, also for a byte after the SET or after the OCTET STRING.
    static func attributeSet(_ bytes: Span<UInt8>, _ content: Range<Int>) throws(Refusal) -> Range<Int> {
        var reader = Reader(bytes, in: content)
        if reader.isNext(.octetString) {
            let inner = try reader.read(.octetString, "payload")
            try reader.finish("payload")
            reader = Reader(bytes, in: inner)
        }
        let set = try reader.read(.set, "payload")
        try reader.finish("payload")
        return set
    }

    /// The code for content of another kind that Apple signs, which is not an app receipt: a provisioning
    /// profile or a receipt of App Attest. Nil for an app receipt and for other content.
    ///
    /// A provisioning profile holds an XML property list; any content that begins like one counts. A receipt
    /// of App Attest holds attributes as an app receipt does. The value of its first attribute 6 is the text
    /// `ATTEST` or `RECEIPT`, without tag and length (Apple, "Assessing fraud risk").
    @inline(never)
    static func otherKind(
        _ bytes: Span<UInt8>,
        _ content: Range<Int>,
        _ limits: Limits
    ) -> Refusal.Code? {
        let text = bytes.extracting(content)
        if text.starts(with: "<?xml") || text.starts(with: "<!DOCTYPE plist") { return .provisioningProfile }
        guard let set = try? attributeSet(bytes, content) else { return nil }
        var walk = AttributeWalk(bytes, in: set, limit: limits.attributes, "eContent")
        while let attribute = try? walk.next() {
            guard attribute.type == 6 else { continue }
            let value = bytes.extracting(attribute.value)
            return value.equals("ATTEST") || value.equals("RECEIPT") ? .appAttestReceipt : nil
        }
        return nil
    }
}
