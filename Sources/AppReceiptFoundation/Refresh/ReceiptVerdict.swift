import AppReceipt

/// The number of failed validations that an app tolerates.
///
/// An app that refuses at the first failure locks out a customer whose device is offline, or whose receipt is
/// briefly missing after an update or a restore. A policy tolerates every kind of failure, also a forged
/// receipt, so let it be small, and keep the count where the customer does not reset it by starting the app
/// again.
public struct GracePolicy: Sendable, Hashable {
    /// The number of failures in a row that are tolerated. Zero and negative numbers tolerate none.
    public let toleratedFailures: Int

    /// Tolerates no failure.
    public static var none: Self { Self(toleratedFailures: 0) }
    /// Tolerates this many failures in a row. A valid receipt sets the count back to zero.
    public static func failures(_ count: Int) -> Self { Self(toleratedFailures: count) }

    private init(toleratedFailures: Int) { self.toleratedFailures = toleratedFailures }
}

/// The result of a validation by a ``ReceiptRefresher``.
public enum ReceiptVerdict: Sendable {
    /// The receipt is valid.
    case valid(Receipt)
    /// There is no valid receipt, but the ``GracePolicy`` tolerates this failure.
    case tolerated(ReceiptFailure)
    /// There is no valid receipt, and the ``GracePolicy`` does not tolerate this failure.
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
    /// What was wrong with the receipt.
    public enum Reason: Sendable {
        /// There is no receipt, or its file is empty.
        case missing
        /// The receipt exists and cannot be read. The error is the source's.
        case unreadable(any Error)
        /// The receipt is not valid.
        case invalid(ReceiptError)
    }

    /// What a refresh did.
    public enum Refresh: Sendable {
        /// The caller did not allow a refresh.
        case notAllowed
        /// The App Store answered, and the reason is about the receipt after the refresh.
        case finished
        /// The refresh failed, and the reason is about the receipt that lay there. The error is the
        /// request's.
        case failed(any Error)
    }

    /// What was wrong with the receipt when it was last read.
    public let reason: Reason
    /// What a refresh did.
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
