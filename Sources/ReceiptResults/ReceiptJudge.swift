import AppReceipt
import DER
import Processor
import SHA
import TransactionReceipt

/// A valid receipt of either format.
package enum ValidReceipt: Sendable {
    /// An app receipt.
    case app(Receipt)
    /// An iOS 6 transaction receipt. It lies elsewhere, so that a value is no larger than an app receipt.
    indirect case transaction(PurchaseInfo)

    package var app: Receipt? { if case .app(let receipt) = self { receipt } else { nil } }
    package var transaction: PurchaseInfo? { if case .transaction(let info) = self { info } else { nil } }

    /// The checks that the validator left out.
    package var notChecked: [ReceiptError.Step] {
        switch self {
        case .app(let receipt): receipt.notChecked
        case .transaction(let info): info.notChecked
        }
    }
}

/// Validates receipts of both formats by one set of expectations.
package struct ReceiptJudge: Sendable {
    /// The validator of app receipts.
    package let validator: ReceiptValidator
    /// The validator of transaction receipts.
    package let transactions: TransactionReceiptValidator

    /// - Parameter issuers: certificates that transaction receipts need and do not contain, besides Apple's.
    package init(_ validator: ReceiptValidator, issuers: [IssuerCertificate] = []) {
        self.validator = validator
        transactions = TransactionReceiptValidator(validator, issuers: issuers)
    }

    private init(_ validator: ReceiptValidator, _ transactions: TransactionReceiptValidator) {
        (self.validator, self.transactions) = (validator, transactions)
    }

    /// This judge with the expectations of another validator.
    package func expecting(_ validator: ReceiptValidator) -> Self {
        Self(validator, transactions.expecting(validator))
    }

    /// Whether a decoded container is the property list of a transaction receipt.
    package static func isTransaction(_ container: [UInt8]) -> Bool {
        container.first != 0x30 && container.first { $0 > 0x20 } == UInt8(ascii: "{")
    }

    /// Decodes a receipt: DER, BER or its base64, or a transaction receipt's property list with or without
    /// base64.
    ///
    /// - Throws: `ReceiptError` with the step `input`.
    package static func container(
        _ input: ArraySlice<UInt8>,
        limits: Limits = .standard,
        acceleration: Acceleration = .none
    ) throws(ReceiptError) -> [UInt8] {
        do throws(ReceiptError) {
            return try ReceiptInput.decode(input, limits: limits, acceleration: acceleration)
        } catch {
            guard error.code == .transactionReceipt else { throw error }
            return try TransactionReceiptInput.decode(Array(input), acceleration: acceleration)
        }
    }

    /// Validates a container of either format.
    package func judge(
        _ container: [UInt8],
        cache: inout ValidationCache
    ) throws(ReceiptError) -> ValidReceipt {
        guard Self.isTransaction(container) else {
            return .app(try validator.validate(container, cache: &cache))
        }
        return .transaction(try transactions.validate(container))
    }
}
