import Basics
import CMS
import DER

/// A receipt whose signature is unverified: what some bytes claim. Show it to people, and never grant
/// anything for it. A ``Receipt`` gives its values in this type, too.
public struct UnverifiedReceipt: ReceiptContents {
    /// The decoded values of the receipt's attributes, without the purchases.
    @usableFromInline package let values: AttributeValues
    /// Maps offsets in the buffer to offsets in the input; nil if the buffer is the input.
    let normalised: Normalised?
    /// The range of the bundle identifier's UTF8String with tag and length, for the device hash; nil if the
    /// receipt has none.
    let rawBundleIdentifier: Range<Int>?
    /// The offset of the expiration date's value in the buffer, for errors; 0 if there is no attribute 21.
    let expirationDateOffset: Int
    /// The number of malformed attributes that read as nil and whose fault is `counted`.
    @usableFromInline let malformedCount: Int
    /// The number of attributes of type 17, whether they decode or not.
    let purchaseCount: Int
    /// The maximum number of attributes of one purchase.
    let attributeLimit: Int

    /// Decodes the payload of a container. Certificates and signature are not verified.
    ///
    /// - Parameters:
    ///   - bytes: the container, in DER or BER. The receipt keeps the array, or the DER made from BER.
    ///   - limits: the limits on the work that the receipt may cause.
    /// - Throws: `ReceiptError` of the steps `container` and `payload`; offsets count in `bytes`.
    public init(unverified bytes: [UInt8], limits: Limits = .standard) throws(ReceiptError) {
        let envelope: Envelope
        do throws(Refusal) {
            envelope = try Envelope(bytes.borrowedSpan, limits: limits.message.encoding)
        } catch {
            throw ReceiptError(.container, error)
        }
        do throws(Refusal) {
            try self.init(
                AttributeBuffer(bytes, envelope),
                envelope.normalised,
                content: envelope.signedData.content,
                limits
            )
        } catch {
            throw ReceiptError(.payload, envelope.mappedToInput(error))
        }
    }

    /// Decodes a payload that the caller took out of its container.
    ///
    /// - Parameters:
    ///   - bytes: the payload: the SET of attributes. The receipt keeps the array.
    ///   - limits: `attributes` bounds the number of attributes. `inputBytes` has no effect; a payload must
    ///     be shorter than 4 GiB.
    /// - Throws: `ReceiptError` of the step `payload`; offsets count from the start of `bytes`.
    public init(unverifiedPayload bytes: [UInt8], limits: Limits = .standard) throws(ReceiptError) {
        do throws(Refusal) {
            try self.init(AttributeBuffer(bytes), nil, content: 0..<bytes.count, limits)
        } catch {
            throw ReceiptError(.payload, error)
        }
    }

    private init(
        _ buffer: AttributeBuffer,
        _ normalised: Normalised?,
        content: Range<Int>,
        _ limits: Limits
    ) throws(Refusal) {
        let bytes = buffer.bytes.borrowedSpan
        let located = try LocatedPayload(bytes, content, limits: limits, requiresDate: false)
        try self.init(buffer, normalised, located, limits: limits)
    }

    /// Decodes the attributes that a walk over the same bytes found.
    ///
    /// - Parameters:
    ///   - buffer: the bytes that were walked. The receipt keeps them.
    ///   - normalised: the result of the BER normaliser that made the buffer; nil if the buffer is the input.
    /// - Throws: the refusal of the first attribute in the payload that repeats a type whose fault is not
    ///   `ignored`, or that is malformed and has the fault `refused`.
    init(
        _ buffer: AttributeBuffer,
        _ normalised: Normalised?,
        _ located: LocatedPayload,
        limits: Limits
    ) throws(Refusal) {
        let bytes = buffer.bytes.borrowedSpan
        var words = AttributeWords()
        var malformed = 0
        var first = located.duplicate
        var start = first?.offset ?? .max
        var rest = located.met
        while rest != 0 {
            let type = Int64(rest.trailingZeroBitCount)
            rest &= rest &- 1
            guard let one = ReceiptAttribute(rawValue: type),
                let place = located.places[one.row.position].range
            else { continue }
            do throws(Refusal) {
                words[one.row.position] = try ValueReader(bytes, in: place).word(one.row.kind)
            } catch {
                switch one.row.fault {
                // A value without octets starts where the next attribute, which may be repeated, starts.
                case .refused where place.lowerBound <= start:
                    first = Refusal(error.code, at: error.offset, reading: one.row.name)
                    start = place.lowerBound
                case .refused, .ignored: break
                case .counted: malformed += 1
                }
            }
        }
        if let first { throw first }
        values = AttributeValues(buffer, set: located.set, words)
        self.normalised = normalised
        rawBundleIdentifier = located.places[ReceiptAttribute.bundleIdentifier.row.position].range
        expirationDateOffset =
            located.places[ReceiptAttribute.expirationDate.row.position].range?.lowerBound ?? 0
        malformedCount = malformed
        purchaseCount = located.purchaseCount
        attributeLimit = limits.attributes
    }

    /// The date when the bytes claim that the receipt was made (attribute 12); nil if absent or empty.
    public var creationDate: Timestamp? { values.date(.creationDate) }

    /// The in-app purchases that the bytes claim and that decode (attributes of type 17), in the order of the
    /// bytes. Each access decodes all of them into a new array.
    public var unverifiedInAppPurchases: [UnverifiedInAppPurchase] { purchases() }

    public var unverified: Self { self }
    /// The bytes that the receipt was read from, or the DER made from BER input.
    var buffer: AttributeBuffer { values.buffer }
    /// The range of the contents of the SET of attributes, in the buffer.
    var set: Range<Int> { values.set }
}
