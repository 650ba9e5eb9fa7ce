import AppReceipt
import Foundation

// The words of the package's errors for `localizedDescription`. They are English. An app that shows them to
// its customers writes its own, by the step, the code or the next step.

extension ReceiptError: LocalizedError {
    /// The step, the code, the offset and the meaning, in one line.
    public var errorDescription: String? { description }
    /// The meaning of the code, in one sentence.
    public var failureReason: String? { "\(code.meaning)" }
    /// The advice for the customer.
    public var recoverySuggestion: String? { nextStep.advice }
}

extension Refusal: LocalizedError {
    /// The code, the offset and the meaning, in one line.
    public var errorDescription: String? { description }
    /// The meaning of the code, in one sentence.
    public var failureReason: String? { "\(code.meaning)" }
    /// The advice for the customer.
    public var recoverySuggestion: String? { NextStep(for: code).advice }
}

extension ReceiptFailure: LocalizedError {
    /// The reason, the outcome of the refresh and the number of failures, in one line.
    public var errorDescription: String? { description }
    /// The reason why there is no valid receipt, in one sentence.
    public var failureReason: String? { reason.description }
    /// The advice for the customer: the advice for the error of an invalid receipt. A receipt that is missing
    /// or unreadable is fetched again by restoring the purchases.
    public var recoverySuggestion: String? {
        if case .invalid(let error) = reason {
            error.nextStep.advice
        } else {
            NextStep.refresh.advice
        }
    }
}

extension NextStep {
    /// The next step as advice for the customer.
    fileprivate var advice: String {
        switch self {
        case .retry: "Try again."
        case .refresh: "Restore your purchases, so that the App Store sends a new receipt."
        case .deny:
            "This receipt is for another app or environment. Restoring purchases does not change that."
        case .contactSupport: "Update the app, or ask its support."
        }
    }
}
