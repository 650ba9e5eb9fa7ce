import Basics

/// The next step of an app or a server after a refused receipt.
///
/// | next step | errors | tell the customer | HTTP status |
/// | --- | --- | --- | --- |
/// | `retry` | `unreadable`: no receipt was sent, or the transport damaged it | try again | 400 |
/// | `refresh` | `invalid`, except those in the next row | restore the purchases | 422 |
/// | `deny` | `invalid`: signed for another app or environment, or for none | nothing to restore | 422 |
/// | `contactSupport` | `unsupported`, as for another format, algorithm or size | ask for support | 415 |
///
/// No case grants anything. Read or fetch the receipt anew before a second attempt: the same bytes are
/// likely to be refused again. A server cannot refresh a receipt. It treats `refresh` as `deny` and lets its
/// client refresh.
public enum NextStep: String, Sendable, Hashable, CaseIterable {
    /// Send or read the bytes of the receipt again: there are none, a text holds no receipt or token, or
    /// hexadecimal or PEM is cut off. If one was found and is malformed, the next step is ``refresh``.
    /// To ``ReceiptValidator``, all bytes that are not text are a receipt.
    case retry
    /// Ask the App Store for a new receipt once, and validate that. If the new receipt is refused as well,
    /// deny.
    ///
    /// Apple's guide asks for this: a receipt that was copied with a backup from another device, is older
    /// than the app, or was damaged is replaced by a good one. A refresh asks the customer to sign in.
    case refresh
    /// Grant nothing. The signed receipt names another app or environment, or none. So would a new one.
    case deny
    /// Grant nothing, and let the customer update the app or ask its support: the validator does not support
    /// something, such as the format, an algorithm, the size of the bytes, or a property of the certificates.
    case contactSupport = "contact-support"

    /// The next step by an error code's kind; `deny` for the codes about the environment or the bundle
    /// identifier of an app receipt.
    public init(for code: Refusal.Code) {
        switch code.kind {
        case .unreadable: self = .retry
        case .unsupported: self = .contactSupport
        case .invalid: self = Self.codesOfOtherApps.contains(code) ? .deny : .refresh
        }
    }

    /// The codes for a receipt whose signature holds and which names another environment or bundle identifier
    /// than expected, or none. A new receipt would get the same code.
    private static var codesOfOtherApps: [Refusal.Code] {
        [
            .missingEnvironment, .environmentMismatch, .missingBundleIdentifier, .bundleIdentifierMismatch,
        ]
    }

    /// The status code of a server's answer (RFC 9110 §15.5): 400 Bad Request for `retry`, 422 Unprocessable
    /// Content for `refresh` and `deny`, 415 Unsupported Media Type for `contactSupport`.
    public var httpStatus: Int {
        switch self {
        case .retry: 400
        case .refresh, .deny: 422
        case .contactSupport: 415
        }
    }
}

extension ReceiptError {
    /// The next step, by the error's code. An `invalid` receipt that fails the check of the environment or of
    /// the bundle identifier is denied, also for a code of another format of receipts.
    public var nextStep: NextStep {
        let isOfOtherApp = step == .environment || step == .bundleIdentifier
        return isOfOtherApp && code.kind == .invalid ? .deny : NextStep(for: code)
    }
}
