import AppReceiptFoundation

/// The App Store of a scenario: it holds the receipt, and answers a refresh as the scenario says.
///
/// ```swift
/// let store = FakeAppStore(scenario)
/// let refresher = ReceiptRefresher(
///     scenario.app.validator, source: store, request: store, now: { store.clock.now })
/// ```
public actor FakeAppStore: ReceiptSource, ReceiptRefreshRequest {
    /// The error of a refresh that fails.
    public struct RefreshFailed: Error, Hashable {
        /// Creates the error of a refresh that fails.
        public init() {}
    }

    /// The clock of the scenario, which shows the app's `now` until a test moves it.
    public nonisolated let clock: FakeClock
    /// The number of calls of ``refresh()``, failed and waiting ones included.
    public private(set) var refreshCount = 0

    private let scenario: ReceiptScenario
    private var held: [CheckedContinuation<Void, Never>]?
    private var isRefreshed = false

    /// Creates the App Store of a scenario. It answers each refresh at once unless refreshes are held.
    public init(_ scenario: ReceiptScenario) {
        self.scenario = scenario
        clock = FakeClock(scenario.app.now)
    }

    /// The scenario's receipt, or the receipt after the refresh once a refresh has finished; nil for none.
    public func receipt() -> [UInt8]? { isRefreshed ? scenario.receiptAfterRefresh : scenario.receipt }

    /// Waits while refreshes are held. Then finishes or fails as the scenario says.
    ///
    /// - Throws: ``RefreshFailed`` if the refresh of the scenario fails, and `CancellationError` if the task
    ///   was cancelled, which is checked after the wait.
    public func refresh() async throws {
        refreshCount += 1
        if held != nil { await withCheckedContinuation { held?.append($0) } }
        try Task.checkCancellation()
        guard scenario.refreshFinishes else { throw RefreshFailed() }
        isRefreshed = true
    }

    /// Makes each new refresh wait for ``releaseRefreshes()``, so that a test can look at the app meanwhile.
    public func holdRefreshes() { held = held ?? [] }

    /// Ends the wait of all held refreshes. Later refreshes are answered at once, until they are held again.
    public func releaseRefreshes() {
        let waiting = held ?? []
        held = nil
        for continuation in waiting { continuation.resume() }
    }
}
