/// A case with its receipts and its expected outcomes, for one app.
///
/// The expected outcomes follow from how the receipts were made. No validator computed them.
public struct ReceiptScenario: Sendable {
    /// The case.
    public let testCase: ReceiptCase
    /// The app that the receipts are made for, with its expectations.
    public let app: AppUnderTest
    /// The receipt that the app finds; nil if there is none.
    public let receipt: [UInt8]?
    /// Whether a refresh finishes. It may finish without a better receipt.
    public let refreshFinishes: Bool
    /// The receipt that the app finds after a refresh, whether the refresh finished or not.
    public let receiptAfterRefresh: [UInt8]?
    /// The outcome of a validation before any refresh.
    public let outcome: ReceiptOutcome
    /// The outcome of a validation after a refresh.
    public let outcomeAfterRefresh: ReceiptOutcome

    /// Whether an app that refreshes only without a valid receipt asks for a refresh.
    public var needsRefresh: Bool { outcome.facts == nil }

    /// The last outcome for an app that refreshes once, and only without a valid receipt.
    public var finalOutcome: ReceiptOutcome { needsRefresh ? outcomeAfterRefresh : outcome }

    /// - Parameter receipt: gives the receipt of a case, and its outcome.
    init(
        _ testCase: ReceiptCase,
        of app: AppUnderTest,
        receipt receiptOf: (ReceiptCase.Found) -> (receipt: [UInt8]?, outcome: ReceiptOutcome)
    ) {
        let (found, outcome) = receiptOf(testCase.found)
        self.testCase = testCase
        self.app = app
        receipt = found
        self.outcome = outcome
        refreshFinishes = testCase.refresh != .fails
        (receiptAfterRefresh, outcomeAfterRefresh) =
            switch testCase.refresh {
            case .fails, .changesNothing: (found, outcome)
            case .helps: receiptOf(.product)
            case .revokesLicense: receiptOf(.expiredLicense)
            }
    }
}

extension ReceiptScenario: CustomStringConvertible {
    /// The case in words, such as `otherVersion, refresh helps`, which a parameterised test shows for its
    /// argument.
    public var description: String { testCase.description }
}
