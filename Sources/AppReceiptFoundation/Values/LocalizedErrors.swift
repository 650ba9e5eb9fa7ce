import AppReceipt
import Foundation

// The words of the package's errors for `localizedDescription`. They are English. An app that shows them to
// its customers writes its own, by the step, the code or the next step.

extension ReceiptError: LocalizedError {
    /// The error in one line: step, code name, offset, certificate index if any, field, and code meaning.
    public var errorDescription: String? { description }
    /// The meaning of the error's code, in one English sentence.
    public var failureReason: String? { "\(code.meaning)" }
    /// Advice for the customer in English: the text for the error's next step. Never nil.
    public var recoverySuggestion: String? { nextStep.advice }
}

extension Refusal: LocalizedError {
    /// The refusal in one line: the code's name, the byte offset, the field, and the code's meaning.
    public var errorDescription: String? { description }
    /// The meaning of the refusal's code, in one English sentence.
    public var failureReason: String? { "\(code.meaning)" }
    /// Advice for the customer in English: the text for the code's next step. Never nil.
    public var recoverySuggestion: String? { NextStep(for: code).advice }
}

extension ReceiptFailure: LocalizedError {
    /// The reason, the outcome of the refresh and the number of failures in a row, in one English line.
    public var errorDescription: String? { description }
    /// The reason why there is no valid receipt, as an English clause.
    public var failureReason: String? { reason.description }
    /// Advice for the customer in English: the next step's text for an invalid receipt. For a receipt that is
    /// missing or unreadable, the advice is to restore the purchases. Never nil.
    public var recoverySuggestion: String? {
        if case .invalid(let error) = reason {
            error.nextStep.advice
        } else {
            NextStep.refresh.advice
        }
    }
}

extension NextStep {
    /// The next step as advice for the customer, in one or two English sentences.
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
