import DER

/// A suggestion for an app or a server that has to answer a customer about a refused receipt.
///
/// | `error.code.kind` | cause | advice for the customer | HTTP status |
/// | --- | --- | --- | --- |
/// | `invalid` | a forged or damaged receipt, or one for another app | restore the purchases | 422 |
/// | `unsupported` | another format, algorithm or size | update the app, or ask its support | 415 |
/// | `unreadable` | no receipt was sent, or the transport damaged it | try again | 400 |
///
/// No case grants anything. A repeated request with the same bytes gets the same answer, so only `tryAgain`
/// is worth a retry, after the app has read or fetched its receipt again.
public enum ErrorAdvice: Sendable, Hashable, CaseIterable {
    /// Restore the purchases, so that the App Store sends a new receipt.
    case restorePurchases
    /// Update the app, or ask its support: the bytes are in a format that the validator does not support.
    case contactSupport
    /// Try again with the bytes of a receipt: the given bytes could not be read or decoded as one.
    case tryAgain

    /// The advice for a kind of error.
    public init(for kind: Refusal.Code.Kind) {
        switch kind {
        case .invalid: self = .restorePurchases
        case .unsupported: self = .contactSupport
        case .unreadable: self = .tryAgain
        }
    }

    /// The status code of a server's answer (RFC 9110 §15.5): 422 Unprocessable Content, 415 Unsupported
    /// Media Type, or 400 Bad Request.
    public var httpStatus: Int {
        switch self {
        case .restorePurchases: 422
        case .contactSupport: 415
        case .tryAgain: 400
        }
    }
}

extension ReceiptError {
    /// The suggestion for the customer, by the kind of the error's code.
    public var advice: ErrorAdvice { ErrorAdvice(for: code.kind) }
}
