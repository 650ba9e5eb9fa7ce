import AppReceipt
import Foundation

// The functions of the core that take bytes, for Data. Each copies the data once.

extension ReceiptInput {
    /// Decodes the container of an app receipt. The overload for arrays describes the forms that are
    /// accepted.
    ///
    /// - Throws: `ReceiptError` of the step `input`.
    public static func decode(_ data: Data, limits: Limits = .standard) throws(ReceiptError) -> [UInt8] {
        try decode([UInt8](data), limits: limits)
    }
}

extension ReceiptValidator {
    /// Validates one receipt without a cache.
    ///
    /// - Parameter data: the container, in DER or BER. `ReceiptInput.decode` decodes base64.
    /// - Throws: `ReceiptError`, with the step that failed.
    public func validate(_ data: Data) throws(ReceiptError) -> Receipt { try validate([UInt8](data)) }

    /// Validates a receipt.
    ///
    /// - Parameters:
    ///   - data: the container, in DER or BER. `ReceiptInput.decode` decodes base64.
    ///   - cache: the cache, which the call reads and extends. Each task needs its own.
    /// - Throws: `ReceiptError`, with the step that failed.
    public func validate(_ data: Data, cache: inout ValidationCache) throws(ReceiptError) -> Receipt {
        try validate([UInt8](data), cache: &cache)
    }
}

extension UnverifiedReceipt {
    /// Decodes the payload of a container. Certificates and signature are not read.
    ///
    /// - Throws: `ReceiptError` of the steps `container` and `payload`.
    public init(unverified data: Data, limits: Limits = .standard) throws(ReceiptError) {
        try self.init(unverified: [UInt8](data), limits: limits)
    }
}

extension DeviceIdentifier {
    /// Creates an identifier from the UUID of `identifierForVendor`.
    public init(_ identifierForVendor: UUID) {
        let id = identifierForVendor.uuid
        self.init(bytes: [
            id.0, id.1, id.2, id.3, id.4, id.5, id.6, id.7,
            id.8, id.9, id.10, id.11, id.12, id.13, id.14, id.15,
        ])
    }
}
