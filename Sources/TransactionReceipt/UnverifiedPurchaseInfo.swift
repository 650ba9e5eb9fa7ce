import AppReceipt
import Bytes
import DER
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
        limits: TransactionReceiptLimits = .standard
    ) throws(ReceiptError) {
        let list = try TransactionReceiptInput.decode(bytes, limits: limits)
        let opened: OpenedReceipt
        do throws(Refusal) {
            opened = try OpenedReceipt(list, limits: limits, acceleration: .none)
        } catch {
            throw ReceiptError(.container, error)
        }
        do throws(Refusal) {
            try self.init(opened, try opened.readInfo(limits: limits))
        } catch {
            throw ReceiptError(.payload, error)
        }
    }

    /// Reads the typed values of a purchase-info that the receipt holds.
    init(_ opened: OpenedReceipt, _ info: PropertyList) throws(Refusal) {
        do throws(Refusal) {
            fields = try PurchaseInfoFields(info, opened.info.bytes.borrowedSpan)
        } catch {
            throw opened.info.mapped(error)
        }
        self.opened = opened
        self.info = info
    }

    /// The entries of the purchase-info.
    private let info: PropertyList
}

extension UnverifiedPurchaseInfo {
    public var signatureVersion: SignatureVersion { opened.blob.version }
    public var productIdentifier: String {
        String(utf8: opened.info.bytes[fields.productIdentifier].borrowedSpan)
    }
    public var transactionIdentifier: String {
        String(utf8: opened.info.bytes[fields.transactionIdentifier].borrowedSpan)
    }
    public var purchaseDate: Timestamp { fields.purchaseDate }
    public var originalPurchaseDate: Timestamp? { fields.originalPurchaseDate }
    public var expiresDate: Timestamp? { fields.expiresDate }
    public var cancellationDate: Timestamp? { fields.cancellationDate }
    public var quantity: Int? { fields.quantity }
    public var isTrialPeriod: Bool? { fields.isTrialPeriod }
    public var isInIntroductoryOfferPeriod: Bool? { fields.isInIntroductoryOfferPeriod }
    public var entries: [PurchaseInfoEntry] {
        info.entries.map { PurchaseInfoEntry(opened.info.bytes, $0) }
    }
    public var signingCertificate: ArraySlice<UInt8> { opened.signature.bytes[opened.blob.certificate] }
    public var claimedEnvironmentName: String? { opened.string(opened.environment) }
    public var claimedPod: String? { opened.string(opened.value(of: "pod")) }
    public var claimedSigningStatus: String? { opened.string(opened.value(of: "signing-status")) }
    public var outerEntries: [PurchaseInfoEntry] {
        opened.list.entries.map { PurchaseInfoEntry(opened.bytes, $0) }
    }

    /// The place of the value of a key in the decoded purchase-info.
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
    init(
        _ bytes: [UInt8],
        limits: TransactionReceiptLimits,
        acceleration: Acceleration
    ) throws(Refusal) {
        let span = bytes.borrowedSpan
        list = try PropertyList(span, limit: limits.entries)
        guard let signatureRange = list.value(of: "signature", in: span) else {
            throw Refusal(.missingSignature, at: 0, reading: "signature")
        }
        guard let infoRange = list.value(of: "purchase-info", in: span) else {
            throw Refusal(.missingPurchaseInfo, at: 0, reading: "purchase-info")
        }
        let signature = try EmbeddedValue(span, in: signatureRange, "signature", acceleration)
        do throws(Refusal) {
            blob = try SignatureBlob(signature.bytes.borrowedSpan)
        } catch {
            throw signature.mapped(error)
        }
        info = try EmbeddedValue(span, in: infoRange, "purchase-info", acceleration)
        self.signature = signature
        self.bytes = bytes
    }

    /// Reads the purchase-info as a property list.
    func readInfo(limits: TransactionReceiptLimits) throws(Refusal) -> PropertyList {
        do throws(Refusal) {
            return try PropertyList(info.bytes.borrowedSpan, limit: limits.entries)
        } catch {
            throw info.mapped(error)
        }
    }

    /// The purchase date, at which the certificates are judged.
    func purchaseDate(_ list: PropertyList) throws(Refusal) -> Timestamp {
        do throws(Refusal) {
            return try PurchaseInfoFields.purchaseDate(list, info.bytes.borrowedSpan)
        } catch {
            throw info.mapped(error)
        }
    }

    /// The place of the environment in the outer list.
    var environment: Range<Int>? { value(of: "environment") }

    /// The place of the value of a key in the outer list.
    func value(of key: StaticString) -> Range<Int>? { list.value(of: key, in: bytes.borrowedSpan) }

    func string(_ range: Range<Int>?) -> String? {
        range.map { String(utf8: bytes.borrowedSpan.extracting($0)) }
    }
}
