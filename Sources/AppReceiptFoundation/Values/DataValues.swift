import AppReceipt
import Foundation

// The functions of the core that take bytes, for Data. Each copies the data once.

extension ReceiptInput {
    /// Returns the container of an app receipt: DER and BER unchanged, and text, such as base64, hexadecimal,
    /// PEM or JSON, decoded. The overload for arrays lists the forms. Nothing is validated.
    ///
    /// - Throws: `ReceiptError` of the step `input` if the data has none of these forms or is too long text.
    public static func decode(_ data: Data, limits: Limits = .standard) throws(ReceiptError) -> [UInt8] {
        try decode([UInt8](data), limits: limits)
    }
}

extension ReceiptValidator {
    /// Validates one receipt without a cache and returns it.
    ///
    /// - Parameter data: the container, in DER or BER. `ReceiptInput.decode` decodes base64.
    /// - Throws: `ReceiptError`, with the step that failed.
    public func validate(_ data: Data) throws(ReceiptError) -> Receipt { try validate([UInt8](data)) }

    /// Validates a receipt with the help of a cache, and returns it.
    ///
    /// - Parameters:
    ///   - data: the container, in DER or BER. `ReceiptInput.decode` decodes base64.
    ///   - cache: results of earlier receipts, which the call reads and extends. Each task needs its own.
    /// - Throws: `ReceiptError`, with the step that failed.
    public func validate(_ data: Data, cache: inout ValidationCache) throws(ReceiptError) -> Receipt {
        try validate([UInt8](data), cache: &cache)
    }
}

extension UnverifiedReceipt {
    /// Decodes the payload of a container in DER or BER. Certificates and signature are not checked.
    ///
    /// - Throws: `ReceiptError` of the steps `container` and `payload`.
    public init(unverified data: Data, limits: Limits = .standard) throws(ReceiptError) {
        try self.init(unverified: [UInt8](data), limits: limits)
    }
}

extension DeviceIdentifier {
    /// Creates a device identifier from the 16 bytes of the UUID that `identifierForVendor` returns.
    public init(_ identifierForVendor: UUID) {
        let id = identifierForVendor.uuid
        self.init(bytes: [
            id.0, id.1, id.2, id.3, id.4, id.5, id.6, id.7,
            id.8, id.9, id.10, id.11, id.12, id.13, id.14, id.15,
        ])
    }
}
