import AppReceipt

/// The result of a validation by a ``ReceiptRefresher``.
public enum ReceiptVerdict: Sendable {
    /// The receipt is valid.
    case valid(Receipt)
    /// There is no valid receipt, but the refresher tolerates this failure.
    case tolerated(ReceiptFailure)
    /// There is no valid receipt, and the refresher does not tolerate this failure.
    case refused(ReceiptFailure)

    /// The valid receipt; nil in the other two cases.
    public var receipt: Receipt? { if case .valid(let receipt) = self { receipt } else { nil } }
    /// The failure; nil for a valid receipt.
    public var failure: ReceiptFailure? {
        switch self {
        case .valid: nil
        case .tolerated(let failure), .refused(let failure): failure
        }
    }
}

/// The reason why there is no valid receipt.
public struct ReceiptFailure: Error, Sendable {
    /// A fault of the receipt.
    public enum Reason: Sendable {
        /// There is no receipt, or its file is empty.
        case missing
        /// The receipt exists and cannot be read. The error is the source's.
        case unreadable(any Error)
        /// The receipt is not valid.
        case invalid(ReceiptError)
    }

    /// The outcome of a refresh.
    public enum Refresh: Sendable {
        /// The caller did not allow a refresh.
        case notAllowed
        /// The App Store answered, and the reason is about the receipt after the refresh.
        case finished
        /// The refresh failed, and the reason is about the receipt that lay there. The error is the
        /// request's.
        case failed(any Error)
    }

    /// The fault of the receipt when it was last read.
    public let reason: Reason
    /// The outcome of the refresh.
    public let refresh: Refresh
    /// The number of failures in a row, this one included.
    public let failures: Int
}

extension ReceiptFailure: CustomStringConvertible {
    /// One line with the reason and the outcome of the refresh.
    public var description: String { "\(reason); \(refresh); failures in a row: \(failures)" }
}

extension ReceiptFailure.Reason: CustomStringConvertible {
    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .missing: "there is no receipt"
        case .unreadable(let error): "the receipt cannot be read: \(error)"
        case .invalid(let error): "the receipt is not valid: \(error)"
        }
    }
}

extension ReceiptFailure.Refresh: CustomStringConvertible {
    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .notAllowed: "no refresh was allowed"
        case .finished: "a refresh did not help"
        case .failed(let error): "the refresh failed: \(error)"
        }
    }
}
