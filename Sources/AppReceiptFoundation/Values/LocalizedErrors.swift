import AppReceipt
import Foundation

// The words of the package's errors for `localizedDescription`. They are English. An app that shows them to
// its customers writes its own, by the step, the code or the advice.

extension ReceiptError: LocalizedError {
    /// The step, the code, the place and the meaning, in one line.
    public var errorDescription: String? { description }
    /// The meaning of the code, in one sentence.
    public var failureReason: String? { "\(code.meaning)" }
    /// The advice for the customer.
    public var recoverySuggestion: String? { advice.sentence }
}

extension Refusal: LocalizedError {
    /// The code, the place and the meaning, in one line.
    public var errorDescription: String? { description }
    /// The meaning of the code, in one sentence.
    public var failureReason: String? { "\(code.meaning)" }
    /// The advice for the customer.
    public var recoverySuggestion: String? { ErrorAdvice(for: code.kind).sentence }
}

extension ReceiptFailure: LocalizedError {
    /// The reason, the outcome of the refresh and the number of failures, in one line.
    public var errorDescription: String? { description }
    /// What was wrong with the receipt.
    public var failureReason: String? { reason.description }
    /// The advice for the customer: the advice for the error of an invalid receipt. A receipt that is missing
    /// or unreadable is fetched again by restoring the purchases.
    public var recoverySuggestion: String? {
        if case .invalid(let error) = reason {
            error.advice.sentence
        } else {
            ErrorAdvice.restorePurchases.sentence
        }
    }
}

extension ErrorAdvice {
    /// The advice as a sentence for the customer.
    fileprivate var sentence: String {
        switch self {
        case .restorePurchases: "Restore your purchases, so that the App Store sends a new receipt."
        case .contactSupport: "Update the app, or ask its support."
        case .tryAgain: "Try again."
        }
    }
}
