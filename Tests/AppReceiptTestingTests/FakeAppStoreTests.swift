import AppReceipt
import AppReceiptFoundation
import AppReceiptTesting
import Basics
import Testing

@Suite("The fake App Store and its clock")
struct FakeAppStoreTests {
    static let app = AppUnderTest()

    static func refresher(_ store: FakeAppStore) -> ReceiptRefresher {
        ReceiptRefresher(app.validator, source: store, request: store, now: { store.clock.now })
    }

    /// The outcome that a refresher's verdict amounts to.
    static func outcome(_ verdict: ReceiptVerdict) -> ReceiptOutcome? {
        switch verdict {
        case .valid(let receipt): return .accepted(ReceiptFacts(receipt, for: app))
        case .tolerated(let failure), .refused(let failure):
            return switch failure.reason {
            case .missing: .missing
            case .invalid(let error): .refused(error.step, error.code)
            case .unreadable: nil
            }
        }
    }

    @Test("a refresher that may refresh comes to the final outcome", arguments: app.scenarios)
    func finalOutcome(_ scenario: ReceiptScenario) async throws {
        let store = FakeAppStore(scenario)
        let verdict = try await Self.refresher(store).validateOrRefresh()
        #expect(Self.outcome(verdict) == scenario.finalOutcome)
        #expect(await store.refreshCount == (scenario.needsRefresh ? 1 : 0))
        if case .failed(let error) = verdict.failure?.refresh {
            #expect(error is FakeAppStore.RefreshFailed)
            #expect(!scenario.refreshFinishes)
        }
    }

    @Test("a refresher that may not refresh comes to the first outcome", arguments: app.scenarios)
    func firstOutcome(_ scenario: ReceiptScenario) async throws {
        let store = FakeAppStore(scenario)
        #expect(Self.outcome(try await Self.refresher(store).validate()) == scenario.outcome)
        #expect(await store.refreshCount == 0)
    }

    @Test("a refresh that fails leaves the receipt as it was")
    func failure() async {
        let store = FakeAppStore(Self.app.scenario(.otherVersion, refresh: .fails))
        let before = await store.receipt()
        await #expect(throws: FakeAppStore.RefreshFailed()) { try await store.refresh() }
        #expect(await store.receipt() == before)
    }

    @Test("a held refresh waits, and two callers share it")
    func held() async throws {
        let store = FakeAppStore(Self.app.scenario(.nothing, refresh: .helps))
        let refresher = Self.refresher(store)
        await store.holdRefreshes()
        async let first = refresher.validateOrRefresh()
        while await store.refreshCount == 0 { await Task.yield() }
        async let second = refresher.validateOrRefresh()
        #expect(await store.receipt() == nil)
        await store.releaseRefreshes()
        let verdicts = try await [first, second]
        #expect(verdicts.allSatisfy { $0.receipt?.contains(product: Self.app.product) == true })
        #expect(await store.refreshCount == 1)
    }

    @Test("a refresh that was cancelled while it was held changes nothing")
    func cancelled() async {
        let store = FakeAppStore(Self.app.scenario(.nothing, refresh: .helps))
        await store.holdRefreshes()
        let refresh = Task { try await store.refresh() }
        while await store.refreshCount == 0 { await Task.yield() }
        refresh.cancel()
        await store.releaseRefreshes()
        await #expect(throws: CancellationError.self) { try await refresh.value }
        #expect(await store.receipt() == nil)
    }

    @Test("a license ends when the clock passes its expiration date")
    func license() async throws {
        let store = FakeAppStore(Self.app.scenario(.volumeLicense, refresh: .revokesLicense))
        let refresher = Self.refresher(store)
        store.clock.advance(by: .days(29))
        #expect(try await refresher.validateOrRefresh().receipt != nil)
        store.clock.advance(by: .days(2))
        let verdict = try await refresher.validateOrRefresh()
        #expect(Self.outcome(verdict) == .refused(.expirationDate, .receiptExpired))
        #expect(await store.refreshCount == 1)
    }

    @Test("the clock stands still until it is moved, in either direction")
    func clock() {
        let clock = FakeClock()
        #expect(clock.now.description == "2024-06-02T12:00:00Z")
        clock.advance(by: .hours(3))
        #expect(clock.now.description == "2024-06-02T15:00:00Z")
        clock.advance(by: -.days(1))
        #expect(clock.now.description == "2024-06-01T15:00:00Z")
        clock.now = .forTests
        #expect(clock.now == .forTests)
    }
}
