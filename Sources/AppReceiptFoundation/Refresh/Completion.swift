import Foundation

/// A result that one caller waits for and that several events may give. The first event counts. A delegate's
/// callbacks, a time-out and a cancellation arrive on any thread and in any order.
package final class Completion<Value: Sendable>: Sendable {
    // No foreign code runs under the lock.
    private let state = Locked(State.open)

    private enum State: Sendable {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case finished(Result<Value, any Error>)
    }

    /// Creates a completion that has no result yet.
    package init() {}

    /// Sets the result and returns true. If there is a result already, ignores the new one and returns false.
    @discardableResult
    package func finish(_ result: Result<Value, any Error>) -> Bool {
        let before = state.access { state in
            defer { if case .finished = state {} else { state = .finished(result) } }
            return state
        }
        switch before {
        case .open: return true
        case .waiting(let continuation):
            continuation.resume(with: result)
            return true
        case .finished: return false
        }
    }

    /// Waits for the result, then returns its value or throws its error. If the task is cancelled before
    /// there is a result, throws `CancellationError` at once.
    ///
    /// Precondition: only one caller waits, and only once.
    package func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let before = state.access { state in
                    defer { if case .open = state { state = .waiting(continuation) } }
                    return state
                }
                if case .finished(let result) = before { continuation.resume(with: result) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}

/// A value protected by a lock, for a class that several threads use.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    // Only read and written while the lock is held.
    private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Calls `body` with the value under the lock and returns its result. `body` must not take this lock.
    package func access<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
