import AppReceipt

/// The outcome of validating a receipt.
public enum ReceiptOutcome: Sendable, Hashable {
    /// There is no receipt to validate, or it is empty.
    case missing
    /// The validator refuses the receipt at a step, with a code.
    case refused(ReceiptError.Step, Refusal.Code)
    /// The validator accepts the receipt, which states these facts.
    case accepted(ReceiptFacts)

    /// The facts of an accepted receipt; nil for a missing or refused one.
    public var facts: ReceiptFacts? { if case .accepted(let facts) = self { facts } else { nil } }

    /// Validates a receipt with the app's validator, at the time `app.now`, and keeps the outcome.
    ///
    /// - Parameters:
    ///   - bytes: the receipt. Nil and no bytes are a missing receipt.
    ///   - app: the app that validates the receipt.
    public init(of bytes: [UInt8]?, for app: AppUnderTest) {
        guard let bytes, !bytes.isEmpty else {
            self = .missing
            return
        }
        do throws(ReceiptError) {
            self = .accepted(ReceiptFacts(try app.validator.validate(bytes), for: app))
        } catch {
            self = .refused(error.step, error.code)
        }
    }
}

/// The facts about the customer in a valid receipt.
public struct ReceiptFacts: Sendable, Hashable {
    /// Whether the receipt has a purchase of the app's product that Apple has not taken back.
    public var ownsProduct: Bool
    /// Whether the app's subscription is active at the app's `now` or, if that is later, at the receipt's
    /// creation date.
    public var isSubscribed: Bool
    /// The version of the app that the customer downloaded first; nil if the receipt does not say it.
    public var originalAppVersion: String?
    /// Whether the receipt has an expiration date, as licenses of the Volume Purchase Program have.
    public var isVolumeLicense: Bool

    /// Creates facts. By default, nothing was bought, and the receipt has no expiration date.
    public init(
        ownsProduct: Bool = false,
        isSubscribed: Bool = false,
        originalAppVersion: String?,
        isVolumeLicense: Bool = false
    ) {
        self.ownsProduct = ownsProduct
        self.isSubscribed = isSubscribed
        self.originalAppVersion = originalAppVersion
        self.isVolumeLicense = isVolumeLicense
    }

    /// Reads all facts from a valid receipt. Judges whether the app's subscription is active at `app.now` or,
    /// if that is later, at the receipt's creation date.
    public init(_ receipt: Receipt, for app: AppUnderTest) {
        self.init(
            ownsProduct: receipt.contains(product: app.product),
            isSubscribed: receipt.activeSubscription(toProduct: app.subscription, at: app.now) != nil,
            originalAppVersion: receipt.originalAppVersion,
            isVolumeLicense: receipt.expirationDate != nil
        )
    }
}
