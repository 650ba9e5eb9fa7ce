import AppReceipt
import TransactionReceipt

/// A valid receipt of either format.
package enum ValidReceipt: Sendable {
    /// An app receipt.
    case app(Receipt)
    /// An iOS 6 transaction receipt.
    indirect case transaction(PurchaseInfo)

    package var app: Receipt? { if case .app(let receipt) = self { receipt } else { nil } }
    package var transaction: PurchaseInfo? { if case .transaction(let info) = self { info } else { nil } }

    /// The checks that were not made, or whose result is not proven: `Receipt.notChecked` or
    /// `PurchaseInfo.notChecked`.
    package var notChecked: [ReceiptError.Step] {
        switch self {
        case .app(let receipt): receipt.notChecked
        case .transaction(let info): info.notChecked
        }
    }
}

/// Validates receipts of both formats, app receipts and transaction receipts, by one policy.
package struct ReceiptJudge: Sendable {
    /// The validator of app receipts.
    package private(set) var validator: ReceiptValidator
    /// The validator of transaction receipts.
    package private(set) var transactions: TransactionReceiptValidator

    package var policy: ReceiptPolicy { validator.policy }

    package init(_ policy: ReceiptPolicy) {
        validator = ReceiptValidator(policy)
        transactions = TransactionReceiptValidator(policy)
    }

    /// A copy with another policy. It keeps the issuers' certificates of the transaction validator, and
    /// ignores the `issuers` of the other policy.
    package func expecting(_ policy: ReceiptPolicy) -> Self {
        var copy = self
        copy.validator = ReceiptValidator(policy)
        copy.transactions = transactions.expecting(policy)
        return copy
    }

    /// Validates a container for which `ReceiptInput.isPropertyList` is true as a transaction receipt, and
    /// any other container as an app receipt.
    package func judge(
        _ container: [UInt8],
        cache: inout ValidationCache
    ) throws(ReceiptError) -> ValidReceipt {
        guard ReceiptInput.isPropertyList(container) else {
            return .app(try validator.validate(container, cache: &cache))
        }
        return .transaction(try transactions.validate(container))
    }
}
