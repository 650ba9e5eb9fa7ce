import AppReceipt
import Basics
import Processor

/// A transaction receipt whose signature is unverified: what some bytes claim. Show it to people, and never
/// grant anything for it.
public struct UnverifiedPurchaseInfo: PurchaseInfoContents {
    /// The outer property list, and the signature and the purchase-info decoded from it.
    let opened: OpenedReceipt
    /// The typed values of the purchase-info.
    let fields: PurchaseInfoFields

    /// Decodes a transaction receipt. The certificate is not decoded and the signature is not verified.
    ///
    /// - Parameters:
    ///   - bytes: the property list, or text that ``TransactionReceiptInput`` decodes.
    ///   - limits: `inputBytes` bounds the input as ``TransactionReceiptInput`` says. Others are not used.
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

    /// Reads the typed values of `info`, the receipt's purchase-info. Throws what
    /// ``PurchaseInfoFields/init(_:_:)`` throws, but with an offset in the outer list.
    init(_ opened: OpenedReceipt, _ info: PropertyList) throws(Refusal) {
        fields = try opened.info.read { bytes throws(Refusal) in try PurchaseInfoFields(info, bytes) }
        self.opened = opened
        self.info = info
    }

    /// The entries of the purchase-info, as ranges of its decoded bytes.
    let info: PropertyList
}

extension UnverifiedPurchaseInfo {
    public var unverified: UnverifiedPurchaseInfo { self }

    /// The text at a range of the decoded purchase-info. Traps if the range is out of bounds.
    func text(_ range: Range<Int>) -> String { String(utf8: opened.info.bytes[range].borrowedSpan) }

    /// The range of a key's value in the decoded purchase-info; nil if there is no such key.
    func range(of key: StaticString) -> Range<Int>? {
        info.value(of: key, in: opened.info.bytes.borrowedSpan)
    }
}

/// A transaction receipt decoded into its parts. Its signature is not verified.
struct OpenedReceipt: Sendable {
    /// The bytes of the outer property list. `list` has the ranges of its entries.
    let bytes: [UInt8]
    let list: PropertyList
    /// The decoded value of the entry `signature`. `blob` has its version, and the ranges of the signature
    /// and of the certificate in it.
    let signature: EmbeddedValue
    let blob: SignatureBlob
    /// The decoded value of the entry `purchase-info`: a property list, whose entries are not read yet.
    let info: EmbeddedValue

    /// Reads the outer list, decodes its entries `signature` and `purchase-info`, and finds the version, the
    /// signature and the certificate in the former. Throws with an offset in the outer list.
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

    /// Reads the purchase-info as a property list. The offset of an error counts in the outer list.
    func readInfo() throws(Refusal) -> PropertyList {
        try info.read { bytes throws(Refusal) in try PropertyList(bytes) }
    }

    /// The purchase date in `list`, the purchase-info. Without a `pathTime`, certificates are judged at this
    /// date. Throws `.missingPurchaseDate` or `.invalidPurchaseInfoDate`.
    func purchaseDate(_ list: PropertyList) throws(Refusal) -> Timestamp {
        try info.read { bytes throws(Refusal) in try PurchaseInfoFields.purchaseDate(list, bytes) }
    }

    /// The range of the environment's name in the outer list; nil if the list has no such entry.
    var environment: Range<Int>? { list.value(of: "environment", in: bytes.borrowedSpan) }
}
