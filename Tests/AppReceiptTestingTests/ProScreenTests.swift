// The article of AppReceiptTesting shows this file's code. ArticleTests compares the two.

import AppReceipt
import AppReceiptFoundation
import AppReceiptTesting
import Testing

/// A screen that sells a product.
enum ProScreen: Equatable {
    case unlocked
    case offer
    case licenseEnded
    case noValidReceipt

    /// The screen after the customer taps “Restore purchases”.
    static func restored(
        by refresher: ReceiptRefresher,
        product: String,
        lastPaidVersion: String
    ) async throws -> ProScreen {
        switch try await refresher.validateOrRefresh() {
        case .valid(let receipt):
            let paidForApp = receipt.originalAppVersion == lastPaidVersion
            return paidForApp || receipt.contains(product: product) ? .unlocked : .offer
        case .tolerated: return .unlocked
        case .refused(let failure):
            if case .invalid(let error) = failure.reason, error.step == .expirationDate {
                return .licenseEnded
            }
            return .noValidReceipt
        }
    }
}

@Suite("The screen that sells the product")
struct ProScreenTests {
    @Test("shows what the receipt says", arguments: AppUnderTest().scenarios)
    func restore(_ scenario: ReceiptScenario) async throws {
        let (app, store) = (scenario.app, FakeAppStore(scenario))
        let refresher = ReceiptRefresher(
            app.validator,
            source: store,
            request: store,
            now: { store.clock.now }
        )
        let screen = try await ProScreen.restored(
            by: refresher,
            product: app.product,
            lastPaidVersion: app.lastPaidVersion
        )
        let expected: ProScreen
        switch scenario.finalOutcome {
        case .accepted(let facts):
            let paidForApp = facts.originalAppVersion == app.lastPaidVersion
            expected = facts.ownsProduct || paidForApp ? .unlocked : .offer
        case .refused(.expirationDate, _): expected = .licenseEnded
        case .refused, .missing: expected = .noValidReceipt
        }
        #expect(screen == expected)
        // A customer with a valid receipt is not asked to sign in.
        #expect(await store.refreshCount == (scenario.needsRefresh ? 1 : 0))
    }
}
