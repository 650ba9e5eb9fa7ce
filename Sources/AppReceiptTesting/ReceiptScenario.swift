/// A case with its receipts and its expected outcomes, for one app.
///
/// The expected outcomes follow from how the receipts were made. No validator computed them.
public struct ReceiptScenario: Sendable {
    /// The case: what the app finds, and the simulated outcome of a refresh.
    public let testCase: ReceiptCase
    /// The app that the receipts are made for, with its expectations.
    public let app: AppUnderTest
    /// The bytes of the receipt file before any refresh; nil if there is no file, empty for an empty file.
    public let receipt: [UInt8]?
    /// Whether a refresh finishes. It may finish without a better receipt.
    public let refreshFinishes: Bool
    /// The bytes of the receipt file after a refresh, finished or not; nil if there is no file.
    public let receiptAfterRefresh: [UInt8]?
    /// The expected outcome of a validation before any refresh.
    public let outcome: ReceiptOutcome
    /// The expected outcome of a validation after a refresh, finished or not.
    public let outcomeAfterRefresh: ReceiptOutcome

    /// Whether the app finds no valid receipt at first, so that it should ask for a refresh.
    public var needsRefresh: Bool { outcome.facts == nil }

    /// The expected outcome after the refresh if ``needsRefresh`` is true, and before any refresh otherwise.
    public var finalOutcome: ReceiptOutcome { needsRefresh ? outcomeAfterRefresh : outcome }

    /// Makes the scenario of a case. `receiptOf` returns a find's receipt, nil for none, and its outcome.
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
