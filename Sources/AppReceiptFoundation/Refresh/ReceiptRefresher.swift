import AppReceipt

/// Validates the app's receipt, and asks the App Store for a new one if the caller allows it.
///
/// ```swift
/// let refresher = ReceiptRefresher(
///     validator, source: ReceiptFileSource(), request: StoreKitRefreshRequest(), grace: .failures(3))
///
/// // When the app starts. This never asks the customer to sign in.
/// let verdict = try await refresher.validate()
///
/// // When the customer taps “Restore purchases”.
/// let verdict = try await refresher.validateOrRefresh()
/// ```
///
/// A validation with a refresh takes these steps: validate; if there is no valid receipt, refresh once;
/// validate again; then fail. Callers that wait at the same time share one validation and so one refresh.
public actor ReceiptRefresher {
    private let validator: ReceiptValidator
    private let source: any ReceiptSource
    private let request: any ReceiptRefreshRequest
    private let clock: any ReceiptClock
    private let grace: GracePolicy
    private let failures: any FailureCount
    private var cache = ValidationCache()
    /// The running validations, with and without a refresh.
    private var running: [Bool: Run] = [:]
    private var runCount = 0
    /// The failures of this refresher since its last success.
    private var failuresSeen = 0
    private var callerCount = 0

    /// A validation that callers wait for.
    private struct Run {
        let number: Int
        var task: Task<Void, Never>?
        var callers: [Int: CheckedContinuation<ReceiptVerdict?, Never>] = [:]
    }

    /// Creates a refresher. It does nothing until it is asked.
    ///
    /// - Parameters:
    ///   - validator: the expectations. Its `now` is replaced by the time of the clock at each validation, so
    ///     the expiration date of a Volume Purchase receipt is always checked.
    ///   - source: the place of the receipt.
    ///   - request: the way to ask for a new receipt.
    ///   - clock: the clock.
    ///   - grace: the number of failures to tolerate.
    ///   - failures: the count of failures.
    public init(
        _ validator: ReceiptValidator,
        source: any ReceiptSource,
        request: any ReceiptRefreshRequest,
        clock: any ReceiptClock = SystemClock(),
        grace: GracePolicy = .none,
        failures: any FailureCount = FailureCountInMemory()
    ) {
        self.validator = validator
        self.source = source
        self.request = request
        self.clock = clock
        self.grace = grace
        self.failures = failures
    }

    /// Validates the receipt that lies there. Never asks for a refresh, so it suits the start of the app.
    ///
    /// - Throws: `CancellationError` if the caller's task is cancelled.
    public func validate() async throws(CancellationError) -> ReceiptVerdict {
        try await verdict(mayRefresh: false)
    }

    /// Validates the receipt. If there is no valid receipt, asks for a refresh once, and validates again.
    ///
    /// A refresh may ask the customer to sign in. Call this function when the customer asks for something
    /// that needs the receipt, such as restoring purchases, and not when the app starts.
    ///
    /// - Throws: `CancellationError` if the caller's task is cancelled. Other callers go on waiting. The
    ///   refresh is cancelled when its last caller is.
    public func validateOrRefresh() async throws(CancellationError) -> ReceiptVerdict {
        try await verdict(mayRefresh: true)
    }
}

// MARK: Callers

extension ReceiptRefresher {
    /// Waits for the running validation of a kind, and starts one if none runs.
    private func verdict(mayRefresh: Bool) async throws(CancellationError) -> ReceiptVerdict {
        callerCount += 1
        let caller = callerCount
        let verdict: ReceiptVerdict? = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<ReceiptVerdict?, Never>) in
                // The handler below may have run before the caller is in the list.
                guard !Task.isCancelled else { return continuation.resume(returning: nil) }
                add(caller, continuation, mayRefresh)
            }
        } onCancel: {
            Task { await self.cancel(caller, mayRefresh) }
        }
        guard let verdict else { throw CancellationError() }
        return verdict
    }

    private func add(
        _ caller: Int,
        _ continuation: CheckedContinuation<ReceiptVerdict?, Never>,
        _ mayRefresh: Bool
    ) {
        if running[mayRefresh] == nil {
            runCount += 1
            let number = runCount
            running[mayRefresh] = Run(number: number)
            running[mayRefresh]?.task = Task {
                let verdict = await self.judge(mayRefresh: mayRefresh)
                self.finish(number, mayRefresh, verdict)
            }
        }
        running[mayRefresh]?.callers[caller] = continuation
    }

    /// Ends a caller's wait. Cancels the validation if no other caller waits for it; the next caller starts a
    /// new one.
    private func cancel(_ caller: Int, _ mayRefresh: Bool) {
        guard let continuation = running[mayRefresh]?.callers.removeValue(forKey: caller) else { return }
        if let run = running[mayRefresh], run.callers.isEmpty {
            run.task?.cancel()
            running[mayRefresh] = nil
        }
        continuation.resume(returning: nil)
    }

    /// Gives a verdict to the callers of a run, unless they have all left it.
    private func finish(_ number: Int, _ mayRefresh: Bool, _ verdict: ReceiptVerdict?) {
        guard let run = running[mayRefresh], run.number == number else { return }
        running[mayRefresh] = nil
        for continuation in run.callers.values { continuation.resume(returning: verdict) }
    }
}

// MARK: The steps

extension ReceiptRefresher {
    /// Takes the steps of one validation. Returns nil if the task is cancelled: a cancelled validation is no
    /// failure.
    private func judge(mayRefresh: Bool) async -> ReceiptVerdict? {
        var refresh = ReceiptFailure.Refresh.notAllowed
        var result = await validateOnce()
        if mayRefresh, case .failure = result {
            guard !Task.isCancelled else { return nil }
            do {
                try await request.refresh()
                refresh = .finished
                result = await validateOnce()
            } catch {
                refresh = .failed(error)
            }
        }
        guard !Task.isCancelled else { return nil }
        switch result {
        case .success(let receipt):
            failuresSeen = 0
            await failures.reset()
            return .valid(receipt)
        case .failure(let fault):
            return await verdict(on: fault.reason, refresh)
        }
    }

    private struct Fault: Error {
        let reason: ReceiptFailure.Reason
    }

    /// Reads and validates the receipt once.
    private func validateOnce() async -> Result<Receipt, Fault> {
        let bytes: [UInt8]?
        do {
            bytes = try await source.receipt()
        } catch {
            return .failure(Fault(reason: .unreadable(error)))
        }
        guard let bytes, !bytes.isEmpty else { return .failure(Fault(reason: .missing)) }
        do throws(ReceiptError) {
            return .success(try validator.at(clock.now).validate(bytes, cache: &cache))
        } catch {
            return .failure(Fault(reason: .invalid(error)))
        }
    }

    /// Counts a failure and applies the grace policy.
    private func verdict(
        on reason: ReceiptFailure.Reason,
        _ refresh: ReceiptFailure.Refresh
    ) async -> ReceiptVerdict {
        // A stored count may have been changed to any number, so the failures seen here count as well.
        failuresSeen += 1
        let seen = failuresSeen
        let count = max(seen, await failures.increment())
        let failure = ReceiptFailure(reason: reason, refresh: refresh, failures: count)
        return count <= grace.toleratedFailures ? .tolerated(failure) : .refused(failure)
    }
}

extension ReceiptValidator {
    /// The validator with another present time.
    public func at(_ now: Timestamp) -> ReceiptValidator { with(now: now) }
}
