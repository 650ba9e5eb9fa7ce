import AppReceipt

/// The result of a validation by a ``ReceiptRefresher``.
public enum ReceiptVerdict: Sendable {
    /// The receipt was validated and is valid.
    case valid(Receipt)
    /// There is no valid receipt, but the failures in a row do not exceed `toleratedFailures`.
    case tolerated(ReceiptFailure)
    /// There is no valid receipt, and the failures in a row exceed `toleratedFailures`.
    case refused(ReceiptFailure)

    /// The valid receipt; nil if there is none and the failure was tolerated or refused.
    public var receipt: Receipt? { if case .valid(let receipt) = self { receipt } else { nil } }
    /// The failure; nil for a valid receipt.
    public var failure: ReceiptFailure? {
        switch self {
        case .valid: nil
        case .tolerated(let failure), .refused(let failure): failure
        }
    }
}

/// A failure to get a valid receipt: its reason, the outcome of the refresh, and the number of failures in a
/// row.
public struct ReceiptFailure: Error, Sendable {
    /// The reason why reading the receipt gave no valid receipt.
    public enum Reason: Sendable {
        /// There is no receipt, or its file is empty.
        case missing
        /// The receipt cannot be read. The error is the one that the receipt's source threw.
        case unreadable(any Error)
        /// The receipt was read, and the validator refused it with this error.
        case invalid(ReceiptError)
    }

    /// The outcome of the refresh, in which the App Store is asked for a new receipt.
    public enum Refresh: Sendable {
        /// The caller did not allow a refresh, so the App Store was not asked.
        case notAllowed
        /// The refresh finished. The failure's `reason` is about the receipt that was read after it.
        case finished
        /// The refresh failed with this error of the refresh request. The failure's `reason` is about the
        /// receipt that was read before it.
        case failed(any Error)
    }

    /// The reason why the last reading of the receipt gave no valid receipt.
    public let reason: Reason
    /// Whether the App Store was asked for a new receipt, and with which outcome.
    public let refresh: Refresh
    /// The number of failed validations since the last valid receipt, this one included.
    public let failures: Int
}

extension ReceiptFailure: CustomStringConvertible {
    /// One English line with the reason, the outcome of the refresh and the number of failures in a row.
    public var description: String { "\(reason); \(refresh); failures in a row: \(failures)" }
}

extension ReceiptFailure.Reason: CustomStringConvertible {
    /// The reason why there is no valid receipt, as an English clause with the text of the error if any.
    public var description: String {
        switch self {
        case .missing: "there is no receipt"
        case .unreadable(let error): "the receipt cannot be read: \(error)"
        case .invalid(let error): "the receipt is not valid: \(error)"
        }
    }
}

extension ReceiptFailure.Refresh: CustomStringConvertible {
    /// The outcome of the refresh as an English clause, with the text of the error if the refresh failed.
    public var description: String {
        switch self {
        case .notAllowed: "no refresh was allowed"
        case .finished: "a refresh did not help"
        case .failed(let error): "the refresh failed: \(error)"
        }
    }
}
