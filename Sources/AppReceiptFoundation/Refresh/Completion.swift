import Foundation

/// A result that one caller waits for and that several events may give. The first event counts.
///
/// A delegate's callbacks, a time-out and a cancellation arrive on any thread and in any order.
package final class Completion<Value: Sendable>: @unchecked Sendable {
    // `lock` guards `state`. No foreign code runs under the lock.
    private let lock = NSLock()
    private var state = State.open

    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case finished(Result<Value, any Error>)
    }

    /// Creates a result that nothing has given yet.
    package init() {}

    /// Gives the result. Returns false if there is one already; the new one is then ignored.
    @discardableResult
    package func finish(_ result: Result<Value, any Error>) -> Bool {
        lock.lock()
        let before = state
        if case .finished = before {} else { state = .finished(result) }
        lock.unlock()
        switch before {
        case .open: return true
        case .waiting(let continuation):
            continuation.resume(with: result)
            return true
        case .finished: return false
        }
    }

    /// Waits for the result. A cancelled task gets `CancellationError` at once.
    ///
    /// Precondition: only one caller waits, and only once.
    package func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                lock.lock()
                let before = state
                if case .open = before { state = .waiting(continuation) }
                lock.unlock()
                if case .finished(let result) = before { continuation.resume(with: result) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}
