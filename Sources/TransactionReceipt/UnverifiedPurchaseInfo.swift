import AppReceipt
import Basics
import Processor

/// A transaction receipt whose signature is unverified: what some bytes claim. Show it to people, and never
/// grant anything for it.
public struct UnverifiedPurchaseInfo: PurchaseInfoContents {
    /// The outer list and its parts.
    let opened: OpenedReceipt
    /// The typed values of the purchase-info.
    let fields: PurchaseInfoFields

    /// Decodes a transaction receipt. The certificate and the signature are not read.
    ///
    /// - Parameters:
    ///   - bytes: the property list or its base64.
    ///   - limits: the limits on the work that the receipt may cause.
    /// - Throws: `ReceiptError` of the steps `input`, `container` and `payload`.
    public init(
        unverified bytes: [UInt8],
        limits: Limits = .standard
    ) throws(ReceiptError) {
        let list = try TransactionReceiptInput.decode(bytes, limits: limits)
        let opened: OpenedReceipt
        do throws(Refusal) {
            opened = try OpenedReceipt(list, acceleration: .none)
        } catch {
            throw ReceiptError(.container, error)
        }
        do throws(Refusal) {
            try self.init(opened, try opened.readInfo())
        } catch {
            throw ReceiptError(.payload, error)
        }
    }

    /// Reads the typed values of a purchase-info that the receipt holds.
    init(_ opened: OpenedReceipt, _ info: PropertyList) throws(Refusal) {
        fields = try opened.info.read { bytes throws(Refusal) in try PurchaseInfoFields(info, bytes) }
        self.opened = opened
        self.info = info
    }

    /// The entries of the purchase-info.
    let info: PropertyList
}

extension UnverifiedPurchaseInfo {
    public var unverified: UnverifiedPurchaseInfo { self }

    /// The text at a range of the decoded purchase-info.
    func text(_ range: Range<Int>) -> String { String(utf8: opened.info.bytes[range].borrowedSpan) }

    /// The range of the value of a key in the decoded purchase-info.
    func range(of key: StaticString) -> Range<Int>? {
        info.value(of: key, in: opened.info.bytes.borrowedSpan)
    }
}

/// A transaction receipt whose parts are found and whose signature is not verified.
struct OpenedReceipt: Sendable {
    /// The outer property list.
    let bytes: [UInt8]
    let list: PropertyList
    /// The decoded signature entry, and its parts.
    let signature: EmbeddedValue
    let blob: SignatureBlob
    /// The decoded purchase-info.
    let info: EmbeddedValue

    /// Reads the outer list, decodes its two values, and finds the parts of the signature.
    init(_ bytes: [UInt8], acceleration: Acceleration) throws(Refusal) {
        let span = bytes.borrowedSpan
        list = try PropertyList(span)
        guard let signatureRange = list.value(of: "signature", in: span) else {
            throw Refusal(.missingSignature, at: 0, reading: "signature")
        }
        guard let infoRange = list.value(of: "purchase-info", in: span) else {
            throw Refusal(.missingPurchaseInfo, at: 0, reading: "purchase-info")
        }
        let signature = try EmbeddedValue(span, in: signatureRange, "signature", acceleration)
        blob = try signature.read { bytes throws(Refusal) in try SignatureBlob(bytes) }
        info = try EmbeddedValue(span, in: infoRange, "purchase-info", acceleration)
        self.signature = signature
        self.bytes = bytes
    }

    /// Reads the purchase-info as a property list.
    func readInfo() throws(Refusal) -> PropertyList {
        try info.read { bytes throws(Refusal) in try PropertyList(bytes) }
    }

    /// The purchase date. The certificates are judged at this date.
    func purchaseDate(_ list: PropertyList) throws(Refusal) -> Timestamp {
        try info.read { bytes throws(Refusal) in try PurchaseInfoFields.purchaseDate(list, bytes) }
    }

    /// The range of the environment in the outer list.
    var environment: Range<Int>? { list.value(of: "environment", in: bytes.borrowedSpan) }
}
