import AppReceipt
import Basics

/// Validates the app's receipt. If there is no valid receipt and the caller allows it, asks the App Store
/// for a new one.
///
/// ```swift
/// let refresher = ReceiptRefresher(
///     validator, source: ReceiptFileSource(), request: StoreKitRefreshRequest(), toleratedFailures: 3)
///
/// // When the app starts. This never asks the customer to sign in.
/// let verdict = try await refresher.validate()
///
/// // When the customer taps “Restore purchases”.
/// let verdict = try await refresher.validateOrRefresh()
/// ```
///
/// A validation with a refresh takes these steps: validate; if there is no valid receipt, refresh once;
/// unless the refresh fails, validate again; if there is still no valid receipt, count a failure. Callers
/// that wait for the same function at the same time share one validation and so one refresh.
public actor ReceiptRefresher {
    private let validator: ReceiptValidator
    private let source: any ReceiptSource
    private let request: any ReceiptRefreshRequest
    private let now: @Sendable () -> Timestamp
    private let toleratedFailures: Int
    private let failures: any FailureCount
    private var cache = ValidationCache()
    /// The validations that callers wait for, by whether they may refresh: at most one of each kind.
    private var running: [Bool: Run] = [:]
    /// The number of failures of this refresher since it last validated a valid receipt.
    private var failuresSeen = 0

    /// A running validation, and the callers that wait for its verdict.
    private final class Run {
        var task: Task<Void, Never>?
        var callers: [Completion<ReceiptVerdict>] = []
    }

    /// Creates a refresher. It does nothing until it is asked.
    ///
    /// - Parameters:
    ///   - validator: the validator. Its `now` is replaced by the present time at each validation, so that
    ///     the expiration date of a Volume Purchase receipt is always checked.
    ///   - source: where the receipt is read.
    ///   - request: the way to ask for a new receipt.
    ///   - now: gives the present time. The core takes each time as an argument and reads no clock.
    ///   - toleratedFailures: the number of failures in a row that are tolerated; none by default. A valid
    ///     receipt sets the count back to zero.
    ///   - failures: counts the failures in a row; by default in memory, from zero in each refresher.
    ///
    /// An app that refuses at the first failure locks out a customer whose device is offline, or whose
    /// receipt is briefly missing after an update or a restore. Every kind of failure is tolerated, also a
    /// forged receipt, so let the number be small, and keep the count where the customer does not reset it by
    /// starting the app again.
    public init(
        _ validator: ReceiptValidator,
        source: any ReceiptSource,
        request: any ReceiptRefreshRequest,
        now: @escaping @Sendable () -> Timestamp = { .now },
        toleratedFailures: Int = 0,
        failures: any FailureCount = FailureCountInMemory()
    ) {
        self.validator = validator
        self.source = source
        self.request = request
        self.now = now
        self.toleratedFailures = toleratedFailures
        self.failures = failures
    }

    /// Reads, validates and judges the receipt. Never asks for a refresh, so it suits the start of the app.
    ///
    /// - Throws: `CancellationError` if the caller's task is cancelled.
    public func validate() async throws(CancellationError) -> ReceiptVerdict {
        try await verdict(mayRefresh: false)
    }

    /// Validates the receipt. If there is no valid receipt, asks for a refresh once. If the refresh does
    /// not fail, validates again.
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
    /// Returns the verdict of the running validation with this `mayRefresh`, or of a new one if none runs.
    private func verdict(mayRefresh: Bool) async throws(CancellationError) -> ReceiptVerdict {
        guard !Task.isCancelled else { throw CancellationError() }
        let run = running[mayRefresh] ?? start(mayRefresh: mayRefresh)
        let caller = Completion<ReceiptVerdict>()
        run.callers.append(caller)
        do {
            return try await caller.value()
        } catch {
            leave(run, caller, mayRefresh)
            throw CancellationError()
        }
    }

    private func start(mayRefresh: Bool) -> Run {
        let run = Run()
        running[mayRefresh] = run
        run.task = Task {
            let verdict = await self.judge(mayRefresh: mayRefresh)
            if self.running[mayRefresh] === run { self.running[mayRefresh] = nil }
            // A cancelled validation has no verdict, and its callers have all left.
            if let verdict { for caller in run.callers { caller.finish(.success(verdict)) } }
        }
        return run
    }

    /// Ends a caller's wait. Cancels the validation if no other caller waits for it; the next caller starts a
    /// new one.
    private func leave(_ run: Run, _ caller: Completion<ReceiptVerdict>, _ mayRefresh: Bool) {
        run.callers.removeAll { $0 === caller }
        guard run.callers.isEmpty else { return }
        run.task?.cancel()
        if running[mayRefresh] === run { running[mayRefresh] = nil }
    }
}

// MARK: The steps

extension ReceiptRefresher {
    /// Validates the receipt. If that fails and `mayRefresh` is true, refreshes once, and validates again
    /// unless the refresh fails. Returns nil, and counts no failure, if the task is cancelled before these
    /// steps have ended.
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

    /// Reads the receipt and validates it. Its expiration date is judged at the present time. A receipt that
    /// is missing is a failure, too.
    private func validateOnce() async -> Result<Receipt, Fault> {
        let bytes: [UInt8]?
        do {
            bytes = try await source.receipt()
        } catch {
            return .failure(Fault(reason: .unreadable(error)))
        }
        guard let bytes, !bytes.isEmpty else { return .failure(Fault(reason: .missing)) }
        do throws(ReceiptError) {
            return .success(try validator.at(now()).validate(bytes, cache: &cache))
        } catch {
            return .failure(Fault(reason: .invalid(error)))
        }
    }

    /// Counts a failure. Tolerates it while the failures in a row do not exceed `toleratedFailures`.
    private func verdict(
        on reason: ReceiptFailure.Reason,
        _ refresh: ReceiptFailure.Refresh
    ) async -> ReceiptVerdict {
        // A stored count may have been changed to any number, so the failures seen here count as well.
        failuresSeen += 1
        let seen = failuresSeen
        let count = max(seen, await failures.increment())
        let failure = ReceiptFailure(reason: reason, refresh: refresh, failures: count)
        return count <= toleratedFailures ? .tolerated(failure) : .refused(failure)
    }
}

extension ReceiptValidator {
    /// A copy of this validator that judges the expiration date of a receipt at another present time.
    public func at(_ now: Timestamp) -> ReceiptValidator {
        var policy = policy
        policy.now = now
        return ReceiptValidator(policy)
    }
}
